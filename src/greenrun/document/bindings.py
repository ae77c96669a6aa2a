"""Bindings: what a stored string on a widget, a condition, a template or an event points at (spec: app-runtime 4).

A binding is either an explicit token (``op:main/in:n1``, ``var:v1``) or a bare name that is looked up in a `Scope`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from greenrun.document.model import DEFAULT_OPERATION_ID, Variable
from greenrun.document.refs import (
    EXECUTION_FIELDS,
    TOKEN_FORMS,
    TOKEN_PREFIXES,
    ExecutionRef,
    InputRef,
    Namespace,
    NodePropertyRef,
    OutputRef,
    Ref,
    VariableRef,
    ViewRef,
    encode,
    is_token_like,
    parse_input_state_key,
    parse_token,
)
from greenrun.document.surface import Surface
from greenrun.document.values import ABSENT, Value

if TYPE_CHECKING:
    from greenrun.document.tree import Widget

__all__ = [
    "EXECUTION_FIELDS",
    "MODES",
    "TOKEN_FORMS",
    "TOKEN_PREFIXES",
    "ExecutionRef",
    "Form",
    "InputRef",
    "Migration",
    "Mode",
    "Namespace",
    "NodePropertyRef",
    "OutputRef",
    "Ref",
    "Resolution",
    "Rewrite",
    "Scope",
    "ScopeOperation",
    "Unresolved",
    "VariableRef",
    "ViewRef",
    "encode",
    "initial_variable_values",
    "is_token_like",
    "merge_variables",
    "migrate",
    "parse_input_state_key",
    "parse_token",
    "resolve",
    "resolve_detail",
    "resolve_variable_id",
]

Mode: TypeAlias = Literal["none", "read", "write"]
Form: TypeAlias = Literal["token", "bare", "malformed", "empty"]

MODES: Final[tuple[Mode, ...]] = ("none", "read", "write")


@dataclass(frozen=True, slots=True)
class ScopeOperation:
    """An operation as bindings see it. `surface` is None while nothing is known about its target."""

    operation_id: str
    surface: Surface | None = None


@dataclass(frozen=True, slots=True)
class _Names:
    """Names of one operation's surface; the first port with a name keeps it."""

    inputs: dict[str, str]
    outputs: dict[str, str]
    channels: frozenset[str]


_NO_NAMES: Final = _Names({}, {}, frozenset())


@dataclass(frozen=True)
class Scope:
    """What a binding can name: the operations with their surfaces, and the variables merged with the channels.

    Lookup tables are built on first use, so a scope is cheap to make and to ask. Where an id stands twice among the
    operations the first counts.
    """

    operations: tuple[ScopeOperation, ...] = ()
    variables: tuple[Variable, ...] = ()
    default_operation_id: str | None = None

    def operation(self, operation_id: str) -> ScopeOperation | None:
        """The operation with that id; the main remap is not applied."""
        return self._operations.get(operation_id)

    def surface(self, operation_id: str) -> Surface | None:
        """The surface of that operation; None when it is not declared or nothing is known about it."""
        operation = self._operations.get(operation_id)
        return operation.surface if operation else None

    def variable(self, variable_id: str) -> Variable | None:
        """The variable with that id (a name does not count)."""
        return self._variables.get(variable_id)

    def variables_named(self, name: str) -> tuple[Variable, ...]:
        """The variables with that display name, in declaration order."""
        return self._variables_by_name.get(name, ())

    def remap(self, ref: Ref) -> Ref:
        """The main remap: a ref to ``main`` means the sole operation of a one-operation app (spec: app-runtime 4.4)."""
        sole = self._main_stands_for
        if sole is None:
            return ref
        match ref:
            case InputRef(operation_id="main", node_id=node_id):
                return InputRef(sole, node_id)
            case OutputRef(operation_id="main", node_id=node_id):
                return OutputRef(sole, node_id)
            case NodePropertyRef(operation_id="main", node_id=node_id, property=prop):
                return NodePropertyRef(sole, node_id, prop)
            case ExecutionRef(operation_id="main", field=field):
                return ExecutionRef(sole, field)
            case _:
                return ref

    @cached_property
    def channels(self) -> frozenset[str]:
        """The names that the operations' graphs publish with Set-Variable nodes."""
        return frozenset(name for item in self.operations if item.surface for name in item.surface.channels)

    @cached_property
    def _operations(self) -> dict[str, ScopeOperation]:
        return {item.operation_id: item for item in reversed(self.operations)}

    @cached_property
    def _variables(self) -> dict[str, Variable]:
        return {item.id: item for item in reversed(self.variables)}

    @cached_property
    def _variables_by_name(self) -> dict[str, tuple[Variable, ...]]:
        table: dict[str, tuple[Variable, ...]] = {}
        for item in self.variables:
            table[item.name] = (*table.get(item.name, ()), item)
        return table

    @cached_property
    def _main_stands_for(self) -> str | None:
        if len(self.operations) != 1 or self.operations[0].operation_id == DEFAULT_OPERATION_ID:
            return None
        return self.operations[0].operation_id

    @cached_property
    def _names(self) -> dict[str, _Names]:
        table: dict[str, _Names] = {}
        for operation_id, item in self._operations.items():
            surface = item.surface or Surface()
            table[operation_id] = _Names(
                {port.name: port.node_id for port in reversed(surface.inputs)},
                {port.name: port.node_id for port in reversed(surface.outputs)},
                frozenset(surface.channels),
            )
        return table

    def find_name(self, name: str, mode: Mode, operation_id: str | None) -> tuple[Ref, tuple[str, ...]] | None:
        """What a bare name means to a widget of that mode, and the ids of the variables among which it is ambiguous."""
        if operation_id is None or operation_id not in self._operations:
            operation_id = self.operations[0].operation_id if self.operations else None
        names = self._names[operation_id] if operation_id is not None else _NO_NAMES
        owner = operation_id or ""
        if mode != "write" and (node_id := names.outputs.get(name)) is not None:
            return OutputRef(owner, node_id), ()
        if mode != "read" and (node_id := names.inputs.get(name)) is not None:
            return InputRef(owner, node_id), ()
        found = self.find_variable(name)
        if found is not None:
            return VariableRef(found[0]), found[1]
        return (VariableRef(name), ()) if name in names.channels else None

    def find_variable(self, name: str) -> tuple[str, tuple[str, ...]] | None:
        """The id of the variable with that id, else with that display name, and all ids that share the name (O-33)."""
        if name in self._variables:
            return name, ()
        ids = tuple(dict.fromkeys(item.id for item in self.variables_named(name)))
        return (ids[0], ids if len(ids) > 1 else ()) if ids else None


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a stored string turned out to be.

    `form` says how it was written: a ``malformed`` string starts like a token and does not parse; it may still fit as a
    bare name. `remapped` says that the main remap changed it. `ambiguous` holds the ids of all variables that share the
    name by which it was found, when there are several.
    """

    ref: Ref | None
    form: Form
    remapped: bool = False
    ambiguous: tuple[str, ...] = ()

    @property
    def canonical(self) -> str | None:
        """The canonical token; it differs from the stored string for names, ``node:`` tokens and remapped tokens."""
        return None if self.ref is None else encode(self.ref)


_EMPTY: Final = Resolution(None, "empty")


def resolve(text: str | None, scope: Scope, mode: Mode = "none", operation_id: str | None = None) -> Ref | None:
    """The ref of a stored string, or None (spec: app-runtime 4.4). `operation_id` defaults to the scope's default."""
    return resolve_detail(text, scope, mode, operation_id).ref


def resolve_detail(text: str | None, scope: Scope, mode: Mode = "none", operation_id: str | None = None) -> Resolution:
    """As `resolve`, with how the string was written and what about it deserves a remark."""
    if not text:
        return _EMPTY
    if operation_id is None:
        operation_id = scope.default_operation_id
    ref = parse_token(text)
    if ref is not None:
        if isinstance(ref, NodePropertyRef) and ref.operation_id == "":
            ref = NodePropertyRef(operation_id or "", ref.node_id, ref.property)
        final = scope.remap(ref)
        return Resolution(final, "token", remapped=final is not ref)
    form: Form = "malformed" if is_token_like(text) else "bare"
    found = scope.find_name(text, mode, operation_id)
    return Resolution(None, form) if found is None else Resolution(found[0], form, ambiguous=found[1])


def resolve_variable_id(key: str | None, scope: Scope) -> str | None:
    """The variable that an event key names: a ``var:`` token, else declared ids, then names, then channels.

    A ``var:`` token counts as written, whether such a variable exists or not; an output of the same name never
    shadows a variable (spec: app-runtime 8.2, O-19).
    """
    if not key:
        return None
    ref = parse_token(key)
    if ref is not None:
        return ref.variable_id if isinstance(ref, VariableRef) else None
    found = scope.find_variable(key)
    if found is not None:
        return found[0]
    return key if key in scope.channels else None


def merge_variables(declared: Sequence[Variable], channels: Iterable[str]) -> tuple[Variable, ...]:
    """The declared variables by id, then a variable for each channel that no id and no declared name covers.

    A duplicate id keeps its first position with its last value (spec: app-runtime 9.3).
    """
    merged = {variable.id: variable for variable in declared}
    names = {variable.name for variable in declared}
    for channel in channels:
        if channel not in merged and channel not in names:
            merged[channel] = Variable(channel, channel)
    return tuple(merged.values())


def initial_variable_values(variables: Iterable[Variable]) -> dict[str, Value]:
    """Variable id to declared default, for each default that is not absent; null counts (spec: app-runtime 9.3)."""
    return {variable.id: variable.default for variable in variables if variable.default is not ABSENT}


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One widget prop whose stored binding has a canonical form that differs from it."""

    widget_id: str
    prop: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Unresolved:
    """One widget prop whose stored binding names nothing."""

    widget_id: str
    prop: str
    old: str


@dataclass(frozen=True, slots=True)
class Migration:
    """What writing canonical tokens everywhere would change."""

    rewrites: tuple[Rewrite, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()


def migrate(widgets: Iterable[Widget], scope: Scope) -> Migration:
    """Canonical tokens for the bare names and ``node:`` tokens in `binding` and the extra bindings of widgets.

    Other explicit tokens stay as they are, those that the main remap reads differently too (spec: app-runtime 4.5).
    """
    rewrites: list[Rewrite] = []
    unresolved: list[Unresolved] = []
    for widget_id, prop, old, mode in _stored_bindings(widgets):
        if parse_token(old) is not None and not old.startswith("node:"):
            continue
        ref = resolve(old, scope, mode)
        if ref is None:
            unresolved.append(Unresolved(widget_id, prop, old))
        else:
            rewrites.append(Rewrite(widget_id, prop, old, encode(ref)))
    return Migration(tuple(rewrites), tuple(unresolved))


def _stored_bindings(widgets: Iterable[Widget]) -> Iterator[tuple[str, str, str, Mode]]:
    for widget in widgets:
        if widget.binding is not None:
            mode: Mode = widget.mode if widget.mode in ("read", "write") else "none"
            yield widget.id, "binding", widget.binding, mode
        for extra in widget.extra_bindings:
            yield widget.id, extra.prop, extra.binding, extra.mode
