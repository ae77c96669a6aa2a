"""Runs a graph from the first message to the last (spec: nodes A1.11, A8)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from greenrun.workflows import messages
from greenrun.workflows.engine.actor import error_text
from greenrun.workflows.engine.allowance import Allowance
from greenrun.workflows.engine.decisions import Decisions
from greenrun.workflows.engine.escalation import Escalate
from greenrun.workflows.engine.feed import InputFeed
from greenrun.workflows.engine.frame import Frame, Gate
from greenrun.workflows.engine.inputs import InputFailed
from greenrun.workflows.engine.plan import plan_run
from greenrun.workflows.engine.result import RunResult
from greenrun.workflows.engine.run import Run
from greenrun.workflows.engine.services import NoServices, Services
from greenrun.workflows.graph import Graph
from greenrun.workflows.messages import INVALID, TIMED_OUT, Emit, run_ids
from greenrun.workflows.registry import Registry
from greenrun.workflows.validation import run_issues


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
    cost_cap: float | None = None,
    allow_external: bool = True,
    feed: InputFeed | None = None,
) -> RunResult:
    """Run a graph to its end; every message goes through `emit`, stamped with the job id, while it runs.

    `params` are keyed by input name. `timeout_ms` limits the whole run, without the time that `escalate` takes; `cost_cap` (US
    dollars) what it may spend, `allow_external` whether its nodes may act outside. `feed` brings the values of live inputs, which
    stay open until they are finished. A run that fails returns a result that says so.

    Raises:
        asyncio.CancelledError: The awaiting task was cancelled; every node has stopped and job_update cancelled is out.
        Exception: A fault of the engine, or of `emit`: nothing follows from it about the graph.
    """
    send = Gate(emit, run_ids(job_id, workflow_id))
    start = time.perf_counter()
    send(messages.job_update("running"))
    frame = Frame(
        registry=registry,
        services=services or NoServices(),
        allowance=Allowance(cost_cap, allow_external=allow_external),
        decisions=Decisions(escalate, send),
        emit=send,
        drive=_inner,
        job_id=job_id,
        workflow_id=workflow_id,
        above=() if workflow_id is None else (workflow_id,),
    )
    try:
        run, result = _start(frame, graph, feed)
        if run is not None:
            try:
                result = await _limited(run, params, timeout_ms)
            except asyncio.CancelledError:
                _end(run.result("cancelled"), send, start)
                raise
    except Exception as error:
        _end(RunResult("failed", f"the engine failed: {error_text(error)}"), send, start)
        raise
    finally:
        if feed is not None:
            feed.close()
    return _end(result, send, start)


def _start(frame: Frame, graph: Graph, feed: InputFeed | None = None) -> tuple[Run | None, RunResult]:
    """A run that is ready to be driven; without one, why there is none."""
    if issues := run_issues(graph, frame.registry):
        error = "; ".join(dict.fromkeys(issue["message"] for issue in issues))
        return None, RunResult("failed", error, error_code=INVALID, validation_issues=tuple(issues))
    return Run(plan_run(graph, frame.registry), frame, feed), RunResult("completed")


async def _inner(frame: Frame, graph: Graph, params: Mapping[str, Any]) -> RunResult:
    """A run inside another one: the limits of that one are its own, and only its nodes are heard."""
    start = time.perf_counter()
    run, result = _start(frame, graph)
    if run is not None:
        result = await _drive(run, params)
    return replace(result, duration_ms=(time.perf_counter() - start) * 1000)


async def _limited(run: Run, params: Mapping[str, Any], timeout_ms: float | None) -> RunResult:
    limit = asyncio.timeout(timeout_ms / 1000 if timeout_ms is not None and timeout_ms > 0 else None)
    decisions = run.frame.decisions
    try:
        async with limit:
            decisions.limit = limit
            try:
                return await _drive(run, params)
            finally:
                decisions.limit = None
    except TimeoutError:
        if not limit.expired():
            raise
        error = f"the run took longer than its limit of {timeout_ms:g} ms"
        return run.result("failed", RunResult("failed", error, error_code=TIMED_OUT, timed_out_ms=timeout_ms))


async def _drive(run: Run, params: Mapping[str, Any]) -> RunResult:
    try:
        await run.drive(params)
    except InputFailed as error:
        return run.result("failed", RunResult("failed", str(error)))
    return run.result("completed")


def _end(result: RunResult, send: Gate, start: float) -> RunResult:
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
