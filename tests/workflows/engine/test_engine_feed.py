"""Inputs that are fed while a run goes on (spec: nodes A2.14)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from greenrun.workflows.engine import InputFeed
from greenrun.workflows.engine.inbox import CAPACITY
from greenrun.workflows.node import NodeError
from greenrun.workflows.registry import default_registry

BOUND = 10
MIC = "nodetool.input.RealtimeAudioInput"
NODES = {"mic": (MIC, {"name": "voice", "value": "saved"}), "out": ("nodetool.output.Output", {"name": "out"})}
EDGES = ["mic.chunk -> out.value"]


@pytest.fixture(autouse=True)
def live_host(bench: Any, engine_registry: Any) -> None:
    """A host that feeds live inputs registers them as available."""
    mic = default_registry().get(MIC)
    assert mic is not None
    engine_registry.register(replace(mic, unavailable=None))


@pytest.fixture
async def start(bench: Any) -> AsyncIterator[Any]:
    tasks: list[asyncio.Task[Any]] = []

    def run(**options: Any) -> asyncio.Task[Any]:
        nodes, edges = options.pop("nodes", NODES), options.pop("edges", EDGES)
        tasks.append(asyncio.ensure_future(bench.run(nodes, edges, **options)))
        return tasks[-1]

    yield run
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_input_stays_open_until_it_is_finished_and_sends_what_is_pushed(start: Any) -> None:
    feed = InputFeed()
    run = start(feed=feed)
    for value in ("a", "b"):
        await feed.push("voice", value)
    await asyncio.sleep(0)
    assert not run.done()
    feed.finish("voice")
    ran = await asyncio.wait_for(run, BOUND)
    assert ran.result.outputs == {"out": ["a", "b"]}
    assert ran.statuses("mic") == ["running", "completed"]
    assert ran.of("output_update", "mic") == []


async def test_values_that_come_before_the_run_wait_for_it(start: Any) -> None:
    feed = InputFeed()
    await feed.push("voice", "early", "chunk")
    feed.finish("voice", "chunk")
    assert (await asyncio.wait_for(start(feed=feed), BOUND)).result.outputs == {"out": ["early"]}


async def test_input_that_is_finished_without_a_value_ends_its_consumers(start: Any) -> None:
    feed = InputFeed()
    feed.finish("voice")
    feed.finish("voice")
    ran = await asyncio.wait_for(start(feed=feed), BOUND)
    assert ran.result.outputs == {}
    assert ran.statuses("mic") == []


async def test_pushing_waits_while_the_run_is_behind(start: Any) -> None:
    feed = InputFeed()
    for number in range(CAPACITY):
        await feed.push("voice", number)
    more = asyncio.ensure_future(feed.push("voice", "more"))
    await asyncio.sleep(0)
    assert not more.done()
    run = start(feed=feed)
    await asyncio.wait_for(more, BOUND)
    feed.finish("voice")
    assert (await asyncio.wait_for(run, BOUND)).result.outputs["out"][-1] == "more"


async def test_finished_input_takes_nothing_more(start: Any) -> None:
    feed = InputFeed()
    feed.finish("voice")
    with pytest.raises(NodeError, match='the input "voice" was finished'):
        await feed.push("voice", "late")


async def test_input_that_the_run_does_not_have_is_named(bench: Any, start: Any) -> None:
    feed = InputFeed()
    start(feed=feed, nodes={**NODES, "heard": "test.Signal"}, edges=["mic.chunk -> heard.value"])
    await feed.push("voice", "x")
    await asyncio.wait_for(bench.signals.event("fast is through").wait(), BOUND)
    with pytest.raises(NodeError, match='no live input "vice"; it has: voice'):
        await feed.push("vice", "x")


async def test_run_that_has_ended_takes_nothing_more(start: Any) -> None:
    feed = InputFeed()
    feed.finish("voice")
    await asyncio.wait_for(start(feed=feed), BOUND)
    with pytest.raises(NodeError, match="the run has ended"):
        await feed.push("voice", "x")


async def test_cancelled_run_lets_go_of_those_who_push(start: Any) -> None:
    feed = InputFeed()
    nodes = {**NODES, "hang": "test.Hang"}
    run = start(feed=feed, nodes=nodes, edges=["mic.chunk -> hang.value"])
    pushing = [asyncio.ensure_future(feed.push("voice", number)) for number in range(CAPACITY * 4)]
    await asyncio.sleep(0)
    run.cancel()
    answers = await asyncio.wait_for(asyncio.gather(*pushing, return_exceptions=True), BOUND)
    assert any(isinstance(answer, NodeError) for answer in answers)


async def test_handle_that_the_input_does_not_have_fails_it(start: Any) -> None:
    feed = InputFeed()
    await feed.push("voice", "x", "picture")
    ran = await asyncio.wait_for(start(feed=feed), BOUND)
    assert 'node "mic": the node has no output "picture"' in ran.result.error


async def test_run_without_a_feed_sends_the_param_as_it_is(start: Any) -> None:
    ran = await asyncio.wait_for(start(params={"voice": "given"}), BOUND)
    assert ran.result.outputs == {"out": ["given"]}


async def test_run_without_a_feed_has_no_default_for_a_live_input(start: Any) -> None:
    assert (await asyncio.wait_for(start(), BOUND)).result.outputs == {}


async def test_run_without_live_inputs_takes_no_pushes(bench: Any, start: Any) -> None:
    feed = InputFeed()
    nodes = {"w": "test.Wait", "in": ("nodetool.input.StringInput", {"name": "t"})}
    start(feed=feed, nodes=nodes, edges=[])
    await asyncio.wait_for(bench.signals.event("w started").wait(), BOUND)
    with pytest.raises(NodeError, match='no live input "t"; it has: none'):
        await feed.push("t", "x")


async def test_limit_ends_a_run_whose_input_is_never_finished(start: Any) -> None:
    ran = await asyncio.wait_for(start(feed=InputFeed(), timeout_ms=5), BOUND)
    assert ran.result.error_code == "TIMED_OUT"
