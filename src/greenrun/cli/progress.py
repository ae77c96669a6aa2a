"""Shows that something goes on, once it takes longer than a second."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from greenrun.cli.console import err, plain

SHOW_AFTER_SECONDS = 1.0
REFRESH_SECONDS = 0.2


class Progress:
    """What is being done now; `note` is handed to whatever reports it."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._step: str | None = None
        self._start = time.monotonic()

    def note(self, step: str) -> None:
        self._step = step

    @property
    def text(self) -> str:
        step = f": {self._step}" if self._step else ""
        return f"{plain(self._what + step)} [dim]{time.monotonic() - self._start:.0f} s[/]"


@asynccontextmanager
async def progress(what: str) -> AsyncIterator[Progress]:
    """A line on stderr while the body runs, from one second on: a spinner on a terminal, else one line per step."""
    state = Progress(what)
    shower = asyncio.create_task(_show(state))
    try:
        yield state
    finally:
        shower.cancel()
        await asyncio.gather(shower, return_exceptions=True)


async def _show(state: Progress) -> None:
    await asyncio.sleep(SHOW_AFTER_SECONDS)
    console = err()
    if console.is_terminal:
        with console.status(state.text) as status:
            while True:
                await asyncio.sleep(REFRESH_SECONDS)
                status.update(state.text)
    said: str | None = None
    while True:
        line = state.text.partition(" [dim]")[0]
        if line != said:
            console.print(f"[dim]{line} …[/]")
            said = line
        await asyncio.sleep(SHOW_AFTER_SECONDS)
