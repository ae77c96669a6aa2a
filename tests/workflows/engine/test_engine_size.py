"""Large graphs and long streams run and are checked in bounded time."""

from __future__ import annotations

import time
from typing import Any

import pytest

from greenrun.workflows.engine import run_graph
from greenrun.workflows.graph import load_graph
from greenrun.workflows.registry import Registry
from greenrun.workflows.validation import validate_graph

SIZE = 10_000
MANY = 2_000
SECONDS = 20
"""Far above what it takes, and far below what a quadratic algorithm would."""


def chain(size: int) -> dict[str, Any]:
    """Every node feeds the next one."""
    nodes = [{"id": f"n{i}", "type": "test.Give", "data": {"value": "x"}} for i in range(size)]
    ends = {"sourceHandle": "output", "targetHandle": "value"}
    return {"nodes": nodes, "edges": [{"source": f"n{i}", "target": f"n{i + 1}", **ends} for i in range(size - 1)]}


def wide(size: int) -> dict[str, Any]:
    """One node feeds all others."""
    nodes = [{"id": f"n{i}", "type": "test.Give", "data": {"value": "x"}} for i in range(size)]
    ends = {"sourceHandle": "output", "targetHandle": "value"}
    return {"nodes": nodes, "edges": [{"source": "n0", "target": f"n{i}", **ends} for i in range(1, size)]}


async def run(stored: dict[str, Any], registry: Registry) -> tuple[Any, int]:
    count = 0

    def emit(message: dict[str, Any]) -> None:
        nonlocal count
        count += 1

    result = await run_graph(load_graph(stored), registry=registry, params={}, job_id="j", emit=emit)
    return result, count


@pytest.mark.parametrize(("shape", "size"), [(chain, SIZE), (wide, MANY)])
async def test_a_graph_of_thousands_of_nodes_is_checked_and_run(
    shape: Any, size: int, engine_registry: Registry
) -> None:
    start = time.perf_counter()
    result, messages = await run(shape(size), engine_registry)
    assert result.ok
    assert sum(len(values) for values in result.outputs.values()) == (1 if shape is chain else size - 1)
    assert messages < 6 * size
    assert time.perf_counter() - start < SECONDS


def test_ring_of_many_nodes_is_refused_with_a_short_text(engine_registry: Registry) -> None:
    stored = chain(MANY)
    stored["edges"].append({**stored["edges"][0], "source": f"n{MANY - 1}", "target": "n0"})
    report = validate_graph(load_graph(stored), engine_registry)
    (finding,) = [item for item in report.findings if item.code == "GR616"]
    assert len(finding.message) < 300


async def test_long_iteration_through_a_join_runs(engine_registry: Registry) -> None:
    nodes = [
        {"id": "each", "type": "nodetool.control.RepeatCount", "data": {"count": MANY}},
        {"id": "inc", "type": "test.Inc"},
        {"id": "pair", "type": "test.Pair"},
        {"id": "count", "type": "nodetool.control.Count"},
    ]
    edges = [
        {"source": "each", "sourceHandle": "output", "target": "inc", "targetHandle": "value"},
        {"source": "inc", "sourceHandle": "output", "target": "pair", "targetHandle": "a"},
        {"source": "each", "sourceHandle": "output", "target": "pair", "targetHandle": "b"},
        {"source": "pair", "sourceHandle": "output", "target": "count", "targetHandle": "input_item"},
    ]
    start = time.perf_counter()
    result, _ = await run({"nodes": nodes, "edges": edges}, engine_registry)
    assert result.outputs["count"] == [MANY]
    assert time.perf_counter() - start < SECONDS


def test_report_of_many_findings_is_written_in_bounded_time(engine_registry: Registry) -> None:
    nodes = [{"id": f"n{i}", "type": "acme.Ghost"} for i in range(MANY)]
    start = time.perf_counter()
    report = validate_graph(load_graph({"nodes": nodes, "edges": []}), engine_registry).to_json()
    assert report["counts"]["errors"] == MANY
    assert {issue["nodeType"] for issue in report["issues"]} == {"acme.Ghost"}
    assert time.perf_counter() - start < SECONDS
