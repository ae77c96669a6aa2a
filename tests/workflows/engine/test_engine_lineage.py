"""Iterations: what is paired with what, and what ends when (spec: nodes A4, A5)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.workflows.engine.inbox import CAPACITY


def each(items: Any) -> tuple[str, dict[str, Any]]:
    return ("nodetool.control.ForEach", {"input_list": items})


def give(value: Any) -> tuple[str, dict[str, Any]]:
    return ("test.Give", {"value": value})


@pytest.mark.case("NO-A4-1")
async def test_items_meet_a_constant_one_at_a_time(bench: Any) -> None:
    nodes = {"each": each([1, 2, 3]), "c": give("x"), "pair": "test.Pair"}
    ran = await bench.run(nodes, ["each.output -> pair.a", "c.output -> pair.b"])
    assert ran.values("pair") == [[1, "x"], [2, "x"], [3, "x"]]


@pytest.mark.case("NO-A4-1")
async def test_items_wait_for_a_late_constant(bench: Any) -> None:
    nodes = {"each": each([1, 2]), "c": ("test.Wait", {"value": "x"}), "pair": "test.Pair", "first": "test.Give"}
    bench.signals.event("go").set()
    ran = await bench.run(nodes, ["each.output -> pair.a", "first.output -> c.later", "c.output -> pair.b"])
    assert ran.values("pair") == [[1, "x"], [2, "x"]]


@pytest.mark.case("NO-A4-2")
async def test_diamond_pairs_by_item_and_not_by_arrival(bench: Any) -> None:
    # The first item leaves the slow branch only when the fast one is through with all of them.
    nodes = {
        "each": each([1, 2, 3]),
        "slow": ("test.SlowWhen", {"held": 1, "signal": "fast is through"}),
        "fast": "test.Give",
        "last": "nodetool.control.Last",
        "note": "test.Signal",
        "pair": "test.Pair",
    }
    edges = [
        "each.output -> slow.value",
        "each.output -> fast.value",
        "slow.output -> pair.a",
        "fast.output -> pair.b",
        "fast.output -> last.input_item",
        "last.output -> note.value",
    ]
    ran = await bench.run(nodes, edges)
    assert ran.values("pair") == [[1, 1], [2, 2], [3, 3]]


@pytest.mark.case("NO-A4-2")
async def test_diamond_drops_the_items_that_one_branch_filters_out(bench: Any) -> None:
    nodes = {
        "each": each([1, 2, 3, 4]),
        "odd": ("nodetool.control.FilterCode", {"predicate": "item % 2 == 1"}),
        "pair": "test.Pair",
    }
    ran = await bench.run(nodes, ["each.output -> odd.input_item", "odd.output -> pair.a", "each.output -> pair.b"])
    assert ran.values("pair") == [[1, 1], [3, 3]]


@pytest.mark.case("NO-A4-4")
async def test_collecting_an_empty_iteration_gives_one_empty_list(bench: Any) -> None:
    ran = await bench.run({"each": each([]), "all": "nodetool.control.Collect"}, ["each.output -> all.input_item"])
    assert ran.values("all") == [[]]


@pytest.mark.case("NO-A4-4")
async def test_collecting_behind_a_filter_that_drops_everything_gives_one_empty_list(bench: Any) -> None:
    nodes = {
        "each": each([1, 2]),
        "none": ("nodetool.control.FilterCode", {"predicate": "false"}),
        "all": "nodetool.control.Collect",
    }
    ran = await bench.run(nodes, ["each.output -> none.input_item", "none.output -> all.input_item"])
    assert ran.values("all") == [[]]


NESTED = {
    "outer": each([["a", "b"], []]),
    "inner": "nodetool.control.ForEach",
    "all": "nodetool.control.Collect",
}
NESTED_EDGES = ["outer.output -> inner.input_list", "inner.output -> all.input_item"]


@pytest.mark.case("NO-A4-5")
async def test_nested_iterations_are_collected_per_parent(bench: Any) -> None:
    ran = await bench.run(NESTED, NESTED_EDGES)
    assert ran.values("all") == [["a", "b"], []]


@pytest.mark.case("NO-A4-5")
async def test_collected_lists_are_items_of_the_outer_iteration(bench: Any) -> None:
    nodes = NESTED | {"pair": "test.Pair", "lists": "nodetool.control.Collect"}
    edges = [*NESTED_EDGES, "all.output -> pair.a", "outer.index -> pair.b", "all.output -> lists.input_item"]
    ran = await bench.run(nodes, edges)
    assert ran.values("pair") == [[["a", "b"], 0], [[], 1]]
    assert ran.values("lists") == [[["a", "b"], []]]


@pytest.mark.case("NO-A4-5")
async def test_empty_parents_survive_nodes_in_between(bench: Any) -> None:
    nodes = {
        "outer": each([[], ["a"], []]),
        "inner": "nodetool.control.ForEach",
        "suffix": give("!"),
        "pair": "test.Pair",
        "keep": ("nodetool.control.FilterCode", {"predicate": "true"}),
        "all": "nodetool.control.Collect",
    }
    edges = [
        "outer.output -> inner.input_list",
        "inner.output -> pair.a",
        "suffix.output -> pair.b",
        "pair.output -> keep.input_item",
        "keep.output -> all.input_item",
    ]
    assert (await bench.run(nodes, edges)).values("all") == [[], [["a", "!"]], []]


async def test_three_levels_collect_level_by_level(bench: Any) -> None:
    tree = [[["a"], []], [], [["b", "c"]]]
    nodes: dict[str, Any] = {"l1": each(tree)}
    nodes |= {"l2": "nodetool.control.ForEach", "l3": "nodetool.control.ForEach"}
    nodes |= dict.fromkeys(("c3", "c2", "c1"), "nodetool.control.Collect")
    edges = [
        "l1.output -> l2.input_list",
        "l2.output -> l3.input_list",
        "l3.output -> c3.input_item",
        "c3.output -> c2.input_item",
        "c2.output -> c1.input_item",
    ]
    assert (await bench.run(nodes, edges)).values("c1") == [tree]


async def test_parent_value_is_reused_for_each_of_its_children_only(bench: Any) -> None:
    nodes = {"outer": each([["a", "b"], ["c"]]), "inner": "nodetool.control.ForEach", "pair": "test.Pair"}
    edges = ["outer.output -> inner.input_list", "inner.output -> pair.a", "outer.index -> pair.b"]
    assert (await bench.run(nodes, edges)).values("pair") == [["a", 0], ["b", 0], ["c", 1]]


async def test_chunks_drive_the_firings_and_share_the_other_inputs(bench: Any) -> None:
    records = [{"chunk": "a"}, {"chunk": "b"}]
    nodes = {"r": ("test.Records", {"records": records}), "c": give("x"), "pair": "test.Pair"}
    ran = await bench.run(nodes, ["r.chunk -> pair.a", "c.output -> pair.b"])
    assert ran.values("pair") == [["a", "x"], ["b", "x"]]


async def test_two_repeating_inputs_pair_in_order_and_the_shorter_one_repeats_its_last(bench: Any) -> None:
    long = ("test.Records", {"records": [{"chunk": 1}, {"chunk": 2}, {"chunk": 3}]})
    short = ("test.Records", {"records": [{"chunk": "a"}, {"chunk": "b"}]})
    nodes = {"long": long, "short": short, "pair": "test.Pair"}
    ran = await bench.run(nodes, ["long.chunk -> pair.a", "short.chunk -> pair.b"])
    assert ran.values("pair") == [[1, "a"], [2, "b"], [3, "b"]]


async def test_chunks_inside_an_iteration_stay_with_their_item(bench: Any) -> None:
    nodes = {"each": each([["a", "b"], [], ["c"]]), "spell": "test.Spell", "pair": "test.Pair"}
    edges = ["each.output -> spell.letters", "spell.chunk -> pair.a", "each.index -> pair.b"]
    assert (await bench.run(nodes, edges)).values("pair") == [["a", 0], ["b", 0], ["c", 2]]


async def test_index_of_an_iteration_counts_its_items(bench: Any) -> None:
    nodes = {"each": each(["a", "b"]), "pair": "test.Pair"}
    ran = await bench.run(nodes, ["each.output -> pair.a", "each.index -> pair.b"])
    assert ran.values("pair") == [["a", 0], ["b", 1]]


async def test_batches_are_items_of_their_own(bench: Any) -> None:
    nodes = {"each": each([1, 2, 3]), "by": ("nodetool.control.Chunk", {"size": 2}), "pair": "test.Pair"}
    edges = ["each.output -> by.input_item", "by.output -> pair.a", "by.index -> pair.b"]
    assert (await bench.run(nodes, edges)).values("pair") == [[[1, 2], 0], [[3], 1]]


async def test_zip_makes_one_iteration_out_of_two(bench: Any) -> None:
    nodes = {"one": each([1, 2, 3]), "two": each(["a", "b"]), "zip": "nodetool.control.Zip", "pair": "test.Pair"}
    edges = ["one.output -> zip.left", "two.output -> zip.right", "zip.left -> pair.a", "zip.right -> pair.b"]
    assert (await bench.run(nodes, edges)).values("pair") == [[1, "a"], [2, "b"]]


async def test_property_of_a_stream_node_that_an_edge_feeds_is_set_before_it_runs(bench: Any) -> None:
    nodes = {"each": each([1, 2, 3]), "n": give(2), "take": "nodetool.control.Take"}
    ran = await bench.run(nodes, ["each.output -> take.input_item", "n.output -> take.n"])
    assert [message["value"] for message in ran.of("output_update") if message["output_name"] == "output"] == [1, 2]


async def test_take_starts_over_for_each_parent(bench: Any) -> None:
    nodes = {
        "outer": each([["a", "b"], ["c", "d"]]),
        "inner": "nodetool.control.ForEach",
        "take": ("nodetool.control.Take", {"n": 1}),
        "all": "nodetool.control.Collect",
    }
    edges = [
        "outer.output -> inner.input_list",
        "inner.output -> take.input_item",
        "take.output -> all.input_item",
    ]
    assert (await bench.run(nodes, edges)).values("all") == [["a"], ["c"]]


async def test_iteration_needs_no_index(bench: Any) -> None:
    nodes = {"spell": ("test.Letters", {"text": "ab"}), "all": "nodetool.control.Collect"}
    assert (await bench.run(nodes, ["spell.letter -> all.input_item"])).values("all") == [["a", "b"]]


async def test_stream_node_that_leaves_early_loses_the_rest_of_that_parent_only(bench: Any) -> None:
    nodes = {
        "outer": each([["a", "b", "c"], ["d", "e"]]),
        "inner": "nodetool.control.ForEach",
        "first": "test.First",
    }
    edges = ["outer.output -> inner.input_list", "inner.output -> first.value"]
    assert (await bench.run(nodes, edges)).values("first") == ["a", "d"]


async def test_parent_ends_only_when_both_branches_are_through_with_it(bench: Any) -> None:
    nodes = {
        "outer": each([["x"], ["y"]]),
        "inner": "nodetool.control.ForEach",
        "slow": ("test.SlowWhen", {"held": "x", "signal": "fast is through"}),
        "fast": "test.Give",
        "last": "nodetool.control.Last",
        "lasts": "nodetool.control.Last",
        "note": "test.Signal",
        "pair": "test.Pair",
        "all": "nodetool.control.Collect",
    }
    edges = [
        "outer.output -> inner.input_list",
        "inner.output -> slow.value",
        "inner.output -> fast.value",
        "slow.output -> pair.a",
        "fast.output -> pair.b",
        "fast.output -> last.input_item",
        "last.output -> lasts.input_item",
        "lasts.output -> note.value",
        "pair.output -> all.input_item",
    ]
    assert (await bench.run(nodes, edges)).values("all") == [[["x", "x"]], [["y", "y"]]]


async def test_join_behind_a_collect_of_the_same_iteration_does_not_hang(bench: Any) -> None:
    count = CAPACITY * 5
    nodes = {"each": each(list(range(count))), "all": "nodetool.control.Collect", "pair": "test.Pair"}
    edges = ["each.output -> all.input_item", "each.output -> pair.a", "all.output -> pair.b"]
    told = (await bench.run(nodes, edges)).values("pair")
    assert [a for a, _ in told] == list(range(count))


async def test_more_waiting_values_than_the_limit_fail_the_node_that_holds_them(bench: Any) -> None:
    nodes = {
        "count": ("nodetool.control.RepeatCount", {"count": 11_000}),
        "all": "nodetool.control.Collect",
        "pair": "test.Pair",
    }
    edges = ["count.output -> all.input_item", "count.output -> pair.a", "all.output -> pair.b"]
    ran = await bench.run(nodes, edges)
    assert 'node "pair": more than 10000 values wait at input "a"' in ran.result.error


LOOP_EDGES = ["loop.value -> body.value", "body.output -> loop.next"]


@pytest.mark.case("NO-A5-1")
async def test_loop_feeds_its_body_as_often_as_it_may(bench: Any) -> None:
    nodes = {"loop": ("nodetool.control.Loop", {"initial": 0, "max_iterations": 3}), "body": "test.Inc"}
    ran = await bench.run(nodes, LOOP_EDGES)
    body = [message["outputs"]["output"] for message in ran.of("generation_complete", "body")]
    assert body == [1, 2, 3]
    assert [m["value"] for m in ran.of("output_update", "loop") if m["output_name"] == "done"] == [3]


@pytest.mark.case("NO-A5-1")
async def test_loop_ends_when_its_condition_fails(bench: Any) -> None:
    nodes = {
        "loop": ("nodetool.control.Loop", {"initial": 0}),
        "body": "test.Inc",
        "no": ("test.Const", {"answer": False}),
    }
    ran = await bench.run(nodes, [*LOOP_EDGES, "loop.value -> no.value", "no.output -> loop.condition"])
    assert [m["value"] for m in ran.of("output_update", "loop") if m["output_name"] == "done"] == [1]


async def test_loop_whose_body_stops_feeding_back_ends_without_a_result(bench: Any) -> None:
    nodes = {
        "loop": ("nodetool.control.Loop", {"initial": 0, "max_iterations": 5}),
        "small": ("nodetool.control.FilterCode", {"predicate": "item < 2"}),
        "body": "test.Inc",
    }
    edges = ["loop.value -> small.input_item", "small.output -> body.value", "body.output -> loop.next"]
    ran = await bench.run(nodes, edges)
    assert ran.result.status == "completed"
    assert [m for m in ran.of("output_update", "loop") if m["output_name"] == "done"] == []


async def test_loop_runs_once_per_item(bench: Any) -> None:
    nodes = {
        "each": each([0, 10]),
        "loop": ("nodetool.control.Loop", {"max_iterations": 2}),
        "body": "test.Inc",
        "all": "nodetool.control.Collect",
    }
    edges = ["each.output -> loop.initial", *LOOP_EDGES, "loop.done -> all.input_item"]
    assert (await bench.run(nodes, edges)).values("all") == [[2, 12]]
