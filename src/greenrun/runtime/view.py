"""The view model of every widget: all that a renderer, an expectation or a report needs to know of it.

Spec: app-runtime 7.4, 17.5; harness 5.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from greenrun.document.bindings import ExecutionRef, OutputRef, Ref, VariableRef
from greenrun.document.catalog import WIDGETS
from greenrun.document.tree import Widget
from greenrun.document.values import ABSENT, Value
from greenrun.runtime import displays, entries
from greenrun.runtime.evaluator import Evaluator, Visibility
from greenrun.runtime.queries import active_invocation, is_running, progress
from greenrun.runtime.shown import Glance, Option, ResourceSource, Shown, ViewContext
from greenrun.runtime.state import InstanceState
from greenrun.runtime.tables import has_rows

__all__ = ["Evaluator", "ResourceSource", "ViewContext", "WidgetView", "has_content", "view_of", "views_of"]

WidgetStatus: TypeAlias = Literal["idle", "pending", "streaming", "done", "error"]


@dataclass(frozen=True, slots=True)
class WidgetView:
    """One widget as it is shown.

    `value` is the raw bound value (resource widgets: ``[{id, name}]``, forms: values by input name), `display` the
    rendered format or None, `text` what a person reads or None when there is nothing to read, `has_value` as harness
    5.1 has it. `options`, `selected` and `body` are what the type adds; `placeholder` stands in for a missing value.
    """

    id: str
    type: str
    label: str | None
    value: Value
    display: str | None
    text: str | None
    visible: bool
    disabled: bool
    status: WidgetStatus
    has_value: bool
    options: tuple[Option, ...] | None = None
    selected: Value = ABSENT
    body: Mapping[str, Any] = field(default_factory=dict[str, Any])
    placeholder: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As a patch carries it: an absent value, and what the type does not have, is left out."""
        data: dict[str, Any] = {
            "id": self.id,
            "type": self.type,
            "label": self.label,
            "display": self.display,
            "text": self.text,
            "visible": self.visible,
            "disabled": self.disabled,
            "status": self.status,
            "hasValue": self.has_value,
        }
        extras = {"value": self.value, "selected": self.selected}
        data |= {name: value for name, value in extras.items() if value is not ABSENT}
        if self.options is not None:
            data["options"] = list(self.options)
        if self.body:
            data["body"] = dict(self.body)
        if self.placeholder is not None:
            data["placeholder"] = self.placeholder
        return data


def view_of(widget: Widget, context: ViewContext, visibility: Visibility | None = None) -> WidgetView:
    """The view of one widget. `visibility` is looked up when the caller does not have it already."""
    if visibility is None:
        visibility = context.evaluator.visibility(context.state)[widget.id]
    value = _bound_value(widget, context)
    display = context.evaluator.display(widget, context.state)
    shown = _SHOW.get(widget.type, displays.show_value)(Glance(widget, value, display, context))
    if shown.value is not None:
        value = shown.value
    has_value = display != "" if display is not None else has_content(value)
    placeholder = widget.props.get("placeholder")
    return WidgetView(
        id=widget.id,
        type=widget.type,
        label=widget.label,
        value=value,
        display=display,
        text=shown.text,
        visible=visibility.visible,
        disabled=visibility.disabled,
        status=_status(widget, context),
        has_value=has_value,
        options=shown.options,
        selected=shown.selected,
        body=shown.body,
        placeholder=placeholder if isinstance(placeholder, str) and placeholder and not has_value else None,
    )


def views_of(context: ViewContext) -> dict[str, WidgetView]:
    """The views of all widgets by id, in document order; where an id stands twice the first widget counts."""
    visibility = context.evaluator.visibility(context.state)
    return {
        widget_id: view_of(widget, context, visibility[widget_id])
        for widget_id, widget in context.evaluator.by_id.items()
    }


def has_content(value: Value) -> bool:
    """False for absent, null, "", an empty list and a dataframe without rows (harness 5.1)."""
    return value is not ABSENT and value is not None and value not in ("", []) and has_rows(value)


def _bound_value(widget: Widget, context: ViewContext) -> Value:
    if widget.type == "Progress" and widget.binding is None:
        default = context.evaluator.scope.default_operation_id
        return ABSENT if default is None else progress(context.state, default)
    known = WIDGETS.get(widget.type)
    is_bound = known is not None and known.mode in ("read", "write")
    return context.read(widget.ref) if is_bound else ABSENT


def _status(widget: Widget, context: ViewContext) -> WidgetStatus:
    started = context.evaluator.operations_started_by(widget.id)
    if any(is_running(context.state, operation_id) for operation_id in started):
        return "pending"
    if widget.type == "Progress" and widget.binding is None:
        default = context.evaluator.scope.default_operation_id
        return "idle" if default is None else _execution_status(context.state, default)
    return _ref_status(widget.ref, context.state)


def _ref_status(ref: Ref | None, state: InstanceState) -> WidgetStatus:
    if isinstance(ref, OutputRef):
        slot = state.outputs.get(ref.state_key)
        if slot is None:
            return "idle"
        owner = state.invocations.get(slot.invocation_id or "")
        if owner is not None and owner.status == "failed":
            return "error"
        return "idle" if slot.status == "empty" else slot.status
    if isinstance(ref, VariableRef):
        return _variable_status(ref.variable_id, state)
    return _execution_status(state, ref.operation_id) if isinstance(ref, ExecutionRef) else "idle"


def _variable_status(variable_id: str, state: InstanceState) -> WidgetStatus:
    writer = state.invocations.get(state.variable_writers.get(variable_id, ""))
    if writer is not None and writer.live:
        return "streaming"
    if variable_id in state.claims:
        return "pending"
    return "done" if variable_id in state.variables else "idle"


_EXECUTION_STATUS: Final[dict[str, WidgetStatus]] = {
    "pending": "pending",
    "running": "streaming",
    "completed": "done",
    "failed": "error",
    "cancelled": "idle",
}


def _execution_status(state: InstanceState, operation_id: str) -> WidgetStatus:
    active = active_invocation(state, operation_id)
    return "idle" if active is None else _EXECUTION_STATUS[active.status]


_SHOW: Final[dict[str, Callable[[Glance], Shown]]] = {
    **entries.CONTROLS,
    "Heading": displays.show_text,
    "Text": displays.show_text,
    "Markdown": displays.show_markdown,
    "Image": displays.show_media,
    "Audio": displays.show_media,
    "Video": displays.show_media,
    "Json": displays.show_json,
    "Sketch": displays.show_sketch,
    "Timeline": displays.show_timeline,
    "Storyboard": displays.show_value,
    "StoryboardPreview": displays.show_value,
    "Table": displays.show_table,
    "Output": displays.show_output,
    "Progress": displays.show_progress,
    "AgentActivity": displays.show_activity,
    "Alert": displays.show_alert,
    "CodeBlock": displays.show_code,
    "List": displays.show_list,
    "KeyValue": displays.show_key_value,
    "Stat": displays.show_stat,
    "Download": displays.show_download,
    "Model3D": displays.show_media,
    "Chart": displays.show_chart,
    "PDF": displays.show_media,
    "Gallery": displays.show_gallery,
    "ImageCompare": displays.show_compare,
    "ChoiceCards": entries.pick_card,
    "Stepper": entries.pick_step,
    "Approval": entries.pick_approval,
    "WorkflowForm": entries.enter_form,
    "WorkflowInput": entries.enter_input,
    "Slider": entries.enter_number,
    "RadioGroup": entries.pick_one,
    "CheckboxGroup": entries.pick_several,
    "SketchPad": entries.enter_media,
    "AudioRecorder": entries.enter_media,
    "CameraCapture": entries.enter_media,
    "ResourcePicker": entries.pick_resource,
    "ResourceGallery": entries.pick_resource,
    "StoryboardSceneList": entries.pick_resource,
    "ChatThread": displays.show_thread,
    "ChatComposer": entries.enter_chat,
    "Button": entries.press,
    "Container": entries.hold,
    "Accordion": entries.hold,
    "Tabs": entries.hold_tabs,
    "Columns": entries.hold_nothing,
    "Spacer": entries.hold_nothing,
    "Divider": entries.hold_nothing,
}
