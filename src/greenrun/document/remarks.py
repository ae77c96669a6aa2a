"""Remarks about a parsed document as a whole: ids, places of components, zones (spec: harness 2.2 rules 26 and 27e)."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from greenrun.document.catalog import slots
from greenrun.document.components import Component, Walk, is_component, walk
from greenrun.document.condition_remarks import note_conditions
from greenrun.document.diagnostics import one_of, shown
from greenrun.document.entries import LISTS, EntryKind, Notes, entry_place
from greenrun.document.findings import Place
from greenrun.document.js import is_list, ordered_items
from greenrun.document.model import Document
from greenrun.document.values import is_record

KeptIds: TypeAlias = dict[EntryKind, list[tuple[int, str]]]

_ADVICE: Final = {
    "operation": 'Use an id without "/" and ":".',
    "resource": "Give it an id.",
    "node": 'Use a node id without "#".',
    "widget": "Give it an id.",
}


def note_document(document: Document, kept: KeptIds, notes: Notes) -> None:
    """Adds the remarks of rules 27e and 26, except those that the entry parsers made.

    `kept` holds stored index and id of every entry that was not dropped.
    """
    structure = walk(document.ui)
    _note_dropped_components(structure, notes)
    _note_duplicate_ids(kept, notes)
    _note_duplicate_widgets(structure, notes)
    _note_misplaced(structure, notes)
    _note_positional_ids(structure, notes)
    for component in structure.components:
        note_conditions(component, notes)
    _note_zones(document.ui.get("zones"), structure, notes)
    _note_unaddressable_ids(document, kept, structure, notes)
    if "recipe" in document.stored:
        notes.add("recipe", 'The document has a "recipe"; it is kept and not used here.')


def _note_dropped_components(structure: Walk, notes: Notes) -> None:
    for entry in structure.dropped:
        where = "the content" if entry.parent_id is None else f'"{entry.slot}" of {shown(entry.parent_id)}'
        what = f"{where[0].upper()}{where[1:]}" if entry.index is None else f"Entry {entry.index + 1} of {where}"
        notes.add(
            "node_dropped",
            f"{what} {entry.fault}, so it is not shown. "
            'A component is an object with a text "type" and an object "props".',
            Place(widget=entry.parent_id, prop=entry.slot),
            parent=entry.parent_id,
            slot=entry.slot,
            index=entry.index,
            path=entry.path,
            fault=entry.fault,
        )


def _note_duplicate_ids(kept: KeptIds, notes: Notes) -> None:
    for kind, ids in kept.items():
        indexes: dict[str, list[int]] = {}
        for index, entry_id in ids:
            indexes.setdefault(entry_id, []).append(index)
        for entry_id, places in indexes.items():
            if len(places) > 1:
                notes.add(
                    "duplicate_id",
                    f"{len(places)} {kind}s have the id {shown(entry_id)}; references mean the first. "
                    "Give the others ids of their own.",
                    entry_place(kind, entry_id),
                    entry=kind,
                    list=LISTS[kind],
                    id=entry_id,
                    indexes=places,
                )


def _note_duplicate_widgets(structure: Walk, notes: Notes) -> None:
    by_id: dict[str, list[Component]] = {}
    for component in structure.components:
        by_id.setdefault(component.id, []).append(component)
    for component_id, components in by_id.items():
        if len(components) > 1:
            types = [component.type for component in components]
            notes.add(
                "duplicate_widget",
                f"{len(components)} widgets have the id {shown(component_id)} ({', '.join(types)}); references mean "
                "the first. Give the others ids of their own.",
                Place(widget=component_id),
                id=component_id,
                types=types,
                paths=[component.path for component in components],
            )


def _note_misplaced(structure: Walk, notes: Notes) -> None:
    for item in structure.misplaced:
        known = slots(item.type)
        count = "1 widget in" if item.count == 1 else f"{item.count} widgets in"
        verb = "is" if item.count == 1 else "are"
        reason = f"it is no slot. Use {one_of(known)}." if known else "a widget of this type holds no others."
        notes.add(
            "misplaced_widgets",
            f'{item.type} {shown(item.widget_id)}: {count} "{item.prop}" {verb} never shown, because {reason}',
            Place(widget=item.widget_id, prop=item.prop),
            widget=item.widget_id,
            type=item.type,
            prop=item.prop,
            count=item.count,
            slots=list(known),
            path=item.path,
        )


def _note_positional_ids(structure: Walk, notes: Notes) -> None:
    for component in structure.components:
        if component.positional:
            notes.add(
                "positional_id",
                f"A {component.type} has no id; it is called {shown(component.id)} by its position, which changes when "
                "widgets before it do. Give it an id.",
                Place(widget=component.id),
                id=component.id,
                type=component.type,
                path=component.path,
            )


def _note_zones(zones: Any, structure: Walk, notes: Notes) -> None:
    if not is_record(zones):
        return
    types = {component.id: component.type for component in reversed(structure.components)}
    for zone, content in ordered_items(zones):
        count = sum(map(is_component, content)) if is_list(content) else 0
        if count == 0:
            continue
        component, slot = _zone_slot(zone, types)
        verb = "1 widget is" if count == 1 else f"{count} widgets are"
        advice = (
            f'Move the content into "{slot}" of {shown(component)}.'
            if component is not None
            else "Its name leads to no slot of a widget here; place the content by hand."
        )
        notes.add(
            "zone_content",
            f"{verb} in the zone {shown(zone)}, which is never shown. {advice}",
            Place(widget=component, prop=zone),
            zone=zone,
            count=count,
            component=component,
            slot=slot,
        )


def _zone_slot(zone: str, types: dict[str, str]) -> tuple[str | None, str | None]:
    """The component and the slot that a zone's name gives, when both exist. Component ids may hold colons."""
    component_id, _, slot = zone.rpartition(":")
    if component_id in types and slot in slots(types[component_id]):
        return component_id, slot
    return None, None


def _note_unaddressable_ids(document: Document, kept: KeptIds, structure: Walk, notes: Notes) -> None:
    for kind, ids in kept.items():
        for index, entry_id in ids:
            if entry_id == "" or (kind == "operation" and ("/" in entry_id or ":" in entry_id)):
                _note_id(kind, entry_id, entry_place(kind, entry_id), notes, index=index)
    for operation in document.operations:
        for side, mappings in (("inputs", operation.inputs), ("outputs", operation.outputs)):
            for node_id in mappings:
                if node_id == "" or "#" in node_id:
                    place = entry_place("operation", operation.id, node=node_id)
                    _note_id("node", node_id, place, notes, operation=operation.id, side=side)
    for component in structure.components:
        if component.id == "":
            _note_id("widget", "", Place(widget="", prop="id"), notes, path=component.path)


def _note_id(entry: str, entry_id: str, place: Place, notes: Notes, **data: Any) -> None:
    fault = "is empty" if entry_id == "" else "cannot be written in a binding"
    message = f"The {entry} id {shown(entry_id)} {fault}. {_ADVICE[entry]}"
    notes.add("unaddressable_id", message, place, entry=entry, id=entry_id, **data)
