"""Rules 13, 13b, 13c and 30: media and other inputs that a run cannot do without (spec: harness 2.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from greenrun.document.bindings import InputRef, Ref, VariableRef, encode
from greenrun.document.catalog import WIDGETS
from greenrun.document.findings import Finding, Fix, Place
from greenrun.document.js import is_list
from greenrun.document.model import FromVariable
from greenrun.document.readers import is_missing_required_media
from greenrun.document.surface import Port
from greenrun.document.tree import Widget
from greenrun.document.values import ABSENT, Value, is_record, is_text
from greenrun.oracle.context import Context
from greenrun.oracle.rules.repairs import disable_when, insert_widget, set_mapping, variable_token
from greenrun.oracle.usage import OperationFacts
from greenrun.oracle.wording import a, named, quoted
from greenrun.runtime.controls import control_of

_MEDIA_WIDGETS: Final = frozenset(
    {
        "ImageInput",
        "SketchPad",
        "CameraCapture",
        "AudioInput",
        "AudioRecorder",
        "VideoInput",
        "DocumentInput",
        "MediaListInput",
    }
)
_REF_CONTENT: Final = ("uri", "asset_id", "data")


def takes_media(port: Port) -> bool:
    """An input that a run refuses to leave empty (spec: app-runtime 16.3)."""
    return is_missing_required_media(port, ABSENT)


def _items(value: Value) -> list[Any]:
    return value if is_list(value) else [value]


def media_uris(value: Value) -> Iterator[str]:
    """The addresses in a media value, or in a list of them; a bare text is an address."""
    for item in _items(value):
        uri = item.get("uri") if is_record(item) else item
        if is_text(uri):
            yield uri


def scheme_of(uri: str) -> str | None:
    """The scheme of an address; None for a path without one."""
    scheme, colon, _ = uri.partition(":")
    return scheme.lower() if colon and scheme.isascii() and scheme.replace("+", "").replace("-", "").isalnum() else None


def foreign_uris(ctx: Context, value: Value) -> list[str]:
    """The addresses that this host cannot open."""
    return [uri for uri in media_uris(value) if (scheme := scheme_of(uri)) is not None and scheme not in ctx.schemes]


def is_media_default(ctx: Context, value: Value) -> bool:
    """A non-empty text, or a ref with content, whose address this host can open (spec: harness 0)."""
    found = any(
        is_text(item) or (is_record(item) and any(item.get(key) for key in _REF_CONTENT)) for item in _items(value)
    )
    return found and not foreign_uris(ctx, value)


def has_default(ctx: Context, port: Port) -> bool:
    """Whether an input supplies itself: a default of a parameter, or media that can be opened."""
    if port.node_type.startswith("pyfunction."):
        return port.default is not ABSENT and not foreign_uris(ctx, port.default)
    return is_media_default(ctx, port.default)


# Rules 13 and 13b


@dataclass(frozen=True, slots=True)
class _Filling:
    """A media widget fills an input of an operation; `ref` is what a guard has to look at."""

    widget: Widget
    facts: OperationFacts
    port: Port
    ref: Ref


def unguarded_media(ctx: Context) -> Iterator[Finding]:
    """Rule 13, once for each widget, then rule 13b."""
    by_widget: dict[int, list[_Filling]] = defaultdict(list)
    for facts in ctx.operations.values():
        if facts.id not in ctx.usage.triggers:
            continue
        for filling in _fillings(ctx, facts):
            if not _is_exempt(ctx, filling):
                by_widget[id(filling.widget)].append(filling)
    for widget_key in sorted(by_widget, key=lambda key: ctx.order[key]):
        yield _unguarded(ctx, by_widget[widget_key])
    for facts in ctx.operations.values():
        if facts.id in ctx.usage.triggers:
            yield from _unmade_media(ctx, facts)


def _fillings(ctx: Context, facts: OperationFacts) -> Iterator[_Filling]:
    usage = ctx.usage
    for port in facts.inputs.values():
        mapping = facts.mapping(port.node_id)
        direct = InputRef(facts.id, port.node_id)
        if isinstance(mapping, FromVariable):
            ref: Ref = VariableRef(mapping.variable_id)
            writers: Iterable[Widget] = usage.variable_writers.get(mapping.variable_id, ())
        elif mapping is None or mapping.kind == "widget":
            ref = direct
            writers = usage.input_writers.get((facts.id, port.node_id), ())
            if takes_media(port):
                writers = [*writers, *usage.forms.get(facts.id, ())]
        else:
            continue
        seen: set[int] = set()
        for widget in writers:
            if id(widget) not in seen and _gives_media(widget, port):
                seen.add(id(widget))
                yield _Filling(widget, facts, port, ref)


def _gives_media(widget: Widget, port: Port) -> bool:
    if widget.type == "MediaListInput":
        return widget.props.get("listKind") != "text_list"
    if widget.type in _MEDIA_WIDGETS:
        return True
    return (widget.type == "WorkflowInput" or WIDGETS[widget.type].is_form) and takes_media(port)


def _is_exempt(ctx: Context, filling: _Filling) -> bool:
    if has_default(ctx, filling.port):
        return True
    if isinstance(filling.ref, VariableRef):
        variable = ctx.scope.variable(filling.ref.variable_id)
        if variable is not None and is_media_default(ctx, variable.default):
            return True
    triggers = ctx.usage.triggers[filling.facts.id]
    # A widget that itself starts the run when its file is there needs no guard: it would lock itself.
    return all(trigger.widget is filling.widget for trigger in triggers) or _is_guarded(
        ctx, filling.facts.id, filling.ref
    )


def _is_guarded(ctx: Context, operation_id: str, ref: Ref) -> bool:
    return any(guard.ref == ref for trigger in ctx.usage.triggers[operation_id] for guard in ctx.guards(trigger.widget))


def _unguarded(ctx: Context, fillings: list[_Filling]) -> Finding:
    widget = fillings[0].widget
    inputs = ", ".join(f'"{item.port.name}" of operation "{item.facts.id}"' for item in fillings)
    only = {item.facts.id for item in fillings}
    noun, verb = ("input", "has") if len(fillings) == 1 else ("inputs", "have")
    return ctx.finding(
        "GR502",
        f"{named(widget)} fills the {noun} {inputs}, which {verb} no default: a run that starts before there is a file is "
        "refused. Disable what starts it while the widget is empty.",
        Place(
            widget=widget.id,
            operation=fillings[0].facts.id if len(only) == 1 else None,
            node=fillings[0].port.node_id if len(fillings) == 1 else None,
        ),
        lambda: [_guard(ctx, [(item.facts.id, item.ref) for item in fillings], widget)],
    )


def _guard(ctx: Context, wanted: list[tuple[str, Ref]], filler: Widget | None) -> Fix | None:
    """disabledWhen on every trigger that has none; a fix only when each operation gets a guarded trigger."""
    changes: dict[str, dict[str, Any]] = {}
    for operation_id, ref in dict.fromkeys(wanted):
        reached = False
        for trigger in ctx.usage.triggers[operation_id]:
            if trigger.widget is filler:
                continue
            change = changes.get(trigger.widget.id) or disable_when(ctx, trigger.widget, encode(ref), "empty")
            if change is not None:
                changes[trigger.widget.id] = change
                reached = True
        if not reached:
            return None
    tokens = quoted(dict.fromkeys(encode(ref) for _, ref in wanted))
    return Fix(f"Disable what starts the run while {tokens} is empty", tuple(changes.values()))


def _unmade_media(ctx: Context, facts: OperationFacts) -> Iterator[Finding]:
    for port in facts.inputs.values():
        mapping = facts.mapping(port.node_id)
        if not isinstance(mapping, FromVariable) or not takes_media(port) or has_default(ctx, port):
            continue
        name = mapping.variable_id
        makers = _makers(ctx, name, facts.id)
        if not makers or _is_guarded(ctx, facts.id, VariableRef(name)):
            continue
        yield ctx.finding(
            "GR503",
            f'Operation "{facts.id}" needs media for the input "{port.name}" from the variable "{name}", which only '
            f"{quoted(makers)} can fill, and nothing keeps it from starting before. Disable what starts it while the "
            "variable is empty.",
            Place(operation=facts.id, node=port.node_id, variable=name),
            lambda name=name: [_guard(ctx, [(facts.id, VariableRef(name))], None)],
        )


def _makers(ctx: Context, variable_id: str, reader: str) -> list[str]:
    """The operations that write a variable, when they alone do."""
    variable = ctx.scope.variable(variable_id)
    if variable is not None and is_media_default(ctx, variable.default):
        return []
    if ctx.usage.variable_writers.get(variable_id) or variable_id in ctx.usage.variables_set:
        return []
    return [operation_id for operation_id in ctx.usage.output_writers.get(variable_id, ()) if operation_id != reader]


# Rules 13c and 30


def unfilled_inputs(ctx: Context, facts: OperationFacts) -> Iterator[Finding]:
    """Rule 13c."""
    for port in facts.inputs.values():
        if _is_needed(ctx, port) and not _is_filled(ctx, facts, port):
            yield ctx.finding(
                "GR411",
                f'Operation "{facts.id}" cannot run without its input "{port.name}", and no widget, mapping or form '
                "fills it. Add a widget for it, or give it a default.",
                Place(operation=facts.id, node=port.node_id),
                lambda port=port: [_filled(ctx, facts, port)],
            )


def _is_needed(ctx: Context, port: Port) -> bool:
    if port.node_type.startswith("pyfunction."):
        return port.required and port.default is ABSENT
    return takes_media(port) and not is_media_default(ctx, port.default)


def _is_filled(ctx: Context, facts: OperationFacts, port: Port) -> bool:
    mapping = facts.mapping(port.node_id)
    if mapping is None or mapping.kind == "widget":
        usage = ctx.usage
        return bool(usage.input_writers.get((facts.id, port.node_id)) or usage.forms.get(facts.id))
    if mapping.kind != "variable":
        return True  # an empty constant and a resource have findings of their own
    variable = ctx.scope.variable(mapping.variable_id)
    if variable is not None and variable.default is not ABSENT:
        return True
    return ctx.usage.is_written(mapping.variable_id) or not ctx.sees_all


def _filled(ctx: Context, facts: OperationFacts, port: Port) -> Fix | None:
    """The variable of the same name, else a new widget; nothing while the operation has a name that leads nowhere,
    which may have meant this input."""
    if ctx.spare.lost.get((facts.id, "inputs")):
        return None
    variable = ctx.spare.variable_to_take(port) if facts.mapping(port.node_id) is None else None
    if variable is None:
        return _insert_control(ctx, facts, port)
    mapping = {"from": "variable", "variableId": variable}
    return set_mapping(facts.id, "inputs", port.node_id, mapping, f'Take it from the variable "{variable}"')


def _insert_control(ctx: Context, facts: OperationFacts, port: Port) -> Fix | None:
    mapping = facts.mapping(port.node_id)
    ref = InputRef(facts.id, port.node_id)
    binding = variable_token(mapping.variable_id) if isinstance(mapping, FromVariable) else encode(ref)
    # A WorkflowInput takes its range and options from the input, but only where it is bound to the input itself.
    type_ = control_of(port) if isinstance(mapping, FromVariable) or takes_media(port) else "WorkflowInput"
    props = {"binding": binding, "label": port.label or port.name}
    added = insert_widget(ctx, type_, props, ctx.anchor(facts.id))
    return Fix(f'Add {a(type_)} for the input "{port.name}"', (added,))


def unopenable_media(ctx: Context, facts: OperationFacts) -> Iterator[Finding]:
    """Rule 30: defaults and stored values whose address this host cannot open."""
    for port in facts.inputs.values():
        mapping = facts.mapping(port.node_id)
        values: list[Value] = [port.default]
        if mapping is not None and mapping.kind == "constant":
            values.append(mapping.value)
        elif mapping is not None and mapping.kind == "variable":
            variable = ctx.scope.variable(mapping.variable_id)
            values.append(variable.default if variable is not None else ABSENT)
        for value in values:
            if not takes_media(port) and not is_record(value):
                continue  # a text for a text input is no address
            for uri in foreign_uris(ctx, value):
                yield ctx.finding(
                    "GR507",
                    f'Operation "{facts.id}": the input "{port.name}" has the file "{uri}", which cannot be opened '
                    "here; it counts as no default. Upload the file.",
                    Place(operation=facts.id, node=port.node_id),
                )
