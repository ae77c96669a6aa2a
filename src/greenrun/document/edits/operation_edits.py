"""Edits of operations (spec: app-runtime 13.2, O-28, O-31, O-32)."""

from __future__ import annotations

from typing import Any

from greenrun.document.edits.mappings import checked_mapping, merged_mappings
from greenrun.document.edits.models import (
    AddOperation,
    ClearMapping,
    OperationPatch,
    RemoveOperation,
    SetMapping,
    SetTarget,
    Side,
    UpdateOperation,
)
from greenrun.document.edits.nodes import listed
from greenrun.document.edits.outcome import Draft, Outcome
from greenrun.document.edits.paths import without
from greenrun.document.edits.stored_lists import (
    entries,
    find_entry,
    new_entry_id,
    parsed_operation,
    remove_entries,
    with_entries,
    with_entry,
)
from greenrun.document.edits.targets import (
    NewTarget,
    chosen_target,
    explicit_workflow_id,
    operation_key,
    target_key,
    with_target,
)
from greenrun.document.errors import EditError
from greenrun.document.values import ABSENT, is_number, is_record

_SCALARS = {"name": "name", "policy": "policy", "timeout_ms": "timeoutMs", "workflow_version": "workflowVersion"}


def add_operation(draft: Draft, edit: AddOperation) -> Outcome:
    """Append an operation over exactly one workflow or target."""
    target = chosen_target(edit.workflow_id or None, edit.target, "target")
    if target is None:
        raise EditError(
            "invalid_arguments",
            "The operation runs nothing: neither a workflow id nor a target was given.",
            field="workflow_id",
            next_action="Give exactly one of workflow_id and target.",
        )
    runs = target_key(target.own, target.workflow_id).partition(":")[2]
    new_id = new_entry_id(draft, "operations", edit.id, edit.name or runs)
    entry: dict[str, Any] = {"id": new_id, "name": new_id if edit.name is None else edit.name, "workflowId": ""}
    if edit.workflow_version is not None or target.version is not None:
        entry["workflowVersion"] = edit.workflow_version if target.version is None else target.version
    entry["inputs"] = merged_mappings("inputs", None, edit.inputs, "inputs")
    entry["outputs"] = merged_mappings("outputs", None, edit.outputs, "outputs")
    entry["policy"] = edit.policy
    if edit.timeout_ms is not None:
        entry["timeoutMs"] = edit.timeout_ms
    entry = with_target(entry, target, edit.workflow_version)
    return Outcome(with_entries(draft, "operations", [*entries(draft, "operations"), entry]), (new_id,))


def update_operation(draft: Draft, edit: UpdateOperation) -> Outcome:
    """Overlay the patch. Another target drops the mappings, otherwise they are merged node by node."""
    index, stored = find_entry(draft, "operations", edit.id)
    patch = edit.patch
    workflow_id = patch.workflow_id if patch.given("workflow_id") else None
    target = chosen_target(workflow_id, patch.target, "patch.target")
    if target is None and patch.given("target"):
        raise _needs_workflow(edit.id, "patch.workflow_id")
    if target is None and patch.given("workflow_version") and (explicit := explicit_workflow_id(stored)):
        target = NewTarget(None, explicit)
    entry, retargeted = _retargeted(draft, stored, target)
    entry = _with_mappings(_with_scalars(entry, patch), patch, dropped=retargeted)
    return Outcome(with_entry(draft, "operations", index, entry), (edit.id,))


def _retargeted(draft: Draft, stored: dict[str, Any], target: NewTarget | None) -> tuple[dict[str, Any], bool]:
    """The stored operation with the new target, and whether it now runs something else."""
    if target is None:
        return stored, False
    current = parsed_operation(draft, stored)
    if current is None:
        # The parser drops it for lack of a target, so its mappings were written for the one that it gets now.
        version = stored.get("workflowVersion")
        return with_target(stored, target, version if is_number(version) else None), False
    runs_host = target.own is None and target.workflow_id == ""
    key = target_key(None, "" if draft.host is ABSENT else draft.host) if runs_host else target.key
    retargeted = operation_key(current) != key
    return with_target(stored, target, None if retargeted else current.workflow_version), retargeted


def _with_scalars(entry: dict[str, Any], patch: OperationPatch) -> dict[str, Any]:
    for name, key in _SCALARS.items():
        if patch.given(name):
            value = getattr(patch, name)
            entry = without(entry, key) if value is None else {**entry, key: value}
    return entry


def _with_mappings(entry: dict[str, Any], patch: OperationPatch, *, dropped: bool) -> dict[str, Any]:
    sides: tuple[tuple[Side, dict[str, Any]], ...] = (("inputs", patch.inputs), ("outputs", patch.outputs))
    for side, given in sides:
        if dropped or patch.given(side):
            stored = None if dropped else entry.get(side)
            entry = {**entry, side: merged_mappings(side, stored, given, f"patch.{side}")}
    return entry


def set_target(draft: Draft, edit: SetTarget) -> Outcome:
    """Set or change the target; null goes back to a workflow."""
    index, stored = find_entry(draft, "operations", edit.id)
    target = chosen_target(edit.workflow_id or None, edit.target, "target")
    if target is None:
        raise _needs_workflow(edit.id, "workflow_id")
    entry, retargeted = _retargeted(draft, stored, target)
    if edit.workflow_version is not None:
        entry = {**entry, "workflowVersion": edit.workflow_version}
    entry = _with_mappings(entry, OperationPatch(), dropped=retargeted)
    return Outcome(with_entry(draft, "operations", index, entry), (edit.id,))


def _needs_workflow(operation_id: str, field: str) -> EditError:
    return EditError(
        "invalid_arguments",
        f'Without a target "{operation_id}" runs a workflow, and no workflow id was given.',
        field=field,
        next_action="Give the workflow id that it shall run.",
    )


def set_mapping(draft: Draft, edit: SetMapping) -> Outcome:
    """Set one mapping, in place of whatever is stored for that node."""
    index, stored = find_entry(draft, "operations", edit.id)
    mappings = stored.get(edit.side)
    current = mappings if is_record(mappings) else {}
    mapping = checked_mapping(edit.side, edit.node, edit.mapping, current.get(edit.node), "mapping")
    entry = {**stored, edit.side: {**current, edit.node: mapping}}
    return Outcome(with_entry(draft, "operations", index, entry), (edit.id,))


def clear_mapping(draft: Draft, edit: ClearMapping) -> Outcome:
    """Remove one mapping, so that the default holds: an input reads its widget, an output is displayed."""
    index, stored = find_entry(draft, "operations", edit.id)
    mappings = stored.get(edit.side)
    if not is_record(mappings) or edit.node not in mappings:
        names = mappings if is_record(mappings) else ()
        raise EditError(
            "invalid_arguments",
            f'"{edit.id}" has no mapping for "{edit.node}" in {edit.side}. It has {listed(names)}.',
            field="node",
            next_action="Name a node that has a mapping; without one the default holds already.",
        )
    entry = {**stored, edit.side: without(mappings, edit.node)}
    return Outcome(with_entry(draft, "operations", index, entry), (edit.id,))


def remove_operation(draft: Draft, edit: RemoveOperation) -> Outcome:
    """Remove every operation with that id."""
    return Outcome(remove_entries(draft, "operations", edit.id), (edit.id,), (("operation", edit.id),))
