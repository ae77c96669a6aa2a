"""Edits that only fixes need: for what a document may hold and no author would write (spec: harness 2.2, 26a-27c)."""

from __future__ import annotations

from typing import Any

from greenrun.document import catalog
from greenrun.document.components import Path, is_component
from greenrun.document.edits.ids import admit_hidden, free_component_id, refuse_duplicate, used_ids
from greenrun.document.edits.models import MoveMisplaced, MoveZone, RenameDuplicate, SetComponentId, SetRaw
from greenrun.document.edits.nodes import choose_slot, components, find, index_of, insert, list_path, listed
from greenrun.document.edits.outcome import WORDS, Draft, Kind, Outcome
from greenrun.document.edits.paths import replaced, without
from greenrun.document.edits.stored_lists import entries, is_kept, refuse_bad_id, with_entry
from greenrun.document.errors import EditError
from greenrun.document.js import is_list
from greenrun.document.slugs import numbered
from greenrun.document.values import is_record

ROOT_ZONES = "root:"
"""Zones of the root itself; their content belongs into the content of the app."""


def set_component_id(draft: Draft, edit: SetComponentId) -> Outcome:
    """Write an id into the node at a path, which has none."""
    found = next((item for item in components(draft.ui) if item.path == tuple(edit.path)), None)
    if found is None:
        raise EditError(
            "unknown_widget",
            f"There is no widget at {edit.path}.",
            field="path",
            next_action="Read the document again; the path counts from ui.",
        )
    if not found.positional and found.id:
        raise EditError(
            "invalid_arguments",
            f'The widget at {edit.path} has the id "{found.id}" already.',
            field="path",
            next_action="Leave the id as it is; bindings may name it.",
        )
    # The positional id that the node goes by is no obstacle to taking just that one.
    used = {item.id for item in components(draft.ui) if item.path != found.path}
    new_id = edit.id or free_component_id(found.type, used)
    refuse_duplicate("widget", new_id, used)
    return Outcome(draft.with_ui(replaced(draft.ui, (*found.path, "props", "id"), new_id)), (new_id,))


def move_zone(draft: Draft, edit: MoveZone) -> Outcome:
    """Empty a zone into a slot; what is no widget stays behind (spec: app-runtime O-25)."""
    zones = draft.ui.get("zones")
    content = zones.get(edit.zone) if is_record(zones) else None
    if not is_list(content) or not is_record(zones):
        raise EditError(
            "invalid_arguments",
            f'There is no zone "{edit.zone}" with content. The zones are {listed(zones if is_record(zones) else ())}.',
            field="zone",
            next_action="Use the name of one of these zones.",
        )
    nodes = admit_hidden([node for node in content if is_component(node)], used_ids(draft.ui))
    ui = insert(draft.ui, _zone_slot(draft, edit), None, nodes)
    rest = [entry for entry in content if not is_component(entry)]
    ui = {**ui, "zones": {**zones, edit.zone: rest} if rest else without(zones, edit.zone)}
    return Outcome(draft.with_ui(ui), tuple(node["props"]["id"] for node in nodes))


def _zone_slot(draft: Draft, edit: MoveZone) -> Path:
    if edit.zone.startswith(ROOT_ZONES):
        return ("content",)
    component, _, slot = edit.zone.rpartition(":")
    parent = find(draft.ui, component, field="zone", code="unknown_parent")
    return (*parent.path, "props", choose_slot(parent, edit.slot or slot))


def move_misplaced(draft: Draft, edit: MoveMisplaced) -> Outcome:
    """Move widgets out of a prop that shows none; what is no widget stays behind."""
    found = find(draft.ui, edit.id)
    stored = found.props.get(edit.prop)
    slots = catalog.slots(found.type)
    hidden = [entry for entry in stored if is_component(entry)] if is_list(stored) else []
    if not hidden or edit.prop in slots:
        reason = "is a slot" if edit.prop in slots else "holds no widgets"
        raise EditError(
            "invalid_arguments",
            f'"{edit.prop}" of {found.type} "{edit.id}" {reason}, so there is nothing to move out of it.',
            field="prop",
            next_action="Name a prop that holds widgets and is no slot.",
        )
    nodes = admit_hidden(hidden, used_ids(draft.ui))
    rest = [entry for entry in stored if not is_component(entry)] if is_list(stored) else []
    props = {**found.props, edit.prop: rest} if rest else without(found.props, edit.prop)
    ui = replaced(draft.ui, (*found.path, "props"), props)
    if slots:
        ui = insert(ui, (*found.path, "props", choose_slot(found, edit.slot)), None, nodes)
    else:
        ui = insert(ui, list_path(found), index_of(found) + 1, nodes)
    return Outcome(draft.with_ui(ui), (edit.id, *(node["props"]["id"] for node in nodes)))


def rename_duplicate(draft: Draft, edit: RenameDuplicate) -> Outcome:
    """Give one of several entries with one id an id of its own; nothing that names the id is changed."""
    if edit.kind == "component":
        places = [(*item.path, "props") for item in components(draft.ui) if item.id == edit.id]
        taken = used_ids(draft.ui)
        path: Path = ("ui", *_nth(places, edit))
        new_id = edit.new_id or numbered(edit.id, taken, "-")
    else:
        name: Any = f"{edit.kind}s"
        stored = entries(draft, name)
        places = [
            (name, index)
            for index, entry in enumerate(stored)
            if is_record(entry) and entry.get("id") == edit.id and is_kept(draft, name, entry)
        ]
        taken = {entry["id"] for entry in stored if is_record(entry) and isinstance(entry.get("id"), str)}
        path = _nth(places, edit)
        new_id = edit.new_id or numbered(edit.id, taken, "_")
        refuse_bad_id(edit.kind, new_id, "new_id")
    refuse_duplicate(WORDS[edit.kind], new_id, taken, "new_id")
    return Outcome(replaced(draft.stored, (*path, "id"), new_id), (new_id,))


def _nth(places: list[Path], edit: RenameDuplicate) -> Path:
    if edit.occurrence > len(places):
        kind: Kind = edit.kind
        raise EditError(
            f"unknown_{WORDS[kind]}",
            f'There are {len(places)} {WORDS[kind]}s with the id "{edit.id}", so there is no number {edit.occurrence}.',
            field="occurrence",
            next_action="Count again; the first has number 1.",
        )
    return places[edit.occurrence - 1]


def set_raw(draft: Draft, edit: SetRaw) -> Outcome:
    """Merge members into a stored entry by its position, and delete members."""
    stored = entries(draft, edit.list)
    entry = stored[edit.index] if edit.index < len(stored) else None
    if not is_record(entry):
        raise EditError(
            "invalid_arguments",
            f'"{edit.list}" has no entry at index {edit.index} that could be completed.',
            field="index",
            next_action="Read the document again; the first entry has index 0.",
        )
    changed = {**without(entry, *edit.remove), **edit.patch}
    name = changed.get("id")
    return Outcome(
        with_entry(draft, edit.list, edit.index, changed),
        (name if isinstance(name, str) else f"{edit.list}[{edit.index}]",),
    )
