"""Refs: where a binding points, and the explicit tokens that write them (spec: app-runtime 4.1-4.3)."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias, assert_never

Namespace: TypeAlias = Literal["inputs", "outputs", "variables", "view", "invocations"]

EXECUTION_FIELDS: Final = ("running", "progress", "error", "activity", "transcript")
TOKEN_PREFIXES: Final = ("op:", "var:", "view:", "node:")
TOKEN_FORMS: Final = (
    "op:<operation>/in:<node>",
    "op:<operation>/out:<node>",
    "op:<operation>/prop:<node>#<property>",
    "op:<operation>/exec#<" + "|".join(EXECUTION_FIELDS) + ">",
    "var:<variable>",
    "view:<component>#<prop>",
)


@dataclass(frozen=True, slots=True)
class InputRef:
    """The input slot of one operation's input node."""

    operation_id: str
    node_id: str
    kind: ClassVar[Literal["input"]] = "input"
    namespace: ClassVar[Namespace] = "inputs"

    @property
    def state_key(self) -> str:
        return f"{self.operation_id}:{self.node_id}"


@dataclass(frozen=True, slots=True)
class NodePropertyRef:
    """A property of a node in one operation's graph. `operation_id` is empty for a parsed ``node:`` token."""

    operation_id: str
    node_id: str
    property: str
    kind: ClassVar[Literal["nodeProperty"]] = "nodeProperty"
    namespace: ClassVar[Namespace] = "inputs"

    @builtins.property
    def state_key(self) -> str:
        return f"{self.operation_id}:{self.node_id}#{self.property}"


@dataclass(frozen=True, slots=True)
class OutputRef:
    """The output slot of one operation's output node."""

    operation_id: str
    node_id: str
    kind: ClassVar[Literal["output"]] = "output"
    namespace: ClassVar[Namespace] = "outputs"

    @property
    def state_key(self) -> str:
        return f"{self.operation_id}:{self.node_id}"


@dataclass(frozen=True, slots=True)
class VariableRef:
    """A variable of the app."""

    variable_id: str
    kind: ClassVar[Literal["variable"]] = "variable"
    namespace: ClassVar[Namespace] = "variables"

    @property
    def state_key(self) -> str:
        return self.variable_id


@dataclass(frozen=True, slots=True)
class ViewRef:
    """The own value of a widget that is bound to nothing."""

    component_id: str
    prop: str
    kind: ClassVar[Literal["view"]] = "view"
    namespace: ClassVar[Namespace] = "view"

    @property
    def state_key(self) -> str:
        return f"{self.component_id}:{self.prop}"


@dataclass(frozen=True, slots=True)
class ExecutionRef:
    """One field of an operation's execution state; `field` is one of `EXECUTION_FIELDS`."""

    operation_id: str
    field: str
    kind: ClassVar[Literal["execution"]] = "execution"
    namespace: ClassVar[Namespace] = "invocations"

    @property
    def state_key(self) -> str:
        return self.operation_id


Ref: TypeAlias = InputRef | NodePropertyRef | OutputRef | VariableRef | ViewRef | ExecutionRef


def is_token_like(text: str) -> bool:
    """True for a string that starts like an explicit token, well-formed or not."""
    return text.startswith(TOKEN_PREFIXES)


def parse_token(text: str | None) -> Ref | None:
    """The ref of an explicit token; None for a bare name, a malformed token and nothing at all.

    A ``node:`` token gives a `NodePropertyRef` with an empty operation id (spec: app-runtime 4.3).
    """
    if not text:
        return None
    if text.startswith("var:"):
        return VariableRef(text[4:]) if len(text) > 4 else None
    if text.startswith("view:"):
        pair = _split_last_hash(text[5:])
        return ViewRef(*pair) if pair else None
    if text.startswith("node:"):
        pair = _split_last_hash(text[5:])
        return NodePropertyRef("", *pair) if pair else None
    if text.startswith("op:"):
        return _parse_operation_token(text[3:])
    return None


def _parse_operation_token(rest: str) -> Ref | None:
    operation_id, slash, tail = rest.partition("/")
    if not operation_id or not slash:
        return None
    if tail.startswith("in:"):
        return InputRef(operation_id, tail[3:]) if len(tail) > 3 else None
    if tail.startswith("out:"):
        return OutputRef(operation_id, tail[4:]) if len(tail) > 4 else None
    if tail.startswith("prop:"):
        pair = _split_last_hash(tail[5:])
        return NodePropertyRef(operation_id, *pair) if pair else None
    if tail.startswith("exec#") and tail[5:] in EXECUTION_FIELDS:
        return ExecutionRef(operation_id, tail[5:])
    return None


def _split_last_hash(text: str) -> tuple[str, str] | None:
    left, _, right = text.rpartition("#")
    return (left, right) if left and right else None


def encode(ref: Ref) -> str:
    """The canonical token of a ref; ``node:`` is never produced (spec: app-runtime 4.3)."""
    match ref:
        case InputRef(operation_id, node_id):
            return f"op:{operation_id}/in:{node_id}"
        case OutputRef(operation_id, node_id):
            return f"op:{operation_id}/out:{node_id}"
        case NodePropertyRef(operation_id, node_id, prop):
            return f"op:{operation_id}/prop:{node_id}#{prop}"
        case ExecutionRef(operation_id, field):
            return f"op:{operation_id}/exec#{field}"
        case VariableRef(variable_id):
            return f"var:{variable_id}"
        case ViewRef(component_id, prop):
            return f"view:{component_id}#{prop}"
        case _:
            assert_never(ref)


def parse_input_state_key(key: str) -> InputRef | NodePropertyRef | None:
    """The ref behind a key of the inputs map; None when the key has no operation or no node part."""
    operation_id, colon, right = key.partition(":")
    if not operation_id or not colon or not right:
        return None
    pair = _split_last_hash(right)
    return NodePropertyRef(operation_id, *pair) if pair else InputRef(operation_id, right)
