"""The way back: small changes, in the right places, and never over something newer."""

from __future__ import annotations

from typing import Any

import pytest
from editing import edit, edited, ids, node, operation, parsed, props, stored

from greenrun.document.edits import EditError, EditResult, apply
from greenrun.document.identity import short_hash
from greenrun.document.json_text import canonical_json

TWO = [node("Text", "a", text="A"), node("Container", "p", content=[node("Text", "b", text="B")])]


def undone(result: EditResult, *later: dict[str, Any]) -> EditResult:
    """The inverse applied after other edits."""
    return apply(apply(result.document, list(later)).document, result.inverse)


def test_inverse_of_a_prop_names_the_prop_alone():
    result = edited(stored(TWO), edit("update_component", id="b", props={"text": "new"}))
    assert len(str(result.inverse)) < 300
    assert [change["key"] for step in result.inverse for change in step["changes"]] == ["text"]


def test_inverse_of_an_inverse_makes_the_change_again():
    value = {"version": 1, "data": stored(TWO)["ui"]}
    result = edited(value, edit("remove_component", id="b"), edit("set_title", title="New"), host="wf")
    back = apply(result.document, result.inverse, host_workflow_id="wf")
    again = apply(back.document, back.inverse, host_workflow_id="wf")
    assert list(again.document.stored) == list(result.document.stored)
    assert again.document.stored == result.document.stored


def test_restore_names_what_it_touched():
    result = edited(
        stored(TWO), edit("update_component", id="b", props={"text": "x"}), edit("remove_component", id="a")
    )
    assert apply(result.document, result.inverse).changed == ("a", "b")


def test_restore_names_operations_too():
    value = stored(operations=[operation(), operation("other")])
    result = edited(
        value, edit("update_operation", id="other", patch={"name": "N"}), edit("remove_operation", id="main")
    )
    assert apply(result.document, result.inverse).changed == ("main", "other")


def test_ids_inside_props_are_not_taken_for_widgets():
    value = stored([node("Select", "s", options=[{"id": "o1", "value": 1}])])
    result = edited(value, edit("update_component", id="s", props={"options": [{"id": "o1", "value": 2}]}))
    assert apply(result.document, result.inverse).changed == ("s",)


def test_undo_survives_other_edits_elsewhere():
    result = edited(stored(TWO), edit("update_component", id="b", props={"text": "new"}))
    back = undone(
        result,
        edit("add_component", type="Text", id="first", index=0),
        edit("add_component", type="Text", id="before-b", parent_id="p", index=0),
        edit("update_component", id="b", props={"format": "{x}"}),
    )
    assert ids(back) == ["first", "a", "p"]
    assert props(back, 2, "content", 1) == {"id": "b", "text": "B", "format": "{x}"}


@pytest.mark.parametrize(
    ("change", "later"),
    [
        (edit("update_component", id="a", props={"text": "x"}), edit("update_component", id="a", props={"text": "y"})),
        (edit("update_component", id="a", props={"text": "x"}), edit("delete_props", id="a", props=["text"])),
        (edit("update_component", id="a", props={"text": "x"}), edit("remove_component", id="a")),
        (edit("update_component", id="b", props={"text": "x"}), edit("move_component", id="b")),
        (edit("delete_props", id="a", props=["text"]), edit("update_component", id="a", props={"text": "y"})),
        (edit("remove_component", id="a"), edit("add_component", type="Text", id="c")),
        (edit("add_component", type="Text", id="c"), edit("update_component", id="c", props={"text": "y"})),
        (edit("remove_component", id="b"), edit("update_component", id="p", props={"content": "junk"})),
        (edit("set_title", title="x"), edit("set_title", title="y")),
    ],
)
def test_undo_never_overwrites_something_newer(change: dict[str, Any], later: dict[str, Any]):
    result = edited(stored(TWO), change)
    newer = apply(result.document, later).document
    with pytest.raises(EditError) as caught:
        apply(newer, result.inverse)
    assert (caught.value.code, caught.value.retryable) == ("conflict", True)


def test_key_order_is_restored_or_refused():
    result = edited(stored([node("Text", "a", x=1, y=2)]), edit("delete_props", id="a", props=["x"]))
    back = apply(result.document, result.inverse).document
    assert list(back.ui["content"][0]["props"]) == ["id", "x", "y"]
    with pytest.raises(EditError) as caught:
        undone(result, edit("update_component", id="a", props={"z": 1}))
    assert caught.value.code == "conflict"


def restore(**change: Any) -> dict[str, Any]:
    return edit("restore", changes=[change])


@pytest.mark.parametrize(
    "change",
    [
        restore(change="member", path=["ui", "content"], key="x", was=None, value=1),
        restore(change="member", path=["ui", "content", 9], key="x", was=None, value=1),
        restore(change="member", path=["ui", "content", "0"], key="x", was=None, value=1),
        restore(change="member", path=["ui", {"id": "a"}], key="x", was=None, value=1),
        restore(change="member", path=["nowhere"], key="x", was=None, value=1),
        restore(change="order", path=["ui", "content"], keys=[]),
        restore(change="order", path=["ui", "root"], keys=["other"]),
        restore(change="items", path=["ui", "root"], length=1, at=0, was=[], items=[]),
        restore(change="items", path=["ui", "content"], length=2, at=-1, was=[], items=[]),
        restore(change="items", path=["ui", "content"], length=2, at=0, was=["0" * 12], items=[]),
        restore(change="items", path=["ui", "content"], length=2, at=2, was=["0" * 12], items=[]),
        restore(change="member", path=[], key="ui", was=None, value=1),
    ],
)
def test_restore_that_does_not_fit_is_a_conflict(change: dict[str, Any]):
    document = parsed(stored(TWO))
    with pytest.raises(EditError) as caught:
        apply(document, change)
    assert caught.value.code == "conflict"


def test_restore_that_leaves_no_document_is_refused():
    document = parsed(stored(TWO, extra=1))
    with pytest.raises(EditError) as caught:
        apply(document, restore(change="member", path=[], key="schemaVersion", was=_hash(4), value=99))
    assert (caught.value.code, caught.value.index) == ("conflict", 0)
    with pytest.raises(EditError) as caught:
        apply(
            document,
            [
                restore(change="member", path=[], key="schemaVersion", was=_hash(4), value=99),
                edit("set_title", title="New"),
            ],
        )
    assert caught.value.code == "conflict"


def _hash(value: Any) -> str:

    return short_hash(canonical_json(value))


def test_swapped_entries_are_put_back_as_they_were():
    value = stored([node("Text", "a", n=1), node("Text", "b", n=2), node("Text", "c", n=3)])
    result = edited(value, edit("move_component", id="a", index=1))
    assert ids(apply(result.document, result.inverse)) == ["a", "b", "c"]
    assert result.inverse[0]["changes"][0]["at"] == 0
    assert len(result.inverse[0]["changes"][0]["items"]) == 2
