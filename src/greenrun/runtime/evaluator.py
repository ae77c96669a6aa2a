"""What every widget of one app depends on, worked out once, and what follows from a state.

Spec: app-runtime 7.4, 17.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from greenrun.document.bindings import InputRef, Ref, Scope
from greenrun.document.catalog import WIDGETS
from greenrun.document.conditions import Condition, StoredCondition, evaluate, parse_condition, resolve_readable
from greenrun.document.js import display_text, trim
from greenrun.document.surface import Port
from greenrun.document.templates import render, tokens
from greenrun.document.tree import Widget
from greenrun.document.values import Value
from greenrun.runtime.queries import is_running, read
from greenrun.runtime.state import InstanceState

SELF_DISABLING: Final = frozenset({"Button", "ChatComposer"})

Key: TypeAlias = tuple[str, str]
"""Namespace and state key: ``("inputs", "main:n1")``, ``("invocations", "main")``, ``("resources", "r1")``."""


class Visibility(NamedTuple):
    visible: bool
    disabled: bool


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a widget cannot be used. `widget_id` is the widget, or the ancestor, that is in the way.

    One of three: a condition that hides or disables, the blank label of the tab that the widget is in, or an operation
    that is live.
    """

    hidden: bool
    widget_id: str
    condition: StoredCondition | None = None
    operation_id: str | None = None


class Evaluator:
    """The widgets of one app over its scope. Everything that only depends on the document is computed here, once."""

    def __init__(self, widgets: Sequence[Widget], scope: Scope, zone: tzinfo | None = None) -> None:
        self.widgets = tuple(widgets)
        self.scope = scope
        self.zone = zone
        self.by_id: dict[str, Widget] = {}
        self._index: dict[str, int] = {}
        for index, widget in enumerate(self.widgets):
            if widget.id not in self.by_id:
                self.by_id[widget.id] = widget
                self._index[widget.id] = index
        self._parents = _parents(self.widgets)
        self._conditions: list[Condition] = []
        known: dict[tuple[Ref, str, str], int] = {}
        self._visible_tests = [self._register(widget.visible_when, known) for widget in self.widgets]
        self._disabled_tests = [self._register(widget.disabled_when, known) for widget in self.widgets]
        self._in_blank_tab = [
            _is_blank_tab(self.widgets[parent], widget.slot) if parent >= 0 else False
            for widget, parent in zip(self.widgets, self._parents, strict=True)
        ]
        self._started = [self._started_by(widget) for widget in self.widgets]
        self._plan = list(
            zip(
                self._parents,
                self._visible_tests,
                self._disabled_tests,
                self._in_blank_tab,
                self._started,
                strict=True,
            )
        )
        self._dependants: dict[Key, list[str]] | None = None
        self._latest: tuple[InstanceState, dict[str, Visibility]] | None = None

    def visibility(self, state: InstanceState) -> dict[str, Visibility]:
        """Visible and disabled by widget id; where an id stands twice the first widget counts.

        The answer for the latest state is kept, so that asking again for the next widget costs nothing; it is not to be
        changed.
        """
        if self._latest is None or self._latest[0] is not state:
            flags = self._flags(state)
            self._latest = state, {widget_id: flags[index] for widget_id, index in self._index.items()}
        return self._latest[1]

    def obstacle(self, widget_id: str, state: InstanceState) -> Obstacle | None:
        """What keeps the widget from being used, hiding before disabling, the widget itself before its ancestors."""
        lineage = self._lineage(self._index[widget_id])
        test = partial(self._holds, state)
        for index in lineage:
            widget = self.widgets[index]
            if not test(self._visible_tests[index], True):
                return Obstacle(True, widget.id, widget.visible_when)
            if self._in_blank_tab[index]:
                return Obstacle(True, self.widgets[self._parents[index]].id)
        for index in lineage:
            if test(self._disabled_tests[index], False):
                return Obstacle(False, self.widgets[index].id, self.widgets[index].disabled_when)
        running = next((key for key in self._started[lineage[0]] if is_running(state, key)), None)
        return None if running is None else Obstacle(False, widget_id, operation_id=running)

    def display(self, widget: Widget, state: InstanceState) -> str | None:
        """The rendered format of a widget; None when it has none or its type does not take one."""
        if widget.format is None or widget.type not in WIDGETS or not WIDGETS[widget.type].format:
            return None
        return render(widget.format, self.scope, partial(read, state), self.zone)

    def operations_started_by(self, widget_id: str) -> tuple[str, ...]:
        """The operations that a click on the widget runs; it is disabled while one of them is live (7.4 O-45)."""
        return self._started[self._index[widget_id]]

    def port(self, widget: Widget) -> Port | None:
        """The input that the widget is bound to, when its operation is known to have it."""
        ref = widget.ref
        surface = self.scope.surface(ref.operation_id) if isinstance(ref, InputRef) else None
        return surface.input(ref.node_id) if surface is not None and isinstance(ref, InputRef) else None

    def form_operation(self, widget: Widget) -> str | None:
        """The operation whose inputs a form renders: its own, else the default one."""
        return widget.operation_id or self.scope.default_operation_id

    def dependencies(self, widget_id: str) -> frozenset[Key]:
        """Everything in a state that the view of the widget is made from."""
        return frozenset(self._keys(self._index[widget_id]))

    def affected(self, keys: Iterable[Key]) -> list[str]:
        """The widgets whose view may differ after a change of these keys, in document order."""
        if self._dependants is None:
            self._dependants = {}
            for widget_id, index in self._index.items():
                for key in self._keys(index):
                    self._dependants.setdefault(key, []).append(widget_id)
        found = {widget_id for key in keys for widget_id in self._dependants.get(key, ())}
        return sorted(found, key=self._index.__getitem__)

    def _register(self, stored: StoredCondition | None, known: dict[tuple[Ref, str, str], int]) -> int:
        """The number of a condition, -1 for none; equal conditions share one, so that each is evaluated once a pass."""
        condition = parse_condition(stored, self.scope)
        if condition is None:
            return -1
        key = (condition.ref, condition.op, repr(condition.value))
        if key not in known:
            known[key] = len(self._conditions)
            self._conditions.append(condition)
        return known[key]

    def _holds(self, state: InstanceState, test: int, default: bool) -> bool:
        return default if test < 0 else evaluate(self._conditions[test], partial(read, state))

    def _flags(self, state: InstanceState) -> list[Visibility]:
        reader = partial(read, state)
        results = [evaluate(condition, reader) for condition in self._conditions]
        live = state.live
        flags: list[Visibility] = []
        for parent, visible_test, disabled_test, blank, started in self._plan:
            visible = not blank and (visible_test < 0 or results[visible_test])
            disabled = disabled_test >= 0 and results[disabled_test]
            if started and not disabled:
                disabled = any(live.get(operation_id) for operation_id in started)
            if parent >= 0:
                above = flags[parent]
                visible = visible and above.visible
                disabled = disabled or above.disabled
            flags.append(_FLAGS[visible, disabled])
        return flags

    def _started_by(self, widget: Widget) -> tuple[str, ...]:
        if widget.type not in SELF_DISABLING:
            return ()
        default = self.scope.default_operation_id
        runs = (
            event.operation_id or default
            for event in widget.events
            if event.trigger == "click" and (event.kind or "run") == "run"
        )
        return tuple(dict.fromkeys(operation_id for operation_id in runs if operation_id))

    def _lineage(self, index: int) -> list[int]:
        lineage: list[int] = []
        while index >= 0:
            lineage.append(index)
            index = self._parents[index]
        return lineage

    def _keys(self, index: int) -> set[Key]:
        widget = self.widgets[index]
        keys = {("invocations", operation_id) for operation_id in self._started[index]}
        refs: list[Ref | None] = [widget.ref, *(extra.ref for extra in widget.extra_bindings)]
        for above in self._lineage(index):
            tests = (self._visible_tests[above], self._disabled_tests[above])
            refs.extend(self._conditions[test].ref for test in tests if test >= 0)
        if widget.format is not None:
            refs += [resolve_readable(token.name, self.scope) for token in tokens(widget.format)]
        keys |= {(ref.namespace, ref.state_key) for ref in refs if ref is not None}
        if widget.resource_binding_id is not None:
            keys.add(("resources", widget.resource_binding_id))
        return keys | self._implied_keys(widget)

    def _implied_keys(self, widget: Widget) -> set[Key]:
        if widget.type == "Progress" and widget.binding is None and self.scope.default_operation_id is not None:
            return {("invocations", self.scope.default_operation_id)}
        operation_id = self.form_operation(widget) if widget.type == "WorkflowForm" else None
        surface = self.scope.surface(operation_id) if operation_id is not None else None
        return {("inputs", f"{operation_id}:{port.node_id}") for port in surface.inputs} if surface else set()


_FLAGS: Final = {
    (visible, disabled): Visibility(visible, disabled) for visible in (True, False) for disabled in (True, False)
}


def _parents(widgets: tuple[Widget, ...]) -> list[int]:
    """The index of each widget's parent, -1 at the root. By path, because ids may stand twice."""
    parents: list[int] = []
    above: list[int] = []
    for index, widget in enumerate(widgets):
        while above and not _is_inside(widget, widgets[above[-1]]):
            above.pop()
        parents.append(above[-1] if above else -1)
        above.append(index)
    return parents


def _is_inside(widget: Widget, other: Widget) -> bool:
    depth = len(other.path)
    return len(widget.path) > depth and widget.path[:depth] == other.path


def _is_blank_tab(parent: Widget, slot: str | None) -> bool:
    return parent.type == "Tabs" and trim(display_text(parent.props.get(f"{slot}Label"))) == ""


def changed_keys(before: InstanceState, after: InstanceState) -> set[Key]:
    """What differs between two states, as keys that widgets depend on."""
    keys: set[Key] = set()
    if before is after:
        return keys
    for namespace in ("inputs", "outputs", "variables", "view"):
        names = _changed(getattr(before, namespace), getattr(after, namespace))
        keys.update((namespace, name) for name in names)
    keys.update(("invocations", name) for name in _changed(before.active_invocation, after.active_invocation))
    runs = {
        run
        for name in ("invocations", "activity", "transcripts")
        for run in _changed(getattr(before, name), getattr(after, name))
    }
    if runs:
        for run in runs:
            invocation = after.invocations.get(run) or before.invocations.get(run)
            if invocation is not None:
                keys.add(("invocations", invocation.operation_id))
        keys.update(("outputs", name) for name, slot in after.outputs.items() if slot.invocation_id in runs)
    for owners in (after.variable_writers, after.claims):
        keys.update(("variables", name) for name, run in owners.items() if run in runs)
    for name in ("variable_writers", "claims"):
        keys.update(("variables", key) for key in _changed(getattr(before, name), getattr(after, name)))
    return keys


def _changed(before: Mapping[str, Value], after: Mapping[str, Value]) -> list[str]:
    if before is after:
        return []
    changed = [key for key, value in after.items() if key not in before or before[key] is not value]
    return changed + [key for key in before if key not in after]
