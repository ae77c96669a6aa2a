"""Rules 1, 31, 3-5 and 28: the widget itself, its type, its binding or resource, its range (spec: harness 2.2)."""

from __future__ import annotations

from collections.abc import Iterator

from greenrun.document.bindings import InputRef, encode
from greenrun.document.catalog import WIDGETS
from greenrun.document.findings import Finding, Fix, Place
from greenrun.document.nearest import nearest
from greenrun.document.tree import Widget
from greenrun.document.values import is_number
from greenrun.oracle.context import Context
from greenrun.oracle.rules.repairs import edit, is_addressable, set_props
from greenrun.oracle.wording import a, existing, named

DEFAULT_RANGE = (0, 100)
"""What NumberInput and Slider fall back to (spec: app-runtime 7.4)."""


def unknown_type(ctx: Context, widget: Widget) -> Iterator[Finding]:
    """Rule 1."""
    near = nearest(widget.type, WIDGETS)
    hint = f'Did you mean "{near}"?' if near is not None else "Use a type of the widget catalog."
    yield ctx.finding(
        "GR116",
        f"{named(widget)}: there is no such widget type, so nothing is shown for it. {hint}",
        Place(widget=widget.id),
        lambda: [_retyped(ctx, widget, near)],
    )


def _retyped(ctx: Context, widget: Widget, near: str | None) -> Fix | None:
    if near is None or not is_addressable(ctx, widget):
        return None
    return Fix(f"Make it {a(near)}", (edit("set_component_type", id=widget.id, type=near),))


def check_widget(ctx: Context, widget: Widget) -> Iterator[Finding]:
    """Rules 31, 3, 4a, 4b, 5 and 28, for a widget of a known type."""
    kind = WIDGETS[widget.type]
    if not kind.rendered:
        yield ctx.finding(
            "GR117",
            f"{named(widget)}: this type is not shown here yet; the page shows a card in its place.",
            Place(widget=widget.id),
        )
    if kind.resource:
        yield from _resource(ctx, widget)
    elif kind.is_form:
        yield from _form(ctx, widget)
    elif kind.mode == "write" and widget.binding is None and not _writes_history(widget):
        yield ctx.finding(
            "GR208",
            f"{named(widget)} has no binding: what the user enters reaches no operation. Bind it to an input or a "
            "variable.",
            Place(widget=widget.id, prop="binding"),
            lambda: [_bind_free_input(ctx, widget)],
        )
    if widget.type in ("NumberInput", "Slider"):
        yield from _range(ctx, widget)


def _writes_history(widget: Widget) -> bool:
    """A composer with a history hands on what is typed there (spec: app-runtime 15.3)."""
    return widget.type == "ChatComposer" and bool(widget.extra_bindings)


def _bind_free_input(ctx: Context, widget: Widget) -> Fix | None:
    """What the widget was most likely meant to write."""
    target = ctx.spare.target_for(widget)
    return set_props(ctx, widget, f'Bind it to "{encode(target)}"', {"binding": encode(target)}) if target else None


def _resource(ctx: Context, widget: Widget) -> Iterator[Finding]:
    declared = [item.id for item in ctx.document.resources]
    if widget.resource_binding_id is None:
        yield ctx.finding(
            "GR209",
            f"{named(widget)} names no resource in resourceBindingId, so it has nothing to show. "
            f"{existing('Declared', declared)}.",
            Place(widget=widget.id, prop="resourceBindingId"),
            lambda: [_with_resource(ctx, widget, declared[0] if len(declared) == 1 else None)],
        )
    elif widget.resource_binding_id not in declared:
        missing = widget.resource_binding_id
        yield ctx.finding(
            "GR210",
            f'{named(widget)} names the resource "{missing}", which is not declared. {existing("Declared", declared)}.',
            Place(widget=widget.id, resource=missing, prop="resourceBindingId"),
            lambda: [_with_resource(ctx, widget, nearest(missing, declared))],
        )


def _with_resource(ctx: Context, widget: Widget, resource: str | None) -> Fix | None:
    if resource is None:
        return None
    return set_props(ctx, widget, f'Show the resource "{resource}"', {"resourceBindingId": resource})


def _form(ctx: Context, widget: Widget) -> Iterator[Finding]:
    operation = widget.operation_id
    if operation is None or operation in ctx.operations:
        return
    near = nearest(operation, ctx.operations)
    yield ctx.finding(
        "GR211",
        f'{named(widget)} renders the inputs of operation "{operation}", which is not declared. '
        f"{existing('Declared', ctx.operations)}; without operationId it is the default one.",
        Place(widget=widget.id, operation=operation, prop="operationId"),
        lambda: [set_props(ctx, widget, f'Render operation "{near}"', {"operationId": near})] if near else [],
    )


def _range(ctx: Context, widget: Widget) -> Iterator[Finding]:
    ref = widget.ref
    facts = ctx.operations.get(ref.operation_id) if isinstance(ref, InputRef) else None
    port = facts.inputs.get(ref.node_id) if facts is not None and isinstance(ref, InputRef) else None
    if facts is None or port is None or widget.binding is None:
        return
    low, high = (
        stored if is_number(stored := widget.props.get(name)) else fallback
        for name, fallback in zip(("min", "max"), DEFAULT_RANGE, strict=True)
    )
    leaves_below = port.minimum is not None and low < port.minimum
    leaves_above = port.maximum is not None and high > port.maximum
    if leaves_below or leaves_above:
        props = {"min": port.minimum, "max": port.maximum}
        limits = {name: value for name, value in props.items() if value is not None}
        yield ctx.finding(
            "GR506",
            f'{named(widget)} offers {_number(low)} to {_number(high)}, but the input "{port.name}" of operation '
            f'"{facts.id}" takes {_limit_text(port.minimum, port.maximum)}; other numbers are cut.',
            Place(widget=widget.id, operation=facts.id, node=port.node_id),
            lambda: [set_props(ctx, widget, "Use the range of the input", limits)],
        )


def _limit_text(low: float | None, high: float | None) -> str:
    if low is None:
        return f"at most {_number(high)}"
    return f"at least {_number(low)}" if high is None else f"{_number(low)} to {_number(high)}"


def _number(value: float | None) -> str:
    return f"{value:g}" if value is not None else ""
