"""Who still names what was removed: O-31 of app-runtime 13."""

from __future__ import annotations

from typing import Any

import pytest
from editing import edit, edited, node, operation, stored

from greenrun.document.edits import EditResult

APP: dict[str, Any] = {
    "operations": [
        operation("draft", inputs={"a": {"from": "variable", "variableId": "v"}, "b": {"from": "widget"}}),
        operation(
            "edit",
            inputs={"r": {"from": "resource", "resourceBindingId": "res"}},
            outputs={"o": {"to": "variable", "variableId": "v"}, "p": {"to": "display"}},
        ),
    ],
    "variables": [{"id": "v", "name": "Tone"}, {"id": "w", "name": "Other"}],
    "resources": [{"id": "res", "kind": "asset", "scope": {"projectId": "p"}}],
}


def click(kind: str, **members: Any) -> dict[str, Any]:
    return {"trigger": "click", "kind": kind, **members}


CONTENT = [
    node("TextInput", "in", binding="op:edit/in:n"),
    node("Slider", "prop", binding="node:n#x"),
    node("Gallery", "gal", binding="op:edit/out:o", selectionBinding="var:v"),
    node("Text", "cond", visibleWhen={"binding": "op:edit/exec#running"}, disabledWhen={"binding": "Tone"}),
    node("Text", "tmpl", format="{var:v|upper} and {op:edit/out:o} {gone}"),
    node("WorkflowForm", "form", operationId="edit"),
    node("WorkflowForm", "form2"),
    node("ResourcePicker", "pick", resourceBindingId="res"),
    node("Text", "view", binding="view:in#value"),
    node(
        "Button",
        "go",
        events=[
            click("run", operationId="edit"),
            click("run"),
            click("setVariable", key="Tone"),
            click("toggleState", key="gone"),
            click("openResource", resourceBindingId="res"),
            click("resourceCommand"),
            click("other", key="var:v"),
        ],
    ),
]


def places(result: EditResult) -> list[tuple[str | None, str | None]]:
    """Widget and prop, or operation and node, of each dependant."""
    return [
        (item.place.widget, item.place.prop) if item.place.widget else (item.place.operation, item.place.node)
        for item in result.dependants
    ]


@pytest.mark.case("AR-13.2-7")
def test_all_places_that_name_an_operation_are_listed_in_document_order():
    result = edited(stored(CONTENT, **APP), edit("remove_operation", id="edit"))
    assert places(result) == [
        ("in", "binding"),
        ("gal", "binding"),
        ("cond", "visibleWhen"),
        ("tmpl", "format"),
        ("form", "operationId"),
        ("go", "events[0]"),
    ]
    assert all(item.kind == "operation" and item.id == "edit" and '"' in item.text for item in result.dependants)


def test_places_that_used_the_default_operation_are_listed_too():
    result = edited(stored(CONTENT, **APP), edit("remove_operation", id="draft"))
    assert places(result) == [("prop", "binding"), ("form2", "operationId"), ("go", "events[1]")]
    assert result.dependants[1].text.endswith('operation "draft", the default one.')


def test_all_places_that_name_a_variable_are_listed():
    result = edited(stored(CONTENT, **APP), edit("remove_variable", id="v"))
    assert places(result) == [
        ("gal", "selectionBinding"),
        ("cond", "disabledWhen"),
        ("tmpl", "format"),
        ("go", "events[2]"),
        ("draft", "a"),
        ("edit", "o"),
    ]


def test_all_places_that_name_a_resource_are_listed():
    result = edited(stored(CONTENT, **APP), edit("remove_resource", id="res"))
    assert places(result) == [("pick", "resourceBindingId"), ("go", "events[4]"), ("edit", "r")]


def test_places_that_name_a_removed_widget_are_listed():
    result = edited(stored(CONTENT, **APP), edit("remove_component", id="in"))
    assert places(result) == [("view", "binding")]
    assert result.dependants[0].to_json() == {
        "kind": "component",
        "id": "in",
        "place": {"widget": "view", "prop": "binding"},
        "text": 'Text "view" names view:in#value in binding.',
    }


def test_main_token_of_a_one_operation_app_is_listed():
    value = stored([node("Text", "t", binding="op:main/out:o")], operations=[operation("draft")])
    assert places(edited(value, edit("remove_operation", id="draft"))) == [("t", "binding")]


def test_nothing_is_listed_when_the_dependants_go_too():
    value = stored([node("Text", "t", binding="var:v")], variables=[{"id": "v"}])
    result = edited(value, edit("remove_variable", id="v"), edit("remove_component", id="t"))
    assert result.dependants == ()


def test_nothing_is_listed_when_it_is_declared_again():
    value = stored([node("Text", "t", binding="var:v")], variables=[{"id": "v"}])
    result = edited(value, edit("remove_variable", id="v"), edit("declare_variable", id="v", name="new"))
    assert result.dependants == ()


def test_what_was_added_and_removed_in_one_batch_is_listed_where_it_was_bound():
    result = edited(
        stored([node("Text", "t")]),
        edit("declare_variable", id="v"),
        edit("update_component", id="t", props={"binding": "var:v"}),
        edit("remove_variable", id="v"),
    )
    assert places(result) == [("t", "binding")]


def test_widgets_that_vanish_with_other_props_are_listed():
    value = stored(
        [node("Container", "p", content=[node("TextInput", "x")]), node("Text", "t", binding="view:x#value")]
    )
    result = edited(value, edit("update_component", id="p", props={"content": []}))
    assert places(result) == [("t", "binding")]


def test_app_without_operations_has_no_default_to_lose():
    value = stored([node("Button", "b", events=[click("run")]), node("WorkflowForm", "f")], variables=[{"id": "v"}])
    assert edited(value, edit("remove_variable", id="v")).dependants == ()
