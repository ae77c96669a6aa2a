"""Visible, disabled, and what a widget depends on: app-runtime 7.4 and 17.5."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.conditions import StoredCondition
from greenrun.document.model import Variable
from greenrun.document.surface import Surface
from greenrun.runtime.evaluator import Obstacle, changed_keys
from greenrun.runtime.events import (
    InvocationActivity,
    InvocationProgress,
    OutputValue,
    Reset,
    RunStarted,
    SetInput,
    SetVariable,
    SetView,
)
from greenrun.runtime.state import Invocation, empty_state

GATE = Variable("gate", "Gate")
WHEN_GATE = {"binding": "var:gate", "op": "notEmpty"}


def node(kind: str, id_: str, **props: Any) -> dict[str, Any]:
    return {"type": kind, "props": {"id": id_, **props}}


def run_event(operation_id: str | None = None, **rest: Any) -> dict[str, Any]:
    return {"trigger": "click", "kind": "run", **({"operationId": operation_id} if operation_id else {}), **rest}


def test_a_condition_hides_and_another_disables(make_screen: Any) -> None:
    screen = make_screen([node("Text", "t", visibleWhen=WHEN_GATE, disabledWhen=WHEN_GATE)], variables=[GATE])
    assert screen.evaluator.visibility(screen.state) == {"t": (False, False)}
    screen.dispatch(SetVariable("gate", "open"))
    assert screen.evaluator.visibility(screen.state) == {"t": (True, True)}


def test_a_condition_that_resolves_to_nothing_changes_nothing(make_screen: Any) -> None:
    gone = {"binding": "gone", "op": "notEmpty"}
    screen = make_screen([node("Text", "t", visibleWhen=gone, disabledWhen=gone)])
    assert screen.evaluator.visibility(screen.state)["t"] == (True, False)


@pytest.mark.case("AR-17.5-1")
def test_a_hidden_container_hides_everything_inside(make_screen: Any) -> None:
    inner = node("Container", "inner", content=[node("Text", "deep")])
    content = [
        node("Container", "outer", visibleWhen=WHEN_GATE, content=[inner, node("Button", "b")]),
        node("Text", "out"),
    ]
    screen = make_screen(content, variables=[GATE])
    visible = {key for key, flags in screen.evaluator.visibility(screen.state).items() if flags.visible}
    assert visible == {"out"}
    screen.dispatch(SetVariable("gate", 1))
    assert all(flags.visible for flags in screen.evaluator.visibility(screen.state).values())


@pytest.mark.case("AR-17.5-1")
@pytest.mark.parametrize("label", ["", "  ", None])
def test_a_tab_without_label_hides_its_content(make_screen: Any, label: Any) -> None:
    panel = node("Container", "panel", content=[node("Text", "in3")])
    tabs = node(
        "Tabs", "tabs", tab1Label="One", tab2Label="Two", tab3Label=label, tab2=[node("Text", "in2")], tab3=[panel]
    )
    flags = make_screen([tabs]).evaluator.visibility(empty_state())
    assert {key: item.visible for key, item in flags.items()} == {
        "tabs": True,
        "in2": True,
        "panel": False,
        "in3": False,
    }


@pytest.mark.case("AR-17.5-2")
def test_a_disabled_container_disables_everything_inside(make_screen: Any) -> None:
    content = [node("Container", "c", disabledWhen=WHEN_GATE, content=[node("Button", "b")])]
    screen = make_screen(content, variables=[GATE]).dispatch(SetVariable("gate", 1))
    assert screen.evaluator.visibility(screen.state)["b"] == (True, True)


@pytest.mark.case("AR-17.5-2")
def test_a_closed_accordion_hides_nothing(make_screen: Any) -> None:
    content = [node("Accordion", "a", title="More", defaultOpen=False, content=[node("Text", "t")])]
    assert make_screen(content).evaluator.visibility(empty_state())["t"] == (True, False)


@pytest.mark.case("AR-7.4-2")
def test_a_button_is_disabled_while_an_operation_that_it_runs_is_live(make_screen: Any) -> None:
    button = node("Button", "b", events=[run_event("a"), run_event("b")])
    screen = make_screen([button], operations=("a", "b", "c")).start("jc", "c")
    assert not screen.evaluator.visibility(screen.state)["b"].disabled
    for operation in ("a", "b"):
        screen.start(f"j{operation}", operation)
        assert screen.evaluator.visibility(screen.state)["b"].disabled
        screen.end(f"j{operation}")
        assert not screen.evaluator.visibility(screen.state)["b"].disabled


def test_a_run_without_operation_watches_the_default_one(make_screen: Any) -> None:
    composer = node("ChatComposer", "chat", events=[run_event()])
    screen = make_screen([composer, node("Slider", "s", events=[run_event()])]).start("j")
    flags = screen.evaluator.visibility(screen.state)
    assert (flags["chat"].disabled, flags["s"].disabled) == (True, False)
    assert screen.evaluator.operations_started_by("chat") == ("main",)


def test_only_run_events_of_a_click_disable_a_button(make_screen: Any) -> None:
    events = [run_event(trigger="change"), run_event(kind="cancel")]
    screen = make_screen([node("Button", "b", events=events)]).start("j")
    assert not screen.evaluator.visibility(screen.state)["b"].disabled


def test_children_of_twins_look_at_their_own_parent(make_screen: Any) -> None:
    hidden = node("Container", "twin", visibleWhen=WHEN_GATE, content=[node("Text", "first")])
    shown = node("Container", "twin", content=[node("Text", "second")])
    flags = make_screen([hidden, shown], variables=[GATE]).evaluator.visibility(empty_state())
    assert (flags["twin"].visible, flags["first"].visible, flags["second"].visible) == (False, False, True)


def test_the_answer_for_an_earlier_state_stays_right(make_screen: Any) -> None:
    screen = make_screen([node("Text", "t", visibleWhen=WHEN_GATE)], variables=[GATE])
    before = screen.state
    screen.dispatch(SetVariable("gate", 1))
    assert screen.evaluator.visibility(screen.state)["t"].visible
    assert not screen.evaluator.visibility(before)["t"].visible


def obstacle(screen: Any, widget_id: str) -> Obstacle | None:
    return screen.evaluator.obstacle(widget_id, screen.state)


def test_the_obstacle_of_a_hidden_widget_is_the_condition_in_the_way(make_screen: Any) -> None:
    content = [node("Container", "c", visibleWhen=WHEN_GATE, content=[node("Button", "b", disabledWhen=WHEN_GATE)])]
    screen = make_screen(content, variables=[GATE])
    assert obstacle(screen, "b") == Obstacle(True, "c", StoredCondition("var:gate", "notEmpty"))
    screen.dispatch(SetVariable("gate", 1))
    assert obstacle(screen, "b") == Obstacle(False, "b", StoredCondition("var:gate", "notEmpty"))


def test_the_obstacle_in_a_blank_tab_is_the_tabs(make_screen: Any) -> None:
    screen = make_screen([node("Tabs", "tabs", tab1=[node("Text", "t")])])
    assert obstacle(screen, "t") == Obstacle(True, "tabs")


def test_the_obstacle_of_a_busy_button_is_the_live_operation(make_screen: Any) -> None:
    screen = make_screen([node("Button", "b", events=[run_event()])])
    assert obstacle(screen, "b") is None
    assert obstacle(screen.start("j"), "b") == Obstacle(False, "b", operation_id="main")


def test_a_disabling_ancestor_is_the_obstacle(make_screen: Any) -> None:
    content = [node("Container", "c", disabledWhen=WHEN_GATE, content=[node("Button", "b")])]
    screen = make_screen(content, variables=[GATE]).dispatch(SetVariable("gate", 1))
    assert obstacle(screen, "b") == Obstacle(False, "c", StoredCondition("var:gate", "notEmpty"))


def test_dependencies_are_all_that_a_view_reads(make_screen: Any) -> None:
    widget = node("Text", "t", binding="op:main/out:n9", format="{prompt} {gate|upper} {gone}", disabledWhen=WHEN_GATE)
    content = [node("Container", "c", visibleWhen={"binding": "op:main/exec#running"}, content=[widget])]
    screen = make_screen(content, variables=[GATE])
    assert screen.evaluator.dependencies("t") == {
        ("outputs", "main:n9"),
        ("inputs", "main:n1"),
        ("variables", "gate"),
        ("invocations", "main"),
    }


@pytest.mark.parametrize(
    ("widget", "keys"),
    [
        (node("Progress", "w"), {("invocations", "main")}),
        (node("Button", "w", events=[run_event("other")]), {("invocations", "other")}),
        (node("WorkflowForm", "w"), {("view", "w:value"), ("inputs", "main:n1"), ("inputs", "main:n2")}),
        (node("WorkflowForm", "w", operationId="gone"), {("view", "w:value")}),
        (node("TextInput", "w"), {("view", "w:value")}),
        (node("ResourcePicker", "w", resourceBindingId="r"), {("view", "w:value"), ("resources", "r")}),
        (
            node("Gallery", "w", binding="var:gate", selectionBinding="op:main/in:n1"),
            {("variables", "gate"), ("inputs", "main:n1")},
        ),
        (node("Divider", "w"), set()),
    ],
)
def test_each_type_depends_on_what_it_shows(make_screen: Any, widget: dict[str, Any], keys: set[Any]) -> None:
    assert make_screen([widget], variables=[GATE]).evaluator.dependencies("w") == keys


def test_a_progress_without_operations_depends_on_nothing(make_screen: Any) -> None:
    screen = make_screen([node("Progress", "p"), node("WorkflowForm", "f")], operations=())
    assert screen.evaluator.dependencies("p") == frozenset()
    assert screen.evaluator.dependencies("f") == {("view", "f:value")}


def test_affected_widgets_come_in_document_order(make_screen: Any) -> None:
    content = [node("Text", "b", binding="var:gate"), node("Text", "x"), node("Text", "a", visibleWhen=WHEN_GATE)]
    screen = make_screen(content, variables=[GATE])
    assert screen.evaluator.affected([("variables", "gate"), ("variables", "other")]) == ["b", "a"]
    assert screen.evaluator.affected([]) == []


def changes(screen: Any, *events: Any) -> set[Any]:
    before = screen.state
    screen.dispatch(*events)
    return changed_keys(before, screen.state)


def test_writes_change_their_own_key(make_screen: Any) -> None:
    screen = make_screen([])
    assert changes(screen, SetInput("main:n1", 1), SetView("w:value", 1), SetVariable("v", 1)) == {
        ("inputs", "main:n1"),
        ("view", "w:value"),
        ("variables", "v"),
    }
    assert changes(screen) == set()
    assert changes(screen, Reset()) == {("inputs", "main:n1"), ("view", "w:value"), ("variables", "v")}


def test_a_start_changes_the_operation_and_what_it_claims(make_screen: Any) -> None:
    assert changes(make_screen([]).start("a", "other"), *_start("j", output_keys=("k",), variable_keys=("v",))) == {
        ("invocations", "main"),
        ("outputs", "k"),
        ("variables", "v"),
    }


def _start(run: str, **keys: Any) -> list[Any]:
    return [RunStarted(Invocation(run, "main", "running"), **keys)]


def test_news_of_a_run_change_its_operation_and_what_it_owns(make_screen: Any) -> None:
    screen = make_screen([]).start("j", output_keys=("k",), variable_keys=("v",))
    owned = {("invocations", "main"), ("outputs", "k"), ("variables", "v")}
    assert changes(screen, InvocationProgress("j", 0.5)) == owned
    assert changes(screen, InvocationActivity("j", "x")) == owned
    assert changes(screen, OutputValue("k", "j", 1)) == {("outputs", "k")}
    assert changes(screen, SetVariable("v", 1, "append", "j")) == {("variables", "v")}
    assert changes(screen, *[]) == set()
    screen.end("j")
    assert changes(screen, Reset()) >= {("invocations", "main"), ("outputs", "k")}


def test_a_port_is_found_only_where_it_is_known(make_screen: Any) -> None:
    content = [
        node("WorkflowInput", "known", binding="op:main/in:n1"),
        node("WorkflowInput", "gone", binding="op:main/in:n7"),
        node("WorkflowInput", "elsewhere", binding="op:x/in:n1"),
        node("WorkflowInput", "unbound"),
    ]
    screen = make_screen(content, operations=("main", "other"), surfaces={"other": Surface()})
    found = {key: screen.evaluator.port(widget) for key, widget in screen.evaluator.by_id.items()}
    assert {key: port.name if port else None for key, port in found.items()} == {
        "known": "prompt",
        "gone": None,
        "elsewhere": None,
        "unbound": None,
    }
