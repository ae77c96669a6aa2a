"""Arithmetic (``greenrun.math.*``)."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any, ClassVar

from greenrun.document.values import is_number
from greenrun.workflows.expressions import ExpressionError, evaluate
from greenrun.workflows.node import Node, NodeContext, NodeError, OutputSpec, node_type
from greenrun.workflows.ports import Anything, Number, PortType, Text, Whole, kind_of, to_finite_number

MAX_DIGITS = 15

Comparison = Annotated[Text, PortType("enum", options=("==", "!=", "<", "<=", ">", ">="))]

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _finite(result: int | float) -> int | float:
    try:
        is_finite = math.isfinite(result)
    except OverflowError:
        is_finite = False
    if not is_finite:
        raise NodeError("the result is too large")
    return result


@node_type("greenrun.math.Add", output="float")
def add(a: Number = 0, b: Number = 0) -> int | float:
    """a + b."""
    return _finite(a + b)


@node_type("greenrun.math.Subtract", output="float")
def subtract(a: Number = 0, b: Number = 0) -> int | float:
    """a - b."""
    return _finite(a - b)


@node_type("greenrun.math.Multiply", output="float")
def multiply(a: Number = 1, b: Number = 1) -> int | float:
    """a times b."""
    return _finite(a * b)


@node_type("greenrun.math.Divide", output="float")
def divide(a: Number = 0, b: Number = 1) -> int | float:
    """a divided by b."""
    if b == 0:
        raise NodeError("division by zero: b is 0")
    result = a / b
    return int(result) if isinstance(a, int) and isinstance(b, int) and a % b == 0 else _finite(result)


@node_type("greenrun.math.Round", output="float")
def round_number(value: Number = 0, digits: Whole = 0) -> int | float:
    """The number with so many decimals, halves away from zero; without decimals it is a whole number."""
    digits = max(-MAX_DIGITS, min(digits, MAX_DIGITS))
    rounded = Decimal(repr(value)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    return float(rounded) if digits > 0 else int(rounded)


@node_type("greenrun.math.Compare")
def compare(a: Anything = 0, b: Anything = 0, operator: Comparison = "==") -> bool:
    """True when the comparison holds; numbers are compared as numbers, also where they are written as text."""
    function = _COMPARISONS.get(operator)
    if function is None:
        raise NodeError(f'"{operator}" is no comparison; use one of {", ".join(_COMPARISONS)}')
    left, right = _comparable(a), _comparable(b)
    if is_number(left) != is_number(right) or not isinstance(left, (int, float, str)):
        if operator in ("==", "!="):
            return function(left, right)
        raise NodeError(f"{kind_of(a)} and {kind_of(b)} have no order")
    return function(left, right)


def _comparable(value: Any) -> Any:
    try:
        return to_finite_number(value)
    except ValueError:
        return value


class Formula(Node):
    """Computes an expression over its inputs, such as ``price * (1 + tax)``."""

    node_type: ClassVar[str] = "greenrun.math.Formula"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "any"),)
    dynamic_inputs: ClassVar[bool] = True

    expression: Annotated[Text, PortType("str", required=True)] = ""

    async def process(self, context: NodeContext) -> dict[str, Any]:
        values = {name: _comparable(value) if isinstance(value, str) else value for name, value in self.dynamic.items()}
        try:
            result = evaluate(self.expression, values)
        except ExpressionError as error:
            raise NodeError(f"the formula cannot be computed: {error}") from None
        return {"output": _finite(result) if is_number(result) else result}


NODES: tuple[type[Node], ...] = (add, subtract, multiply, divide, round_number, compare, Formula)
