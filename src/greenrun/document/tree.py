"""Widgets: the component tree flattened and read (spec: app-runtime 3.1-3.3, harness 2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from greenrun.document.bindings import Mode, Ref, Scope, ViewRef, encode, resolve
from greenrun.document.catalog import WIDGETS, WidgetMode, WidgetType
from greenrun.document.components import (
    Component,
    DroppedEntry,
    Misplaced,
    Path,
    Walk,
    find_nodes,
    is_component,
    walk,
)
from greenrun.document.conditions import StoredCondition, stored_condition
from greenrun.document.js import is_list
from greenrun.document.values import ABSENT, Value, is_record, is_text

__all__ = [
    "Component",
    "DroppedEntry",
    "DroppedEvent",
    "ExtraBound",
    "FlattenResult",
    "Misplaced",
    "Path",
    "StoredEvent",
    "Walk",
    "Widget",
    "find_nodes",
    "flatten",
    "is_component",
    "walk",
]

EventTrigger: TypeAlias = Literal["click", "change"]


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One event that survives loading. `index` is its place in the stored list; texts that are absent or "" are None.

    `kind` is ``run`` when none is stored; `value` is as stored, whatever its type (spec: app-runtime 3.2).
    """

    index: int
    trigger: EventTrigger
    kind: str = "run"
    key: str | None = None
    value: Value = ABSENT
    operation_id: str | None = None
    invocation_id: str | None = None
    resource_binding_id: str | None = None
    command: str | None = None
    pace: str | None = None


@dataclass(frozen=True, slots=True)
class ExtraBound:
    """An extra binding prop that holds something, resolved in the mode of that prop."""

    prop: str
    binding: str
    ref: Ref | None
    mode: Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class Widget:
    """One component as the app uses it.

    `mode` is the catalog mode, ``unknown`` outside the catalog (`known` false). `binding` is the stored text, `ref`
    what it resolves to; an unbound write widget points at its own view slot. `canonical` and `state_key` belong to
    `ref`. `operation_id` is set for forms that name one. `path` leads to the component inside `ui`; `positional` says
    that the id is not stored. `props` are the stored props and must not be changed.
    """

    id: str
    type: str
    mode: WidgetMode | Literal["unknown"]
    props: dict[str, Any]
    path: Path
    binding: str | None = None
    ref: Ref | None = None
    state_key: str | None = None
    canonical: str | None = None
    resource_binding_id: str | None = None
    operation_id: str | None = None
    extra_bindings: tuple[ExtraBound, ...] = ()
    label: str | None = None
    events: tuple[StoredEvent, ...] = ()
    parent_id: str | None = None
    slot: str | None = None
    visible_when: StoredCondition | None = None
    disabled_when: StoredCondition | None = None
    format: str | None = None
    positional: bool = False
    known: bool = True


@dataclass(frozen=True, slots=True)
class DroppedEvent:
    """An entry of an events list without a usable trigger; `raw` is the entry as stored, not always a record."""

    widget_id: str
    index: int
    raw: Any


@dataclass(frozen=True, slots=True)
class FlattenResult:
    """All widgets in document order, and what was left out on the way."""

    widgets: tuple[Widget, ...]
    dropped_events: tuple[DroppedEvent, ...] = ()
    misplaced: tuple[Misplaced, ...] = ()
    dropped: tuple[DroppedEntry, ...] = ()


def flatten(ui: dict[str, Any], scope: Scope) -> FlattenResult:
    """The widgets of a document, parents before children, with their bindings resolved. Never raises on content."""
    structure = walk(ui)
    dropped_events: list[DroppedEvent] = []
    widgets = tuple(_widget(component, scope, dropped_events) for component in structure.components)
    return FlattenResult(widgets, tuple(dropped_events), structure.misplaced, structure.dropped)


def _widget(component: Component, scope: Scope, dropped_events: list[DroppedEvent]) -> Widget:
    props = component.props
    widget_type = WIDGETS.get(component.type)
    binding = _text(props, "binding")
    ref = _ref(component.id, binding, widget_type, scope)
    return Widget(
        id=component.id,
        type=component.type,
        mode=widget_type.mode if widget_type else "unknown",
        props=props,
        path=component.path,
        binding=binding,
        ref=ref,
        state_key=ref.state_key if ref else None,
        canonical=encode(ref) if ref else None,
        resource_binding_id=_text(props, "resourceBindingId") if widget_type and widget_type.resource else None,
        operation_id=_text(props, "operationId") if widget_type and widget_type.is_form else None,
        extra_bindings=_extra_bindings(props, widget_type, scope),
        label=_label(props),
        events=_events(component, dropped_events),
        parent_id=component.parent_id,
        slot=component.slot,
        visible_when=stored_condition(props.get("visibleWhen")),
        disabled_when=stored_condition(props.get("disabledWhen")),
        format=_text(props, "format"),
        positional=component.positional,
        known=widget_type is not None,
    )


def _text(record: dict[str, Any], name: str) -> str | None:
    value = record.get(name)
    return value if is_text(value) else None


def _label(props: dict[str, Any]) -> str | None:
    for name in ("label", "text"):
        value = props.get(name)
        if isinstance(value, str):
            return value
    return None


def _ref(widget_id: str, binding: str | None, widget_type: WidgetType | None, scope: Scope) -> Ref | None:
    mode: Mode = "none"
    if widget_type is not None and (widget_type.mode == "read" or widget_type.mode == "write"):
        mode = widget_type.mode
    if binding is not None:
        return resolve(binding, scope, mode)
    return ViewRef(widget_id, "value") if mode == "write" else None


def _extra_bindings(props: dict[str, Any], widget_type: WidgetType | None, scope: Scope) -> tuple[ExtraBound, ...]:
    if widget_type is None:
        return ()
    return tuple(
        ExtraBound(extra.prop, text, resolve(text, scope, extra.mode), extra.mode)
        for extra in widget_type.extra_bindings
        if (text := _text(props, extra.prop)) is not None
    )


def _events(component: Component, dropped: list[DroppedEvent]) -> tuple[StoredEvent, ...]:
    stored = component.props.get("events")
    if not is_list(stored):
        return ()
    events: list[StoredEvent] = []
    for index, raw in enumerate(stored):
        event = _event(index, raw)
        if event is None:
            dropped.append(DroppedEvent(component.id, index, raw))
        else:
            events.append(event)
    return tuple(events)


def _event(index: int, raw: object) -> StoredEvent | None:
    if not is_record(raw):
        return None
    trigger = raw.get("trigger")
    if trigger != "click" and trigger != "change":
        return None
    return StoredEvent(
        index=index,
        trigger="click" if trigger == "click" else "change",
        kind=_text(raw, "kind") or "run",
        key=_text(raw, "key"),
        value=raw.get("value", ABSENT),
        operation_id=_text(raw, "operationId"),
        invocation_id=_text(raw, "invocationId"),
        resource_binding_id=_text(raw, "resourceBindingId"),
        command=_text(raw, "command"),
        pace=_text(raw, "pace"),
    )
