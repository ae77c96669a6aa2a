"""Work on lists (``greenrun.list.*``)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeVar

from greenrun.document.errors import JsonWriteError
from greenrun.document.js import display_text
from greenrun.document.json_text import canonical_json
from greenrun.document.values import is_number, is_record
from greenrun.workflows.node import Node, NodeError, node_type
from greenrun.workflows.ports import NO_ITEMS, Anything, Flag, Items, PortType, Text, Whole, to_finite_number

T = TypeVar("T")


def identity(value: Any) -> str:
    """A text that two values share exactly when they are equal as JSON."""
    try:
        return canonical_json(value)
    except JsonWriteError:
        return repr(value)


def sort_key(value: Any) -> tuple[int, Any]:
    """A total order over mixed values: null, numbers, texts without regard to case, everything else by its text."""
    if value is None:
        return (0, 0)
    if is_number(value):
        return (1, -math.inf if math.isnan(value) else value)
    if isinstance(value, str):
        return (2, (value.casefold(), value))
    return (3, (display_text(value), identity(value)))


def numbers_of(items: Iterable[Any]) -> list[int | float]:
    """The items as numbers; nulls are left out.

    Raises:
        NodeError: An item is no number; the text gives its place.
    """
    found: list[int | float] = []
    for place, item in enumerate(items):
        if item is None:
            continue
        try:
            found.append(to_finite_number(item))
        except ValueError as error:
            raise NodeError(f"item {place}: {error}") from None
    return found


@node_type("greenrun.list.Append", output="list[any]")
def append(values: Items = NO_ITEMS, value: Anything = None) -> list[Any]:
    """The list with one more item at its end."""
    return [*values, value]


@node_type("greenrun.list.Length")
def length(values: Items = NO_ITEMS) -> int:
    """The number of items."""
    return len(values)


@node_type("greenrun.list.Sort", output="list[any]")
def sort(values: Items = NO_ITEMS, key: Text = "", descending: Flag = False) -> list[Any]:
    """The items in order; records by their member `key`. Numbers come before texts."""
    return sorted(
        values,
        key=lambda item: sort_key(item.get(key) if key and is_record(item) else item),
        reverse=descending,
    )


@node_type("greenrun.list.Reverse", output="list[any]")
def reverse(values: Items = NO_ITEMS) -> list[Any]:
    """The items from last to first."""
    return values[::-1]


@node_type("greenrun.list.Slice", output="list[any]")
def slice_list(values: Items = NO_ITEMS, start: Whole = 0, stop: Annotated[Any, PortType("int?")] = None) -> list[Any]:
    """The items from `start` to before `stop`; negative positions count from the end, no stop is the end."""
    return values[start : None if stop is None else int(to_finite_number(stop))]


@node_type("greenrun.list.Unique", output="list[any]")
def unique(values: Items = NO_ITEMS) -> list[Any]:
    """Each item once, where it first stood."""
    kept: dict[str, Any] = {}
    for item in values:
        kept.setdefault(identity(item), item)
    return list(kept.values())


@node_type("greenrun.list.Flatten", output="list[any]")
def flatten(values: Items = NO_ITEMS, depth: Whole = 1) -> list[Any]:
    """Lists inside the list spread into it, as deep as `depth` says; -1 is without limit."""
    result = values
    level = 0
    while (depth < 0 or level < depth) and any(isinstance(item, list) for item in result):
        result = [part for item in result for part in (item if isinstance(item, list) else [item])]
        level += 1
    return result


def computed(compute: Callable[[], T]) -> T:
    """The result of a calculation.

    Raises:
        NodeError: It is too large.
    """
    try:
        return compute()
    except OverflowError:
        raise NodeError("the result is too large for a number; use smaller numbers") from None


@node_type("greenrun.list.Sum", output="float")
def total(values: Items = NO_ITEMS) -> int | float:
    """The sum of the numbers; 0 for none."""
    return computed(lambda: sum(numbers_of(values)))


@node_type("greenrun.list.Mean", output="float?")
def mean(values: Items = NO_ITEMS) -> float | None:
    """The average of the numbers; null for none."""
    numbers = numbers_of(values)
    return computed(lambda: sum(numbers) / len(numbers)) if numbers else None


@node_type("greenrun.list.Min", output="float?")
def minimum(values: Items = NO_ITEMS) -> int | float | None:
    """The smallest number; null for none."""
    return min(numbers_of(values), default=None)


@node_type("greenrun.list.Max", output="float?")
def maximum(values: Items = NO_ITEMS) -> int | float | None:
    """The largest number; null for none."""
    return max(numbers_of(values), default=None)


NODES: tuple[type[Node], ...] = (
    append,
    length,
    sort,
    reverse,
    slice_list,
    unique,
    flatten,
    total,
    mean,
    minimum,
    maximum,
)
