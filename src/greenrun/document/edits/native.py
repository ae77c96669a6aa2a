"""The native shape of stored documents: what an edit writes (spec: app-runtime 2.3, O-48)."""

from __future__ import annotations

from typing import Any

from greenrun.document.edits.paths import without
from greenrun.document.edits.targets import sentinel
from greenrun.document.js import is_list
from greenrun.document.model import BASE_VERSION, Document, FunctionTarget, Operation
from greenrun.document.operations import own_target
from greenrun.document.parse import is_puck, parse_document
from greenrun.document.values import ABSENT, Absent, Value, is_number, is_record, is_text

HOST_PLACEHOLDER = "self"
"""Stands for the host's workflow while a document is posted inline; it means nothing in a saved one."""


def is_envelope(stored: dict[str, Any]) -> bool:
    """True for a document in the v1/v2 envelope ``{version, data}``."""
    return not is_puck(stored.get("ui"))


def to_native(stored: dict[str, Any], host: str | Absent) -> dict[str, Any]:
    """A stored document in native shape: the same object when it has that, an envelope is lifted.

    The lifted operation names the host workflow as the parser does. Unknown keys of the envelope are kept.
    """
    if not is_envelope(stored):
        return stored
    parsed = parse_document(stored, host).document
    operations = [stored_operation(item) for item in parsed.operations] if parsed is not None else []
    return {
        "schemaVersion": BASE_VERSION,
        "ui": stored["data"],
        "operations": operations,
        "resources": [],
        "variables": [],
        **without(stored, "version", "data", "schemaVersion", "ui", "operations", "resources", "variables"),
    }


def stored_operation(operation: Operation) -> dict[str, Any]:
    """A workflow operation without mappings as it is stored; a placeholder host becomes the empty id."""
    workflow_id = "" if operation.workflow_id == HOST_PLACEHOLDER else operation.workflow_id
    return {
        "id": operation.id,
        "name": operation.name,
        "workflowId": workflow_id,
        "inputs": {},
        "outputs": {},
        "policy": operation.policy,
    }


def settled(stored: dict[str, Any], host: str | Absent) -> Document | None:
    """An edited document as it is saved, parsed; None when what came out is no document.

    The schemaVersion becomes 4 when the document needs it: with a script or function target, or where no number stands.
    Any other number stays. Beside a function stands the workflow id that makes NodeTool keep it.
    """
    document = parse_document(stored, host).document
    if document is None:
        return None
    wanted = _with_sentinels(_with_version(stored, document))
    return document if wanted is stored else parse_document(wanted, host).document


def _with_version(stored: dict[str, Any], document: Document) -> dict[str, Any]:
    version = stored.get("schemaVersion")
    owns_target = any(operation.target is not None for operation in document.operations)
    if is_number(version) and (version >= BASE_VERSION or not owns_target):
        return stored
    needed = BASE_VERSION if is_number(version) else document.schema_version
    if "schemaVersion" in stored:
        return {**stored, "schemaVersion": needed}
    return {"schemaVersion": needed, **stored}


def _with_sentinels(stored: dict[str, Any]) -> dict[str, Any]:
    entries = stored.get("operations")
    if not is_list(entries):
        return stored
    written = [_with_sentinel(entry) for entry in entries]
    if all(one is other for one, other in zip(written, entries, strict=True)):
        return stored
    return {**stored, "operations": written}


def _with_sentinel(entry: Any) -> Any:
    own = own_target(entry.get("target"), None) if is_record(entry) else None
    if not isinstance(own, FunctionTarget) or entry.get("workflowId") == sentinel(own):
        return entry
    return {**entry, "workflowId": sentinel(own)}


def host_of(document: Document) -> str | Absent:
    """The host workflow id with which a document was parsed; `ABSENT` where its operations do not show it."""
    if is_envelope(document.stored):
        return document.operations[0].workflow_id if document.operations else ABSENT
    entries = document.stored.get("operations")
    if not is_list(entries) or all(_names_workflow(entry) for entry in entries):
        return ABSENT
    bare = parse_document(document.stored).document
    pairs = zip(document.operations, bare.operations if bare is not None else (), strict=True)
    return next((ours.workflow_id for ours, other in pairs if ours.workflow_id != other.workflow_id), ABSENT)


def _names_workflow(entry: Value) -> bool:
    return not is_record(entry) or is_text(entry.get("workflowId"))
