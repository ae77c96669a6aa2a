from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from greenrun.workflows.media.work import Stopped, Work, in_thread

BOUND = 10.0
"""Seconds after which a wait has failed."""


class Watcher:
    """The part of a context that is told how far work is."""

    def __init__(self) -> None:
        self.told: list[tuple[float, float]] = []
        self.heard = asyncio.Event()

    def progress(self, done: float, total: float = 1) -> None:
        self.told.append((done, total))
        self.heard.set()


def watcher() -> Any:
    return Watcher()


async def test_work_is_done_in_another_thread() -> None:
    assert await in_thread(watcher(), lambda work: threading.current_thread()) is not threading.current_thread()


async def test_what_goes_wrong_in_the_thread_goes_wrong_here() -> None:
    with pytest.raises(ZeroDivisionError):
        await in_thread(watcher(), lambda work: 1 / 0)


async def test_progress_is_told_while_the_work_goes_on() -> None:
    context = watcher()
    go_on = threading.Event()

    def steps(work: Work) -> None:
        work.report(1, 4)
        go_on.wait(BOUND)

    waiting = asyncio.create_task(in_thread(context, steps))
    await asyncio.wait_for(context.heard.wait(), BOUND)
    go_on.set()
    await waiting
    assert context.told == [(1, 4)]


async def test_progress_is_told_seldom_and_never_beyond_the_whole() -> None:
    context = watcher()

    def steps(work: Work) -> None:
        for _ in range(1_000):
            work.report(9, 4)
        work.report(1, 0)

    await in_thread(context, steps)
    await asyncio.sleep(0)
    assert len(context.told) <= 2
    assert set(context.told) <= {(4, 4)}


async def test_work_that_nobody_waits_for_stops() -> None:
    started, stopped = threading.Event(), threading.Event()

    def steps(work: Work) -> None:
        started.set()
        until = time.monotonic() + BOUND
        try:
            while time.monotonic() < until:
                work.report(1, 2)
        except Stopped:
            stopped.set()

    task = asyncio.create_task(in_thread(watcher(), steps))
    assert await asyncio.to_thread(started.wait, BOUND)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(stopped.wait, BOUND)


async def test_nothing_is_told_after_the_end() -> None:
    context = watcher()
    works: list[Work] = []

    def steps(work: Work) -> None:
        works.append(work)

    await in_thread(context, steps)
    with pytest.raises(Stopped):
        works[0].report(1, 2)
    assert context.told == []


def test_work_without_a_listener_needs_no_loop() -> None:
    Work().report(1, 2)


def test_a_loop_that_is_gone_is_not_told() -> None:
    async def made() -> Work:
        return Work(lambda done, total: None)

    asyncio.run(made()).report(1, 2)
