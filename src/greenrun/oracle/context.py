"""What the rules look at: the app with its lookup tables, made once for each check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TypeAlias

from greenrun.document.bindings import (
    EXECUTION_FIELDS,
    ExecutionRef,
    InputRef,
    Mode,
    NodePropertyRef,
    OutputRef,
    Ref,
    Resolution,
    VariableRef,
    encode,
    resolve_detail,
    resolve_variable_id,
)
from greenrun.document.catalog import WIDGETS
from greenrun.document.codes import CODES
from greenrun.document.conditions import resolve_readable
from greenrun.document.event_kinds import VARIABLE_EVENTS
from greenrun.document.findings import Finding, Fix, Place
from greenrun.document.js import is_list
from greenrun.document.model import Document
from greenrun.document.nearest import Candidates, Choice
from greenrun.document.surface import Port
from greenrun.document.templates import tokens
from greenrun.document.tree import Widget, is_component
from greenrun.document.values import is_record
from greenrun.instances.app import App, variable_writers
from greenrun.oracle.spare import Spare
from greenrun.oracle.usage import Guard, OperationFacts, Role, Usage, Use, conditions_of
from greenrun.oracle.wording import existing

Fixes: TypeAlias = Callable[[], Iterable[Fix | None]]


class Context:
    """The app under check with lookup tables; lookups are by dictionary, so that a check stays linear in its size."""

    def __init__(
        self,
        app: App,
        *,
        fixes: bool = True,
        workflow_keys: Sequence[str] = (),
        schemes: frozenset[str] = frozenset(),
    ) -> None:
        self.app = app
        self.document: Document = app.document
        self.scope = app.scope
        self.widgets = app.widgets
        self.with_fixes = fixes
        self.workflow_keys = tuple(workflow_keys)
        self.schemes = schemes
        self.operations: dict[str, OperationFacts] = {}
        for item in app.operations:
            self.operations.setdefault(item.operation.id, OperationFacts(item))
        self._guards: dict[int, tuple[Guard, ...]] = {}

    def finding(self, code: str, message: str, place: Place, fixes: Fixes | None = None) -> Finding:
        """A finding with the severity of its code in the catalogue; fixes are made only when they are asked for."""
        severity = CODES[code].severity
        assert severity != "reason"
        offered = tuple(fix for fix in fixes() if fix is not None) if fixes is not None and self.with_fixes else ()
        return Finding(code, severity, message, place, offered)

    # Widgets

    @cached_property
    def widgets_by_id(self) -> dict[str, Widget]:
        """The first widget with each id."""
        found: dict[str, Widget] = {}
        for widget in self.widgets:
            found.setdefault(widget.id, widget)
        return found

    @cached_property
    def order(self) -> dict[int, int]:
        """The position in the document of each widget, by its identity."""
        return {id(widget): index for index, widget in enumerate(self.widgets)}

    @cached_property
    def taken_ids(self) -> frozenset[str]:
        """All widget ids, those in old-style zones included."""
        zones = self.document.ui.get("zones")
        stored = [zone for zone in zones.values() if is_list(zone)] if is_record(zones) else []
        hidden = {entry["props"].get("id") for zone in stored for entry in zone if is_component(entry)}
        return frozenset(self.widgets_by_id) | {id_ for id_ in hidden if isinstance(id_, str)}

    def anchor(self, operation_id: str) -> Widget | None:
        """The widget that triggers an operation, else one that shows it; what is inserted goes behind it."""
        triggers = self.usage.triggers.get(operation_id)
        return triggers[0].widget if triggers else self.usage.showers.get(operation_id)

    @cached_property
    def widget_ids(self) -> Candidates[str]:
        return _texts(self.widgets_by_id)

    def is_first(self, widget: Widget) -> bool:
        """False for a later widget with an id that stands twice: edits by that id would change the other one."""
        return self.widgets_by_id[widget.id] is widget

    def guards(self, widget: Widget) -> tuple[Guard, ...]:
        """The conditions that apply to a widget, those of the widgets around it included (spec: app-runtime 17.5)."""
        found = self._guards.get(id(widget))
        if found is None:
            parent = self.widgets_by_id.get(widget.parent_id) if widget.parent_id is not None else None
            above = self.guards(parent) if parent is not None else ()
            found = (*self._own_guards(widget), *above)
            self._guards[id(widget)] = found
        return found

    def _own_guards(self, widget: Widget) -> Iterator[Guard]:
        for prop, stored in conditions_of(widget):
            if (ref := resolve_readable(stored.binding, self.scope)) is not None:
                yield Guard(prop, stored, ref)

    # Uses

    @cached_property
    def uses(self) -> list[tuple[Widget, tuple[Use, ...]]]:
        """Every widget with the texts in it that point at something, in document order."""
        return [(widget, tuple(self._uses_of(widget))) for widget in self.widgets]

    def _uses_of(self, widget: Widget) -> Iterator[Use]:
        kind = WIDGETS.get(widget.type)
        if kind is None:
            return
        if widget.binding is not None and kind.mode in ("read", "write"):
            yield self._use(widget, "binding", "binding", widget.binding, "write" if kind.mode == "write" else "read")
        for extra in widget.extra_bindings:
            yield self._use(widget, extra.prop, "extra", extra.binding, extra.mode)
        for prop, stored in conditions_of(widget):
            yield self._use(widget, prop, "condition", stored.binding, "none")
        if kind.format and widget.format is not None:
            for name in dict.fromkeys(token.name for token in tokens(widget.format)):
                yield self._use(widget, "format", "format", name, "none")
        for event in widget.events:
            if event.kind in VARIABLE_EVENTS and event.key:
                yield Use(
                    widget, f"events[{event.index}].key", "key", event.key, "read", self._resolve_key(event.key), event
                )

    def _use(self, widget: Widget, prop: str, role: Role, text: str, mode: Mode) -> Use:
        return Use(widget, prop, role, text, mode, resolve_detail(text, self.scope, mode))

    def _resolve_key(self, key: str) -> Resolution:
        """An event key among variables only: an output of the same name never counts (spec: app-runtime O-19)."""
        detail = resolve_detail(key, self.scope)
        id_ = resolve_variable_id(key, self.scope)
        if id_ is None:
            return Resolution(None, detail.form)
        found = self.scope.find_variable(key)
        return Resolution(VariableRef(id_), detail.form, ambiguous=found[1] if found is not None else ())

    # Variables

    @cached_property
    def known_variables(self) -> dict[str, None]:
        """Declared ids and channels, in that order."""
        return dict.fromkeys([*(item.id for item in self.document.variables), *sorted(self.scope.channels)])

    @cached_property
    def sees_all(self) -> bool:
        """False while the target of some operation is unknown: it may publish variables that nobody can see now."""
        return all(item.unknown is None for item in self.app.operations)

    @cached_property
    def variable_roster(self) -> str:
        return existing("Variables", self.known_variables)

    @cached_property
    def variable_ids(self) -> Candidates[str]:
        return _texts(self.known_variables)

    @cached_property
    def variable_tokens(self) -> Candidates[str]:
        return _texts(encode(VariableRef(item)) for item in self.known_variables)

    def knows_variable(self, variable_id: str) -> bool:
        return variable_id in self.known_variables or not self.sees_all

    def variable_named(self, name: str) -> str | None:
        """The id of the one variable with that display name."""
        ids = {item.id for item in self.scope.variables_named(name)}
        return ids.pop() if len(ids) == 1 else None

    # Operations

    def is_blind(self, operation_id: str | None) -> bool:
        """True when names of that operation cannot be looked up because its ports are not known."""
        facts = self.operations.get(operation_id) if operation_id is not None else None
        return facts is not None and facts.surface is None

    @cached_property
    def names(self) -> dict[Mode, Candidates[Ref]]:
        """What a bare name may have meant, by the mode of its place: ports by name and id, variables by id and name."""
        return {mode: Candidates(choices) for mode, choices in self._choices.items()}

    @cached_property
    def rosters(self) -> dict[Mode, str]:
        """What a bare name could be, in words, by the mode of its place."""
        rosters: dict[Mode, str] = {
            mode: existing("There are", (encode(choice.value) for choice in choices))
            for mode, choices in self._choices.items()
        }
        rosters["write"] = existing("Inputs, node properties and variables", self._tokens["write"])
        return rosters

    @cached_property
    def writable_names(self) -> Candidates[Ref]:
        """As `names` for a place that writes, without the inputs that a widget writes already."""
        return Candidates(choice for choice in self._choices["write"] if not self.is_written_input(choice.value))

    def is_written_input(self, ref: Ref | None) -> bool:
        """Whether a widget writes that input: a second one would only overwrite it."""
        return isinstance(ref, InputRef) and bool(self.usage.input_writers.get((ref.operation_id, ref.node_id)))

    @cached_property
    def _choices(self) -> dict[Mode, list[Choice[Ref]]]:
        inputs: list[Choice[Ref]] = []
        outputs: list[Choice[Ref]] = []
        for facts in self.operations.values():
            inputs += [_port_choice(InputRef(facts.id, port.node_id), port) for port in facts.inputs.values()]
            outputs += [_port_choice(OutputRef(facts.id, port.node_id), port) for port in facts.outputs.values()]
        variables: list[Choice[Ref]] = [
            Choice(VariableRef(item.id), _names(item.id, item.name)) for item in self.scope.variables
        ]
        return {
            "write": [*inputs, *variables],
            "read": [*outputs, *variables],
            "none": [*outputs, *inputs, *variables],
        }

    @cached_property
    def tokens(self) -> dict[Mode, Candidates[str]]:
        """The canonical tokens that exist, by the mode of a place that could hold them."""
        return {mode: _texts(tokens) for mode, tokens in self._tokens.items()}

    @cached_property
    def token_texts(self) -> dict[Mode, frozenset[str]]:
        """The canonical tokens of `tokens`, to look one up."""
        return {mode: frozenset(texts) for mode, texts in self._tokens.items()}

    @cached_property
    def _tokens(self) -> dict[Mode, list[str]]:
        found: dict[Mode, list[str]] = {"write": [], "read": [], "none": []}
        for facts in self.operations.values():
            inputs = [encode(InputRef(facts.id, node)) for node in facts.inputs]
            outputs = [encode(OutputRef(facts.id, node)) for node in facts.outputs]
            state = [encode(ExecutionRef(facts.id, name)) for name in EXECUTION_FIELDS]
            found["write"] += [*inputs, *self._property_tokens(facts)]
            found["read"] += [*outputs, *inputs, *state]
            found["none"] += [*outputs, *inputs, *state]
        variables = [encode(VariableRef(item)) for item in self.known_variables]
        return {mode: [*texts, *variables] for mode, texts in found.items()}

    def _property_tokens(self, facts: OperationFacts) -> Iterator[str]:
        if facts.surface is not None:
            for node, names in facts.surface.properties.items():
                for name in sorted(names or ()):
                    yield encode(NodePropertyRef(facts.id, node, name))

    # What the widgets do

    @cached_property
    def spare(self) -> Spare:
        """What nothing uses and what leads nowhere."""
        return Spare(self.operations, self.uses, self.usage, self.scope.variables)

    @cached_property
    def usage(self) -> Usage:
        usage = Usage()
        for widget, uses in self.uses:
            if widget.type not in WIDGETS:
                continue
            for use in uses:
                usage.add_use(use)
            usage.add_widget(widget, self.app.default_operation_id)
        usage.output_writers = variable_writers([facts.item for facts in self.operations.values()])
        return usage


def _names(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))


def _texts(texts: Iterable[str]) -> Candidates[str]:
    return Candidates(Choice(text, (text,)) for text in texts)


def _port_choice(ref: Ref, port: Port) -> Choice[Ref]:
    return Choice(ref, _names(port.name, port.node_id))
