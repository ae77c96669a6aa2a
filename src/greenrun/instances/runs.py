"""The runs of an open app: policy, start, messages, limits, cancel (spec: app-runtime 17.4, harness 3.5)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from greenrun.instances.app import App, AppOperation
from greenrun.instances.errors import RunRefused
from greenrun.instances.runner import Emit, Message, Runner, RunRequest
from greenrun.runtime.events import Event, InvocationActivity, InvocationError, InvocationStatus, RunStarted
from greenrun.runtime.fold import fold, fold_context
from greenrun.runtime.policy import decide_run
from greenrun.runtime.queries import live_invocations
from greenrun.runtime.starts import started_run, waiting_run
from greenrun.runtime.state import InstanceState, Invocation
from greenrun.workflows.messages import DENIALS

Limit = Literal["operation", "ceiling", "deadline"]
CancelledBy = Literal["cancel", "event", "replace", "close"]
"""A host that asked for it, an event of the app itself, policy replace, or the end of the session."""


@dataclass(slots=True)
class RunRecord:
    """One run of one operation. `run_index` counts the runs that really started; None for one that never did."""

    id: str
    operation_id: str
    decision: Literal["start", "replace", "queue"]
    decision_targets: tuple[str, ...]
    params: dict[str, Any]
    node_properties: dict[str, dict[str, Any]] = field(default_factory=lambda: {})
    run_index: int | None = None
    timed_out_ms: float | None = None
    limit: Limit | None = None
    error: str | None = None
    messages: list[Message] = field(default_factory=lambda: [])
    activity: list[str] = field(default_factory=lambda: [])
    result: object = None
    started_at: float = 0.0
    duration_ms: float = 0.0
    cancelled_by: CancelledBy | None = None
    refused: RunRefused | None = None
    open: bool = True
    settled: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    @property
    def denied(self) -> str | None:
        """Why a permission or a spending cap kept the run from going on; None when none did."""
        end = next((message for message in reversed(self.messages) if message.get("type") == "job_update"), {})
        return str(end.get("error")) if end.get("error_code") in DENIALS else None

    def close(self) -> None:
        """The runner has let go: nothing that it says counts any more."""
        self.open = False
        self.settled.set()


class RunHost(Protocol):
    """The part of an open app that its runs need."""

    app: App

    @property
    def state(self) -> InstanceState: ...

    def dispatch(self, event: Event) -> None: ...


@dataclass(frozen=True, slots=True)
class Limits:
    """`ceiling_ms` bounds every run, `deadline` is a loop time after which nothing may go on."""

    ceiling_ms: float | None = None
    deadline: float | None = None


def effective_limit(
    own: float | None, ceiling: float | None, remaining: float | None = None
) -> tuple[float, Limit] | None:
    """The milliseconds after which a run is stopped, and whose limit that is; None for no limit (spec: harness 3.5.5).

    `own` and `ceiling` count when they are positive; `remaining` is what the deadline leaves, which may be nothing.
    """
    limits: list[tuple[float | None, Limit]] = [(own, "operation"), (ceiling, "ceiling")]
    options: list[tuple[float, Limit]] = [(value, limit) for value, limit in limits if value is not None and value > 0]
    if remaining is not None:
        options.append((max(0.0, remaining), "deadline"))
    return min(options, key=lambda option: option[0], default=None)


class AppRuns:
    """Starts, cancels and settles the runs of one open app."""

    def __init__(self, host: RunHost, runner: Runner, *, clock: Callable[[], float], limits: Limits) -> None:
        self._host = host
        self._runner = runner
        self._clock = clock
        self.limits = limits
        self.records: list[RunRecord] = []
        self.started: list[RunRecord] = []
        self._by_id: dict[str, RunRecord] = {}
        self._operations = [(item.operation, item.surface) for item in host.app.operations]
        self._context = fold_context(self._operations, self._resolve_invocation)

    def start(self, operation: AppOperation, request: RunRequest) -> RunRecord:
        """Decide by policy and start; the caller has checked that the run may be sent."""
        decision = decide_run(self._host.state, operation.operation)
        record = RunRecord(
            request.job_id, operation.id, decision.kind, decision.ids, request.params, request.node_properties
        )
        self._add(record)
        if decision.kind == "replace":
            for identifier in decision.ids:
                self.cancel_run(identifier, "replace")
        if decision.kind == "queue":
            self._dispatch_start(operation, record, claim=False)
        else:
            self._claim(operation, record)
        record.task = asyncio.get_running_loop().create_task(self._drive(operation, record, request))
        # Not at the end of the task's own code: a task that is cancelled before its first step never runs any.
        record.task.add_done_callback(lambda task: record.close())
        return record

    def refuse(self, operation_id: str, job_id: str, refused: RunRefused) -> RunRecord:
        """Record a run that was never sent as a failed invocation, so that ``exec#error`` shows why."""
        error = refused.message
        record = RunRecord(job_id, operation_id, "start", (), {}, error=error, refused=refused, open=False)
        self._add(record)
        self._host.dispatch(RunStarted(Invocation(job_id, operation_id, "pending", self._clock())))
        self._host.dispatch(InvocationStatus(job_id, "failed", error))
        record.settled.set()
        return record

    def cancel(
        self, operation_id: str, invocation_id: str | None = None, by: CancelledBy = "cancel"
    ) -> tuple[str, ...]:
        """Cancel the live runs of an operation, or one of them; the ids that were live (spec: harness 3.8)."""
        live = [
            item.id
            for item in live_invocations(self._host.state, operation_id)
            if invocation_id is None or item.id == invocation_id
        ]
        for identifier in live:
            self.cancel_run(identifier, by)
        return tuple(live)

    def cancel_run(self, job_id: str, by: CancelledBy) -> None:
        """State first, transport second, so that no late message is folded."""
        record = self._by_id[job_id]
        if record.settled.is_set() or not record.open:
            return
        record.cancelled_by = by
        self._end(record, "cancelled", None)

    async def settle(self, records: list[RunRecord] | None = None) -> None:
        """Wait until the given runs, or all, have settled."""
        for record in list(self.records if records is None else records):
            await record.settled.wait()

    async def close(self) -> None:
        """Cancel what is live and wait until every runner has let go."""
        for record in self.records:
            self.cancel_run(record.id, "close")
        tasks = [record.task for record in self.records if record.task is not None]
        await asyncio.gather(*tasks, return_exceptions=True)

    def get(self, job_id: str) -> RunRecord | None:
        return self._by_id.get(job_id)

    def _add(self, record: RunRecord) -> None:
        self.records.append(record)
        self._by_id[record.id] = record

    def _claim(self, operation: AppOperation, record: RunRecord) -> None:
        record.run_index = len(self.started)
        self.started.append(record)
        self._dispatch_start(operation, record, claim=True)

    def _dispatch_start(self, operation: AppOperation, record: RunRecord, *, claim: bool) -> None:
        known = self._host.state.invocations.get(record.id)
        started_at = known.started_at if known is not None else self._clock()
        if claim:
            variables = self._host.app.document.variables
            event = started_run(operation.operation, operation.surface, variables, record.id, started_at)
        else:
            event = waiting_run(operation.operation, record.id, started_at)
        self._host.dispatch(event)

    async def _drive(self, operation: AppOperation, record: RunRecord, request: RunRequest) -> None:
        timer: asyncio.TimerHandle | None = None
        try:
            if record.decision == "queue" and not await self._wait_turn(operation, record):
                return
            timer = self._arm(record, operation)
            record.started_at = asyncio.get_running_loop().time()
            record.result = await self._runner.run(request, self._emitter(record))
            self._finish(record)
        except asyncio.CancelledError:
            if record.open:
                record.cancelled_by = record.cancelled_by or "close"
                self._end(record, "cancelled", None, transport=False)
        except Exception as error:
            self._end(record, "failed", str(error) or type(error).__name__, transport=False)
        finally:
            if timer is not None:
                timer.cancel()
            if record.started_at:
                record.duration_ms = (asyncio.get_running_loop().time() - record.started_at) * 1000
            record.close()

    async def _wait_turn(self, operation: AppOperation, record: RunRecord) -> bool:
        """Wait for the runs ahead, at most until the deadline; False when the run must not start any more."""
        ahead = [self._by_id[identifier].settled for identifier in record.decision_targets if identifier in self._by_id]
        try:
            async with asyncio.timeout_at(self.limits.deadline):
                for settled in ahead:
                    await settled.wait()
        except TimeoutError:
            record.limit = "deadline"
            message = (
                f'Operation "{operation.id}" waited for an earlier run until the deadline passed and was never started.'
            )
            self._end(record, "failed", message, transport=False)
            return False
        self._claim(operation, record)
        return True

    def _arm(self, record: RunRecord, operation: AppOperation) -> asyncio.TimerHandle | None:
        loop = asyncio.get_running_loop()
        deadline = self.limits.deadline
        remaining = (deadline - loop.time()) * 1000 if deadline is not None else None
        found = effective_limit(operation.operation.timeout_ms, self.limits.ceiling_ms, remaining)
        if found is None:
            return None
        milliseconds, limit = found
        return loop.call_later(milliseconds / 1000, self._expire, record, milliseconds, limit)

    def _expire(self, record: RunRecord, milliseconds: float, limit: Limit) -> None:
        if not record.open:
            return
        record.timed_out_ms = milliseconds
        record.limit = limit
        what = {"operation": "its own limit", "ceiling": "the limit for each run", "deadline": "the total deadline"}[
            limit
        ]
        message = (
            f'Operation "{record.operation_id}" did not finish within {milliseconds:.0f} ms ({what}) and was stopped.'
        )
        self._end(record, "failed", message)

    def _emitter(self, record: RunRecord) -> Emit:
        def emit(message: Message) -> None:
            record.messages.append(message)
            if not record.open:
                return
            for event in fold(message, self._context):
                if isinstance(event, InvocationActivity) and record.activity[-1:] != [event.label]:
                    record.activity.append(event.label)
                self._host.dispatch(event)

        return emit

    def _finish(self, record: RunRecord) -> None:
        """Completed unless a terminal status was folded (spec: harness 3.5.7)."""
        invocation = self._host.state.invocations[record.id]
        if invocation.status in ("pending", "running"):
            self._host.dispatch(InvocationStatus(record.id, "completed", None))

    def _end(
        self, record: RunRecord, status: Literal["failed", "cancelled"], error: str | None, *, transport: bool = True
    ) -> None:
        record.open = False
        record.error = error
        if error is not None:
            self._host.dispatch(InvocationError(record.id, error))
        self._host.dispatch(InvocationStatus(record.id, status, error))
        if transport and record.task is not None:
            record.task.cancel()

    def _resolve_invocation(self, job_id: str | None) -> Invocation | None:
        return self._host.state.invocations.get(job_id) if job_id is not None else None
