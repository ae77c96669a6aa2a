"""View models: values, status and the cases of app-runtime 7.4 and harness 5."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.catalog import WIDGETS
from greenrun.document.model import Variable
from greenrun.document.refs import NodePropertyRef
from greenrun.document.values import ABSENT
from greenrun.runtime.events import InvocationProgress, OutputValue, SetInput, SetVariable
from greenrun.runtime.view import ViewContext, has_content, view_of

X = Variable("x", "X")


def node(kind: str, id_: str = "w", **props: Any) -> dict[str, Any]:
    return {"type": kind, "props": {"id": id_, **props}}


@pytest.mark.case("AR-7.4-1")
def test_a_progress_shows_the_operation_that_it_is_bound_to(make_screen: Any) -> None:
    screen = make_screen([node("Progress", binding="op:b/exec#progress")], operations=("a", "b"))
    screen.start("j", "b").dispatch(InvocationProgress("j", 0.75))
    assert (screen.view("w").text, screen.view("w").body) == ("75%", {"percent": 75, "running": True})
    screen.end("j")
    assert (screen.view("w").text, screen.view("w").body) == (None, {"percent": None, "running": False})


@pytest.mark.case("AR-7.4-1")
def test_an_unbound_progress_shows_the_default_operation(make_screen: Any) -> None:
    screen = make_screen([node("Progress")], operations=("a", "b")).start("j", "a")
    assert (screen.view("w").body["percent"], screen.view("w").status) == (None, "streaming")
    screen.dispatch(InvocationProgress("j", 0.5))
    assert (screen.view("w").body["percent"], screen.view("w").value) == (50, 0.5)


@pytest.mark.case("AR-7.4-1")
def test_any_other_number_is_a_percentage(make_screen: Any) -> None:
    screen = make_screen([node("Progress", binding="var:x")], variables=[X]).dispatch(SetVariable("x", 30))
    assert (screen.view("w").text, screen.view("w").body) == ("30%", {"percent": 30, "running": None})
    assert screen.dispatch(SetVariable("x", "thirty")).view("w").text is None


def test_a_fraction_is_shown_without_binary_noise(make_screen: Any) -> None:
    screen = make_screen([node("Progress")]).start("j").dispatch(InvocationProgress("j", 0.07))
    assert (screen.view("w").body["percent"], screen.view("w").text) == (7, "7%")


def test_a_progress_in_an_app_without_operations_is_idle(make_screen: Any) -> None:
    view = make_screen([node("Progress")], operations=()).view("w")
    assert (view.status, view.value, view.text) == ("idle", ABSENT, None)


@pytest.mark.case("AR-7.4-2")
def test_a_busy_button_is_pending_and_disabled(make_screen: Any) -> None:
    button = node("Button", label="Go", events=[{"trigger": "click"}])
    screen = make_screen([button])
    assert (screen.view("w").text, screen.view("w").status, screen.view("w").disabled) == ("Go", "idle", False)
    screen.start("j")
    assert (screen.view("w").status, screen.view("w").disabled) == ("pending", True)


@pytest.mark.case("AR-7.4-3")
def test_a_table_shows_the_columns_and_rows_of_a_dataframe(make_screen: Any) -> None:
    frame = {"type": "dataframe", "columns": [{"name": "x"}], "data": [[1], [2]]}
    screen = make_screen([node("Table", binding="var:x")], variables=[X]).dispatch(SetVariable("x", frame))
    view = screen.view("w")
    assert view.body == {"columns": ["x"], "rows": [[1], [2]]}
    assert (view.text, view.has_value) == ("x\n1\n2", True)


@pytest.mark.case("AR-7.4-4", "HA-5.2-3")
def test_a_format_shows_its_result_even_when_it_is_empty(make_screen: Any) -> None:
    screen = make_screen([node("Markdown", format="{x}"), node("Markdown", "raw", binding="var:x")], variables=[X])
    assert (screen.view("w").text, screen.view("w").display, screen.view("w").has_value) == ("", "", False)
    assert (screen.view("raw").text, screen.view("raw").has_value) == (None, False)
    screen.dispatch(SetVariable("x", "a"))
    assert (screen.view("w").text, screen.view("w").has_value) == ("a", True)
    assert (screen.view("raw").text, screen.view("raw").display, screen.view("raw").has_value) == ("a", None, True)


def test_a_format_on_a_type_without_it_is_ignored(make_screen: Any) -> None:
    screen = make_screen([node("Image", binding="var:x", format="{x}")], variables=[X])
    assert screen.view("w").display is None


@pytest.mark.parametrize(
    ("value", "filled"),
    [
        (ABSENT, False),
        (None, False),
        ("", False),
        ([], False),
        ({"type": "dataframe", "columns": [{"name": "x"}], "rows": []}, False),
        ({"type": "dataframe", "columns": ["x"], "data": [[1]]}, True),
        ({}, True),
        (0, True),
        (False, True),
        (" ", True),
    ],
)
def test_empty_values_are_no_content(value: Any, filled: bool) -> None:
    assert has_content(value) is filled


def status(screen: Any, widget_id: str = "w") -> str:
    return screen.view(widget_id).status


def test_an_output_goes_from_pending_over_streaming_to_done(make_screen: Any) -> None:
    screen = make_screen([node("Text", binding="op:main/out:n9")])
    seen = [status(screen)]
    screen.start("j", output_keys=("main:n9",))
    seen.append(status(screen))
    seen.append(status(screen.dispatch(OutputValue("main:n9", "j", "a"))))
    seen.append(status(screen.dispatch(OutputValue("main:n9", "j", "b", done=True))))
    assert seen == ["idle", "pending", "streaming", "done"]


def test_an_output_that_never_came_is_idle_or_an_error(make_screen: Any) -> None:
    screen = make_screen([node("Text", binding="op:main/out:n9")]).start("j", output_keys=("main:n9",)).end("j")
    assert status(screen) == "idle"
    screen.start("k", output_keys=("main:n9",)).end("k", "failed", "boom")
    assert status(screen) == "error"


def test_a_variable_follows_the_run_that_writes_it(make_screen: Any) -> None:
    screen = make_screen([node("Text", binding="var:x")], variables=[X])
    seen = [status(screen), status(screen.start("j", variable_keys=("x",)))]
    seen.append(status(screen.dispatch(SetVariable("x", "a", "append", "j"))))
    seen.append(status(screen.end("j")))
    assert seen == ["idle", "pending", "streaming", "done"]


@pytest.mark.parametrize(
    ("ended", "shown"), [(None, "streaming"), ("completed", "done"), ("failed", "error"), ("cancelled", "idle")]
)
def test_execution_state_follows_the_active_run(make_screen: Any, ended: str | None, shown: str) -> None:
    screen = make_screen([node("Text", binding="op:main/exec#error")])
    assert status(screen) == "idle"
    screen.start("j")
    if ended is not None:
        screen.end("j", ended)
    assert status(screen) == shown


def test_a_placeholder_stands_in_until_there_is_a_value(make_screen: Any) -> None:
    screen = make_screen([node("Text", binding="var:x", placeholder="Soon")], variables=[X])
    assert screen.view("w").placeholder == "Soon"
    assert screen.dispatch(SetVariable("x", "a")).view("w").placeholder is None


def test_a_view_as_json_leaves_out_what_the_widget_does_not_have(make_screen: Any) -> None:
    screen = make_screen([node("Text", text="Hi"), node("Select", "s", options=["a"], placeholder="Pick")])
    assert screen.view("w").to_json() == {
        "id": "w",
        "type": "Text",
        "label": "Hi",
        "display": None,
        "text": "Hi",
        "visible": True,
        "disabled": False,
        "status": "idle",
        "hasValue": False,
    }
    extras = screen.view("s").to_json()
    assert (extras["options"], extras["placeholder"], extras["body"]) == (
        [{"value": "a", "label": "a"}],
        "Pick",
        {"row": False},
    )
    assert "value" not in extras


def test_views_come_by_id_in_document_order(make_screen: Any) -> None:
    content = [node("Container", "c", content=[node("Text", "t", text="one"), node("Text", "t", text="two")])]
    views = make_screen(content).views()
    assert [(key, view.text) for key, view in views.items()] == [("c", None), ("t", "one")]


def test_a_node_property_shows_its_own_value_until_it_is_written(make_screen: Any) -> None:
    screen = make_screen([node("Slider", binding="op:main/prop:n5#strength")])
    context = ViewContext(
        screen.evaluator,
        screen.state,
        node_property={NodePropertyRef("main", "n5", "strength"): 0.2}.__getitem__,
    )
    assert view_of(screen.evaluator.by_id["w"], context).value == 0.2
    assert screen.view("w").value is ABSENT
    screen.dispatch(SetInput("main:n5#strength", 0.9))
    assert screen.view("w").value == 0.9


ANY_VALUES = (
    ABSENT,
    None,
    "text",
    0.5,
    True,
    ["a", 1, None, {"x": [1]}],
    {"type": "image", "uri": "asset://a.png"},
    {"type": "dataframe", "columns": ["a", 1], "rows": [[1, 2, 3], {"a": 4}, "x"]},
    [[], {}, [[1]]],
)


@pytest.mark.parametrize("kind", [*WIDGETS, "Bogus"])
def test_every_type_shows_every_value(make_screen: Any, kind: str) -> None:
    props = {"binding": "var:x", "options": "bad", "steps": 7, "optionsBinding": "var:x", "compareBinding": "var:x"}
    screen = make_screen([node(kind, **props, streamBinding="var:x", format="{x}")], variables=[X])
    for value in ANY_VALUES:
        view = screen.dispatch(SetVariable("x", value)).view("w")
        assert view.text is None or isinstance(view.text, str)
        assert view.to_json()["id"] == "w"


@pytest.mark.parametrize("kind", ["Container", "Button", "Bogus"])
def test_a_binding_on_a_type_that_has_none_is_ignored(make_screen: Any, kind: str) -> None:
    screen = make_screen([node(kind, binding="var:x")], variables=[X]).dispatch(SetVariable("x", 1))
    assert screen.view("w").value is ABSENT
