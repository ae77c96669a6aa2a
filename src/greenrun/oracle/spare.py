"""What nothing uses and what leads nowhere: where a fix can look when no spelling is near."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from greenrun.document.bindings import InputRef, OutputRef, Ref, VariableRef
from greenrun.document.catalog import WIDGETS
from greenrun.document.model import FromVariable, Variable
from greenrun.document.slugs import slug
from greenrun.document.surface import Port
from greenrun.document.tree import Widget
from greenrun.document.values import ABSENT
from greenrun.oracle.rules.controls import controls_for
from greenrun.oracle.usage import OperationFacts, Usage, Use

Uses: TypeAlias = Sequence[tuple[Widget, tuple[Use, ...]]]


@dataclass(frozen=True, slots=True)
class _Target:
    """Something that an input widget could write, under the names that it goes by."""

    ref: InputRef | VariableRef
    port: Port
    names: frozenset[str]


class Spare:
    """Ports, variables and widgets that nothing uses, made once for each check that wants fixes.

    `free_outputs` and `free_inputs` are the ports of an operation that no widget and no mapping uses. `lost` holds the
    uses of names that an operation has no such port for, by operation, side and name.
    """

    def __init__(
        self,
        operations: Mapping[str, OperationFacts],
        uses: Uses,
        usage: Usage,
        variables: Iterable[Variable],
    ) -> None:
        self._operations = operations
        self._usage = usage
        self._variables = {item.id: item for item in variables}
        self._read = _variables_read(operations, uses)
        self.lost = _lost_names(operations, uses)
        self._unresolved = sum(
            use.role == "binding" and use.mode == "write" and use.ref is None for _, own in uses for use in own
        )
        self._displays = [widget for widget, _ in uses if _is_unbound_display(widget)]

    def free_inputs(self, facts: OperationFacts) -> list[Port]:
        if self._usage.forms.get(facts.id):
            return []
        return [
            port
            for port in facts.inputs.values()
            if ((mapping := facts.mapping(port.node_id)) is None or mapping.kind == "widget")
            and not self._usage.input_writers.get((facts.id, port.node_id))
        ]

    def free_outputs(self, facts: OperationFacts) -> list[Port]:
        return [port for port in facts.outputs.values() if not self._usage.is_shown(facts, port)]

    def successor(self, facts: OperationFacts, side: str, node: str) -> Port | None:
        """The port that took the place of a name: the only one that nothing uses, for the only name that is lost."""
        if list(self.lost.get((facts.id, side), ())) != [node]:
            return None
        free = self.free_inputs(facts) if side == "inputs" else self.free_outputs(facts)
        return free[0] if len(free) == 1 else None

    def only_input(self) -> InputRef | None:
        """The one free input of all operations, for the one input widget whose binding means nothing."""
        free = [
            InputRef(facts.id, port.node_id) for facts in self._operations.values() for port in self.free_inputs(facts)
        ]
        is_alone = self._unresolved == 1 and not any(side == "inputs" for _, side in self.lost)
        return free[0] if len(free) == 1 and is_alone else None

    def target_for(self, widget: Widget) -> Ref | None:
        """What an input widget that reaches nothing was most likely meant to write.

        Candidates are the free inputs, and the variables that an input takes and nothing writes: the one that is called
        like the widget, else the only one of a kind that the widget gives.
        """
        targets = self._targets()
        alike = [item for item in targets if item.names & _names_of(widget)]
        fitting = alike or [item for item in targets if widget.type in controls_for(item.port)]
        return fitting[0].ref if len(fitting) == 1 else None

    def _targets(self) -> list[_Target]:
        found: dict[Ref, _Target] = {}
        for facts in self._operations.values():
            for port in self.free_inputs(facts):
                ref = InputRef(facts.id, port.node_id)
                found[ref] = _Target(ref, port, _slugs(port.name, port.node_id))
            for node, mapping in facts.operation.inputs.items():
                if isinstance(mapping, FromVariable) and node in facts.inputs:
                    variable = self._variables.get(mapping.variable_id)
                    if variable is not None and not self._usage.is_written(variable.id):
                        target = VariableRef(variable.id)
                        found[target] = _Target(target, facts.inputs[node], _slugs(variable.id, variable.name))
        return list(found.values())

    def display_for(self, port: Port) -> Widget | None:
        """The widget without a binding that is called like an output."""
        wanted = _slugs(port.name, port.node_id)
        found = [widget for widget in self._displays if _names_of(widget) & wanted]
        return found[0] if len(found) == 1 else None

    def variable_to_keep(self, port: Port) -> str | None:
        """A variable that is called like an output, is read, and is written by nothing."""
        return self._called(port, lambda item: item.id in self._read and not self._usage.is_written(item.id))

    def variable_to_take(self, port: Port) -> str | None:
        """A variable that is called like an input and has a value."""
        return self._called(port, lambda item: self._usage.is_written(item.id) or item.default is not ABSENT)

    def _called(self, port: Port, fits: Callable[[Variable], bool]) -> str | None:
        wanted = _slugs(port.name, port.node_id)
        found = [item.id for item in self._variables.values() if _slugs(item.id, item.name) & wanted and fits(item)]
        return found[0] if len(found) == 1 else None


def _slugs(*names: str) -> frozenset[str]:
    return frozenset(found for name in names if (found := slug(name)))


def _names_of(widget: Widget) -> frozenset[str]:
    return _slugs(*([] if widget.positional else [widget.id]), widget.label or "")


def _is_unbound_display(widget: Widget) -> bool:
    kind = WIDGETS.get(widget.type)
    is_display = kind is not None and kind.mode == "read" and widget.type not in ("Progress", "AgentActivity")
    return is_display and widget.binding is None and widget.format is None


def _variables_read(operations: Mapping[str, OperationFacts], uses: Uses) -> set[str]:
    found = {use.ref.variable_id for _, own in uses for use in own if isinstance(use.ref, VariableRef)}
    for facts in operations.values():
        mappings = facts.operation.inputs.values()
        found |= {mapping.variable_id for mapping in mappings if isinstance(mapping, FromVariable)}
    return found


def _lost_names(operations: Mapping[str, OperationFacts], uses: Uses) -> dict[tuple[str, str], dict[str, list[Use]]]:
    lost: dict[tuple[str, str], dict[str, list[Use]]] = defaultdict(dict)
    for _, own in uses:
        for use in own:
            ref = use.ref
            if not isinstance(ref, (InputRef, OutputRef)):
                continue
            facts = operations.get(ref.operation_id)
            if facts is None or facts.surface is None:
                continue
            side, ports = ("inputs", facts.inputs) if isinstance(ref, InputRef) else ("outputs", facts.outputs)
            if ref.node_id not in ports:
                lost[facts.id, side].setdefault(ref.node_id, []).append(use)
    for facts in operations.values():
        if facts.surface is None:
            continue
        for side, mappings, ports in (
            ("inputs", facts.operation.inputs, facts.inputs),
            ("outputs", facts.operation.outputs, facts.outputs),
        ):
            for node in mappings:
                if node not in ports:
                    lost[facts.id, side].setdefault(node, [])
    return lost
