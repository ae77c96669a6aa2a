"""Flattening into widgets (spec: app-runtime 3.1-3.3, harness 2.1)."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greenrun.document.bindings import (
    InputRef,
    NodePropertyRef,
    OutputRef,
    Ref,
    Scope,
    ScopeOperation,
    VariableRef,
    ViewRef,
)
from greenrun.document.conditions import StoredCondition
from greenrun.document.model import Variable
from greenrun.document.surface import Port, Surface
from greenrun.document.tree import DroppedEvent, ExtraBound, StoredEvent, Widget, flatten
from greenrun.document.values import ABSENT

SURFACE = Surface(
    inputs=(Port("n1", "t", "name", "name"),),
    outputs=(Port("n9", "t", "name", "name"),),
    node_ids=("n1", "n9"),
)
SCOPE = Scope((ScopeOperation("main", SURFACE),), (Variable("v", "mood"),), "main")


def _flatten_one(type_: str, **props: Any) -> Widget:
    content = [{"type": type_, "props": {"id": "w", **props}}]
    return flatten({"root": {}, "content": content}, SCOPE).widgets[0]


def _events(*stored: Any) -> tuple[tuple[StoredEvent, ...], tuple[DroppedEvent, ...]]:
    content = [{"type": "Button", "props": {"id": "b", "events": list(stored)}}]
    result = flatten({"root": {}, "content": content}, SCOPE)
    return result.widgets[0].events, result.dropped_events


@pytest.mark.parametrize(
    ("type_", "mode", "ref"),
    [
        ("TextInput", "write", InputRef("main", "n1")),
        ("Markdown", "read", OutputRef("main", "n9")),
        ("Button", "action", OutputRef("main", "n9")),
        ("Container", "layout", OutputRef("main", "n9")),
        ("Bogus", "unknown", OutputRef("main", "n9")),
    ],
)
def test_a_binding_is_resolved_in_the_mode_of_the_type(type_: str, mode: str, ref: Ref) -> None:
    widget = _flatten_one(type_, binding="name")

    assert (widget.mode, widget.ref) == (mode, ref)


def test_a_resolved_binding_has_a_canonical_token_and_a_state_key() -> None:
    widget = _flatten_one("TextInput", binding="name")

    assert (widget.binding, widget.canonical, widget.state_key) == ("name", "op:main/in:n1", "main:n1")


def test_a_binding_that_names_nothing_has_neither() -> None:
    widget = _flatten_one("TextInput", binding="gone")

    assert (widget.binding, widget.ref, widget.canonical, widget.state_key) == ("gone", None, None, None)


@pytest.mark.parametrize("props", [{}, {"binding": ""}, {"binding": None}, {"binding": 5}])
def test_an_unbound_write_widget_points_at_its_own_view(props: dict[str, Any]) -> None:
    widget = _flatten_one("TextInput", **props)

    assert (widget.binding, widget.ref) == (None, ViewRef("w", "value"))
    assert (widget.canonical, widget.state_key) == ("view:w#value", "w:value")


@pytest.mark.parametrize("type_", ["Markdown", "Button", "Container", "Bogus"])
def test_any_other_unbound_widget_points_nowhere(type_: str) -> None:
    assert _flatten_one(type_).ref is None


def test_a_widget_outside_the_catalog_is_marked() -> None:
    assert not _flatten_one("Bogus").known
    assert not _flatten_one("constructor").known
    assert _flatten_one("Text").known


@pytest.mark.parametrize(
    ("props", "label"),
    [
        ({"label": "Go"}, "Go"),
        ({"label": "", "text": "body"}, ""),
        ({"text": "body"}, "body"),
        ({"label": 5, "text": "body"}, "body"),
        ({"label": None}, None),
        ({}, None),
    ],
)
def test_the_label_is_the_label_else_the_text(props: dict[str, Any], label: str | None) -> None:
    assert _flatten_one("Button", **props).label == label


def test_only_resource_widgets_have_a_resource() -> None:
    assert _flatten_one("ResourcePicker", resourceBindingId="shots").resource_binding_id == "shots"
    assert _flatten_one("ResourcePicker", resourceBindingId="").resource_binding_id is None
    assert _flatten_one("TextInput", resourceBindingId="shots").resource_binding_id is None


def test_only_forms_have_an_operation() -> None:
    assert _flatten_one("WorkflowForm", operationId="draft").operation_id == "draft"
    assert _flatten_one("WorkflowForm", operationId="").operation_id is None
    assert _flatten_one("TextInput", operationId="draft").operation_id is None


def test_an_extra_binding_is_resolved_in_its_own_mode() -> None:
    gallery = _flatten_one("Gallery", binding="name", selectionBinding="name")

    assert gallery.ref == OutputRef("main", "n9")
    assert gallery.extra_bindings == (ExtraBound("selectionBinding", "name", InputRef("main", "n1"), "write"),)


def test_an_extra_binding_that_names_nothing_is_kept_without_ref() -> None:
    thread = _flatten_one("ChatThread", streamBinding="ghost")

    assert thread.extra_bindings == (ExtraBound("streamBinding", "ghost", None, "read"),)


def test_an_empty_extra_binding_and_one_of_an_unknown_type_do_not_count() -> None:
    assert _flatten_one("ChatThread", streamBinding="").extra_bindings == ()
    assert _flatten_one("Bogus", streamBinding="name").extra_bindings == ()


@pytest.mark.parametrize(
    ("stored", "condition"),
    [
        ({"binding": "mood"}, StoredCondition("mood")),
        ({"binding": "mood", "op": "", "value": ""}, StoredCondition("mood", "", "")),
        ({"binding": "mood", "op": "gt", "value": 3}, StoredCondition("mood", "gt", 3)),
        ({"binding": "mood", "op": 7, "value": None}, StoredCondition("mood", 7, None)),
        ({"binding": "", "op": "eq"}, None),
        ({"op": "eq", "value": "x"}, None),
        ({"binding": 5}, None),
        ("mood", None),
        (None, None),
    ],
)
def test_conditions_are_kept_as_stored_when_they_have_a_binding(stored: Any, condition: StoredCondition | None) -> None:
    widget = _flatten_one("Container", visibleWhen=stored, disabledWhen=stored)

    assert widget.visible_when == condition
    assert widget.disabled_when == condition


def test_a_format_counts_when_it_is_not_empty() -> None:
    assert _flatten_one("Text", format="{mood}").format == "{mood}"
    assert _flatten_one("Image", format="{mood}").format == "{mood}"
    assert _flatten_one("Text", format="").format is None


@pytest.mark.case("AR-3.2-1")
def test_an_event_without_a_trigger_of_the_format_is_dropped() -> None:
    raw = {"event": "click", "action": "run"}

    assert _events(raw) == ((), (DroppedEvent("b", 0, raw),))


@pytest.mark.case("AR-3.2-1")
@pytest.mark.parametrize("stored", [{"trigger": "click"}, {"trigger": "click", "kind": ""}])
def test_an_event_without_kind_means_run(stored: dict[str, Any]) -> None:
    (event,), dropped = _events(stored)

    assert (event.trigger, event.kind, dropped) == ("click", "run", ())


@pytest.mark.case("AR-3.2-1")
def test_an_event_whose_kind_is_no_text_means_run() -> None:
    (event,), _ = _events({"trigger": "change", "kind": 7})

    assert (event.trigger, event.kind) == ("change", "run")


@pytest.mark.case("AR-3.2-1")
@pytest.mark.parametrize("trigger", ["hover", "Click", "", None, 5, ["click"]])
def test_an_event_with_another_trigger_is_dropped(trigger: Any) -> None:
    raw = {"trigger": trigger, "kind": "run"}

    assert _events(raw) == ((), (DroppedEvent("b", 0, raw),))


@pytest.mark.parametrize("raw", [None, "run", 3, []])
def test_an_event_that_is_no_object_is_dropped(raw: Any) -> None:
    events, dropped = _events(raw, {"trigger": "click"})

    assert [event.index for event in events] == [1]
    assert dropped == (DroppedEvent("b", 0, raw),)


def test_an_event_keeps_what_is_stored() -> None:
    (event,), _ = _events(
        {
            "trigger": "change",
            "kind": "runn",
            "key": "mood",
            "value": {"a": 1},
            "operationId": "draft",
            "invocationId": "j7",
            "resourceBindingId": "shots",
            "command": "upload",
            "pace": "release",
        }
    )

    assert event == StoredEvent(0, "change", "runn", "mood", {"a": 1}, "draft", "j7", "shots", "upload", "release")


@pytest.mark.parametrize("empty", ["", None, 5])
def test_texts_of_an_event_that_are_empty_or_no_texts_are_absent(empty: Any) -> None:
    names = ("key", "operationId", "invocationId", "resourceBindingId", "command", "pace")
    (event,), _ = _events({"trigger": "click", **dict.fromkeys(names, empty)})

    assert event == StoredEvent(0, "click")


@pytest.mark.parametrize(("stored", "value"), [({}, ABSENT), ({"value": None}, None), ({"value": 0}, 0)])
def test_the_value_of_an_event_may_be_absent_null_or_anything(stored: dict[str, Any], value: Any) -> None:
    (event,), _ = _events({"trigger": "click", **stored})

    assert event.value is value


@pytest.mark.parametrize("events", [None, {}, "run", {"trigger": "click"}])
def test_events_that_are_no_list_are_none(events: Any) -> None:
    assert _flatten_one("Button", events=events).events == ()


def test_a_widget_knows_its_place() -> None:
    content = [{"type": "Container", "props": {"id": "p", "content": [{"type": "Text", "props": {}}]}}]

    text = flatten({"root": {}, "content": content}, SCOPE).widgets[1]

    assert (text.id, text.positional, text.parent_id, text.slot) == ("Text-1", True, "p", "content")
    assert text.path == ("content", 0, "props", "content", 0)
    assert text.props is content[0]["props"]["content"][0]["props"]


def test_what_the_walk_could_not_use_comes_with_the_widgets() -> None:
    content = [5, {"type": "Divider", "props": {"id": "d", "middle": [{"type": "Text", "props": {}}]}}]

    result = flatten({"root": {}, "content": content}, SCOPE)

    assert [(item.widget_id, item.prop, item.count) for item in result.misplaced] == [("d", "middle", 1)]
    assert [item.index for item in result.dropped] == [0]


def test_tokens_are_read_after_the_main_remap() -> None:
    scope = Scope((ScopeOperation("draft"),), (), "draft")
    props = {"id": "s", "binding": "op:main/prop:n5#strength"}

    (widget,) = flatten({"root": {}, "content": [{"type": "Slider", "props": props}]}, scope).widgets

    assert widget.ref == NodePropertyRef("draft", "n5", "strength")
    assert widget.canonical == "op:draft/prop:n5#strength"
    assert widget.binding == "op:main/prop:n5#strength"


def test_a_variable_name_is_a_binding() -> None:
    assert _flatten_one("Switch", binding="mood").ref == VariableRef("v")


_ANY = st.sampled_from(
    [
        None,
        True,
        0,
        2.5,
        "",
        "x",
        "op:main/in:n1",
        "var:x",
        "name",
        [],
        [1],
        {},
        {"binding": "mood"},
        [{"trigger": "click"}],
    ]
)
_PROP_NAMES = (
    *("id", "binding", "events", "content", "left", "label", "format", "visibleWhen", "disabledWhen", "options"),
    *("resourceBindingId", "operationId", "selectionBinding", "streamBinding"),
)
_PROPS = st.dictionaries(
    st.sampled_from(_PROP_NAMES),
    _ANY | st.deferred(lambda: st.lists(_NODES, max_size=3)),
    max_size=6,
)
_NODES: st.SearchStrategy[Any] = st.deferred(
    lambda: st.fixed_dictionaries(
        {
            "type": st.sampled_from(["Text", "Columns", "Container", "Button", "Gallery", "Bogus", "List"]),
            "props": _PROPS,
        }
    )
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_NODES | _ANY, max_size=4))
def test_flattening_never_raises_and_never_changes_what_is_stored(content: list[Any]) -> None:
    ui = {"root": {}, "content": content}
    before = copy.deepcopy(ui)

    result = flatten(ui, SCOPE)

    assert ui == before
    assert all(widget.props is _follow(ui, widget.path)["props"] for widget in result.widgets)


def _follow(ui: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        ui = ui[step]
    return ui


_CORPUS = Path(__file__).parents[3] / "shared" / "corpus"


@pytest.mark.parametrize("path", sorted(_CORPUS.glob("*.app.json")), ids=lambda path: path.stem)
def test_apps_from_elsewhere_flatten_to_known_widgets_without_loss(path: Path) -> None:
    result = flatten(json.loads(path.read_text(encoding="utf-8"))["app"]["ui"], Scope())

    assert result.widgets
    assert all(widget.known for widget in result.widgets)
    assert (result.dropped, result.dropped_events, result.misplaced) == ((), (), ())
