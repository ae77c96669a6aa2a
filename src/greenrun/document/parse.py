"""Parsing: stored JSON to a `Document` plus diagnostics; never raises on content (spec: app-runtime 2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeGuard, TypeVar

from greenrun.document.declarations import parse_resource, parse_variable
from greenrun.document.diagnostics import DIAGNOSTIC_CODES, Diagnostic, Kind, shown
from greenrun.document.entries import ListName, Notes
from greenrun.document.errors import JsonReadError
from greenrun.document.js import is_list
from greenrun.document.json_text import read_json
from greenrun.document.model import (
    BASE_VERSION,
    HIGHEST_VERSION,
    Document,
    Operation,
    implicit_operation,
    operation_target,
)
from greenrun.document.operations import parse_operation
from greenrun.document.remarks import KeptIds, note_document
from greenrun.document.values import ABSENT, Absent, is_integer, is_number, is_record

__all__ = [
    "DIAGNOSTIC_CODES",
    "THEMES",
    "Diagnostic",
    "Kind",
    "ParseResult",
    "create_empty_document",
    "create_empty_puck",
    "is_function_operation",
    "is_puck",
    "is_renderable",
    "is_script_operation",
    "lift_legacy",
    "parse_document",
    "theme_id",
]

_Entry = TypeVar("_Entry")

THEMES: Final = {"default": None, "centered": 720, "card": 880}
"""Known theme ids and the width in pixels to which they limit the content (spec: app-runtime 2.7)."""


@dataclass(frozen=True, slots=True)
class ParseResult:
    """The document, or None when the value is none, and what the parser has to say."""

    document: Document | None
    diagnostics: tuple[Diagnostic, ...] = ()


def parse_document(value: Any, host_workflow_id: str | Absent | None = ABSENT) -> ParseResult:
    """Reads a stored document of any version (spec: app-runtime 2.3).

    `host_workflow_id` stands in for an empty workflow id. Nothing is copied or changed: `Document.stored` is `value`.
    """
    notes = Notes()
    document = _parse(value, host_workflow_id if isinstance(host_workflow_id, str) else "", notes)
    return ParseResult(document, tuple(notes.diagnostics))


def _parse(value: Any, host: str, notes: Notes) -> Document | None:
    if not is_record(value):
        notes.add("no_document", "This is not an application document: it is not an object.", step="not_an_object")
        return None
    if is_puck(value.get("ui")):
        return _parse_native(value, host, notes)
    if is_puck(value.get("data")):
        operations = (implicit_operation(host),) if host else ()
        document = Document(stored=value, schema_version=BASE_VERSION, ui=value["data"], operations=operations)
        note_document(document, {}, notes)
        return document
    notes.add("no_document", f"This is not an application document: {_lack(value)}.", step="no_ui")
    return None


def _lack(value: dict[str, Any]) -> str:
    for name in ("ui", "data"):
        page = value.get(name)
        if is_record(page):
            return f'its "{name}" needs an object "root" and a list "content"'
        if page is not None:
            return f'its "{name}" is not an object'
    return 'it has neither "ui" nor, in the older form, "data"'


def _parse_native(value: dict[str, Any], host: str, notes: Notes) -> Document | None:
    version = _schema_version(value, notes)
    if version > HIGHEST_VERSION:
        notes.add(
            "no_document",
            f'"schemaVersion" is {shown(version)}, but the highest that can be read here is {HIGHEST_VERSION}. '
            "Update Greenrun, or save the app in an older format.",
            step="version",
        )
        return None
    operations = _entries(value, "operations", lambda raw, i: parse_operation(raw, i, host, notes), notes)
    resources = _entries(value, "resources", lambda raw, i: parse_resource(raw, i, notes), notes)
    variables = _entries(value, "variables", lambda raw, i: parse_variable(raw, i, notes), notes)
    document = Document(
        stored=value,
        schema_version=version,
        ui=value["ui"],
        operations=tuple(operations.values()),
        resources=tuple(resources.values()),
        variables=tuple(variables.values()),
        theme=_theme(value, notes),
    )
    kept: KeptIds = {
        "operation": [(index, entry.id) for index, entry in operations.items()],
        "variable": [(index, entry.id) for index, entry in variables.items()],
        "resource": [(index, entry.id) for index, entry in resources.items()],
    }
    note_document(document, kept, notes)
    return document


def _schema_version(value: dict[str, Any], notes: Notes) -> int | float:
    stored = value.get("schemaVersion")
    if is_number(stored):
        if not stored > HIGHEST_VERSION and (stored < 0 or not is_integer(stored)):
            notes.changed("schemaVersion", stored, stored, f"Use a whole number from 1 to {HIGHEST_VERSION}.")
        return stored
    version = HIGHEST_VERSION if "recipe" in value else BASE_VERSION
    if stored is not None:
        notes.changed("schemaVersion", stored, version, f"Use a whole number from 1 to {HIGHEST_VERSION}.")
    return version


def _entries(
    value: dict[str, Any], name: ListName, parse: Callable[[Any, int], _Entry | None], notes: Notes
) -> dict[int, _Entry]:
    """The entries that were not dropped, by their index in the stored list."""
    stored = value.get(name)
    if not is_list(stored):
        if stored is not None:
            notes.changed(name, stored, [], "Use a list.")
        return {}
    parsed = {index: parse(raw, index) for index, raw in enumerate(stored)}
    return {index: entry for index, entry in parsed.items() if entry is not None}


def _theme(value: dict[str, Any], notes: Notes) -> str | None:
    stored = value.get("theme")
    theme = stored.get("id") if is_record(stored) else None
    if isinstance(theme, str):
        return theme
    if stored is not None:
        notes.changed("theme", stored, None, 'Use an object with a text "id".')
    return None


def lift_legacy(row: dict[str, Any] | None) -> ParseResult:
    """The document that a workflow row carries as `app_doc`, an object or JSON text (spec: app-runtime 2.5)."""
    if row is None:
        return _no_document("There is no such workflow.", "no_row")
    stored = row.get("app_doc")
    if stored is None or stored == "":
        return _no_document("This workflow has no app yet; build the app first.", "no_app_doc")
    if isinstance(stored, str):
        try:
            stored = read_json(stored, source="app_doc").value
        except JsonReadError as error:
            return _no_document(f'The "app_doc" of this workflow cannot be read: {error.message}', "not_json")
    host = row.get("id")
    # An empty workflow id takes the host while parsing, so nothing is left to fill in afterwards.
    return parse_document(stored, host if isinstance(host, str) else ABSENT)


def _no_document(message: str, step: str) -> ParseResult:
    notes = Notes()
    notes.add("no_document", message, step=step)
    return ParseResult(None, tuple(notes.diagnostics))


def is_puck(value: object) -> TypeGuard[dict[str, Any]]:
    """True for a record whose `root` is a record and whose `content` is a list; nothing deeper is looked at."""
    return is_record(value) and is_record(value.get("root")) and isinstance(value.get("content"), list)


def is_renderable(ui: object) -> bool:
    """True when there is any content to show."""
    return is_record(ui) and is_list(content := ui.get("content")) and len(content) > 0


def create_empty_puck(title: str = "") -> dict[str, Any]:
    """A page without content; an empty title counts as none."""
    return {"root": {"props": {"title": title} if title else {}}, "content": [], "zones": {}}


def create_empty_document(title: str = "") -> dict[str, Any]:
    """The stored form of a new document."""
    return {
        "schemaVersion": BASE_VERSION,
        "ui": create_empty_puck(title),
        "operations": [],
        "resources": [],
        "variables": [],
    }


def is_script_operation(operation: Operation) -> bool:
    """True when the operation runs a script."""
    return operation_target(operation).kind == "script"


def is_function_operation(operation: Operation) -> bool:
    """True when the operation runs a Python function."""
    return operation_target(operation).kind == "function"


def theme_id(document: Document) -> str:
    """The theme that counts: that of the page beats that of the document; an unknown id means ``default``."""
    props = document.ui["root"].get("props")
    page = props.get("theme") if is_record(props) else None
    chosen = page if isinstance(page, str) and page else document.theme
    return chosen if chosen in THEMES else "default"
