"""Faults in what a widget is bound to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from bench.faults.seed import Bed, Draft, Fault, Sign, at_widgets, sign, typo
from greenrun.document.bindings import ExecutionRef, InputRef, NodePropertyRef, OutputRef, Ref, VariableRef, encode
from greenrun.document.tree import Widget

NAMELESS = "GR201 GR202 GR204 GR212 GR213 GR215 GR218 GR219 GR220 GR222"
"""What a text in a widget is that points at nothing."""
SHOWN = "GR718 GR723 GR727 GR728"
"""A widget that shows the wrong thing."""


def rebind(widget: str, binding: str | None, prop: str = "binding") -> Any:
    def change(draft: Draft) -> None:
        props = draft.props(widget)
        if binding is None:
            del props[prop]
        else:
            props[prop] = binding

    return change


def dropped_binding(bed: Bed) -> Iterator[Fault]:
    """A binding is gone."""
    for widget in bed.writing():
        assert widget.ref is not None
        signs = [sign("GR208", widget=widget.id), *unfilled(bed, widget.ref), *bed.value_signs(widget.ref)]
        yield from bed.fault("dropped binding", widget.id, rebind(widget.id, None), signs)
    for widget in bed.reading():
        signs = [sign(SHOWN, widget=widget.id), *undisplayed(widget.ref)]
        yield from bed.fault("dropped binding", widget.id, rebind(widget.id, None), signs)


def unfilled(bed: Bed, ref: Ref) -> list[Sign]:
    """GR411 and the unguarded media rules, at the inputs that a ref fills."""
    if isinstance(ref, InputRef):
        return [sign("GR411 GR502 GR503", operation=ref.operation_id, node=ref.node_id)]
    found: list[Sign] = []
    for operation in sorted(bed.fed_by(ref)):
        item = next(item for item in bed.operations if item.id == operation)
        for node, mapping in item.operation.inputs.items():
            if mapping.kind == "variable" and isinstance(ref, VariableRef) and mapping.variable_id == ref.variable_id:
                found.append(sign("GR411 GR502 GR503", operation=operation, node=node))
    return found


def undisplayed(ref: Ref | None) -> list[Sign]:
    return [sign("GR410", operation=ref.operation_id, node=ref.node_id)] if isinstance(ref, OutputRef) else []


def misspelt_binding(bed: Bed) -> Iterator[Fault]:
    """The last name in a binding has a slip of the pen."""
    for widget in bed.widgets:
        if widget.ref is None or not widget.binding or widget.mode not in ("read", "write"):
            continue
        head, mark, name = re.fullmatch(r"(.*?)([/:#]?)(\w[^/:#]*)", widget.binding).groups()  # type: ignore[union-attr]
        yield from bed.fault(
            "misspelt binding",
            widget.id,
            rebind(widget.id, f"{head}{mark}{typo(name)}"),
            sign(NAMELESS, widget=widget.id),
        )


def malformed_token(bed: Bed) -> Iterator[Fault]:
    """A binding that begins like a token and is none."""
    forms = ((InputRef, "/in:", "/input:"), (OutputRef, "/out:", "/oout:"), (ExecutionRef, "/exec#", "/exec:"))
    for widget in bed.widgets:
        for type_, right, wrong in forms:
            if isinstance(widget.ref, type_) and widget.binding and right in widget.binding:
                broken = widget.binding.replace(right, wrong)
                yield from bed.fault(
                    "malformed token", widget.id, rebind(widget.id, broken), sign("GR204", widget=widget.id)
                )


def swapped_binding(bed: Bed) -> Iterator[Fault]:
    """Two widgets have each other's binding."""
    pairs = [*combinations(bed.reading(), 2), *combinations(bed.writing(), 2)]
    for one, other in pairs:
        if one.ref == other.ref or one.ref is None or other.ref is None:
            continue

        def change(draft: Draft, one: Widget = one, other: Widget = other) -> None:
            first, second = draft.props(one.id), draft.props(other.id)
            first["binding"], second["binding"] = second["binding"], first["binding"]

        both = (one.id, other.id)
        signs = at_widgets(f"{SHOWN} GR403 GR506 GR712 GR713", [*both, *bed.inside(one.id)])
        if one.mode == "write":
            signs += [*bed.value_signs(one.ref), *bed.value_signs(other.ref)]
        yield from bed.fault("swapped binding", f"{one.id} and {other.id}", change, signs)


def _in_operation(ref: Ref, operation: str) -> Ref:
    match ref:
        case InputRef(node_id=node):
            return InputRef(operation, node)
        case OutputRef(node_id=node):
            return OutputRef(operation, node)
        case NodePropertyRef(node_id=node, property=name):
            return NodePropertyRef(operation, node, name)
        case ExecutionRef(field=field):
            return ExecutionRef(operation, field)
        case _:
            return ref


def wrong_operation_of_binding(bed: Bed) -> Iterator[Fault]:
    """A binding names another operation of the app."""
    for widget in bed.widgets:
        if not isinstance(widget.ref, (InputRef, OutputRef)) or not widget.binding:
            continue
        for item in bed.operations:
            if item.id != widget.ref.operation_id:
                token = encode(_in_operation(widget.ref, item.id))
                signs = [sign(f"{NAMELESS} {SHOWN} GR216", widget=widget.id), *undisplayed(widget.ref)]
                if isinstance(widget.ref, InputRef):
                    signs += [*unfilled(bed, widget.ref), *bed.value_signs(widget.ref)]
                yield from bed.fault(
                    "wrong operation of a binding", f"{widget.id} {token}", rebind(widget.id, token), signs
                )


def wrong_run_state(bed: Bed) -> Iterator[Fault]:
    """Progress, error and the like are those of another operation, or a condition on them says the opposite."""
    for widget in bed.widgets:
        if not isinstance(widget.ref, ExecutionRef) or not widget.binding:
            continue
        for item in bed.operations:
            if item.id != widget.ref.operation_id:
                token = encode(_in_operation(widget.ref, item.id))
                signs = [sign(f"{SHOWN} GR724", widget=widget.id)]
                yield from bed.fault("wrong state of a run", f"{widget.id} {token}", rebind(widget.id, token), signs)


def misspelt_operation_of_binding(bed: Bed) -> Iterator[Fault]:
    """A binding names an operation that does not exist."""
    for widget in bed.widgets:
        ref = widget.ref
        if widget.binding and isinstance(ref, (InputRef, OutputRef, ExecutionRef)):
            token = encode(_in_operation(ref, typo(ref.operation_id)))
            yield from bed.fault(
                "misspelt operation of a binding",
                f"{widget.id} {token}",
                rebind(widget.id, token),
                sign("GR212", widget=widget.id),
            )


def wrong_node_kind(bed: Bed) -> Iterator[Fault]:
    """An input token where an output is meant, or the other way round."""
    for widget in bed.widgets:
        ref = widget.ref
        if not isinstance(ref, (InputRef, OutputRef)) or not widget.binding or widget.format is not None:
            continue
        turned = OutputRef if isinstance(ref, InputRef) else InputRef
        token = encode(turned(ref.operation_id, ref.node_id))
        signs = [sign(f"GR203 GR215 GR216 {SHOWN}", widget=widget.id), *undisplayed(ref)]
        yield from bed.fault("wrong node kind", f"{widget.id} {token}", rebind(widget.id, token), signs)


def input_bound_to_output(bed: Bed) -> Iterator[Fault]:
    """A widget that a person fills is bound to what only runs fill."""
    for widget in bed.writing():
        for item in bed.operations:
            tokens = [encode(OutputRef(item.id, port.node_id)) for port in bed.outputs(item)]
            for token in [*tokens[:1], encode(ExecutionRef(item.id, "error"))]:
                yield from bed.fault(
                    "write widget on an output",
                    f"{widget.id} {token}",
                    rebind(widget.id, token),
                    sign("GR203", widget=widget.id),
                )


def misspelt_extra_binding(bed: Bed) -> Iterator[Fault]:
    """A binding beside the main one has a slip of the pen."""
    for widget in bed.widgets:
        for extra in widget.extra_bindings:
            broken = extra.binding[:-1] + typo(extra.binding[-4:])[-1] + "x"
            yield from bed.fault(
                "misspelt extra binding",
                f"{widget.id} {extra.prop}",
                rebind(widget.id, broken, extra.prop),
                sign(NAMELESS, widget=widget.id),
            )


def misspelt_filter(bed: Bed) -> Iterator[Fault]:
    """A template uses a filter that does not exist."""
    for widget in bed.widgets:
        found = re.search(r"\|\s*(\w+)", widget.format or "")
        if found is not None and widget.format is not None:
            broken = widget.format[: found.start(1)] + typo(found[1]) + widget.format[found.end(1) :]
            yield from bed.fault(
                "misspelt filter",
                f"{widget.id} {broken}",
                rebind(widget.id, broken, "format"),
                sign("GR220", widget=widget.id),
            )


def misspelt_format_name(bed: Bed) -> Iterator[Fault]:
    """A template names something that does not exist."""
    for widget in bed.widgets:
        found = re.search(r"(\w+)\s*(?:\||\})", widget.format or "")
        if found is not None and widget.format is not None:
            broken = widget.format[: found.start(1)] + typo(found[1]) + widget.format[found.end(1) :]
            yield from bed.fault(
                "misspelt name in a format",
                f"{widget.id} {broken}",
                rebind(widget.id, broken, "format"),
                sign(NAMELESS, widget=widget.id),
            )
