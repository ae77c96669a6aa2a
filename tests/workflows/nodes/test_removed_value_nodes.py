from __future__ import annotations

from typing import Any

import pytest

from greenrun.workflows.node import NodeError
from tests.workflows.nodes.firing import output


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("boolean.ConditionalSwitch", {"condition": True, "if_true": 1, "if_false": 2}, 1),
        ("boolean.ConditionalSwitch", {"if_true": 1, "if_false": 2}, 2),
        ("boolean.LogicalOperator", {"a": True, "b": False}, False),
        ("boolean.LogicalOperator", {"a": True, "b": False, "operation": "or"}, True),
        ("boolean.LogicalOperator", {"a": True, "b": True, "operation": "xor"}, False),
        ("boolean.LogicalOperator", {"a": True, "b": True, "operation": "nand"}, False),
        ("boolean.LogicalOperator", {"operation": "nor"}, True),
        ("boolean.Not", {"value": True}, False),
        ("boolean.Compare", {"a": 1, "b": "1"}, True),
        ("boolean.Compare", {"a": 1, "b": 2, "comparison": "!="}, True),
        ("boolean.Compare", {"a": 1, "b": 2, "comparison": ">"}, False),
        ("boolean.Compare", {"a": 1, "b": 2, "comparison": "<"}, True),
        ("boolean.Compare", {"a": 2, "b": 2, "comparison": ">="}, True),
        ("boolean.Compare", {"a": 3, "b": 2, "comparison": "<="}, False),
        ("boolean.IsNone", {}, True),
        ("boolean.IsNone", {"value": 0}, False),
        ("boolean.IsIn", {"value": {"a": 1}, "options": [{"a": 1}]}, True),
        ("boolean.IsIn", {"value": True, "options": [1]}, False),
        ("boolean.All", {"values": [True, 1]}, True),
        ("boolean.All", {"values": [True, 0]}, False),
        ("boolean.Some", {"values": [0, "x"]}, True),
        ("boolean.Some", {"values": []}, False),
        ("dictionary.GetValue", {"dictionary": {"a": 1}, "key": "a"}, 1),
        ("dictionary.GetValue", {"dictionary": {"a": 1}, "key": "b", "default": 2}, 2),
        ("dictionary.Update", {"dictionary": {"a": 1}, "new_pairs": {"a": 2, "b": 3}}, {"a": 2, "b": 3}),
        ("dictionary.Combine", {"dict_a": {"a": 1}, "dict_b": {"b": 3}}, {"a": 1, "b": 3}),
        ("dictionary.Remove", {"dictionary": {"a": 1, "b": 2}, "key": "a"}, {"b": 2}),
        ("dictionary.Filter", {"dictionary": {"a": 1, "b": 2}, "keys": ["b", "c"]}, {"b": 2}),
        ("dictionary.ParseJSON", {"json_string": '{"a": 1}'}, {"a": 1}),
        ("dictionary.Zip", {"keys": ["a", 1], "values": [1, 2, 3]}, {"a": 1, "1": 2}),
        ("dictionary.MakeDictionary", {"a": 1, "b": None}, {"a": 1, "b": None}),
        ("dictionary.ArgMax", {"scores": {"a": 1, "b": 3, "c": None}}, "b"),
        ("list.Append", {"values": [1], "value": 2}, [1, 2]),
        ("list.Extend", {"values": [1], "other_values": [2]}, [1, 2]),
        ("list.Length", {"values": [1, 2]}, 2),
        ("list.Reverse", {"values": [1, 2]}, [2, 1]),
        ("list.Slice", {"values": [1, 2, 3, 4], "start": 1}, [2, 3, 4]),
        ("list.Slice", {"values": [1, 2, 3, 4], "stop": 3, "step": 2}, [1, 3]),
        ("list.GetElement", {"values": [1, 2], "index": -1}, 2),
        ("list.SelectElements", {"values": ["a", "b"], "indices": [1, 0, 1]}, ["b", "a", "b"]),
        ("list.Sort", {"values": ["b", 2, "a", 1]}, [1, 2, "a", "b"]),
        ("list.Sort", {"values": [1, 2], "order": "descending"}, [2, 1]),
        ("list.Dedupe", {"values": [2, 1, 2, {"a": 1}, {"a": 1}]}, [2, 1, {"a": 1}]),
        ("list.Union", {"list1": [1, 2], "list2": [2, 3]}, [1, 2, 3]),
        ("list.Intersection", {"list1": [3, 2, 2], "list2": [2, 3]}, [3, 2]),
        ("list.Difference", {"list1": [1, 2, 1], "list2": [2]}, [1]),
        ("list.Chunk", {"values": [1, 2, 3], "chunk_size": 2}, [[1, 2], [3]]),
        ("list.Flatten", {"values": [1, [2, [3]]]}, [1, 2, 3]),
        ("list.Flatten", {"values": [1, [2, [3]]], "max_depth": 1}, [1, 2, [3]]),
        ("list.Sum", {"values": [1, "2", None]}, 3),
        ("list.Product", {"values": [2, 3]}, 6),
        ("list.Average", {"values": [1, 2]}, 1.5),
        ("list.Minimum", {"values": [2, 1]}, 1),
        ("list.Maximum", {"values": [2, 1]}, 2),
    ],
)
async def test_old_type_gives_what_it_gave(name: str, values: dict[str, Any], expected: Any) -> None:
    assert await output(f"nodetool.{name}", **values) == expected


ROWS = [{"id": 1, "name": "a", "n": 5}, {"id": 2, "name": "b", "n": 6}, {"id": 1, "name": "c", "n": 7}]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"value_field": "name"}, {"1": "a", "2": "b"}),
        ({"value_field": "name", "conflict_resolution": "last"}, {"1": "c", "2": "b"}),
        ({}, {"1": {"name": "a", "n": 5}, "2": {"name": "b", "n": 6}}),
    ],
)
async def test_records_are_reduced_to_one(values: dict[str, Any], expected: Any) -> None:
    assert (
        await output("nodetool.dictionary.ReduceDictionaries", dictionaries=ROWS, key_field="id", **values) == expected
    )


@pytest.mark.parametrize(
    ("name", "values", "part"),
    [
        ("boolean.LogicalOperator", {"operation": "maybe"}, 'no "maybe" here; use one of and, or'),
        ("boolean.Compare", {"comparison": "~"}, 'no "~" here'),
        ("dictionary.ParseJSON", {"json_string": "[1]"}, "a list, not for a record"),
        ("dictionary.ArgMax", {}, "has no numbers"),
        ("dictionary.ReduceDictionaries", {"dictionaries": [1]}, "item 0 is a number"),
        ("dictionary.ReduceDictionaries", {"dictionaries": ROWS, "key_field": "x"}, 'item 0 has no "x"'),
        (
            "dictionary.ReduceDictionaries",
            {"dictionaries": ROWS, "key_field": "id", "value_field": "x"},
            'item 0 has no "x"',
        ),
        (
            "dictionary.ReduceDictionaries",
            {"dictionaries": ROWS, "key_field": "id", "conflict_resolution": "error"},
            'item 2 has "1" as "id" again',
        ),
        ("list.Slice", {"values": [1], "step": 0}, "step must not be 0"),
        ("list.GetElement", {"values": [1], "index": 1}, "no item 1 in a list of 1"),
        ("list.SelectElements", {"values": [1], "indices": [5]}, "no item 5"),
        ("list.Chunk", {"chunk_size": 0}, "at least 1"),
        ("list.Sum", {}, "the list has no numbers"),
        ("list.Average", {"values": [None]}, "the list has no numbers"),
        ("list.Maximum", {"values": ["x"]}, "item 0"),
    ],
)
async def test_value_that_does_not_fit_is_an_error(name: str, values: dict[str, Any], part: str) -> None:
    with pytest.raises(NodeError, match=part):
        await output(f"nodetool.{name}", **values)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("Product", [2**1000] * 3000),
        ("Product", [10**300] * 3000),
        ("Product", [10**400, 1.5]),
        ("Sum", [10**400, 1.5]),
        ("Average", [10**400, 1]),
    ],
)
async def test_result_that_is_no_number_any_more_is_an_error(name: str, values: list[Any]) -> None:
    with pytest.raises(NodeError, match="the result is too large for a number"):
        await output(f"nodetool.list.{name}", values=values)


async def test_product_may_have_thousands_of_digits() -> None:
    assert await output("nodetool.list.Product", values=[10] * 4000) == 10**4000
