"""What the widgets show that a person fills, picks from or presses (spec: app-runtime 7.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from greenrun.document.bindings import InputRef
from greenrun.document.js import display_text, is_list, trim
from greenrun.document.readers import parse_choice_cards
from greenrun.document.surface import Port
from greenrun.document.values import ABSENT, Value, is_number, is_record
from greenrun.runtime.chat import extra_ref
from greenrun.runtime.controls import control_of, list_kind, option_value
from greenrun.runtime.shown import Glance, Option, Shown
from greenrun.runtime.tables import table_of
from greenrun.runtime.texts import cell_text, is_media, media_name, text_or_none

MIN, MAX, STEP = 0, 100, 1


def enter_text(glance: Glance) -> Shown:
    return Shown(text_or_none(glance.value), body={"multiline": glance.flag("multiline")})


def enter_number(glance: Glance) -> Shown:
    """NumberInput, Slider: the stored range falls back to 0, 100, 1."""
    body = {
        "min": glance.number_prop("min", MIN),
        "max": glance.number_prop("max", MAX),
        "step": glance.number_prop("step", STEP),
    }
    return Shown(text_or_none(glance.value), body=body)


def enter_switch(glance: Glance) -> Shown:
    return Shown("on" if glance.value is True else "off")


def enter_date(glance: Glance) -> Shown:
    return Shown(text_or_none(glance.value), body={"withTime": glance.flag("withTime")})


def enter_media(glance: Glance) -> Shown:
    """The widgets that take a file: its name is what a person reads."""
    value = glance.value
    if not is_record(value):
        return Shown(text_or_none(value) or None, body={"source": None})
    return Shown(media_name(value) if is_media(value) else None, body={"source": value})


def enter_color(glance: Glance) -> Shown:
    value = glance.value
    color = value.get("value") if is_record(value) else value
    return Shown(text_or_none(color), body={"color": color if isinstance(color, str) else None})


def enter_table(glance: Glance) -> Shown:
    table = table_of(glance.value)
    return Shown(table.text, body=table.to_json())


def enter_size(glance: Glance) -> Shown:
    value = glance.value
    if not is_record(value):
        return Shown()
    width, height = value.get("width"), value.get("height")
    return Shown(f"{cell_text(width)} × {cell_text(height)}" if is_number(width) and is_number(height) else None)


def enter_list(glance: Glance) -> Shown:
    values: list[Value] = glance.value if is_list(glance.value) else []
    text = "\n".join(cell_text(value) for value in values) or None
    return Shown(text, body={"items": values, "listKind": glance.text_prop("listKind") or "image_list"})


def pick_model(glance: Glance) -> Shown:
    value = glance.value
    name = (value.get("name") or value.get("id")) if is_record(value) else value
    body = {"modelKind": glance.text_prop("modelKind") or "language_model", "task": glance.text_prop("task")}
    return Shown(text_or_none(name) or None, selected=value, body=body)


def pick_one(glance: Glance) -> Shown:
    """Select, RadioGroup: options are texts or ``{value}``; the picked one is what a person reads."""
    return _picked(glance, _options(glance.prop("options")), {"row": glance.flag("row")})


def pick_several(glance: Glance) -> Shown:
    """CheckboxGroup: the checked options in the order in which they are offered."""
    options = _options(glance.prop("options"))
    checked = glance.value if is_list(glance.value) else []
    selected = [option["value"] for option in options if option["value"] in checked]
    return Shown(", ".join(selected) or None, options, selected, {"row": glance.flag("row")})


def _options(stored: Value) -> tuple[Option, ...]:
    entries: Sequence[Value] = stored if is_list(stored) else ()
    values = (option_value(entry) for entry in entries)
    return tuple({"value": value, "label": value} for value in values if value is not None)


def _picked(glance: Glance, options: tuple[Option, ...], body: dict[str, Any]) -> Shown:
    """What a widget shows of which one option is picked; a value that is not offered is read as it is."""
    labels = {option["value"]: option["label"] for option in options}
    value = glance.value
    text = labels.get(value, value) if isinstance(value, str) else text_or_none(value)
    return Shown(text or None, options, value, body)


def pick_card(glance: Glance) -> Shown:
    """ChoiceCards: with an options binding the bound cards alone count, without one the authored ones (16.1)."""
    if glance.text_prop("optionsBinding") is not None:
        cards = parse_choice_cards(glance.context.read(extra_ref(glance.widget, "optionsBinding")))
    else:
        cards = _authored(glance.prop("options"))
    return _picked(glance, _titled(cards), {"columns": glance.number_prop("columns", 2)})


def pick_step(glance: Glance) -> Shown:
    """Stepper: with `allowBack` off the steps before the current one are disabled."""
    stored = glance.prop("steps")
    steps = _authored(stored)
    completed = {
        entry["value"]: entry.get("completed") is True
        for entry in (stored if is_list(stored) else ())
        if is_record(entry) and isinstance(entry.get("value"), str)
    }
    values = [step["value"] for step in steps]
    back = glance.flag("allowBack", default=True)
    current = values.index(glance.value) if glance.value in values else 0
    options = tuple(
        {
            **option,
            "completed": completed.get(option["value"], False),
            "disabled": option.get("disabled") is True or (not back and index < current),
        }
        for index, option in enumerate(_titled(steps))
    )
    return _picked(glance, options, {"allowBack": back})


def first_step(shown_options: Sequence[Option], value: Value) -> str | None:
    """The step that a Stepper writes by itself: the first one, when nothing is written yet and it is enabled."""
    if value is not ABSENT and value is not None:
        return None
    first = next(iter(shown_options), None)
    return None if first is None or first.get("disabled") is True else first["value"]


def _authored(stored: Value) -> list[dict[str, Any]]:
    """The usable cards of a stored list; unlike in bound data, one that is no card does not take the others with it."""
    cards: dict[str, dict[str, Any]] = {}
    for entry in stored if is_list(stored) else ():
        entry = {"value": entry} if isinstance(entry, str) else entry
        for card in parse_choice_cards([entry]):
            cards.setdefault(card["value"], card)
    return list(cards.values())


def _titled(cards: Sequence[dict[str, Any]]) -> tuple[Option, ...]:
    return tuple({**card, "label": card.get("title") or card["value"]} for card in cards)


def pick_approval(glance: Glance) -> Shown:
    options = (
        {"value": "approved", "label": glance.text_prop("approveLabel") or "Approve"},
        {"value": "rejected", "label": glance.text_prop("rejectLabel") or "Reject"},
    )
    return _picked(glance, options, {"description": glance.text_prop("description")})


def pick_resource(glance: Glance) -> Shown:
    """The resource widgets: the items of their binding; the selected one by id."""
    source, binding_id = glance.context.resources, glance.widget.resource_binding_id
    if source is None or binding_id is None:
        return Shown(options=(), value=[])
    items = source.items(binding_id)
    options = tuple({"value": item.id, "label": item.name} for item in items)
    ref = source.selected(binding_id)
    selected = ref["id"] if is_record(ref) else ABSENT
    text = next((item.name for item in items if item.id == selected), None)
    return Shown(text, options, selected, value=[{"id": item.id, "name": item.name} for item in items])


def enter_input(glance: Glance) -> Shown:
    """WorkflowInput: as the control of the input that it is bound to; a text input where that is not known."""
    return _with_control(glance, glance.context.evaluator.port(glance.widget))


def enter_form(glance: Glance) -> Shown:
    """WorkflowForm: a control for every input of its operation, by state key."""
    evaluator, state = glance.context.evaluator, glance.context.state
    operation_id = evaluator.form_operation(glance.widget)
    surface = evaluator.scope.surface(operation_id) if operation_id is not None else None
    described = glance.flag("showDescriptions", default=True)
    fields: list[dict[str, Any]] = []
    values: dict[str, Value] = {}
    for port in surface.inputs if surface is not None and operation_id is not None else ():
        key = InputRef(operation_id, port.node_id).state_key if operation_id is not None else ""
        slot = state.inputs.get(key)
        value = ABSENT if slot is None else slot.value
        shown = _with_control(replace(glance, value=value, display=None), port)
        fields.append(_form_field(key, port, value, shown, described=described))
        if value is not ABSENT:
            values[port.name] = value
    text = "\n".join(f"{field['label']}: {field['text'] or ''}" for field in fields) or None
    return Shown(text, body={"operationId": operation_id, "fields": fields}, value=values or None)


def _form_field(key: str, port: Port, value: Value, shown: Shown, *, described: bool) -> dict[str, Any]:
    return {
        "key": key,
        "name": port.name,
        "label": port.label,
        "description": port.description if described else "",
        "required": port.required,
        "value": None if value is ABSENT else value,
        "text": shown.text,
        "options": list(shown.options or ()),
        "selected": None if shown.selected is ABSENT else shown.selected,
        **shown.body,
    }


def _with_control(glance: Glance, port: Port | None) -> Shown:
    control = control_of(port) if port is not None else "TextInput"
    props = {**glance.widget.props, **(_port_props(port) if port is not None else {})}
    shown = CONTROLS[control](replace(glance, widget=replace(glance.widget, props=props)))
    return replace(shown, body={"control": control, **shown.body})


def _port_props(port: Port) -> dict[str, Any]:
    props: dict[str, Any] = {"multiline": port.multiline, "listKind": list_kind(port)}
    if port.minimum is not None:
        props["min"] = port.minimum
    if port.maximum is not None:
        props["max"] = port.maximum
    if port.options is not None:
        props["options"] = list(port.options)
    if port.node_type.endswith("ModelInput"):
        props["modelKind"] = _model_kind(port)
    return props


def _model_kind(port: Port) -> str:
    name = port.node_type.rpartition(".")[2].removesuffix("ModelInput")
    return f"{name.lower()}_model"


def enter_chat(glance: Glance) -> Shown:
    """ChatComposer: its draft is the browser's; sending is `greenrun.document.chat.compose_send`."""
    body = {
        "attachments": glance.flag("attachments"),
        "sendLabel": glance.text_prop("sendLabel") or "Send",
        "valueFormat": glance.text_prop("valueFormat") or "text",
    }
    return Shown(body=body)


def press(glance: Glance) -> Shown:
    return Shown(glance.widget.label or None)


def hold(glance: Glance) -> Shown:
    """Container, Accordion: the title."""
    return Shown(glance.text_prop("title"))


def hold_tabs(glance: Glance) -> Shown:
    """Tabs: one option per tab that has a label; the others are not shown."""
    slots = ("tab1", "tab2", "tab3")
    labels = {slot: trim(display_text(glance.prop(f"{slot}Label"))) for slot in slots}
    options = tuple({"value": slot, "label": label} for slot, label in labels.items() if label)
    return Shown("\n".join(option["label"] for option in options) or None, options)


def hold_nothing(glance: Glance) -> Shown:
    """Columns, Spacer, Divider: nothing to read."""
    return Shown()


CONTROLS = {
    "TextInput": enter_text,
    "NumberInput": enter_number,
    "Switch": enter_switch,
    "Select": pick_one,
    "DateInput": enter_date,
    "ColorInput": enter_color,
    "ImageInput": enter_media,
    "AudioInput": enter_media,
    "VideoInput": enter_media,
    "DocumentInput": enter_media,
    "Model3DInput": enter_media,
    "ImageSizeInput": enter_size,
    "DataFrameInput": enter_table,
    "MediaListInput": enter_list,
    "FilePathInput": enter_text,
    "FolderPathInput": enter_text,
    "ModelSelect": pick_model,
}
"""The controls that an input can have, by widget type."""
