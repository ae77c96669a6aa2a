"""Code in a graph is looked at before anything runs."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.workflows.graph import load_graph
from greenrun.workflows.registry import default_registry
from greenrun.workflows.validation import validate_graph


def found(code: Any, *, fed: str | None = None, outputs: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    node = {
        "id": "c",
        "type": "greenrun.code.Python",
        "data": {"code": code},
        "dynamic_outputs": {name: {"type": "int"} for name in outputs},
    }
    nodes: list[dict[str, Any]] = [node]
    edges: list[dict[str, Any]] = []
    if fed is not None:
        nodes.append({"id": "i", "type": "nodetool.input.StringInput", "data": {"name": "x", "value": "1"}})
        edges.append({"source": "i", "sourceHandle": "output", "target": "c", "targetHandle": fed})
    report = validate_graph(load_graph({"nodes": nodes, "edges": edges}), default_registry(lambda: []))
    return [(item.code, item.message) for item in report.findings if item.severity == "error"]


def test_code_that_uses_its_inputs_is_fine() -> None:
    assert found("int(x) + 1", fed="x") == []


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("1 +", "line 1"),
        ("a = 1\nb = missing + a\nb", "line 2"),
        ("import socket\n1", "socket"),
    ],
)
def test_what_cannot_run_is_named_with_its_line(code: str, said: str) -> None:
    ((name, message),) = found(code)
    assert name == "GR610"
    assert 'Node "c"' in message
    assert said in message


def test_an_output_that_the_code_never_gives_is_named() -> None:
    messages = found("{'a': 1}", outputs=("a", "b"))
    assert [name for name, _ in messages] == ["GR610"]
    assert "b" in messages[0][1]


def test_code_that_an_edge_brings_is_not_known_yet() -> None:
    assert found("1 +", fed="code") == []
