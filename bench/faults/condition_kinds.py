"""Faults in what makes a widget visible or disabled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias

from bench.faults.binding_kinds import NAMELESS
from bench.faults.seed import Bed, Draft, Fault, Sign, at_widgets, sign, typo
from greenrun.document.bindings import ExecutionRef
from greenrun.document.conditions import StoredCondition
from greenrun.document.tree import Widget

Prop: TypeAlias = Literal["visibleWhen", "disabledWhen"]
GATE = "nobody_sets_this"
OPPOSITES = {"notEmpty": "empty", "empty": "notEmpty", "eq": "neq", "neq": "eq", "gt": "lte", "lt": "gte"}


def _conditions(bed: Bed) -> Iterator[tuple[Widget, Prop, StoredCondition]]:
    for widget in bed.widgets:
        if widget.visible_when is not None:
            yield widget, "visibleWhen", widget.visible_when
        if widget.disabled_when is not None:
            yield widget, "disabledWhen", widget.disabled_when


def _with(widget: Widget, prop: Prop, **changes: Any) -> Callable[[Draft], None]:
    return lambda draft: draft.props(widget.id)[prop].update(changes)


def _use(bed: Bed, widget: Widget) -> list[Sign]:
    """The widget or something in it cannot be used or seen as the script wants it."""
    return at_widgets("GR703 GR712 GR718", [widget.id, *bed.inside(widget.id)])


def _gate(widget: Widget, prop: Prop, op: str) -> Callable[[Draft], None]:
    def change(draft: Draft) -> None:
        draft.declare(GATE)
        draft.props(widget.id)[prop] = {"binding": f"var:{GATE}", "op": op}

    return change


def never_visible(bed: Bed) -> Iterator[Fault]:
    """What starts a run is visible only when a variable is filled that nothing fills."""
    for widget in bed.starting():
        change = _gate(widget, "visibleWhen", "notEmpty")
        yield from bed.fault("unreachable condition", f"{widget.id} visibleWhen", change, _use(bed, widget))


def always_disabled(bed: Bed) -> Iterator[Fault]:
    """What starts a run is disabled while a variable is empty that nothing fills."""
    for widget in bed.starting():
        change = _gate(widget, "disabledWhen", "empty")
        yield from bed.fault("unreachable condition", f"{widget.id} disabledWhen", change, _use(bed, widget))


def unreachable_condition(bed: Bed) -> Iterator[Fault]:
    """What starts a run can never be used."""
    yield from never_visible(bed)
    yield from always_disabled(bed)


def misspelt_operation_of_condition(bed: Bed) -> Iterator[Fault]:
    """A condition reads an operation that does not exist."""
    for widget, prop, stored in _conditions(bed):
        if stored.binding.startswith("op:"):
            operation, slash, rest = stored.binding[3:].partition("/")
            broken = f"op:{typo(operation)}{slash}{rest}"
            yield from bed.fault(
                "misspelt operation of a condition",
                f"{widget.id} {prop} {broken}",
                _with(widget, prop, binding=broken),
                sign(NAMELESS, widget=widget.id),
            )


def misspelt_condition(bed: Bed) -> Iterator[Fault]:
    """A condition reads a node, field or variable that does not exist."""
    for widget, prop, stored in _conditions(bed):
        cut = max(stored.binding.rfind(mark) for mark in ":#/") + 1
        broken = stored.binding[:cut] + typo(stored.binding[cut:])
        yield from bed.fault(
            "misspelt condition",
            f"{widget.id} {prop} {broken}",
            _with(widget, prop, binding=broken),
            sign(NAMELESS, widget=widget.id),
        )


def inverted_condition(bed: Bed) -> Iterator[Fault]:
    """A condition says the opposite."""
    yield from _inverted(bed, "inverted condition", on_state=False)


def inverted_state(bed: Bed) -> Iterator[Fault]:
    """A condition on the state of a run says the opposite."""
    yield from _inverted(bed, "wrong state of a run", on_state=True)


def _inverted(bed: Bed, kind: str, on_state: bool) -> Iterator[Fault]:
    for widget, prop, stored in _conditions(bed):
        opposite = OPPOSITES.get(stored.effective_op)
        if opposite is not None and isinstance(bed.resolve(stored.binding), ExecutionRef) is on_state:
            yield from bed.fault(
                kind,
                f"{widget.id} {prop} {opposite}",
                _with(widget, prop, op=opposite),
                _use(bed, widget),
            )


def wrong_literal(bed: Bed) -> Iterator[Fault]:
    """A condition compares with a text that never comes."""
    for widget, prop, stored in _conditions(bed):
        if stored.effective_op == "eq" and isinstance(stored.value, str) and len(stored.value) > 2:
            yield from bed.fault(
                "misspelt value of a condition",
                f"{widget.id} {prop} {typo(stored.value)}",
                _with(widget, prop, value=typo(stored.value)),
                _use(bed, widget),
            )
