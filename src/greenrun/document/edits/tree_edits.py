"""Edits of the widget tree: add, change, move, remove (spec: app-runtime 3.4, O-30)."""

from __future__ import annotations

from typing import Any

from greenrun.document import catalog
from greenrun.document.components import Component, Path, is_component
from greenrun.document.edits.ids import admit, free_component_id, refuse_duplicate, used_ids
from greenrun.document.edits.models import (
    AddComponent,
    DeleteProps,
    MoveComponent,
    RemoveComponent,
    SetComponentType,
    SetTitle,
    UpdateComponent,
)
from greenrun.document.edits.nodes import (
    choose_slot,
    components,
    cut,
    find,
    index_of,
    insert,
    inside,
    list_path,
    require_type,
)
from greenrun.document.edits.outcome import Draft, Outcome
from greenrun.document.edits.paths import replaced, without
from greenrun.document.errors import EditError
from greenrun.document.js import is_list, truthy
from greenrun.document.values import is_record

ROOT_ID = "root"
"""Stands among the changed ids for the app's own props, the title for instance."""


def add_component(draft: Draft, edit: AddComponent) -> Outcome:
    """Put a new widget, with all that stands in its slots, into the content or into a slot."""
    require_type(edit.type)
    used = used_ids(draft.ui)
    place = _destination(draft, edit.parent_id, edit.slot)
    own = edit.props.get("id")
    new_id = edit.id or (own if isinstance(own, str) and own else free_component_id(edit.type, used))
    refuse_duplicate("widget", new_id, used)
    node = admit({"type": edit.type, "props": {**edit.props, "id": new_id}}, used)
    return Outcome(draft.with_ui(insert(draft.ui, place, edit.index, [node])), (new_id,))


def _destination(draft: Draft, parent_id: str | None, slot: str | None) -> Path:
    """The path of the list that is meant by a parent and a slot."""
    if parent_id is None:
        if slot is not None:
            raise EditError(
                "unknown_slot",
                f'The content of the app has no slot "{slot}".',
                field="slot",
                next_action='Give the widget that has this slot as "parent_id".',
            )
        return ("content",)
    parent = find(draft.ui, parent_id, field="parent_id", code="unknown_parent")
    return (*parent.path, "props", choose_slot(parent, slot))


def with_props(draft: Draft, found: Component, props: dict[str, Any]) -> dict[str, Any]:
    """The stored document with other props for one widget."""
    return draft.with_ui(replaced(draft.ui, (*found.path, "props"), props))


def update_component(draft: Draft, edit: UpdateComponent) -> Outcome:
    """Merge props; refuse children whose ids are in use elsewhere."""
    found = find(draft.ui, edit.id)
    props = {**found.props, **without(edit.props, "id")}
    stored = with_props(draft, found, props)
    if any(is_list(value) and any(map(is_component, value)) for value in edit.props.values()):
        _refuse_new_duplicates(draft.ui, stored["ui"])
    return Outcome(stored, (edit.id,))


def _refuse_new_duplicates(before: dict[str, Any], after: dict[str, Any]) -> None:
    old = [found.id for found in components(before)]
    seen: set[str] = set()
    for found in components(after):
        if found.id in seen and old.count(found.id) < 2:
            refuse_duplicate("widget", found.id, seen, "props")
        seen.add(found.id)


def delete_props(draft: Draft, edit: DeleteProps) -> Outcome:
    """Delete props by name; neither the id nor a slot that holds widgets can be deleted."""
    found = find(draft.ui, edit.id)
    if "id" in edit.props:
        raise EditError(
            "invalid_arguments",
            f'The id of "{edit.id}" cannot be deleted.',
            field="props",
            next_action='Leave "id" out.',
        )
    for name in catalog.slots(found.type):
        children = found.props.get(name)
        if name in edit.props and is_list(children) and any(map(is_component, children)):
            raise EditError(
                "invalid_arguments",
                f'The slot "{name}" of "{edit.id}" holds widgets.',
                field="props",
                next_action="Move or remove the widgets in it first.",
            )
    return Outcome(with_props(draft, found, without(found.props, *edit.props)), (edit.id,))


def move_component(draft: Draft, edit: MoveComponent) -> Outcome:
    """Take a subtree out and put it in elsewhere; `index` counts without it."""
    found = find(draft.ui, edit.id)
    destination = _destination(draft, edit.parent_id, edit.slot)
    if inside(destination, found.path):
        raise EditError(
            "invalid_arguments",
            f'"{edit.id}" cannot be moved into itself: "{edit.parent_id}" is "{edit.id}" or stands inside it.',
            field="parent_id",
            next_action="Choose a parent outside of the widget.",
        )
    rest = cut(draft.ui, found)
    return Outcome(draft.with_ui(insert(rest, _after_cut(destination, found), edit.index, [found.stored])), (edit.id,))


def _after_cut(path: Path, found: Component) -> Path:
    """A path as it reads once a node is gone: a later sibling of the node, or something in one, moves up."""
    depth = len(list_path(found))
    if len(path) <= depth or not inside(path, list_path(found)):
        return path
    index = path[depth]
    if isinstance(index, int) and index > index_of(found):
        return (*path[:depth], index - 1, *path[depth + 1 :])
    return path


def remove_component(draft: Draft, edit: RemoveComponent) -> Outcome:
    """Take a subtree out; everything in it counts as removed."""
    found = find(draft.ui, edit.id)
    gone = [item.id for item in components(draft.ui) if inside(item.path, found.path)]
    return Outcome(draft.with_ui(cut(draft.ui, found)), tuple(gone), tuple(("component", item) for item in gone))


def set_component_type(draft: Draft, edit: SetComponentType) -> Outcome:
    """Change the type and nothing else."""
    found = find(draft.ui, edit.id)
    require_type(edit.type)
    return Outcome(draft.with_ui(replaced(draft.ui, (*found.path, "type"), edit.type)), (edit.id,))


def set_title(draft: Draft, edit: SetTitle) -> Outcome:
    """Write ``root.props.title``; an empty title is none (spec: app-runtime 2.6)."""
    root = draft.ui["root"]
    stored = root.get("props")
    props = stored if is_record(stored) else {}
    if edit.title == "" and not truthy(props.get("title")):
        return Outcome(draft.stored)
    titled = {**props, "title": edit.title} if edit.title else without(props, "title")
    return Outcome(draft.with_ui({**draft.ui, "root": {**root, "props": titled}}), (ROOT_ID,))
