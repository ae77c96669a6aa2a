"""What a run may spend and do (DESIGN 7)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from greenrun.workflows.engine import Answer, NoServices, RunResult
from greenrun.workflows.functions.ports import FunctionPorts
from greenrun.workflows.messages import chunk as chunk_message
from greenrun.workflows.messages import job_update, log_update, node_progress, output_update, planning_update


def spend(**data: Any) -> tuple[str, dict[str, Any]]:
    return ("test.Spend", data)


async def test_run_that_reaches_its_cap_makes_no_further_call(bench: Any) -> None:
    nodes = {"a": spend(dollars=0.6), "b": spend(dollars=0.6), "c": spend(dollars=0.6)}
    ran = await bench.run(nodes, ["a.output -> b.value", "b.output -> c.value"], cost_cap=1)
    assert bench.signals.counters["calls"] == ["a", "b"]
    assert (ran.result.status, ran.result.error_code, ran.last["error_code"]) == (
        "failed",
        "BUDGET_EXCEEDED",
        "BUDGET_EXCEEDED",
    )
    assert 'node "c": the run has spent 1.2 of the 1 US dollars' in ran.result.error
    assert "--max-cost" in ran.result.error
    assert ran.result.cost == 1.2


async def test_parallel_nodes_share_the_cap(bench: Any) -> None:
    nodes = {name: spend(dollars=1) for name in "abcd"}
    ran = await bench.run(nodes, cost_cap=2)
    assert len(bench.signals.counters["calls"]) == 2
    assert ran.result.error_code == "BUDGET_EXCEEDED"


async def test_calls_inside_a_nested_graph_share_the_cap(bench: Any) -> None:
    nodes = {"a": spend(dollars=1), "sub": bench.nested({"b": spend()}, [])}
    ran = await bench.run(nodes, cost_cap=1)
    assert bench.signals.counters["calls"] == ["a"]
    assert ran.result.error_code == "BUDGET_EXCEEDED"
    assert ran.of("node_update", "sub")[-1]["status"] == "error"


async def test_cap_of_zero_allows_no_call(bench: Any) -> None:
    await bench.run({"a": spend()}, cost_cap=0)
    assert bench.signals.counters == {}


async def test_run_below_its_cap_is_none_the_wiser(bench: Any) -> None:
    ran = await bench.run({"a": spend(dollars=0.5)}, cost_cap=0.6)
    assert (ran.result.status, ran.result.error_code, ran.result.cost) == ("completed", None, 0.5)


async def test_siblings_go_on_when_the_budget_is_spent(bench: Any) -> None:
    ran = await bench.run({"a": spend(), "b": ("test.Give", {"value": 1})}, cost_cap=0)
    assert ran.result.outputs == {"b": [1]}


async def test_node_that_goes_on_without_its_call_does_not_make_the_run_complete(bench: Any) -> None:
    ran = await bench.run({"t": "test.Thrifty"}, cost_cap=0)
    assert ran.values("t") == ["guessed"]
    assert (ran.result.status, ran.result.error_code) == ("failed", "BUDGET_EXCEEDED")
    assert ran.result.error.startswith("the run has spent 0 of the 0 US dollars")


@pytest.mark.parametrize("dollars", [-1, "nan", "inf"])
async def test_cost_that_is_none_fails_the_node(bench: Any, dollars: Any) -> None:
    ran = await bench.run({"s": ("test.Stingy", {"dollars": dollars})})
    assert "a cost is 0 or more" in ran.result.error


async def test_nobody_is_asked_about_what_no_answer_can_permit(bench: Any) -> None:
    asked: list[Any] = []

    async def host(failure: Any) -> Answer:
        asked.append(failure)
        return Answer("skip")

    nodes = {"a": spend(), "p": "test.Post", "sub": bench.nested({"q": "test.Post"})}
    ran = await bench.run(nodes, cost_cap=0, allow_external=False, escalate=host)
    assert asked == []
    assert ran.result.status == "failed"


@pytest.mark.parametrize("node", ["test.Post", "test.PostStream"])
async def test_node_that_acts_outside_does_not_fire_without_permission(bench: Any, node: str) -> None:
    nodes = {"c": ("test.Give", {"value": 1}), "p": node}
    ran = await bench.run(nodes, ["c.output -> p.value"], allow_external=False)
    assert bench.signals.counters == {}
    assert (ran.result.status, ran.last["error_code"]) == ("failed", "NOT_ALLOWED")
    for part in ('node "p"', node, "to a server outside", "--allow-external"):
        assert part in ran.last["error"]


async def test_node_inside_a_nested_graph_needs_the_permission_too(bench: Any) -> None:
    ran = await bench.run({"sub": bench.nested({"p": "test.Post"})}, allow_external=False)
    assert bench.signals.counters == {}
    assert ran.result.error_code == "NOT_ALLOWED"


@pytest.mark.parametrize("node", ["test.Post", "test.PostStream"])
async def test_node_that_acts_outside_fires_with_permission(bench: Any, node: str) -> None:
    nodes = {"c": ("test.Give", {"value": 1}), "p": node}
    ran = await bench.run(nodes, ["c.output -> p.value"])
    assert len(bench.signals.counters["posts"]) == 1
    assert ran.result.ok


async def test_failure_of_another_kind_inside_says_nothing_of_a_permission(bench: Any) -> None:
    ran = await bench.run({"sub": bench.nested({"bad": "test.Boom"})}, allow_external=False)
    assert ran.result.error_code is None


class Tools(NoServices):
    """A host with one function, that says all that a function may say."""

    def __init__(self, effects: Any = "none", cost: float | None = None) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self._effects = effects
        self._cost = cost

    async def function_ports(self, function: str) -> FunctionPorts:
        return FunctionPorts((), (), effects=self._effects)

    async def call_function(
        self, function: str, params: Any, *, job_id: str, emit: Any, timeout_ms: float | None = None
    ) -> RunResult:
        self.calls.append((function, dict(params), job_id))
        for message in (
            job_update("running"),
            node_progress(function, 1, 2),
            planning_update("Draft"),
            chunk_message("result", "HI"),
            log_update(function, "shout", "loud"),
            output_update("result", "result", "result", "HI"),
            job_update("completed"),
        ):
            emit(message | {"job_id": job_id})
        return RunResult("completed", outputs={"result": [str(params["text"]).upper()]}, cost=self._cost)


CALL: tuple[dict[str, Any], list[str]] = (
    {"c": ("test.Give", {"value": "hi"}), "f": "test.Caller"},
    ["c.output -> f.value"],
)


async def test_function_is_called_as_part_of_the_run(bench: Any) -> None:
    bench.signals = Tools()
    ran = await bench.run(*CALL)
    assert ran.values("f") == ["HI"]
    assert bench.signals.calls == [("tools:shout", {"text": "hi"}, "job-1/f/1")]


async def test_calls_of_a_function_have_job_ids_of_their_own(bench: Any) -> None:
    bench.signals = Tools()
    nodes = {"each": ("nodetool.control.ForEach", {"input_list": [1, 2]}), "sub": bench.nested({"f": "test.Caller"})}
    await bench.run({**nodes, "g": "test.Caller"}, ["each.output -> g.value"])
    assert sorted(call[2] for call in bench.signals.calls) == ["job-1/g/1", "job-1/g/2", "job-1/sub/f/1"]


async def test_progress_text_and_logs_of_a_function_are_told_as_the_node_s_and_nothing_else(bench: Any) -> None:
    bench.signals = Tools()
    ran = await bench.run(*CALL)
    told = [(m["type"], m.get("content")) for m in ran.messages if m.get("node_id") == "f" and "status" not in m]
    assert told == [
        ("node_progress", None),
        ("chunk", "HI"),
        ("log_update", "loud"),
        ("output_update", None),
        ("generation_complete", None),
    ]
    assert ran.of("chunk")[0]["output_name"] == "result"
    assert ran.of("log_update")[0]["node_name"] == "Caller"
    assert {message["job_id"] for message in ran.messages} == {"job-1"}


async def test_cost_of_a_function_is_the_node_s(bench: Any) -> None:
    bench.signals = Tools(cost=0.25)
    assert (await bench.run(*CALL)).result.cost == 0.25


async def test_function_that_acts_outside_is_not_called_without_permission(bench: Any) -> None:
    bench.signals = Tools("external")
    ran = await bench.run(*CALL, allow_external=False)
    assert bench.signals.calls == []
    assert ran.result.error_code == "NOT_ALLOWED"
    assert 'the function "tools:shout" would be run' in ran.result.error


async def test_function_that_stays_inside_is_called_without_permission(bench: Any) -> None:
    bench.signals = Tools()
    assert (await bench.run(*CALL, allow_external=False)).result.ok


async def test_host_without_functions_says_so(bench: Any) -> None:
    for allowed in (True, False):
        ran = await bench.run(*CALL, allow_external=allowed)
        assert 'this host runs no functions, so "tools:shout" cannot run' in ran.result.error


async def test_cancelled_run_is_cancelled_whatever_was_denied_before(bench: Any) -> None:
    task = asyncio.ensure_future(bench.run({"p": "test.Post", "hang": "test.Hang"}, allow_external=False))
    await asyncio.wait_for(bench.signals.event("hang started").wait(), 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 10)
    assert (bench.messages[-1]["status"], "error_code" in bench.messages[-1]) == ("cancelled", False)


async def test_run_that_spent_more_than_its_cap_is_told_and_completes(bench: Any) -> None:
    ran = await bench.run({"a": spend(dollars=2)}, cost_cap=0.5)
    assert ran.result.status == "completed"
    warnings = [m["content"] for m in ran.of("log_update") if m["severity"] == "warning"]
    assert warnings == [
        "the run has spent 2 US dollars, more than the 0.5 that it may spend: what a call costs is known only afterwards"
    ]
