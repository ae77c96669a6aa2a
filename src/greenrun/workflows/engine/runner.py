"""Runs a graph from the first message to the last (spec: nodes A1.11, A8)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from greenrun.workflows import messages
from greenrun.workflows.engine.actor import error_text
from greenrun.workflows.engine.escalation import Escalate
from greenrun.workflows.engine.inputs import InputFailed
from greenrun.workflows.engine.plan import plan_run
from greenrun.workflows.engine.result import RunResult
from greenrun.workflows.engine.run import Run
from greenrun.workflows.engine.services import NoServices, Services
from greenrun.workflows.graph import Graph
from greenrun.workflows.messages import INVALID, TIMED_OUT, Emit, Message, stamped
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
) -> RunResult:
    """Run a graph to its end; every message goes through `emit`, stamped with the job id, while it runs.

    `params` are keyed by input name. `timeout_ms` limits the whole run. A run that fails returns a result that says so.

    Raises:
        asyncio.CancelledError: The awaiting task was cancelled; every node has stopped and job_update cancelled is out.
        Exception: A fault of the engine, or of `emit`: nothing follows from it about the graph.
    """
    send = _Gate(stamped(emit, job_id, workflow_id))
    start = time.perf_counter()
    send(messages.job_update("running"))
    try:
        if issues := run_issues(graph, registry):
            error = "; ".join(dict.fromkeys(issue["message"] for issue in issues))
            result = RunResult("failed", error, error_code=INVALID, validation_issues=tuple(issues))
        else:
            run = Run(plan_run(graph, registry), send, job_id, workflow_id, services or NoServices(), escalate)
            try:
                result = await _drive(run, params, timeout_ms)
            except asyncio.CancelledError:
                _end(run.result("cancelled"), send, start)
                raise
    except Exception as error:
        _end(RunResult("failed", f"the engine failed: {error_text(error)}"), send, start)
        raise
    return _end(result, send, start)


async def _drive(run: Run, params: Mapping[str, Any], timeout_ms: float | None) -> RunResult:
    limit = asyncio.timeout(timeout_ms / 1000 if timeout_ms is not None and timeout_ms > 0 else None)
    try:
        async with limit:
            await run.drive(params)
    except TimeoutError:
        if not limit.expired():
            raise
        error = f"the run took longer than its limit of {timeout_ms:g} ms"
        return run.result("failed", RunResult("failed", error, error_code=TIMED_OUT, timed_out_ms=timeout_ms))
    except InputFailed as error:
        return run.result("failed", RunResult("failed", str(error)))
    return run.result("completed")


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
