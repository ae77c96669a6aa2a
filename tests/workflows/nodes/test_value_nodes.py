from __future__ import annotations

import math
from typing import Any

import pytest
from firing import MemoryContext, fire, generate, output

from greenrun.workflows.node import NodeError
from greenrun.workflows.registry import builtin_types


@pytest.mark.case("NO-B2-6")
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"stop": -1, "count": 3}, [0, 1, 2]),
        ({"start": 2, "stop": 8, "step": 3}, [2, 5]),
        ({"start": 3, "count": 2, "step": -1}, [3, 2]),
        ({"count": -4}, []),
    ],
)
async def test_range_counts(values: dict[str, Any], expected: list[int]) -> None:
    assert await output("Range", **values) == expected


@pytest.mark.case("NO-B2-6")
@pytest.mark.parametrize(
    ("name", "values", "text"),
    [
        ("Range", {"step": 0}, "step must not be 0"),
        ("Range", {"count": 11, "max_output_length": 10}, "max_output_length 10"),
        ("Tile", {"input_list": [1, 2], "times": 6, "max_output_length": 10}, "12 items"),
        ("RepeatEach", {"input_list": [1], "times": 10**12}, "max_output_length"),
        ("Range", {"count": 10**12, "max_output_length": 10**13}, "the most there can be"),
        ("nodetool.list.RepeatValue", {"value": 1, "times": 10**12}, "max_output_length"),
    ],
)
async def test_lists_refuse_to_grow_too_long(name: str, values: dict[str, Any], text: str) -> None:
    with pytest.raises(NodeError, match=text):
        await fire(name, **values)


CALLS: list[tuple[str, dict[str, Any], Any]] = [
    ("nodetool.list.Tile", {"input_list": [1, 2], "times": 2}, [1, 2, 1, 2]),
    ("nodetool.list.RepeatEach", {"input_list": [1, 2], "times": 2}, [1, 1, 2, 2]),
    ("nodetool.list.RepeatValue", {"value": "a", "times": 2}, ["a", "a"]),
    ("greenrun.list.Append", {"values": [1], "value": [2]}, [1, [2]]),
    ("greenrun.list.Length", {"values": [1, None]}, 2),
    ("greenrun.list.Sort", {"values": ["b", 2, None, "A", 1, [0]]}, [None, 1, 2, "A", "b", [0]]),
    ("greenrun.list.Sort", {"values": [1, 3, 2], "descending": True}, [3, 2, 1]),
    ("greenrun.list.Sort", {"values": [{"n": 2}, {"n": 1}], "key": "n"}, [{"n": 1}, {"n": 2}]),
    ("greenrun.list.Sort", {"values": [True, {"a": 1}]}, [{"a": 1}, True]),
    ("greenrun.list.Reverse", {"values": [1, 2]}, [2, 1]),
    ("greenrun.list.Slice", {"values": [1, 2, 3], "start": 1}, [2, 3]),
    ("greenrun.list.Slice", {"values": [1, 2, 3], "stop": "-1"}, [1, 2]),
    ("greenrun.list.Unique", {"values": [1, "1", 1.0, {"a": 1}, {"a": 1.0}]}, [1, "1", {"a": 1}]),
    ("greenrun.list.Unique", {"values": []}, []),
    ("greenrun.list.Flatten", {"values": [1, [2, [3]]]}, [1, 2, [3]]),
    ("greenrun.list.Flatten", {"values": [1, [2, [3]]], "depth": -1}, [1, 2, 3]),
    ("greenrun.list.Flatten", {"values": [1, [2]], "depth": 0}, [1, [2]]),
    ("greenrun.list.Sum", {"values": [1, "2.5", None]}, 3.5),
    ("greenrun.list.Sum", {"values": []}, 0),
    ("greenrun.list.Mean", {"values": [1, 2]}, 1.5),
    ("greenrun.list.Mean", {"values": []}, None),
    ("greenrun.list.Min", {"values": [3, 1]}, 1),
    ("greenrun.list.Max", {"values": []}, None),
    ("greenrun.dictionary.Get", {"record": {"a": {"b": 1}}, "key": "a.b"}, 1),
    ("greenrun.dictionary.Get", {"record": {"a.b": 2, "a": {"b": 1}}, "key": "a.b"}, 2),
    ("greenrun.dictionary.Get", {"record": {"a": 1}, "key": "a.b", "default": "d"}, "d"),
    ("greenrun.dictionary.Set", {"record": {"a": 1}, "key": "b", "value": 2}, {"a": 1, "b": 2}),
    ("greenrun.dictionary.Merge", {"first": {"a": 1, "b": 1}, "second": {"b": 2}}, {"a": 1, "b": 2}),
    (
        "greenrun.dictionary.Merge",
        {"first": {"a": {"x": 1, "y": {"z": 1}}}, "second": {"a": {"y": {"w": 2}}, "b": 3}, "deep": True},
        {"a": {"x": 1, "y": {"z": 1, "w": 2}}, "b": 3},
    ),
    ("greenrun.dictionary.Keys", {"record": {"b": 1, "a": 2}}, ["b", "a"]),
    ("greenrun.dictionary.Keys", {"record": None}, []),
    ("greenrun.dictionary.FromPairs", {"pairs": [["a", 1], {"key": "b", "value": 2}]}, {"a": 1, "b": 2}),
    ("greenrun.math.Add", {"a": "2", "b": 3}, 5),
    ("greenrun.math.Subtract", {"a": 2, "b": 0.5}, 1.5),
    ("greenrun.math.Multiply", {"a": 2, "b": 3}, 6),
    ("greenrun.math.Divide", {"a": 6, "b": 3}, 2),
    ("greenrun.math.Divide", {"a": 1, "b": 4}, 0.25),
    ("greenrun.math.Round", {"value": 2.5}, 3),
    ("greenrun.math.Round", {"value": -2.345, "digits": 2}, -2.35),
    ("greenrun.math.Round", {"value": 1234, "digits": -2}, 1200),
    ("greenrun.math.Compare", {"a": "10", "b": 9, "operator": ">"}, True),
    ("greenrun.math.Compare", {"a": "a", "b": "b", "operator": "<="}, True),
    ("greenrun.math.Compare", {"a": "a", "b": 1}, False),
    ("greenrun.math.Compare", {"a": [1], "b": [1], "operator": "!="}, False),
    ("greenrun.math.Formula", {"expression": "price * (1 + tax)", "price": "100", "tax": 0.5}, 150.0),
    ("greenrun.math.Formula", {"expression": "name + '!'", "name": "Ada"}, "Ada!"),
]


@pytest.mark.parametrize(("name", "values", "expected"), CALLS)
async def test_value_nodes(name: str, values: dict[str, Any], expected: Any) -> None:
    result = await output(name, **values)
    assert result == expected
    assert type(result) is type(expected)


async def test_values_too_deep_for_json_are_told_apart_too() -> None:
    deep: list[Any] = []
    for _ in range(250):
        deep = [deep]
    assert await output("greenrun.list.Unique", values=[deep, deep, [deep]]) == [deep, [deep]]


async def test_a_deep_merge_leaves_its_inputs_alone() -> None:
    first = {"a": {"x": 1}}
    await output("greenrun.dictionary.Merge", first=first, second={"a": {"y": 2}}, deep=True)
    assert first == {"a": {"x": 1}}


@pytest.mark.parametrize(
    ("name", "values", "text"),
    [
        ("greenrun.list.Sum", {"values": [1, "x"]}, 'item 1: "x" is not a number'),
        ("greenrun.list.Sum", {"values": [[1]]}, "item 0: a list is not a number"),
        ("greenrun.dictionary.Set", {"key": ""}, "key is empty"),
        ("greenrun.dictionary.Keys", {"record": [1]}, 'property "record": a list is not a record'),
        ("greenrun.dictionary.FromPairs", {"pairs": [["a"]]}, "item 0 is no pair"),
        ("greenrun.math.Divide", {"a": 1, "b": 0}, "division by zero"),
        ("greenrun.math.Multiply", {"a": 1e308, "b": 1e308}, "too large"),
        ("greenrun.math.Multiply", {"a": 10**300, "b": 10**300}, "too large"),
        ("greenrun.math.Add", {"a": math.inf}, "Infinity is not a finite number"),
        ("greenrun.math.Compare", {"a": [1], "b": 1, "operator": "<"}, "have no order"),
        ("greenrun.math.Compare", {"operator": "~"}, '"~" is no comparison'),
        ("greenrun.math.Formula", {"expression": "1 / 0"}, "cannot be computed: ZeroDivisionError"),
        ("greenrun.math.Formula", {"expression": ""}, "not an expression"),
    ],
)
async def test_value_nodes_say_what_is_wrong(name: str, values: dict[str, Any], text: str) -> None:
    with pytest.raises(NodeError, match=text):
        await fire(name, **values)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("Bool", 1, True),
        ("Integer", 2.9, 2),
        ("Float", "1.5", 1.5),
        ("String", 5, "5"),
        ("List", "a", ["a"]),
        ("Dict", {"a": 1}, {"a": 1}),
        ("Constant", None, None),
        ("Image", {"type": "image"}, {"type": "image"}),
        ("Select", "b", "b"),
    ],
)
async def test_constants_send_their_value(name: str, value: Any, expected: Any) -> None:
    assert await output(f"nodetool.constant.{name}", value=value) == expected


def test_there_are_thirty_kinds_of_constants() -> None:
    assert sum(name.startswith("nodetool.constant.") for name in builtin_types()) == 30


async def test_scripted_model_streams_words_and_ends_with_the_text() -> None:
    context = MemoryContext()
    records = await generate("Scripted", context, prompt="tea", script="About {{ prompt }}: hot. ")
    pieces = ["About", " tea:", " hot.", " "]
    assert [record["chunk"]["content"] for record in records[:-1]] == pieces
    assert [record["chunk"]["done"] for record in records[:-1]] == [False, False, False, True]
    assert records[-1] == {"text": "About tea: hot. "}
    assert context.chunks == [("About", False), (" tea:", False), (" hot.", False), (" ", True)]


async def test_scripted_model_streams_the_pieces_of_a_list() -> None:
    records = await generate("Scripted", prompt="x", script=["a b", "{prompt}"])
    assert [record.get("chunk", {}).get("content") for record in records] == ["a b", "x", None]


@pytest.mark.parametrize(("prompt", "text"), [("hello you", "hello you"), ("", "")])
async def test_scripted_model_without_a_script_repeats_the_prompt(prompt: str, text: str) -> None:
    assert (await generate("Scripted", prompt=prompt, delay_ms=1))[-1] == {"text": text}
