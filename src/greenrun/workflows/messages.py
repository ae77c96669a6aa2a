"""The messages of a run, as plain JSON objects told apart by `type` (spec: nodes A8).

Graph runs and function runs speak the same messages; whoever starts a run gives `stamped` the run id, so that a consumer
can tell runs apart by ``job_id`` alone (spec: app-runtime 17.4.9).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from greenrun.document.values import ABSENT, Value

Message: TypeAlias = dict[str, Any]
Emit: TypeAlias = Callable[[Message], None]

JobStatus: TypeAlias = Literal["queued", "running", "completed", "failed", "cancelled", "suspended"]
NodeStatus: TypeAlias = Literal["running", "completed", "error", "cancelled"]
EdgeStatus: TypeAlias = Literal["active", "completed", "drained"]
Severity: TypeAlias = Literal["info", "warning", "error"]
Disposition: TypeAlias = Literal["append", "replace"]

TIMED_OUT = "TIMED_OUT"
"""`error_code` of a job that ran into its limit; its status is failed (spec: app-runtime 11.5)."""

INVALID = "INVALID"
"""`error_code` of a job that was refused before a node started."""

BUDGET_EXCEEDED = "BUDGET_EXCEEDED"
"""`error_code` of a job that spent what it may (spec: nodes A8)."""

NOT_ALLOWED = "NOT_ALLOWED"
"""`error_code` of a job that needed a permission which it does not have, such as one for external effects."""

DENIALS: frozenset[str] = frozenset({BUDGET_EXCEEDED, NOT_ALLOWED})
"""Codes of jobs that their host did not let go on: they say nothing about the workflow."""

TERMINAL: frozenset[str] = frozenset({"completed", "failed", "cancelled", "timed_out", "error"})


def run_ids(job_id: str, workflow_id: str | None = None) -> Message:
    """What every message of a run carries."""
    return {"job_id": job_id} if workflow_id is None else {"job_id": job_id, "workflow_id": workflow_id}


def stamped(emit: Emit, job_id: str, workflow_id: str | None = None) -> Emit:
    """An `emit` that writes the run's ids on every message before handing it on."""
    ids = run_ids(job_id, workflow_id)

    def stamp(message: Message) -> None:
        message.update(ids)
        emit(message)

    return stamp


def job_update(
    status: JobStatus,
    *,
    result: Mapping[str, Any] | None = None,
    error: str | None = None,
    error_code: str | None = None,
    error_detail: Mapping[str, Any] | None = None,
    traceback: str | None = None,
    duration: float | None = None,
    timed_out_ms: float | None = None,
    validation_issues: Sequence[Mapping[str, Any]] | None = None,
) -> Message:
    """The state of the whole run. `duration` is in seconds; `validation_issues` as in nodes A1.11.

    `error` is for the person who uses the app; `error_detail` (type, file, line of what a function raised) and `traceback`
    are for whoever wrote it.
    """
    return _message(
        {"type": "job_update", "status": status},
        result=result,
        error=error,
        error_code=error_code,
        error_detail=error_detail,
        traceback=traceback,
        duration=duration,
        timed_out_ms=timed_out_ms,
        validation_issues=None if validation_issues is None else [dict(issue) for issue in validation_issues],
    )


def node_update(
    node_id: str,
    node_name: str,
    node_type: str,
    status: NodeStatus,
    *,
    error: str | None = None,
    error_detail: Mapping[str, Any] | None = None,
    result: Mapping[str, Any] | None = None,
    provider_cost: float | None = None,
    duration_ms: float | None = None,
) -> Message:
    """The state of one node. `provider_cost` is in US dollars."""
    return _message(
        {
            "type": "node_update",
            "node_id": node_id,
            "node_name": node_name,
            "node_type": node_type,
            "status": status,
        },
        error=error,
        error_detail=error_detail,
        result=result,
        provider_cost=provider_cost,
        duration_ms=duration_ms,
    )


def generation_complete(
    node_id: str, node_name: str, node_type: str, outputs: Mapping[str, Any], properties: Mapping[str, Any]
) -> Message:
    """What one firing of a node produced."""
    return {
        "type": "generation_complete",
        "node_id": node_id,
        "node_name": node_name,
        "node_type": node_type,
        "outputs": outputs,
        "properties": properties,
    }


def output_update(
    node_id: str,
    node_name: str,
    output_name: str,
    value: Any,
    output_type: str = "any",
    *,
    disposition: Disposition = "append",
    done: bool = False,
    metadata: Mapping[str, Any] | None = None,
) -> Message:
    """A value that the app may show. `value` may be absent: then the message only says that the slot is done."""
    message: Message = {
        "type": "output_update",
        "node_id": node_id,
        "node_name": node_name,
        "output_name": output_name,
        "value": value,
        "output_type": output_type,
        "metadata": dict(metadata) if metadata else {},
        "disposition": disposition,
    }
    if value is ABSENT:
        del message["value"]
    if done:
        message["done"] = True
    return message


def node_progress(node_id: str, progress: float, total: float) -> Message:
    """How far a node has come, as a part of `total`."""
    return {"type": "node_progress", "node_id": node_id, "progress": progress, "total": total}


def chunk(
    node_id: str | None,
    content: str,
    *,
    content_type: str = "text",
    done: bool = False,
    thinking: bool = False,
    source: str | None = None,
) -> Message:
    """A piece of streamed text. With `source` and no node id it stands in the transcript and in no output."""
    message: Message = {"type": "chunk", "content": content, "content_type": content_type, "done": done}
    if node_id is not None:
        message["node_id"] = node_id
    if thinking:
        message["thinking"] = True
    if source is not None:
        message["source"] = source
    return message


def edge_update(edge_id: str, status: EdgeStatus, counter: int) -> Message:
    """What went over an edge so far: active while values pass, then completed, or drained when none ever came."""
    return {"type": "edge_update", "edge_id": edge_id, "status": status, "counter": counter}


def log_update(node_id: str, node_name: str, content: str, severity: str = "info") -> Message:
    """A line that a node logged; `severity` is a `Severity`."""
    return {
        "type": "log_update",
        "node_id": node_id,
        "node_name": node_name,
        "content": content,
        "severity": severity,
    }


def planning_update(phase: str, status: str | None = None, content: str | None = None) -> Message:
    """What a run is busy with, for people."""
    return _message({"type": "planning_update", "phase": phase}, status=status, content=content)


def error(message: str) -> Message:
    """A failure that belongs to no node."""
    return {"type": "error", "message": message}


def tool_call_update(
    name: str, *, node_id: str | None = None, args: Value = ABSENT, tool_call_id: str | None = None, message: str = ""
) -> Message:
    """An agent called a tool."""
    data: Message = {"type": "tool_call_update", "name": name, "message": message}
    if args is not ABSENT:
        data["args"] = args
    return _message(data, node_id=node_id, tool_call_id=tool_call_id)


def tool_result_update(
    name: str,
    result: Any,
    *,
    node_id: str | None = None,
    tool_call_id: str | None = None,
    is_error: bool = False,
) -> Message:
    """What a tool answered."""
    data: Message = {"type": "tool_result_update", "name": name, "result": result, "is_error": is_error}
    return _message(data, node_id=node_id, tool_call_id=tool_call_id)


def intervention(
    node_id: str,
    node_type: str,
    action: str,
    *,
    attempt: int,
    detail: str,
    decided_by: str,
    reason: str | None = None,
) -> Message:
    """A node failure that was answered instead of failing the node (spec: harness 6.4). Consumers of values ignore it."""
    return _message(
        {
            "type": "intervention",
            "node_id": node_id,
            "node_type": node_type,
            "action": action,
            "attempt": attempt,
            "detail": detail,
            "decided_by": decided_by,
        },
        reason=reason,
    )


def _message(message: Message, **optional: Any) -> Message:
    """The message with those optional members that are given."""
    for name, value in optional.items():
        if value is not None:
            message[name] = value
    return message
