"""The actors of one run: those that live, and those that sleep until something arrives for their node (spec: nodes A3.16)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from greenrun.workflows.engine.inbox import Inbox
from greenrun.workflows.engine.plan import NodePlan
from greenrun.workflows.engine.pulse import Pulse, Wait

if TYPE_CHECKING:
    from greenrun.workflows.engine.actor import Actor

GRACE: Final = 0.4
"""Seconds that cancelled nodes get to clean up; whatever they still do then is cut off from the run."""


class Sleep(Wait):
    """Stands at the inbox of a node that can do nothing before something arrives, and lets its actor begin then."""

    __slots__ = ("_begin",)

    def __init__(self, pulse: Pulse, begin: Callable[[], None]) -> None:
        super().__init__(pulse)
        self._begin = begin

    def wake(self) -> None:
        self._begin()

    @property
    def waiting(self) -> bool:
        return True


class Stage:
    """Lets the actors of a run live until the last one has ended.

    `make` gives the actor of a node, `ended` hears of each node whose actor has ended. An actor that sleeps costs a run nothing:
    no task, and no turn of the loop.
    """

    def __init__(self, pulse: Pulse, make: Callable[[NodePlan], Actor], ended: Callable[[NodePlan], None]) -> None:
        self._pulse = pulse
        self._make = make
        self._ended = ended
        self._finished: asyncio.Future[None] = pulse.loop.create_future()
        self._fault: BaseException | None = None

    async def play(self, nodes: Iterable[tuple[NodePlan, Inbox | None]]) -> None:
        """Until all have ended. Nodes come with their inbox where they have one that is empty and that they wait for.

        Raises:
            Exception: What an actor raised: a fault of the engine.
        """
        pulse = self._pulse
        for node, inbox in nodes:
            if inbox is None:
                self._begin(node)
            else:
                pulse.asleep += 1
                inbox.arrival = Sleep(pulse, lambda node=node, inbox=inbox: self._wake(node, inbox))
        if not pulse.actors:
            pulse.check()
        await self._finished
        if self._fault is not None:
            # An actor reports failures itself; what it raises must not go unheard.
            raise self._fault

    async def stop(self) -> None:
        """Cancel every actor, and give it a moment to clean up."""
        tasks = [task for task in self._pulse.actors if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=GRACE)

    def _wake(self, node: NodePlan, inbox: Inbox) -> None:
        inbox.arrival = Wait(self._pulse)
        self._pulse.asleep -= 1
        self._begin(node)

    def _begin(self, node: NodePlan) -> None:
        actor = self._make(node)
        task = actor.task = self._pulse.loop.create_task(actor.live(), name=node.id)
        self._pulse.actors.add(task)
        task.add_done_callback(lambda task: self._end(node, task))

    def _end(self, node: NodePlan, task: asyncio.Task[None]) -> None:
        if self._fault is None and not task.cancelled():
            self._fault = task.exception()
        self._ended(node)
        pulse = self._pulse
        pulse.ended(task)
        if not pulse.actors and not pulse.asleep and not self._finished.done():
            self._finished.set_result(None)
