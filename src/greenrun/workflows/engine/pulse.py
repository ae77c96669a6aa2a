"""Notices when every actor of a run waits for another one, so that nothing more can happen by itself.

That is so when a bounded inbox is full behind a consumer that first needs something from further back, when the body of a
loop stops feeding back, when a channel's reader holds up its writer, or when a controlled node waits for what its controller
sends only after it has fired. The run then gives way instead of hanging.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from greenrun.workflows.engine.control import Call
    from greenrun.workflows.engine.inbox import Inbox


class Wait:
    """One place where tasks wait for something that another actor does."""

    __slots__ = ("_futures", "pulse")

    def __init__(self, pulse: Pulse) -> None:
        self.pulse = pulse
        self._futures: list[tuple[asyncio.Future[None], asyncio.Task[Any] | None]] | None = None

    def wake(self) -> None:
        """Let everyone go on."""
        if self._futures is None:
            return
        blocked = self.pulse.blocked
        for future, task in self._futures:
            if not future.done():
                future.set_result(None)
                blocked.discard(task)
        self._futures = None

    async def wait(self) -> None:
        """Until the next `wake`."""
        pulse = self.pulse
        future: asyncio.Future[None] = pulse.loop.create_future()
        task = asyncio.current_task()
        if self._futures is None:
            self._futures = [(future, task)]
        else:
            self._futures.append((future, task))
        # Only an actor's own task counts as blocked: a task that a node started beside it may wait while the node works.
        if task in pulse.actors:
            pulse.blocked.add(task)
            pulse.check()
        try:
            await future
        except asyncio.CancelledError:
            if future.cancelled():
                pulse.blocked.discard(task)
            raise

    @property
    def waiting(self) -> bool:
        """True while someone waits here."""
        return self._futures is not None and any(not future.done() for future, _ in self._futures)


class Pulse:
    """Knows which actors of one run are blocked; when all are, `give_way` frees one of them.

    `calls` are the firings that a controller waits for, each with the task of the controller's actor and the inbox of the node
    that is to fire: an actor whose node waits for one counts as blocked, whichever of its tasks waits.
    """

    __slots__ = ("actors", "blocked", "calls", "give_way", "loop")

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.actors: set[asyncio.Task[Any] | None] = set()
        self.blocked: set[asyncio.Task[Any] | None] = set()
        self.calls: dict[Call, tuple[asyncio.Task[Any] | None, Inbox]] = {}
        self.give_way: Callable[[], None] = lambda: None

    def ended(self, task: asyncio.Task[Any]) -> None:
        """An actor ended."""
        self.actors.discard(task)
        self.check()

    def check(self) -> None:
        """Give way if nobody can go on by themselves."""
        stuck = len(self.blocked)
        if self.calls:
            # Who has its answer goes on as soon as it is its turn.
            asking = {task for call, (task, _) in self.calls.items() if not call.answer.done()}
            stuck = len(self.blocked | (asking & self.actors))
        if stuck >= len(self.actors) > 0:
            self.give_way()
