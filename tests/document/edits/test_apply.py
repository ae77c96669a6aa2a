"""Batches: all or nothing, no-ops, versions, arguments and errors."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from editing import edit, edited, ids, node, operation, parsed, refused, stored

from greenrun.document.edits import CODES, HANDLERS, EditError, apply, parse_edits
from greenrun.document.edits.models import AddComponent, SetTitle
from greenrun.document.identity import snapshot
from greenrun.document.parse import parse_document

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"


def envelope(**members: Any) -> dict[str, Any]:
    return {"version": 2, "data": stored([node("Text", "t")])["ui"], **members}


def test_batch_is_all_or_nothing_and_names_the_edit_at_fault():
    value = stored([node("Text", "t")])
    error = refused(
        value,
        edit("set_title", title="New"),
        edit("remove_component", id="t"),
        edit("remove_component", id="t"),
    )
    assert (error.code, error.index, error.field) == ("unknown_widget", 2, "id")


def test_batch_sees_its_own_earlier_edits():
    result = edited(
        stored(),
        edit("add_component", type="Container", id="p"),
        edit("add_component", type="Text", id="t", parent_id="p"),
        edit("move_component", id="t"),
        edit("remove_component", id="p"),
    )
    assert ids(result) == ["t"]
    assert result.changed == ("p", "t")


def test_one_edit_need_not_stand_in_a_list():
    document = parsed(stored())
    assert apply(document, edit("set_title", title="A")).document.title == "A"
    assert apply(document, SetTitle(title="B")).document.title == "B"
    assert apply(document, [SetTitle(title="C"), edit("set_title", title="D")]).document.title == "D"


@pytest.mark.parametrize(
    "change",
    [
        edit("update_component", id="t", props={"text": "x", "n": 1.0}),
        edit("delete_props", id="t", props=["nothing"]),
        edit("move_component", id="t", index=0),
        edit("set_title", title="Demo"),
        edit("set_component_type", id="t", type="Text"),
        edit("update_operation", id="main", patch={"name": "main", "workflow_id": "wf1", "inputs": {}}),
        edit("set_target", id="main", workflow_id="wf1"),
        edit("update_variable", id="v", patch={"default": {"b": 1, "a": 2}}),
        edit("set_raw", list="operations", index=0, patch={"policy": "replace"}),
        edit("update_event", id="t", index=0, patch={"trigger": "click"}),
    ],
)
def test_no_op_gives_the_very_same_document(change: dict[str, Any]):
    value = stored(
        [node("Text", "t", text="x", n=1, events=[{"trigger": "click"}])],
        operations=[operation()],
        variables=[{"id": "v", "default": {"a": 2, "b": 1}}],
    )
    document = parsed(value)
    result = apply(document, change)
    assert result.unchanged
    assert result.document is document
    assert (result.changed, result.inverse, result.dependants) == ((), (), ())


def test_batch_that_comes_back_to_its_start_is_a_no_op():
    document = parsed(envelope())
    result = apply(document, [edit("set_title", title="New"), edit("set_title", title="Demo")])
    assert not result.unchanged, "an envelope that was edited is written in native shape"
    document = parsed(stored())
    result = apply(document, [edit("set_title", title="New"), edit("set_title", title="Demo")])
    assert result.unchanged
    assert result.document is document


def test_empty_batch_changes_nothing():
    document = parsed(stored())
    assert apply(document, []).document is document


@pytest.mark.case("AR-2.3-7")
def test_version_3_stays_for_a_label():
    value = stored([node("Button", "b")], schemaVersion=3)
    result = edited(value, edit("update_component", id="b", props={"label": "Go"}))
    assert result.document.stored["schemaVersion"] == 3


@pytest.mark.case("AR-2.3-7")
def test_version_rises_to_4_for_a_function_operation():
    target = {"kind": "function", "function": "mod:f"}
    result = edited(stored(schemaVersion=3), edit("add_operation", id="m", target=target))
    assert result.document.stored["schemaVersion"] == 4
    assert result.document.schema_version == 4


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, 4),
        ({"schemaVersion": "3"}, 4),
        ({"recipe": 1}, 5),
        ({"schemaVersion": 3.5}, 3.5),
        ({"schemaVersion": -1}, -1),
    ],
)
def test_version_is_written_only_where_no_number_stands(before: dict[str, Any], after: float):
    value = stored()
    del value["schemaVersion"]
    result = edited({**value, **before}, edit("set_title", title="New"))
    assert result.document.stored["schemaVersion"] == after


def test_edit_writes_the_sentinel_beside_a_function_target():
    function = {"id": "m", "target": {"kind": "function", "function": "mod:f"}}
    result = edited(stored(operations=[function, "junk"]), edit("set_title", title="New"))
    assert result.document.stored["operations"] == [{**function, "workflowId": "function:mod:f"}, "junk"]


def test_edited_envelope_is_written_in_native_shape_with_its_unknown_keys():
    result = edited(envelope(own=1), edit("set_title", title="New"), host="wf-host")
    assert result.document.stored == {
        "schemaVersion": 4,
        "ui": {"root": {"props": {"title": "New"}}, "content": [node("Text", "t")], "zones": {}},
        "operations": [{**operation(workflow_id="wf-host"), "name": "Run"}],
        "resources": [],
        "variables": [],
        "own": 1,
    }


def test_host_workflow_is_found_in_the_operations_of_the_document():
    for value in (envelope(), stored(operations=[operation(workflow_id="wf"), operation("b", workflow_id="")])):
        document = parsed(value, "wf-host")
        result = apply(document, edit("set_title", title="New"))
        assert result.document.operations == document.operations
        assert apply(result.document, result.inverse).document == document


def test_envelope_without_a_host_has_no_operation():
    assert edited(envelope(), edit("set_title", title="New")).document.operations == ()


def test_placeholder_of_an_inline_document_is_not_saved():
    result = edited(envelope(), edit("set_title", title="New"), host="self")
    assert result.document.stored["operations"][0]["workflowId"] == ""


def test_unknown_keys_survive_everywhere():
    value = stored(
        [{**node("Text", "t", own=1), "readOnly": {"x": True}}],
        operations=[operation(own=2)],
        theme={"id": "card", "own": 3},
        own=4,
    )
    value["ui"]["own"] = 5
    result = edited(value, edit("update_component", id="t", props={"text": "x"})).document.stored
    assert result["ui"]["content"] == [{**node("Text", "t", own=1, text="x"), "readOnly": {"x": True}}]
    assert (result["own"], result["theme"], result["ui"]["own"]) == (4, {"id": "card", "own": 3}, 5)
    assert result["operations"] == [operation(own=2)]


def test_arguments_are_copied():
    props = {"options": [{"value": "a"}]}
    result = apply(parsed(stored()), edit("add_component", type="Select", id="s", props=props))
    before = snapshot(result.document)
    props["options"][0]["value"] = "b"
    assert snapshot(result.document) == before


def test_objects_sent_as_json_text_are_decoded_once_and_texts_stay():
    (change,) = parse_edits(edit("add_component", type="Text", props='{"label": "{\\"a\\": 1}"}'))
    assert isinstance(change, AddComponent)
    assert change.props == {"label": '{"a": 1}'}


def test_tuples_are_lists():
    result = edited(stored([node("Select", "s")]), edit("update_component", id="s", props={"options": ("a", "b")}))
    assert result.document.ui["content"][0]["props"]["options"] == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"edit": "nope"}, "edit"),
        ({"title": "x"}, "edit"),
        ("junk", "edit"),
        (edit("set_title"), "title"),
        (edit("set_title", title=1), "title"),
        (edit("set_title", title="x", extra=1), "extra"),
        (edit("add_component", type="Text", index="0"), "index"),
        (edit("add_component", type="Text", props="{not json"), "props"),
        (edit("add_component", type="Text", props=[1]), "props"),
        (edit("update_component", id="t", props={"a": float("nan")}), "props"),
        (edit("update_component", id="t", props={"a": {1: 2}}), "props"),
        (edit("update_component", id="t", props={"a": object()}), "props"),
        (edit("add_operation", workflow_id="w", workflow_version=float("inf")), "workflow_version"),
        (edit("update_operation", id="m", patch="junk"), "patch"),
        (edit("update_operation", id="m", patch={"nope": 1}), "patch.nope"),
        (edit("clear_mapping", id="m", side="both", node="n"), "side"),
    ],
)
def test_arguments_that_are_none_are_refused_by_field(change: Any, field: str):
    with pytest.raises(EditError) as caught:
        apply(parsed(stored()), [edit("set_title", title="x"), change])
    assert (caught.value.code, caught.value.index, caught.value.field) == ("invalid_arguments", 1, field)
    assert caught.value.next_action
    assert caught.value.message


def test_value_that_is_nested_too_deeply_is_refused():
    deep: Any = 1
    for _ in range(250):
        deep = [deep]
    error = refused(stored([node("Text", "t")]), edit("update_component", id="t", props={"a": deep}))
    assert (error.code, error.field) == ("invalid_arguments", "props")


def test_document_that_would_become_too_deep_is_refused():
    deep: Any = 1
    for _ in range(150):
        deep = [deep]
    nest = [edit("add_component", type="Container", id="c0")]
    nest += [edit("add_component", type="Container", id=f"c{n + 1}", parent_id=f"c{n}") for n in range(20)]
    error = refused(stored(), *nest, edit("add_component", type="Text", parent_id="c20", props={"a": deep}))
    assert (error.code, error.index) == ("invalid_arguments", 21)


def test_argument_that_is_too_deep_together_with_its_widget_is_refused():
    deep: Any = 1
    for _ in range(199):
        deep = [deep]
    error = refused(stored(), edit("set_title", title="x"), edit("add_component", type="Text", props={"a": deep}))
    assert (error.code, error.index) == ("invalid_arguments", 1)


def test_lists_of_the_wrong_type_stay_when_something_else_is_edited():
    value = stored(operations="junk", variables=7, resources=None)
    result = edited(value, edit("set_title", title="New"))
    assert result.document.stored["operations"] == "junk"


def test_error_is_data():
    error = refused(stored(), edit("remove_component", id="nope"))
    assert error.to_json() == {
        "code": "unknown_widget",
        "message": 'There is no widget "nope". The widgets are none.',
        "retryable": False,
        "next_action": "Use the id of one of these widgets.",
        "index": 0,
        "field": "id",
    }
    assert error.code in CODES


def test_every_verb_has_a_handler():
    schema = json.dumps(AddComponent.model_json_schema())
    assert "parent_id" in schema
    assert len(HANDLERS) == 26


@pytest.mark.parametrize("path", sorted(CORPUS.rglob("*.json")), ids=lambda path: path.stem)
def test_apps_from_elsewhere_survive_an_edit_of_each_widget(path: Path):
    value = json.loads(path.read_text(encoding="utf-8"))
    app = value["app"] if "app" in value else value["app_doc"]
    document = parse_document(app, "wf").document
    assert document is not None
    before = copy.deepcopy(app)
    for item in document.ui["content"]:
        result = apply(document, edit("update_component", id=item["props"]["id"], props={"label": "changed"}))
        back = apply(result.document, result.inverse).document
        assert json.dumps(back.stored) == json.dumps(before)
