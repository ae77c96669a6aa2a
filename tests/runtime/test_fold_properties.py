"""What holds for every sequence of messages and starts, however they interleave."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from greenrun.document.model import Operation, ToVariable
from greenrun.document.surface import Port, Surface
from greenrun.runtime.events import Event, InvocationAlias, RunStarted, SetVariable, ToggleVariable
from greenrun.runtime.fold import fold, fold_context
from greenrun.runtime.reduce import reduce
from greenrun.runtime.state import InstanceState, Invocation, empty_state

OPERATIONS = ("main", "other")
RUNS = ("j1", "j2", "j3", "j4")
VALUES = ("", "text", 0, 1.5, True, None, [1], {"a": 1}, [])
NODES = ("n1", "n2", "nX")

SURFACE = Surface(
    outputs=(Port("n1", "nodetool.output.Output", "a", "a"), Port("n2", "nodetool.output.Output", "b", "b"))
)
DECLARED = [
    (Operation(key, key, "wf", {}, {"n1": ToVariable("v"), "nX": ToVariable("w")}), SURFACE) for key in OPERATIONS
]

_maybe = st.sampled_from((True, False, None, "yes"))
_texts = st.sampled_from(("", " ", "word", None, 3, {"message": "boom"}))
_values = st.sampled_from(VALUES)
_numbers = st.sampled_from((0, 1, -1, 3, 0.5, float("nan"), float("inf"), 10**400, "4", None))


def _message(kind: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    optional = {**fields, "job_id": st.sampled_from((*RUNS, "foreign", None, 7))}
    return st.fixed_dictionaries({"type": st.just(kind)}, optional=optional)


MESSAGES = st.one_of(
    _message(
        "job_update",
        status=st.sampled_from(
            ("queued", "running", "completed", "failed", "timed_out", "error", "cancelled", "x", [])
        ),
        error=_texts,
    ),
    _message(
        "output_update",
        node_id=st.sampled_from(NODES),
        value=_values,
        disposition=st.sampled_from(("append", "replace", "?")),
        done=_maybe,
    ),
    _message(
        "chunk",
        node_id=st.sampled_from(NODES),
        content=_values,
        content_type=st.sampled_from(("text", "audio", "", None)),
        done=_maybe,
        thinking=_maybe,
        source=_texts,
    ),
    _message("node_progress", progress=_numbers, total=_numbers),
    _message("node_update", error=_texts, node_id=st.sampled_from(NODES)),
    _message("error", message=_texts, error=_texts),
    _message("tool_call_update", name=_texts, tool_call_id=_texts, args=_values, message=_texts),
    _message("tool_result_update", name=_texts, tool_call_id=_texts, result=_values, is_error=_maybe),
    _message("planning_update", phase=_texts, status=_texts),
    _message("task_update", task=_values, step=_values, event=_texts),
    _message(
        "log_update",
        content=_texts,
    ),
    st.just({"type": None}),
)
STARTS = st.builds(
    lambda run, operation, keys, claim: RunStarted(
        Invocation(run, operation, "pending"),
        tuple(f"{operation}:{node}" for node in ("n1", "n2")) if keys else (),
        ("v",) if keys else (),
        {"v": "default"} if keys else {},
        claim,
    ),
    st.sampled_from(RUNS),
    st.sampled_from(OPERATIONS),
    st.booleans(),
    st.booleans(),
)
USER = st.sampled_from((SetVariable("v", "mine"), ToggleVariable("v"), InvocationAlias("j1", "j2")))
HISTORIES = st.lists(st.one_of(MESSAGES, MESSAGES, MESSAGES, STARTS, USER), max_size=16)


def events_of(step: dict[str, Any] | Event, state: InstanceState) -> list[Event]:
    if not isinstance(step, dict):
        return [step]
    context = fold_context(DECLARED, lambda job_id: state.invocations.get(job_id or ""))
    return fold(step, context)


def live_index(state: InstanceState) -> dict[str, list[str]]:
    runs = sorted(
        (run for key, run in state.invocations.items() if key not in state.invocation_aliases and run.live),
        key=lambda run: -run.seq,
    )
    return {operation: [run.id for run in runs if run.operation_id == operation] for operation in OPERATIONS}


@settings(max_examples=2000, deadline=None)
@given(HISTORIES)
def test_a_run_ends_at_most_once(history: list[Any]) -> None:
    state = empty_state()
    ended: dict[str, str] = {}
    for step in history:
        for event in events_of(step, state):
            state = reduce(state, event)
        for key, run in state.invocations.items():
            if key in state.invocation_aliases:
                continue
            assert ended.get(key, run.status) == run.status
            if not run.live:
                ended[key] = run.status
                assert all(
                    slot.status in ("empty", "done") for slot in state.outputs.values() if slot.invocation_id == key
                )
                assert key not in state.claims.values()
        assert {key: list(state.live.get(key, ())) for key in OPERATIONS} == live_index(state)


@settings(max_examples=300, deadline=None)
@given(HISTORIES)
def test_reducing_leaves_the_state_before_as_it_was(history: list[Any]) -> None:
    state = empty_state()
    for step in history:
        for event in events_of(step, state):
            before, stored = state, repr(state)
            state = reduce(state, event)
            assert repr(before) == stored
            assert state is before or repr(state) != stored
