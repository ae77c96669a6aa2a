"""Work that would hold up the event loop, done in a thread that can be told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Final, TypeVar

from greenrun.workflows.node import NodeContext

T = TypeVar("T")

_REPORT_EVERY: Final = 0.1
"""Seconds between two reports of progress."""


class Stopped(Exception):
    """The work is no longer wanted. It never leaves `in_thread`: whoever waited was cancelled."""


class Work:
    """What work in a thread knows of those who wait for it."""

    def __init__(self, progress: Callable[[float, float], None] | None = None) -> None:
        self._progress = progress
        self._loop = asyncio.get_running_loop() if progress is not None else None
        self._stop = threading.Event()
        self._reported = 0.0

    def stop(self) -> None:
        """Ask the work to end at its next `check`."""
        self._stop.set()

    def check(self) -> None:
        """Call it often.

        Raises:
            Stopped: Nobody waits any more.
        """
        if self._stop.is_set():
            raise Stopped

    def report(self, done: float, total: float) -> None:
        """Post how far the work is, not too often; checks as well.

        Raises:
            Stopped: Nobody waits any more.
        """
        self.check()
        now = time.monotonic()
        if self._loop is None or self._progress is None or total <= 0 or now - self._reported < _REPORT_EVERY:
            return
        self._reported = now
        # The loop may be gone already when whoever waited did not.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._tell, min(done, total), total)

    def _tell(self, done: float, total: float) -> None:
        if self._progress is not None and not self._stop.is_set():
            self._progress(done, total)


@lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    # Its own pool, so that a long film keeps nobody else's threads; few, because pictures take much memory.
    return ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 2), thread_name_prefix="greenrun-media")


async def in_thread(context: NodeContext, function: Callable[[Work], T]) -> T:
    """What the function returns, called in a thread; it is told to stop when whoever waits is cancelled."""
    work = Work(context.progress)
    try:
        return await asyncio.get_running_loop().run_in_executor(_pool(), function, work)
    finally:
        work.stop()
