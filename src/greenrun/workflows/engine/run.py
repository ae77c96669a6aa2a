"""One run of a plan: its actors, what they share, and how it ends (spec: nodes A3)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from greenrun.workflows import messages
from greenrun.workflows.engine.actor import Actor, BufferedActor, error_text
from greenrun.workflows.engine.allowance import denial_code
from greenrun.workflows.engine.channels import Channels
from greenrun.workflows.engine.control import ControlledActor, Controls
from greenrun.workflows.engine.escalation import DEFAULT, Answer, Failure, allowed_actions
from greenrun.workflows.engine.feed import FeedActor, InputFeed
from greenrun.workflows.engine.frame import Frame
from greenrun.workflows.engine.inbox import Inbox, Slot
from greenrun.workflows.engine.inputs import dispatch
from greenrun.workflows.engine.outlet import Outlet, Wire
from greenrun.workflows.engine.plan import CONTROL_HANDLE, NodePlan, Plan
from greenrun.workflows.engine.pulse import Pulse
from greenrun.workflows.engine.result import OUTPUTS_KEPT, Kept, NodeReport, RunResult, RunStatus
from greenrun.workflows.engine.stage import Stage
from greenrun.workflows.engine.stream import StreamActor
from greenrun.workflows.node import NodeError
from greenrun.workflows.type_meta import type_text


class Run:
    """One run of a plan: what its actors share. `feed` brings the values of live inputs, for a run that has such."""

    def __init__(self, plan: Plan, frame: Frame, feed: InputFeed | None = None) -> None:
        self.plan = plan
        self.frame = frame
        self.feed = feed
        self.emit = frame.emit
        self.allowance = frame.allowance
        self.job_id = frame.job_id
        self.workflow_id = frame.workflow_id
        self.stopping = False
        self.pulse = Pulse()
        self.pulse.give_way = self._give_way
        self.channels = Channels(self.pulse)
        self._knot: str | None = None
        self._denial: NodeError | None = None
        self._outputs: dict[str, Kept] = {}
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
            if node.dispatched and not self._is_fed(node):
                await dispatch(self, node, params, self._outlets[node.id], self._reports[node.id])
        nodes = [node for node in self.plan.nodes if not node.dispatched or self._is_fed(node)]
        if not nodes:
            return
        if self.feed is not None:
            self.feed.bind({node.node.name for node in nodes if node.live})
        stage = Stage(self.pulse, self._actor, self._actor_ended)
        try:
            await stage.play(nodes)
        except asyncio.CancelledError:
            self.stopping = True
            await stage.stop()
            raise
        self._warn_overspent()
        for name, kept in self._outputs.items():
            if kept.cut:
                text = (
                    f'output "{name}" has more than {OUTPUTS_KEPT} values; the result holds the first ones and the last'
                )
                report = self._reports[kept.node_id]
                self.emit(messages.log_update(report.node_id, report.node_name, text, "warning"))

    async def answer(self, actor: Actor, error: Exception, attempt: int, *, sent: bool) -> Answer:
        """What to do about a failed firing: as the host says, within bounds; by default the node has failed."""
        decisions, node = self.frame.decisions, actor.node
        answered = denial_code(error) is not None or (isinstance(error, NodeError) and error.answered)
        if self.stopping or answered:
            return DEFAULT
        node_id = f"{self.frame.path}{node.id}"
        retry_safe = node.node_type.retry_safe and await actor.context.may_repeat()
        failure = Failure(
            node_id=node_id,
            node_type=node.type,
            detail=error_text(error),
            attempt=attempt,
            retry_safe=retry_safe,
            declared_outputs={
                handle: type_text(node.output_type(handle))
                for handle in (*node.node_type.output_table, *node.declared_outputs)
            },
            allowed_actions=allowed_actions(
                retry_safe=retry_safe, may_retry=decisions.may_retry(node_id), streaming=sent
            ),
        )
        return await decisions.answer(failure)

    def _warn_overspent(self) -> None:
        """The result is there and paid for, so a last call that was dearer than expected does not fail the run; it is told."""
        allowance = self.allowance
        if self.frame.outer is not None or not allowance.overspent or allowance.denied is not None:
            return
        dearest = max(self._reports.values(), key=lambda report: report.cost or 0.0)
        text = (
            f"the run has spent {allowance.spent:.6g} US dollars, more than the {allowance.cost_cap:.6g} that it may spend: what "
            "a call costs is known only afterwards"
        )
        self.emit(messages.log_update(dearest.node_id, dearest.node_name, text, "warning"))

    def deny(self, error: NodeError) -> None:
        """A node failed because the run may not do, or spend, what it asked for."""
        self._denial = self._denial or self.allowance.deny(error)

    def controls(self, actor: Actor) -> Controls:
        """The control edges that leave a node."""
        return Controls(self, actor)

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
            if (not node.dispatched or self._is_fed(node)) and (error := self._reports[node.id].error) is not None
        ]
        if self._knot is not None:
            errors.append(self._knot)
        if failure is not None:
            errors.insert(0, str(failure.error))
        denial = self._denial or (self.allowance.denied if self.frame.outer is None else None)
        if denial is not None and not any(denial.message in error for error in errors):
            # The node went on without what it was denied; its run is not what was asked for all the same.
            errors.append(denial.message)
        code = failure.error_code if failure is not None else None
        if code is None and status != "cancelled":
            code = denial_code(denial)
        costs = [report.cost for report in reports if report.cost is not None]
        return RunResult(
            "failed" if errors and status != "cancelled" else status,
            "; ".join(errors) or None,
            outputs={name: kept.values for name, kept in self._outputs.items() if kept.values},
            nodes=tuple(reports),
            cost=sum(costs) if costs else None,
            error_code=code,
            timed_out_ms=failure.timed_out_ms if failure is not None else None,
            interventions=tuple(
                item for item in self.frame.decisions.interventions if item["node_id"].startswith(self.frame.path)
            ),
            output_names=self.plan.output_names,
            cut=tuple(name for name, kept in self._outputs.items() if kept.cut),
        )

    def _actor_ended(self, node: NodePlan) -> None:
        if node.channel is not None:
            self.channels.remove_writer(node.channel)

    def _is_fed(self, node: NodePlan) -> bool:
        return node.live and self.feed is not None

    def _actor(self, node: NodePlan) -> Actor:
        if node.live:
            self._inboxes[node.id] = Inbox(self.pulse)
        kind = (
            FeedActor
            if node.live
            else ControlledActor
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
            wires.setdefault(edge.source_handle, []).append(Wire(edge.id, edge.target, self._slots[edge.index]))
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

    def _kept(self, node: NodePlan) -> Kept | None:
        return self._outputs.setdefault(node.node.name, Kept(node.id)) if node.is_sink else None

    def _give_way(self) -> None:
        """Everyone waits for someone else: free somebody (see `greenrun.workflows.engine.pulse`)."""
        full = [slot for slot in self._slots.values() if slot.room.waiting]
        if full:
            min(full, key=lambda slot: slot.capacity).widen()
            return
        if self._refuse_calls():
            return
        # A loop that has ended listens no more, so that closing its way back frees nobody.
        loops = [s for s in self._slots.values() if s.feedback and not s.closed and not s.inbox.abandoned]
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

    def _refuse_calls(self) -> bool:
        """Refuse firings whose node still waits for an input; False when that frees nobody."""
        stuck = [
            call for call, (_, inbox) in self.pulse.calls.items() if inbox.arrival.waiting and not call.answer.done()
        ]
        for call in stuck:
            inbox = self.pulse.calls[call][1]
            node_id = next(node_id for node_id, other in self._inboxes.items() if other is inbox)
            missing = next((s.handle for s in inbox.slots if s.handle != CONTROL_HANDLE and not s.filled), None)
            call.refuse(
                f'node "{node_id}" waits for its input "{missing}", which does not come before this call ends'
                if missing is not None
                else f'node "{node_id}" does not get on'
            )
        return bool(stuck)
