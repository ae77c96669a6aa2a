from __future__ import annotations

import copy
from typing import Any

import pytest
from samples import node, stored

from greenrun.workflows.graph_edits import GraphEditError, SetNodeType, apply_graph_edits

GRAPH: dict[str, Any] = {
    "extra": [1],
    "nodes": [
        "odd",
        node("a", "text", value="x", keep={"k": 1}),
        {"type": "nodetool.text.Join", "data": {}},
        {"id": "f", "type": "t", "data": {"properties": {"n": 1}, "dynamic_properties": {"d": "3"}}},
    ],
    "edges": [
        {"id": "e", "source": "a", "sourceHandle": "outpt", "target": "f", "targetHandle": "n", "ui_properties": None},
        {"source": "a", "source_handle": "output", "target": "f", "target_handle": "d"},
    ],
}


def edited(edit: dict[str, Any], graph: dict[str, Any] = GRAPH) -> Any:
    before = copy.deepcopy(graph)
    after = apply_graph_edits(graph, [edit])
    assert graph == before
    return after


def test_an_id_for_the_node_at_a_place() -> None:
    after = edited({"edit": "set_node_id", "node": 2, "id": "join-1"})
    assert after["nodes"][2] == {"type": "nodetool.text.Join", "data": {}, "id": "join-1"}
    assert after["extra"] == [1]
    assert after["nodes"][1] is GRAPH["nodes"][1]


def test_an_id_that_is_taken_is_refused() -> None:
    with pytest.raises(GraphEditError, match='id "a" is taken'):
        edited({"edit": "set_node_id", "node": 2, "id": "a"})


def test_a_type() -> None:
    after = apply_graph_edits(GRAPH, [SetNodeType(node="a", type="nodetool.input.FloatInput")])
    assert after["nodes"][1] == {**GRAPH["nodes"][1], "type": "nodetool.input.FloatInput"}


def test_values_are_written_where_the_node_keeps_them() -> None:
    assert edited({"edit": "set_property", "node": "a", "property": "value", "value": None})["nodes"][1]["data"] == {
        "value": None,
        "keep": {"k": 1},
    }
    data = edited({"edit": "set_property", "node": "f", "property": "n", "value": 2})["nodes"][3]["data"]
    assert data == {"properties": {"n": 2}, "dynamic_properties": {"d": "3"}}
    data = edited({"edit": "set_property", "node": "f", "property": "d", "value": 3})["nodes"][3]["data"]
    assert data == {"properties": {"n": 1}, "dynamic_properties": {"d": 3}}


@pytest.mark.parametrize(
    ("declaration", "text", "expected"),
    [
        ("list[string]", "list[str]", "list[str]"),
        ({"type": "string", "description": "d"}, "str", {"type": "str", "description": "d"}),
        ({"type": {"type": "string", "x": 1}, "default": 2}, "str", {"type": {"type": "str", "x": 1}, "default": 2}),
        (
            {"type": "array", "type_args": [{"type": "string", "x": 1}], "optional": False},
            "list[str]",
            {"type": "list", "type_args": [{"type": "str", "x": 1}], "optional": False},
        ),
        ({"type": "string", "type_args": []}, "str", {"type": "str", "type_args": []}),
        ({"type": "list", "type_args": []}, "list[str]", {"type": "list", "type_args": [{"type": "str"}]}),
    ],
)
@pytest.mark.parametrize("side", ["inputs", "outputs"])
def test_slot_types_keep_their_form(side: str, declaration: Any, text: str, expected: Any) -> None:
    value = stored([node("p", "prompt", **{f"dynamic_{side}": {"s": declaration, "other": 1}})])
    after = edited({"edit": "set_slot_type", "node": "p", "side": side, "slot": "s", "type": text}, value)
    assert after["nodes"][0][f"dynamic_{side}"] == {"s": expected, "other": 1}


def test_a_slot_that_is_not_there_is_refused() -> None:
    with pytest.raises(GraphEditError, match='no slot "s" among its dynamic inputs'):
        edited({"edit": "set_slot_type", "node": "a", "side": "inputs", "slot": "s", "type": "str"})


def test_handles_of_edges_in_either_spelling() -> None:
    after = edited({"edit": "set_edge_handle", "edge": "e", "end": "source", "handle": "output"})
    assert after["edges"][0] == {**GRAPH["edges"][0], "sourceHandle": "output"}
    after = edited({"edit": "set_edge_handle", "edge": "a:output->f:d", "end": "target", "handle": "n"})
    assert after["edges"][1] == {**GRAPH["edges"][1], "target_handle": "n"}
    after = edited({"edit": "set_edge_handle", "edge": 1, "end": "target", "handle": "n"})
    assert after["edges"][1]["target_handle"] == "n"


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        ({"edit": "remove_node", "node": "a"}, "no graph edit"),
        ({"edit": "set_node_id", "node": "a"}, "set_node_id.id: Field required"),
        ({"edit": "set_node_id", "node": "a", "id": ""}, "set_node_id.id"),
        ({"edit": "set_node_type", "node": "a", "type": "t", "more": 1}, "set_node_type.more"),
        (5, "no graph edit: edit"),
        ({"edit": "set_node_type", "node": "gone", "type": "t"}, 'no node "gone"'),
        ({"edit": "set_node_type", "node": 0, "type": "t"}, 'no node "0"'),
        ({"edit": "set_edge_handle", "edge": "gone", "end": "source", "handle": "h"}, 'no edge "gone"'),
    ],
)
def test_other_edits_are_refused(edit: Any, text: str) -> None:
    with pytest.raises(GraphEditError, match=text):
        edited(edit)


def test_a_refused_edit_takes_the_ones_before_with_it() -> None:
    before = copy.deepcopy(GRAPH)
    edits = [{"edit": "set_node_type", "node": "a", "type": "t"}, {"edit": "set_node_type", "node": "no", "type": "t"}]
    with pytest.raises(GraphEditError):
        apply_graph_edits(GRAPH, edits)
    assert before == GRAPH
