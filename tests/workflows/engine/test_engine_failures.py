"""What is behind a node that failed gets nothing in its place (docs/decisions/0014)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from greenrun.workflows.engine import Answer

BOUND = 10
EACH = "nodetool.control.ForEach"


def give(value: Any) -> tuple[str, dict[str, Any]]:
    return ("test.Give", {"value": value})


async def test_node_does_not_fire_with_a_default_in_place_of_a_failed_input(bench: Any) -> None:
    nodes = {"bad": "test.Boom", "good": give(1), "pair": "test.Pair", "after": "test.Give"}
    ran = await bench.run(nodes, ["bad.output -> pair.a", "good.output -> pair.b", "pair.output -> after.value"])
    assert ran.statuses("pair") == ran.statuses("after") == []
    assert ran.result.error == 'node "bad": boom'


async def test_loss_is_passed_on_through_nodes_that_did_not_fire(bench: Any) -> None:
    nodes = {"bad": "test.Boom", "mid": "test.Give", "good": give(1), "pair": "test.Pair"}
    ran = await bench.run(nodes, ["bad.output -> mid.value", "mid.output -> pair.a", "good.output -> pair.b"])
    assert ran.statuses("pair") == []


async def test_input_that_brings_nothing_without_a_failure_still_takes_its_default(bench: Any) -> None:
    nodes = {"none": ("nodetool.control.FilterEqual", {"input_item": 1, "value": 2}), "b": give(2), "pair": "test.Pair"}
    ran = await bench.run(nodes, ["none.output -> pair.a", "b.output -> pair.b"])
    assert ran.values("pair") == [["-", 2]]


async def test_skipped_node_leaves_its_consumers_their_defaults(bench: Any) -> None:
    async def skip(failure: Any) -> Answer:
        return Answer("skip")

    nodes = {"bad": "test.Boom", "good": give(1), "pair": "test.Pair"}
    ran = await bench.run(nodes, ["bad.output -> pair.a", "good.output -> pair.b"], escalate=skip)
    assert ran.values("pair") == [["-", 1]]


async def test_list_is_not_gathered_without_a_failed_edge(bench: Any) -> None:
    nodes = {"bad": "test.Boom", "good": give(1), "g": "test.Gather"}
    ran = await bench.run(nodes, ["bad.output -> g.items", "good.output -> g.items"])
    assert ran.statuses("g") == []


async def test_value_that_came_before_the_failure_is_used(bench: Any) -> None:
    nodes = {"torn": "test.Torn", "good": give(1), "pair": "test.Pair"}
    ran = await bench.run(nodes, ["torn.output -> pair.a", "good.output -> pair.b"])
    assert ran.values("pair") == [["half", 1]]
    assert ran.result.status == "failed"


async def test_items_before_a_late_failure_go_through(bench: Any) -> None:
    nodes = {"t": ("test.TornAfter", {"count": 3}), "inc": "test.Inc", "out": ("nodetool.output.Output", {"name": "o"})}
    ran = await bench.run(nodes, ["t.output -> inc.value", "inc.output -> out.value"])
    assert ran.result.outputs == {"o": [1, 2, 3]}
    assert ran.result.error == 'node "t": torn'


async def test_part_of_a_stream_is_not_taken_for_the_whole(bench: Any) -> None:
    nodes = {
        "t": ("test.TornAfter", {"count": 3}),
        "inc": "test.Inc",
        "all": "nodetool.control.Collect",
        "save": "test.Post",
    }
    ran = await bench.run(nodes, ["t.output -> inc.value", "inc.output -> all.input_item", "all.output -> save.value"])
    assert bench.signals.counters == {}
    assert ran.statuses("all") == ["running", "cancelled"]
    assert ran.result.error == 'node "t": torn'


async def test_failing_item_keeps_its_list_from_being_collected(bench: Any) -> None:
    nodes = {"each": (EACH, {"input_list": [1, "x", 3]}), "inc": "test.Inc", "all": "nodetool.control.Collect"}
    ran = await bench.run(nodes, ["each.output -> inc.value", "inc.output -> all.input_item"])
    assert ran.values("all") == []


async def test_lists_of_earlier_parents_are_collected(bench: Any) -> None:
    nodes = {
        "outer": (EACH, {"input_list": [[1, 2], [3, "x"], [5]]}),
        "inner": EACH,
        "inc": "test.Inc",
        "all": "nodetool.control.Collect",
        "whole": "nodetool.control.Collect",
    }
    edges = [
        "outer.output -> inner.input_list",
        "inner.output -> inc.value",
        "inc.output -> all.input_item",
        "all.output -> whole.input_item",
    ]
    ran = await bench.run(nodes, edges)
    assert [m["value"] for m in ran.of("output_update", "all")] == []
    assert [m["outputs"] for m in ran.of("generation_complete", "all")] == []
    reports = {report.node_id: report for report in ran.result.nodes}
    assert reports["all"].outputs == {"output": [[2, 3]]}
    assert ran.values("whole") == []


async def test_stream_node_whose_one_value_failed_is_not_called(bench: Any) -> None:
    nodes = {
        "n": ("test.Boom", {}),
        "each": (EACH, {"input_list": [1, 2]}),
        "take": "nodetool.control.Take",
        "count": "nodetool.control.Count",
    }
    edges = ["each.output -> take.input_item", "n.output -> take.n", "take.output -> count.input_item"]
    ran = await bench.run(nodes, edges)
    assert ran.statuses("take") == []
    assert ran.values("count") == []


async def test_stream_node_that_was_content_before_the_failure_is_complete(bench: Any) -> None:
    nodes = {
        "t": ("test.TornAfter", {"count": 3}),
        "take": ("nodetool.control.Take", {"n": 2}),
        "all": "nodetool.control.Collect",
    }
    ran = await bench.run(nodes, ["t.output -> take.input_item", "take.output -> all.input_item"])
    assert ran.values("all") == [[0, 1]]


async def test_stream_node_that_leaves_before_the_failure_is_complete(bench: Any) -> None:
    nodes = {"t": ("test.TornAfter", {"count": 3}), "first": "test.First", "good": give(1), "pair": "test.Pair"}
    ran = await bench.run(nodes, ["t.output -> first.value", "first.output -> pair.a", "good.output -> pair.b"])
    assert ran.values("pair") == [[0, 1]]


async def test_value_of_a_node_that_takes_a_broken_stream_for_its_end_is_not_the_whole(bench: Any) -> None:
    nodes = {"t": ("test.TornAfter", {"count": 2}), "s": "test.Swallow", "good": give(1), "pair": "test.Pair"}
    ran = await bench.run(nodes, ["t.output -> s.value", "s.output -> pair.a", "good.output -> pair.b"])
    assert ran.statuses("s") == ["running", "completed"]
    assert ran.values("pair") == [[[0, 1], 1]]


async def test_loop_whose_body_fails_ends_without_a_result(bench: Any) -> None:
    nodes = {"loop": ("nodetool.control.Loop", {"initial": 0, "max_iterations": 3}), "bad": "test.Boom"}
    ran = await bench.run(nodes, ["loop.value -> bad.value", "bad.output -> loop.next"])
    assert ran.result.error == 'node "bad": boom'
    assert [m["output_name"] for m in ran.of("output_update", "loop")] == ["index"]


async def test_generator_lets_go_of_what_it_holds_when_its_node_fails(bench: Any) -> None:
    ran = await bench.run({"h": "test.Holder"})
    kinds = [(m["type"], m.get("status")) for m in ran.messages if m.get("node_id") == "h"]
    assert kinds.index(("log_update", None)) < kinds.index(("node_update", "error"))


async def test_generator_lets_go_of_what_it_holds_when_the_run_is_cancelled(bench: Any) -> None:
    nodes = {"c": give(1), "b": "test.Busy"}
    task = asyncio.ensure_future(bench.run(nodes, ["c.output -> b.record"]))
    await asyncio.wait_for(bench.signals.event("b started").wait(), BOUND)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, BOUND)
    assert bench.messages[-1]["status"] == "cancelled"


async def test_variable_that_is_written_without_end_fails_its_writer(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("greenrun.workflows.engine.channels.LIMIT", 3)
    ran = await bench.run({"c": ("test.Channel", {"count": 4})})
    assert 'the variable "v" was written 3 times' in ran.result.error


async def test_result_holds_the_first_values_of_an_output_and_the_last(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("greenrun.workflows.engine.result.OUTPUTS_KEPT", 3)
    ran = await bench.run({"n": ("test.Spell", {"letters": list("abcdefgh")})})
    assert ran.result.outputs == {"n": ["a", "b", "h"]}
    assert ran.result.cut == ("n",)
    assert 'output "n" has more than' in ran.of("log_update", "n")[0]["content"]
    assert len(ran.values("n")) == 8
