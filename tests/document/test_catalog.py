"""The widget catalog (spec: app-runtime 7.1-7.3)."""

from __future__ import annotations

import json
import re

import pytest

from greenrun.document import catalog
from greenrun.document.catalog import SLOT_MAP, WIDGETS, ExtraBinding, WidgetType

_CONDITIONS = {"visibleWhen": "custom", "disabledWhen": "custom"}
_FIRST_RENDERED = """
    Heading Text Markdown Image Audio Video Json Table Output Progress Alert CodeBlock List KeyValue Stat Download Chart
    Gallery ChoiceCards Approval WorkflowForm WorkflowInput TextInput NumberInput Slider Switch Select RadioGroup
    CheckboxGroup DateInput ImageInput AudioInput VideoInput DocumentInput ColorInput DataFrameInput ResourcePicker
    ChatThread ChatComposer ModelSelect Button Container Columns Tabs Accordion Spacer Divider AgentActivity Stepper
"""


@pytest.mark.case("AR-7.2-1")
def test_fields_are_the_own_ones_then_the_conditions_then_the_format() -> None:
    expected = {"text": "text", "level": "select", "binding": "custom", **_CONDITIONS, "format": "text"}

    assert catalog.fields("Heading") == expected
    assert list(catalog.fields("Heading")) == list(expected)


@pytest.mark.case("AR-7.2-1")
def test_layout_widgets_have_their_own_fields_only() -> None:
    assert catalog.fields("Columns") == {"gap": "number", "left": "slot", "right": "slot"}
    assert catalog.fields("Divider") == {}


@pytest.mark.case("AR-7.2-1", "AR-7.2-2")
@pytest.mark.parametrize("name", ["Bogus", "constructor", "__proto__", "toString", "", "heading"])
def test_a_type_outside_the_catalog_has_nothing(name: str) -> None:
    assert not catalog.is_known(name)
    assert catalog.mode(name) == "unknown"
    assert catalog.fields(name) == {}
    assert catalog.slots(name) == ()
    assert catalog.extra_bindings(name) == ()
    assert catalog.paces(name) == ()
    assert catalog.default_props(name) == {}
    assert catalog.new_event(name) is None


@pytest.mark.case("AR-7.2-2")
def test_text_has_no_extra_bindings() -> None:
    assert catalog.is_known("Text")
    assert catalog.mode("Text") == "read"
    assert catalog.extra_bindings("Text") == ()


@pytest.mark.case("AR-7.2-3")
def test_the_chat_widgets() -> None:
    thread, composer, model = WIDGETS["ChatThread"], WIDGETS["ChatComposer"], WIDGETS["ModelSelect"]

    assert (thread.mode, thread.trigger) == ("read", "none")
    assert thread.extra_bindings == (ExtraBinding("streamBinding", "read"),)
    assert (composer.mode, composer.trigger) == ("write", "click")
    assert composer.extra_bindings == (ExtraBinding("historyBinding", "read"),)
    assert (model.mode, model.trigger) == ("write", "change")


@pytest.mark.case("AR-7.2-4")
@pytest.mark.parametrize("name", ["Sketch", "Timeline"])
def test_sketch_and_timeline_only_show(name: str) -> None:
    widget = WIDGETS[name]

    assert (widget.mode, widget.extra_bindings, widget.trigger, widget.format) == ("read", (), "none", False)


@pytest.mark.case("AR-7.2-4")
def test_image_and_slider_have_no_format() -> None:
    assert "format" not in catalog.fields("Image")
    assert "format" not in catalog.fields("Slider")
    assert catalog.fields("Image")["visibleWhen"] == "custom"


@pytest.mark.case("AR-7.2-5")
def test_the_sketch_pad_commits_and_has_a_size_and_a_background() -> None:
    pad = WIDGETS["SketchPad"]

    assert (pad.mode, pad.trigger, pad.commits) == ("write", "change", True)
    assert {name: pad.fields[name] for name in ("width", "height", "background")} == {
        "width": "number",
        "height": "number",
        "background": "select",
    }


@pytest.mark.case("AR-7.2-5", "AR-7.2-6")
def test_exactly_the_widgets_that_settle_commit() -> None:
    committing = {name for name, widget in WIDGETS.items() if widget.commits}
    unspecified = {name for name, widget in WIDGETS.items() if widget.commits is None}

    assert committing == {"TextInput", "NumberInput", "Slider", "DateInput", "SketchPad"}
    assert {"Switch", "Select", "RadioGroup", "Model3DInput", "MediaListInput"}.isdisjoint(unspecified | committing)
    assert {"FilePathInput", "FolderPathInput", "DataFrameInput"}.isdisjoint(unspecified | committing)
    assert {"Button", "ChatComposer", "Gallery", "ResourcePicker", "Heading"} <= unspecified


@pytest.mark.case("AR-7.2-5")
def test_the_kind_of_a_media_list_is_selected() -> None:
    assert catalog.fields("MediaListInput")["listKind"] == "select"


@pytest.mark.case("AR-7.2-6")
def test_a_gallery_emits_and_a_resource_gallery_does_not() -> None:
    assert WIDGETS["Gallery"].trigger == "change"
    assert WIDGETS["Gallery"].extra_bindings == (ExtraBinding("selectionBinding", "write"),)
    assert WIDGETS["ResourceGallery"].trigger == "none"


@pytest.mark.case("AR-7.2-7")
@pytest.mark.parametrize(
    ("name", "slots"),
    [
        ("Columns", ("left", "right")),
        ("Container", ("content",)),
        ("Tabs", ("tab1", "tab2", "tab3")),
        ("Accordion", ("content",)),
        ("Divider", ()),
        ("Spacer", ()),
    ],
)
def test_slots_of_layout_widgets(name: str, slots: tuple[str, ...]) -> None:
    assert catalog.slots(name) == slots
    assert SLOT_MAP[name] == slots


@pytest.mark.case("AR-7.2-8")
def test_choice_cards_read_their_options_from_a_binding() -> None:
    assert catalog.extra_bindings("ChoiceCards") == (ExtraBinding("optionsBinding", "read"),)


@pytest.mark.case("AR-7.2-9")
def test_there_are_66_types_each_in_one_palette_group() -> None:
    assert len(WIDGETS) == 66
    assert {widget.category for widget in WIDGETS.values()} == set(catalog.CATEGORIES)
    assert all(name == widget.type for name, widget in WIDGETS.items())


@pytest.mark.case("AR-7.2-9")
@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Container", "Panel"),
        ("CodeBlock", "Code"),
        ("StoryboardSceneList", "Storyboard Scenes"),
        ("Stepper", "Guided Steps"),
        ("DataFrameInput", "Data Table Input"),
        ("Json", "JSON"),
    ],
)
def test_labels_that_differ_from_the_type(name: str, label: str) -> None:
    assert WIDGETS[name].label == label


@pytest.mark.case("AR-7.2-9")
@pytest.mark.parametrize("widget", WIDGETS.values(), ids=list(WIDGETS))
def test_every_type_keeps_the_invariants_of_the_catalog(widget: WidgetType) -> None:
    fields = widget.fields

    assert set(fields.values()) <= set(catalog.FIELD_KINDS)
    assert widget.slots == tuple(name for name, kind in fields.items() if kind == "slot")
    assert ("events" in fields) == (widget.trigger != "none")
    assert (_CONDITIONS.items() <= fields.items()) == (widget.mode != "layout")
    assert ("format" in fields) == widget.format
    assert all(fields[extra.prop] == "custom" for extra in widget.extra_bindings)
    assert widget.resource == ("resourceBindingId" in fields)
    assert ("release" in catalog.paces(widget.type)) == (widget.trigger == "change" and widget.commits is True)


@pytest.mark.parametrize("widget", WIDGETS.values(), ids=list(WIDGETS))
def test_defaults_choices_and_new_items_are_about_fields_of_the_type(widget: WidgetType) -> None:
    assert set(widget.defaults) <= set(widget.fields)
    assert all(widget.fields[name] in ("select", "radio") for name in widget.choices)
    assert all(widget.defaults[name] in choices for name, choices in widget.choices.items())
    assert all(widget.fields[name] == "array" for name in widget.items)
    assert all(widget.defaults[slot] == [] for slot in widget.slots)
    json.dumps([widget.defaults, widget.choices, widget.items, widget.fields])


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("Heading", {"level": "1"}),
        ("Image", {"fit": "contain", "height": 240, "download": True, "filename": ""}),
        ("Video", {"height": 320, "download": True, "filename": ""}),
        ("Storyboard", {"height": 640}),
        ("Alert", {"text": "", "title": "", "severity": "info"}),
        ("Slider", {"min": 0, "max": 100, "step": 1}),
        ("SketchPad", {"binding": "", "label": "", "width": 512, "height": 384, "background": "white"}),
        ("MediaListInput", {"binding": "", "label": "", "listKind": "image_list"}),
        ("WorkflowForm", {"label": "", "showDescriptions": "yes"}),
        ("ResourceGallery", {"resourceBindingId": "", "label": "", "tileSize": 140}),
        ("Columns", {"gap": 16, "left": [], "right": []}),
        ("Tabs", {"tab1": [], "tab2": [], "tab3": [], "tab3Label": ""}),
        ("Spacer", {"height": 24}),
    ],
)
def test_a_new_widget_gets_the_data_of_the_format(name: str, data: dict[str, object]) -> None:
    props = catalog.default_props(name)

    assert {key: props[key] for key in data} == data


@pytest.mark.parametrize("name", ["Json", "Divider"])
def test_some_new_widgets_get_no_props(name: str) -> None:
    assert catalog.default_props(name) == {}


@pytest.mark.parametrize("name", ["Button", "ChatComposer"])
def test_a_new_button_and_composer_run_on_click(name: str) -> None:
    run = {"trigger": "click", "kind": "run", "key": "", "value": ""}

    assert catalog.default_props(name)["events"] == [run]
    assert catalog.new_event(name) == run


def test_a_new_change_event_is_live() -> None:
    event = {"trigger": "change", "kind": "run", "key": "", "value": "", "pace": "live"}

    assert catalog.new_event("Slider") == event
    assert catalog.new_event("Heading") is None


def test_default_props_are_fresh_each_time() -> None:
    catalog.default_props("Button")["events"].append({})
    catalog.default_props("Container")["content"].append({})

    assert len(catalog.default_props("Button")["events"]) == 1
    assert catalog.default_props("Container")["content"] == []


def test_option_lists_start_with_two_and_steps_with_three_entries() -> None:
    for name in ("Select", "RadioGroup", "CheckboxGroup", "ChoiceCards"):
        assert len(catalog.default_props(name)["options"]) == 2
    assert len(catalog.default_props("Stepper")["steps"]) == 3


@pytest.mark.parametrize(
    ("name", "paces"),
    [("Slider", ("live", "release", "debounce")), ("Switch", ("live", "debounce")), ("Button", ()), ("Text", ())],
)
def test_paces_by_what_a_type_emits(name: str, paces: tuple[str, ...]) -> None:
    assert catalog.paces(name) == paces


def test_the_first_set_of_types_is_rendered() -> None:
    assert {name for name, widget in WIDGETS.items() if widget.rendered} == set(_FIRST_RENDERED.split())


def test_only_the_workflow_form_is_a_form() -> None:
    assert [name for name, widget in WIDGETS.items() if widget.is_form] == ["WorkflowForm"]


def test_labels_are_plain_words() -> None:
    assert all(re.fullmatch(r"[A-Z0-9][\w/]*( [A-Z][\w/]*)*", widget.label) for widget in WIDGETS.values())
