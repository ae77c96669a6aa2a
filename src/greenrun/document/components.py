"""The component tree as stored: one walk that everything else is built on (spec: app-runtime 3.1, 3.4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeGuard

from greenrun.document.catalog import WIDGETS
from greenrun.document.js import is_list, ordered_items
from greenrun.document.values import is_record

Path: TypeAlias = tuple[str | int, ...]

MAX_DEPTH: Final = 200
"""How deep components may be nested; what stands deeper is dropped. JSON that was read cannot get near it."""

NOT_AN_OBJECT: Final = "is not an object"
NO_TYPE: Final = 'has no "type" text'
NO_PROPS: Final = 'has no "props" object'
NOT_A_LIST: Final = "is not a list of components"
TOO_DEEP: Final = f"stands more than {MAX_DEPTH} components deep"


@dataclass(frozen=True, slots=True)
class Component:
    """One component node. `stored` is the node itself, `path` its place inside `ui`.

    `id` is the stored one, or ``<type>-<n>`` with the number of components before it (`positional`).
    """

    id: str
    type: str
    props: dict[str, Any]
    stored: dict[str, Any]
    parent_id: str | None
    slot: str | None
    path: Path
    positional: bool


@dataclass(frozen=True, slots=True)
class DroppedEntry:
    """Something in the content or in a slot that is no component. `index` is None when the whole slot is meant.

    `fault` says why, ready to follow a noun.
    """

    parent_id: str | None
    slot: str | None
    index: int | None
    path: Path
    fault: str


@dataclass(frozen=True, slots=True)
class Misplaced:
    """Components in a prop that is no slot of their known parent's type; `count` does not count what they contain."""

    widget_id: str
    prop: str
    count: int
    type: str
    path: Path


@dataclass(frozen=True, slots=True)
class Walk:
    """All components, parents before children, and what the walk could not use."""

    components: tuple[Component, ...]
    dropped: tuple[DroppedEntry, ...]
    misplaced: tuple[Misplaced, ...]


@dataclass(slots=True)
class _Level:
    """One list of entries that is being walked."""

    entries: Iterator[tuple[int, Any]]
    path: Path
    parent_id: str | None
    slot: str | None
    depth: int


def is_component(value: object) -> TypeGuard[dict[str, Any]]:
    """True for a record with a string `type` and a record `props`."""
    return is_record(value) and isinstance(value.get("type"), str) and is_record(value.get("props"))


def walk(ui: dict[str, Any], *, declared_slots_only: bool = False) -> Walk:
    """Every component of `ui.content`, depth first (spec: app-runtime 3.1).

    A known type is walked through its declared slots, an unknown one through every list that holds a component. With
    `declared_slots_only` unknown types are not entered and slots come in declared order (spec: app-runtime 3.4).
    """
    content = ui.get("content")
    components: list[Component] = []
    dropped: list[DroppedEntry] = []
    misplaced: list[Misplaced] = []
    # An explicit stack, because a document handed in as objects may be nested deeper than Python recurses.
    levels = [_Level(enumerate(content if is_list(content) else []), ("content",), None, None, 0)]
    while levels:
        level = levels[-1]
        position = next(level.entries, None)
        if position is None:
            levels.pop()
            continue
        index, entry = position
        path = (*level.path, index)
        fault = TOO_DEEP if level.depth >= MAX_DEPTH else _fault(entry)
        if fault is not None:
            dropped.append(DroppedEntry(level.parent_id, level.slot, index, path, fault))
            continue
        component = _component(entry, level, path, len(components))
        components.append(component)
        children = _children(component, declared_slots_only, dropped, misplaced)
        for prop, entries in reversed(children):
            below = (*path, "props", prop)
            levels.append(_Level(enumerate(entries), below, component.id, prop, level.depth + 1))
    return Walk(tuple(components), tuple(dropped), tuple(misplaced))


def find_nodes(ui: dict[str, Any], component_id: str, *, declared_slots_only: bool = False) -> tuple[Component, ...]:
    """The components with that id in walking order; the first one is the one that an edit means."""
    found = walk(ui, declared_slots_only=declared_slots_only)
    return tuple(component for component in found.components if component.id == component_id)


def _fault(entry: object) -> str | None:
    if not is_record(entry):
        return NOT_AN_OBJECT
    if not isinstance(entry.get("type"), str):
        return NO_TYPE
    return None if is_record(entry.get("props")) else NO_PROPS


def _component(entry: dict[str, Any], level: _Level, path: Path, number: int) -> Component:
    props = entry["props"]
    own_id = props.get("id")
    positional = not isinstance(own_id, str)
    return Component(
        id=f"{entry['type']}-{number}" if positional else own_id,
        type=entry["type"],
        props=props,
        stored=entry,
        parent_id=level.parent_id,
        slot=level.slot,
        path=path,
        positional=positional,
    )


def _children(
    component: Component, declared_slots_only: bool, dropped: list[DroppedEntry], misplaced: list[Misplaced]
) -> list[tuple[str, list[Any]]]:
    """The lists of children, in order; notes slots that are no list and lists of components that are no slot."""
    widget = WIDGETS.get(component.type)
    if widget is None and declared_slots_only:
        return []
    children: dict[str, list[Any]] = {}
    for prop, value in component.props.items():
        is_slot = widget is not None and prop in widget.slots
        if not is_list(value):
            if is_slot and value is not None and value != "":
                place = (*component.path, "props", prop)
                dropped.append(DroppedEntry(component.id, prop, None, place, NOT_A_LIST))
        elif is_slot:
            children[prop] = value
        elif count := sum(map(is_component, value)):
            if widget is None:
                children[prop] = value
            else:
                misplaced.append(Misplaced(component.id, prop, count, component.type, component.path))
    if declared_slots_only and widget is not None:
        return [(slot, children[slot]) for slot in widget.slots if slot in children]
    return ordered_items(children)
