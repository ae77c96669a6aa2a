"""What could make a condition hold, and what to supply for it (spec: harness 3.10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from greenrun.document.bindings import resolve_variable_id
from greenrun.document.conditions import Condition, describe, evaluate, parse_condition
from greenrun.document.event_kinds import TOGGLING, VARIABLE_EVENTS
from greenrun.document.refs import ExecutionRef, InputRef, OutputRef, VariableRef
from greenrun.document.tree import StoredEvent, Widget
from greenrun.document.values import is_nullish
from greenrun.instances.app import App, variable_writers
from greenrun.instances.instance import AppInstance, param_name
from greenrun.oracle.triggers import run_triggers
from greenrun.runtime.evaluator import Obstacle
from greenrun.runtime.view import WidgetView


@dataclass(frozen=True, slots=True)
class Blocked:
    """Why a widget could not be used: the obstacle, its condition as text, the value it saw, and what would help."""

    widget: Widget
    hidden: bool
    condition: str
    seen: Any
    supply: str | None
    possible: bool


class Reach:
    """Answers whether something in the app could make a condition hold."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._triggers = run_triggers(app)
        self._runnable = {trigger.operation_id for trigger in self._triggers}
        self._written_by = variable_writers(app.operations)

    def blocked(self, instance: AppInstance, widget: Widget, obstacle: Obstacle) -> Blocked:
        """What stands in the way of a widget now, and whether anything could move it."""
        stored = obstacle.condition
        condition = parse_condition(stored, self.app.scope) if stored is not None else None
        if condition is None or stored is None:
            running = obstacle.operation_id
            text = f'operation "{running}" is running' if running else "its tab has a blank label"
            return Blocked(widget, obstacle.hidden, text, None, running, running is not None)
        supply, possible = self._supply(instance, condition, widget)
        seen = instance.read(condition.ref)
        return Blocked(widget, obstacle.hidden, describe(stored), None if is_nullish(seen) else seen, supply, possible)

    def _supply(self, instance: AppInstance, condition: Condition, widget: Widget) -> tuple[str | None, bool]:
        match condition.ref:
            case OutputRef(operation_id=operation_id) | ExecutionRef(operation_id=operation_id):
                return operation_id, operation_id in self._runnable
            case VariableRef(variable_id=variable_id):
                writers = [name for name in self._written_by.get(variable_id, ()) if name in self._runnable]
                name = param_name(condition.ref, variable_id, self.app.scope)
                if self._can_be_entered(instance, condition):
                    return name, True
                return (writers[0], True) if writers else (name, False)
            case InputRef(operation_id=operation_id, node_id=node_id):
                surface = self.app.scope.surface(operation_id)
                port = surface.input(node_id) if surface is not None else None
                name = param_name(condition.ref, port.name if port is not None else node_id, self.app.scope)
                return name, self._can_be_entered(instance, condition)
            case _:
                return None, False

    def _can_be_entered(self, instance: AppInstance, condition: Condition) -> bool:
        """Some widget or event writes what the condition reads, with a value that could satisfy it."""
        for widget in self.app.widgets:
            if self._widget_satisfies(instance, widget, condition) or any(
                self._event_satisfies(event, condition) for event in widget.events
            ):
                return True
        return False

    def _widget_satisfies(self, instance: AppInstance, widget: Widget, condition: Condition) -> bool:
        if widget.type == "WorkflowForm" and isinstance(condition.ref, InputRef):
            return (widget.operation_id or self.app.default_operation_id) == condition.ref.operation_id
        extras = [extra.ref for extra in widget.extra_bindings if extra.mode == "write"]
        if condition.ref not in (([widget.ref] if widget.mode == "write" else []) + extras):
            return False
        choices = fixed_values(widget, instance.view(widget.id)) if condition.ref not in extras else None
        return choices is None or any(evaluate(condition, lambda _, value=value: value) for value in choices)

    def _event_satisfies(self, event: StoredEvent, condition: Condition) -> bool:
        if event.kind not in VARIABLE_EVENTS or not isinstance(condition.ref, VariableRef):
            return False
        if resolve_variable_id(event.key, self.app.scope) != condition.ref.variable_id:
            return False
        values = (True, False) if event.kind in TOGGLING else ("" if is_nullish(event.value) else event.value,)
        return any(evaluate(condition, lambda _, value=value: value) for value in values)


def fixed_values(widget: Widget, view: WidgetView) -> list[Any] | None:
    """Everything a widget with a fixed choice can write; None for one that can write anything."""
    if widget.type == "Switch":
        return [True, False, None]
    if widget.type == "Approval":
        return ["approved", "rejected", None]
    if widget.type in ("Select", "RadioGroup", "ChoiceCards", "Stepper"):
        return [*(option.get("value") for option in view.options or () if option.get("disabled") is not True), None]
    return None
