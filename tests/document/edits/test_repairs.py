"""Edits that only fixes need: duplicates, missing ids, hidden widgets, broken entries."""

from __future__ import annotations

from typing import Any

import pytest
from editing import content, edit, edited, ids, node, operation, props, refused, stored


def zoned(zones: Any, *nodes: dict[str, Any]) -> dict[str, Any]:
    value = stored(list(nodes))
    value["ui"]["zones"] = zones
    return value


def test_second_widget_of_an_id_gets_a_free_one():
    value = stored([node("Text", "a"), node("Text", "a-2"), node("Container", "p", content=[node("Button", "a")])])
    result = edited(value, edit("rename_duplicate", kind="component", id="a"))
    assert props(result, 2, "content", 0)["id"] == "a-3"
    assert result.changed == ("a-3",)


def test_later_duplicates_are_renamed_one_after_the_other():
    value = stored([node("Text", "a")] * 3)
    twice = [edit("rename_duplicate", kind="component", id="a", occurrence=2)] * 2
    assert ids(edited(value, *twice)) == ["a", "a-2", "a-3"]


@pytest.mark.parametrize(
    ("kind", "entry"),
    [
        ("operation", operation()),
        ("variable", {"id": "main"}),
        ("resource", {"id": "main", "kind": "asset"}),
    ],
)
def test_second_entry_of_an_id_gets_a_free_one(kind: str, entry: dict[str, Any]):
    value = stored(**{f"{kind}s": [entry, "junk", {"id": 1}, entry]})
    result = edited(value, edit("rename_duplicate", kind=kind, id="main"))
    assert [item["id"] for item in result.document.stored[f"{kind}s"] if isinstance(item, dict)] == [
        "main",
        1,
        "main_2",
    ]


def test_entries_that_the_parser_drops_are_no_duplicates():
    value = stored(operations=[{"id": "main"}, operation(), operation()])
    result = edited(value, edit("rename_duplicate", kind="operation", id="main", new_id="other"))
    assert [item["id"] for item in result.document.stored["operations"]] == ["main", "main", "other"]


@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        ({"occurrence": 3}, "unknown_operation", "occurrence"),
        ({"new_id": "main"}, "duplicate_id", "new_id"),
        ({"new_id": "a/b"}, "invalid_arguments", "new_id"),
    ],
)
def test_rename_that_makes_no_sense_is_refused(arguments: dict[str, Any], code: str, field: str):
    value = stored(operations=[operation(), operation()])
    error = refused(value, edit("rename_duplicate", kind="operation", id="main", **arguments))
    assert (error.code, error.field) == (code, field)


def test_rename_of_a_third_widget_that_is_not_there_is_refused():
    value = stored([node("Text", "a"), node("Text", "a")])
    error = refused(value, edit("rename_duplicate", kind="component", id="a", occurrence=3))
    assert (error.code, error.field) == ("unknown_widget", "occurrence")


def test_widget_without_id_gets_a_free_one():
    value = stored([node("Text", "Text-2"), node("Container", "p", content=[node("Text")])])
    result = edited(value, edit("set_component_id", path=["content", 1, "props", "content", 0]))
    assert props(result, 1, "content", 0)["id"] == "Text-3"


@pytest.mark.parametrize("start", [node("Text"), node("Text", "")])
def test_widget_without_id_gets_the_given_one(start: dict[str, Any]):
    result = edited(stored([start]), edit("set_component_id", path=("content", 0), id="Text-0"))
    assert ids(result) == ["Text-0"]


@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        ({"path": ["content", 9]}, "unknown_widget", "path"),
        ({"path": ["content", 0]}, "invalid_arguments", "path"),
        ({"path": ["content", 1], "id": "a"}, "duplicate_id", "id"),
    ],
)
def test_id_that_cannot_be_written_is_refused(arguments: dict[str, Any], code: str, field: str):
    error = refused(stored([node("Text", "a"), node("Text")]), edit("set_component_id", **arguments))
    assert (error.code, error.field) == (code, field)


def test_zone_is_moved_into_the_slot_of_its_name():
    value = zoned(
        {"c:right": [node("Text", "z"), "junk"], "other": []}, node("Columns", "c", right=[node("Text", "r")])
    )
    result = edited(value, edit("move_zone", zone="c:right"))
    assert [item["props"]["id"] for item in props(result, 0)["right"]] == ["r", "z"]
    assert result.document.ui["zones"] == {"c:right": ["junk"], "other": []}
    assert result.changed == ("z",)


def test_emptied_zone_disappears():
    value = zoned({"c:right": [node("Text", "z")]}, node("Columns", "c"))
    assert edited(value, edit("move_zone", zone="c:right")).document.ui["zones"] == {}


def test_zone_of_the_root_is_moved_to_the_content():
    value = zoned({"root:main": [node("Text", "z")]}, node("Text", "t"))
    assert ids(edited(value, edit("move_zone", zone="root:main"))) == ["t", "z"]


def test_widgets_from_a_zone_get_other_ids_where_theirs_are_in_use():
    inner = node("Container", "t", content=[node("Text"), node("Text", "")])
    value = zoned({"p:content": [node("Text", "t"), inner]}, node("Container", "p"), node("Text", "t"))
    children = props(edited(value, edit("move_zone", zone="p:content")), 0)["content"]
    assert [item["props"]["id"] for item in children] == ["t-2", "t-3"]
    assert [item["props"]["id"] for item in children[1]["props"]["content"]] == ["Text-5", "Text-6"]


def test_zone_of_an_unknown_slot_can_be_moved_into_another():
    value = zoned({"c:middle": [node("Text", "z")]}, node("Columns", "c"))
    assert refused(value, edit("move_zone", zone="c:middle")).code == "unknown_slot"
    assert props(edited(value, edit("move_zone", zone="c:middle", slot="left")), 0)["left"] == [node("Text", "z")]


@pytest.mark.parametrize(
    ("zones", "zone", "code"),
    [
        ({"gone:content": [node("Text", "z")]}, "gone:content", "unknown_parent"),
        ({}, "p:content", "invalid_arguments"),
        ({"p:content": "junk"}, "p:content", "invalid_arguments"),
        (None, "p:content", "invalid_arguments"),
    ],
)
def test_zone_that_cannot_be_moved_is_refused(zones: object, zone: str, code: str):
    error = refused(zoned(zones, node("Container", "p")), edit("move_zone", zone=zone))
    assert (error.code, error.field) == (code, "zone")


def test_misplaced_widgets_move_into_the_first_slot():
    value = stored([node("Columns", "c", middle=[node("Text", "m"), 7], left=[node("Text", "l")])])
    result = edited(value, edit("move_misplaced", id="c", prop="middle"))
    assert props(result, 0) == {"id": "c", "middle": [7], "left": [node("Text", "l"), node("Text", "m")]}
    assert result.changed == ("c", "m")


def test_misplaced_widgets_move_into_the_given_slot():
    value = stored([node("Columns", "c", middle=[node("Text", "m")])])
    result = edited(value, edit("move_misplaced", id="c", prop="middle", slot="right"))
    assert props(result, 0) == {"id": "c", "right": [node("Text", "m")]}


def test_misplaced_widgets_of_a_type_without_slots_move_behind_it():
    value = stored(
        [node("Text", "a"), node("List", "l", options=[node("Text", "a"), node("Text", "o")]), node("Text", "z")]
    )
    assert ids(edited(value, edit("move_misplaced", id="l", prop="options"))) == ["a", "l", "a-2", "o", "z"]


@pytest.mark.parametrize("prop", ["left", "gap", "nothing"])
def test_prop_without_misplaced_widgets_is_refused(prop: str):
    value = stored([node("Columns", "c", left=[node("Text", "l")], gap=[1])])
    error = refused(value, edit("move_misplaced", id="c", prop=prop))
    assert (error.code, error.field) == ("invalid_arguments", "prop")


def test_set_raw_completes_an_entry_that_the_parser_drops():
    value = stored(operations=["junk", {"id": "main", "wrong": 1}])
    change = edit("set_raw", list="operations", index=1, patch={"workflowId": "wf"}, remove=["wrong"])
    result = edited(value, change)
    assert result.document.operations[0].workflow_id == "wf"
    assert result.document.stored["operations"] == ["junk", {"id": "main", "workflowId": "wf"}]
    assert result.changed == ("main",)


def test_set_raw_names_an_entry_without_id_by_its_place():
    result = edited(stored(variables=[{"id": 7}]), edit("set_raw", list="variables", index=0, patch={"x": 1}))
    assert result.changed == ("variables[0]",)


@pytest.mark.parametrize(("variables", "index"), [([{"id": "v"}], 1), (["junk"], 0), ("junk", 0)])
def test_set_raw_refuses_what_is_no_entry(variables: object, index: int):
    error = refused(stored(variables=variables), edit("set_raw", list="variables", index=index, patch={"x": 1}))
    assert (error.code, error.field) == ("invalid_arguments", "index")


def test_fixes_leave_other_widgets_as_they_are():
    other = node("Text", "t")
    value = stored([other, node("Columns", "c", middle=[node("Text", "m")])])
    assert content(edited(value, edit("move_misplaced", id="c", prop="middle")))[0] is other
