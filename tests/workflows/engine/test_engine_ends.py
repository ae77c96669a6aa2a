"""Cancellation, limits, and what a run that gives way does (spec: nodes A3.23, DESIGN 7)."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from greenrun.workflows.engine import NoServices
from greenrun.workflows.nesting import WORKFLOW

BOUND = 10


def start(bench: Any, nodes: dict[str, Any], edges: list[str] | None = None, **options: Any) -> asyncio.Task[Any]:
    return asyncio.ensure_future(bench.run(nodes, edges or [], **options))


async def cancelled(task: asyncio.Task[Any]) -> None:
    """Cancel a run and wait for its end."""
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, BOUND)


async def until(bench: Any, name: str) -> None:
    await asyncio.wait_for(bench.signals.event(name).wait(), BOUND)


async def test_cancel_reaches_every_node_before_the_job_says_cancelled(bench: Any) -> None:
    task = start(bench, {"a": "test.Hang", "b": "test.Hang"})
    await until(bench, "a started")
    await until(bench, "b started")
    await cancelled(task)
    assert bench.signals.event("a stopped").is_set()
    assert bench.signals.event("b stopped").is_set()
    told = [(m["type"], m["status"]) for m in bench.messages[-3:]]
    assert told == [("node_update", "cancelled"), ("node_update", "cancelled"), ("job_update", "cancelled")]


@pytest.mark.case("NO-A3-4")
async def test_cancelled_comes_before_failed(bench: Any) -> None:
    nodes = {"bad": "test.Boom", "hang": "test.Hang", "after": ("test.Signal", {"signal": "failed"})}
    task = start(bench, nodes)
    await until(bench, "failed")
    await until(bench, "hang started")
    await cancelled(task)
    assert bench.messages[-1]["status"] == "cancelled"
    assert 'node "bad"' in bench.messages[-1]["error"]


async def test_waiting_nodes_end_without_a_word_when_the_run_is_cancelled(bench: Any) -> None:
    task = start(bench, {"hang": "test.Hang", "next": "test.Give"}, ["hang.output -> next.value"])
    await until(bench, "hang started")
    await cancelled(task)
    assert [m for m in bench.messages if m.get("node_id") == "next"] == []


@pytest.mark.parametrize("record", [{"output": 1}, {}])
async def test_node_that_never_waits_does_not_keep_a_cancel_out(bench: Any, record: dict[str, Any]) -> None:
    task = start(bench, {"busy": ("test.Busy", {"record": record})})
    await until(bench, "busy started")
    await cancelled(task)
    assert bench.messages[-1]["status"] == "cancelled"


async def test_node_that_holds_on_is_cut_off_from_its_run(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greenrun.workflows.engine.stage.GRACE", 0.01)
    task = start(bench, {"mule": "test.Stubborn"})
    await until(bench, "mule started")
    await cancelled(task)
    bench.signals.event("let go").set()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.wait_for(asyncio.gather(*others, return_exceptions=True), BOUND)
    assert bench.messages[-1]["status"] == "cancelled"


async def test_limit_fails_the_run_and_says_that_it_was_the_limit(bench: Any) -> None:
    ran = await bench.run({"hang": "test.Hang"}, timeout_ms=5)
    assert (ran.result.status, ran.result.error_code, ran.result.timed_out_ms) == ("failed", "TIMED_OUT", 5)
    assert ran.last["error_code"] == "TIMED_OUT"
    assert "5 ms" in ran.last["error"]
    assert bench.signals.event("hang stopped").is_set()


async def test_limit_that_is_not_reached_changes_nothing(bench: Any) -> None:
    ran = await bench.run({"g": ("test.Give", {"value": 1})}, timeout_ms=60_000)
    assert (ran.result.status, ran.result.timed_out_ms) == ("completed", None)


async def test_limit_of_zero_is_none(bench: Any) -> None:
    assert (await bench.run({"g": "test.Give"}, timeout_ms=0)).result.status == "completed"


async def test_work_cancelled_from_within_is_a_failure_of_that_node(bench: Any) -> None:
    ran = await bench.run({"odd": "test.SelfCancelled", "g": ("test.Give", {"value": 1})})
    assert ran.result.status == "failed"
    assert 'node "odd": the node\'s work was cancelled from within' in ran.result.error
    assert ran.result.outputs == {"g": [1]}


async def test_times_of_nodes_leave_out_what_they_waited_for(bench: Any) -> None:
    nodes = {"slow": "test.Wait", "relay": "test.Relay", "each": ("nodetool.control.ForEach", {"input_list": [1]})}
    task = start(bench, nodes, ["slow.output -> relay.a", "each.output -> relay.b"])
    await until(bench, "slow started")
    begin = time.perf_counter()
    while time.perf_counter() - begin < 0.02:
        await asyncio.to_thread(lambda: None)
    bench.signals.event("go").set()
    reports = {report.node_id: report for report in (await task).result.nodes}
    assert reports["slow"].duration_ms > 15
    assert reports["relay"].duration_ms < 15


async def test_node_tells_progress_thoughts_logs_cost_and_assets(bench: Any) -> None:
    ran = await bench.run({"t": "test.Talk"})
    assert ran.of("node_progress")[0] | {"progress": 1, "total": 4} == ran.of("node_progress")[0]
    thought, text = ran.of("chunk")
    assert (thought["content"], thought["thinking"], thought["done"]) == ("hm", True, False)
    assert (text["content"], text["done"], text["output_name"], "thinking" in text) == ("ab", True, "output", False)
    assert (ran.of("log_update")[0]["content"], ran.of("log_update")[0]["severity"]) == ("careful", "warning")
    assert ran.of("planning_update", "t")[0]["phase"] == "Draft"
    assert ran.of("node_update", "t")[-1]["provider_cost"] == 0.75
    assert ran.result.cost == 0.75
    assert ran.result.outputs == {"t": [{"type": "image", "uri": "x"}]}


async def test_provider_that_the_host_lacks_is_a_node_error(bench: Any) -> None:
    ran = await bench.run({"t": "test.Ask"})
    assert ran.of("node_update", "t")[-1]["error"].startswith('no language provider "nope" is configured')
    assert ran.of("node_update", "t")[-1]["error_detail"] == {"code": "provider_auth"}


async def test_handle_that_is_completed_early_ends_its_consumers_at_once(bench: Any) -> None:
    nodes = {
        "early": "test.Early",
        "last": "nodetool.control.Last",
        "note": ("test.Signal", {"signal": "first is through"}),
    }
    ran = await bench.run(nodes, ["early.first -> last.input_item", "last.output -> note.value"])
    assert ran.values("note") == ["a"]
    assert ran.values("early") == ["b"]


async def test_handle_that_is_completed_in_an_iteration_ends_for_that_item_only(bench: Any) -> None:
    bench.signals.event("first is through").set()
    nodes = {"each": ("nodetool.control.ForEach", {"input_list": [1, 2]}), "early": "test.Early", "pair": "test.Pair"}
    edges = ["each.output -> early.value", "early.first -> pair.a", "each.index -> pair.b"]
    assert (await bench.run(nodes, edges)).values("pair") == [["a", 0], ["a", 1]]


async def test_outputs_that_only_the_run_names_are_told(bench: Any) -> None:
    ran = await bench.run({"open": "test.Open"})
    assert [(m["output_name"], m["value"]) for m in ran.of("output_update")] == [("spoken", 1), ("late", 2)]
    assert ran.result.outputs == {"open": [1, 2]}


async def test_handle_that_does_not_exist_fails_the_node(bench: Any) -> None:
    ran = await bench.run({"r": ("test.Records", {"records": [{"ghost": 1, "text": "x"}]})})
    assert 'node "r"' in ran.result.error


async def test_emitting_on_a_handle_that_does_not_exist_fails_the_node(bench: Any) -> None:
    ran = await bench.run({"spell": "test.Letters"})
    assert ran.result.error == 'node "spell": the node has no output "ghost"'


async def test_handle_that_is_left_out_of_a_record_tells_nothing(bench: Any) -> None:
    ran = await bench.run({"p": "test.Partly"})
    assert ran.result.outputs == {"p": [2]}
    assert ran.of("node_update", "p")[-1]["result"] == {"two": 2}


async def test_nodes_that_control_each_other_fail_the_run_instead_of_hanging(bench: Any) -> None:
    nodes = {"a": "test.Command", "b": "test.Command"}
    ran = await bench.run(nodes, ["a.__control__ => b.__control__", "b.__control__ => a.__control__"])
    assert ran.result.error == "nodes a, b wait for each other"


async def test_nodes_that_control_each_other_beside_a_loop_that_ended_fail_the_run(bench: Any) -> None:
    loop = {
        "loop": ("nodetool.control.Loop", {"initial": 1, "max_iterations": 2}),
        "twice": ("greenrun.math.Multiply", {"b": 2}),
    }
    knot = ["a.__control__ => b.__control__", "b.__control__ => a.__control__"]
    back = ["loop.value -> twice.a", "twice.output -> loop.next"]
    ran = await bench.run({"a": "test.Command", "b": "test.Command", **loop}, [*knot, *back])
    assert ran.result.error == "nodes a, b wait for each other"


async def test_stream_node_may_read_its_inputs_side_by_side(bench: Any) -> None:
    nodes = {
        "x": ("nodetool.control.ForEach", {"input_list": [1, 2]}),
        "slow": ("test.SlowWhen", {"held": 2, "signal": "asides started"}),
        "asides": "test.Asides",
    }
    ran = await bench.run(nodes, ["x.output -> slow.value", "slow.output -> asides.a", "x.index -> asides.b"])
    assert ran.values("asides") == [[[1, 2], [0, 1]]]


@pytest.mark.case("NO-A6-1")
async def test_controlled_node_fires_once_per_event_with_the_same_cached_input(bench: Any) -> None:
    events = [{"a": 1}, {"properties": {"a": 2}}, {"event_type": "stop"}, {"a": 3}]
    nodes = {"boss": ("test.Command", {"events": events}), "c": ("test.Give", {"value": "b"}), "pair": "test.Pair"}
    ran = await bench.run(nodes, ["boss.__control__ => pair.__control__", "c.output -> pair.b"])
    assert ran.values("pair") == [[1, "b"], [2, "b"]]


async def test_controlled_node_ends_with_its_controller(bench: Any) -> None:
    nodes = {"boss": ("test.Command", {"events": [{"event_type": "run", "properties": {"a": 1}}]}), "pair": "test.Pair"}
    ran = await bench.run(nodes, ["boss.__control__ => pair.__control__"])
    assert ran.values("pair") == [[1, "-"]]
    assert ran.result.status == "completed"


async def test_control_event_that_is_no_record_fails_the_controlled_node(bench: Any) -> None:
    nodes = {"boss": ("test.Command", {"events": ["go"]}), "pair": "test.Pair"}
    ran = await bench.run(nodes, ["boss.__control__ => pair.__control__"])
    assert 'node "pair": a control event must be a record, not a str' in ran.result.error


@pytest.mark.parametrize(
    ("what", "text"),
    [("media", "this host reads no media"), ("http", "this host has no network"), ("files", "no workspace folder")],
)
async def test_host_that_lacks_something_says_so(bench: Any, what: str, text: str) -> None:
    assert text in (await bench.run({"r": ("test.Reach", {"what": what})})).result.error


async def test_workflows_of_a_host_without_any_are_missing(bench: Any) -> None:
    bench.signals = NoServices()
    ran = await bench.run({"w": (WORKFLOW, {"workflow_id": "x"})})
    assert 'the workflow "x" is not here' in ran.result.error
