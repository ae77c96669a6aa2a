from __future__ import annotations

import builtins
import keyword
import sys
from typing import Any

import pytest

pytest.importorskip("pydantic_monty", reason="needs the extra code")

from greenrun.workflows.code.interpreter import Limits, run_code
from greenrun.workflows.code.source import MODULES, problems
from greenrun.workflows.registry import default_registry
from greenrun.workflows.run import RunResult, RunSpec, execute
from tests.workflows.samples import graph, node


async def run(code: str, **params: Any) -> tuple[RunResult, list[dict[str, Any]]]:
    """The run of a text input, the code with the outputs words and size, and an output for each."""
    messages: list[dict[str, Any]] = []
    nodes = [
        node("i", "text", name="line"),
        node(
            "c", "greenrun.code.Python", code=code, dynamic_outputs={"words": {"type": "list"}, "size": {"type": "int"}}
        ),
        node("w", "out", name="words"),
        node("s", "out", name="size"),
    ]
    edges = ["i.output -> c.line", "c.words -> w.value", "c.size -> s.value"]
    spec = RunSpec(job_id="job", graph=graph(nodes, edges), params=params)
    return await execute(spec, messages.append, registry=default_registry(), functions=None), messages


async def test_code_in_a_graph_feeds_its_outputs() -> None:
    result, messages = await run(
        'words = line.split()\nprint(len(words))\n{"words": words, "size": len(line)}', line="a bc"
    )
    assert result.outputs == {"words": [["a", "bc"]], "size": [4]}
    assert [message["content"] for message in messages if message["type"] == "log_update"] == ["2"]


async def test_code_that_fails_fails_its_node_with_the_line() -> None:
    result, _ = await run("x = 1\nx / 0", line="a")
    assert result.status == "failed"
    assert result.error is not None
    assert "line 2: ZeroDivisionError: division by zero" in result.error


async def test_names_that_the_check_knows_are_those_that_the_interpreter_has() -> None:
    names = [name for name in dir(builtins) if not name.startswith("_") and not keyword.iskeyword(name)]
    probe = """
found = []
for name in names:
    try:
        eval(name)
        found.append(name)
    except NameError:
        pass
found
"""
    has = (await run_code(probe, {"names": names}, Limits())).value
    assert [name for name in names if not problems(name)] == has


async def test_modules_that_the_check_knows_are_those_that_the_interpreter_has() -> None:
    names = sorted(name for name in {*sys.stdlib_module_names, *MODULES} if not name.startswith("_"))
    probe = """
found = []
for name in names:
    try:
        exec("import " + name)
        found.append(name)
    except ImportError:
        pass
found
"""
    has = (await run_code(probe, {"names": names}, Limits())).value
    assert has == sorted(name for name in MODULES if not name.startswith("_"))
