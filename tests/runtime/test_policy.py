"""Start, replace or queue: cases of app-runtime 10."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.model import Operation
from greenrun.runtime.events import InvocationStatus, RunStarted
from greenrun.runtime.policy import Decision, decide_run
from greenrun.runtime.reduce import reduce
from greenrun.runtime.state import InstanceState, Invocation, empty_state

POLICIES = ("parallel", "replace", "queue")


def decide(policy: Any, state: InstanceState) -> Decision:
    return decide_run(state, Operation("main", "Run", "wf", {}, {}, policy))


@pytest.fixture
def busy() -> InstanceState:
    state = empty_state()
    for run, operation, status in (("j1", "main", "running"), ("j2", "main", "pending"), ("j3", "other", "running")):
        state = reduce(state, RunStarted(Invocation(run, operation, status)))  # type: ignore[arg-type]
    return state


@pytest.mark.case("AR-10-1")
@pytest.mark.parametrize("policy", POLICIES)
def test_an_idle_operation_starts(policy: str) -> None:
    assert decide(policy, empty_state()) == Decision("start")


@pytest.mark.case("AR-10-2")
def test_a_busy_operation_follows_its_policy(busy: InstanceState) -> None:
    assert [decide(policy, busy) for policy in POLICIES] == [
        Decision("start"),
        Decision("replace", ("j2", "j1")),
        Decision("queue", ("j2", "j1")),
    ]


@pytest.mark.case("AR-10-2")
def test_an_ended_run_is_not_waited_for(busy: InstanceState) -> None:
    state = reduce(busy, InvocationStatus("j1", "completed"))
    assert decide("queue", state) == Decision("queue", ("j2",))


@pytest.mark.case("AR-10-3")
def test_runs_of_other_operations_do_not_matter(busy: InstanceState) -> None:
    for run in ("j1", "j2"):
        busy = reduce(busy, InvocationStatus(run, "completed"))
    assert decide("queue", busy) == Decision("start")
