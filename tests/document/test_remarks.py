"""Remarks about a document as a whole (spec: harness 2.2 rules 26 and 27e)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.diagnostics import Diagnostic
from greenrun.document.findings import Place
from greenrun.document.parse import parse_document


def _remarks(*content: Any, zones: Any = None, **rest: Any) -> tuple[Diagnostic, ...]:
    return parse_document({"ui": {"root": {}, "content": list(content), "zones": zones}, **rest}).diagnostics


def _remark(*content: Any, zones: Any = None, **rest: Any) -> Diagnostic:
    (diagnostic,) = _remarks(*content, zones=zones, **rest)
    return diagnostic


def _node(type_: str, id_: str, **props: Any) -> dict[str, Any]:
    return {"type": type_, "props": {"id": id_, **props}}


def test_an_orderly_document_needs_no_remark() -> None:
    operations = [{"id": "a", "workflowId": "w"}, {"id": "b", "workflowId": "w"}]

    assert _remarks(_node("Columns", "c", left=[_node("Text", "t")], right=[]), operations=operations, zones={}) == ()


def test_an_entry_of_the_content_that_is_no_component_is_reported() -> None:
    diagnostic = _remark(_node("Text", "t"), {"type": "Text"})

    assert (diagnostic.code, diagnostic.place) == ("GR106", Place())
    assert diagnostic.message.startswith('Entry 2 of the content has no "props" object')
    assert {key: diagnostic.data[key] for key in ("parent", "slot", "index", "path")} == {
        "parent": None,
        "slot": None,
        "index": 1,
        "path": ("content", 1),
    }


def test_an_entry_of_a_slot_that_is_no_component_names_parent_and_slot() -> None:
    diagnostic = _remark(_node("Container", "p", content=["text"]))

    assert diagnostic.place == Place(widget="p", prop="content")
    assert diagnostic.message.startswith('Entry 1 of "content" of "p" is not an object')


def test_a_slot_that_is_no_list_is_reported_as_a_whole() -> None:
    diagnostic = _remark(_node("Container", "p", content=_node("Text", "t")))

    assert diagnostic.data["index"] is None
    assert diagnostic.message.startswith('"content" of "p" is not a list of components')


@pytest.mark.case("HA-2.2-24")
@pytest.mark.parametrize(
    ("name", "kind", "rest", "place"),
    [
        ("operations", "operation", {"workflowId": "w"}, Place(operation="x")),
        ("variables", "variable", {}, Place(variable="x")),
        ("resources", "resource", {"kind": "asset"}, Place(resource="x")),
    ],
)
def test_entries_with_one_id_are_reported_with_their_places(
    name: str, kind: str, rest: dict[str, Any], place: Place
) -> None:
    entries = [{"id": id_, **rest} for id_ in ("x", "y", "x", "x")]

    diagnostic = _remark(**{name: entries})

    assert (diagnostic.code, diagnostic.place) == ("GR107", place)
    assert diagnostic.data == {"entry": kind, "list": name, "id": "x", "indexes": [0, 2, 3]}


def test_a_dropped_entry_makes_no_duplicate() -> None:
    diagnostics = _remarks(operations=[{"id": "x"}, {"id": "x", "workflowId": "w"}])

    assert [item.kind for item in diagnostics] == ["entry_dropped"]


def test_lists_beside_an_envelope_are_not_looked_at() -> None:
    entries = [{"id": "", "workflowId": "w"}] * 2

    assert parse_document({"data": {"root": {}, "content": []}, "operations": entries}).diagnostics == ()


@pytest.mark.case("HA-2.2-24")
def test_widgets_with_one_id_are_reported_with_types_and_places() -> None:
    diagnostic = _remark(_node("Text", "x"), _node("Container", "p", content=[_node("Button", "x")]))

    assert (diagnostic.code, diagnostic.place) == ("GR108", Place(widget="x"))
    assert "(Text, Button)" in diagnostic.message
    assert diagnostic.data == {
        "id": "x",
        "types": ["Text", "Button"],
        "paths": [("content", 0), ("content", 1, "props", "content", 0)],
    }


@pytest.mark.case("HA-2.2-24")
def test_widgets_in_a_prop_that_is_no_slot_are_reported_with_the_slots() -> None:
    diagnostic = _remark(_node("Columns", "c", middle=[_node("Text", "a"), _node("Text", "b")]))

    assert (diagnostic.code, diagnostic.place) == ("GR109", Place(widget="c", prop="middle"))
    assert "2 widgets" in diagnostic.message
    assert '"left" or "right"' in diagnostic.message
    assert diagnostic.data == {
        "widget": "c",
        "type": "Columns",
        "prop": "middle",
        "count": 2,
        "slots": ["left", "right"],
        "path": ("content", 0),
    }


def test_widgets_inside_a_type_without_slots_are_reported() -> None:
    diagnostic = _remark(_node("Divider", "d", content=[_node("Text", "a")]))

    assert diagnostic.data["slots"] == []
    assert "1 widget in" in diagnostic.message


def test_a_widget_without_id_is_reported_with_its_positional_id() -> None:
    diagnostic = _remark(_node("Text", "t"), {"type": "Button", "props": {}})

    assert (diagnostic.code, diagnostic.place) == ("GR110", Place(widget="Button-1"))
    assert diagnostic.data == {"id": "Button-1", "type": "Button", "path": ("content", 1)}


@pytest.mark.case("HA-2.2-24")
def test_content_of_a_zone_is_reported_with_the_slot_that_its_name_gives() -> None:
    diagnostic = _remark(_node("Columns", "c:1"), zones={"c:1:left": [_node("Text", "t"), 5]})

    assert (diagnostic.code, diagnostic.place) == ("GR111", Place(widget="c:1", prop="c:1:left"))
    assert "1 widget is in the zone" in diagnostic.message
    assert diagnostic.data == {"zone": "c:1:left", "count": 1, "component": "c:1", "slot": "left"}


@pytest.mark.parametrize("zone", ["gone:left", "c:middle", "left", "c", ":left", "c:"])
def test_a_zone_whose_name_leads_nowhere_says_so(zone: str) -> None:
    diagnostic = _remark(_node("Columns", "c"), zones={zone: [_node("Text", "t"), _node("Text", "u")]})

    assert (diagnostic.data["component"], diagnostic.data["slot"], diagnostic.data["count"]) == (None, None, 2)
    assert diagnostic.place == Place(prop=zone)
    assert "by hand" in diagnostic.message


@pytest.mark.parametrize("zones", [{}, [], "x", {"c:left": []}, {"c:left": ["x"]}, {"c:left": {"0": 1}}])
def test_zones_without_components_are_no_concern(zones: Any) -> None:
    assert _remarks(_node("Columns", "c"), zones=zones) == ()


@pytest.mark.parametrize("operation_id", ["a/b", "a:b", ""])
def test_an_operation_id_that_no_token_can_name_is_reported(operation_id: str) -> None:
    diagnostic = _remark(operations=[{"id": "fine", "workflowId": "w"}, {"id": operation_id, "workflowId": "w"}])

    assert (diagnostic.code, diagnostic.place) == ("GR112", Place(operation=operation_id))
    assert diagnostic.data == {"entry": "operation", "id": operation_id, "index": 1}


def test_an_empty_resource_id_is_reported() -> None:
    diagnostic = _remark(resources=[{"id": "a/b:c", "kind": "asset"}, {"id": "", "kind": "asset"}])

    assert diagnostic.data == {"entry": "resource", "id": "", "index": 1}
    assert "is empty" in diagnostic.message


@pytest.mark.parametrize(("side", "mapping"), [("inputs", {"from": "widget"}), ("outputs", {"to": "display"})])
@pytest.mark.parametrize("node_id", ["a#b", ""])
def test_a_mapped_node_id_that_reads_as_a_property_is_reported(side: str, mapping: Any, node_id: str) -> None:
    diagnostic = _remark(operations=[{"id": "m", "workflowId": "w", side: {node_id: mapping}}])

    assert (diagnostic.kind, diagnostic.place) == ("unaddressable_id", Place(operation="m", node=node_id))
    assert diagnostic.data == {"entry": "node", "id": node_id, "operation": "m", "side": side}


def test_an_empty_widget_id_is_reported() -> None:
    diagnostic = _remark(_node("Text", ""), _node("Text", "a#b/c:d"))

    assert (diagnostic.place, diagnostic.data) == (
        Place(widget="", prop="id"),
        {"entry": "widget", "id": "", "path": ("content", 0)},
    )


@pytest.mark.parametrize("variable_id", ["a/b#c", "a:b", " "])
def test_any_other_variable_id_can_be_named(variable_id: str) -> None:
    assert _remarks(variables=[{"id": variable_id}]) == ()


def test_remarks_come_in_the_order_of_the_rules() -> None:
    content = (
        5,
        _node("Text", "x"),
        _node("Divider", "x", content=[_node("Text", "y")]),
        {"type": "Text", "props": {}},
    )
    operations = [{"id": "m", "workflowId": "w", "policy": "fast"}, {"id": "m", "workflowId": "w"}, {"id": "lost"}]

    diagnostics = _remarks(
        *content, _node("Text", ""), zones={"z": [_node("Text", "z")]}, operations=operations, recipe={}
    )

    assert [item.kind for item in diagnostics] == [
        "value_changed",
        "entry_dropped",
        "node_dropped",
        "duplicate_id",
        "duplicate_widget",
        "misplaced_widgets",
        "positional_id",
        "zone_content",
        "unaddressable_id",
        "recipe",
    ]


def test_long_ids_are_cut_in_messages_and_whole_in_places() -> None:
    long_id = "x" * 5000

    diagnostic = _remark(_node("Text", long_id), _node("Text", long_id))

    assert len(diagnostic.message) < 300
    assert diagnostic.place.widget == long_id
