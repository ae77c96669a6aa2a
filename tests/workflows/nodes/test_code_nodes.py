from __future__ import annotations

from typing import Any

import pytest

from greenrun.workflows.code.errors import CodeError
from greenrun.workflows.nodes.code import MAX_LINES, JavaScriptCode
from tests.workflows.nodes.firing import MemoryContext, builtin

needs_monty = pytest.mark.skipif(builtin("greenrun.code.Python").unavailable is not None, reason="needs the extra code")


async def run(code: str, *outputs: str, context: MemoryContext | None = None, **inputs: Any) -> dict[str, Any]:
    found = builtin("greenrun.code.Python")
    node = found.create({"code": code, **inputs}, {name: {"type": "any"} for name in outputs})
    return found.record(await node.process(context or MemoryContext()))


@needs_monty
async def test_last_expression_is_the_output() -> None:
    assert await run("a * 2", a=21) == {"output": 42}


@needs_monty
async def test_null_result_is_delivered() -> None:
    assert await run("x = 1") == {"output": None}


@needs_monty
async def test_dict_without_declared_outputs_is_the_output() -> None:
    assert await run('{"a": 1}') == {"output": {"a": 1}}


@needs_monty
async def test_dict_gives_its_keys_as_declared_outputs() -> None:
    assert await run('return {"a": 1, "b": None}', "a", "b") == {"a": 1, "b": None}


@needs_monty
async def test_declared_output_that_the_result_lacks_gets_nothing() -> None:
    assert await run('{"a": 1}', "a", "b") == {"a": 1}


@needs_monty
async def test_member_that_is_no_output_is_left_out_and_said() -> None:
    context = MemoryContext()
    assert await run('{"a": 1, "z": 2}', "a", context=context) == {"a": 1}
    assert context.logs == [("warning", 'the result has "z", which is no output of this node')]


@needs_monty
async def test_sole_declared_output_takes_the_whole_result() -> None:
    assert await run('{"z": 2}', "a") == {"a": {"z": 2}}


@needs_monty
@pytest.mark.parametrize(
    ("code", "part"), [("5", "it is a number"), ('{"z": 1}', "it has z"), ("{}", "it has no members")]
)
async def test_result_without_any_of_several_outputs_is_an_error(code: str, part: str) -> None:
    with pytest.raises(CodeError, match=f"the result must be a dict with some of the outputs a, b; {part}"):
        await run(code, "a", "b")


@needs_monty
async def test_print_becomes_log_lines() -> None:
    context = MemoryContext()
    await run("print('a')\nprint('b')", context=context)
    assert context.logs == [("info", "a"), ("info", "b")]


@needs_monty
async def test_print_before_an_error_is_logged() -> None:
    context = MemoryContext()
    with pytest.raises(CodeError, match="line 2: ZeroDivisionError"):
        await run("print('a')\n1/0", context=context)
    assert context.logs == [("info", "a")]


@needs_monty
async def test_many_log_lines_are_cut() -> None:
    context = MemoryContext()
    await run(f"for i in range({MAX_LINES + 5}): print(i)", context=context)
    assert context.logs[-1] == ("warning", "(5 more lines are left out)")
    assert len(context.logs) == MAX_LINES + 1


@needs_monty
async def test_time_limit_comes_from_the_property() -> None:
    with pytest.raises(CodeError, match=r"longer than 0\.1 s"):
        await run("while True: pass", timeout_s=0.1)


@needs_monty
async def test_limits_stay_within_bounds() -> None:
    assert await run("1", timeout_s=0, memory_mb=0) == {"output": 1}
    with pytest.raises(CodeError, match="more than 1024 MB"):
        await run("'a' * (2 * 10**9)", memory_mb=10**6)


def test_javascript_code_is_known_with_its_ports_and_says_what_to_use() -> None:
    found = builtin("nodetool.code.Code")
    assert found.unavailable == "JavaScript is not supported yet; use greenrun.code.Python or a Python function"
    assert found.dynamic_inputs
    assert found.dynamic_outputs
    assert {spec.name for spec in found.properties} >= {"code", "packages", "timeout"}
    assert found.cls is JavaScriptCode
