"""One run of a plan: its actors, what they share, and how it ends (spec: nodes A3)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from greenrun.workflows import messages
from greenrun.workflows.engine.actor import Actor, BufferedActor, ControlledActor, error_text
from greenrun.workflows.engine.channels import Channels
from greenrun.workflows.engine.escalation import (
    DEFAULT,
    MAX_DECISIONS,
    Answer,
    Escalate,
    Failure,
    allowed_actions,
)
from greenrun.workflows.engine.inbox import Inbox, Slot
from greenrun.workflows.engine.inputs import dispatch
from greenrun.workflows.engine.outlet import Outlet, Wire
from greenrun.workflows.engine.plan import NodePlan, Plan
from greenrun.workflows.engine.pulse import Pulse
from greenrun.workflows.engine.result import NodeReport, RunResult, RunStatus
from greenrun.workflows.engine.services import Services
from greenrun.workflows.engine.stream import StreamActor
from greenrun.workflows.messages import Emit
from greenrun.workflows.type_meta import type_text

GRACE: Final = 0.4
"""Seconds that cancelled nodes get to clean up; whatever they still do then is cut off from the run."""


class Run:
    """One run of a plan: what its actors share."""

    def __init__(
        self,
        plan: Plan,
        emit: Emit,
        job_id: str,
        workflow_id: str | None,
        services: Services,
        escalate: Escalate | None,
    ) -> None:
        self.plan = plan
        self.emit = emit
        self.job_id = job_id
        self.workflow_id = workflow_id
        self.services = services
        self.stopping = False
        self.pulse = Pulse()
        self.pulse.give_way = self._give_way
        self.channels = Channels(self.pulse)
        self._knot: str | None = None
        self._escalate = escalate
        self._decisions = 0
        self._interventions: list[dict[str, Any]] = []
        self._outputs: dict[str, list[Any]] = {}
        self._reports = {node.id: NodeReport(node.id, node.node.type, node.node.title) for node in plan.nodes}
        self._inboxes: dict[str, Inbox] = {}
        self._slots: dict[int, Slot] = {}
        for node in plan.nodes:
            if not node.dispatched:
                self._inboxes[node.id] = self._inbox(node)
        self._outlets = {node.id: self._make_outlets(node) for node in plan.nodes}

    async def drive(self, params: Mapping[str, Any]) -> None:
        """Evaluate the inputs, then let every actor live until the last one has ended."""
        for node in self.plan.nodes:
            if node.channel is not None:
                self.channels.add_writer(node.channel)
        for node in self.plan.nodes:
            if node.dispatched:
                await dispatch(self, node, params, self._outlets[node.id], self._reports[node.id])
        actors = [self._actor(node) for node in self.plan.nodes if not node.dispatched]
        if not actors:
            return
        pulse = self.pulse
        finished = pulse.loop.create_future()
        tasks: list[asyncio.Task[None]] = []

        def ended(task: asyncio.Task[None], channel: str | None) -> None:
            if channel is not None:
                self.channels.remove_writer(channel)
            pulse.ended(task)
            if not pulse.actors and not finished.done():
                finished.set_result(None)

        for actor in actors:
            task = pulse.loop.create_task(actor.live(), name=actor.plan.id)
            task.add_done_callback(lambda task, channel=actor.plan.channel: ended(task, channel))
            tasks.append(task)
        pulse.actors.update(tasks)
        try:
            await finished
        except asyncio.CancelledError:
            self.stopping = True
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=GRACE)
            raise
        for task in tasks:
            # An actor reports failures itself; what it raises is a fault of the engine, and must not go unheard.
            task.result()

    async def answer(self, actor: Actor, error: Exception, attempt: int, *, sent: bool) -> Answer:
        """What to do about a failed firing: as the host says, within bounds; by default the node has failed."""
        if self._escalate is None or self._decisions >= MAX_DECISIONS:
            return DEFAULT
        self._decisions += 1
        node = actor.node
        failure = Failure(
            node_id=node.id,
            node_type=node.type,
            detail=error_text(error),
            attempt=attempt,
            retry_safe=node.node_type.retry_safe,
            declared_outputs={
                handle: type_text(node.output_type(handle))
                for handle in (*node.node_type.output_table, *node.declared_outputs)
            },
            allowed_actions=allowed_actions(
                retry_safe=node.node_type.retry_safe and not sent, attempt=attempt, streaming=sent
            ),
        )
        answer = await self._escalate(failure)
        if answer.action not in failure.allowed_actions:
            answer = DEFAULT
        message = messages.intervention(
            node.id,
            node.type,
            answer.action,
            attempt=attempt,
            detail=failure.detail,
            decided_by=answer.decided_by,
            reason=answer.reason,
        )
        self._interventions.append(dict(message))
        self.emit(message)
        return answer

    def check_budget(self) -> None:
        """Raises `BudgetExceeded` when the run has spent what it may."""

    def undeclared_outlet(self, node: NodePlan, handle: str) -> Outlet:
        """An outlet for a handle that a node with dynamic outputs names only when it fires."""
        update = None if node.silent else (node.id, node.node.title, handle, "any")
        return Outlet(handle, self.emit, (), depth=node.depth, repeating=True, update=update, kept=self._kept(node))

    def result(self, status: RunStatus, failure: RunResult | None = None) -> RunResult:
        """How the run ended: cancelled before failed before completed (spec: nodes A3.23)."""
        reports = [self._reports[node.id] for node in self.plan.nodes]
        errors = [
            f'node "{node.id}": {error}'
            for node in self.plan.nodes
            if not node.dispatched and (error := self._reports[node.id].error) is not None
        ]
        if self._knot is not None:
            errors.append(self._knot)
        if failure is not None:
            errors.insert(0, str(failure.error))
        costs = [report.cost for report in reports if report.cost is not None]
        return RunResult(
            "failed" if errors and status != "cancelled" else status,
            "; ".join(errors) or None,
            outputs={name: values for name, values in self._outputs.items() if values},
            nodes=tuple(reports),
            cost=sum(costs) if costs else None,
            error_code=failure.error_code if failure is not None else None,
            timed_out_ms=failure.timed_out_ms if failure is not None else None,
            interventions=tuple(self._interventions),
        )

    def _actor(self, node: NodePlan) -> Actor:
        kind = (
            ControlledActor
            if node.controlled
            else StreamActor
            if node.node.node_type.input_mode == "stream"
            else BufferedActor
        )
        return kind(self, node, self._inboxes[node.id], self._outlets[node.id], self._reports[node.id])

    def _inbox(self, node: NodePlan) -> Inbox:
        inbox = Inbox(self.pulse)
        for plan in node.slots:
            slot = Slot(
                inbox,
                plan.handle,
                depth=plan.depth,
                repeating=plan.repeating,
                joins=plan.joins,
                feedback=plan.feedback,
                edges=len(plan.edges),
            )
            for edge in plan.edges:
                self._slots[edge.index] = slot
        return inbox

    def _make_outlets(self, node: NodePlan) -> dict[str, Outlet]:
        wires: dict[str, list[Wire]] = {}
        for edge in self.plan.graph.outgoing[node.id]:
            wires.setdefault(edge.source_handle, []).append(Wire(edge.id, self._slots[edge.index]))
        kept = self._kept(node)
        title = node.node.title
        return {
            handle: Outlet(
                handle,
                self.emit,
                wires.get(handle, ()),
                depth=plan.depth,
                repeating=plan.repeating,
                root=plan.root,
                source=plan.source,
                update=(node.id, title, plan.name, plan.type_name) if plan.tells else None,
                kept=kept,
            )
            for handle, plan in node.outlets.items()
        }

    def _kept(self, node: NodePlan) -> list[Any] | None:
        return self._outputs.setdefault(node.node.name, []) if node.is_sink else None

    def _give_way(self) -> None:
        """Everyone waits for someone else: free somebody (see `greenrun.workflows.engine.pulse`)."""
        full = [slot for slot in self._slots.values() if slot.room.waiting]
        if full:
            min(full, key=lambda slot: slot.capacity).widen()
            return
        loops = [slot for slot in self._slots.values() if slot.feedback and not slot.closed]
        for slot in loops:
            slot.inbox.close(slot)
        if loops or self.channels.close():
            return
        # What is left is a knot that validation lets through, such as nodes that control each other.
        open_slots = [slot for slot in self._slots.values() if not slot.closed]
        waiting = [node_id for node_id, inbox in self._inboxes.items() if inbox.arrival.waiting]
        self._knot = f"nodes {', '.join(waiting)} wait for each other"
        for slot in open_slots:
            slot.inbox.close(slot)
