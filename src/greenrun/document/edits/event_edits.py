"""Edits of the events of a widget (spec: app-runtime 3.2, 8.1)."""

from __future__ import annotations

from typing import Any

from greenrun.document.edits.models import InsertEvent, UpdateEvent
from greenrun.document.edits.nodes import find
from greenrun.document.edits.outcome import Draft, Outcome
from greenrun.document.edits.paths import without
from greenrun.document.edits.tree_edits import with_props
from greenrun.document.errors import EditError
from greenrun.document.js import is_list
from greenrun.document.values import is_record

TRIGGERS = ("click", "change")


def insert_event(draft: Draft, edit: InsertEvent) -> Outcome:
    """Add an event whose trigger is one that the format knows; the index is clamped."""
    found = find(draft.ui, edit.id)
    if edit.event.get("trigger") not in TRIGGERS:
        raise EditError(
            "invalid_arguments",
            f'The trigger of an event is "click" or "change", not {edit.event.get("trigger")!r}.',
            field="event.trigger",
            next_action='Write the trigger that the widget emits: "click" for a Button, "change" for an input.',
        )
    stored = found.props.get("events")
    events: list[Any] = stored if is_list(stored) else []
    at = len(events) if edit.index is None else min(max(edit.index, 0), len(events))
    props = {**found.props, "events": [*events[:at], edit.event, *events[at:]]}
    return Outcome(with_props(draft, found, props), (edit.id,))


def update_event(draft: Draft, edit: UpdateEvent) -> Outcome:
    """Change members of one stored event, also of one that is dropped at load for lack of a trigger."""
    found = find(draft.ui, edit.id)
    events = found.props.get("events")
    if not is_list(events) or edit.index >= len(events) or not is_record(events[edit.index]):
        raise EditError(
            "invalid_arguments",
            f'"{edit.id}" has no event at index {edit.index}.',
            field="index",
            next_action="Read the widget's events again; the first one has index 0.",
        )
    event = {**without(events[edit.index], *edit.remove), **edit.patch}
    props = {**found.props, "events": [*events[: edit.index], event, *events[edit.index + 1 :]]}
    return Outcome(with_props(draft, found, props), (edit.id,))
