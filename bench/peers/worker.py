"""``python -m bench.peers.worker MODULE CLASS [table]``: one side of the comparison in a process of its own.

Each side keeps its globals, its loop and its threads to itself, and waits while another one is measured. It reads a command a
line and answers with a line of JSON: ``open``, ``click`` and ``close`` are one session; ``test`` is all three.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import json
import sys
import time
from collections.abc import Awaitable
from typing import Any

import psutil

from bench.peers.form import Form
from bench.peers.quotes import ROWS


class Worker:
    """Takes the times of a form and sees that it shows what it should."""

    def __init__(self, form: Form, *, with_table: bool) -> None:
        self._form = form
        self._with_table = with_table
        self._clicks = 0

    async def start(self) -> dict[str, Any]:
        return {"ms": await _timed(self._form.start())}

    async def open(self) -> dict[str, Any]:
        return {"ms": await _timed(self._form.open())}

    async def click(self) -> dict[str, Any]:
        self._clicks += 1
        item, count = f"item {self._clicks}", self._clicks % 90 + 1
        start = time.perf_counter()
        shown = await self._form.click(item, count)
        took = (time.perf_counter() - start) * 1000
        assert shown == f"{count} x {item}", shown
        assert not self._with_table or self._form.rows() == ROWS
        return {"ms": took}

    async def test(self) -> dict[str, Any]:
        """A whole session: open, click, look, leave."""
        opened = await self.open()
        clicked = await self.click()
        return {"ms": opened["ms"] + clicked["ms"] + (await self.close())["ms"]}

    async def close(self) -> dict[str, Any]:
        return {"ms": await _timed(self._form.close())}

    async def memory(self) -> dict[str, Any]:
        return {"megabytes": round(psutil.Process().memory_info().rss / 2**20, 1)}

    async def stop(self) -> dict[str, Any]:
        return {"ms": await _timed(self._form.stop())}


async def _timed(work: Awaitable[None]) -> float:
    start = time.perf_counter()
    await work
    return (time.perf_counter() - start) * 1000


async def serve(worker: Worker) -> None:
    """Answer commands until ``stop``."""
    answers = sys.stdout
    # What a library prints is no answer.
    sys.stdout = sys.stderr
    command = "start"
    while command != "stop":
        command = (await asyncio.to_thread(sys.stdin.readline)).strip() or "stop"
        gc.collect()
        gc.disable()
        answer = await getattr(worker, command)()
        gc.enable()
        print(json.dumps(answer), file=answers, flush=True)


def main(module: str, name: str, *options: str) -> None:
    with_table = "table" in options
    form: Form = getattr(importlib.import_module(module), name)(with_table)
    asyncio.run(serve(Worker(form, with_table=with_table)))


if __name__ == "__main__":
    main(*sys.argv[1:])
