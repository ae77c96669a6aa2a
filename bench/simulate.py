"""What a simulation costs beside the nodes that it runs: three operations clicked, each a graph of three text nodes."""

from __future__ import annotations

import asyncio
from typing import Any

from bench.apps import bundle
from bench.check import local_host
from bench.timing import milliseconds, p50, p95
from greenrun.oracle.simulate import simulate
from greenrun.oracle.target import target_from_document

SIZE = 15
REPEATS = 60


def measure() -> dict[str, Any]:
    """`rows` of ``{components, operations, p50_ms, p95_ms, node_ms, overhead_ms}``; overhead is without the node time."""
    value = bundle(SIZE)
    loop = asyncio.new_event_loop()
    host = local_host(value)
    node_times: list[float] = []

    def once() -> None:
        report = loop.run_until_complete(simulate(target_from_document(value), host))
        assert report.verdict.ok, report.verdict.headline
        node_times.append(sum(run["durationMs"] for run in report.runs))

    try:
        times = milliseconds(once, REPEATS)
    finally:
        loop.run_until_complete(host.aclose())
        loop.close()
    nodes = p50(sorted(node_times[-REPEATS:]))
    row = {
        "components": SIZE,
        "operations": 3,
        "p50_ms": p50(times),
        "p95_ms": p95(times),
        "node_ms": nodes,
        "overhead_ms": round(p50(times) - nodes, 3),
    }
    return {"rows": [row]}


def show(result: dict[str, Any]) -> str:
    """A Markdown table."""
    names = ("components", "operations", "p50_ms", "p95_ms", "node_ms", "overhead_ms")
    lines = [f"| {' | '.join(names)} |", "|" + " ---: |" * len(names)]
    lines += [f"| {' | '.join(str(row[name]) for name in names)} |" for row in result["rows"]]
    return "\n".join(lines)
