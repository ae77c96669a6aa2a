"""What a person does to a widget of an open app: harness 3.4, app-runtime 15.3."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.values import ABSENT
from greenrun.instances.errors import InstanceError, RunRefused, WidgetRefused, WriteRefused
from greenrun.instances.gestures import change, click
from greenrun.instances.instance import AppInstance
from opened import opened, screen
from simulated import button, document, form, operation, widget

VARIABLES = [
    {"id": name, "name": name, "scope": "instance", "persist": False} for name in ("picked", "history", "mood")
]
RESOURCE = {
    "id": "r1",
    "kind": "storyboard",
    "scope": {"kind": "workspace"},
    "operations": ["read", "create"],
    "autosave": "manual",
}


def composer(**props: Any) -> dict[str, Any]:
    events = [{"trigger": "click", "kind": "run", "operationId": "main"}]
    return widget("ChatComposer", "say", binding="op:main/in:in1", events=events, **props)


async def test_a_click_says_what_it_did_and_which_runs_it_started() -> None:
    async with screen(*form()) as instance:
        reaction = click(instance, "Button-1")
        assert reaction.actions == ["run main"]
        assert [run.id for run in reaction.runs] == ["run-1"]
        assert reaction.error is None


async def test_an_unknown_widget_is_refused() -> None:
    async with screen(*form()) as instance:
        with pytest.raises(WidgetRefused, match=r'There is no widget "ghost"\.') as caught:
            click(instance, "ghost")
        assert caught.value.kind == "unknown"


async def test_a_button_is_disabled_while_what_it_runs_is_live() -> None:
    async with screen(button("go", "main")) as instance:
        click(instance, "go")
        with pytest.raises(WidgetRefused, match=r'Button "go" is disabled while operation "main" runs\.') as caught:
            click(instance, "go")
        assert caught.value.kind == "disabled"


async def test_a_hidden_container_is_named_with_its_condition() -> None:
    box = widget(
        "Container",
        "box",
        title="Box",
        content=[button("go", "main")],
        visibleWhen={"binding": "var:mood", "op": "eq", "value": "good"},
    )
    async with screen(box, variables=VARIABLES) as instance:
        with pytest.raises(WidgetRefused) as caught:
            click(instance, "go")
        assert caught.value.message == (
            'Button "go" is hidden through Container "box": visibleWhen is `var:mood eq good`.'
        )


async def test_a_widget_in_a_tab_without_a_label_says_so() -> None:
    tabs = widget("Tabs", "tabs", tab1Label=" ", tab1=[button("go", "main")])
    async with screen(tabs) as instance:
        with pytest.raises(WidgetRefused, match="its tab has a blank label and is not shown"):
            click(instance, "go")


@pytest.mark.parametrize(
    ("type_", "message"),
    [
        ("Slider", 'Slider "w" cannot be clicked; it takes a change.'),
        ("Markdown", 'Markdown "w" cannot be clicked; it takes no gesture.'),
    ],
)
async def test_a_click_on_what_takes_none(type_: str, message: str) -> None:
    async with screen(widget(type_, "w", binding="var:mood"), variables=VARIABLES) as instance:
        with pytest.raises(WidgetRefused) as caught:
            click(instance, "w")
        assert caught.value.message == message


async def test_a_change_on_a_display_is_refused() -> None:
    async with screen(widget("Markdown", "w", binding="var:mood"), variables=VARIABLES) as instance:
        with pytest.raises(WidgetRefused, match=r'Markdown "w" takes no change\.'):
            change(instance, "w", "x")


async def test_a_value_that_the_widget_could_not_produce_changes_nothing() -> None:
    async with screen(widget("Switch", "w", binding="var:mood"), variables=VARIABLES) as instance:
        with pytest.raises(WidgetRefused, match='cannot produce "yes": it produces true or false') as caught:
            change(instance, "w", "yes")
        assert caught.value.kind == "bad_value"
        assert "mood" not in instance.state.variables


@pytest.mark.parametrize(
    ("value", "shown"), [("x" * 80, f'"{"x" * 59}…'), ({"a": 1}, "an object"), (None, None), (3, "3")]
)
async def test_a_refused_value_is_shown_short(value: Any, shown: str | None) -> None:
    async with screen(widget("Select", "w", binding="var:mood", options=[]), variables=VARIABLES) as instance:
        if shown is None:
            assert change(instance, "w", value).actions == ["set mood"]
            return
        with pytest.raises(WidgetRefused) as caught:
            change(instance, "w", value)
        assert f"cannot produce {shown}: " in caught.value.message


@pytest.mark.parametrize(
    ("binding", "why"),
    [
        ("ghost", 'its binding "ghost" resolves to nothing, so there is nothing to write to'),
        ("op:main/out:out1", '"op:main/out:out1" is an output: only a run can fill it, it cannot be set'),
        (
            "op:main/exec#error",
            '"op:main/exec#error" is execution state: only a run can fill it, it cannot be set',
        ),
    ],
)
async def test_a_widget_that_cannot_write_says_why(binding: str, why: str) -> None:
    async with screen(widget("TextInput", "w", binding=binding)) as instance:
        with pytest.raises(WidgetRefused) as caught:
            change(instance, "w", "x")
        assert caught.value.kind == "cannot_write"
        assert why in caught.value.message


async def test_typed_values_are_fitted_to_the_input() -> None:
    limited = {
        "nodes": [
            {
                "id": "in1",
                "type": "nodetool.input.IntegerInput",
                "data": {"name": "count", "value": 1, "min": 0, "max": 9},
            }
        ],
        "edges": [],
    }
    content = [widget("NumberInput", "w", binding="op:main/in:in1")]
    async with opened(document(content), {"wf1": limited}) as instance:
        change(instance, "w", 99.6)
        assert instance.view("w").value == 9


@pytest.mark.parametrize("type_", ["NumberInput", "Slider"])
@pytest.mark.parametrize(("value", "written"), [(20_000, 10_000), (-1, 5), (6, 6), (None, None)])
async def test_a_typed_number_keeps_to_the_bounds_of_its_widget(type_: str, value: Any, written: Any) -> None:
    content = [widget(type_, "w", binding="var:mood", min=5, max=10_000)]
    async with opened(document(content, variables=VARIABLES), {}) as instance:
        change(instance, "w", value)
        assert instance.view("w").value == written


async def test_a_change_without_a_value_only_fires() -> None:
    events = [{"trigger": "change", "kind": "setVariable", "key": "var:mood", "value": "good"}]
    async with screen(widget("TextInput", "w", binding="var:picked", events=events), variables=VARIABLES) as instance:
        assert change(instance, "w").actions == ["setVariable mood"]
        assert dict(instance.state.variables) == {"mood": "good"}


async def test_a_change_that_neither_writes_nor_fires_says_so() -> None:
    async with screen(widget("TextInput", "w", binding="var:picked"), variables=VARIABLES) as instance:
        reaction = change(instance, "w")
        assert str(reaction.error) == 'TextInput "w" has no change event: nothing happens.'


async def test_an_event_that_does_nothing_is_the_error_and_the_others_go_on() -> None:
    events = [
        {"trigger": "click", "kind": "dance"},
        {"trigger": "click", "kind": "wave"},
        {"trigger": "click", "kind": "toggleVariable", "key": "var:mood"},
    ]
    async with screen(widget("Button", "go", label="Go", events=events), variables=VARIABLES) as instance:
        reaction = click(instance, "go")
        assert reaction.actions == ["toggleVariable mood"]
        assert isinstance(reaction.error, WidgetRefused)
        assert str(reaction.error) == 'Button "Go": its event 0 ("dance") is unknown or incomplete and does nothing.'


async def test_the_first_refused_run_is_the_error_and_the_next_event_goes_on() -> None:
    events = [
        {"trigger": "click", "kind": "run", "operationId": "ghost"},
        {"trigger": "click", "kind": "run", "operationId": "phantom"},
        {"trigger": "click", "kind": "run", "operationId": "main"},
    ]
    async with screen(widget("Button", "go", events=events)) as instance:
        reaction = click(instance, "go")
        assert isinstance(reaction.error, RunRefused)
        assert str(reaction.error) == 'There is no operation "ghost"; declared: "main".'
        assert [run.operation_id for run in reaction.runs] == ["main"]


async def test_runs_that_are_off_are_noted() -> None:
    async with screen(*form()) as live:
        instance = AppInstance(live.app, None)
        assert click(instance, "Button-1").actions == ["run main (skipped, runs are off)"]
        assert not instance.runs.records


async def test_a_gallery_keeps_a_pick_in_its_selection() -> None:
    gallery = widget("Gallery", "all", binding="var:mood", selectionBinding="var:picked")
    async with screen(gallery, variables=VARIABLES) as instance:
        assert change(instance, "all", "b.png").actions == ["set picked"]
        assert instance.state.variables["picked"] == "b.png"


async def test_a_gallery_without_a_selection_cannot_keep_a_pick() -> None:
    async with screen(widget("Gallery", "all", binding="var:mood"), variables=VARIABLES) as instance:
        with pytest.raises(WidgetRefused, match="its selectionBinding resolves to nothing, so a pick is not kept"):
            change(instance, "all", "b.png")


async def test_a_picker_selects_a_seeded_item() -> None:
    picker = widget("ResourcePicker", "pick", resourceBindingId="r1")
    async with opened(document([picker], [], resources=[RESOURCE])) as instance:
        instance.resources.seed("r1", [{"id": "a"}, {"id": "b"}])
        assert change(instance, "pick", "b").actions == ["select r1 b"]
        assert instance.view("pick").selected == "b"


@pytest.mark.parametrize(
    ("props", "value", "why"),
    [
        ({"resourceBindingId": "r1"}, "ghost", 'Resource "r1" has no item "ghost"; its items: "a".'),
        ({"resourceBindingId": "r1"}, 3, "it takes the id of a seeded item, not 3."),
        ({}, "a", "it names no resource."),
    ],
)
async def test_a_picker_says_what_it_cannot_select(props: dict[str, Any], value: Any, why: str) -> None:
    picker = widget("ResourcePicker", "pick", **props)
    async with opened(document([picker], [], resources=[RESOURCE])) as instance:
        instance.resources.seed("r1", [{"id": "a"}])
        with pytest.raises(WidgetRefused) as caught:
            change(instance, "pick", value)
        assert caught.value.message == f'ResourcePicker "pick": {why}'


async def test_a_form_is_filled_by_its_inputs() -> None:
    async with screen(widget("WorkflowForm", "form", operationId="main")) as instance:
        with pytest.raises(WidgetRefused, match="set each of them by name"):
            change(instance, "form", {"prompt": "x"})


async def test_a_composer_sends_by_change_and_keeps_the_history() -> None:
    async with screen(composer(historyBinding="var:history"), variables=VARIABLES) as instance:
        reaction = change(instance, "say", "  hello ")
        assert reaction.actions == ["set history", "set main:in1", "run main"]
        assert instance.state.inputs["main:in1"].value == "hello"
        history: Any = instance.state.variables["history"]
        assert [(turn["role"], turn["content"]) for turn in history] == [("user", "hello")]


async def test_a_composer_without_history_writes_its_binding_only() -> None:
    async with screen(composer()) as instance:
        assert change(instance, "say", "hello").actions == ["set main:in1", "run main"]


async def test_a_widget_without_a_binding_keeps_its_value_to_itself() -> None:
    async with screen(widget("TextInput", "w")) as instance:
        assert change(instance, "w", "x").actions == ["set w:value"]
        assert instance.view("w").value == "x"


async def test_a_workflow_input_takes_what_its_input_takes() -> None:
    flag = {
        "nodes": [{"id": "in1", "type": "nodetool.input.BooleanInput", "data": {"name": "flag"}}],
        "edges": [],
    }
    content = [widget("WorkflowInput", "w", binding="op:main/in:in1"), widget("WorkflowInput", "loose")]
    async with opened(document(content), {"wf1": flag}) as instance:
        assert change(instance, "w", True).actions == ["set main:in1"]
        with pytest.raises(WidgetRefused, match="it produces true or false"):
            change(instance, "w", "yes")
        with pytest.raises(WidgetRefused, match="it produces text"):
            change(instance, "loose", True)


async def test_checked_options_are_written_in_the_order_in_which_they_are_offered() -> None:
    group = widget("CheckboxGroup", "w", binding="var:mood", options=["a", "b", "c"])
    async with screen(group, variables=VARIABLES) as instance:
        change(instance, "w", ["c", "a", "c"])
        assert instance.state.variables["mood"] == ["a", "c"]


@pytest.mark.parametrize(("draft", "why"), [(" ", "an empty draft is not sent"), (3, "a draft is text, not 3")])
async def test_what_a_composer_does_not_send(draft: Any, why: str) -> None:
    async with screen(composer()) as instance:
        with pytest.raises(WidgetRefused, match=why):
            change(instance, "say", draft)


async def test_a_composer_cannot_be_clicked_without_a_draft() -> None:
    async with screen(composer()) as instance:
        with pytest.raises(WidgetRefused, match="has no draft to send") as caught:
            click(instance, "say")
        assert caught.value.kind == "no_draft"


async def test_a_reply_joins_the_history_once_per_run() -> None:
    thread = widget("ChatThread", "thread", binding="var:history", streamBinding="op:main/out:out1")
    async with screen(composer(historyBinding="var:history"), thread, variables=VARIABLES) as instance:
        for text in ("one", "two"):
            change(instance, "say", text)
            await instance.settle()
        history: Any = instance.state.variables["history"]
        assert [(turn["role"], turn["content"]) for turn in history] == [
            ("user", "one"),
            ("assistant", "HI"),
            ("user", "two"),
            ("assistant", "HI"),
        ]


async def test_a_cancelled_reply_does_not_join_the_history() -> None:
    thread = widget("ChatThread", "thread", binding="var:history", streamBinding="op:main/out:out1")
    async with screen(composer(historyBinding="var:history"), thread, variables=VARIABLES) as instance:
        change(instance, "say", "one")
        instance.cancel("main")
        await instance.settle()
        history: Any = instance.state.variables["history"]
        assert [turn["role"] for turn in history] == ["user"]


def test_every_refusal_is_an_instance_error_with_a_kind() -> None:
    refusals: list[InstanceError] = [
        WidgetRefused("hidden", "a"),
        WriteRefused("refused", "b"),
        RunRefused("media_missing", "c", input_name="photo"),
    ]
    assert [(item.kind, item.message, str(item)) for item in refusals] == [
        ("hidden", "a", "a"),
        ("refused", "b", "b"),
        ("media_missing", "c", "c"),
    ]


async def test_an_absent_value_is_no_value() -> None:
    async with screen(*form()) as instance:
        assert change(instance, "TextInput-1", ABSENT).error is not None
        assert change(instance, "TextInput-1", None).actions == ["set main:in1"]
        assert instance.state.inputs["main:in1"].value is None


async def test_a_click_without_events_says_that_nothing_happens() -> None:
    async with screen(widget("Button", "go", label="Go"), operations=[operation()]) as instance:
        reaction = click(instance, "go")
        assert str(reaction.error) == 'Button "Go" has no click event: nothing happens.'
