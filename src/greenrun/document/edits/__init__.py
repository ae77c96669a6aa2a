"""Edits of a document: data in, the next document and the way back out (spec: app-runtime 3.4, 13)."""

from __future__ import annotations

from greenrun.document.edits.apply import HANDLERS, EditResult, apply, parse_edits
from greenrun.document.edits.dependants import Dependant
from greenrun.document.edits.ids import component_id
from greenrun.document.edits.models import Edit
from greenrun.document.errors import EditError

CODES = (
    "conflict",
    "duplicate_id",
    "invalid_arguments",
    "invalid_mapping",
    "scope_required",
    "unknown_operation",
    "unknown_parent",
    "unknown_resource",
    "unknown_slot",
    "unknown_type",
    "unknown_variable",
    "unknown_widget",
)
"""The codes of refused edits, a part of those of the tools (spec: harness 7)."""

__all__ = [
    "CODES",
    "HANDLERS",
    "Dependant",
    "Edit",
    "EditError",
    "EditResult",
    "apply",
    "component_id",
    "parse_edits",
]
