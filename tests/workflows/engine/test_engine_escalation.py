"""A host that is asked when a node fails (spec: harness 6.4)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from greenrun.workflows.engine import Answer, Failure, NoServices, RunResult, run_graph
from greenrun.workflows.engine.escalation import MAX_DECISIONS
from greenrun.workflows.functions.ports import FunctionPorts
from greenrun.workflows.graph import load_graph
from greenrun.workflows.registry import default_registry


class Host:
    """Answers with what it was given, in turn, and keeps the questions."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.failures: list[Failure] = []

    async def __call__(self, failure: Failure) -> Answer:
        self.failures.append(failure)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


async def test_failure_is_asked_about_with_its_text_and_what_may_be_answered(bench: Any) -> None:
    host = Host(Answer("fail", reason="no"))
    await bench.run({"bad": ("test.Boom", {"text": "boom 42"})}, escalate=host)
    failure = host.failures[0]
    assert (failure.node_id, failure.node_type, failure.attempt, failure.retry_safe) == ("bad", "test.Boom", 1, True)
    assert "boom 42" in failure.detail
    assert failure.declared_outputs == {"output": "any"}
    assert failure.allowed_actions == ("retry", "substitute", "skip", "fail")


async def test_node_that_must_not_be_retried_may_be_skipped_or_failed(bench: Any) -> None:
    host = Host(Answer("fail"))
    await bench.run({"bad": "test.Unsafe"}, escalate=host)
    assert host.failures[0].allowed_actions == ("skip", "fail")


async def test_retry_runs_the_node_again(bench: Any) -> None:
    host = Host(Answer("retry"))
    ran = await bench.run({"f": ("test.Flaky", {"failures": 2})}, escalate=host)
    assert ran.result.outputs == {"f": [3]}
    assert [failure.attempt for failure in host.failures] == [1, 2]


async def test_retries_are_bounded(bench: Any) -> None:
    host = Host(Answer("retry"))
    ran = await bench.run({"f": ("test.Flaky", {"failures": 99})}, escalate=host)
    assert ran.result.status == "failed"
    assert len(bench.signals.counters["flaky"]) == 4


async def test_substitute_sends_other_values(bench: Any) -> None:
    nodes = {"bad": "test.Boom", "next": "test.Give"}
    host = Host(Answer("substitute", {"output": "instead"}))
    ran = await bench.run(nodes, ["bad.output -> next.value"], escalate=host)
    assert ran.values("next") == ["instead"]
    assert ran.result.status == "completed"


async def test_skip_goes_on_without_the_values(bench: Any) -> None:
    host = Host(Answer("skip"))
    ran = await bench.run({"bad": "test.Boom", "next": "test.Give"}, ["bad.output -> next.value"], escalate=host)
    assert ran.result.status == "completed"
    assert ran.values("next") == []


async def test_skip_in_an_iteration_loses_that_item_only(bench: Any) -> None:
    nodes = {
        "each": ("nodetool.control.ForEach", {"input_list": [1, "x", 3]}),
        "inc": "test.Inc",
        "all": "nodetool.control.Collect",
    }
    ran = await bench.run(
        nodes, ["each.output -> inc.value", "inc.output -> all.input_item"], escalate=Host(Answer("skip"))
    )
    assert ran.values("all") == [[2, 4]]


async def test_interventions_are_told_and_reported(bench: Any) -> None:
    ran = await bench.run({"bad": "test.Boom"}, escalate=Host(Answer("skip", reason="not needed")))
    told = ran.of("intervention", "bad")[0]
    assert (told["action"], told["reason"], told["decided_by"], told["detail"]) == (
        "skip",
        "not needed",
        "agent",
        "boom",
    )
    assert [entry["action"] for entry in ran.result.interventions] == ["skip"]


@pytest.mark.parametrize("node", ["test.Torn", "test.TornStream"])
async def test_node_that_has_sent_values_is_ended_and_not_repeated(bench: Any, node: str) -> None:
    host = Host(Answer("end_stream"))
    ran = await bench.run({"g": ("test.Give", {"value": "half"}), "t": node}, ["g.output -> t.value"], escalate=host)
    assert host.failures[0].allowed_actions == ("skip", "end_stream", "fail")
    assert ran.result.outputs == {"t": ["half"]}


async def test_stream_node_fails_when_the_answer_is_fail(bench: Any) -> None:
    nodes = {"g": ("test.Give", {"value": 1}), "t": "test.TornStream"}
    ran = await bench.run(nodes, ["g.output -> t.value"], escalate=Host(Answer("fail")))
    assert ran.result.error == 'node "t": torn'


async def test_answer_that_is_not_allowed_counts_as_fail(bench: Any) -> None:
    ran = await bench.run({"bad": "test.Unsafe"}, escalate=Host(Answer("retry")))
    assert ran.result.status == "failed"
    assert ran.of("intervention")[0]["decided_by"] == "default"


async def test_decisions_of_one_run_are_bounded(bench: Any) -> None:
    host = Host(Answer("skip"))
    items = ["x"] * (MAX_DECISIONS + 1)
    nodes = {"each": ("nodetool.control.ForEach", {"input_list": items}), "inc": "test.Inc"}
    ran = await bench.run(nodes, ["each.output -> inc.value"], escalate=host)
    assert len(host.failures) == MAX_DECISIONS
    assert ran.result.status == "failed"


class SenderServices(NoServices):
    """Runs a function that fails, of which it is said whether that may be tried again."""

    def __init__(self, retry_safe: bool) -> None:
        self.retry_safe = retry_safe
        self.calls = 0

    async def function_ports(self, function: str) -> FunctionPorts:
        return FunctionPorts((), (), effects="external", retry_safe=self.retry_safe)

    async def call_function(self, function: str, params: Any, **given: Any) -> RunResult:
        self.calls += 1
        return RunResult("failed", "the server hung up")


@pytest.mark.parametrize(("retry_safe", "calls"), [(False, 1), (True, 4)])
async def test_function_is_tried_again_only_where_it_says_so(retry_safe: bool, calls: int) -> None:
    async def host(failure: Any) -> Answer:
        assert failure.retry_safe is retry_safe
        return Answer("retry" if "retry" in failure.allowed_actions else "fail")

    services = SenderServices(retry_safe)
    node = {"id": "f", "type": "greenrun.workflows.Function", "data": {"function": "m:send"}}
    await run_graph(
        load_graph({"nodes": [node], "edges": []}),
        registry=default_registry(),
        params={},
        job_id="j",
        emit=lambda message: None,
        services=services,
        escalate=host,
    )
    assert services.calls == calls


async def _failing(count: int, escalate: Any) -> RunResult:
    nodes = [{"id": f"r{n}", "type": "nodetool.list.Range", "data": {"step": 0}} for n in range(count)]
    return await run_graph(
        load_graph({"nodes": nodes, "edges": []}),
        registry=default_registry(),
        params={},
        job_id="j",
        emit=lambda message: None,
        escalate=escalate,
    )


@pytest.mark.parametrize(
    ("apply_to", "status", "noted"), [("all", "completed", 25), (None, "failed", 20), ("same_node", "failed", 20)]
)
async def test_only_answers_for_later_failures_go_beyond_the_bound(apply_to: Any, status: str, noted: int) -> None:
    async def host(failure: Any) -> Answer:
        await asyncio.sleep(0)
        return Answer("skip", apply_to=apply_to)

    result = await asyncio.wait_for(_failing(25, host), 10)
    assert (result.status, len(result.interventions)) == (status, noted)
