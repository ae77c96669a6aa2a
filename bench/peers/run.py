"""Opening a form app and clicking its button, without a browser: Greenrun's test client, Streamlit's AppTest, NiceGUI's user.

Each side runs in a process of its own and is asked in turn, so that they share the machine and nothing else.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bench.peers.process import SideProcess
from bench.sides import Side, absent
from bench.timing import interleaved, ratio, spread

OURS = "Greenrun, graph"
FUNCTION = "Greenrun, Python function"
STREAMLIT = "Streamlit AppTest"
NICEGUI = "NiceGUI user simulation"

FORMS = {"text": "two inputs, a button, a text", "table": "the same and a table of 50 rows"}
MEASURES = {
    "click": "both inputs are filled, the button is clicked, the text is read; the app was open before",
    "open": "a further person opens the app, in a process that has opened it before",
    "test": "open, click, read, close: what one test of the app costs",
    "cold": "the same in a fresh process, interpreter start and imports included",
}
ROUNDS = {"click": 60, "open": 15, "test": 15, "cold": 3}
SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Peer:
    """A side with the class of its form, and what its figures include."""

    side: Side
    module: str
    form: str
    includes: str

    @property
    def name(self) -> str:
        return self.side.name

    def process(self, *, with_table: bool) -> SideProcess:
        return SideProcess(self.module, self.form, with_table=with_table)


PEERS = (
    Peer(
        Side(OURS, "greenrun"),
        "bench.peers.greenrun_forms",
        "GraphForm",
        "Opening reads the files and resolves the document; the first click validates and plans the graph. A click checks "
        "that a person could use each widget, runs the graph with all of its messages, folds them into the state and "
        "renders the text. The table is made by a loop of 50 items in the graph, not by one Python call.",
    ),
    Peer(
        Side(FUNCTION, "greenrun"),
        "bench.peers.greenrun_forms",
        "FunctionForm",
        "As above, but the work is a Python function in a worker process under limits. The first click of each opened app "
        "starts that process, so it counts in a test; what the function takes and gives is known from the first opening.",
    ),
    Peer(
        Side(STREAMLIT, "streamlit", "streamlit"),
        "bench.peers.streamlit_forms",
        "StreamlitForm",
        "Opening and a click each run the whole script in a new thread and parse the elements that it sent; AppTest looks "
        "every millisecond whether the thread has ended. The first run of each AppTest looks through all installed "
        "distributions for components.",
    ),
    Peer(
        Side(NICEGUI, "nicegui", "nicegui"),
        "bench.peers.nicegui_forms",
        "NiceguiForm",
        "Opening is a request to the app through ASGI, and the page function. A click calls the handler directly, in the "
        "process of the server, with no run, no limits and no record of it; what goes to the browser is sent later, by a "
        "task that is not waited for.",
    ),
)


def measure(
    forms: Sequence[str] = tuple(FORMS),
    *,
    rounds: Mapping[str, int] = ROUNDS,
    seconds: float = SECONDS,
    peers: Sequence[Peer] = PEERS,
) -> dict[str, Any]:
    """`rows` of ``{form, measure, side, p50_ms, p25_ms, p75_ms, best_ms, rounds, ratio}``; `memory` in MB after all of it.

    `ratio` is the side's time over that of Greenrun with a graph in the same rounds.

    Raises:
        SideFailed: A side that is installed did not show what it should.
    """
    present = [peer for peer in peers if peer.side.installed]
    rows: list[dict[str, Any]] = []
    memory: list[dict[str, Any]] = []
    with asyncio.Runner() as runner:
        for form in forms:
            taken, megabytes = _measured(form, present, runner, rounds, seconds)
            for what, times in taken.items():
                for name, values in times.items():
                    measured = {**spread(values), "ratio": ratio(values, times[OURS])}
                    rows.append({"form": form, "measure": what, "side": name, **measured})
            memory += [{"form": form, "side": name, "megabytes": size} for name, size in megabytes.items()]
    return {
        "sides": [{**peer.side.to_json(), "includes": peer.includes} for peer in peers],
        "rows": rows,
        "memory": memory,
    }


def _measured(
    form: str, peers: Sequence[Peer], runner: asyncio.Runner, rounds: Mapping[str, int], seconds: float
) -> tuple[dict[str, dict[str, list[float]]], dict[str, float]]:
    """The times by measure and side, and the memory by side."""
    with_table = form == "table"
    taken: dict[str, dict[str, list[float]]] = {}
    stack = AsyncExitStack()

    async def enter(peer: Peer) -> SideProcess:
        side = await stack.enter_async_context(peer.process(with_table=with_table))
        await side.ask("start")
        return side

    try:
        sides = {peer.name: runner.run(enter(peer)) for peer in peers}
        # The first opening of a process is not measured: it belongs to "cold".
        for side in sides.values():
            runner.run(side.ask("open"))
        taken["click"] = interleaved(_timers(runner, sides, _ask("click")), rounds=rounds["click"], seconds=seconds)
        for side in sides.values():
            runner.run(side.ask("close"))
        taken["open"] = interleaved(_timers(runner, sides, _opened), rounds=rounds["open"], seconds=seconds)
        taken["test"] = interleaved(_timers(runner, sides, _ask("test")), rounds=rounds["test"], seconds=seconds)
        megabytes = {name: runner.run(side.ask("memory"))["megabytes"] for name, side in sides.items()}
    finally:
        runner.run(stack.aclose())
    timers = {peer.name: _cold(runner, peer, with_table=with_table) for peer in peers}
    taken["cold"] = interleaved(timers, rounds=rounds["cold"], seconds=seconds, warm_up=0)
    return taken, megabytes


def _timers(
    runner: asyncio.Runner, sides: Mapping[str, SideProcess], work: Callable[[SideProcess], Any]
) -> dict[str, Callable[[], float]]:
    def timer(side: SideProcess) -> Callable[[], float]:
        return lambda: runner.run(work(side))

    return {name: timer(side) for name, side in sides.items()}


def _ask(command: str) -> Callable[[SideProcess], Any]:
    async def ask(side: SideProcess) -> float:
        return (await side.ask(command))["ms"]

    return ask


async def _opened(side: SideProcess) -> float:
    took = (await side.ask("open"))["ms"]
    await side.ask("close")
    return took


def _cold(runner: asyncio.Runner, peer: Peer, *, with_table: bool) -> Callable[[], float]:
    async def once() -> float:
        start = time.perf_counter()
        async with _started(peer, with_table=with_table) as side:
            await side.ask("test")
            return (time.perf_counter() - start) * 1000

    return lambda: runner.run(once())


@asynccontextmanager
async def _started(peer: Peer, *, with_table: bool) -> AsyncIterator[SideProcess]:
    async with peer.process(with_table=with_table) as side:
        await side.ask("start")
        yield side


def show(result: dict[str, Any]) -> str:
    """A Markdown table for each form: a line a side, a column a measure."""
    lines = absent(result["sides"])
    for form in dict.fromkeys(row["form"] for row in result["rows"]):
        rows = [row for row in result["rows"] if row["form"] == form]
        measures = list(dict.fromkeys(row["measure"] for row in rows))
        memory = {item["side"]: item["megabytes"] for item in result["memory"] if item["form"] == form}
        lines += [
            "",
            f"{form}: {FORMS[form]}",
            "",
            f"| side | {' | '.join(f'{name}, ms' for name in measures)} | memory, MB |",
            f"| --- |{' ---: |' * (len(measures) + 1)}",
        ]
        for side in dict.fromkeys(row["side"] for row in rows):
            own = {row["measure"]: row for row in rows if row["side"] == side}
            cells = [f"{own[name]['p50_ms']} ({own[name]['ratio']} x)" for name in measures]
            lines.append(f"| {side} | {' | '.join(cells)} | {memory[side]} |")
    return "\n".join(lines).strip()
