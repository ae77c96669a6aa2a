"""The value model: JSON plus one extra state, absent.

Absent (JavaScript's ``undefined``) differs from null in many rules, so it has a sentinel of its own (spec: app-runtime 1).
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, TypeAlias, TypeGuard


class Absent(Enum):
    """The type of `ABSENT`; an enum so that type checkers can narrow on it."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT: Final = Absent.ABSENT

JsonValue: TypeAlias = Any
"""Any JSON value: None, bool, int, float, str, list or dict with string keys."""

Value: TypeAlias = Any
"""A `JsonValue` or `ABSENT`."""


def is_record(value: object) -> TypeGuard[dict[str, Any]]:
    """True for an object that is neither null nor an array (spec: app-runtime 1.2)."""
    return isinstance(value, dict)


def is_number(value: object) -> TypeGuard[int | float]:
    """True for any number, NaN and infinities included; booleans are not numbers (spec: app-runtime 1.2)."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_integer(value: object) -> TypeGuard[int | float]:
    """True for a number without fractional part; 3.0 counts (spec: app-runtime 1.2)."""
    return is_number(value) and (isinstance(value, int) or value.is_integer())


def is_text(value: object) -> TypeGuard[str]:
    """True for a string of length one or more; whitespace counts (spec: app-runtime 1.2)."""
    return isinstance(value, str) and value != ""


def is_nullish(value: object) -> bool:
    """True for null and absent."""
    return value is None or value is ABSENT
