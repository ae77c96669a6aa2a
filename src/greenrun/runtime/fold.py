"""Messages of a run, folded into events (spec: app-runtime 11)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from greenrun.document.js import display_text, trim, truthy, utf16_length, utf16_slice
from greenrun.document.model import Operation, ToVariable
from greenrun.document.surface import Surface
from greenrun.document.values import ABSENT, Value, is_nullish, is_number, is_record
from greenrun.runtime import events as ev
from greenrun.runtime.compact import compact_json
from greenrun.runtime.state import Invocation
from greenrun.runtime.state import InvocationStatus as Status

RESULT_LIMIT: Final = 400
ELLIPSIS: Final = "…"

Message: TypeAlias = dict[str, Any]
Resolve: TypeAlias = Callable[[str | None], Invocation | None]


def _no_variable(operation_id: str, node_id: str) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class FoldContext:
    """What folding asks its host (spec: app-runtime 11.1).

    `resolve_invocation` gives the run of a job id, or None for a run that is not this app's. `output_key` gives the
    state key of a bindable output and None for any other node, `output_variable` the variable that an output is mapped
    to.
    """

    resolve_invocation: Resolve
    output_key: Callable[[str, str], str | None]
    output_variable: Callable[[str, str], str | None] = _no_variable


def fold_context(operations: Iterable[tuple[Operation, Surface | None]], resolve_invocation: Resolve) -> FoldContext:
    """The context of an app: slots for the outputs of each surface, variables by output mapping."""
    keys: dict[tuple[str, str], str] = {}
    variables: dict[tuple[str, str], str] = {}
    for operation, surface in operations:
        for port in surface.outputs if surface is not None else ():
            keys.setdefault((operation.id, port.node_id), f"{operation.id}:{port.node_id}")
        for node_id, mapping in operation.outputs.items():
            if isinstance(mapping, ToVariable):
                variables.setdefault((operation.id, node_id), mapping.variable_id)
    return FoldContext(
        resolve_invocation,
        lambda operation_id, node_id: keys.get((operation_id, node_id)),
        lambda operation_id, node_id: variables.get((operation_id, node_id)),
    )


def fold(message: Message, context: FoldContext) -> list[ev.Event]:
    """The events of one message; none for a message of a foreign, unknown or unstamped run."""
    kind = message.get("type")
    if not isinstance(kind, str):
        return []
    job_id = message.get("job_id")
    run = context.resolve_invocation(job_id if isinstance(job_id, str) else None)
    step = _FOLDS.get(kind)
    return [] if run is None or step is None else step(message, run, context)


def error_text(error: object) -> str:
    """What an error says: a text, an exception's message, or the first of message, error, detail that is not blank."""
    if isinstance(error, str):
        return trim(error)
    if isinstance(error, BaseException):
        return str(error)
    if is_record(error):
        texts = (error.get(name) for name in ("message", "error", "detail"))
        return next((trim(text) for text in texts if isinstance(text, str) and trim(text)), "")
    return ""


def _text(value: Value) -> str:
    return trim(display_text(value))


def _fan_out(
    run: Invocation, context: FoldContext, node_id: str, value: Value, disposition: ev.Disposition, done: bool
) -> list[ev.Event]:
    """The value to the output's slot, and to the variable that the output is mapped to (spec: app-runtime 11.1)."""
    events: list[ev.Event] = []
    key = context.output_key(run.operation_id, node_id)
    if key:
        events.append(ev.OutputValue(key, run.id, value, disposition, done))
    variable_id = context.output_variable(run.operation_id, node_id)
    if variable_id and value is not ABSENT:
        events.append(ev.SetVariable(variable_id, value, disposition, run.id))
    return events


def _output_update(message: Message, run: Invocation, context: FoldContext) -> list[ev.Event]:
    disposition: ev.Disposition = "replace" if message.get("disposition") == "replace" else "append"
    node_id = display_text(message.get("node_id"))
    return _fan_out(run, context, node_id, message.get("value", ABSENT), disposition, message.get("done") is True)


def _chunk(message: Message, run: Invocation, context: FoldContext) -> list[ev.Event]:
    if truthy(content_type := message.get("content_type")) and content_type != "text":
        return []
    node_id, done = display_text(message.get("node_id")), message.get("done") is True
    if message.get("thinking") is True:
        return _fan_out(run, context, node_id, ABSENT, "append", True) if done else []
    text = display_text(message.get("content"))
    events = _fan_out(run, context, node_id, text, "append", done)
    if text:
        events.append(ev.InvocationTranscript(run.id, {"kind": "text", "text": text, **_source(message)}))
    return events


def _source(message: Message) -> dict[str, str]:
    source = _text(message.get("source")) or _text(message.get("node_id"))
    return {"source": source} if source else {}


def _node_progress(message: Message, run: Invocation, context: FoldContext) -> list[ev.Event]:
    done, total = message.get("progress"), message.get("total")
    if not is_number(done) or not is_number(total) or not total > 0 or done != done:
        return []
    return [ev.InvocationProgress(run.id, _fraction(done, total))]


def _fraction(done: int | float, total: int | float) -> float:
    if done <= 0:
        return 0.0
    if done >= total:
        return 1.0
    try:
        return done / total
    except OverflowError:
        return 0.0


def _node_update(message: Message, run: Invocation, context: FoldContext) -> list[ev.Event]:
    text = error_text(message.get("error"))
    return [ev.InvocationError(run.id, text)] if text else []


def _error(message: Message, run: Invocation, context: FoldContext) -> list[ev.Event]:
    text = error_text(message.get("message")) or error_text(message.get("error"))
    return [ev.InvocationError(run.id, text)] if text else []


def _labelled(run: Invocation, label: str) -> list[ev.Event]:
    return [ev.InvocationActivity(run.id, label)] if label else []


def _tool_call(message: Message, run: Invocation, context: FoldContext) -> list[ev.Event]:
    label = _text(message.get("message")) or _text(message.get("name"))
    args = message.get("args")
    return _labelled(run, label) + _tool_entry(message, run, "running", {"args": args} if is_record(args) else {})


def _tool_result(message: Message, run: Invocation, context: FoldContext) -> list[ev.Event]:
    status = "error" if message.get("is_error") is True else "done"
    return _tool_entry(message, run, status, {"result": _result_text(message.get("result", ABSENT))})


def _tool_entry(message: Message, run: Invocation, status: str, extra: Mapping[str, Value]) -> list[ev.Event]:
    name, call = _text(message.get("name")), _text(message.get("tool_call_id"))
    if not name and not call:
        return []
    source = _source(message)
    entry = {
        "kind": "tool",
        "id": call or f"{source.get('source', '')}:{name}",
        "name": name,
        "label": _text(message.get("message")) or name,
        "status": status,
        **extra,
        **source,
    }
    return [ev.InvocationTranscript(run.id, entry)]


def _result_text(result: Value) -> str:
    summary = result.get("summary") if is_record(result) else result
    text = summary if isinstance(summary, str) else compact_json(result)
    return text if utf16_length(text) <= RESULT_LIMIT else utf16_slice(text, RESULT_LIMIT) + ELLIPSIS


def _planning(message: Message, run: Invocation, context: FoldContext) -> list[ev.Event]:
    parts = (_text(message.get("phase")), _text(message.get("status")))
    return _labelled(run, ": ".join(part for part in parts if part))


def _task(message: Message, run: Invocation, context: FoldContext) -> list[ev.Event]:
    task, step = message.get("task"), message.get("step")
    title = (_text(task.get("title")) or _text(task.get("name"))) if is_record(task) else ""
    name = _text(step.get("name")) if is_record(step) else ""
    label = ": ".join(part for part in (title, name) if part)
    return _labelled(run, label or display_text(message.get("event")).replace("_", " "))


_STATUSES: Final[dict[str, Status]] = {
    "completed": "completed",
    "failed": "failed",
    "timed_out": "failed",
    "error": "failed",
    "cancelled": "cancelled",
    "running": "running",
}


def _job_update(message: Message, run: Invocation, context: FoldContext) -> list[ev.Event]:
    stored = message.get("status")
    status = _STATUSES.get(stored) if isinstance(stored, str) else None
    if status is None:
        return []
    text = "" if status == "running" or is_nullish(message.get("error")) else error_text(message["error"])
    return [ev.InvocationStatus(run.id, status, text or None)]


_FOLDS: Final[dict[str, Callable[[Message, Invocation, FoldContext], list[ev.Event]]]] = {
    "output_update": _output_update,
    "chunk": _chunk,
    "node_progress": _node_progress,
    "node_update": _node_update,
    "error": _error,
    "tool_call_update": _tool_call,
    "tool_result_update": _tool_result,
    "planning_update": _planning,
    "task_update": _task,
    "job_update": _job_update,
}
