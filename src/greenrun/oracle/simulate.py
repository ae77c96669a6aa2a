"""Drive an app headlessly with real runs, and grade it (spec: harness 3)."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from greenrun.document.findings import Finding, Reason
from greenrun.document.identity import snapshot
from greenrun.document.model import FunctionTarget, operation_target
from greenrun.instances.app import App
from greenrun.instances.instance import AppInstance
from greenrun.instances.runner import Emit, RunRequest
from greenrun.instances.runs import Limits, RunRecord
from greenrun.oracle import collect
from greenrun.oracle.checked import check_target
from greenrun.oracle.default_script import play_default
from greenrun.oracle.evidence import Evidence
from greenrun.oracle.exercise import exercise_of
from greenrun.oracle.host import Host
from greenrun.oracle.judge_runs import limit_reasons
from greenrun.oracle.options import SimulateOptions
from greenrun.oracle.reach import Reach
from greenrun.oracle.recording import RecordedRun, Recorder
from greenrun.oracle.report import NOT_SIMULATED, NotExercised, Report
from greenrun.oracle.resolve import ResolvedTarget, resolve
from greenrun.oracle.session import Session
from greenrun.oracle.steps import parse_steps
from greenrun.oracle.target import Target
from greenrun.oracle.verdict import judge, make_verdict, missed_default_steps
from greenrun.workflows.graph import Graph
from greenrun.workflows.run import RunSpec
from greenrun.workflows.summary import run_report


async def simulate(
    target: Target, host: Host, options: SimulateOptions | None = None, recorder: Recorder | None = None
) -> Report:
    """Check a target, play a script on it with real runs, and judge what came of it. `recorder` keeps each real run.

    Never raises on content: whatever the app does ends in the report. A fault of the checker itself is a verdict of
    ``check_failed`` with reason GR901.
    """
    options = options or SimulateOptions()
    deadline = None
    if options.deadline_ms is not None and options.deadline_ms > 0:
        deadline = asyncio.get_running_loop().time() + options.deadline_ms / 1000
    try:
        async with asyncio.timeout_at(deadline):
            resolved = await resolve(target, host)
    except TimeoutError:
        reason = Reason("GR906", f"The deadline of {options.deadline_ms:.0f} ms passed before the app was loaded.")
        return _unchecked(target, reason)
    except Exception as error:
        return _unchecked(target, Reason("GR901", f"The checker failed while loading the app: {_text(error)}"))
    try:
        static = check_target(resolved, host.registry)
    except Exception as error:
        return _unchecked(resolved.target, Reason("GR901", f"The checker failed: {_text(error)}"), resolved)
    if resolved.app is None:
        return _report(resolved, static)
    try:
        return await _Simulation(resolved, resolved.app, host, options, deadline, static, recorder).play()
    except Exception as error:
        return _unchecked(resolved.target, Reason("GR901", f"The simulator failed: {_text(error)}"), resolved)


@dataclass(slots=True)
class _Simulation:
    resolved: ResolvedTarget
    app: App
    host: Host
    options: SimulateOptions
    deadline: float | None
    static: list[Finding]
    recorder: Recorder | None

    async def play(self) -> Report:
        numbers = itertools.count(1)
        instance = AppInstance(
            self.app,
            HostRunner(self.host, self.resolved.target) if self.options.run else None,
            job_ids=lambda: f"{self.options.job_prefix}-{next(numbers)}",
            restored=self.options.restored,
            limits=Limits(self.options.timeout_ms, self.deadline),
        )
        try:
            return await self._drive(instance)
        finally:
            await instance.aclose()

    async def _drive(self, instance: AppInstance) -> Report:
        session = Session(instance, runs_on=self.options.run, on_step=self.options.on_progress)
        reach = Reach(self.app)
        session.seed({**self.resolved.target.file_params, **self.options.params})
        missed: dict[str, NotExercised] = {}
        if self.options.interact is None:
            missed = await play_default(session, reach)
        else:
            await session.play(parse_steps(self.options.interact))
        await instance.settle()
        run_reports = [self._run_report(instance, record) for record in instance.runs.started]
        evidence = Evidence(self.app, self.options, session, reach, exercise_of(session, reach, missed), run_reports)
        static = [*self.static, *session.param_findings]
        report = _report(self.resolved, static, evidence)
        if self.recorder is None:
            return report
        ids = [await self.recorder.record(self._recorded(instance, record)) for record in instance.runs.started]
        return replace(report, run_ids=tuple(ids))

    def _recorded(self, instance: AppInstance, record: RunRecord) -> RecordedRun:
        invocation = instance.state.invocations[record.id]
        return RecordedRun(
            record.id,
            record.operation_id,
            snapshot(self.app.document),
            self.resolved.closure,
            record.params,
            record.node_properties,
            record.messages,
            invocation.status,
            invocation.error,
            record.duration_ms,
        )

    def _run_report(self, instance: AppInstance, record: RunRecord) -> dict[str, Any]:
        """The runner's report; the open app has the last word on how the run ended (a limit or a cancel cuts it short)."""
        report = run_report(
            record.messages, duration_ms=record.duration_ms, function=self._function(record.operation_id)
        )
        invocation = instance.state.invocations[record.id]
        return {
            **report,
            "ok": invocation.status == "completed",
            "status": invocation.status,
            "error": invocation.error if invocation.error is not None else report["error"],
            "isolation": getattr(self.host, "isolation", None),
        }

    def _function(self, operation_id: str) -> str | None:
        item = self.app.operation(operation_id)
        target = operation_target(item.operation) if item is not None else None
        return target.function if isinstance(target, FunctionTarget) else None


class HostRunner:
    """Runs an open app's operations through a host (`greenrun.instances.runner.Runner`)."""

    def __init__(self, host: Host, target: Target) -> None:
        self._host = host
        self._target = target

    async def run(self, request: RunRequest, emit: Emit) -> object:
        operation = request.operation
        spec = RunSpec(
            job_id=request.job_id,
            target=operation_target(operation.operation),
            graph=operation.graph,
            params=request.params,
            node_properties=request.node_properties,
            workflow_id=self._workflow_id(operation.graph, operation.graph_key),
            operation_id=operation.id,
        )
        return await self._host.run(spec, emit)

    def _workflow_id(self, graph: Graph | None, key: str | None) -> str | None:
        """None for bundles, whose keys mean nothing outside (spec: harness 3.5.5)."""
        if graph is None or self._target.operations_reference_keys:
            return None
        return (key or "").partition("@")[0] or None


def _report(resolved: ResolvedTarget, static: list[Finding], evidence: Evidence | None = None) -> Report:
    app = resolved.app
    later = judge(evidence) if evidence is not None else []
    reasons = [*resolved.reasons, *(limit_reasons(evidence) if evidence is not None else [])]
    whole = app is not None and not resolved.reasons
    if evidence is None:
        verdict = make_verdict(static, later, reasons, whole_app_checked=whole)
    else:
        verdict = make_verdict(
            static,
            later,
            reasons,
            exercise=evidence.exercise,
            run_count=len(evidence.started),
            whole_app_checked=whole,
            missed=missed_default_steps(evidence),
        )
    parts: dict[str, Any] = {}
    if evidence is not None:
        instance = evidence.instance
        parts = {
            "interactions": tuple(evidence.session.interactions),
            "runs": tuple(evidence.run_reports),
            "run_ids": tuple(record.id for record in evidence.started),
            "values": collect.collect_values(instance),
            "variables": collect.collect_variables(instance),
            "invocations": collect.collect_invocations(evidence),
            "activity": collect.collect_activity(instance),
            "widgets": collect.collect_widgets(instance),
            "resources": collect.collect_resources(instance),
            "messages": tuple(record.messages for record in evidence.started),
        }
    return Report(
        generated_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        target=resolved.target.info,
        snapshot=snapshot(app.document) if app is not None else None,
        closure=resolved.closure,
        app=_app(resolved),
        spec=collect.collect_spec(app) if app is not None else None,
        io=collect.collect_io(app),
        validation_errors=tuple(item.message for item in static if item.severity == "error"),
        validation_warnings=tuple(item.message for item in static if item.severity == "warning"),
        findings=(*static, *later),
        verdict=verdict,
        not_simulated=NOT_SIMULATED,
        **parts,
    )


def _unchecked(target: Target, reason: Reason, resolved: ResolvedTarget | None = None) -> Report:
    """The checker could not do its work: never green, and nothing is said about the app."""
    resolved = resolved or ResolvedTarget(target, None)
    return Report(
        generated_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        target=target.info,
        snapshot=snapshot(target.document) if target.document is not None else None,
        closure=resolved.closure,
        app=_app(resolved),
        spec=None,
        io=collect.collect_io(None),
        validation_errors=(),
        validation_warnings=(),
        findings=(),
        verdict=make_verdict([], [], [reason], whole_app_checked=False),
        not_simulated=NOT_SIMULATED,
    )


def _app(resolved: ResolvedTarget) -> dict[str, Any] | None:
    app = resolved.app
    if app is None:
        return None
    title = app.document.title or resolved.target.app_name
    return {"version": app.document.schema_version, "title": title, "widgetCount": len(app.widgets)}


def _text(error: Exception) -> str:
    return str(error) or type(error).__name__
