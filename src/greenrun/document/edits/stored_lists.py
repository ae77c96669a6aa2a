"""The lists of operations, variables and resources as they are stored, entries that the parser drops included."""

from __future__ import annotations

from typing import Any, Final

from greenrun.document.declarations import parse_resource, parse_variable
from greenrun.document.edits.ids import refuse_duplicate
from greenrun.document.edits.models import ListName
from greenrun.document.edits.nodes import listed
from greenrun.document.edits.outcome import Draft, Kind
from greenrun.document.entries import Notes
from greenrun.document.errors import EditError
from greenrun.document.js import is_list
from greenrun.document.model import Operation
from greenrun.document.operations import parse_operation
from greenrun.document.slugs import unique
from greenrun.document.values import ABSENT, is_record

LISTS: Final[dict[ListName, Kind]] = {"operations": "operation", "variables": "variable", "resources": "resource"}


def entries(draft: Draft, name: ListName) -> list[Any]:
    """The stored list; empty when something else is stored there."""
    stored = draft.stored.get(name)
    return stored if is_list(stored) else []


def with_entries(draft: Draft, name: ListName, items: list[Any]) -> dict[str, Any]:
    """The stored document with another list."""
    return {**draft.stored, name: items}


def with_entry(draft: Draft, name: ListName, index: int, entry: dict[str, Any]) -> dict[str, Any]:
    """The stored document with one entry of a list replaced."""
    items = entries(draft, name)
    return with_entries(draft, name, [*items[:index], entry, *items[index + 1 :]])


def parsed_operation(draft: Draft, entry: Any) -> Operation | None:
    """What the parser makes of a stored operation; None when it drops it."""
    return parse_operation(entry, 0, "" if draft.host is ABSENT else draft.host, Notes())


def is_kept(draft: Draft, name: ListName, entry: Any) -> bool:
    """False for an entry that the parser drops; nothing can name that one."""
    if name == "operations":
        return parsed_operation(draft, entry) is not None
    parse = parse_variable if name == "variables" else parse_resource
    return parse(entry, 0, Notes()) is not None


def find_entry(draft: Draft, name: ListName, entry_id: str, field: str = "id") -> tuple[int, dict[str, Any]]:
    """Index and stored entry of the first one with that id that the parser keeps, else of the first one.

    Raises:
        EditError: There is none.
    """
    stored = entries(draft, name)
    found = [(index, entry) for index, entry in enumerate(stored) if is_record(entry) and entry.get("id") == entry_id]
    if not found:
        raise EditError(
            f"unknown_{LISTS[name]}",
            f'There is no {LISTS[name]} "{entry_id}". The {name} are {listed(sorted(ids(draft, name)))}.',
            field=field,
            next_action=f"Use the id of one of these {name}, or add the {LISTS[name]} first.",
        )
    return next((pair for pair in found if is_kept(draft, name, pair[1])), found[0])


def ids(draft: Draft, name: ListName) -> set[str]:
    """The ids in use."""
    return {entry["id"] for entry in entries(draft, name) if is_record(entry) and isinstance(entry.get("id"), str)}


def new_entry_id(draft: Draft, name: ListName, given: str | None, base: str) -> str:
    """The id given, or a free one made from `base` (spec: app-runtime 13.1).

    Raises:
        EditError: The id is in use, or the token grammar cannot address it.
    """
    used = ids(draft, name)
    if given is None:
        return unique(base, used)
    refuse_duplicate(LISTS[name], given, used)
    refuse_bad_id(LISTS[name], given)
    return given


def refuse_bad_id(kind: Kind, new_id: str, field: str = "id") -> None:
    """Refuse an id that the token grammar cannot address (spec: app-runtime 4.2, O-4).

    Raises:
        EditError: It is an operation's and holds ``/`` or ``:``.
    """
    if kind == "operation" and ("/" in new_id or ":" in new_id):
        raise EditError(
            "invalid_arguments",
            f'"{new_id}" cannot be the id of an operation: "/" and ":" have a meaning in bindings.',
            field=field,
            next_action="Use letters, digits, - and _, or leave the id out to get a free one.",
        )


def remove_entries(draft: Draft, name: ListName, entry_id: str) -> dict[str, Any]:
    """The stored document without all entries that have that id.

    Raises:
        EditError: There is none.
    """
    find_entry(draft, name, entry_id)
    kept = [item for item in entries(draft, name) if not (is_record(item) and item.get("id") == entry_id)]
    return with_entries(draft, name, kept)
