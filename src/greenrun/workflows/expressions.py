"""Small expressions in node properties (predicates, keys, formulas), evaluated without `eval`.

A whitelist over Python's own syntax tree: literals, names that are given, arithmetic, comparisons, and / or / not,
a if b else c, indexing, member access on records, and a few functions. ``&&``, ``||``, ``!``, ``===``, ``true``, ``false``
and ``null`` are understood too.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from greenrun.workflows.ports import kind_of

MAX_LENGTH: Final = 2_000
MAX_NODES: Final = 500
MAX_DEPTH: Final = 60
MAX_SIZE: Final = 100_000
"""Most characters or items that an expression may build."""
MAX_EXPONENT: Final = 1_000
MAX_BITS: Final = 4_000
MAX_DIGITS: Final = 400
"""Most digits before or after the point that a number is rounded to."""
MAX_COPIES: Final = 1_000_000
"""Most characters and items, counted all the way down, that repeating a list may build."""

_CONSTANTS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None, "pi": math.pi, "e": math.e}
_TOKEN: Final = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|===|!==|&&|\|\||!(?!=)""")
_REWRITTEN: Final = {"===": "==", "!==": "!=", "&&": " and ", "||": " or ", "!": " not "}


class ExpressionError(ValueError):
    """The expression is not allowed, or cannot be computed for these values."""


def _power(base: Any, exponent: Any) -> Any:
    if abs(exponent) > MAX_EXPONENT or (isinstance(base, int) and base.bit_length() * abs(exponent) > MAX_BITS):
        raise ExpressionError("the power is too large")
    result = base**exponent
    if isinstance(result, complex):
        raise ExpressionError("the power is not a real number")
    return result


def _multiply(left: Any, right: Any) -> Any:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, (str, list)) and isinstance(other, int) and len(one) * max(other, 0) > MAX_SIZE:
            raise ExpressionError("the result is too large")
        if isinstance(one, list) and isinstance(other, int) and other > 1 and _weight(one, MAX_COPIES // other) is None:
            raise ExpressionError("the result is too large")
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right.bit_length() > MAX_BITS:
        raise ExpressionError("the product is too large")
    return left * right


def _weight(value: Any, limit: int) -> int | None:
    """Characters and items of a value, counted all the way down; None when there are more than `limit`."""
    weight = 0
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, (dict, list)):
            pending.extend(item.values() if isinstance(item, dict) else item)
        weight += len(item) if isinstance(item, str) else 1
        if weight > limit or len(pending) > limit:
            return None
    return weight


def _add(left: Any, right: Any) -> Any:
    if isinstance(left, str) != isinstance(right, str):
        # As JavaScript and people expect: text plus a number is text.
        left, right = (item if isinstance(item, str) else _text(item) for item in (left, right))
    result = left + right
    if isinstance(result, (str, list)) and len(result) > MAX_SIZE:
        raise ExpressionError("the result is too large")
    return result


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _remainder(left: Any, right: Any) -> Any:
    if isinstance(left, str):
        raise ExpressionError('"%" works on numbers only')
    return left % right


def _round(value: Any, digits: int | None = None) -> Any:
    # To so many zeros, a number is first written out.
    if digits is not None and abs(digits) > MAX_DIGITS:
        raise ExpressionError(f"a number is rounded to at most {MAX_DIGITS} digits")
    return round(value, digits)


_BINARY: Final[dict[type[ast.AST], Callable[[Any, Any], Any]]] = {
    ast.Add: _add,
    ast.Sub: operator.sub,
    ast.Mult: _multiply,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _remainder,
    ast.Pow: _power,
}
_UNARY: Final[dict[type[ast.AST], Callable[[Any], Any]]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_COMPARISONS: Final[dict[type[ast.AST], Callable[[Any, Any], Any]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
    ast.Is: lambda left, right: left is right,
    ast.IsNot: lambda left, right: left is not right,
}
FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "abs": abs,
    "bool": bool,
    "ceil": math.ceil,
    "contains": lambda text, part: part in text,
    "cos": math.cos,
    "exp": math.exp,
    "float": float,
    "floor": math.floor,
    "int": int,
    "len": len,
    "log": math.log,
    "lower": lambda text: str(text).lower(),
    "max": max,
    "min": min,
    "round": _round,
    "sin": math.sin,
    "sqrt": math.sqrt,
    "str": _text,
    "sum": sum,
    "tan": math.tan,
    "upper": lambda text: str(text).upper(),
}
_METHODS: Final[dict[str, Callable[..., Any]]] = {
    "endsWith": str.endswith,
    "endswith": str.endswith,
    "includes": lambda value, part: part in value,
    "lower": str.lower,
    "startsWith": str.startswith,
    "startswith": str.startswith,
    "strip": str.strip,
    "toLowerCase": str.lower,
    "toUpperCase": str.upper,
    "trim": str.strip,
    "upper": str.upper,
}


def evaluate(expression: str, values: Mapping[str, Any]) -> Any:
    """The value of an expression over named values.

    Raises:
        ExpressionError: It cannot be read, uses something that is not allowed, or fails for these values.
    """
    tree = _parsed(expression)
    try:
        return _value(tree, values)
    except ExpressionError:
        raise
    except (ArithmeticError, TypeError, ValueError, LookupError, AttributeError) as error:
        raise ExpressionError(f"{type(error).__name__}: {error}") from None


def is_true(expression: str, item: Any, *, index: int = 0) -> bool:
    """The truth of a predicate over ``item`` and ``index``; one that fails counts as false (spec: nodes B2)."""
    try:
        return bool(evaluate(expression, {"item": item, "index": index}))
    except ExpressionError:
        return False


@lru_cache(maxsize=256)
def _parsed(expression: str) -> ast.expr:
    if len(expression) > MAX_LENGTH:
        raise ExpressionError(f"the expression is longer than {MAX_LENGTH} characters")
    text = _TOKEN.sub(lambda match: match[1] or _REWRITTEN[match[0]], expression).strip()
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(f'"{expression[:80]}" is not an expression') from None
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES or _depth(tree) > MAX_DEPTH:
        raise ExpressionError("the expression is too long")
    return tree


def _depth(tree: ast.AST) -> int:
    level, nodes = 0, [tree]
    while nodes:
        level += 1
        nodes = [child for node in nodes for child in ast.iter_child_nodes(node)]
    return level


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=value) if value is None or isinstance(value, (bool, int, float, str)):
            return value
        case ast.Name(id=name):
            return _named(name, values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, values), _value(right, values))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
            return _UNARY[type(op)](_value(operand, values))
        case ast.BoolOp(op=op, values=operands):
            return _chain(operands, values, stop_at=isinstance(op, ast.Or))
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            return _compared(_value(left, values), ops, comparators, values)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _value(body if _value(test, values) else orelse, values)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, values) for item in items]
        case ast.Subscript(value=target, slice=ast.Slice(lower=lower, upper=upper, step=None)):
            bounds = [None if bound is None else _value(bound, values) for bound in (lower, upper)]
            return _value(target, values)[slice(*bounds)]
        case ast.Subscript(value=target, slice=key):
            return _member(_value(target, values), _value(key, values))
        case ast.Attribute(value=target, attr=name):
            return _attribute(_value(target, values), name)
        case ast.Call(func=function, args=arguments, keywords=[]):
            return _called(function, [_value(argument, values) for argument in arguments], values)
    raise ExpressionError(f"{type(node).__name__} is not allowed in an expression")


def _named(name: str, values: Mapping[str, Any]) -> Any:
    if name in values:
        return values[name]
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    raise ExpressionError(f'"{name}" is not defined; known: {", ".join(sorted(values)) or "nothing"}')


def _chain(operands: list[ast.expr], values: Mapping[str, Any], *, stop_at: bool) -> Any:
    value: Any = None
    for operand in operands:
        value = _value(operand, values)
        if bool(value) is stop_at:
            break
    return value


def _compared(left: Any, ops: list[ast.cmpop], comparators: list[ast.expr], values: Mapping[str, Any]) -> bool:
    for op, comparator in zip(ops, comparators, strict=True):
        right = _value(comparator, values)
        if not _COMPARISONS[type(op)](left, right):
            return False
        left = right
    return True


def _member(target: Any, key: Any) -> Any:
    if isinstance(target, dict):
        return target.get(key)
    if isinstance(target, (list, str)) and isinstance(key, int):
        return target[key]
    raise ExpressionError(f"{kind_of(target)} has no members")


def _attribute(target: Any, name: str) -> Any:
    if isinstance(target, dict):
        return target.get(name)
    if name == "length" and isinstance(target, (str, list)):
        return len(target)
    raise ExpressionError(f'{kind_of(target)} has no member "{name}"')


def _called(function: ast.expr, arguments: list[Any], values: Mapping[str, Any]) -> Any:
    match function:
        case ast.Name(id=name) if name in FUNCTIONS:
            return FUNCTIONS[name](*arguments)
        case ast.Attribute(value=target, attr=name) if name in _METHODS:
            return _METHODS[name](_value(target, values), *arguments)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            raise ExpressionError(f'there is no function "{name}"; known: {", ".join(sorted(FUNCTIONS))}')
    raise ExpressionError("only named functions can be called")
