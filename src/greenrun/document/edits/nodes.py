"""The component nodes of a document as edits address them.

An edit finds a widget by the id under which a check reports it, a positional one included; of several the first in
flattening order is meant (spec: app-runtime 3.1, 3.4).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from greenrun.document import catalog
from greenrun.document.components import Component, Path, walk
from greenrun.document.edits.paths import replaced, value_at
from greenrun.document.errors import EditError
from greenrun.document.js import is_list

_LISTED = 80


def components(ui: dict[str, Any]) -> tuple[Component, ...]:
    """All component nodes, parents before children."""
    return walk(ui).components


def list_path(component: Component) -> Path:
    """The path of the list that holds the component."""
    return component.path[:-1]


def index_of(component: Component) -> int:
    """Its place in that list."""
    index = component.path[-1]
    assert isinstance(index, int)
    return index


def find(ui: dict[str, Any], widget_id: str, *, field: str = "id", code: str = "unknown_widget") -> Component:
    """The first widget with that id in flattening order.

    Raises:
        EditError: There is none.
    """
    found = components(ui)
    match = next((item for item in found if item.id == widget_id), None)
    if match is None:
        raise EditError(
            code,
            f'There is no widget "{widget_id}". The widgets are {listed(item.id for item in found)}.',
            field=field,
            next_action="Use the id of one of these widgets.",
        )
    return match


def require_type(type_: str) -> None:
    """Refuse a widget type that the catalog does not have.

    Raises:
        EditError: The type is unknown.
    """
    if not catalog.is_known(type_):
        raise EditError(
            "unknown_type",
            f'There is no widget type "{type_}". The types are {listed(catalog.WIDGETS)}.',
            field="type",
            next_action="Use one of these types.",
        )


def choose_slot(parent: Component, slot: str | None) -> str:
    """The slot that is meant: the named one, else the first of the parent's type.

    Raises:
        EditError: The parent has no slots, or none of that name.
    """
    slots = catalog.slots(parent.type)
    if not slots:
        raise EditError(
            "unknown_slot",
            f'{parent.type} "{parent.id}" has no slots, so nothing can be put into it.',
            field="parent_id" if slot is None else "slot",
            next_action="Choose a Container, Columns, Tabs or Accordion as parent, or give none.",
        )
    if slot is None:
        return slots[0]
    if slot not in slots:
        raise EditError(
            "unknown_slot",
            f'{parent.type} "{parent.id}" has no slot "{slot}". Its slots are {listed(slots)}.',
            field="slot",
            next_action="Use one of these slots.",
        )
    return slot


def insert(ui: dict[str, Any], place: Path, index: int | None, nodes: list[dict[str, Any]]) -> dict[str, Any]:
    """A copy of `ui` with nodes put into the content or a slot; the index is clamped, the default is the end."""
    stored = value_at(ui, place[:-1]).get(place[-1])
    items: list[Any] = stored if is_list(stored) else []
    at = len(items) if index is None else min(max(index, 0), len(items))
    return replaced(ui, place, [*items[:at], *nodes, *items[at:]])


def cut(ui: dict[str, Any], found: Component) -> dict[str, Any]:
    """A copy of `ui` without that node."""
    items, index = value_at(ui, list_path(found)), index_of(found)
    return replaced(ui, list_path(found), [*items[:index], *items[index + 1 :]])


def inside(path: Path, outer: Path) -> bool:
    """True when `path` is `outer` or stands inside it."""
    return path[: len(outer)] == outer


def listed(names: Iterable[str]) -> str:
    """Names in double quotes, for a message; at most 80 of them."""
    quoted = [f'"{name}"' for name in names]
    if len(quoted) > _LISTED:
        quoted = [*quoted[:_LISTED], f"{len(quoted) - _LISTED} more"]
    return ", ".join(quoted) or "none"
