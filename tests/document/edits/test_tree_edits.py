"""Adding, changing, moving and removing widgets: cases of app-runtime 3.4."""

from __future__ import annotations

import pytest
from editing import content, edit, edited, ids, node, props, refused, stored

from greenrun.document import catalog
from greenrun.document.components import walk
from greenrun.document.edits import component_id


def page() -> dict:
    """t1, then p1 with t2 in its content."""
    return stored([node("Text", "t1"), node("Container", "p1", content=[node("Text", "t2")])])


@pytest.mark.case("AR-3.4-1")
def test_slot_map_lists_the_slots_of_each_type():
    assert (catalog.SLOT_MAP["Text"], catalog.SLOT_MAP["Container"]) == ((), ("content",))


@pytest.mark.case("AR-3.4-2")
def test_widgets_are_listed_parents_first_with_parent_and_slot():
    found = walk(page()["ui"], declared_slots_only=True).components
    assert [(item.id, item.parent_id, item.slot) for item in found] == [
        ("t1", None, None),
        ("p1", None, None),
        ("t2", "p1", "content"),
    ]


@pytest.mark.case("AR-3.4-3")
def test_generated_id_is_type_and_source():
    assert component_id("Text", "abc") == "Text-abc"


@pytest.mark.case("AR-3.4-3")
def test_add_without_parent_appends_to_the_content():
    result = edited(page(), edit("add_component", type="Text", id="t3"))
    assert ids(result) == ["t1", "p1", "t3"]
    assert result.changed == ("t3",)


def test_add_without_id_takes_a_free_one_counted_over_all_types():
    result = edited(page(), edit("add_component", type="Button"), edit("add_component", type="Text"))
    assert ids(result)[2:] == ["Button-4", "Text-5"]


def test_generated_id_avoids_ids_in_use():
    value = stored([node("Text", "Text-2")])
    assert ids(edited(value, edit("add_component", type="Text"))) == ["Text-2", "Text-3"]


def test_id_among_the_props_counts_when_none_is_given():
    result = edited(page(), edit("add_component", type="Text", props={"id": "own", "text": "hi"}))
    assert content(result)[2] == node("Text", "own", text="hi")


def test_given_id_beats_the_one_among_the_props():
    result = edited(page(), edit("add_component", type="Text", id="given", props={"id": "own"}))
    assert ids(result)[2] == "given"


@pytest.mark.case("AR-3.4-4")
def test_add_puts_a_widget_into_a_slot():
    result = edited(page(), edit("add_component", type="Text", id="t3", parent_id="p1", slot="content"))
    assert [item["props"]["id"] for item in props(result, 1)["content"]] == ["t2", "t3"]


def test_slot_defaults_to_the_first_and_is_created_where_it_is_missing():
    value = stored([node("Columns", "c1", right="junk")])
    result = edited(
        value,
        edit("add_component", type="Text", id="a", parent_id="c1"),
        edit("add_component", type="Text", id="b", parentId="c1", slot="right"),
    )
    assert props(result, 0)["left"] == [node("Text", "a")]
    assert props(result, 0)["right"] == [node("Text", "b")]


@pytest.mark.parametrize(("index", "place"), [(-7, 0), (0, 0), (1, 1), (2, 2), (99, 2)])
def test_index_is_clamped(index: int, place: int):
    result = edited(page(), edit("add_component", type="Text", id="new", index=index))
    assert ids(result).index("new") == place


@pytest.mark.case("AR-3.4-5")
def test_update_merges_props_and_ignores_an_id_among_them():
    result = edited(page(), edit("update_component", id="t2", props={"text": "changed", "id": "hacked"}))
    assert props(result, 1, "content", 0) == {"id": "t2", "text": "changed"}


def test_update_reaches_only_the_first_widget_with_an_id():
    value = stored([node("Text", "a"), node("Text", "a")])
    result = edited(value, edit("update_component", id="a", props={"text": "x"}))
    assert content(result) == [node("Text", "a", text="x"), node("Text", "a")]


def test_widget_without_id_is_found_by_its_position():
    value = stored([node("Text"), node("Text")])
    result = edited(value, edit("update_component", id="Text-1", props={"text": "x"}))
    assert content(result) == [node("Text"), node("Text", text="x")]


def test_widget_inside_an_unknown_type_can_be_changed():
    value = stored([node("Panel", "p", body=[node("Text", "t")])])
    result = edited(value, edit("update_component", id="t", props={"text": "x"}))
    assert props(result, 0, "body", 0)["text"] == "x"


def test_untouched_parts_are_shared_with_the_document_before():
    value = page()
    result = edited(value, edit("update_component", id="t1", props={"text": "x"}))
    assert content(result)[1] is value["ui"]["content"][1]
    assert result.document.stored["operations"] is value["operations"]


def test_update_refuses_children_whose_ids_are_in_use_elsewhere():
    error = refused(page(), edit("update_component", id="p1", props={"content": [node("Text", "t1")]}))
    assert (error.code, error.field) == ("duplicate_id", "props")


def test_update_may_give_the_same_children_again():
    children = [node("Text", "t2", text="new"), node("Text", "t3")]
    result = edited(page(), edit("update_component", id="p1", props={"content": children}))
    assert props(result, 1)["content"] == children


def test_duplicates_that_were_there_do_not_hinder_an_update_of_children():
    value = stored([node("Text", "a"), node("Text", "a"), node("Container", "p")])
    result = edited(value, edit("update_component", id="p", props={"content": [node("Text", "b")]}))
    assert props(result, 2)["content"] == [node("Text", "b")]


def test_delete_props_takes_named_props_away_and_passes_over_others():
    value = stored([node("Text", "t", text="x", format="{a}", keep=1)])
    result = edited(value, edit("delete_props", id="t", props=["text", "format", "nothing"]))
    assert props(result, 0) == {"id": "t", "keep": 1}


def test_delete_props_refuses_the_id():
    assert refused(page(), edit("delete_props", id="t1", props=["id"])).field == "props"


def test_delete_props_refuses_a_slot_that_holds_widgets():
    error = refused(page(), edit("delete_props", id="p1", props=["content"]))
    assert (error.code, error.field) == ("invalid_arguments", "props")
    assert '"content" of "p1"' in error.message


def test_delete_props_may_delete_an_empty_slot():
    value = stored([node("Container", "p", content=[])])
    assert props(edited(value, edit("delete_props", id="p", props=["content"])), 0) == {"id": "p"}


@pytest.mark.case("AR-3.4-6")
def test_remove_takes_a_widget_out_of_its_slot():
    result = edited(page(), edit("remove_component", id="t2"))
    assert props(result, 1)["content"] == []


@pytest.mark.case("AR-3.4-6")
def test_remove_takes_what_is_inside_along():
    result = edited(page(), edit("remove_component", id="p1"))
    assert ids(result) == ["t1"]
    assert result.changed == ("p1", "t2")


@pytest.mark.case("AR-3.4-6")
def test_remove_of_an_unknown_widget_is_refused():
    error = refused(page(), edit("remove_component", id="nope"))
    assert error.code == "unknown_widget"
    assert '"nope"' in error.message
    assert '"t1", "p1", "t2"' in error.message


def test_remove_reaches_only_the_first_widget_with_an_id():
    value = stored([node("Text", "a", n=1), node("Text", "a", n=2)])
    assert content(edited(value, edit("remove_component", id="a"))) == [node("Text", "a", n=2)]


@pytest.mark.case("AR-3.4-7")
@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        ({"parent_id": "nope"}, "unknown_parent", "parent_id"),
        ({"parent_id": "d1"}, "unknown_slot", "parent_id"),
        ({"parent_id": "d1", "slot": "content"}, "unknown_slot", "slot"),
        ({"parent_id": "c1", "slot": "middle"}, "unknown_slot", "slot"),
        ({"slot": "left"}, "unknown_slot", "slot"),
        ({"id": "d1"}, "duplicate_id", "id"),
        ({"id": ""}, "invalid_arguments", "id"),
    ],
)
def test_add_is_refused_where_it_has_no_place(arguments: dict, code: str, field: str):
    value = stored([node("Divider", "d1"), node("Columns", "c1")])
    error = refused(value, edit("add_component", type="Text", **arguments))
    assert (error.code, error.field) == (code, field)


@pytest.mark.case("AR-3.4-7")
def test_refused_slot_lists_the_slots_that_exist():
    value = stored([node("Columns", "c1")])
    assert '"left", "right"' in refused(value, edit("add_component", type="Text", parent_id="c1", slot="x")).message


def test_add_of_an_unknown_type_lists_the_types():
    error = refused(page(), edit("add_component", type="constructor"))
    assert (error.code, error.field) == ("unknown_type", "type")
    assert '"Heading"' in error.message


def test_new_widget_may_bring_children_and_those_without_id_get_one():
    child = node("Columns", left=[node("Text", ""), node("Text", "x")])
    result = edited(page(), edit("add_component", type="Container", id="p2", props={"content": [child]}))
    (columns,) = props(result, 2)["content"]
    assert columns["props"]["id"] == "Columns-5"
    assert [item["props"]["id"] for item in columns["props"]["left"]] == ["Text-6", "x"]


@pytest.mark.parametrize("child_id", ["t1", "p2"])
def test_children_of_a_new_widget_must_have_free_ids(child_id: str):
    new = edit("add_component", type="Container", id="p2", props={"content": [node("Text", child_id)]})
    assert refused(page(), new).code == "duplicate_id"


def test_children_of_a_new_widget_must_have_known_types():
    new = edit("add_component", type="Container", props={"content": [node("Bogus", "b")]})
    assert refused(page(), new).code == "unknown_type"


@pytest.mark.case("AR-3.4-8")
def test_move_out_of_a_slot_to_the_start_of_the_content():
    result = edited(page(), edit("move_component", id="t2", index=0))
    assert ids(result) == ["t2", "t1", "p1"]
    assert result.changed == ("t2",)


@pytest.mark.case("AR-3.4-8")
@pytest.mark.parametrize("parent", ["p1", "c2"])
def test_move_into_its_own_inside_is_refused(parent: str):
    value = stored([node("Container", "p1", content=[node("Columns", "c2")])])
    error = refused(value, edit("move_component", id="p1", parent_id=parent))
    assert (error.code, error.field) == ("invalid_arguments", "parent_id")


def test_move_into_a_later_sibling_finds_it_although_it_moves_up():
    value = stored([node("Text", "a"), node("Container", "p", content=[node("Columns", "c", left=[])])])
    result = edited(value, edit("move_component", id="a", parent_id="c"))
    assert props(result, 0, "content", 0)["left"] == [node("Text", "a")]


def test_move_into_an_earlier_sibling():
    value = stored([node("Container", "p"), node("Text", "a")])
    assert props(edited(value, edit("move_component", id="a", parent_id="p")), 0)["content"] == [node("Text", "a")]


def test_move_takes_the_subtree_along():
    value = stored([node("Container", "p", content=[node("Text", "t")]), node("Columns", "c")])
    result = edited(value, edit("move_component", id="p", parent_id="c", slot="right"))
    assert content(result) == [node("Columns", "c", right=[node("Container", "p", content=[node("Text", "t")])])]


@pytest.mark.parametrize(("index", "order"), [(0, "bac"), (1, "abc"), (2, "acb"), (None, "acb")])
def test_index_of_a_move_counts_without_the_widget(index: int | None, order: str):
    value = stored([node("Text", "a"), node("Text", "b"), node("Text", "c")])
    assert "".join(ids(edited(value, edit("move_component", id="b", index=index)))) == order


def test_move_of_an_unknown_widget_is_refused():
    assert refused(page(), edit("move_component", id="nope")).code == "unknown_widget"


def test_set_component_type_keeps_the_props():
    value = stored([node("Buton", "b", label="Go")])
    result = edited(value, edit("set_component_type", id="b", type="Button"))
    assert content(result) == [node("Button", "b", label="Go")]


def test_set_component_type_refuses_an_unknown_type():
    assert refused(page(), edit("set_component_type", id="t1", type="Bogus")).code == "unknown_type"


def test_set_title_writes_the_title_of_the_root():
    result = edited(page(), edit("set_title", title="New"))
    assert result.document.title == "New"
    assert result.changed == ("root",)


def test_set_title_creates_the_props_of_the_root():
    value = stored()
    value["ui"]["root"] = {"extra": 1, "props": None}
    root = edited(value, edit("set_title", title="New")).document.ui["root"]
    assert root == {"extra": 1, "props": {"title": "New"}}


def test_an_empty_title_takes_the_title_away():
    assert edited(page(), edit("set_title", title="")).document.ui["root"] == {"props": {}}


def test_an_empty_title_on_an_app_without_one_changes_nothing():
    value = stored()
    value["ui"]["root"] = {}
    assert edited(value, edit("set_title", title="")).unchanged


def test_a_long_list_of_widgets_is_cut_in_a_message():
    value = stored([node("Text", f"t{number}") for number in range(90)])
    message = refused(value, edit("remove_component", id="nope")).message
    assert message.endswith('"t79", 10 more.')
