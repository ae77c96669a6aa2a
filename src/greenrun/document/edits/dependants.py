"""Who still names what was removed (spec: app-runtime 13.2-13.4, O-31)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from greenrun.document.bindings import (
    Ref,
    Scope,
    ScopeOperation,
    VariableRef,
    ViewRef,
    merge_variables,
    resolve,
    resolve_variable_id,
)
from greenrun.document.components import walk
from greenrun.document.edits.outcome import Kind
from greenrun.document.event_kinds import VARIABLE_EVENTS
from greenrun.document.findings import Place
from greenrun.document.model import Document, FromResource, FromVariable, ToVariable
from greenrun.document.templates import tokens
from greenrun.document.tree import StoredEvent, Widget, flatten

_RUN_KINDS = ("run", "cancel")
_RESOURCE_KINDS = ("resourceCommand", "openResource")


@dataclass(frozen=True, slots=True)
class Dependant:
    """A place that names something that is gone. `kind` and `id` say what it was."""

    kind: Kind
    id: str
    place: Place
    text: str

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "id": self.id, "place": self.place.to_json(), "text": self.text}


def document_scope(document: Document) -> Scope:
    """What bindings can name as far as the document itself says; nothing is known about surfaces."""
    return Scope(
        operations=tuple(ScopeOperation(operation.id) for operation in document.operations),
        variables=merge_variables(document.variables, ()),
        default_operation_id=document.operations[0].id if document.operations else None,
    )


def dependants(
    before: Document, after: Document, removed: Iterable[tuple[Kind, str]], present: Iterable[tuple[Kind, str]]
) -> tuple[Dependant, ...]:
    """The places in `after` that name something removed and not `present` again, in document order.

    Names are read as `before` read them: the main remap, the default operation and the display names of variables are
    those from before the removal. Bare names of inputs and outputs are not known here.
    """
    gone = frozenset(removed) - frozenset(present)
    if not gone:
        return ()
    scope = document_scope(before)
    return tuple(
        Dependant(kind, entry_id, place, text)
        for (kind, entry_id), place, text in _named(after, scope)
        if (kind, entry_id) in gone
    )


_Named = Iterator[tuple[tuple[Kind, str], Place, str]]


def _named(document: Document, scope: Scope) -> _Named:
    for widget in flatten(document.ui, scope).widgets:
        yield from _widget_names(widget, scope)
    for operation in document.operations:
        for node, mapping in operation.inputs.items():
            place = Place(operation=operation.id, node=node, prop="inputs")
            text = f'Operation "{operation.id}" takes its input "{node}" from'
            if isinstance(mapping, FromVariable):
                yield ("variable", mapping.variable_id), place, f'{text} variable "{mapping.variable_id}".'
            elif isinstance(mapping, FromResource):
                resource_id = mapping.resource_binding_id
                yield ("resource", resource_id), place, f'{text} resource "{resource_id}".'
        for node, mapping in operation.outputs.items():
            if isinstance(mapping, ToVariable):
                place = Place(operation=operation.id, node=node, prop="outputs")
                text = f'Operation "{operation.id}" writes its output "{node}" to variable "{mapping.variable_id}".'
                yield ("variable", mapping.variable_id), place, text


def _widget_names(widget: Widget, scope: Scope) -> _Named:
    label = f'{widget.type} "{widget.id}"'
    for prop, text, ref in _bound(widget, scope):
        target = _target(ref)
        if target is not None:
            yield target, Place(widget=widget.id, prop=prop), f"{label} names {text} in {prop}."
    if widget.resource_binding_id is not None:
        text = f'{label} shows resource "{widget.resource_binding_id}".'
        yield ("resource", widget.resource_binding_id), Place(widget=widget.id, prop="resourceBindingId"), text
    if widget.type == "WorkflowForm":
        operation_id = widget.operation_id or scope.default_operation_id
        if operation_id is not None:
            text = f'{label} shows the inputs of operation "{operation_id}"{_by_default(widget.operation_id)}.'
            yield ("operation", operation_id), Place(widget=widget.id, prop="operationId"), text
    for event in widget.events:
        yield from _event_names(widget, label, event, scope)


def _bound(widget: Widget, scope: Scope) -> Iterator[tuple[str, str, Ref | None]]:
    """Prop, text as stored, and what it means, for everything on a widget that is read as a binding."""
    if widget.binding is not None:
        yield "binding", widget.binding, widget.ref
    for extra in widget.extra_bindings:
        yield extra.prop, extra.binding, extra.ref
    for prop, condition in (("visibleWhen", widget.visible_when), ("disabledWhen", widget.disabled_when)):
        if condition is not None:
            yield prop, condition.binding, resolve(condition.binding, scope)
    for token in tokens(widget.format or ""):
        yield "format", token.name, resolve(token.name, scope)


def _target(ref: Ref | None) -> tuple[Kind, str] | None:
    match ref:
        case None:
            return None
        case VariableRef(variable_id):
            return "variable", variable_id
        case ViewRef(component_id):
            return "component", component_id
        case _:
            return "operation", ref.operation_id


def _event_names(widget: Widget, label: str, event: StoredEvent, scope: Scope) -> _Named:
    place = Place(widget=widget.id, prop=f"events[{event.index}]")
    start = f"{label} has a {event.trigger} event of kind {event.kind} on"
    if event.kind in _RUN_KINDS:
        operation_id = event.operation_id or scope.default_operation_id
        if operation_id is not None:
            text = f'{start} operation "{operation_id}"{_by_default(event.operation_id)}.'
            yield ("operation", operation_id), place, text
    elif event.kind in VARIABLE_EVENTS:
        variable_id = resolve_variable_id(event.key, scope)
        if variable_id is not None:
            yield ("variable", variable_id), place, f'{start} variable "{variable_id}".'
    elif event.kind in _RESOURCE_KINDS and event.resource_binding_id is not None:
        yield ("resource", event.resource_binding_id), place, f'{start} resource "{event.resource_binding_id}".'


def _by_default(written: str | None) -> str:
    return "" if written else ", the default one"


def names_of(document: Document) -> set[tuple[Kind, str]]:
    """Everything in a document that can be named, by kind and id."""
    return {
        *(("component", component.id) for component in walk(document.ui).components),
        *(("operation", operation.id) for operation in document.operations),
        *(("variable", variable.id) for variable in document.variables),
        *(("resource", resource.id) for resource in document.resources),
    }
