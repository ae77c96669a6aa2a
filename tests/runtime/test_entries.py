"""What the widgets show that a person fills, picks from or presses (spec: app-runtime 7.4)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.model import Resource, Variable
from greenrun.document.surface import Port, Surface
from greenrun.document.values import ABSENT
from greenrun.runtime.entries import first_step
from greenrun.runtime.events import SetInput, SetVariable
from greenrun.runtime.resources import MemoryResources

X, CARDS = Variable("x", "X"), Variable("cards", "Cards")


def node(kind: str, **props: Any) -> dict[str, Any]:
    return {"type": kind, "props": {"id": "w", **props}}


@pytest.fixture
def shows(make_screen: Any) -> Any:
    """The view of one widget bound to a variable that holds the value."""

    def show(kind: str, value: Any = ABSENT, **props: Any) -> Any:
        screen = make_screen([node(kind, binding="var:x", **props)], variables=[X])
        return screen.dispatch(SetVariable("x", value)).view("w")

    return show


@pytest.mark.parametrize("kind", ["TextInput", "FilePathInput", "FolderPathInput"])
def test_text_inputs_read_what_was_typed(shows: Any, kind: str) -> None:
    assert (shows(kind).text, shows(kind, "").text, shows(kind, "abc").text) == (None, "", "abc")


@pytest.mark.parametrize(("stored", "multiline"), [(True, True), ("true", True), ("no", False), (None, False)])
def test_a_text_input_may_have_lines(shows: Any, stored: Any, multiline: bool) -> None:
    assert shows("TextInput", "a", multiline=stored).body == {"multiline": multiline}


@pytest.mark.parametrize("kind", ["NumberInput", "Slider"])
def test_number_ranges_fall_back(shows: Any, kind: str) -> None:
    assert shows(kind, 5).body == {"min": 0, "max": 100, "step": 1}
    view = shows(kind, 0.5, min=-1, max=1, step=0.1)
    assert (view.text, view.body) == ("0.5", {"min": -1, "max": 1, "step": 0.1})


def test_a_switch_is_on_or_off(shows: Any) -> None:
    assert [shows("Switch", value).text for value in (True, False, ABSENT, "true")] == ["on", "off", "off", "off"]


def test_a_date_may_have_a_time(shows: Any) -> None:
    view = shows("DateInput", "2024-01-05", withTime=True)
    assert (view.text, view.body) == ("2024-01-05", {"withTime": True})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        ("asset://x.png", "asset://x.png"),
        ({"type": "image", "name": "My cat", "uri": "asset://1"}, "My cat"),
        ({"type": "document", "uri": "/files/a%20b.pdf/"}, "a%20b.pdf"),
        ({"type": "image", "uri": "asset://"}, "asset:"),
        ({"type": "image", "uri": "?"}, "?"),
        ({"type": "audio", "uri": "data:audio/wav;base64,AAAA"}, "audio"),
        ({"type": "image", "asset_id": "1"}, "image"),
        ({"other": 1}, None),
    ],
)
def test_a_file_reads_by_its_name(shows: Any, value: Any, text: str | None) -> None:
    assert shows("ImageInput", value).text == text


def test_a_colour_reads_its_value(shows: Any) -> None:
    assert shows("ColorInput", {"type": "color", "value": "#fff"}).body == {"color": "#fff"}
    assert (shows("ColorInput", "#000").text, shows("ColorInput", 7).body) == ("#000", {"color": None})


def test_a_data_table_is_a_table(shows: Any) -> None:
    frame = {"type": "dataframe", "columns": ["a"], "data": [[1]]}
    assert shows("DataFrameInput", frame).body == {"columns": ["a"], "rows": [[1]]}


@pytest.mark.parametrize(
    ("value", "text"), [({"width": 512, "height": 384}, "512 × 384"), ({"width": 1}, None), (None, None)]
)
def test_an_image_size_reads_width_and_height(shows: Any, value: Any, text: str | None) -> None:
    assert shows("ImageSizeInput", value).text == text


def test_a_media_list_lists_its_items(shows: Any) -> None:
    view = shows("MediaListInput", ["a", {"type": "image", "name": "cat"}], listKind="text_list")
    assert (view.text, view.body["listKind"]) == ("a\ncat", "text_list")
    assert shows("MediaListInput", "no list").body == {"items": [], "listKind": "image_list"}


@pytest.mark.parametrize(
    ("value", "text"),
    [({"id": "m", "name": "Model"}, "Model"), ({"id": "m"}, "m"), ({}, None), ("m", "m"), (None, None)],
)
def test_a_model_reads_by_name(shows: Any, value: Any, text: str | None) -> None:
    assert shows("ModelSelect", value).text == text


OPTIONS = ["a", {"value": "b"}, "", {"value": 7}, 3]


@pytest.mark.parametrize("kind", ["Select", "RadioGroup"])
def test_one_of_the_usable_options_is_picked(shows: Any, kind: str) -> None:
    view = shows(kind, "b", options=OPTIONS)
    assert view.options == ({"value": "a", "label": "a"}, {"value": "b", "label": "b"})
    assert (view.selected, view.text) == ("b", "b")
    assert shows(kind, 7, options=OPTIONS).text == "7"
    assert shows(kind, options=None).options == ()


def test_checked_options_come_in_option_order(shows: Any) -> None:
    view = shows("CheckboxGroup", ["b", "a", "gone"], options=OPTIONS)
    assert (view.selected, view.text) == (["a", "b"], "a, b")
    assert shows("CheckboxGroup", "b", options=OPTIONS).selected == []


AUTHORED = [{"value": "one", "title": "One"}, {"value": ""}, "two", {"value": "one", "title": "Again"}]


def test_authored_cards_keep_what_is_usable(shows: Any) -> None:
    view = shows("ChoiceCards", "one", options=AUTHORED)
    assert [option["label"] for option in view.options] == ["One", "two"]
    assert (view.text, view.body) == ("One", {"columns": 2})


@pytest.mark.parametrize(
    ("bound", "labels"),
    [([{"value": "b", "title": "B", "disabled": True}], ["B"]), ([{"value": ""}], []), (ABSENT, [])],
)
def test_bound_cards_alone_count(make_screen: Any, bound: Any, labels: list[str]) -> None:
    cards = node("ChoiceCards", options=AUTHORED, optionsBinding="var:cards")
    view = make_screen([cards], variables=[CARDS]).dispatch(SetVariable("cards", bound)).view("w")
    assert [option["label"] for option in view.options] == labels


def test_a_binding_for_cards_that_resolves_to_nothing_gives_none(shows: Any) -> None:
    assert shows("ChoiceCards", options=AUTHORED, optionsBinding="gone").options == ()


STEPS = [{"value": "a", "completed": True}, {"value": "b", "title": "Second"}, {"value": "c", "disabled": True}, 7]


def test_steps_know_what_is_completed_and_disabled(shows: Any) -> None:
    view = shows("Stepper", "b", steps=STEPS)
    assert [(step["completed"], step["disabled"]) for step in view.options] == [
        (True, False),
        (False, False),
        (False, True),
    ]
    assert view.text == "Second"


@pytest.mark.parametrize("back", [False, "no"])
def test_earlier_steps_are_blocked_when_there_is_no_way_back(shows: Any, back: Any) -> None:
    assert [step["disabled"] for step in shows("Stepper", "b", steps=STEPS, allowBack=back).options] == [
        True,
        False,
        True,
    ]
    assert shows("Stepper", steps=STEPS, allowBack=back).options[0]["disabled"] is False


def test_the_first_step_is_taken_once_and_only_when_it_is_enabled() -> None:
    assert first_step([{"value": "a"}, {"value": "b"}], ABSENT) == "a"
    assert first_step([{"value": "a"}], None) == "a"
    assert first_step([{"value": "a"}], "b") is None
    assert first_step([{"value": "a", "disabled": True}, {"value": "b"}], None) is None
    assert first_step([], None) is None


def test_an_approval_reads_its_decision(shows: Any) -> None:
    view = shows("Approval", "rejected", rejectLabel="No way", description="Sure?")
    assert [option["label"] for option in view.options] == ["Approve", "No way"]
    assert (view.text, view.body) == ("No way", {"description": "Sure?"})
    assert shows("Approval").text is None


@pytest.mark.parametrize("kind", ["ResourcePicker", "ResourceGallery", "StoryboardSceneList"])
def test_resource_widgets_offer_the_items_of_their_binding(make_screen: Any, kind: str) -> None:
    resources = MemoryResources([Resource("r", "R", "asset")])
    screen = make_screen([node(kind, resourceBindingId="r")], resources=resources)
    assert (screen.view("w").value, screen.view("w").has_value, screen.view("w").selected) == ([], False, ABSENT)
    resources.seed("r", [{"id": "a", "name": "First"}, {"id": "b"}])
    view = screen.view("w")
    assert view.value == [{"id": "a", "name": "First"}, {"id": "b", "name": "b"}]
    assert view.options == ({"value": "a", "label": "First"}, {"value": "b", "label": "b"})
    assert (view.selected, view.text, view.has_value, view.display) == ("a", "First", True, None)


def test_a_resource_widget_without_provider_or_binding_offers_nothing(make_screen: Any) -> None:
    assert make_screen([node("ResourcePicker", resourceBindingId="r")]).view("w").options == ()
    resources = MemoryResources([])
    assert make_screen([node("ResourcePicker")], resources=resources).view("w").options == ()


SURFACE = Surface(
    inputs=(
        Port(
            "n1", "nodetool.input.StringInput", "text", "Text", multiline=True, description="What to say", required=True
        ),
        Port("n2", "nodetool.input.IntegerInput", "count", "Count", minimum=3, maximum=30),
        Port("n3", "nodetool.input.SelectInput", "tone", "Tone", options=("kind", "harsh")),
        Port("n4", "nodetool.input.ImageListInput", "photos", "Photos"),
        Port("n5", "nodetool.input.ImageModelInput", "model", "Model"),
    )
)


@pytest.mark.parametrize(
    ("input_id", "value", "text", "body"),
    [
        ("n1", "hi", "hi", {"control": "TextInput", "multiline": True}),
        ("n2", 7, "7", {"control": "NumberInput", "min": 3, "max": 30, "step": 1}),
        ("n3", "kind", "kind", {"control": "Select", "row": False}),
        ("n4", ["a"], "a", {"control": "MediaListInput", "items": ["a"], "listKind": "image_list"}),
        ("n5", {"id": "m"}, "m", {"control": "ModelSelect", "modelKind": "image_model", "task": None}),
        ("gone", "x", "x", {"control": "TextInput", "multiline": False}),
    ],
)
def test_a_workflow_input_is_the_control_of_its_input(
    make_screen: Any, input_id: str, value: Any, text: str, body: dict[str, Any]
) -> None:
    screen = make_screen([node("WorkflowInput", binding=f"op:main/in:{input_id}")], surfaces={"main": SURFACE})
    view = screen.dispatch(SetInput(f"main:{input_id}", value)).view("w")
    assert (view.text, view.body) == (text, body)


def test_a_form_has_a_control_for_every_input(make_screen: Any) -> None:
    screen = make_screen([node("WorkflowForm", operationId="main")], surfaces={"main": SURFACE})
    assert (screen.view("w").value, screen.view("w").has_value) == (ABSENT, False)
    view = screen.dispatch(SetInput("main:n1", "hi"), SetInput("main:n3", "kind")).view("w")
    assert [field["control"] for field in view.body["fields"]] == [
        "TextInput",
        "NumberInput",
        "Select",
        "MediaListInput",
        "ModelSelect",
    ]
    assert view.body["fields"][0] == {
        "key": "main:n1",
        "name": "text",
        "label": "Text",
        "description": "What to say",
        "required": True,
        "value": "hi",
        "text": "hi",
        "options": [],
        "selected": None,
        "control": "TextInput",
        "multiline": True,
    }
    assert view.body["fields"][2]["selected"] == "kind"
    assert view.value == {"text": "hi", "tone": "kind"}
    assert view.text == "Text: hi\nCount: \nTone: kind\nPhotos: \nModel: "


def test_a_form_can_leave_out_descriptions(make_screen: Any) -> None:
    screen = make_screen([node("WorkflowForm", showDescriptions="no")], surfaces={"main": SURFACE})
    assert screen.view("w").body["fields"][0]["description"] == ""


@pytest.mark.parametrize("operations", [(), ("main",)])
def test_a_form_of_an_unknown_operation_is_empty(make_screen: Any, operations: tuple[str, ...]) -> None:
    operation_id = {"operationId": "gone"} if operations else {}
    view = make_screen([node("WorkflowForm", **operation_id)], operations=operations).view("w")
    assert (view.body["fields"], view.text) == ([], None)


def test_a_composer_says_how_it_sends(shows: Any) -> None:
    assert shows("ChatComposer", valueFormat="history", attachments="true").body == {
        "attachments": True,
        "sendLabel": "Send",
        "valueFormat": "history",
    }


def test_containers_read_their_titles(make_screen: Any) -> None:
    assert make_screen([node("Container", title="Panel")]).view("w").text == "Panel"
    assert make_screen([node("Accordion", title="")]).view("w").text is None
    assert make_screen([node("Columns", gap=4)]).view("w").text is None


def test_tabs_offer_those_with_a_label(make_screen: Any) -> None:
    view = make_screen([node("Tabs", tab1Label=" One ", tab2Label="", tab3Label=3)]).view("w")
    assert view.options == ({"value": "tab1", "label": "One"}, {"value": "tab3", "label": "3"})
    assert view.text == "One\n3"
    assert make_screen([node("Tabs")]).view("w").text is None


def test_a_button_without_label_has_no_text(make_screen: Any) -> None:
    assert make_screen([node("Button")]).view("w").text is None
