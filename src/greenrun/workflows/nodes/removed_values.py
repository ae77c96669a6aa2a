"""Old types for lists, records and booleans, each under its old name, as far as they mean one thing (spec: nodes B3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Annotated, Any, ClassVar, Final

from greenrun.document.js import truthy
from greenrun.document.values import is_record
from greenrun.workflows.node import Node, NodeContext, NodeError, OutputSpec, node_type
from greenrun.workflows.nodes.json_values import read_value
from greenrun.workflows.nodes.list_values import computed, flatten, identity, numbers_of, sort_key
from greenrun.workflows.ports import (
    NO_ITEMS,
    NO_MEMBERS,
    Anything,
    Flag,
    Items,
    Number,
    PortType,
    Record,
    Text,
    TextItems,
    Whole,
    kind_of,
    to_plain_text,
)

MAX_BITS: Final = 14_000
"""Most bits of a product, some 4,000 digits; Python writes no number of many more, and takes long to compute it."""

_LOGIC: Final[dict[str, Callable[[bool, bool], bool]]] = {
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "xor": lambda a, b: a != b,
    "nand": lambda a, b: not (a and b),
    "nor": lambda a, b: not (a or b),
}
_COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
}

Logic = Annotated[Text, PortType("enum", options=tuple(_LOGIC))]
Comparison = Annotated[Text, PortType("enum", options=tuple(_COMPARISONS))]
Order = Annotated[Text, PortType("enum", options=("ascending", "descending"))]
Conflict = Annotated[Text, PortType("enum", options=("first", "last", "error"))]


def _chosen(table: dict[str, Any], name: str) -> Any:
    if name not in table:
        raise NodeError(f'there is no "{name}" here; use one of {", ".join(table)}')
    return table[name]


@node_type("nodetool.boolean.ConditionalSwitch")
def conditional_switch(condition: Flag = False, if_true: Anything = None, if_false: Anything = None) -> Any:
    """One of two values, by a condition."""
    return if_true if condition else if_false


@node_type("nodetool.boolean.LogicalOperator")
def logical_operator(a: Flag = False, b: Flag = False, operation: Logic = "and") -> bool:
    """Two booleans joined by and, or, xor, nand or nor."""
    return _chosen(_LOGIC, operation)(a, b)


@node_type("nodetool.boolean.Not")
def negation(value: Flag = False) -> bool:
    """True for false, and false for true."""
    return not value


@node_type("nodetool.boolean.Compare")
def compare(a: Number = 0, b: Number = 0, comparison: Comparison = "==") -> bool:
    """Whether two numbers compare as asked."""
    return _chosen(_COMPARISONS, comparison)(a, b)


@node_type("nodetool.boolean.IsNone")
def is_none(value: Anything = None) -> bool:
    """Whether there is no value."""
    return value is None


@node_type("nodetool.boolean.IsIn")
def is_in(value: Anything = None, options: Items = NO_ITEMS) -> bool:
    """Whether a value is one of a list."""
    wanted = identity(value)
    return any(identity(option) == wanted for option in options)


@node_type("nodetool.boolean.All")
def all_of(values: Items = NO_ITEMS) -> bool:
    """Whether every item is true; so it is for none."""
    return all(truthy(value) for value in values)


@node_type("nodetool.boolean.Some")
def some_of(values: Items = NO_ITEMS) -> bool:
    """Whether an item is true."""
    return any(truthy(value) for value in values)


@node_type("nodetool.dictionary.GetValue")
def get_value(dictionary: Record = NO_MEMBERS, key: Text = "", default: Anything = None) -> Any:
    """A member of a record, or the default."""
    return dictionary.get(key, default)


@node_type("nodetool.dictionary.Update")
def update(dictionary: Record = NO_MEMBERS, new_pairs: Record = NO_MEMBERS) -> dict[str, Any]:
    """A record with members added or replaced."""
    return {**dictionary, **new_pairs}


@node_type("nodetool.dictionary.Combine")
def combine(dict_a: Record = NO_MEMBERS, dict_b: Record = NO_MEMBERS) -> dict[str, Any]:
    """The members of two records; where both have one, the second's."""
    return {**dict_a, **dict_b}


@node_type("nodetool.dictionary.Remove")
def remove(dictionary: Record = NO_MEMBERS, key: Text = "") -> dict[str, Any]:
    """A record without one of its members."""
    return {name: value for name, value in dictionary.items() if name != key}


@node_type("nodetool.dictionary.Filter")
def only_keys(dictionary: Record = NO_MEMBERS, keys: TextItems = NO_ITEMS) -> dict[str, Any]:
    """The members of a record with these names."""
    names = [to_plain_text(key) for key in keys]
    return {name: dictionary[name] for name in names if name in dictionary}


@node_type("nodetool.dictionary.ParseJSON")
def parse_json(json_string: Text = "") -> dict[str, Any]:
    """The record that a JSON text stands for."""
    value = read_value(json_string)
    if not is_record(value):
        raise NodeError(f"the text stands for {kind_of(value)}, not for a record")
    return value


@node_type("nodetool.dictionary.Zip")
def zipped(keys: Items = NO_ITEMS, values: Items = NO_ITEMS) -> dict[str, Any]:
    """A record from a list of names and a list of values."""
    return {to_plain_text(key): value for key, value in zip(keys, values, strict=False)}


@node_type("nodetool.dictionary.ReduceDictionaries")
def reduce_dictionaries(
    dictionaries: Items = NO_ITEMS,
    key_field: Text = "",
    value_field: Text = "",
    conflict_resolution: Conflict = "first",
) -> dict[str, Any]:
    """One record from many: each stands under one of its members, with another one or with the rest as value."""
    reduced: dict[str, Any] = {}
    for place, record in enumerate(dictionaries):
        if not is_record(record):
            raise NodeError(f"item {place} is {kind_of(record)}, not a record")
        for name in (key_field, *([value_field] if value_field else [])):
            if name not in record:
                raise NodeError(f'item {place} has no "{name}"')
        key = to_plain_text(record[key_field])
        rest = {name: value for name, value in record.items() if name != key_field}
        if key in reduced and conflict_resolution == "error":
            raise NodeError(f'item {place} has "{key}" as "{key_field}" again')
        if key not in reduced or conflict_resolution == "last":
            reduced[key] = record[value_field] if value_field else rest
    return reduced


@node_type("nodetool.dictionary.ArgMax")
def arg_max(scores: Record = NO_MEMBERS) -> str:
    """The name of the member with the highest number."""
    given = {name: score for name, score in scores.items() if score is not None}
    if not given:
        raise NodeError("the record has no numbers")
    numbers = numbers_of(given.values())
    return list(given)[numbers.index(max(numbers))]


class MakeDictionary(Node):
    """A record of its inputs."""

    node_type: ClassVar[str] = "nodetool.dictionary.MakeDictionary"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "dict"),)
    dynamic_inputs: ClassVar[bool] = True

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": dict(self.dynamic)}


def _distinct(items: Iterable[Any]) -> dict[str, Any]:
    """The items by what makes them equal, each where it first stood."""
    kept: dict[str, Any] = {}
    for item in items:
        kept.setdefault(identity(item), item)
    return kept


def _some(values: list[Any]) -> list[int | float]:
    numbers = numbers_of(values)
    if not numbers:
        raise NodeError("the list has no numbers")
    return numbers


def _multiplied(one: int | float, other: int | float) -> int | float:
    if isinstance(one, int) and isinstance(other, int) and one.bit_length() + other.bit_length() > MAX_BITS:
        raise OverflowError
    return one * other


@node_type("nodetool.list.Append", output="list[any]")
def append(values: Items = NO_ITEMS, value: Anything = None) -> list[Any]:
    """The list with one more item at its end."""
    return [*values, value]


@node_type("nodetool.list.Extend", output="list[any]")
def extend(values: Items = NO_ITEMS, other_values: Items = NO_ITEMS) -> list[Any]:
    """One list after the other."""
    return [*values, *other_values]


@node_type("nodetool.list.Length")
def length(values: Items = NO_ITEMS) -> int:
    """The number of items."""
    return len(values)


@node_type("nodetool.list.Reverse", output="list[any]")
def reverse(values: Items = NO_ITEMS) -> list[Any]:
    """The items from last to first."""
    return values[::-1]


@node_type("nodetool.list.Slice", output="list[any]")
def slice_list(values: Items = NO_ITEMS, start: Whole = 0, stop: Whole = 0, step: Whole = 1) -> list[Any]:
    """Some of the items, as Python slices them; stop 0 is the end of the list."""
    if not step:
        raise NodeError("step must not be 0")
    return values[start : stop or None : step]


@node_type("nodetool.list.GetElement")
def get_element(values: Items = NO_ITEMS, index: Whole = 0) -> Any:
    """One item; negative positions count from the end."""
    return _item(values, index)


@node_type("nodetool.list.SelectElements", output="list[any]")
def select_elements(values: Items = NO_ITEMS, indices: Annotated[Items, PortType("list[int]")] = NO_ITEMS) -> list[Any]:
    """The items at these positions, in the order of the positions."""
    return [_item(values, int(index)) for index in numbers_of(indices)]


def _item(values: list[Any], index: int) -> Any:
    if not -len(values) <= index < len(values):
        raise NodeError(f"there is no item {index} in a list of {len(values)}")
    return values[index]


@node_type("nodetool.list.Sort", output="list[any]")
def sort(values: Items = NO_ITEMS, order: Order = "ascending") -> list[Any]:
    """The items in order; numbers come before texts."""
    return sorted(values, key=sort_key, reverse=order == "descending")


@node_type("nodetool.list.Dedupe", output="list[any]")
def dedupe(values: Items = NO_ITEMS) -> list[Any]:
    """Each item once, where it first stood."""
    return list(_distinct(values).values())


@node_type("nodetool.list.Union", output="list[any]")
def union(list1: Items = NO_ITEMS, list2: Items = NO_ITEMS) -> list[Any]:
    """The items of both lists, each once."""
    return list(_distinct([*list1, *list2]).values())


@node_type("nodetool.list.Intersection", output="list[any]")
def intersection(list1: Items = NO_ITEMS, list2: Items = NO_ITEMS) -> list[Any]:
    """The items that both lists have, each once, in the order of the first."""
    other = _distinct(list2)
    return [item for key, item in _distinct(list1).items() if key in other]


@node_type("nodetool.list.Difference", output="list[any]")
def difference(list1: Items = NO_ITEMS, list2: Items = NO_ITEMS) -> list[Any]:
    """The items of the first list that the second has not, each once."""
    other = _distinct(list2)
    return [item for key, item in _distinct(list1).items() if key not in other]


@node_type("nodetool.list.Chunk", output="list[any]")
def chunk(values: Items = NO_ITEMS, chunk_size: Whole = 1) -> list[Any]:
    """The list in pieces of a number of items; the last one may be shorter."""
    if chunk_size < 1:
        raise NodeError("chunk_size must be at least 1")
    return [values[start : start + chunk_size] for start in range(0, len(values), chunk_size)]


@node_type("nodetool.list.Flatten", output="list[any]")
async def flatten_list(values: Items = NO_ITEMS, max_depth: Whole = -1) -> list[Any]:
    """Lists inside the list spread into it, as deep as `max_depth` says; -1 is without limit."""
    node: Any = flatten.model_validate({"values": values, "depth": max_depth})
    return (await node.process(None))["output"]


@node_type("nodetool.list.Sum", output="float")
def total(values: Items = NO_ITEMS) -> int | float:
    """The sum of the numbers."""
    return computed(lambda: sum(_some(values)))


@node_type("nodetool.list.Product", output="float")
def product(values: Items = NO_ITEMS) -> int | float:
    """The product of the numbers."""
    return computed(lambda: reduce(_multiplied, _some(values)))


@node_type("nodetool.list.Average")
def average(values: Items = NO_ITEMS) -> float:
    """The average of the numbers."""
    numbers = _some(values)
    return computed(lambda: sum(numbers) / len(numbers))


@node_type("nodetool.list.Minimum", output="float")
def minimum(values: Items = NO_ITEMS) -> int | float:
    """The smallest number."""
    return min(_some(values))


@node_type("nodetool.list.Maximum", output="float")
def maximum(values: Items = NO_ITEMS) -> int | float:
    """The largest number."""
    return max(_some(values))


NODES: tuple[type[Node], ...] = (
    conditional_switch,
    logical_operator,
    negation,
    compare,
    is_none,
    is_in,
    all_of,
    some_of,
    get_value,
    update,
    combine,
    remove,
    only_keys,
    parse_json,
    zipped,
    reduce_dictionaries,
    arg_max,
    MakeDictionary,
    append,
    extend,
    length,
    reverse,
    slice_list,
    get_element,
    select_elements,
    sort,
    dedupe,
    union,
    intersection,
    difference,
    chunk,
    flatten_list,
    total,
    product,
    average,
    minimum,
    maximum,
)
