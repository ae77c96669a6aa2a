from __future__ import annotations

from typing import Any

import pytest
from firing import MemoryContext, drain, fire, generate, stream

from greenrun.workflows.node import NodeError


@pytest.mark.case("NO-B1-7")
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (False, {"if_true": None, "if_false": 1}),
        (True, {"if_true": 1, "if_false": None}),
        ("yes", {"if_true": 1, "if_false": None}),
    ],
)
async def test_if_sends_null_on_the_branch_not_taken(condition: Any, expected: dict[str, Any]) -> None:
    assert await fire("If", condition=condition, value=1) == expected


@pytest.mark.case("NO-B2-4")
@pytest.mark.parametrize(
    ("value", "expected"),
    [(2, {"matched": "x", "default": None, "index": 1}), (9, {"matched": None, "default": "x", "index": -1})],
)
async def test_switch_compares_as_text(value: Any, expected: dict[str, Any]) -> None:
    assert await fire("Switch", value=value, cases=["1", "2"], input="x") == expected


async def test_fallback_replaces_null_only() -> None:
    assert (await fire("TryCatch", value=None, fallback="f"))["output"] == "f"
    kept = await fire("TryCatch", value="", fallback="f")
    assert kept == {"output": "", "error": "", "has_error": False}


@pytest.mark.parametrize("name", ["nodetool.control.Reroute", "nodetool.workflows.base_node.Reroute"])
async def test_reroute_hands_its_input_on(name: str) -> None:
    assert await fire(name, input_value=[1]) == {"output": [1]}


async def test_tap_logs_what_passes() -> None:
    context = MemoryContext()
    assert await fire("Tap", context, input_item=3, label="seen") == {"output": 3}
    assert context.logs == [("info", "seen: 3")]


@pytest.mark.case("NO-B2-1")
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"input_list": None}, []),
        ({"input_list": 5}, [5]),
        ({"input_list": [1, 2, 3], "limit": 2}, [1, 2]),
        ({"input_list": [1, 2, 3]}, [1, 2, 3]),
    ],
)
async def test_for_each_sends_items_one_at_a_time(values: dict[str, Any], expected: list[Any]) -> None:
    records = await generate("ForEach", **values)
    assert records == [{"output": item, "index": index} for index, item in enumerate(expected)]


async def test_repeating_nodes_count_from_zero() -> None:
    assert [record["output"] for record in await generate("RepeatCount", count=3)] == [0, 1, 2]
    assert await generate("RepeatCount", count=0) == []
    repeated = await generate("nodetool.control.RepeatValue", value="a", count=2)
    assert repeated == [{"output": "a", "index": 0}, {"output": "a", "index": 1}]
    assert [record["output"] for record in await generate("Collection", items=["p", "q"])] == ["p", "q"]


@pytest.mark.case("NO-B2-2")
@pytest.mark.parametrize(
    ("name", "n", "expected"), [("Take", 2, [1, 2]), ("Take", 0, []), ("Drop", 0, [1, 2, 3]), ("Drop", 2, [3])]
)
async def test_take_and_drop_count_items(name: str, n: int, expected: list[int]) -> None:
    context = await stream(name, [1, 2, 3], n=n)
    assert context.sent() == expected
    assert context.sent("index") == list(range(len(expected)))


@pytest.mark.case("NO-B2-2")
@pytest.mark.parametrize("n", [0, 2])
async def test_take_closes_early_and_drains_the_rest(n: int) -> None:
    items = iter([1, 2, 3])
    context = await stream("Take", items, n=n)
    assert context.completed == ["output", "index"]
    assert list(items) == []


@pytest.mark.case("NO-B2-3")
async def test_chunk_groups_and_sends_the_rest_last() -> None:
    context = await stream("nodetool.control.Chunk", [1, 2, 3], size=2)
    assert context.sent() == [[1, 2], [3]]
    assert context.sent("index") == [0, 1]


@pytest.mark.case("NO-B2-3")
@pytest.mark.parametrize(
    ("name", "items", "expected"),
    [
        ("Last", [], []),
        ("Last", [1, None], [None]),
        ("Count", [], [0]),
        ("Count", [7, 7], [2]),
        ("nodetool.control.Chunk", [], []),
    ],
)
async def test_last_count_and_chunk_of_streams(name: str, items: list[Any], expected: list[Any]) -> None:
    assert (await stream(name, items)).sent() == expected


@pytest.mark.case("NO-B1-6")
async def test_collect_sends_one_list() -> None:
    assert (await stream("nodetool.control.Collect", ["a", "b"])).sent() == [["a", "b"]]
    assert (await stream("nodetool.control.Collect", [])).sent() == [[]]


async def test_while_filters_switch_once() -> None:
    assert (await stream("TakeWhile", [1, 5, 2], predicate="item < 3")).sent() == [1]
    assert (await stream("DropWhile", [1, 5, 2], predicate="item < 3")).sent() == [5, 2]


async def test_take_while_closes_at_the_first_failure() -> None:
    assert (await stream("TakeWhile", [1, 5, 2], predicate="item < 3")).completed == ["output"]


async def test_filters_let_nothing_through_that_fails() -> None:
    assert await fire("FilterCode", input_item=4, predicate="item > 3") == {"output": 4}
    assert await fire("FilterCode", input_item="x", predicate="item > 3") == {}
    assert await fire("FilterEqual", input_item={"a": 1}, value={"a": 1.0}) == {"output": {"a": 1}}
    assert await fire("FilterEqual", input_item=1, value=1, invert=True) == {}


async def test_distinct_by_value_and_by_key() -> None:
    assert (await stream("Distinct", [1, "1", 1.0, {"a": 1}, {"a": 1}])).sent() == [1, "1", {"a": 1}]
    people = [{"n": "a", "x": 1}, {"n": "a", "x": 2}, {"n": "b"}, 5, 6]
    # A key that cannot be computed counts as null, so of those items the first stands for all.
    assert (await stream("Distinct", people, key="item.n")).sent() == [people[0], people[2], 5]


async def test_distinct_of_what_is_no_json() -> None:
    nan = float("nan")
    assert len((await stream("Distinct", [nan, nan, 1])).sent()) == 2


@pytest.mark.case("NO-B2-5")
async def test_zip_pairs_by_index_and_leaves_out_the_rest() -> None:
    arrivals = [("left", 1), ("left", 2), ("right", "a"), ("left", 3), ("other", 0), ("right", "b")]
    context = await drain("control.Zip", arrivals)
    assert list(zip(context.sent("left"), context.sent("right"), context.sent("index"), strict=True)) == [
        (1, "a", 0),
        (2, "b", 1),
    ]


@pytest.mark.case("NO-B2-5")
async def test_cross_sends_every_pair() -> None:
    arrivals = [("left", 1), ("right", "a"), ("left", 2), ("right", "b"), ("other", 0), ("right", "c")]
    context = await drain("Cross", arrivals)
    pairs = list(zip(context.sent("left"), context.sent("right"), strict=True))
    assert pairs == [(1, "a"), (1, "b"), (1, "c"), (2, "a"), (2, "b"), (2, "c")]


@pytest.mark.case("NO-B2-5")
async def test_zip_and_cross_have_limits() -> None:
    with pytest.raises(NodeError, match="use Cross"):
        await drain("control.Zip", [("left", 1), ("left", 2)], max_unmatched_pairs=1)
    with pytest.raises(NodeError, match="use Zip"):
        await drain("Cross", [("left", 1), ("left", 2), ("right", 1)], max_output_count=1)


@pytest.mark.case("NO-A5-1")
async def test_loop_runs_its_passes_and_sends_the_last_result() -> None:
    context = await drain("Loop", [("next", 1), ("next", 2), ("next", 3)], initial=0, max_iterations=3)
    assert context.sent("value") == [0, 1, 2]
    assert context.sent("done") == [3]
    assert context.completed == ["value", "index"]
    assert context.logs == []


@pytest.mark.case("NO-A5-1")
async def test_loop_ends_when_its_condition_fails() -> None:
    context = await drain("Loop", [("next", 1), ("condition", False), ("next", 2)], initial=0, max_iterations=3)
    assert context.sent("value") == [0]
    assert context.sent("done") == [1]


async def test_loop_warns_at_its_limit_when_the_condition_still_holds() -> None:
    context = await drain("Loop", [("next", 1), ("condition", True)], max_iterations=1)
    assert context.sent("done") == [1]
    assert [severity for severity, _ in context.logs] == ["warning"]


async def test_loop_without_feedback_has_no_result() -> None:
    context = await drain("Loop", [], initial=0)
    assert context.sent("value") == [0]
    assert context.sent("done") == []


async def test_loop_limits_its_passes() -> None:
    assert len((await drain("Loop", [("next", 1)] * 5, max_iterations=0)).sent("value")) == 1
    many = [("next", 1)] * 1100
    assert len((await drain("Loop", many, max_iterations=5000)).sent("value")) == 1000


async def test_variables_are_written_and_read_by_name() -> None:
    context = MemoryContext()
    assert await fire("SetVariable", context, name=" tone ", value=1) == {"output": 1}
    assert await generate("GetVariable", context, name="tone") == [{"output": 1}]
    assert await generate("GetVariable", context, name="other") == []


async def test_a_variable_without_a_name_is_an_error() -> None:
    with pytest.raises(NodeError, match="name of the variable is empty"):
        await fire("SetVariable", name=" ")
    with pytest.raises(NodeError, match="name of the variable is empty"):
        await generate("GetVariable", name="")
