"""The edits of a stored graph that repairs are written in: one model per verb, told apart by `edit`.

A node or edge is named by its id, or by its place in the stored list where it has none. No edit removes anything.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from greenrun.document.errors import GreenrunError
from greenrun.document.values import is_record
from greenrun.workflows.graph import load_graph, property_place, put, slot_place, stored_at
from greenrun.workflows.type_meta import TypeMeta, parse_type, type_text

NodeRef: TypeAlias = str | int
EdgeRef: TypeAlias = str | int


class GraphEditError(GreenrunError):
    """A graph edit was refused; nothing changed."""

    code = "graph_edit_refused"


class _GraphEdit(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class SetNodeId(_GraphEdit):
    """Give a node an id that no other node has; the edges stay as they are."""

    edit: Literal["set_node_id"] = "set_node_id"
    node: NodeRef
    id: Annotated[str, Field(min_length=1)]


class SetNodeType(_GraphEdit):
    """Give a node another type; its values stay."""

    edit: Literal["set_node_type"] = "set_node_type"
    node: NodeRef
    type: Annotated[str, Field(min_length=1)]


class SetProperty(_GraphEdit):
    """Set a saved value, where the node keeps its values; of a dynamic slot that has a value, that value."""

    edit: Literal["set_property"] = "set_property"
    node: NodeRef
    property: str
    value: Any


class SetSlotType(_GraphEdit):
    """Write the type of a dynamic slot, as text (``list[str]``), in the form in which it is stored."""

    edit: Literal["set_slot_type"] = "set_slot_type"
    node: NodeRef
    side: Literal["inputs", "outputs"]
    slot: str
    type: Annotated[str, Field(min_length=1)]


class SetEdgeHandle(_GraphEdit):
    """Connect an end of an edge to another handle of the same node."""

    edit: Literal["set_edge_handle"] = "set_edge_handle"
    edge: EdgeRef
    end: Literal["source", "target"]
    handle: Annotated[str, Field(min_length=1)]


GraphEdit: TypeAlias = Annotated[
    SetNodeId | SetNodeType | SetProperty | SetSlotType | SetEdgeHandle, Field(discriminator="edit")
]

_ADAPTER: TypeAdapter[GraphEdit] = TypeAdapter(GraphEdit)


def parse_graph_edit(value: Any) -> GraphEdit:
    """A graph edit from its JSON form.

    Raises:
        GraphEditError: It is none of the verbs, or an argument is wrong.
    """
    if isinstance(value, _GraphEdit):
        return value  # type: ignore[return-value]  # every subclass is a member of the union
    try:
        return _ADAPTER.validate_python(value)
    except ValidationError as error:
        issue = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in issue["loc"]) or "edit"
        raise GraphEditError(f"This is no graph edit: {place}: {issue['msg']}.") from None


def apply_graph_edits(stored: Any, edits: Sequence[GraphEdit | Mapping[str, Any]]) -> Any:
    """The stored graph with the edits applied in order; the graph that came in is unchanged.

    Raises:
        GraphEditError: An edit is malformed or names something that is not there; nothing changed.
    """
    changed = stored
    for edit in edits:
        changed = _apply(changed, parse_graph_edit(edit))
    return changed


def _apply(stored: Any, edit: GraphEdit) -> Any:
    graph = load_graph(stored)
    if isinstance(edit, SetEdgeHandle):
        place = _position(edit.edge, [(entry.id, entry.index) for entry in graph.edge_entries], "edge")
        return _with_entry(stored, "edges", place, lambda entry: _set_handle(entry, edit))
    place = _position(edit.node, [(entry.id, entry.index) for entry in graph.entries], "node")
    if isinstance(edit, SetNodeId) and any(node.id == edit.id and node.index != place for node in graph.entries):
        raise GraphEditError(f'The id "{edit.id}" is taken. Use another one.')
    return _with_entry(stored, "nodes", place, lambda entry: _change_node(entry, edit))


def _position(ref: str | int, known: Sequence[tuple[str, int]], noun: str) -> int:
    for identifier, position in known:
        if ref == (position if isinstance(ref, int) else identifier):
            return position
    raise GraphEditError(f'There is no {noun} "{ref}" in this graph.')


def _with_entry(stored: Any, list_name: str, position: int, change: Any) -> Any:
    entries = list(stored[list_name])
    entry = copy.deepcopy(entries[position])
    change(entry)
    entries[position] = entry
    return {**stored, list_name: entries}


def _set_handle(entry: dict[str, Any], edit: SetEdgeHandle) -> None:
    snake = f"{edit.end}_handle"
    camel = f"{edit.end}Handle"
    entry[snake if snake in entry and camel not in entry else camel] = edit.handle


def _change_node(entry: dict[str, Any], edit: SetNodeId | SetNodeType | SetProperty | SetSlotType) -> None:
    match edit:
        case SetNodeId():
            entry["id"] = edit.id
        case SetNodeType():
            entry["type"] = edit.type
        case SetProperty():
            dynamic = slot_place(entry, "dynamic_properties")
            is_dynamic = edit.property in stored_at(entry, dynamic)
            put(entry, dynamic if is_dynamic else property_place(entry), edit.property, edit.value)
        case SetSlotType():
            slots = stored_at(entry, slot_place(entry, f"dynamic_{edit.side}"))
            if edit.slot not in slots:
                raise GraphEditError(f'The node has no slot "{edit.slot}" among its dynamic {edit.side}.')
            slots[edit.slot] = _retyped(slots[edit.slot], parse_type(edit.type))


def _retyped(declaration: Any, meta: TypeMeta) -> Any:
    """A stored slot or type with another type, in its own form; everything else in it stays."""
    if not is_record(declaration):
        return type_text(meta)
    kind = declaration.get("type")
    if is_record(kind):
        return {**declaration, "type": _retyped(kind, meta)}
    arguments = declaration.get("type_args")
    if not isinstance(arguments, list) or not (arguments or meta["type_args"]):
        return {**declaration, "type": type_text(meta)}
    kept = arguments if len(arguments) == len(meta["type_args"]) else [{"type": ""} for _ in meta["type_args"]]
    retyped = [_retyped(old, new) for old, new in zip(kept, meta["type_args"], strict=True)]
    return {**declaration, "type": meta["type"], "type_args": retyped}
