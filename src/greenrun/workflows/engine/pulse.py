"""Notices when every actor of a run waits for another one, so that nothing more can happen by itself.

That is so when a bounded inbox is full behind a consumer that first needs something from further back, when the body of a
loop stops feeding back, or when a channel's reader holds up its writer. The run then gives way instead of hanging.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Wait:
    """One place where tasks wait for something that another actor does."""

    __slots__ = ("_futures", "pulse")

    def __init__(self, pulse: Pulse) -> None:
        self.pulse = pulse
        self._futures: list[tuple[asyncio.Future[None], bool]] = []

    def wake(self) -> None:
        """Let everyone go on."""
        if not self._futures:
            return
        for future, counted in self._futures:
            if not future.done():
                future.set_result(None)
                self.pulse.blocked -= counted
        self._futures.clear()

    async def wait(self) -> None:
        """Until the next `wake`."""
        pulse = self.pulse
        future: asyncio.Future[None] = pulse.loop.create_future()
        # Only an actor's own task counts as blocked: a task that a node started beside it may wait while the node works.
        counted = asyncio.current_task() in pulse.actors
        self._futures.append((future, counted))
        if counted:
            pulse.block()
        try:
            await future
        except asyncio.CancelledError:
            if future.cancelled():
                pulse.blocked -= counted
            raise

    @property
    def waiting(self) -> bool:
        """True while someone waits here."""
        return any(not future.done() for future, _ in self._futures)


class Pulse:
    """Counts the actors of one run that are blocked; when all are, `give_way` frees one of them."""

    __slots__ = ("actors", "blocked", "give_way", "loop")

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.actors: set[asyncio.Task[None] | None] = set()
        self.blocked = 0
        self.give_way: Callable[[], None] = lambda: None

    def block(self) -> None:
        """An actor is about to wait."""
        self.blocked += 1
        self._check()

    def ended(self, task: asyncio.Task[None]) -> None:
        """An actor ended."""
        self.actors.discard(task)
        self._check()

    def _check(self) -> None:
        if self.actors and self.blocked >= len(self.actors):
            self.give_way()
