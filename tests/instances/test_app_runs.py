"""Runs of an open app: policy, messages, limits, cancel: app-runtime 17.4, harness 3.5."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from greenrun.instances.gestures import change, click
from greenrun.instances.instance import AppInstance
from greenrun.instances.runner import RunRequest
from greenrun.instances.runs import Limits
from opened import app_of
from simulated import button, document, operation, widget

SECONDS = 5


class Puppet:
    """A runner whose runs do what the test says; `requests` and `emits` by job id."""

    def __init__(self) -> None:
        self.requests: dict[str, RunRequest] = {}
        self.emits: dict[str, Callable[[dict[str, Any]], None]] = {}
        self.released: list[str] = []
        self._ends: dict[str, asyncio.Future[None]] = {}
        self._started: dict[str, asyncio.Event] = {}

    async def run(self, request: RunRequest, emit: Callable[[dict[str, Any]], None]) -> object:
        job = request.job_id
        self.requests[job] = request
        self.emits[job] = emit
        self._ends[job] = asyncio.get_running_loop().create_future()
        self._event(job).set()
        try:
            await self._ends[job]
        finally:
            self.released.append(job)
        return f"result of {job}"

    async def started(self, job: str) -> None:
        async with asyncio.timeout(SECONDS):
            await self._event(job).wait()

    def say(self, job: str, **message: Any) -> None:
        self.emits[job]({"job_id": job, **message})

    def end(self, job: str, error: Exception | None = None) -> None:
        self._ends[job].set_exception(error) if error else self._ends[job].set_result(None)

    def _event(self, job: str) -> asyncio.Event:
        return self._started.setdefault(job, asyncio.Event())


@asynccontextmanager
async def puppet(*content: dict[str, Any], **options: Any) -> AsyncIterator[tuple[AppInstance, Puppet]]:
    operations = options.pop("operations", None)
    widgets = list(content) or [button("go", "main"), widget("Text", "out", binding="op:main/out:out1")]
    app = await app_of(document(widgets, operations))
    runner = Puppet()
    instance = AppInstance(app, runner, **options)
    try:
        yield instance, runner
    finally:
        async with asyncio.timeout(SECONDS):
            await instance.aclose()


async def settled(instance: AppInstance) -> None:
    async with asyncio.timeout(SECONDS):
        await instance.settle()


def statuses(instance: AppInstance) -> dict[str, str]:
    return {key: item.status for key, item in instance.state.invocations.items()}


async def test_a_run_is_given_the_inputs_of_the_moment_of_the_click() -> None:
    content = [widget("TextInput", "in", binding="op:main/in:in1"), button("go", "main")]
    async with puppet(*content) as (instance, runner):
        change(instance, "in", "first")
        click(instance, "go")
        change(instance, "in", "second")
        await runner.started("run-1")
        assert runner.requests["run-1"].params == {"prompt": "first"}


async def test_a_run_without_a_final_status_ends_completed() -> None:
    async with puppet() as (instance, runner):
        click(instance, "go")
        await runner.started("run-1")
        assert statuses(instance) == {"run-1": "pending"}
        runner.end("run-1")
        await settled(instance)
        assert statuses(instance) == {"run-1": "completed"}
        record = instance.runs.get("run-1")
        assert record is not None
        assert record.result == "result of run-1"
        assert record.duration_ms >= 0


async def test_the_final_status_that_the_run_sent_stands() -> None:
    async with puppet() as (instance, runner):
        click(instance, "go")
        await runner.started("run-1")
        runner.say("run-1", type="job_update", status="failed", error="no credit")
        runner.end("run-1")
        await settled(instance)
        assert statuses(instance) == {"run-1": "failed"}
        assert instance.state.invocations["run-1"].error == "no credit"


async def test_activity_labels_are_kept_without_repeats() -> None:
    async with puppet() as (instance, runner):
        click(instance, "go")
        await runner.started("run-1")
        for phase in ("reading", "reading", "writing", "reading"):
            runner.say("run-1", type="planning_update", phase=phase)
        assert instance.runs.records[0].activity == ["reading", "writing", "reading"]


@pytest.mark.parametrize(
    ("error", "shown"), [(ValueError("no such file"), "no such file"), (RuntimeError(), "RuntimeError")]
)
async def test_a_runner_that_raises_fails_the_run_with_its_text(error: Exception, shown: str) -> None:
    async with puppet() as (instance, runner):
        click(instance, "go")
        await runner.started("run-1")
        runner.end("run-1", error)
        await settled(instance)
        assert statuses(instance) == {"run-1": "failed"}
        assert instance.state.invocations["run-1"].error == shown


async def test_replace_cancels_the_live_run_and_starts_the_next() -> None:
    async with puppet(widget("Text", "out", binding="op:main/out:out1")) as (instance, runner):
        instance.run("main")
        await runner.started("run-1")
        second = instance.run("main")
        assert (second.decision, second.decision_targets) == ("replace", ("run-1",))
        await runner.started("run-2")
        assert runner.released == ["run-1"]
        assert statuses(instance) == {"run-1": "cancelled", "run-2": "pending"}
        assert instance.runs.records[0].cancelled_by == "replace"


async def test_nothing_that_a_replaced_run_still_says_arrives() -> None:
    async with puppet() as (instance, runner):
        instance.run("main")
        await runner.started("run-1")
        instance.run("main")
        before = instance.state
        runner.say("run-1", type="output_update", node_id="out1", value="late")
        assert instance.state is before


async def test_parallel_runs_are_both_live() -> None:
    async with puppet(operations=[operation(policy="parallel")]) as (instance, runner):
        decisions = [instance.run("main").decision for _ in range(2)]
        await runner.started("run-1")
        await runner.started("run-2")
        assert decisions == ["start", "start"]
        assert statuses(instance) == {"run-1": "pending", "run-2": "pending"}


async def test_a_queued_run_takes_over_the_outputs_only_when_it_starts() -> None:
    async with puppet(operations=[operation(policy="queue")]) as (instance, runner):
        instance.run("main")
        second = instance.run("main")
        assert (second.decision, second.run_index) == ("queue", None)
        await runner.started("run-1")
        runner.say("run-1", type="output_update", node_id="out1", value="of the first", disposition="replace")
        assert instance.view("out").value == "of the first"
        runner.end("run-1")
        await runner.started("run-2")
        assert second.run_index == 1
        assert instance.view("out").status == "pending"


async def test_queued_runs_start_in_the_order_in_which_they_came() -> None:
    async with puppet(operations=[operation(policy="queue")]) as (instance, runner):
        for _ in range(3):
            instance.run("main")
        for job in ("run-1", "run-2", "run-3"):
            await runner.started(job)
            assert list(runner.requests)[-1] == job
            runner.end(job)
        await settled(instance)
        assert set(statuses(instance).values()) == {"completed"}


async def test_a_run_that_is_cancelled_while_it_waits_never_starts() -> None:
    async with puppet(operations=[operation(policy="queue")]) as (instance, runner):
        instance.run("main")
        await runner.started("run-1")
        instance.run("main")
        assert instance.cancel("main", "run-2") == ("run-2",)
        runner.end("run-1")
        await settled(instance)
        assert statuses(instance) == {"run-1": "completed", "run-2": "cancelled"}
        assert list(runner.requests) == ["run-1"]


async def test_a_run_that_waits_past_the_deadline_fails_and_never_starts() -> None:
    deadline = asyncio.get_running_loop().time() + 0.03
    async with puppet(operations=[operation(policy="queue")], limits=Limits(deadline=deadline)) as (instance, runner):
        instance.run("main")
        instance.run("main")
        await settled(instance)
        assert statuses(instance) == {"run-1": "failed", "run-2": "failed"}
        assert list(runner.requests) == ["run-1"]
        assert [record.limit for record in instance.runs.records] == ["deadline", "deadline"]
        assert instance.runs.records[1].run_index is None
        assert "was never started" in str(instance.state.invocations["run-2"].error)


@pytest.mark.parametrize(
    ("own", "ceiling", "limit", "words"),
    [
        (5, None, "operation", "within 5 ms (its own limit)"),
        (90_000, 5, "ceiling", "within 5 ms (the limit for each run)"),
        (None, 5, "ceiling", "within 5 ms (the limit for each run)"),
    ],
)
async def test_the_smaller_limit_stops_the_run_and_is_named(
    own: int | None, ceiling: float | None, limit: str, words: str
) -> None:
    stored = operation() if own is None else operation(timeoutMs=own)
    async with puppet(operations=[stored], limits=Limits(ceiling)) as (instance, runner):
        click(instance, "go")
        await settled(instance)
        record = instance.runs.records[0]
        assert (record.limit, record.timed_out_ms) == (limit, 5)
        assert runner.released == ["run-1"]
        assert words in str(instance.state.invocations["run-1"].error)


async def test_a_run_that_is_stopped_is_folded_no_further() -> None:
    async with puppet(operations=[operation(timeoutMs=5)]) as (instance, runner):
        click(instance, "go")
        await settled(instance)
        before = instance.state
        runner.say("run-1", type="output_update", node_id="out1", value="late")
        runner.say("run-1", type="job_update", status="completed")
        assert instance.state is before


async def test_a_limit_that_expires_after_a_cancel_changes_nothing() -> None:
    class Stubborn:
        """Takes longer to stop than its limit allows."""

        def __init__(self) -> None:
            self.asked = asyncio.Event()
            self.let_go = asyncio.Event()
            self.expired = asyncio.Event()

        async def run(self, request: RunRequest, emit: Any) -> object:
            self.asked.set()
            asyncio.get_running_loop().call_later(0.02, self.expired.set)
            try:
                await asyncio.Event().wait()
            finally:
                await self.let_go.wait()

    app = await app_of(document([button("go", "main")], [operation(timeoutMs=10)]))
    runner = Stubborn()
    instance = AppInstance(app, runner)
    click(instance, "go")
    async with asyncio.timeout(SECONDS):
        await runner.asked.wait()
        instance.cancel("main")
        await runner.expired.wait()
    runner.let_go.set()
    await settled(instance)
    assert statuses(instance) == {"run-1": "cancelled"}
    assert instance.runs.records[0].limit is None


async def test_a_cancel_names_the_runs_that_were_live() -> None:
    async with puppet(operations=[operation(policy="parallel")]) as (instance, runner):
        instance.run("main")
        instance.run("main")
        await runner.started("run-1")
        runner.end("run-1")
        async with asyncio.timeout(SECONDS):
            await instance.runs.settle(instance.runs.records[:1])
        assert instance.cancel("main") == ("run-2",)
        assert instance.cancel("main") == ()
        assert statuses(instance) == {"run-1": "completed", "run-2": "cancelled"}


async def test_a_run_that_is_cancelled_by_the_same_click_settles() -> None:
    events = [
        {"trigger": "click", "kind": "run", "operationId": "main"},
        {"trigger": "click", "kind": "cancel", "operationId": "main"},
    ]
    async with puppet(widget("Button", "go", events=events)) as (instance, runner):
        reaction = click(instance, "go")
        assert reaction.actions == ["run main", "cancel main (run-1)"]
        await settled(instance)
        assert statuses(instance) == {"run-1": "cancelled"}
        assert not runner.requests


async def test_cancelling_a_run_that_has_ended_changes_nothing() -> None:
    async with puppet() as (instance, runner):
        click(instance, "go")
        await runner.started("run-1")
        runner.end("run-1")
        await settled(instance)
        instance.runs.cancel_run("run-1", "cancel")
        assert statuses(instance) == {"run-1": "completed"}


async def test_closing_cancels_what_is_live_and_waits_for_the_runner() -> None:
    async with puppet() as (instance, runner):
        click(instance, "go")
        await runner.started("run-1")
        await instance.aclose()
        assert runner.released == ["run-1"]
        assert statuses(instance) == {"run-1": "cancelled"}
        assert instance.runs.records[0].cancelled_by == "close"


async def test_a_task_that_is_cancelled_from_outside_ends_its_run() -> None:
    async with puppet() as (instance, runner):
        click(instance, "go")
        await runner.started("run-1")
        task = instance.runs.records[0].task
        assert task is not None
        task.cancel()
        await settled(instance)
        assert statuses(instance) == {"run-1": "cancelled"}
        assert instance.runs.records[0].cancelled_by == "close"


async def test_a_button_is_free_again_when_its_run_has_ended() -> None:
    async with puppet() as (instance, runner):
        click(instance, "go")
        assert instance.view("go").disabled
        await runner.started("run-1")
        runner.end("run-1")
        await settled(instance)
        assert not instance.view("go").disabled


async def test_a_message_that_names_no_run_is_ignored() -> None:
    async with puppet() as (instance, runner):
        click(instance, "go")
        await runner.started("run-1")
        before = instance.state
        runner.emits["run-1"]({"type": "output_update", "node_id": "out1", "value": "whose?"})
        assert instance.state is before
