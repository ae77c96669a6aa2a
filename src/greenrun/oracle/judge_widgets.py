"""Verdict steps 5b to 7: what the widgets show once the runs are over (spec: harness 4)."""

from __future__ import annotations

import re
from collections.abc import Callable

from greenrun.document.bindings import resolve_variable_id
from greenrun.document.event_kinds import VARIABLE_EVENTS
from greenrun.document.findings import Finding, Place
from greenrun.document.refs import ExecutionRef, InputRef, OutputRef, Ref, VariableRef
from greenrun.document.tree import Widget
from greenrun.document.values import ABSENT, is_record
from greenrun.oracle.branches import untaken_branch
from greenrun.oracle.evidence import Evidence, name_of, one_line
from greenrun.runtime.tables import has_rows
from greenrun.runtime.view import WidgetView

ERROR_TEXT = re.compile(r"^([A-Z][A-Za-z]*)?Error:\s+\S")
STREAMED_FIELDS = ("activity", "transcript")

Judge = Callable[[Evidence, Widget, WidgetView], Finding | None]


def judge_resources(evidence: Evidence) -> list[Finding]:
    """GR730: a declared resource that some widget shows and nothing seeded."""
    findings: list[Finding] = []
    for resource in evidence.app.document.resources:
        shown_by = [widget for widget in evidence.app.widgets if widget.resource_binding_id == resource.id]
        if not shown_by or evidence.instance.resources.is_seeded(resource.id):
            continue
        message = (
            f'{name_of(shown_by[0])} shows the resource "{resource.id}", which nothing seeded. Seed it with the step '
            f'{{"seedResource": {{"id": "{resource.id}", "items": [...]}}}} or the param "resource:{resource.id}".'
        )
        findings.append(Finding("GR730", "warning", message, Place(widget=shown_by[0].id, resource=resource.id)))
    return findings


def judge_shown(evidence: Evidence) -> list[Finding]:
    """Steps 6a and 6b, for read widgets with a binding; only when something ran."""
    if not evidence.session.runs_on or not evidence.started:
        return []
    widgets = [widget for widget in evidence.app.widgets if widget.mode == "read" and widget.ref is not None]
    judged = [(widget, evidence.views[widget.id]) for widget in widgets if not _skipped(evidence, widget)]
    findings = [finding for widget, view in judged if (finding := _error_text(widget, view)) is not None]
    for widget, view in judged:
        if not view.has_value and not _written_by_ui(evidence, widget.ref):
            findings += filter(None, [_first_match(evidence, widget, view)])
    return findings


def judge_nothing_ran(evidence: Evidence) -> list[Finding]:
    """GR729: runs were allowed and nothing was executed."""
    if not evidence.session.runs_on or evidence.instance.runs.records or not evidence.app.widgets:
        return []
    message = "Nothing was executed: no step started an operation. Click a widget that runs one, or fix its event."
    return [Finding("GR729", "error", message)]


def _skipped(evidence: Evidence, widget: Widget) -> bool:
    operations = evidence.operations_of(widget.ref)
    if not evidence.views[widget.id].visible or any(name in evidence.not_ok for name in operations):
        return True
    if evidence.is_blind and _may_come_from_unknown(evidence, widget.ref, operations):
        return True
    missing = {item.operation for item in evidence.exercise.not_exercised}
    return evidence.default_script and any(name in missing for name in operations)


def _may_come_from_unknown(evidence: Evidence, ref: Ref | None, operations: tuple[str, ...]) -> bool:
    """The value belongs to an operation that could not be looked into, or to a variable that only such a one may write."""
    unknown = {item.id for item in evidence.app.operations if item.unknown is not None}
    return any(name in unknown for name in operations) or (isinstance(ref, VariableRef) and not operations)


def _written_by_ui(evidence: Evidence, ref: Ref | None) -> bool:
    """A person writes it: in a write widget, a write extra binding, or through an event."""
    if not isinstance(ref, (VariableRef, InputRef)):
        return False
    for widget in evidence.app.widgets:
        refs = [extra.ref for extra in widget.extra_bindings if extra.mode == "write"]
        if ref in refs or (widget.mode == "write" and widget.ref == ref):
            return True
        if isinstance(ref, VariableRef) and any(
            event.kind in VARIABLE_EVENTS and resolve_variable_id(event.key, evidence.app.scope) == ref.variable_id
            for event in widget.events
        ):
            return True
    return False


def _error_text(widget: Widget, view: WidgetView) -> Finding | None:
    shown = view.display if view.display is not None else view.value
    if not isinstance(shown, str) or not ERROR_TEXT.match(shown):
        return None
    message = f"{name_of(widget)} (`{widget.binding}`) shows an error text: {one_line(shown)}"
    return Finding("GR723", "error", message, Place(widget=widget.id, prop="binding"))


def _first_match(evidence: Evidence, widget: Widget, view: WidgetView) -> Finding | None:
    if isinstance(widget.ref, ExecutionRef):
        return _execution(evidence, widget, widget.ref)
    for judge in (_behind_branch, _empty_value, _never_received):
        finding = judge(evidence, widget, view)
        if finding is not None:
            return finding
    return None


def _execution(evidence: Evidence, widget: Widget, ref: ExecutionRef) -> Finding | None:
    place = Place(widget=widget.id, operation=ref.operation_id, prop="binding")
    if ref.operation_id not in evidence.ran:
        message = (
            f'{name_of(widget)} shows {ref.field} of operation "{ref.operation_id}", which never ran. '
            "Add a step that starts it."
        )
        return Finding("GR724", "error", message, place)
    if ref.field not in STREAMED_FIELDS:
        return None
    message = (
        f'{name_of(widget)} shows {ref.field} of operation "{ref.operation_id}", which ran and reported none: only nodes that '
        "stream their steps do."
    )
    return Finding("GR725", "warning", message, place)


def _behind_branch(evidence: Evidence, widget: Widget, view: WidgetView) -> Finding | None:
    for operation_id, node_id in _nodes_of(evidence, widget.ref):
        operation = evidence.app.operation(operation_id)
        messages = [
            message for record in evidence.started if record.operation_id == operation_id for message in record.messages
        ]
        if operation is None or operation.graph is None or not messages:
            continue
        branch = untaken_branch(operation.graph, node_id, messages)
        if branch is not None:
            message = (
                f'{name_of(widget)} is bound to node "{node_id}", which lies behind a branch of "{branch}" that this run did '
                "not take."
            )
            place = Place(widget=widget.id, operation=operation_id, node=node_id, prop="binding")
            return Finding("GR726", "warning", message, place)
    return None


def _nodes_of(evidence: Evidence, ref: Ref | None) -> list[tuple[str, str]]:
    if isinstance(ref, OutputRef):
        return [(ref.operation_id, ref.node_id)]
    if not isinstance(ref, VariableRef):
        return []
    return [
        (item.id, node_id)
        for item in evidence.app.operations
        for node_id, mapping in item.operation.outputs.items()
        if mapping.kind == "variable" and mapping.variable_id == ref.variable_id
    ]


def _empty_value(evidence: Evidence, widget: Widget, view: WidgetView) -> Finding | None:
    value = view.value
    empty = value in (None, "") or value == [] or (is_record(value) and not has_rows(value))
    if view.display is not None or value is ABSENT or not empty or widget.resource_binding_id is not None:
        return None
    message = f"{name_of(widget)} (`{widget.binding}`) received a value, but it is empty."
    return Finding("GR727", "warning", message, Place(widget=widget.id, prop="binding"))


def _word_for(evidence: Evidence, ref: Ref | None) -> str:
    """A function has outputs, a workflow nodes."""
    is_graph = any(
        item.graph is not None for name in evidence.operations_of(ref) if (item := evidence.app.operation(name))
    )
    return "node" if is_graph else "output"


def _never_received(evidence: Evidence, widget: Widget, view: WidgetView) -> Finding | None:
    node = getattr(widget.ref, "node_id", None)
    what = f"its format `{widget.format}` rendered nothing" if view.display == "" else "it never received a value"
    source = f' from {_word_for(evidence, widget.ref)} "{node}"' if node is not None and view.display is None else ""
    message = (
        f"{name_of(widget)} (`{widget.binding}`): {what}{source}. Bind it to something that the run fills, "
        "or let the workflow fill it."
    )
    return Finding("GR728", "error", message, Place(widget=widget.id, node=node, prop="binding"))
