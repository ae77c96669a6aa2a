"""What an operation runs, as an edit writes it (spec: app-runtime 2.4, 13.2, O-28)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from greenrun.document.edits.paths import without
from greenrun.document.errors import EditError
from greenrun.document.model import FunctionTarget, Operation, ScriptTarget
from greenrun.document.operations import FUNCTION_PREFIX, own_target
from greenrun.document.values import is_number, is_record, is_text

_FORMS = (
    '{"kind": "function", "function": "module:name"}, {"kind": "workflow", "workflowId": ...} or '
    '{"kind": "script", "scriptId": ..., "scriptVersion": ...}'
)


@dataclass(frozen=True, slots=True)
class NewTarget:
    """A target to write. `own` is set for scripts and functions, else `workflow_id` names the workflow."""

    own: ScriptTarget | FunctionTarget | None
    workflow_id: str
    version: int | float | None = None

    @property
    def key(self) -> str:
        """Another key means another thing to run; versions do not count."""
        return target_key(self.own, self.workflow_id)


def target_key(own: ScriptTarget | FunctionTarget | None, workflow_id: str) -> str:
    """``script:<id>``, ``function:<module>:<name>`` or ``workflow:<id>`` (spec: app-runtime 13.2)."""
    match own:
        case ScriptTarget(script_id):
            return f"script:{script_id}"
        case FunctionTarget(function):
            return f"function:{function}"
        case _:
            return f"workflow:{workflow_id}"


def operation_key(operation: Operation) -> str:
    """The key of what a parsed operation runs."""
    return target_key(operation.target, operation.workflow_id)


def chosen_target(workflow_id: str | None, target: dict[str, Any] | None, field: str) -> NewTarget | None:
    """The target that a workflow id and a target record name together; None when both name nothing.

    Raises:
        EditError: Both name one, or the record is of no accepted form.
    """
    if target is None:
        if workflow_id is None:
            return None
        own = own_target(None, workflow_id)
        return NewTarget(own, "" if own is not None else workflow_id)
    own = own_target(target, None)
    is_workflow = target.get("kind") == "workflow" and isinstance(target.get("workflowId"), str)
    version = target.get("workflowVersion")
    if own is None and not (is_workflow and target["workflowId"] and (version is None or is_number(version))):
        raise EditError(
            "invalid_arguments",
            f"The target is none that an operation can have. It is {_FORMS}.",
            field=field,
            next_action="Write the target in one of these forms.",
        )
    if workflow_id and workflow_id not in (target.get("workflowId"), sentinel(own)):
        raise EditError(
            "invalid_arguments",
            "An operation runs one thing: a workflow id and another target were given.",
            field=field,
            next_action="Give either the workflow id or the target.",
        )
    return NewTarget(own, "", None) if own is not None else NewTarget(None, target["workflowId"], version)


def sentinel(own: ScriptTarget | FunctionTarget | None) -> str:
    """The workflow id that stands beside a target, so that NodeTool keeps the operation."""
    return FUNCTION_PREFIX + own.function if isinstance(own, FunctionTarget) else ""


def with_target(entry: dict[str, Any], new: NewTarget, kept_version: int | float | None) -> dict[str, Any]:
    """A stored operation that runs that. `kept_version` is the version it has had, where that still belongs to it."""
    changed = dict(entry)
    version = kept_version if new.version is None else new.version
    _write(changed, "workflowVersion", version)
    stored = entry.get("target")
    if new.own is not None:
        changed["workflowId"] = sentinel(new.own)
        changed["target"] = {**_extras(stored, new.own.kind), **target_json(new.own)}
        return changed
    changed["workflowId"] = new.workflow_id
    # The version stands beside the id; an explicit workflow target stays only for what else it holds.
    extras = without(_extras(stored, "workflow"), "workflowVersion") | {"workflowId": new.workflow_id}
    _write(changed, "target", extras if extras.keys() > {"kind", "workflowId"} else None)
    return changed


def _write(record: dict[str, Any], key: str, value: Any) -> None:
    if value is None:
        record.pop(key, None)
    else:
        record[key] = value


def explicit_workflow_id(entry: dict[str, Any]) -> str | None:
    """The id in an explicit workflow target, where it is the one that counts (spec: app-runtime O-27)."""
    target = entry.get("target")
    if is_text(entry.get("workflowId")) or not is_record(target) or target.get("kind") != "workflow":
        return None
    workflow_id = target.get("workflowId")
    return workflow_id if is_text(workflow_id) else None


def target_json(own: ScriptTarget | FunctionTarget) -> dict[str, Any]:
    """A script or function target as it is stored."""
    if isinstance(own, ScriptTarget):
        return {"kind": "script", "scriptId": own.script_id, "scriptVersion": own.script_version}
    return {"kind": "function", "function": own.function}


def _extras(stored: Any, kind: str) -> dict[str, Any]:
    return stored if is_record(stored) and stored.get("kind") == kind else {}
