"""Runs a graph from the first message to the last (spec: nodes A1.11, A2, A3, A8)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from greenrun.document.values import ABSENT
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
from greenrun.workflows.engine.outlet import Outlet, Wire
from greenrun.workflows.engine.plan import NodePlan, Plan, plan_run
from greenrun.workflows.engine.pulse import Pulse
from greenrun.workflows.engine.result import NodeReport, RunResult
from greenrun.workflows.engine.services import NoServices, Services
from greenrun.workflows.engine.stream import StreamActor
from greenrun.workflows.graph import Graph
from greenrun.workflows.messages import INVALID, TIMED_OUT, Emit, Message, stamped
from greenrun.workflows.registry import Registry
from greenrun.workflows.type_meta import type_text
from greenrun.workflows.validation import run_issues

GRACE: Final = 1.0
"""Seconds that cancelled nodes get to clean up; whatever they still do then is cut off from the run."""


class InputFailed(Exception):
    """Raised when a bindable input refuses its value; the whole run fails with it (spec: nodes A2.13)."""


async def run_graph(
    graph: Graph,
    *,
    registry: Registry,
    params: Mapping[str, Any],
    job_id: str,
    emit: Emit,
    workflow_id: str | None = None,
    timeout_ms: float | None = None,
    services: Services | None = None,
    escalate: Escalate | None = None,
) -> RunResult:
    """Run a graph to its end; every message goes through `emit`, stamped with the job id, while it runs.

    `params` are keyed by input name. `timeout_ms` limits the whole run. A run that fails returns a result that says so.

    Raises:
        asyncio.CancelledError: The awaiting task was cancelled; every node has stopped and job_update cancelled is out.
    """
    send = _Gate(stamped(emit, job_id, workflow_id))
    start = time.perf_counter()
    send(messages.job_update("running"))
    if issues := run_issues(graph, registry):
        error = "; ".join(dict.fromkeys(issue["message"] for issue in issues))
        result = RunResult("failed", error, error_code=INVALID, validation_issues=tuple(issues))
        return _end(result, send, start)
    run = Run(plan_run(graph, registry), send, job_id, workflow_id, services or NoServices(), escalate)
    failure: RunResult | None = None
    try:
        async with asyncio.timeout(timeout_ms / 1000 if timeout_ms is not None and timeout_ms > 0 else None):
            await run.drive(params)
    except TimeoutError:
        failure = RunResult(
            "failed",
            f"the run took longer than its limit of {timeout_ms:g} ms",
            error_code=TIMED_OUT,
            timed_out_ms=timeout_ms,
        )
    except asyncio.CancelledError:
        _end(run.result("cancelled"), send, start)
        raise
    except InputFailed as error:
        failure = RunResult("failed", str(error))
    if failure is not None:
        return _end(run.result("failed", failure), send, start)
    return _end(run.result("completed"), send, start)


def _end(result: RunResult, send: _Gate, start: float) -> RunResult:
    """Send the last message; nothing follows it."""
    duration = time.perf_counter() - start
    send(
        messages.job_update(
            result.status,
            result=result.outputs if result.ok else None,
            error=result.error,
            error_code=result.error_code,
            duration=round(duration, 6),
            timed_out_ms=result.timed_out_ms,
            validation_issues=result.validation_issues or None,
        )
    )
    send.shut()
    return replace(result, duration_ms=duration * 1000)


class _Gate:
    """An `emit` that can be shut: a node that outlives its run changes nothing any more."""

    def __init__(self, emit: Emit) -> None:
        self._emit: Emit | None = emit

    def __call__(self, message: Message) -> None:
        if self._emit is not None:
            self._emit(message)

    def shut(self) -> None:
        self._emit = None


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
                await self._dispatch(node, params)
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

    def undeclared_outlet(self, node: NodePlan, handle: str) -> Outlet:
        """An outlet for a handle that a node with dynamic outputs names only when it fires."""
        update = None if node.silent else (node.id, node.node.title, handle, "any")
        return Outlet(handle, self.emit, (), depth=node.depth, repeating=True, update=update, kept=self._kept(node))

    def result(self, status: messages.JobStatus, failure: RunResult | None = None) -> RunResult:
        """How the run ended: cancelled before failed before completed (spec: nodes A3.23)."""
        reports = tuple(self._reports.values())
        errors = [f'node "{report.node_id}": {report.error}' for report in reports if report.error is not None]
        costs = [report.cost for report in reports if report.cost is not None]
        if self._knot is not None:
            errors.append(self._knot)
        if failure is not None:
            errors.insert(0, str(failure.error))
        cancelled = status == "cancelled"
        return RunResult(
            "cancelled" if cancelled else "failed" if errors else "completed",
            "; ".join(errors) or None,
            outputs={name: values for name, values in self._outputs.items() if values},
            nodes=reports,
            cost=sum(costs) if costs else None,
            error_code=failure.error_code if failure is not None else None,
            timed_out_ms=failure.timed_out_ms if failure is not None else None,
            interventions=tuple(self._interventions),
        )

    async def _dispatch(self, node: NodePlan, params: Mapping[str, Any]) -> None:
        """Evaluate a bindable input once, put what it gives on its edges, and close them (spec: nodes A2.13)."""
        runnable = node.node
        report = self._reports[node.id]
        outlets = self._outlets[node.id]
        value = params.get(runnable.name, ABSENT)
        if value is ABSENT:
            value = runnable.stored_value()
        if value is not ABSENT:
            report.status = "running"
            self.emit(messages.node_update(node.id, report.node_name, report.node_type, "running"))
            start = time.perf_counter()
            actor = BufferedActor(self, node, Inbox(self.pulse), outlets, report)
            try:
                model = runnable.create({"value": value})
                if runnable.node_type.generates:
                    records = [record async for record in model.gen_process(actor.context)]
                else:
                    records = [runnable.node_type.record(await model.process(actor.context))]
            except Exception as error:
                report.status, report.error = "error", error_text(error)
                self.emit(
                    messages.node_update(node.id, report.node_name, report.node_type, "error", error=report.error)
                )
                raise InputFailed(
                    f'input "{runnable.name}" ({runnable.type}, node "{node.id}") refused its value: {report.error}'
                ) from error
            if not any(records):
                records = [dict.fromkeys(outlets, value)]
            for record in records:
                for handle, produced in record.items():
                    if outlet := outlets.get(handle):
                        report.outputs.setdefault(handle, []).append(produced)
                        await outlet.send((), produced, bounded=False)
            report.status = "completed"
            report.firings = 1
            report.duration_ms = (time.perf_counter() - start) * 1000
            self.emit(messages.node_update(node.id, report.node_name, report.node_type, "completed"))
        for outlet in outlets.values():
            outlet.close()

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
            if slot := self._slots.get(edge.index):
                wires.setdefault(edge.source_handle, []).append(Wire(edge.id, slot))
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
