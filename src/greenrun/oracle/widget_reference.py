"""Which widget a step means: exact id, then type, then label (spec: harness 3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from greenrun.document.nearest import Choice, nearest_choice
from greenrun.document.tree import Widget

ROSTER_LIMIT = 12

Found: TypeAlias = Widget | str
"""The widget, or the text of the error."""


def find_widget(reference: str, widgets: Sequence[Widget]) -> Found:
    """The widget that a reference names; an ambiguous or unknown one gives the error with a roster."""
    exact = next((widget for widget in widgets if widget.id == reference), None)
    if exact is not None:
        return exact
    for what, matches in (
        ("type", [widget for widget in widgets if widget.type == reference]),
        ("label", [widget for widget in widgets if widget.label and widget.label == reference]),
    ):
        if len(matches) == 1:
            return matches[0]
        if matches:
            ids = ", ".join(f'"{widget.id}"' for widget in matches[:ROSTER_LIMIT])
            return f'"{reference}" is the {what} of {len(matches)} widgets ({ids}); name one of them by its id.'
    meant = _nearest(reference, widgets)
    hint = f'Did you mean "{meant}"? ' if meant is not None else ""
    return f'No widget has the id, type or label "{reference}". {hint}{roster(widgets)}'


def _nearest(reference: str, widgets: Sequence[Widget]) -> str | None:
    """The id or the type that a misspelt reference most likely means."""
    choices = [Choice(widget.id, (widget.id, widget.label or widget.id)) for widget in widgets]
    choices += [Choice(type_, (type_,)) for type_ in {widget.type for widget in widgets}]
    return nearest_choice(reference, choices)


def roster(widgets: Sequence[Widget]) -> str:
    """At most 12 widgets by id, type and label, and how many more there are."""
    if not widgets:
        return "The app has no widgets."
    named = [
        f"{widget.id} ({widget.type}{f', {widget.label}' if widget.label else ''})" for widget in widgets[:ROSTER_LIMIT]
    ]
    rest = len(widgets) - ROSTER_LIMIT
    return f"The app has: {'; '.join(named)}{f'; and {rest} more' if rest > 0 else ''}."
