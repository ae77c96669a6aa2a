"""An open app by its size: how long it takes to open, from an event to its patch, and what it keeps in memory.

A patch counts as JSON text, as it would be sent. Every input of an operation is one value, shown by a third of all inputs, so a
change touches many widgets.
"""

from __future__ import annotations

import asyncio
import gc
import json
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.apps import bundle
from bench.check import local_host
from bench.timing import growth, milliseconds, p50, p95
from greenrun.instances.gestures import change, click
from greenrun.instances.instance import AppInstance
from greenrun.instances.patches import Patch, PatchStream
from greenrun.oracle.resolve import resolve
from greenrun.oracle.simulate import HostRunner
from greenrun.oracle.target import target_from_document

SIZES = (15, 100, 400, 1600)
REPEATS = {15: 100, 100: 60, 400: 40, 1600: 15}
RUNS_KEPT = 50
"""Runs of one session after which memory is looked at again."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An instance with the stream of its patches, and what it sent at first."""

    instance: AppInstance
    stream: PatchStream
    first: Patch


def measure(sizes: Sequence[int] = SIZES, repeats: dict[int, int] | None = None) -> dict[str, Any]:
    """`rows` of ``{components, open_ms, change_ms, change_p95_ms, click_ms, run_ms, widgets, kilobytes, run_kilobytes}``.

    `open_ms`: an app that is loaded, to its first patch. `change_ms`: typed text to its patch. `click_ms`: a click that starts a
    run, to the patch that shows it running; `run_ms`: to the patch with the result. `widgets` are those in the patch of a change.
    `kilobytes`: what one open app holds; `run_kilobytes`: what each run adds to that.
    """
    with asyncio.Runner() as runner:
        rows = [_row(size, (repeats or REPEATS)[size], runner) for size in sizes]
    names = ("open_ms", "change_ms", "click_ms", "run_ms", "kilobytes")
    exponents = {name: growth(sizes, [row[name] for row in rows]) for name in names} if len(sizes) > 1 else {}
    return {"rows": rows, "growth": exponents}


def _row(size: int, repeats: int, runner: asyncio.Runner) -> dict[str, Any]:
    value = bundle(size)
    host = local_host(value)
    target = target_from_document(value)

    async def open_app() -> Opened:
        again = await resolve(target, host)
        assert again.app is not None
        instance = AppInstance(again.app, HostRunner(host, again.target))
        stream = PatchStream(instance)
        return Opened(instance, stream, stream.take())

    async def close(opened: Opened) -> None:
        opened.stream.close()
        await opened.instance.aclose()

    async def open_and_close() -> None:
        opened = await open_app()
        _sent(opened.first)
        await close(opened)

    try:
        opening = milliseconds(lambda: runner.run(open_and_close()), repeats)
        opened = runner.run(open_app())
        changing, widgets = _changes(opened, repeats)
        clicking, running = runner.run(_runs(opened, repeats))
        runner.run(close(opened))
        kept, added = _memory(lambda: runner.run(open_app()), lambda app: runner.run(_run_often(app)))
    finally:
        runner.run(host.aclose())
    return {
        "components": size,
        "open_ms": p50(opening),
        "change_ms": p50(changing),
        "change_p95_ms": p95(changing),
        "click_ms": p50(clicking),
        "run_ms": p50(running),
        "widgets": widgets,
        "kilobytes": kept,
        "run_kilobytes": added,
    }


def _sent(patch: Patch) -> str:
    return json.dumps(patch.to_json(), ensure_ascii=False)


def _changes(opened: Opened, repeats: int) -> tuple[list[float], int]:
    """The times from a change to its patch, and how many widgets such a patch holds."""
    typed = iter(range(1_000_000))
    sizes: list[int] = []

    def once() -> None:
        reaction = change(opened.instance, "TextInput-0", f"text {next(typed)}")
        assert reaction.error is None
        patch = opened.stream.take()
        sizes.append(len(patch.widgets))
        assert len(_sent(patch)) > 20

    return milliseconds(once, repeats), max(sizes)


async def _runs(opened: Opened, repeats: int) -> tuple[list[float], list[float]]:
    """The times from a click to the patch that shows its run, and to the one that shows its result."""
    loop = asyncio.get_running_loop()
    clicks: list[float] = []
    runs: list[float] = []
    for _ in range(repeats + 3):
        gc.collect()
        start = loop.time()
        reaction = click(opened.instance, "Button-0")
        _sent(opened.stream.take())
        clicks.append((loop.time() - start) * 1000)
        await opened.instance.runs.settle(reaction.runs)
        _sent(opened.stream.take())
        runs.append((loop.time() - start) * 1000)
        assert opened.instance.view("Markdown-0").value
    return sorted(clicks[3:]), sorted(runs[3:])


async def _run_often(opened: Opened) -> None:
    for _ in range(RUNS_KEPT):
        await opened.instance.runs.settle(click(opened.instance, "Button-0").runs)
        opened.stream.take()


def _memory(open_app: Callable[[], Opened], run_often: Callable[[Opened], None]) -> tuple[float, float]:
    """The kilobytes that an open app holds, and those that a run adds."""
    open_app()  # what is made once for all apps is there now
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        opened = open_app()
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
        run_often(opened)
        gc.collect()
        used = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    return round((after - before) / 1024, 1), round((used - after) / 1024 / RUNS_KEPT, 2)


def show(result: dict[str, Any]) -> str:
    """A Markdown table."""
    columns = {
        "components": "components",
        "open_ms": "open, ms",
        "change_ms": "change to patch, ms",
        "change_p95_ms": "p95",
        "click_ms": "click to patch, ms",
        "run_ms": "click to result, ms",
        "widgets": "widgets in a patch",
        "kilobytes": "memory, KB",
        "run_kilobytes": "a run adds, KB",
    }
    lines = [f"| {' | '.join(columns.values())} |", "|" + " ---: |" * len(columns)]
    lines += [f"| {' | '.join(str(row[name]) for name in columns)} |" for row in result["rows"]]
    if result["growth"]:
        told = ", ".join(f"{columns[name].partition(',')[0]} n^{value}" for name, value in result["growth"].items())
        lines += ["", f"Growth between the two largest sizes: {told}."]
    return "\n".join(lines)
