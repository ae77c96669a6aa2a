"""Conditions: when a widget is visible or disabled (spec: app-runtime 3.3, 6.1-6.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from greenrun.document.bindings import ExecutionRef, InputRef, Mode, OutputRef, Ref, Scope, VariableRef, resolve
from greenrun.document.js import as_double, display_text, is_list, strict_equal, to_number, to_text
from greenrun.document.nearest import nearest
from greenrun.document.values import ABSENT, Value, is_number, is_record, is_text

ReadableRef: TypeAlias = VariableRef | OutputRef | InputRef | ExecutionRef
Read: TypeAlias = Callable[[Ref], Value]
"""Gives the current value of a ref, `ABSENT` when there is none."""

_DEFAULT_OP: Final = "notEmpty"


@dataclass(frozen=True, slots=True)
class StoredCondition:
    """A condition as it stands in a document; `op` and `value` may be anything, or absent."""

    binding: str
    op: Value = ABSENT
    value: Value = ABSENT

    @property
    def effective_op(self) -> str:
        """The operator that counts: one that is none of `OPS` means notEmpty (spec: app-runtime 6.2)."""
        return self.op if isinstance(self.op, str) and self.op in OPS else _DEFAULT_OP


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition whose binding resolved to something readable; `op` is one of `OPS`, `value` the stored literal."""

    ref: ReadableRef
    op: str
    value: Value = ABSENT


def stored_condition(value: Value) -> StoredCondition | None:
    """The condition in a ``visibleWhen`` or ``disabledWhen`` prop; None without a non-empty text binding (3.3)."""
    if not is_record(value) or not is_text(binding := value.get("binding")):
        return None
    return StoredCondition(binding, value.get("op", ABSENT), value.get("value", ABSENT))


def is_readable(ref: Ref | None) -> bool:
    """True for what a condition or template may read: variables, outputs, inputs, execution state (6.1)."""
    return isinstance(ref, ReadableRef)


def resolve_readable(text: str, scope: Scope, mode: Mode = "none") -> ReadableRef | None:
    """The ref of a binding that a condition or template may read; None otherwise."""
    ref = resolve(text, scope, mode)
    return ref if isinstance(ref, ReadableRef) else None


def parse_condition(stored: StoredCondition | None, scope: Scope, mode: Mode = "none") -> Condition | None:
    """The condition to evaluate; None means no condition, so that broken wiring never hides a widget (6.2)."""
    if stored is None:
        return None
    ref = resolve_readable(stored.binding, scope, mode)
    return None if ref is None else Condition(ref, stored.effective_op, stored.value)


def evaluate(condition: Condition, read: Read) -> bool:
    """Whether a condition holds for what `read` gives (spec: app-runtime 6.3)."""
    return _TESTS[condition.op](read(condition.ref), condition.value)


def describe(stored: StoredCondition) -> str:
    """A condition in words: ``<binding> <op>[ <value>]`` (spec: harness 3.4 rule 1)."""
    words = [stored.binding, stored.effective_op]
    if stored.effective_op in LITERAL_OPS and stored.value is not ABSENT:
        words.append(to_text(stored.value) or '""')
    return " ".join(words)


def is_empty(value: Value) -> bool:
    """True for absent, null, "", an empty list and false; 0, NaN, an empty object and blanks are not empty (6.3)."""
    return value is ABSENT or value is None or value is False or value == "" or value == []


def is_empty_literal(value: Value) -> bool:
    """True for a literal that compares as nothing or as 0: absent, null or "" (spec: app-runtime O-8)."""
    return value is ABSENT or value is None or value == ""


def _coerce(literal: Value, sample: Value) -> Value:
    """The literal in the type of what it is compared with, where it can be read as one."""
    if isinstance(literal, str):
        if is_number(sample):
            number = to_number(literal)
            return literal if number != number else number
        if isinstance(sample, bool):
            return {"true": True, "false": False}.get(literal, literal)
    return literal


def _equals(actual: Value, literal: Value) -> bool:
    return strict_equal(actual, _coerce(literal, actual))


def _contains(actual: Value, literal: Value) -> bool:
    if isinstance(actual, str):
        return display_text(literal) in actual
    return is_list(actual) and any(_equals(item, literal) for item in actual)


def _compares(holds: Callable[[float, float], bool]) -> Callable[[Value, Value], bool]:
    def test(actual: Value, literal: Value) -> bool:
        # NaN fails every comparison, which is what a literal that is no number must do.
        return is_number(actual) and holds(as_double(actual), as_double(to_number(literal)))

    return test


_TESTS: Final[dict[str, Callable[[Value, Value], bool]]] = {
    "eq": _equals,
    "neq": lambda actual, literal: not _equals(actual, literal),
    "gt": _compares(lambda one, other: one > other),
    "lt": _compares(lambda one, other: one < other),
    "gte": _compares(lambda one, other: one >= other),
    "lte": _compares(lambda one, other: one <= other),
    "contains": _contains,
    "empty": lambda actual, _: is_empty(actual),
    "notEmpty": lambda actual, _: not is_empty(actual),
}

OPS: Final = tuple(_TESTS)
LITERAL_OPS: Final = frozenset(OPS) - {"empty", "notEmpty"}

_MEANT: Final = {
    "eq": ("=", "==", "===", "is", "equal", "equals", "isequal", "isequalto"),
    "neq": ("!=", "!==", "<>", "ne", "isnot", "notequal", "notequals", "isnotequal"),
    "gt": (">", "greater", "greaterthan", "more", "morethan", "above"),
    "lt": ("<", "less", "lessthan", "below"),
    "gte": (">=", "=>", "ge", "min", "atleast", "greaterthanorequal", "greaterorequal"),
    "lte": ("<=", "=<", "le", "max", "atmost", "lessthanorequal", "lessorequal"),
    "contains": ("has", "include", "includes", "contain"),
    "empty": ("isempty", "!notempty", "null", "isnull", "none", "blank", "falsy", "isfalse", "missing", "notexists"),
    "notEmpty": ("!empty", "isnotempty", "nonempty", "notnull", "isset", "exists", "present", "truthy", "istrue"),
}
_ALIASES: Final = {alias: op for op, aliases in _MEANT.items() for alias in (op.lower(), *aliases)}


def meant_op(text: str) -> str | None:
    """The operator that a text most likely stands for: one of `OPS`, or a usual other name of it."""
    word = "".join(text.lower().replace("_", " ").replace("-", " ").split())
    return _ALIASES.get(word) or nearest(word, OPS)
