"""Together the apps that ship use what an app can do; each trait counts only where a run touched it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from shipped_apps import Example

from greenrun.document.bindings import InputRef, OutputRef, VariableRef
from greenrun.document.conditions import parse_condition
from greenrun.document.model import FromResource, FunctionTarget, ToVariable, WorkflowTarget, operation_target
from greenrun.document.tree import Widget
from greenrun.document.values import ABSENT
from greenrun.oracle.reach import run_triggers
from greenrun.runtime.parameters import persistent_variables


def _two_operations(example: Example) -> bool:
    return len(example.report.verdict.exercised) >= 2


def _variable(example: Example) -> bool:
    """An output was kept in a variable that a widget or another operation reads."""
    return any(
        isinstance(mapping, ToVariable) and example.report.variables.get(mapping.variable_id)
        for item in example.app.operations
        for mapping in item.operation.outputs.values()
    )


def _persisted_variable(example: Example) -> bool:
    """The script changed a variable that outlives the open app."""
    return any(
        example.report.variables.get(variable.id, ABSENT) not in (ABSENT, variable.default)
        for variable in persistent_variables(example.app.document.variables)
    )


def _streaming_output(example: Example) -> bool:
    """An output came in several pieces, and a widget shows what they make."""
    for invocation, messages in zip(example.report.invocations, example.report.messages, strict=True):
        pieces = [
            message["node_id"]
            for message in messages
            if message["type"] == "chunk" or (message["type"] == "output_update" and message["disposition"] == "append")
        ]
        for node in set(pieces):
            if pieces.count(node) > 1 and _is_shown(example, invocation["operationId"], node):
                return True
    return False


def _is_shown(example: Example, operation: str, node: str) -> bool:
    outputs = next(item.operation.outputs for item in example.app.operations if item.id == operation)
    mapping = outputs.get(node)
    refs = [OutputRef(operation, node)]
    refs += [VariableRef(mapping.variable_id)] if isinstance(mapping, ToVariable) else []
    return any(widget.ref in refs and example.shown(widget.id)["hasValue"] for widget in example.widgets)


def _gated_flow(example: Example) -> bool:
    """A run that could not be started before a person had approved, and then was."""
    decided = {widget.ref for widget in example.widgets if widget.type == "Approval" and example.entered(widget.id)}
    return any(
        example.clicked(trigger.widget.id) and example.expected(gate.id, check)
        for trigger in run_triggers(example.app)
        for gate in (trigger.widget, *_ancestors(example, trigger.widget))
        for stored, check in ((gate.visible_when, "hidden"), (gate.disabled_when, "disabled"))
        if stored is not None
        and (condition := parse_condition(stored, example.app.scope)) is not None
        and condition.ref in decided
    )


def _ancestors(example: Example, widget: Widget) -> list[Widget]:
    by_id = {item.id: item for item in example.widgets}
    found: list[Widget] = []
    while widget.parent_id is not None:
        widget = by_id[widget.parent_id]
        found.append(widget)
    return found


def _visible_when(example: Example) -> bool:
    return any(
        widget.visible_when is not None
        and example.expected(widget.id, "hidden")
        and example.expected(widget.id, "visible")
        for widget in example.widgets
    )


def _disabled_when(example: Example) -> bool:
    return any(
        widget.disabled_when is not None
        and example.expected(widget.id, "disabled")
        and example.expected(widget.id, "enabled")
        for widget in example.widgets
    )


def _format_template(example: Example) -> bool:
    """The script pins a text that a template with a filter rendered."""
    return any(
        widget.format is not None and "|" in widget.format and example.expected(widget.id, "equals")
        for widget in example.widgets
    )


def _shows(type_: str) -> Callable[[Example], bool]:
    def trait(example: Example) -> bool:
        return any(
            widget.type == type_ and example.expected(widget.id, "equals") and example.shown(widget.id)["hasValue"]
            for widget in example.widgets
        )

    return trait


def _file_upload(example: Example) -> bool:
    """A file was put into a widget, and the operation that reads it ran."""
    return any(
        widget.type in ("DocumentInput", "ImageInput")
        and example.entered(widget.id)
        and isinstance(widget.ref, InputRef)
        and widget.ref.operation_id in example.report.verdict.exercised
        for widget in example.widgets
    )


def _resource_picker(example: Example) -> bool:
    """An item was picked, and an operation that is given it ran."""
    given = {
        mapping.resource_binding_id
        for item in example.app.operations
        if item.id in example.report.verdict.exercised
        for mapping in item.operation.inputs.values()
        if isinstance(mapping, FromResource)
    }
    return any(
        widget.type == "ResourcePicker" and widget.resource_binding_id in given and example.entered(widget.id)
        for widget in example.widgets
    )


def _runs(kind: type) -> Callable[[Example], bool]:
    def trait(example: Example) -> bool:
        return any(
            item.id in example.report.verdict.exercised and isinstance(operation_target(item.operation), kind)
            for item in example.app.operations
        )

    return trait


def _paced_event(example: Example) -> bool:
    """Letting a control go started a run."""
    return any(
        event.pace == "release" and example.entered(widget.id) for widget in example.widgets for event in widget.events
    )


def _conversation(example: Example) -> bool:
    return any(widget.type == "ChatThread" and example.expected(widget.id, "equals") for widget in example.widgets)


TRAITS: Mapping[str, Callable[[Example], bool]] = {
    "two operations": _two_operations,
    "a variable that an output fills": _variable,
    "a persisted variable": _persisted_variable,
    "a streaming output": _streaming_output,
    "a gated flow": _gated_flow,
    "visibleWhen": _visible_when,
    "disabledWhen": _disabled_when,
    "a format template": _format_template,
    "a table": _shows("Table"),
    "a chart": _shows("Chart"),
    "a file upload": _file_upload,
    "a resource picker": _resource_picker,
    "a Python function": _runs(FunctionTarget),
    "a graph": _runs(WorkflowTarget),
    "a paced event": _paced_event,
    "a conversation": _conversation,
}


@pytest.mark.parametrize("trait", TRAITS)
def test_some_example_exercises(trait: str, examples: list[Example]) -> None:
    assert [example.name for example in examples if TRAITS[trait](example)] != []
