"""The interaction steps of a simulation (spec: harness 3.3, 3.4)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.oracle.steps import BadStep, parse_step, parse_steps, step_schema
from simulated import MemoryHost, button, codes, document, form, graph, operation, play, view, widget


def small() -> list[dict[str, Any]]:
    return [
        button("Button-1", "main"),
        widget("Stat", "Stat-1", binding="op:main/out:out1"),
        widget("TextInput", "Text-1", binding="prompt"),
    ]


def numbers() -> dict[str, Any]:
    """A number input ``n`` from 0 to 10 and its echo."""
    made = graph()
    made["nodes"][0] = {
        "id": "in1",
        "type": "nodetool.input.FloatInput",
        "data": {"name": "n", "value": 1, "min": 0, "max": 10},
    }
    made["nodes"][1] = {"id": "t1", "type": "nodetool.text.ToString", "data": {}}
    made["edges"][0]["targetHandle"] = "value"
    return made


@pytest.mark.case("HA-3.4-1")
async def test_an_unknown_widget_names_the_widgets_that_exist() -> None:
    report = await play(document(small()), interact=[{"click": "Nope"}])
    error = str(report.interactions[0].error)
    assert "Button-1" in error
    assert "Stat-1" in error


@pytest.mark.case("HA-3.4-2")
async def test_a_disabled_button_names_its_condition() -> None:
    content = small()
    content[0]["props"]["disabledWhen"] = {"binding": "prompt", "op": "empty"}
    report = await play(document(content), interact=[{"change": "Text-1", "value": None}, {"click": "Button-1"}])
    error = str(report.interactions[1].error)
    assert "disabled" in error
    assert "prompt empty" in error
    assert "GR712" in codes(report)


@pytest.mark.case("HA-3.4-3")
async def test_a_step_of_unknown_or_mixed_keys_lists_the_seven_shapes() -> None:
    report = await play(document(small()), interact=[{"foo": 1}, {"click": "a", "set": {"key": "x"}}, 7])
    assert [item.code for item in report.interactions] == ["GR710"] * 3
    for number, record in enumerate(report.interactions, start=1):
        assert f"Step {number}" in str(record.error)
        assert "seedResource" in str(record.error)
    assert '"click", "set"' in str(report.interactions[1].error)


def test_the_step_schema_has_seven_closed_shapes() -> None:
    schema = step_schema()
    assert len(schema["oneOf"]) == 7
    shapes = [schema["$defs"][item["$ref"].rpartition("/")[2]] for item in schema["oneOf"]]
    assert all(shape["additionalProperties"] is False for shape in shapes)


@pytest.mark.parametrize(
    "raw",
    [
        {"set": {"key": 1}},
        {"expect": {"widget": "a", "check": "equals"}},
        {"expect": {"widget": "a", "check": "shiny"}},
        {"click": "a", "value": 1},
        {"seedResource": {"id": "r"}},
    ],
)
def test_a_step_with_a_bad_body_is_no_step(raw: dict[str, Any]) -> None:
    step = parse_step(raw, 3)
    assert isinstance(step, BadStep)
    assert step.message.startswith("Step 3 is not a valid")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (
            {"clik": "a"},
            'has the key "clik". Did you mean "click"? Its shape is {"click":"<widget>"}. A step is one of: ',
        ),
        ({}, "has no keys. A step is one of: "),
        ({"click": "a", "set": {}}, 'has the keys "click", "set". A step is one of: '),
        (
            {"change": "a", "vaule": 1},
            'it has the unknown key "vaule" (did you mean "value"?). Its shape is {"change":',
        ),
        ({"set": {"key": "a", "foo": 1}}, 'it has the unknown key "set.foo". Its shape is {"set":'),
        ({"click": 1}, '"click" is a number, not a string'),
        ({"set": "a"}, '"set" is a string, not an object'),
        ({"expect": {"widget": "a"}}, '"expect.check" is missing'),
        ({"expect": {"widget": "a", "check": "equals"}}, 'check "equals" needs a value'),
        ({"expect": {"widget": "a", "check": "nonempty"}}, 'enabled, disabled (did you mean "nonEmpty"?)'),
        ({"expect": {"widget": "a", "check": 3}}, '"expect.check" is none of nonEmpty, equals, '),
        ({"change": "a", "value": {"b": {1}}}, '"value" is no JSON value'),
    ],
)
def test_a_bad_step_says_what_is_wrong_and_what_was_meant(raw: dict[str, Any], text: str) -> None:
    step = parse_step(raw, 3)
    assert isinstance(step, BadStep)
    assert step.message.startswith("Step 3 ")
    assert text in step.message


def test_a_script_that_is_no_list_is_one_bad_step() -> None:
    steps = parse_steps({"click": "a"})
    assert len(steps) == 1
    assert isinstance(steps[0], BadStep)


@pytest.mark.case("HA-3.4-4")
async def test_gestures_that_a_widget_does_not_take_dispatch_nothing() -> None:
    content = [
        widget("Slider", "Slider-1", binding="op:main/in:in1"),
        button("Button-1", "main"),
        widget(
            "Container",
            "Box-1",
            title="Box",
            visibleWhen={"binding": "var:show", "op": "eq", "value": "yes"},
            content=[button("Inside", "main")],
        ),
    ]
    doc = document(content, variables=[{"id": "show", "name": "show"}])
    steps = [{"click": "Slider-1"}, {"change": "Button-1", "value": 1}, {"click": "Inside"}]
    host = MemoryHost({"wf1": numbers()})
    report = await play(doc, host=host, interact=steps)
    assert [item.code for item in report.interactions] == ["GR714", "GR714", "GR712"]
    assert "Box" in str(report.interactions[2].error)
    assert "var:show eq yes" in str(report.interactions[2].error)
    assert host.specs == []


@pytest.mark.case("HA-3.4-5")
async def test_values_that_a_widget_could_not_produce_fail_the_step() -> None:
    cards = [{"value": "a"}, {"value": "b", "disabled": True}]
    content = [
        widget("Select", "Select-1", binding="var:choice", options=[{"value": "x"}, {"value": "y"}]),
        widget("Slider", "Slider-1", binding="op:main/in:in1"),
        widget("ChoiceCards", "Cards-1", binding="var:card", options=cards),
        button("Button-1", "main"),
    ]
    variables = [{"id": "choice", "name": "c", "default": "x"}, {"id": "card", "name": "k", "default": "a"}]
    steps = [
        {"change": "Select-1", "value": "z"},
        {"change": "Slider-1", "value": "x"},
        {"change": "Cards-1", "value": "b"},
    ]
    report = await play(document(content, variables=variables), {"wf1": numbers()}, interact=steps)
    assert [item.code for item in report.interactions] == ["GR713"] * 3
    assert '"x", "y"' in str(report.interactions[0].error)
    assert report.variables == {"choice": "x", "card": "a"}
    assert report.values["n"] == 1


@pytest.mark.case("HA-3.4-6")
@pytest.mark.parametrize(("type_", "value", "released"), [("Slider", 3, True), ("Switch", True, False)])
async def test_one_change_fires_each_pace_once(type_: str, value: Any, released: bool) -> None:
    events = [
        {"trigger": "change", "kind": "run", "operationId": "a", "pace": "live"},
        {"trigger": "change", "kind": "toggleVariable", "key": "var:flag", "pace": "debounce"},
        {"trigger": "change", "kind": "run", "operationId": "b", "pace": "release"},
    ]
    content = [widget(type_, "Control-1", binding="var:level", events=events)]
    doc = document(
        content,
        [operation("a"), operation("b")],
        [{"id": "flag", "name": "flag"}, {"id": "level", "name": "level"}],
    )
    host = MemoryHost({"wf1": graph(answer="HI")})
    report = await play(doc, host=host, interact=[{"change": "Control-1", "value": value}])
    expected = ["run a", "run b", "toggleVariable flag"] if released else ["run a", "toggleVariable flag"]
    assert report.interactions[0].actions[1:] == expected
    assert report.variables["flag"] is True
    assert len(host.specs) == (2 if released else 1)


@pytest.mark.case("HA-3.4-7")
async def test_a_click_starts_all_its_runs_before_any_has_settled() -> None:
    doc = document(
        [button("Button-1", "a", "b"), widget("Text", "Text-1", binding="op:b/out:out1")],
        [operation("a"), operation("b")],
    )
    report = await play(doc, {"wf1": graph("test.Meet", parties=2)})
    assert report.verdict.ok
    assert [item["operationId"] for item in report.invocations] == ["a", "b"]
    assert [item["runIndex"] for item in report.invocations] == [0, 1]


@pytest.mark.case("HA-3.4-8")
async def test_the_default_script_takes_one_step_for_each_operation_in_order() -> None:
    content = [
        button("First", "a"),
        button("Second", "b", visibleWhen={"binding": "op:a/out:out1", "op": "notEmpty"}),
        widget("Text", "Out-a", binding="op:a/out:out1"),
        widget("Text", "Out-b", binding="op:b/out:out1"),
    ]
    report = await play(document(content, [operation("a"), operation("b")]))
    assert [item.step for item in report.interactions] == ["click First", "click Second"]
    assert report.verdict.exercised == ("a", "b")


@pytest.mark.case("HA-3.4-9")
async def test_the_default_step_on_a_composer_says_hello() -> None:
    composer = widget(
        "ChatComposer",
        "Chat-1",
        binding="op:chat/in:in1",
        events=[{"trigger": "click", "kind": "run", "operationId": "chat"}],
    )
    content = [composer, widget("Markdown", "Out-1", binding="op:chat/out:out1")]
    host = MemoryHost({"wf1": graph(answer="Hi there")})
    report = await play(document(content, [operation("chat")]), host=host)
    assert [item.step for item in report.interactions] == ["change Chat-1"]
    assert host.specs[0].params == {"prompt": "Hello"}
    assert report.verdict.ok


def media() -> dict[str, Any]:
    made = graph(answer="seen")
    made["nodes"][0] = {"id": "in1", "type": "nodetool.input.ImageInput", "data": {"name": "photo"}}
    return made


@pytest.mark.case("HA-3.4-10", "HA-4-8")
async def test_a_default_step_that_lacks_its_file_says_what_to_supply() -> None:
    content = [
        widget("ImageInput", "Photo-1", binding="op:main/in:in1"),
        button("Button-1", "main"),
        widget("Markdown", "Out-1", binding="op:main/out:out1"),
    ]
    report = await play(document(content), {"wf1": media()})
    assert report.verdict.status == "check_failed"
    assert [item.to_json() for item in report.verdict.not_exercised] == [
        {"operation": "main", "reason": "media_missing", "supply": "photo"}
    ]
    assert [reason.code for reason in report.verdict.reasons] == ["GR907"]
    assert codes(report) == []
    image = {"type": "image", "uri": "data:image/png;base64,AAAA"}
    supplied = await play(document(content), {"wf1": media()}, params={"photo": image})
    assert supplied.verdict.ok


@pytest.mark.case("HA-4-8")
async def test_an_empty_script_executes_nothing_and_is_red() -> None:
    report = await play(document(form()), interact=[])
    assert report.verdict.status == "red"
    assert codes(report) == ["GR729"]


@pytest.mark.case("HA-3.4-11")
async def test_expectations_compare_numbers_by_value_and_prove_something() -> None:
    content = [button("Button-1", "main"), widget("Stat", "Stat-1", binding="op:main/out:out1")]
    graphs = {"wf1": graph(answer=1.0)}
    expect = {"expect": {"widget": "Stat-1", "check": "equals", "value": 1}}
    assert (await play(document(content), graphs, interact=[{"click": "Button-1"}, expect])).verdict.ok
    alone = await play(document(content), graphs, interact=[{"expect": {"widget": "Stat-1", "check": "visible"}}])
    assert "GR719" in codes(alone)
    missing = await play(
        document(content), graphs, interact=[{"click": "Button-1"}, {"expect": {"widget": "Nope", "check": "visible"}}]
    )
    assert codes(missing) == ["GR711", "GR719"]


@pytest.mark.parametrize(
    ("body", "met"),
    [
        ({"widget": "Stat-1", "check": "nonEmpty"}, True),
        ({"widget": "Stat-1", "check": "matches", "value": "^H."}, True),
        ({"widget": "Stat-1", "check": "matches", "value": "("}, False),
        ({"widget": "Stat-1", "check": "matches", "value": "(a|aa)+$"}, False),
        ({"widget": "Stat-1", "check": "hidden"}, False),
        ({"widget": "Gone-1", "check": "hidden"}, True),
        ({"widget": "Button-1", "check": "enabled"}, True),
        ({"widget": "Button-1", "check": "disabled"}, False),
        ({"widget": "Stat-1", "check": "equals", "value": {"a": 1}}, False),
    ],
)
async def test_each_check_of_an_expectation(body: dict[str, Any], met: bool) -> None:
    hidden = {"binding": "op:main/out:out1", "op": "empty"}
    content = [
        button("Button-1", "main"),
        widget("Stat", "Stat-1", binding="op:main/out:out1"),
        widget("Text", "Gone-1", text="waiting", visibleWhen=hidden),
    ]
    report = await play(document(content), interact=[{"click": "Button-1"}, {"expect": body}])
    assert codes(report) == ([] if met else ["GR718"])


async def test_a_pattern_that_never_ends_is_not_met() -> None:
    content = [button("Button-1", "main"), widget("Stat", "Stat-1", binding="op:main/out:out1")]
    expect = {"expect": {"widget": "Stat-1", "check": "matches", "value": "^(a+)+$"}}
    graphs = {"wf1": graph(answer="a" * 60 + "!")}
    report = await play(document(content), graphs, interact=[{"click": "Button-1"}, expect])
    assert codes(report) == ["GR718"]


async def test_an_ambiguous_reference_lists_the_ids() -> None:
    content = [button("One", "main", label="Go"), button("Two", "main", label="Go")]
    for reference in ("Button", "Go"):
        report = await play(document(content), interact=[{"click": reference}])
        assert report.interactions[0].code == "GR711"
        assert '"One", "Two"' in str(report.interactions[0].error)


async def test_an_empty_label_never_matches() -> None:
    report = await play(document([button("One", "main", label="")]), interact=[{"click": ""}])
    assert report.interactions[0].code == "GR711"


async def test_a_roster_names_twelve_widgets_and_counts_the_rest() -> None:
    content = [button(f"B-{index}", "main") for index in range(15)]
    report = await play(document(content), interact=[{"click": "Nope"}])
    assert "and 3 more" in str(report.interactions[0].error)


@pytest.mark.parametrize(("reference", "meant"), [("btn-rnu", "btn-run"), ("Run nwo", "btn-run"), ("Buton", "Button")])
async def test_a_misspelt_widget_is_answered_with_the_one_that_was_meant(reference: str, meant: str) -> None:
    content = [button("btn-run", "main", label="Run now"), button("btn-b", "main", label="Other")]
    report = await play(document(content), interact=[{"click": reference}])
    assert f'"{reference}". Did you mean "{meant}"? The app has: ' in str(report.interactions[0].error)


async def test_set_run_and_cancel_steps_pass_conditions_by() -> None:
    content = form()
    content[1]["props"]["disabledWhen"] = {"binding": "prompt", "op": "notEmpty"}
    host = MemoryHost({"wf1": graph(answer="HI")})
    steps = [{"set": {"key": "prompt", "value": "x"}}, {"run": "main"}, {"cancel": "main"}]
    report = await play(document(content), host=host, interact=steps)
    assert [item.error for item in report.interactions] == [None, None, None]
    assert report.interactions[2].actions == ["cancel main (nothing was running)"]
    assert host.specs[0].params == {"prompt": "x"}


async def test_a_run_step_for_an_unknown_operation_is_refused() -> None:
    report = await play(document(form()), interact=[{"run": "nope"}])
    assert report.interactions[0].code == "GR716"
    assert '"main"' in str(report.interactions[0].error)


async def test_an_incomplete_event_is_the_steps_error_and_later_events_go_on() -> None:
    content = [
        widget(
            "Button",
            "Button-1",
            label="Go",
            events=[
                {"trigger": "click", "kind": "setVariable", "key": "ghost"},
                {"trigger": "click", "kind": "run", "operationId": "main"},
            ],
        ),
        widget("Text", "Out-1", binding="op:main/out:out1"),
    ]
    report = await play(document(content), interact=[{"click": "Button-1"}])
    assert report.interactions[0].code == "GR714"
    assert report.interactions[0].actions == ["run main"]


async def test_a_button_without_events_does_nothing_and_says_so() -> None:
    content = [widget("Button", "Idle-1", label="Idle"), button("Button-1", "main")]
    report = await play(document(content), interact=[{"click": "Idle-1"}])
    assert report.interactions[0].code == "GR714"


async def test_a_number_is_clamped_to_its_input() -> None:
    content = [widget("Slider", "Slider-1", binding="op:main/in:in1"), button("Button-1", "main")]
    report = await play(document(content), {"wf1": numbers()}, interact=[{"change": "Slider-1", "value": 99}])
    assert report.values["n"] == 10
    assert view(report, "Slider-1")["value"] == 10


async def test_params_of_a_resource_and_of_execution_state_are_judged() -> None:
    resources = [{"id": "shots", "name": "Shots", "kind": "storyboard", "scope": {"projectId": "p"}}]
    content = [*form(), widget("ResourcePicker", "Pick-1", resourceBindingId="shots")]
    params = {"resource:shots": [{"id": "b1"}], "resource:nope": [], "op:main/exec#running": True}
    report = await play(document(content, resources=resources), params=params)
    assert [code for code in codes(report) if code.startswith("GR70")] == ["GR702", "GR701"]
    assert report.resources[0]["selected"] == "b1"


async def test_picking_a_seeded_item_selects_it() -> None:
    resources = [{"id": "shots", "name": "Shots", "kind": "storyboard", "scope": {"projectId": "p"}}]
    content = [*form(), widget("ResourcePicker", "Pick-1", resourceBindingId="shots")]
    steps = [
        {"seedResource": {"id": "shots", "items": [{"id": "a"}, {"id": "b"}]}},
        {"change": "Pick-1", "value": "b"},
        {"change": "Pick-1", "value": "zzz"},
        {"change": "Pick-1", "value": 3},
        {"seedResource": {"id": "shots", "items": [{}]}},
        {"click": "Go"},
    ]
    report = await play(document(content, resources=resources), interact=steps)
    assert [item.code for item in report.interactions] == [None, None, "GR713", "GR713", "GR702", None]
    assert report.resources[0]["selected"] == "b"


async def test_a_gallery_pick_goes_to_its_selection_binding() -> None:
    content = [
        widget("Gallery", "Gallery-1", binding="op:main/out:out1", selectionBinding="var:picked"),
        button("Button-1", "main"),
    ]
    doc = document(content, variables=[{"id": "picked", "name": "picked"}])
    item = {"type": "image", "uri": "data:,x"}
    report = await play(
        doc, {"wf1": graph(answer=[item])}, interact=[{"click": "Button-1"}, {"change": "Gallery-1", "value": item}]
    )
    assert report.variables["picked"] == item
    assert report.interactions[1].error is None


async def test_a_form_is_filled_by_set_steps() -> None:
    content = [
        widget("WorkflowForm", "Form-1"),
        button("Button-1", "main"),
        widget("Text", "Out-1", binding="op:main/out:out1"),
    ]
    host = MemoryHost({"wf1": graph(answer="HI")})
    steps = [
        {"change": "Form-1", "value": {"prompt": "x"}},
        {"set": {"key": "prompt", "value": "y"}},
        {"click": "Button-1"},
    ]
    report = await play(document(content), host=host, interact=steps)
    assert report.interactions[0].code == "GR713"
    assert host.specs[0].params == {"prompt": "y"}


async def test_a_composer_takes_text_and_keeps_the_history() -> None:
    composer = widget(
        "ChatComposer",
        "Chat-1",
        binding="op:main/in:in1",
        historyBinding="var:history",
        events=[{"trigger": "click", "kind": "run", "operationId": "main"}],
    )
    thread = widget("ChatThread", "Thread-1", binding="var:history", streamBinding="op:main/out:out1")
    doc = document([composer, thread], variables=[{"id": "history", "name": "history"}])
    steps = [
        {"change": "Chat-1", "value": "hi"},
        {"change": "Chat-1", "value": " "},
        {"change": "Chat-1", "value": 3},
        {"click": "Chat-1"},
    ]
    report = await play(doc, {"wf1": graph(answer="hello")}, interact=steps)
    assert [item.code for item in report.interactions] == [None, "GR713", "GR713", "GR714"]
    assert [turn["role"] for turn in report.variables["history"]] == ["user", "assistant"]
