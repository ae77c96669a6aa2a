from __future__ import annotations

from typing import Any

import pytest

TEXT_CHAIN: dict[str, Any] = {
    "in": ("nodetool.input.StringInput", {"name": "prompt", "value": "x"}),
    "up": "nodetool.text.ToUppercase",
    "out": ("nodetool.output.Output", {"name": "answer"}),
}
TEXT_EDGES = ["in.output -> up.text", "up.output -> out.value"]


@pytest.mark.case("NO-A8-1")
async def test_run_starts_with_running_and_ends_with_completed(bench: Any) -> None:
    ran = await bench.run(TEXT_CHAIN, TEXT_EDGES, params={"prompt": "hi"})
    jobs = [message["status"] for message in ran.of("job_update")]
    assert jobs == ["running", "completed"]
    assert (ran.messages[0]["type"], ran.last["type"]) == ("job_update", "job_update")


@pytest.mark.case("NO-A8-1")
async def test_each_node_says_running_before_completed(bench: Any) -> None:
    ran = await bench.run(TEXT_CHAIN, TEXT_EDGES)
    assert [ran.statuses(node) for node in TEXT_CHAIN] == [["running", "completed"]] * 3


@pytest.mark.case("NO-A8-1")
async def test_output_tells_its_value_under_its_name_and_the_input_tells_nothing(bench: Any) -> None:
    ran = await bench.run(TEXT_CHAIN, TEXT_EDGES, params={"prompt": "hi"})
    told = [(m["node_id"], m["output_name"], m["value"], m["disposition"]) for m in ran.of("output_update")]
    assert told == [("out", "answer", "HI", "append")]


@pytest.mark.case("NO-A8-1")
async def test_every_message_carries_the_ids_of_the_run(bench: Any) -> None:
    ran = await bench.run(TEXT_CHAIN, TEXT_EDGES, workflow_id="w7")
    assert {(message["job_id"], message["workflow_id"]) for message in ran.messages} == {("job-1", "w7")}


@pytest.mark.case("NO-A8-2")
async def test_connected_handle_tells_no_value_and_a_dangling_one_does(bench: Any) -> None:
    nodes = {"if": ("nodetool.control.If", {"condition": True, "value": 1}), "out": "nodetool.output.Output"}
    ran = await bench.run(nodes, ["if.if_true -> out.value"])
    told = [(m["node_id"], m["output_name"], m["value"]) for m in ran.of("output_update")]
    assert told == [("if", "if_false", None), ("out", "output", 1)]


async def test_constant_tells_neither_values_nor_its_result(bench: Any) -> None:
    ran = await bench.run({"c": ("nodetool.constant.String", {"value": "x"})})
    assert ran.of("output_update") == []
    assert ran.of("generation_complete") == []
    assert "result" not in ran.of("node_update", "c")[-1]


async def test_node_tells_its_last_outputs_its_time_and_its_scalar_properties(bench: Any) -> None:
    ran = await bench.run({"g": ("test.Give", {"value": "x", "extra": [1]})})
    update = ran.of("node_update", "g")[-1]
    assert update["result"] == {"output": "x"}
    assert update["duration_ms"] >= 0
    assert ran.of("generation_complete", "g")[0]["properties"] == {"value": "x"}


async def test_edges_say_active_at_powers_of_two_then_completed(bench: Any) -> None:
    nodes = {"each": ("nodetool.control.ForEach", {"input_list": [1, 2, 3, 4, 5]}), "last": "nodetool.control.Last"}
    ran = await bench.run(nodes, ["each.output -> last.input_item"])
    told = [(m["status"], m["counter"]) for m in ran.of("edge_update")]
    assert told == [("active", 1), ("active", 2), ("active", 4), ("completed", 5)]


async def test_edge_that_carried_nothing_is_drained(bench: Any) -> None:
    nodes = {"each": "nodetool.control.ForEach", "last": "nodetool.control.Last"}
    ran = await bench.run(nodes, ["each.output -> last.input_item"])
    assert [(m["status"], m["counter"]) for m in ran.of("edge_update")] == [("drained", 0)]


async def test_same_graph_gives_the_same_sequence_of_messages(bench: Any) -> None:
    nodes = TEXT_CHAIN | {"low": "nodetool.text.ToLowercase"}
    edges = [*TEXT_EDGES, "in.output -> low.text"]

    async def sequence() -> list[tuple[Any, ...]]:
        ran = await bench.run(nodes, edges)
        return [(m["type"], m.get("node_id"), m.get("edge_id"), m.get("status")) for m in ran.messages]

    assert await sequence() == await sequence()


async def test_graph_without_nodes_completes(bench: Any) -> None:
    ran = await bench.run({})
    assert [message["status"] for message in ran.messages] == ["running", "completed"]
