"""The parts of a report that show the app as it was left (spec: harness 3.10, 5.1)."""

from __future__ import annotations

from collections import Counter
from typing import Any

from greenrun.document.refs import InputRef, OutputRef, encode
from greenrun.document.tree import StoredEvent, Widget
from greenrun.document.values import ABSENT
from greenrun.instances.app import App
from greenrun.instances.instance import AppInstance
from greenrun.instances.runs import RunRecord
from greenrun.oracle.evidence import Evidence
from greenrun.runtime.preview import preview
from greenrun.runtime.view import WidgetView


def collect_values(instance: AppInstance) -> dict[str, Any]:
    """Inputs and outputs by name, then variables by id; where two share a key, both stand under their state keys."""
    app = instance.app
    entries: list[tuple[str, str, Any]] = []
    for item in app.operations:
        if item.surface is None:
            continue
        prefix = "" if item.id == app.default_operation_id else f"{item.id}."
        for port in item.surface.inputs:
            ref = InputRef(item.id, port.node_id)
            entries.append((f"{prefix}{port.name}", ref.state_key, instance.read(ref)))
        for port in item.surface.outputs:
            ref = OutputRef(item.id, port.node_id)
            entries.append((f"{prefix}{port.name}", ref.state_key, instance.read(ref)))
    entries += [(variable_id, variable_id, value) for variable_id, value in instance.state.variables.items()]
    present = [entry for entry in entries if entry[2] is not ABSENT]
    names = Counter(name for name, _, _ in present)
    return {(name if names[name] == 1 else key): preview(value) for name, key, value in present}


def collect_variables(instance: AppInstance) -> dict[str, Any]:
    """Variables by id."""
    return {key: preview(value) for key, value in instance.state.variables.items() if value is not ABSENT}


def collect_invocations(evidence: Evidence) -> tuple[dict[str, Any], ...]:
    return tuple(_invocation(evidence, record) for record in evidence.instance.runs.records)


def _invocation(evidence: Evidence, record: RunRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "operationId": record.operation_id,
        "status": evidence.status(record),
        "decision": record.decision,
        "decisionTargets": list(record.decision_targets),
        "runIndex": record.run_index,
        "timedOutMs": record.timed_out_ms,
        "error": evidence.error(record),
        "activity": record.activity,
    }


def collect_activity(instance: AppInstance) -> tuple[dict[str, Any], ...]:
    """Every activity label in order, consecutive duplicates dropped."""
    entries = [
        {"invocationId": record.id, "operationId": record.operation_id, "label": label}
        for record in instance.runs.records
        for label in record.activity
    ]
    return tuple(
        entry for index, entry in enumerate(entries) if index == 0 or entries[index - 1]["label"] != entry["label"]
    )


def collect_widgets(instance: AppInstance) -> tuple[dict[str, Any], ...]:
    """The final state of every widget but layout."""
    return tuple(
        _widget(widget, instance.view(widget.id), instance)
        for widget in instance.evaluator.by_id.values()
        if widget.mode != "layout"
    )


def _widget(widget: Widget, view: WidgetView, instance: AppInstance) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": widget.id,
        "type": widget.type,
        "bindingMode": widget.mode,
        "binding": widget.binding,
        "stateKey": widget.state_key,
    }
    value = preview(view.value)
    if widget.resource_binding_id is not None:
        data["resourceBindingId"] = widget.resource_binding_id
    return data | {
        "value": value,
        "display": preview(view.display) if view.display is not None else None,
        "hasValue": view.has_value,
        "visible": view.visible,
        "disabled": view.disabled,
    }


def collect_resources(instance: AppInstance) -> tuple[dict[str, Any], ...]:
    found: list[dict[str, Any]] = []
    for resource in instance.app.document.resources:
        selected = instance.resources.selected(resource.id)
        found.append(
            {
                "id": resource.id,
                "kind": resource.kind,
                "seeded": instance.resources.is_seeded(resource.id),
                "items": [
                    {"id": item.id, "name": item.name, "revision": item.revision}
                    for item in instance.resources.items(resource.id)
                ],
                "selected": selected["id"] if selected is not ABSENT else None,
                "commands": [
                    entry.to_json() for entry in instance.resources.log if entry.resource_binding_id == resource.id
                ],
            }
        )
    return tuple(found)


def collect_io(app: App | None) -> dict[str, list[str]]:
    """Names of the bindable surface of the default operation's target."""
    surface = app.operations[0].surface if app is not None and app.operations else None
    if surface is None:
        return {"inputs": [], "outputs": [], "variables": []}
    return {
        "inputs": [port.name for port in surface.inputs],
        "outputs": [port.name for port in surface.outputs],
        "variables": list(surface.channels),
    }


def collect_spec(app: App) -> dict[str, Any]:
    """The widget spec (spec: harness 2.1)."""
    return {
        "version": app.document.schema_version,
        "title": app.document.title,
        "widgets": [_spec_widget(widget) for widget in app.widgets],
        "operations": [
            {
                "id": item.id,
                "name": item.operation.name,
                "workflowId": item.operation.workflow_id,
                "policy": item.operation.policy,
                "io": None
                if item.surface is None
                else {
                    "inputs": [{"nodeId": port.node_id, "name": port.name} for port in item.surface.inputs],
                    "outputs": [{"nodeId": port.node_id, "name": port.name} for port in item.surface.outputs],
                    "variables": list(item.surface.channels),
                },
                "unavailable": item.unavailable,
            }
            for item in app.operations
        ],
        "variables": [
            {"id": item.id, "name": item.name, "scope": item.scope, "persist": item.persist}
            for item in app.document.variables
        ],
        "resources": [{"id": item.id, "name": item.name, "kind": item.kind} for item in app.document.resources],
    }


def _spec_widget(widget: Widget) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": widget.id,
        "type": widget.type,
        "bindingMode": widget.mode,
        "binding": widget.binding,
        "ref": encode(widget.ref) if widget.ref is not None else None,
        "stateKey": widget.state_key,
        "canonicalBinding": widget.canonical,
        "resourceBindingId": widget.resource_binding_id,
        "operationId": widget.operation_id,
        "extraBindings": [{"prop": extra.prop, "binding": extra.binding} for extra in widget.extra_bindings],
        "label": widget.label,
        "events": [_spec_event(event) for event in widget.events],
        "parentId": widget.parent_id,
        "slot": widget.slot,
    }
    for name, stored in (("visibleWhen", widget.visible_when), ("disabledWhen", widget.disabled_when)):
        if stored is not None:
            condition = {"binding": stored.binding, "op": stored.op, "value": stored.value}
            data[name] = {key: value for key, value in condition.items() if value is not ABSENT}
    if widget.format is not None:
        data["format"] = widget.format
    return data


def _spec_event(event: StoredEvent) -> dict[str, Any]:
    fields = {
        "trigger": event.trigger,
        "kind": event.kind,
        "key": event.key,
        "value": event.value,
        "operationId": event.operation_id,
        "invocationId": event.invocation_id,
        "resourceBindingId": event.resource_binding_id,
        "command": event.command,
        "pace": event.pace,
    }
    return {name: value for name, value in fields.items() if value is not None and value is not ABSENT}
