"""The JavaScript semantics that the document format relies on (spec: app-runtime 19).

Values are JSON values or `ABSENT`. Numbers are Python ints and floats. Where JavaScript would look at a number, it is
looked at as a double, so an integer beyond 2^53 is first rounded to one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any, Final, TypeGuard, TypeVar

from greenrun.document.values import ABSENT, Value, is_nullish, is_number, is_record

_T = TypeVar("_T")

MAX_SAFE_INTEGER: Final = 2**53
MAX_FIXED_DIGITS: Final = 100

_WHITE_SPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_RADIX: Final = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_INFINITIES: Final = {"Infinity": math.inf, "+Infinity": math.inf, "-Infinity": -math.inf}
_INTEGER_KEY: Final = re.compile(r"0|[1-9][0-9]{0,9}")
_MAX_INTEGER_KEY: Final = 2**32 - 2
_LARGEST_PLAIN: Final = 1e21
# 22 digits before the point and 100 after it fit with room to spare.
_FIXED_CONTEXT: Final = Context(prec=160, rounding=ROUND_HALF_UP)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """True for an array."""
    return isinstance(value, list)


def as_double(number: int | float) -> float:
    """The double nearest to a number; an integer beyond the range of doubles becomes an infinity."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def truthy(value: Value) -> bool:
    """False for absent, null, false, 0, -0, NaN and "" only (spec: app-runtime 19.4)."""
    if is_nullish(value):
        return False
    if is_number(value):
        return value != 0 and not math.isnan(as_double(value))
    return not (value is False or value == "")


def trim(text: str) -> str:
    """The text without outer white space as JavaScript defines it (spec: app-runtime 19.1)."""
    return text.strip(_WHITE_SPACE)


def to_number(value: Value) -> int | float:
    """``Number(value)``: NaN where there is no number (spec: app-runtime 19.2). Numbers come back as they are."""
    if is_number(value):
        return value
    if value is None:
        return 0
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        return _text_to_number(value)
    if is_list(value):
        return _text_to_number(to_text(value))
    return math.nan


def _text_to_number(text: str) -> int | float:
    text = trim(text)
    if text == "":
        return 0
    if _DECIMAL.fullmatch(text):
        return float(text)
    if _RADIX.fullmatch(text):
        return as_double(int(text, 0))
    return _INFINITIES.get(text, math.nan)


def to_text(value: Value) -> str:
    """``String(value)`` (spec: app-runtime 19.3). A list that contains itself reads "" at that place."""
    if isinstance(value, str):
        return value
    if is_list(value):
        return ",".join("" if is_nullish(leaf) else _scalar_text(leaf) for leaf in _leaves(value))
    return _scalar_text(value)


def display_text(value: Value) -> str:
    """str(x) of the specification: "" for null and absent, else the string conversion (spec: app-runtime 1.3)."""
    return "" if is_nullish(value) else to_text(value)


def _scalar_text(value: Value) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if value is ABSENT:
        return "undefined"
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_number(value):
        return number_text(value)
    return "[object Object]"


def _leaves(items: list[Any]) -> Iterator[Value]:
    """What the nested joins of a list put between commas, in order; an empty list counts as one empty leaf."""
    # An explicit stack: values from user code may be nested deeper than Python recurses.
    path = [id(items)]
    stack: list[Iterator[Any]] = [iter(items or [None])]
    while stack:
        for item in stack[-1]:
            if not is_list(item):
                yield item
            elif id(item) in path:
                yield None
            else:
                path.append(id(item))
                stack.append(iter(item or [None]))
                break
        else:
            stack.pop()
            path.pop()


def number_text(number: int | float) -> str:
    """The string conversion of a number: shortest digits that read back as the same double (spec: app-runtime 19.3)."""
    if isinstance(number, int) and abs(number) <= MAX_SAFE_INTEGER:
        return str(number)
    double = as_double(number)
    if math.isnan(double):
        return "NaN"
    if math.isinf(double):
        return "Infinity" if double > 0 else "-Infinity"
    if double == 0:
        return "0"
    sign = "-" if double < 0 else ""
    mantissa, _, exponent = repr(abs(double)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    written = whole + fraction
    digits = written.lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(written) - len(digits))
    return sign + _lay_out(digits.rstrip("0"), point)


def _lay_out(digits: str, point: int) -> str:
    """Digits of 0.d1..dk * 10^point as JavaScript writes them."""
    if len(digits) <= point <= 21:
        return digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    mantissa = f"{digits[0]}.{digits[1:]}" if len(digits) > 1 else digits
    return f"{mantissa}e{point - 1:+d}"


def fixed(number: int | float, digits: int) -> str:
    """Fixed notation with that many decimals, rounded half away from zero on the exact double (spec: app-runtime 19.3).

    `digits` outside 0..100 are clamped (spec: app-runtime O-5). From 1e21 on, and without a finite value, it is the
    string conversion.
    """
    double = as_double(number)
    if not abs(double) < _LARGEST_PLAIN:
        return number_text(double)
    places = min(max(digits, 0), MAX_FIXED_DIGITS)
    rounded = Decimal(abs(double)).quantize(Decimal(1).scaleb(-places), context=_FIXED_CONTEXT)
    return f"{'-' if double < 0 else ''}{rounded:f}"


def is_integer_key(key: str) -> bool:
    """True for a key that JavaScript iterates before all others: a canonical decimal 0..4294967294."""
    return _INTEGER_KEY.fullmatch(key) is not None and int(key) <= _MAX_INTEGER_KEY


def key_order(mapping: Mapping[str, Any]) -> list[str]:
    """The keys in JavaScript iteration order: integer-like ones ascending, then the rest as inserted (19.5)."""
    keys = list(mapping)
    numeric = sorted((key for key in keys if is_integer_key(key)), key=int)
    if not numeric:
        return keys
    return numeric + [key for key in keys if not is_integer_key(key)]


def ordered_items(mapping: Mapping[str, _T]) -> list[tuple[str, _T]]:
    """The items in JavaScript iteration order (spec: app-runtime 19.5)."""
    return [(key, mapping[key]) for key in key_order(mapping)]


def strict_equal(left: Value, right: Value) -> bool:
    """``===``: numbers by value as doubles, lists and objects by identity (spec: app-runtime 6.3)."""
    if is_number(left) and is_number(right):
        return as_double(left) == as_double(right)
    if isinstance(left, (list, dict)):
        return left is right
    return type(left) is type(right) and left == right


def deep_equal(left: Value, right: Value) -> bool:
    """Equal JSON content: 1 equals 1.0, true does not equal 1, key order does not matter, NaN equals NaN.

    Integers are compared exactly, also beyond 2^53 (spec: harness 14.34).
    """
    pairs: list[tuple[Value, Value]] = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        if one is other:
            continue
        if is_record(one) and is_record(other):
            if one.keys() != other.keys():
                return False
            pairs.extend((one[key], other[key]) for key in one)
        elif is_list(one) and is_list(other):
            if len(one) != len(other):
                return False
            pairs.extend(zip(one, other, strict=True))
        elif is_number(one) and is_number(other):
            if one != other and not (one != one and other != other):
                return False
        elif type(one) is not type(other) or one != other:
            return False
    return True


def utf16_length(text: str) -> int:
    """The length in UTF-16 code units (spec: app-runtime 19.8)."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def utf16_slice(text: str, limit: int) -> str:
    """The first `limit` UTF-16 code units; a surrogate pair may be cut (spec: app-runtime 19.8)."""
    if text.isascii():
        return text[:limit]
    return text.encode("utf-16-le", "surrogatepass")[: 2 * limit].decode("utf-16-le", "surrogatepass")
