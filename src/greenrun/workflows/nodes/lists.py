"""Lists that are made from scratch or by repetition (spec: nodes B2, ``nodetool.list.*``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from greenrun.workflows.node import Node, NodeError, node_type
from greenrun.workflows.ports import NO_ITEMS, Anything, Items, Whole

DEFAULT_LIMIT = 10_000
CEILING = 1_000_000
"""No list is made longer than this, whatever the node is set to."""


def _within(length: int, limit: int) -> None:
    if length > min(limit, CEILING):
        bound = f"max_output_length {limit}" if limit <= CEILING else f"{CEILING}, the most there can be"
        raise NodeError(f"the list would have {length} items, more than {bound}; make it shorter")


@node_type("nodetool.list.Range")
def number_range(
    start: Whole = 0,
    stop: Whole = -1,
    count: Whole = 10,
    step: Whole = 1,
    max_output_length: Whole = DEFAULT_LIMIT,
) -> list[int]:
    """Numbers from `start` with a step: up to `stop`, or `count` of them when `stop` is -1."""
    if step == 0:
        raise NodeError("step must not be 0")
    numbers = range(start, start + max(count, 0) * step, step) if stop == -1 else range(start, stop, step)
    _within(len(numbers), max_output_length)
    return list(numbers)


@node_type("nodetool.list.Tile", output="list[any]")
def tile(input_list: Items = NO_ITEMS, times: Whole = 1, max_output_length: Whole = DEFAULT_LIMIT) -> list[Any]:
    """The list several times in a row."""
    _within(len(input_list) * max(times, 0), max_output_length)
    return input_list * times


@node_type("nodetool.list.RepeatEach", output="list[any]")
def repeat_each(input_list: Items = NO_ITEMS, times: Whole = 1, max_output_length: Whole = DEFAULT_LIMIT) -> list[Any]:
    """Every item several times in a row."""
    _within(len(input_list) * max(times, 0), max_output_length)
    return list(_each(input_list, times))


def _each(items: list[Any], times: int) -> Iterator[Any]:
    for item in items:
        for _ in range(times):
            yield item


@node_type("nodetool.list.RepeatValue", output="list[any]")
def repeat_value(value: Anything = None, times: Whole = 1, max_output_length: Whole = DEFAULT_LIMIT) -> list[Any]:
    """A list of one value several times."""
    _within(max(times, 0), max_output_length)
    return [value] * times


NODES: tuple[type[Node], ...] = (number_range, tile, repeat_each, repeat_value)
