"""The actors of one run, from the first to the last that ends (spec: nodes A3.16)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from greenrun.workflows.engine.plan import NodePlan
from greenrun.workflows.engine.pulse import Pulse

if TYPE_CHECKING:
    from greenrun.workflows.engine.actor import Actor

GRACE: Final = 0.4
"""Seconds that cancelled nodes get to clean up; whatever they still do then is cut off from the run."""


class Stage:
    """`make` gives the actor of a node, `ended` hears of each node whose actor has ended."""

    def __init__(self, pulse: Pulse, make: Callable[[NodePlan], Actor], ended: Callable[[NodePlan], None]) -> None:
        self._pulse = pulse
        self._make = make
        self._ended = ended
        self._finished: asyncio.Future[None] = pulse.loop.create_future()
        self._fault: BaseException | None = None

    async def play(self, nodes: Iterable[NodePlan]) -> None:
        """Until all have ended.

        Raises:
            Exception: What an actor raised: a fault of the engine.
        """
        # All begin in one turn of the loop: a node that stands behind its source then finds what that one sent, and need not wait.
        for node in nodes:
            actor = self._make(node)
            task = actor.task = self._pulse.loop.create_task(actor.live(), name=node.id)
            self._pulse.actors.add(task)
            task.add_done_callback(lambda task, node=node: self._end(node, task))
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

    def _end(self, node: NodePlan, task: asyncio.Task[None]) -> None:
        if self._fault is None and not task.cancelled():
            self._fault = task.exception()
        self._ended(node)
        pulse = self._pulse
        pulse.ended(task)
        if not pulse.actors and not self._finished.done():
            self._finished.set_result(None)
