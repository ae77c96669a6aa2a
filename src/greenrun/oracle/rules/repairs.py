"""Fixes as document edits: how a rule writes its repair (spec: harness 2.2, fixes).

Every function gives None where the place cannot be addressed by an edit; a finding then simply has no fix.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from greenrun.document.bindings import VariableRef, encode
from greenrun.document.catalog import default_props
from greenrun.document.edits.ids import free_component_id
from greenrun.document.findings import Fix
from greenrun.document.js import trim
from greenrun.document.model import (
    FromConstant,
    FromResource,
    FromVariable,
    FromWidget,
    InputMapping,
    OutputMapping,
    ToDisplay,
    ToVariable,
)
from greenrun.document.tree import Widget
from greenrun.document.values import ABSENT
from greenrun.oracle.context import Context
from greenrun.oracle.usage import Use


def edit(name: str, /, **arguments: Any) -> dict[str, Any]:
    """One edit in its JSON form."""
    return {"edit": name, **arguments}


def set_props(ctx: Context, widget: Widget, title: str, props: dict[str, Any]) -> Fix | None:
    """Write props of a widget. A later widget with a duplicate id cannot be addressed."""
    if not is_addressable(ctx, widget):
        return None
    return Fix(title, (edit("update_component", id=widget.id, props=props),))


def is_addressable(ctx: Context, widget: Widget) -> bool:
    """Whether an edit by id reaches this very widget."""
    return ctx.is_first(widget)


def rewrite(ctx: Context, use: Use, new: str) -> Fix | None:
    """Write another text in the place of a use."""
    widget = use.widget
    title = f'Write "{new}" in {use.prop}'
    if use.role == "key":
        return update_event(ctx, widget, _event_index(use), title, {"key": new})
    if use.role == "format":
        return _rewrite_format(ctx, use, title, new)
    if use.role == "condition":
        return set_props(ctx, widget, title, {use.prop: {**widget.props[use.prop], "binding": new}})
    return set_props(ctx, widget, title, {use.prop: new})


def _event_index(use: Use) -> int:
    assert use.event is not None
    return use.event.index


def _rewrite_format(ctx: Context, use: Use, title: str, new: str) -> Fix | None:
    if re.search(r"[{}|]", new) or trim(new) != new:
        return None
    return set_props(ctx, use.widget, title, {"format": replace_names(use.widget.format or "", use.text, new)})


def replace_names(template: str, old: str, new: str) -> str:
    """The template with every token that names `old` naming `new`; filters stay."""

    def substitute(match: re.Match[str]) -> str:
        name, bar, rest = match[1].partition("|")
        return f"{{{new}{bar}{rest}}}" if trim(name) == old else match[0]

    return re.sub(r"\{([^{}]+)\}", substitute, template)


def replace_filters(template: str, old: str, new: str) -> str:
    """The template with the filter `old` replaced in every token."""

    def substitute(match: re.Match[str]) -> str:
        name, bar, rest = match[1].partition("|")
        first, more, others = rest.partition("|")
        used, colon, argument = first.partition(":")
        return f"{{{name}{bar}{new}{colon}{argument}{more}{others}}}" if bar and trim(used) == old else match[0]

    return re.sub(r"\{([^{}]+)\}", substitute, template)


def update_event(
    ctx: Context, widget: Widget, index: int, title: str, patch: dict[str, Any], remove: Sequence[str] = ()
) -> Fix | None:
    """Change one stored event of a widget."""
    if not is_addressable(ctx, widget):
        return None
    arguments: dict[str, Any] = {"id": widget.id, "index": index, "patch": patch}
    if remove:
        arguments["remove"] = list(remove)
    return Fix(title, (edit("update_event", **arguments),))


def declare_variable(ctx: Context, id_: str) -> Fix:
    """Declare a variable with that id."""
    return Fix(f'Declare the variable "{id_}"', (edit("declare_variable", id=id_, name=id_),))


def mapping_json(mapping: InputMapping | OutputMapping) -> dict[str, Any]:
    """A mapping as it is stored."""
    match mapping:
        case FromWidget():
            return {"from": "widget"}
        case FromConstant(value):
            return {"from": "constant"} if value is ABSENT else {"from": "constant", "value": value}
        case FromResource(resource):
            return {"from": "resource", "resourceBindingId": resource}
        case FromVariable(variable):
            return {"from": "variable", "variableId": variable}
        case ToVariable(variable):
            return {"to": "variable", "variableId": variable}
        case ToDisplay():
            return {"to": "display"}


def set_mapping(operation_id: str, side: str, node: str, mapping: dict[str, Any], title: str) -> Fix:
    """Write one mapping of an operation."""
    return Fix(title, (edit("set_mapping", id=operation_id, side=side, node=node, mapping=mapping),))


def disable_when(ctx: Context, widget: Widget, binding: str, op: str) -> dict[str, Any] | None:
    """The edit that gives a widget a disabledWhen; None when it has one already, which stays."""
    if widget.disabled_when is not None or not is_addressable(ctx, widget):
        return None
    condition = {"binding": binding, "op": op}
    return edit("update_component", id=widget.id, props={"disabledWhen": condition})


def insert_widget(
    ctx: Context, type_: str, props: dict[str, Any], near: Widget | None, taken: Collection[str] = ()
) -> dict[str, Any]:
    """The edit that adds a widget behind another one, in the same slot, else at the end of the content.

    `taken` are ids that other edits of the same fix give.
    """
    id_ = free_component_id(type_, ctx.taken_ids | frozenset(taken))
    arguments: dict[str, Any] = {"type": type_, "id": id_, "props": {**default_props(type_), **props}}
    position = near.path[-1] if near is not None and _stands_well(ctx, near) else None
    if near is not None and isinstance(position, int):
        arguments["index"] = position + 1
        if near.parent_id is not None:
            arguments |= {"parent_id": near.parent_id, "slot": near.slot}
    return edit("add_component", **arguments)


def _stands_well(ctx: Context, near: Widget) -> bool:
    """Whether a widget can be added beside it: at the top, or in a slot of a parent that an edit can address."""
    if near.parent_id is None:
        return True
    parent = ctx.widgets_by_id[near.parent_id]
    return parent.known and parent.path == near.path[: len(parent.path)]


def variable_token(variable_id: str) -> str:
    return encode(VariableRef(variable_id))
