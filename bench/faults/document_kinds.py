"""Faults in the document itself: types, ids, places of widgets, what is declared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from bench.faults.binding_kinds import undisplayed, unfilled
from bench.faults.seed import Bed, Draft, Fault, Sign, at_widgets, sign, typo
from greenrun.document.bindings import InputRef, OutputRef, VariableRef, resolve_variable_id
from greenrun.document.catalog import slots
from greenrun.document.readers import is_missing_required_media
from greenrun.document.tree import Widget
from greenrun.document.values import ABSENT


def misspelt_type(bed: Bed) -> Iterator[Fault]:
    """A widget of a type that does not exist."""
    for widget in bed.widgets:
        if widget.type not in ("Spacer", "Divider"):
            yield from bed.fault(
                "misspelt widget type",
                f"{widget.id} {typo(widget.type)}",
                lambda draft, widget=widget: draft.find(widget.id)[0].update(type=typo(widget.type)),
                sign("GR116", widget=widget.id),
            )


def duplicate_widget_id(bed: Bed) -> Iterator[Fault]:
    """Two widgets have the same id."""
    for first, second in pairwise(bed.widgets):
        yield from bed.fault(
            "duplicate widget id",
            f"{second.id} is {first.id}",
            lambda draft, first=first, second=second: draft.props(second.id).update(id=first.id),
            sign("GR108", widget=first.id),
        )


def duplicate_operation_id(bed: Bed) -> Iterator[Fault]:
    """Two operations have the same id."""
    for first, second in pairwise(bed.operations):
        yield from bed.fault(
            "duplicate operation id",
            f"{second.id} is {first.id}",
            lambda draft, first=first, second=second: draft.operation(second.id).update(id=first.id),
            sign("GR107", operation=first.id),
        )
    for item in bed.operations:
        yield from bed.fault(
            "duplicate operation id",
            f"a copy of {item.id}",
            lambda draft, item=item: draft.document["operations"].append(dict(draft.operation(item.id))),
            sign("GR107", operation=item.id),
        )


def duplicate_variable_id(bed: Bed) -> Iterator[Fault]:
    """Two variables have the same id."""
    for first, second in pairwise(bed.app.document.get("variables") or []):
        yield from bed.fault(
            "duplicate variable id",
            f"{second['id']} is {first['id']}",
            lambda draft, first=first, second=second: draft.variable(second["id"]).update(id=first["id"]),
            sign("GR107", variable=first["id"]),
        )


def missing_widget_id(bed: Bed) -> Iterator[Fault]:
    """A widget has no id, so that the script and the document cannot name it."""
    for index, widget in enumerate(bed.widgets):
        if _in_script(bed, widget.id):
            yield from bed.fault(
                "missing widget id",
                widget.id,
                lambda draft, widget=widget: draft.props(widget.id).pop("id"),
                sign("GR110", widget=f"{widget.type}-{index}"),
            )


def _in_script(bed: Bed, widget: str) -> bool:
    return bool(bed.steps_on(widget))


def lost_slot_child(bed: Bed) -> Iterator[Fault]:
    """Widgets stand in a prop that is no slot."""
    for widget in bed.widgets:
        for slot in slots(widget.type):
            if widget.props.get(slot):
                for wrong in (typo(slot), "children"):

                    def change(draft: Draft, widget: Widget = widget, slot: str = slot, wrong: str = wrong) -> None:
                        props = draft.props(widget.id)
                        props[wrong] = props.pop(slot)

                    yield from bed.fault(
                        "lost slot child", f"{widget.id}.{wrong}", change, sign("GR109", widget=widget.id)
                    )


def child_of_leaf(bed: Bed) -> Iterator[Fault]:
    """A widget stands in one that holds no others."""
    for first, second in pairwise(bed.widgets):
        if slots(first.type) or slots(second.type) or first.parent_id != second.parent_id:
            continue

        def change(draft: Draft, first: Widget = first, second: Widget = second) -> None:
            component, siblings, _, _ = draft.find(second.id)
            siblings.remove(component)
            draft.props(first.id)["content"] = [component]

        yield from bed.fault("lost slot child", f"{second.id} in {first.id}", change, sign("GR109", widget=first.id))


def lost_child(bed: Bed) -> Iterator[Fault]:
    """Widgets stand where nothing shows them."""
    yield from lost_slot_child(bed)
    yield from child_of_leaf(bed)


def content_in_zones(bed: Bed) -> Iterator[Fault]:
    """The content of a slot stands in the zones of older documents."""
    for widget in bed.widgets:
        for slot in slots(widget.type):
            if not widget.props.get(slot) or not any(_in_script(bed, inner) for inner in bed.inside(widget.id)):
                continue

            def change(draft: Draft, widget: Widget = widget, slot: str = slot) -> None:
                draft.document["ui"].setdefault("zones", {})[f"{widget.id}:{slot}"] = draft.props(widget.id).pop(slot)

            yield from bed.fault("content in zones", f"{widget.id}:{slot}", change, sign("GR111", widget=widget.id))


def blank_tab(bed: Bed) -> Iterator[Fault]:
    """A tab without a label is not shown."""
    for widget in bed.widgets:
        for slot in slots(widget.type) if widget.type == "Tabs" else ():
            inner = [child.id for child in bed.widgets if child.parent_id == widget.id and child.slot == slot]
            hidden = [*inner, *(deep for child in inner for deep in bed.inside(child))]
            if any(_in_script(bed, child) for child in hidden):
                yield from bed.fault(
                    "blank tab label",
                    f"{widget.id}.{slot}",
                    lambda draft, widget=widget, slot=slot: draft.props(widget.id).update({f"{slot}Label": ""}),
                    [sign("GR109", widget=widget.id), *at_widgets("GR703 GR712 GR718", hidden)],
                )


def _missed(bed: Bed, widget: str) -> list[Sign]:
    """A step names the widget and does not find it."""
    return [sign("GR711", step=number) for number in bed.steps_on(widget)]


def _gone(bed: Bed, widget: Widget) -> list[Sign]:
    """A widget that is not there: what it filled, what it started, and the steps that use it."""
    signs = _missed(bed, widget.id)
    if widget.ref is not None and widget.mode == "write":
        signs += [*unfilled(bed, widget.ref), *bed.value_signs(widget.ref)]
    return [*signs, *(sign("GR309 GR310", operation=operation) for operation in bed.run_by(widget))]


def _without(widget: str) -> Callable[[Draft], None]:
    def change(draft: Draft) -> None:
        component, siblings, _, _ = draft.find(widget)
        siblings.remove(component)

    return change


def output_never_shown(bed: Bed) -> Iterator[Fault]:
    """The widget that shows an output is not there."""
    for widget in bed.reading():
        if isinstance(widget.ref, OutputRef):
            signs = [*undisplayed(widget.ref), *_missed(bed, widget.id)]
            yield from bed.fault("output never shown", widget.id, _without(widget.id), signs)


def missing_control(bed: Bed) -> Iterator[Fault]:
    """The widget that fills an input a run cannot do without is not there."""
    for widget in bed.writing():
        if _is_needed(bed, widget):
            yield from bed.fault("missing input widget", widget.id, _without(widget.id), _gone(bed, widget))


def missing_media(bed: Bed) -> Iterator[Fault]:
    """The widget for a file that a run cannot do without is not there."""
    for widget in bed.writing():
        assert widget.ref is not None
        if _is_needed(bed, widget, media=True):
            signs = unfilled(bed, widget.ref)
            yield from bed.fault("required media without widget", widget.id, _without(widget.id), signs)


def _is_needed(bed: Bed, widget: Widget, media: bool = False) -> bool:
    for item in bed.operations:
        for port in bed.inputs(item):
            mapping = item.operation.inputs.get(port.node_id)
            direct = widget.ref == InputRef(item.id, port.node_id)
            through = (
                mapping is not None and mapping.kind == "variable" and widget.ref == VariableRef(mapping.variable_id)
            )
            if not direct and not (through and _has_no_default(bed, mapping.variable_id)):  # type: ignore[union-attr]
                continue
            if is_missing_required_media(port, ABSENT):
                return True
            if not media and port.required and port.default is ABSENT:
                return True
    return False


def _has_no_default(bed: Bed, variable_id: str) -> bool:
    variable = bed.opened.scope.variable(variable_id)
    return variable is None or variable.default is ABSENT


def missing_trigger(bed: Bed) -> Iterator[Fault]:
    """The widget that starts a run is not there."""
    for widget in bed.starting():
        yield from bed.fault("missing trigger widget", widget.id, _without(widget.id), _gone(bed, widget))


def undeclared_variable(bed: Bed) -> Iterator[Fault]:
    """A variable that the app uses is not declared."""
    for entry in bed.app.document.get("variables") or []:
        name = entry["id"]
        if name in bed.opened.scope.channels:
            continue
        users = [widget.id for widget in bed.widgets if _uses(bed, widget, name)]
        signs = [sign("GR213 GR219 GR302 GR404 GR409", variable=name), *at_widgets("GR201 GR202 GR302", users)]
        yield from bed.fault(
            "undeclared variable",
            name,
            lambda draft, name=name: draft.document["variables"].remove(draft.variable(name)),
            signs,
        )


def _uses(bed: Bed, widget: Widget, variable: str) -> bool:
    keys = (resolve_variable_id(event.key, bed.opened.scope) for event in widget.events)
    return VariableRef(variable) in bed.refs_shown(widget) or variable in keys


def removed_operation(bed: Bed) -> Iterator[Fault]:
    """An operation is gone and still referred to."""
    for item in bed.operations:
        signs: list[Sign] = [sign("GR212 GR219 GR301 GR211", operation=item.id)]
        yield from bed.fault(
            "removed operation",
            item.id,
            lambda draft, item=item: draft.document["operations"].remove(draft.operation(item.id)),
            signs,
        )


def renamed_operation(bed: Bed) -> Iterator[Fault]:
    """An operation got another id and is still called by the old one."""
    for item in bed.operations:
        yield from bed.fault(
            "renamed operation",
            f"{item.id} is now {item.id}2",
            lambda draft, item=item: draft.operation(item.id).update(id=f"{item.id}2"),
            sign("GR212 GR219 GR301 GR211", operation=item.id),
        )


def removed_option(bed: Bed) -> Iterator[Fault]:
    """A choice that the app needs is not offered."""
    steps = bed.app.script.get("interact") or []
    for widget in bed.widgets:
        chosen = [step.get("value") for step in steps if step.get("change") == widget.id]
        for index, option in enumerate(_options(widget)):
            value = option.get("value")
            if any(value == item or (isinstance(item, list) and value in item) for item in chosen):
                prop = "steps" if "steps" in widget.props else "options"
                yield from bed.fault(
                    "missing option",
                    f"{widget.id} {value}",
                    lambda draft, widget=widget, prop=prop, index=index: draft.props(widget.id)[prop].pop(index),
                    sign("GR713", widget=widget.id),
                )


def _options(widget: Widget) -> list[dict[str, Any]]:
    stored = widget.props.get("options") or widget.props.get("steps") or []
    return [item for item in stored if isinstance(item, dict)] if isinstance(stored, list) else []


def misspelt_resource(bed: Bed) -> Iterator[Fault]:
    """A widget or an event names a resource that does not exist, or none."""
    for widget in bed.widgets:
        named = widget.resource_binding_id
        for wrong in (typo(named), "") if named is not None else ():
            yield from bed.fault(
                "misspelt resource",
                f"{widget.id} {wrong!r}",
                lambda draft, widget=widget, wrong=wrong: draft.props(widget.id).update(resourceBindingId=wrong),
                sign("GR209 GR210", widget=widget.id),
            )
        for event in widget.events:
            if event.resource_binding_id is not None:
                wrong = typo(event.resource_binding_id)
                yield from bed.fault(
                    "misspelt resource",
                    f"{widget.id} event {wrong}",
                    lambda draft, widget=widget, event=event, wrong=wrong: draft.props(widget.id)["events"][
                        event.index
                    ].update(resourceBindingId=wrong),
                    sign("GR303", widget=widget.id),
                )


def undeclared_resource(bed: Bed) -> Iterator[Fault]:
    """A resource that the app uses is not declared."""
    for entry in bed.app.document.get("resources") or []:
        signs = [sign("GR210 GR303 GR406 GR702", resource=entry["id"])]
        yield from bed.fault(
            "undeclared resource",
            entry["id"],
            lambda draft, entry=entry: draft.document["resources"].remove(entry),
            signs,
        )


def unseeded_resource(bed: Bed) -> Iterator[Fault]:
    """Nothing puts items into a collection that the app needs."""
    for entry in bed.app.document.get("resources") or []:
        name = entry["id"]

        def change(draft: Draft, name: str = name) -> None:
            draft.script.get("params", {}).pop(f"resource:{name}", None)
            steps = draft.script.get("interact") or []
            draft.script["interact"] = [step for step in steps if step.get("seedResource", {}).get("id") != name]

        readers = [
            item.id
            for item in bed.operations
            for mapping in item.operation.inputs.values()
            if mapping.kind == "resource" and mapping.resource_binding_id == name
        ]
        signs = [sign("GR730", resource=name), *(sign("GR716", operation=reader) for reader in readers)]
        signs += at_widgets("GR716", [widget for reader in readers for widget in bed.triggers_of(reader)])
        signs += at_widgets("GR713", [widget.id for widget in bed.widgets if widget.resource_binding_id == name])
        yield from bed.fault("unseeded resource", name, change, signs)
