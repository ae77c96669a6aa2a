"""Whether a value fits type metadata ``{"type": ..., "type_args": [...]}`` (spec: app-runtime O-47)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Final

from greenrun.document.js import MAX_SAFE_INTEGER, deep_equal, is_list, to_number, trim
from greenrun.document.values import ABSENT, Value, is_integer, is_number, is_record, is_text

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BOOLEANS: Final = {"true": True, "false": False}
_MAX_DEPTH: Final = 20


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_reference(value: Any) -> bool:
    """A media or asset reference is written as an object or as the text of its address."""
    return is_record(value) or is_text(value)


_TESTS: Final[dict[str, Callable[[Any], bool]]] = {
    "str": _is_text,
    "string": _is_text,
    "text": _is_text,
    "int": is_integer,
    "integer": is_integer,
    "float": is_number,
    "number": is_number,
    "double": is_number,
    "bool": lambda value: isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "list": is_list,
    "array": is_list,
    "dict": is_record,
    "object": is_record,
    "record": is_record,
    "dataframe": is_record,
    "image": _is_reference,
    "audio": _is_reference,
    "video": _is_reference,
    "document": _is_reference,
    "model_3d": _is_reference,
    "asset": _is_reference,
}
_LISTS: Final = frozenset({"list", "array"})


def fits(type_: Any, value: Value) -> bool:
    """False only when the value is certainly of another type.

    Null fits everything, a type that is not known here accepts everything.
    """
    return value is None or value is ABSENT or _fits(type_, value, 0)


def _fits(type_: Any, value: Any, depth: int) -> bool:
    if not is_record(type_) or depth > _MAX_DEPTH or value is None:
        return True
    name = type_.get("type")
    if not isinstance(name, str):
        return True
    arguments = type_.get("type_args")
    arguments = arguments if is_list(arguments) else []
    if name == "union":
        return not arguments or any(_fits(argument, value, depth + 1) for argument in arguments)
    if name == "enum":
        members = type_.get("values")
        return not is_list(members) or not members or any(deep_equal(value, member) for member in members)
    test = _TESTS.get(name)
    if test is not None and not test(value):
        return False
    if name in _LISTS and is_list(value) and arguments:
        return all(_fits(arguments[0], item, depth + 1) for item in value)
    return True


def value_of_text(type_: Any, text: str) -> Value:
    """The number or boolean that a text spells, when that fits the type and the text does not; else `ABSENT`."""
    trimmed = trim(text)
    value: Value = _BOOLEANS.get(trimmed.lower(), ABSENT)
    if value is ABSENT and _NUMBER.fullmatch(trimmed):
        number = to_number(trimmed)
        value = int(number) if is_integer(number) and abs(number) <= MAX_SAFE_INTEGER else number
        if math.isinf(value):
            return ABSENT
    return value if value is not ABSENT and not fits(type_, text) and fits(type_, value) else ABSENT
