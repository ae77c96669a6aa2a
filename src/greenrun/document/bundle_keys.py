"""Rewriting what operations name: ids to bundle keys on export, keys to ids on import (spec: app-runtime 14)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from greenrun.document.edits.native import host_of, settled, to_native
from greenrun.document.edits.paths import without
from greenrun.document.edits.targets import sentinel, target_json
from greenrun.document.entries import Notes
from greenrun.document.js import is_list
from greenrun.document.model import Document, FunctionTarget, Operation, ScriptTarget
from greenrun.document.operations import parse_operation
from greenrun.document.values import ABSENT, is_record

ReferenceKind: TypeAlias = Literal["workflow", "script", "function"]


@dataclass(frozen=True, slots=True)
class UnresolvedReference:
    """Something that an operation names and a bundle does not carry: a workflow id, a script id or a function."""

    kind: ReferenceKind
    id: str
    operation_id: str

    def to_json(self) -> dict[str, str]:
        return {"kind": self.kind, "id": self.id, "operationId": self.operation_id}


@dataclass(frozen=True, slots=True)
class Renames:
    """New names by old ones. What stands in none of them stays as it is. Functions are renamed by module."""

    workflows: Mapping[str, str]
    scripts: Mapping[str, str]
    modules: Mapping[str, str]


def renamed(document: Document, names: Renames) -> tuple[Document, tuple[UnresolvedReference, ...]]:
    """The document with its operations rewritten, and each reference that has no new name, once.

    The document is untouched, and returned as it is when nothing is rewritten.
    """
    host = host_of(document)
    native = to_native(document.stored, host)
    entries = native.get("operations")
    stored: list[Any] = entries if is_list(entries) else []
    unresolved: dict[tuple[str, str], UnresolvedReference] = {}
    written: list[Any] = []
    for index, entry in enumerate(stored):
        operation = parse_operation(entry, index, "" if host is ABSENT else host, Notes())
        if operation is None:
            written.append(entry)
            continue
        rewritten, missing = _rewritten(entry, operation, names)
        written.append(rewritten)
        if missing is not None:
            unresolved.setdefault((missing.kind, missing.id), missing)
    if all(one is other for one, other in zip(written, stored, strict=True)):
        return document, tuple(unresolved.values())
    result = settled({**native, "operations": written}, host)
    assert result is not None
    return result, tuple(unresolved.values())


def _rewritten(entry: dict[str, Any], operation: Operation, names: Renames) -> tuple[Any, UnresolvedReference | None]:
    """The stored operation under its new name, the same object without one, and the reference that has none."""
    match operation.target:
        case ScriptTarget(script_id, version):
            new = names.scripts.get(script_id)
            if new is None:
                return entry, UnresolvedReference("script", script_id, operation.id)
            return {**entry, "target": {**entry["target"], **target_json(ScriptTarget(new, version))}}, None
        case FunctionTarget() as target:
            new = names.modules.get(target.module)
            if new is None:
                return entry, UnresolvedReference("function", target.function, operation.id)
            return (entry if new == target.module else _with_function(entry, f"{new}:{target.name}")), None
        case _:
            workflow_id = operation.workflow_id
            new = names.workflows.get(workflow_id)
            if new is None:
                return entry, UnresolvedReference("workflow", workflow_id, operation.id) if workflow_id else None
            return _with_workflow(entry, operation, new), None


def _with_function(entry: dict[str, Any], function: str) -> dict[str, Any]:
    own = FunctionTarget(function)
    target = entry.get("target")
    extras = target if is_record(target) and target.get("kind") == "function" else {}
    return {**entry, "workflowId": sentinel(own), "target": {**extras, **target_json(own)}}


def _with_workflow(entry: dict[str, Any], operation: Operation, workflow_id: str) -> dict[str, Any]:
    """A workflow operation under its new id; the version moves beside the id, where it is read from."""
    rewritten = {**without(entry, "workflowVersion"), "workflowId": workflow_id}
    if operation.workflow_version is not None:
        rewritten["workflowVersion"] = operation.workflow_version
    target = entry.get("target")
    if is_record(target) and target.get("kind") == "workflow":
        rewritten["target"] = {**without(target, "workflowVersion"), "workflowId": workflow_id}
    return rewritten


def pin_script_versions(document: Document, versions: Mapping[str, int | float]) -> Document:
    """Each script operation whose script is in `versions` with that version (spec: app-runtime 14.4)."""
    entries = document.stored.get("operations")
    if not is_list(entries):
        return document
    host = host_of(document)
    written = [_pinned(entry, versions) for entry in entries]
    if all(one is other for one, other in zip(written, entries, strict=True)):
        return document
    result = settled({**document.stored, "operations": written}, host)
    assert result is not None
    return result


def _pinned(entry: Any, versions: Mapping[str, int | float]) -> Any:
    operation = parse_operation(entry, 0, "", Notes())
    own = operation.target if operation is not None else None
    if not isinstance(own, ScriptTarget) or versions.get(own.script_id, own.script_version) == own.script_version:
        return entry
    return {**entry, "target": {**entry["target"], "scriptVersion": versions[own.script_id]}}
