"""What the widgets of an app point at, show, write and start."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from greenrun.document.bindings import ExecutionRef, InputRef, Mode, OutputRef, Ref, Resolution, VariableRef
from greenrun.document.catalog import WIDGETS
from greenrun.document.conditions import StoredCondition
from greenrun.document.model import FunctionTarget, InputMapping, Operation, operation_target
from greenrun.document.surface import Port
from greenrun.document.tree import StoredEvent, Widget
from greenrun.instances.app import AppOperation
from greenrun.oracle.triggers import RunTrigger, can_fire

Role: TypeAlias = Literal["binding", "extra", "condition", "format", "key"]
ConditionProp: TypeAlias = Literal["visibleWhen", "disabledWhen"]


@dataclass(frozen=True, slots=True)
class Use:
    """One stored text of a widget that points at something: where it stands, and what it resolves to.

    `prop` is the prop as a person would name it (``events[0].key``), `mode` the mode in which the text is resolved;
    `event` is set for event keys.
    """

    widget: Widget
    prop: str
    role: Role
    text: str
    mode: Mode
    resolution: Resolution
    event: StoredEvent | None = None

    @property
    def ref(self) -> Ref | None:
        return self.resolution.ref


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition that holds for a widget: its own, or that of something around it."""

    prop: ConditionProp
    stored: StoredCondition
    ref: Ref


class OperationFacts:
    """One operation with its ports by node id. `surface` is None when nothing is known about its target."""

    def __init__(self, item: AppOperation) -> None:
        self.item = item
        self.surface = item.surface

    @property
    def id(self) -> str:
        return self.item.operation.id

    @property
    def operation(self) -> Operation:
        return self.item.operation

    @property
    def is_unknown(self) -> bool:
        """True when the target could not be looked at; then nothing may be said about the operation (spec: harness 1.4)."""
        return self.item.unknown is not None

    def word_for(self, kind: str) -> str:
        """What a port is called in a message: a function has inputs and outputs, a workflow has nodes."""
        if not isinstance(operation_target(self.operation), FunctionTarget):
            return "node"
        return kind if kind in ("input", "output") else "port"

    @cached_property
    def inputs(self) -> dict[str, Port]:
        return _by_node(self.surface.inputs) if self.surface else {}

    @cached_property
    def outputs(self) -> dict[str, Port]:
        return _by_node(self.surface.outputs) if self.surface else {}

    @cached_property
    def nodes(self) -> frozenset[str]:
        return frozenset(self.surface.node_ids) if self.surface else frozenset()

    def mapping(self, node_id: str) -> InputMapping | None:
        return self.operation.inputs.get(node_id)


class Usage:
    """What the widgets show, write and run; everything by id, filled in one walk over the widgets.

    Ports are named by (operation id, node id). Widgets of unknown types do not count (spec: harness 2.2 rule 1).
    """

    def __init__(self) -> None:
        self.displayed: set[tuple[str, str]] = set()
        self.showers: dict[str, Widget] = {}
        self.shown: dict[str, dict[str, list[Widget]]] = defaultdict(lambda: defaultdict(list))
        self.triggers: dict[str, list[RunTrigger]] = defaultdict(list)
        self.starts: dict[tuple[int, str], set[str]] = defaultdict(set)
        self.input_writers: dict[tuple[str, str], list[Widget]] = defaultdict(list)
        self.variable_writers: dict[str, list[Widget]] = defaultdict(list)
        self.variables_set: set[str] = set()
        self.output_writers: dict[str, list[str]] = {}
        self.forms: dict[str, list[Widget]] = defaultdict(list)
        self.unbound_progress = False
        self.runs_something = False

    def is_written(self, variable_id: str) -> bool:
        """Whether a widget, an event or an output can give the variable a value."""
        return bool(
            self.variable_writers.get(variable_id)
            or variable_id in self.variables_set
            or self.output_writers.get(variable_id)
        )

    def is_shown(self, facts: OperationFacts, port: Port) -> bool:
        """Whether a widget shows an output or a variable keeps it."""
        mapping = facts.operation.outputs.get(port.node_id)
        is_kept = mapping is not None and mapping.kind == "variable"
        return is_kept or (facts.id, port.node_id) in self.displayed

    def add_use(self, use: Use) -> None:
        """Take in where a text points."""
        ref = use.ref
        if use.role == "key":
            if isinstance(ref, VariableRef):
                self.variables_set.add(ref.variable_id)
            return
        if use.role == "condition" or ref is None:
            return
        if use.mode == "write":
            if isinstance(ref, InputRef):
                self.input_writers[ref.operation_id, ref.node_id].append(use.widget)
            elif isinstance(ref, VariableRef):
                self.variable_writers[ref.variable_id].append(use.widget)
        elif isinstance(ref, OutputRef):
            self.displayed.add((ref.operation_id, ref.node_id))
            self.showers.setdefault(ref.operation_id, use.widget)
        elif isinstance(ref, ExecutionRef):
            self.shown[ref.operation_id][ref.field].append(use.widget)
            self.showers.setdefault(ref.operation_id, use.widget)
        if use.widget.type == "ChatComposer" and use.role == "extra" and isinstance(ref, VariableRef):
            # The composer writes the history that it reads (spec: app-runtime 15.3).
            self.variables_set.add(ref.variable_id)

    def add_widget(self, widget: Widget, default_operation_id: str | None) -> None:
        """Take in what a widget starts, and whether it is a form."""
        kind = WIDGETS[widget.type]
        if widget.type == "Progress" and widget.binding is None:
            self.unbound_progress = True
        if kind.is_form and (owner := widget.operation_id or default_operation_id) is not None:
            self.forms[owner].append(widget)
        for event in widget.events:
            if event.kind == "run" and can_fire(widget, event):
                self.runs_something = True
                operation_id = event.operation_id or default_operation_id
                if operation_id is not None:
                    self.triggers[operation_id].append(RunTrigger(widget, event, operation_id))
                    self.starts[id(widget), event.trigger].add(operation_id)


def conditions_of(widget: Widget) -> Iterator[tuple[ConditionProp, StoredCondition]]:
    """The conditions that a widget has itself."""
    if widget.visible_when is not None:
        yield "visibleWhen", widget.visible_when
    if widget.disabled_when is not None:
        yield "disabledWhen", widget.disabled_when


def _by_node(ports: Iterable[Port]) -> dict[str, Port]:
    found: dict[str, Port] = {}
    for port in ports:
        found.setdefault(port.node_id, port)
    return found
