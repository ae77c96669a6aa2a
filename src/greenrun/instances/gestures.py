"""What a person does to a widget: click it, change it (spec: harness 3.4, app-runtime 7.4, 8.3, 15.3).

A gesture is refused, and nothing is dispatched, when the widget is hidden or disabled, does not take that gesture, or could
not produce the value.
"""

from __future__ import annotations

from typing import Any

from greenrun.document.catalog import WIDGETS
from greenrun.document.chat import compose_send
from greenrun.document.conditions import describe
from greenrun.document.js import display_text
from greenrun.document.tree import Widget
from greenrun.document.values import ABSENT, Value, is_number, is_record
from greenrun.instances.errors import WidgetRefused, WriteRefused
from greenrun.instances.instance import AppInstance, Reaction
from greenrun.instances.producible import objection, produced
from greenrun.runtime.chat import extra_ref
from greenrun.runtime.controls import DEFAULT_CONTROL, control_of
from greenrun.runtime.pacing import settle
from greenrun.runtime.resources import ResourceError

CHAT_COMPOSER = "ChatComposer"


def click(instance: AppInstance, widget_id: str) -> Reaction:
    """Click a widget.

    Raises:
        WidgetRefused: It is hidden or disabled, takes no click, or has nothing to send.
    """
    widget = usable(instance, widget_id)
    if widget.type == CHAT_COMPOSER:
        raise WidgetRefused("no_draft", f"{named(widget)} has no draft to send: change it to the text instead.")
    _need_trigger(widget, "click")
    return _fire(instance, widget, "click")


def change(instance: AppInstance, widget_id: str, value: Value = ABSENT) -> Reaction:
    """Enter a value, or only fire the change events when `value` is absent; null clears.

    Raises:
        WidgetRefused: It is hidden or disabled, takes no change, or could not produce or write the value.
    """
    widget = _changeable(instance, widget_id)
    written = [] if value is ABSENT else _enter(instance, widget, value)
    if widget.type == CHAT_COMPOSER:
        reaction = _fire(instance, widget, "click")
    elif widget.events or not written:
        reaction = _fire(instance, widget, "change", quiet=bool(written))
    else:
        reaction = Reaction()
    reaction.actions[:0] = written
    return reaction


def edit(instance: AppInstance, widget_id: str, value: Value) -> Reaction:
    """One live edit of a value that may still change: live events fire, debounced ones wait for a pause.

    Raises:
        WidgetRefused: As `change`.
    """
    widget = _changeable(instance, widget_id)
    written = _enter(instance, widget, value)
    reaction = instance.perform(instance.pacer.report(widget, "change", "change"), widget)
    reaction.actions[:0] = written
    return reaction


def commit(instance: AppInstance, widget_id: str) -> Reaction:
    """The value of a widget has settled: events that wait for a release fire, and those that were held.

    Nothing happens for a type that never says so: its held events wait for their timer.

    Raises:
        WidgetRefused: As `change`.
    """
    widget = _changeable(instance, widget_id)
    if WIDGETS[widget.type].commits is not True:
        return Reaction()
    return instance.perform(instance.pacer.report(widget, "change", "commit"), widget)


def usable(instance: AppInstance, widget_id: str) -> Widget:
    """The widget, when a person could act on it now.

    Raises:
        WidgetRefused: There is no such widget, or it is hidden or disabled.
    """
    widget = instance.widget(widget_id)
    if widget is None:
        raise WidgetRefused("unknown", f'There is no widget "{widget_id}".')
    obstacle = instance.obstacle(widget_id)
    if obstacle is None:
        return widget
    state = "hidden" if obstacle.hidden else "disabled"
    if obstacle.operation_id is not None:
        raise WidgetRefused(state, f'{named(widget)} is disabled while operation "{obstacle.operation_id}" runs.')
    own = obstacle.widget_id == widget.id
    blocker = instance.widget(obstacle.widget_id)
    where = "" if own or blocker is None else f" through {named(blocker)}"
    if obstacle.condition is None:
        raise WidgetRefused(state, f"{named(widget)} is hidden{where}: its tab has a blank label and is not shown.")
    prop = "visibleWhen" if obstacle.hidden else "disabledWhen"
    raise WidgetRefused(state, f"{named(widget)} is {state}{where}: {prop} is `{describe(obstacle.condition)}`.")


def named(widget: Widget) -> str:
    """How messages name a widget: type, and label or id."""
    return f'{widget.type} "{widget.label or widget.id}"'


def _changeable(instance: AppInstance, widget_id: str) -> Widget:
    widget = usable(instance, widget_id)
    if widget.mode != "write" and widget.type != "Gallery":
        triggers = f"; it reacts to {_trigger(widget)}" if _trigger(widget) != "none" else ""
        raise WidgetRefused("no_trigger", f"{named(widget)} takes no change{triggers}.")
    return widget


def _trigger(widget: Widget) -> str:
    known = WIDGETS.get(widget.type)
    return known.trigger if known is not None else "none"


def _need_trigger(widget: Widget, wanted: str) -> None:
    actual = _trigger(widget)
    if actual != wanted:
        takes = f"it takes a {actual}" if actual != "none" else "it takes no gesture"
        raise WidgetRefused("no_trigger", f"{named(widget)} cannot be {wanted}ed; {takes}.")


def _fire(instance: AppInstance, widget: Widget, trigger: str, *, quiet: bool = False) -> Reaction:
    events = settle(widget.events, trigger, commits=trigger == "change" and WIDGETS[widget.type].commits is True)
    reaction = instance.perform(events, widget)
    if reaction.incomplete is not None:
        event = reaction.incomplete
        message = (
            f'{named(widget)}: its event {event.index} ("{event.kind}") is unknown or incomplete and does nothing.'
        )
        reaction.fail(WidgetRefused("incomplete_event", message))
    elif not reaction.actions and not quiet:
        reaction.fail(WidgetRefused("no_event", f"{named(widget)} has no {trigger} event: nothing happens."))
    return reaction


def _enter(instance: AppInstance, widget: Widget, value: Any) -> list[str]:
    options = instance.view(widget.id).options or ()
    control = _control(instance, widget)
    wrong = objection(control, value, options)
    if wrong is not None:
        raise WidgetRefused("bad_value", f"{named(widget)} cannot produce {_short(value)}: {wrong}.")
    value = _within(widget, produced(control, value, options))
    try:
        return _WRITERS.get(widget.type, _write_binding)(instance, widget, value)
    except WriteRefused as refused:
        raise WidgetRefused("cannot_write", f"{named(widget)}: {refused.message}") from refused
    except ResourceError as error:
        raise WidgetRefused("cannot_write", f"{named(widget)}: {error}") from error


def _within(widget: Widget, value: Any) -> Any:
    """A typed number between the bounds that the widget stores (spec: app-runtime 7.4, 17.3.4)."""
    if widget.type not in _BOUNDED or not is_number(value):
        return value
    low, high = widget.props.get("min"), widget.props.get("max")
    if is_number(low) and value < low:
        value = low
    return high if is_number(high) and value > high else value


_BOUNDED = frozenset({"NumberInput", "Slider"})


def _control(instance: AppInstance, widget: Widget) -> str:
    """The type of control that a person sees: a WorkflowInput looks like what its input takes."""
    if widget.type != "WorkflowInput":
        return widget.type
    port = instance.evaluator.port(widget)
    return DEFAULT_CONTROL if port is None else control_of(port)


def _write_binding(instance: AppInstance, widget: Widget, value: Any) -> list[str]:
    if widget.ref is None:
        raise WriteRefused(
            "unresolved", f'its binding "{widget.binding}" resolves to nothing, so there is nothing to write to.'
        )
    return [f"set {instance.write(widget.ref, value, widget.binding or widget.id)}"]


def _write_selection(instance: AppInstance, widget: Widget, value: Any) -> list[str]:
    ref = extra_ref(widget, "selectionBinding")
    if ref is None:
        raise WriteRefused("unresolved", "its selectionBinding resolves to nothing, so a pick is not kept.")
    return [f"set {instance.write(ref, value, 'selectionBinding')}"]


def _select_resource(instance: AppInstance, widget: Widget, value: Any) -> list[str]:
    if not isinstance(value, str):
        raise WriteRefused("refused", f"it takes the id of a seeded item, not {_short(value)}.")
    if widget.resource_binding_id is None:
        raise WriteRefused("unresolved", "it names no resource.")
    instance.select_resource(widget.resource_binding_id, value)
    return [f"select {widget.resource_binding_id} {value}"]


def _refuse_form(instance: AppInstance, widget: Widget, value: Any) -> list[str]:
    raise WriteRefused("refused", "a form is filled by its inputs: set each of them by name.")


def _send_draft(instance: AppInstance, widget: Widget, value: Any) -> list[str]:
    if not isinstance(value, (str, type(None))):
        raise WriteRefused("refused", f"a draft is text, not {_short(value)}.")
    history_ref = extra_ref(widget, "historyBinding")
    history = instance.read(history_ref) if history_ref is not None else ABSENT
    sent = compose_send(display_text(value), [], history, widget.props.get("valueFormat"))
    if sent is None:
        raise WriteRefused("refused", "an empty draft is not sent.")
    actions: list[str] = []
    if history_ref is not None:
        actions.append(f"set {instance.write(history_ref, sent.history, 'historyBinding')}")
    return [*actions, *_write_binding(instance, widget, sent.value)]


_WRITERS = {
    "Gallery": _write_selection,
    "ResourcePicker": _select_resource,
    "ResourceGallery": _select_resource,
    "StoryboardSceneList": _select_resource,
    "WorkflowForm": _refuse_form,
    CHAT_COMPOSER: _send_draft,
}


def _short(value: Any) -> str:
    text = f'"{value}"' if isinstance(value, str) else ("an object" if is_record(value) else display_text(value))
    return text if len(text) <= 60 else f"{text[:60]}…"
