"""Inputs that are fed while a run goes on, such as a microphone (spec: nodes A2.14)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Collection
from typing import Any, Final

from greenrun.workflows.engine.actor import Actor
from greenrun.workflows.engine.inbox import CAPACITY
from greenrun.workflows.engine.outlet import Outlet
from greenrun.workflows.node import NodeError

HANDLE: Final = "output"


class InputFeed:
    """The live inputs of one run, by name. Values that are pushed before the run begins wait for it."""

    def __init__(self) -> None:
        self._lines: dict[str, Line] = {}
        self._known: frozenset[str] | None = None
        self._over = False

    async def push(self, name: str, value: Any, handle: str = HANDLE) -> None:
        """Send a value into an input; waits while the run is behind.

        Raises:
            NodeError: The run has no such live input, it was finished, or the run has ended.
        """
        line = self.line(name)
        while True:
            self._check(name)
            if line.finished:
                raise NodeError(f'the input "{name}" was finished, so it takes no more values')
            if len(line.waiting) < CAPACITY:
                break
            line.room.clear()
            await line.room.wait()
        line.put(handle, value)

    def finish(self, name: str, handle: str | None = None) -> None:
        """Nothing more comes on that handle of an input, or on any; finishing twice is fine."""
        line = self.line(name)
        if handle is None:
            line.finished = True
        line.put(handle, None, ends=True)

    def bind(self, names: Collection[str]) -> None:
        """The run begins, and these are its live inputs."""
        self._known = frozenset(names)
        self._release()

    def close(self) -> None:
        """The run has ended: whoever still waits hears of it."""
        self._over = True
        self._release()

    def line(self, name: str) -> Line:
        return self._lines.setdefault(name, Line())

    def _release(self) -> None:
        for line in self._lines.values():
            line.room.set()

    def _check(self, name: str) -> None:
        if self._over:
            raise NodeError(f'the run has ended, so its input "{name}" takes no more values')
        if self._known is not None and name not in self._known:
            known = ", ".join(sorted(self._known)) or "none"
            raise NodeError(f'the run has no live input "{name}"; it has: {known}')


class Line:
    """What waits for one input: handle, value, and whether it is the end of the handle (None: of all)."""

    def __init__(self) -> None:
        self.waiting: deque[tuple[str | None, Any, bool]] = deque()
        self.arrived = asyncio.Event()
        self.room = asyncio.Event()
        self.finished = False

    def put(self, handle: str | None, value: Any, *, ends: bool = False) -> None:
        self.waiting.append((handle, value, ends))
        self.arrived.set()

    async def next(self) -> tuple[str | None, Any, bool]:
        while not self.waiting:
            self.arrived.clear()
            await self.arrived.wait()
        self.room.set()
        return self.waiting.popleft()


class FeedActor(Actor):
    """Stays open until its input is finished, and sends what is pushed as it is."""

    async def work(self) -> None:
        assert self.run.feed is not None
        line = self.run.feed.line(self.node.name)
        while any(not outlet.closed for outlet in self.outlets.values()):
            handle, value, ends = await line.next()
            if ends and handle is None:
                return
            outlet = self._named(handle)
            if ends:
                outlet.close()
                continue
            self.begin()
            self.report.firings = 1
            await self.send(outlet, (), value)

    def _named(self, handle: str | None) -> Outlet:
        """The outlet of that name; the only one for the usual name, whatever it is called."""
        if handle == HANDLE and handle not in self.outlets and len(self.outlets) == 1:
            return next(iter(self.outlets.values()))
        return self.outlet(handle or HANDLE)
