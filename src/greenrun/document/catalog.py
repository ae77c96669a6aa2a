"""The widget catalog: what a widget type is and takes, by name (spec: app-runtime 7.1).

Lookups are by own key: a type outside the table is unknown, whatever its name (spec: app-runtime O-1).
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final, Literal

from greenrun.document.widget_types import (
    WIDGET_TYPES,
    Category,
    ExtraBinding,
    Trigger,
    WidgetMode,
    WidgetType,
)

__all__ = [
    "CATEGORIES",
    "EVENT_KINDS",
    "FIELD_KINDS",
    "SLOT_MAP",
    "WIDGETS",
    "Category",
    "ExtraBinding",
    "Trigger",
    "WidgetMode",
    "WidgetType",
    "default_props",
    "extra_bindings",
    "fields",
    "is_known",
    "mode",
    "new_event",
    "paces",
    "slots",
]

CATEGORIES: Final[tuple[Category, ...]] = ("display", "inputs", "chat", "actions", "layout")
"""The groups of the editor palette."""

FIELD_KINDS: Final = ("text", "textarea", "number", "select", "radio", "array", "slot", "custom")

WIDGETS: Final[dict[str, WidgetType]] = {widget.type: widget for widget in WIDGET_TYPES}
"""Every widget type by name, in palette order."""

SLOT_MAP: Final[dict[str, tuple[str, ...]]] = {widget.type: widget.slots for widget in WIDGET_TYPES}
"""Type name to its slot props, in declared order."""

EVENT_KINDS: Final = ("run", "cancel", "setVariable", "toggleVariable")
"""The event kinds that an editor offers; more exist in the format."""


def is_known(type_: str) -> bool:
    """True for a type of the catalog."""
    return type_ in WIDGETS


def mode(type_: str) -> WidgetMode | Literal["unknown"]:
    """The mode of a type, ``unknown`` for one outside the catalog."""
    widget = WIDGETS.get(type_)
    return widget.mode if widget else "unknown"


def fields(type_: str) -> dict[str, str]:
    """Field names and kinds, conditions and format included; empty for an unknown type."""
    widget = WIDGETS.get(type_)
    return dict(widget.fields) if widget else {}


def extra_bindings(type_: str) -> tuple[ExtraBinding, ...]:
    """The props besides `binding` that hold a binding."""
    widget = WIDGETS.get(type_)
    return widget.extra_bindings if widget else ()


def slots(type_: str) -> tuple[str, ...]:
    """The props that hold children, in declared order."""
    return SLOT_MAP.get(type_, ())


def paces(type_: str) -> tuple[str, ...]:
    """The paces that an event of this type can have; ``release`` needs a type that commits (spec: app-runtime 7.2)."""
    widget = WIDGETS.get(type_)
    if widget is None or widget.trigger != "change":
        return ()
    return ("live", "release", "debounce") if widget.commits else ("live", "debounce")


def default_props(type_: str) -> dict[str, Any]:
    """A fresh copy of the props that a newly placed widget gets, without its id; empty for an unknown type."""
    widget = WIDGETS.get(type_)
    return deepcopy(dict(widget.defaults)) if widget else {}


def new_event(type_: str) -> dict[str, Any] | None:
    """The event that an editor adds to a widget of this type; None when the type emits nothing."""
    widget = WIDGETS.get(type_)
    if widget is None or widget.trigger == "none":
        return None
    event = {"trigger": widget.trigger, "kind": "run", "key": "", "value": ""}
    return event | {"pace": "live"} if widget.trigger == "change" else event
