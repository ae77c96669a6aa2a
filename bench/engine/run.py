"""How long the engine takes for work that costs nothing in itself, beside LangGraph, pydantic-graph and plain asyncio.

Graphs are built before the clock starts, except on the side that reads its graph anew each time.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bench.engine.works import WORKS, Build, Run, Work, same
from bench.sides import Side, absent
from bench.timing import digits, elapsed, growth, interleaved, p50, ratio, spread

ROUNDS = 25
SECONDS = 15.0
"""How long one size of one work is measured at most."""
BUILD_ROUNDS = 5
LEAST_MS = 5.0
"""How long a measurement should take at least."""

OURS = "Greenrun"
ANEW = "Greenrun, graph read anew"
FLOOR = "asyncio"
PEERS = ("LangGraph", "pydantic-graph")


@dataclass(frozen=True, slots=True)
class Engine:
    """A side with the module and the table of its graphs."""

    side: Side
    graphs: str
    table: str = "BUILDS"

    @property
    def name(self) -> str:
        return self.side.name

    def build(self, work: Work) -> Build:
        return getattr(importlib.import_module(self.graphs), self.table)[work.name]


ENGINES = (
    Engine(Side(OURS, "greenrun"), "bench.engine.graphs"),
    Engine(Side(ANEW, "greenrun"), "bench.engine.graphs", "FRESH"),
    Engine(Side(PEERS[0], "langgraph", "langgraph"), "bench.engine.langgraph_graphs"),
    Engine(Side(PEERS[1], "pydantic-graph", "pydantic_graph"), "bench.engine.pydantic_graphs"),
    Engine(Side(FLOOR), "bench.engine.coroutines"),
)


def measure(works: Sequence[Work] = WORKS, *, rounds: int = ROUNDS, seconds: float = SECONDS) -> dict[str, Any]:
    """`rows` of ``{work, size, steps, side, p50_ms, p25_ms, p75_ms, best_ms, rounds, step_us, ratio, build_ms}``.

    `ratio` is the side's time over Greenrun's in the same rounds; `growth` has the exponent for each work and side.

    Raises:
        AssertionError: A side's result is not the one that the work asks for.
    """
    # LangGraph reports runs to a service when the environment says so; that is no part of the work.
    os.environ["LANGSMITH_TRACING"] = "false"
    engines = [engine for engine in ENGINES if engine.side.installed]
    with asyncio.Runner() as runner:
        rows = [
            row
            for work in works
            for size in work.sizes
            for row in _rows(work, size, engines, runner, rounds=rounds, seconds=seconds)
        ]
    return {
        "sides": [engine.side.to_json() for engine in ENGINES],
        "rows": rows,
        "growth": list(_growths(rows, works, engines)),
    }


def _rows(
    work: Work, size: int, engines: Sequence[Engine], runner: asyncio.Runner, *, rounds: int, seconds: float
) -> Iterator[dict[str, Any]]:
    builds = {engine.name: engine.build(work) for engine in engines}
    ready = {name: build(size) for name, build in builds.items()}
    expected = work.expected(size)

    def agree() -> None:
        for name, run in ready.items():
            result = runner.run(_once(run))
            assert same(result, expected), f"{name} does {work.name} of {size} wrongly: {str(result)[:200]}"

    agree()
    taken = interleaved(
        {name: _timer(runner, run) for name, run in ready.items()}, rounds=rounds, seconds=seconds, warm_up=1
    )
    agree()
    building = interleaved(
        {name: _builder(build, size) for name, build in builds.items()}, rounds=BUILD_ROUNDS, seconds=seconds / 3
    )
    for name, times in taken.items():
        measured = spread(times)
        yield {
            "work": work.name,
            "size": size,
            "steps": work.steps(size),
            "side": name,
            **measured,
            "step_us": digits(measured["p50_ms"] * 1000 / work.steps(size)),
            "ratio": ratio(times, taken[OURS]),
            "build_ms": p50(building[name]),
        }


async def _once(run: Run) -> Any:
    return await run()


async def _timed(run: Run, times: int) -> float:
    """The milliseconds of one run, on average over several in a row."""
    start = time.perf_counter()
    for _ in range(times):
        await run()
    return (time.perf_counter() - start) * 1000 / times


def _timer(runner: asyncio.Runner, run: Run) -> Callable[[], float]:
    """Measures a run; one that is short is repeated, so that starting and reading the clock do not count."""
    times = min(50, max(1, round(LEAST_MS / runner.run(_timed(run, 1)))))
    return lambda: runner.run(_timed(run, times))


def _builder(build: Build, size: int) -> Callable[[], float]:
    return lambda: elapsed(lambda: build(size))


def _growths(
    rows: Sequence[dict[str, Any]], works: Sequence[Work], engines: Sequence[Engine]
) -> Iterator[dict[str, Any]]:
    for work in works:
        for engine in engines:
            found = [row for row in rows if row["work"] == work.name and row["side"] == engine.name]
            if len(found) > 1 and work.compared:
                exponent = growth([row["size"] for row in found], [row["p50_ms"] for row in found])
                yield {"work": work.name, "side": engine.name, "exponent": exponent}


def show(result: dict[str, Any]) -> str:
    """A Markdown table for each work: a line a side, a column a size."""
    exponents = {(item["work"], item["side"]): item["exponent"] for item in result["growth"]}
    lines = absent(result["sides"])
    for work in WORKS:
        rows = [row for row in result["rows"] if row["work"] == work.name]
        if not rows:
            continue
        sizes = sorted({row["size"] for row in rows})
        lines += [
            "",
            f"{work.name}: {work.title}",
            "",
            f"| side | {' | '.join(f'n = {size}, ms' for size in sizes)} | times Greenrun | µs a step | growth | build, ms |",
            f"| --- |{' ---: |' * (len(sizes) + 4)}",
        ]
        for side in dict.fromkeys(row["side"] for row in rows):
            own = {row["size"]: row for row in rows if row["side"] == side}
            last = own[sizes[-1]]
            cells = [f"{own[size]['p50_ms']} ({own[size]['p25_ms']}-{own[size]['p75_ms']})" for size in sizes]
            exponent = exponents.get((work.name, side))
            cells += [" / ".join(str(own[size]["ratio"]) for size in sizes), str(last["step_us"])]
            cells += ["" if exponent is None else f"n^{exponent}", str(last["build_ms"])]
            lines.append(f"| {side} | {' | '.join(cells)} |")
    return "\n".join(lines).strip()
