"""Applying edits: a batch is all or nothing, a no-op changes nothing, and the way back comes with the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from pydantic import TypeAdapter, ValidationError

from greenrun.document.edits import (
    data_edits,
    event_edits,
    operation_edits,
    repairs,
    tree_edits,
)
from greenrun.document.edits.dependants import Dependant, dependants, names_of
from greenrun.document.edits.fields import Arguments, json_copy
from greenrun.document.edits.models import Edit, Restore
from greenrun.document.edits.native import host_of, settled, to_native
from greenrun.document.edits.outcome import Draft, Handler, Kind
from greenrun.document.edits.restore import difference, restore
from greenrun.document.errors import EditError, JsonWriteError
from greenrun.document.js import deep_equal
from greenrun.document.model import Document
from greenrun.document.parse import parse_document
from greenrun.document.values import ABSENT, Absent, is_record

EditLike: TypeAlias = "Edit | Mapping[str, Any]"

HANDLERS: Final[dict[str, Handler]] = {
    "add_component": tree_edits.add_component,
    "update_component": tree_edits.update_component,
    "delete_props": tree_edits.delete_props,
    "move_component": tree_edits.move_component,
    "remove_component": tree_edits.remove_component,
    "set_title": tree_edits.set_title,
    "set_component_type": tree_edits.set_component_type,
    "set_component_id": repairs.set_component_id,
    "move_zone": repairs.move_zone,
    "move_misplaced": repairs.move_misplaced,
    "insert_event": event_edits.insert_event,
    "update_event": event_edits.update_event,
    "rename_duplicate": repairs.rename_duplicate,
    "set_raw": repairs.set_raw,
    "add_operation": operation_edits.add_operation,
    "update_operation": operation_edits.update_operation,
    "set_mapping": operation_edits.set_mapping,
    "clear_mapping": operation_edits.clear_mapping,
    "set_target": operation_edits.set_target,
    "remove_operation": operation_edits.remove_operation,
    "declare_variable": data_edits.declare_variable,
    "update_variable": data_edits.update_variable,
    "remove_variable": data_edits.remove_variable,
    "add_resource": data_edits.add_resource,
    "update_resource": data_edits.update_resource,
    "remove_resource": data_edits.remove_resource,
}
"""Every verb but `restore`, which works on the document as it is stored, an envelope included."""

_ADAPTER: Final[TypeAdapter[Edit]] = TypeAdapter(Edit)


@dataclass(frozen=True, slots=True)
class EditResult:
    """What a batch came to.

    When nothing changed, `document` is the very same object and the rest is empty. `changed` holds the ids of widgets,
    operations, variables and resources that were added, changed, moved or removed (``root`` for the title), in order.
    `inverse` is a list of edits as JSON that puts the stored document back exactly, key order included.
    """

    document: Document
    unchanged: bool
    changed: tuple[str, ...] = ()
    inverse: tuple[dict[str, Any], ...] = ()
    dependants: tuple[Dependant, ...] = ()


def apply(
    document: Document,
    edits: EditLike | Sequence[EditLike],
    *,
    host_workflow_id: str | Absent = ABSENT,
) -> EditResult:
    """Apply one edit or a batch, given as models or as JSON.

    `host_workflow_id` is the one the document was parsed with; where it is not given, the operations tell it as far as
    they can. Raises `EditError` when any edit is refused; then nothing has changed.
    """
    batch = parse_edits(edits)
    host = _host(document, batch) if host_workflow_id is ABSENT else host_workflow_id
    stored = document.stored
    inverse: list[dict[str, Any]] = []
    changed: list[str] = []
    removed: list[tuple[Kind, str]] = []
    edited = False
    for index, edit in enumerate(batch):
        try:
            after, ids, gone = _apply_one(stored, host, edit)
            if after is not stored:
                inverse.append(_inverse(after, stored, host))
        except EditError as error:
            error.index = index
            raise
        if after is not stored:
            stored = after
            changed.extend(ids)
            removed.extend(gone)
            edited = edited or not isinstance(edit, Restore)
    if deep_equal(stored, document.stored):
        return EditResult(document, unchanged=True)
    result = _parsed(stored, host, edited=edited, index=len(batch) - 1)
    if result.stored is not stored:
        inverse.append(_inverse(result.stored, stored, host))
    names, present = names_of(document), names_of(result)
    return EditResult(
        result,
        unchanged=False,
        changed=tuple(dict.fromkeys(changed)),
        inverse=tuple(reversed(inverse)),
        dependants=dependants(document, result, {*removed, *(names - present)}, present),
    )


def _apply_one(
    stored: dict[str, Any], host: str | Absent, edit: Edit
) -> tuple[dict[str, Any], Sequence[str], Sequence[tuple[Kind, str]]]:
    """The stored document after one edit, the same object when it changes nothing."""
    if isinstance(edit, Restore):
        after, ids = restore(stored, edit)
        return after, ids, ()
    native = to_native(stored, host)
    outcome = HANDLERS[edit.edit](Draft(native, host), edit)
    if deep_equal(outcome.stored, native):
        return stored, (), ()
    return outcome.stored, outcome.changed, outcome.removed


def _host(document: Document, batch: Sequence[Edit]) -> str | Absent:
    named = (edit.host_workflow_id for edit in batch if isinstance(edit, Restore) and edit.host_workflow_id is not None)
    return next(named, host_of(document))


def _inverse(after: dict[str, Any], before: dict[str, Any], host: str | Absent) -> dict[str, Any]:
    try:
        step = difference(after, before)
    except JsonWriteError as error:
        raise _unwritable(error.message) from None
    return step if host is ABSENT else step | {"host_workflow_id": host}


def _unwritable(reason: str, index: int = 0) -> EditError:
    message = f"The document could not be saved any more: {reason}"
    return EditError("invalid_arguments", message, index, next_action="Nest less deeply.")


def _parsed(stored: dict[str, Any], host: str | Absent, *, edited: bool, index: int) -> Document:
    try:
        json_copy(stored)
    except ValueError as error:
        raise _unwritable(f"{error}.", index) from None
    document = settled(stored, host) if edited else parse_document(stored, host).document
    if document is None:
        raise EditError(
            "conflict",
            "What the edits give is no application document.",
            index,
            next_action="Look at the document as it is now and make the change anew.",
        )
    return document


def parse_edits(edits: EditLike | Sequence[EditLike]) -> list[Edit]:
    """Edits from models or JSON, one or several.

    Raises:
        EditError: One of them is no edit (`invalid_arguments`), with its index and the argument at fault.
    """
    items: Sequence[Any] = [edits] if isinstance(edits, (Mapping, Arguments)) else edits
    return [_parse_edit(item, index) for index, item in enumerate(items)]


def _parse_edit(item: Any, index: int) -> Edit:
    if isinstance(item, Arguments):
        return item  # pyright: ignore[reportReturnType]
    try:
        return _ADAPTER.validate_python(item)
    except ValidationError as error:
        raise _as_edit_error(item, error, index) from None


def _as_edit_error(item: Any, error: ValidationError, index: int) -> EditError:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"].startswith("union_tag") or not is_record(item):
        verb = item.get("edit") if is_record(item) else None
        return EditError(
            "invalid_arguments",
            f"Edit number {index + 1} names no verb." if verb is None else f'There is no edit "{verb}".',
            index,
            "edit",
            next_action=f'Write one of {", ".join((*HANDLERS, "restore"))} as "edit".',
        )
    field = ".".join(str(part) for part in first["loc"][1:])
    return EditError(
        "invalid_arguments",
        f'{item["edit"]}: "{field}": {first["msg"]}.',
        index,
        field,
        next_action=f'Correct "{field}" and send the edits again.',
    )
