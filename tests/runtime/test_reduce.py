"""The state of an open app under events: cases of app-runtime 5."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenrun.document.refs import InputRef, NodePropertyRef, OutputRef
from greenrun.document.values import ABSENT
from greenrun.runtime.events import (
    Event,
    InvocationActivity,
    InvocationAlias,
    InvocationError,
    InvocationProgress,
    InvocationStatus,
    InvocationTranscript,
    OutputValue,
    Reset,
    RunStarted,
    SeedInputs,
    SeedVariables,
    SetInput,
    SetVariable,
    SetView,
    ToggleVariable,
)
from greenrun.runtime.queries import (
    activity,
    error,
    invocations_of,
    is_running,
    live_invocations,
    progress,
    read,
    transcript,
)
from greenrun.runtime.reduce import append, reduce
from greenrun.runtime.state import InputSlot, InstanceState, Invocation, Slot, empty_state


def after(*events: Event, state: InstanceState | None = None) -> InstanceState:
    state = state or empty_state()
    for event in events:
        state = reduce(state, event)
    return state


def started(run: str, operation_id: str = "main", at: float = 0, **keys: Any) -> RunStarted:
    return RunStarted(Invocation(run, operation_id, "running", at), **keys)


def written(run: str | None, variable_id: str, *values: Any, disposition: Any = "append") -> list[SetVariable]:
    return [SetVariable(variable_id, value, disposition, run) for value in values]


def streamed(values: list[Any]) -> Any:
    acc, value = "none", ABSENT
    for item in values:
        acc, value = append(acc, value, item)  # type: ignore[arg-type]
    return value


@pytest.mark.case("AR-4.1-1")
def test_input_keys_name_the_operation() -> None:
    assert [InputRef("a", "n1").state_key, InputRef("b", "n1").state_key] == ["a:n1", "b:n1"]


@pytest.mark.case("AR-5.2-1")
def test_first_list_of_a_stream_becomes_its_first_item() -> None:
    assert streamed([[1, 2], 3]) == [[1, 2], 3]
    assert streamed([[1, 2], 3, "x"]) == [[1, 2], 3, "x"]


@pytest.mark.case("AR-5.2-2")
@pytest.mark.parametrize(
    ("values", "result"),
    [
        ([{"a": 1}, "x"], [{"a": 1}, "x"]),
        ([1, "x"], "1x"),
        ([None, "x"], "x"),
        ([None, {"a": 1}], [None, {"a": 1}]),
        ([True, "x"], "truex"),
        (["a", 1], ["a", 1]),
        ([[1], "x"], [[1], "x"]),
    ],
)
def test_text_concatenates_onto_scalars_only(values: list[Any], result: Any) -> None:
    assert streamed(values) == result


@pytest.mark.case("AR-5.2-3")
def test_replacing_with_a_list_keeps_it_one_item() -> None:
    state = after(
        started("j1", output_keys=("main:n9",)),
        OutputValue("main:n9", "j1", "a"),
        OutputValue("main:n9", "j1", [1], "replace"),
        OutputValue("main:n9", "j1", 2),
    )
    assert state.outputs["main:n9"].value == [[1], 2]


@pytest.mark.case("AR-5.6-1")
def test_view_writes_stay_out_of_the_inputs() -> None:
    state = after(SetInput("main:n1", "graph"), SetView("Slider-1:value", "local"))
    assert set(state.inputs) == {"main:n1"}
    assert state.view == {"Slider-1:value": "local"}


@pytest.mark.case("AR-5.6-2")
def test_seeding_leaves_typed_inputs_alone() -> None:
    state = after(SetInput("main:n1", "typed"), SeedInputs({"main:n1": "default", "main:n2": "default"}))
    assert state.inputs == {"main:n1": InputSlot("typed", True, 1), "main:n2": InputSlot("default", False, 0)}


def test_input_revision_counts_every_write() -> None:
    state = after(SeedInputs({"k": 1}), SetInput("k", 2), SetInput("k", 2, dirty=False))
    assert state.inputs["k"] == InputSlot(2, False, 2)


@pytest.mark.parametrize(
    "event", [SeedInputs({}), SeedInputs({"a": ABSENT}), SeedVariables({}), SeedVariables({"a": 1})]
)
def test_seeding_nothing_new_returns_the_same_state(event: Event) -> None:
    state = after(SetVariable("a", None))
    assert reduce(state, event) is state


def test_writing_an_equal_view_value_returns_the_same_state() -> None:
    state = after(SetView("k", 1))
    assert reduce(state, SetView("k", 1)) is state
    assert reduce(state, SetView("k", True)).view == {"k": True}


def test_an_absent_view_value_removes_it() -> None:
    assert after(SetView("k", 1), SetView("k", ABSENT)).view == {}


@pytest.mark.case("AR-5.6-3")
def test_toggle_of_an_unset_variable_is_true() -> None:
    assert after(ToggleVariable("v")).variables == {"v": True}
    assert after(ToggleVariable("v"), ToggleVariable("v")).variables == {"v": False}


@pytest.mark.case("AR-5.6-4")
def test_a_started_run_owns_its_pending_outputs() -> None:
    event = RunStarted(Invocation("job-1", "main", "pending", 10), output_keys=("main:n9", "main:n8"))
    state = after(event)
    assert {key: (slot.status, slot.invocation_id) for key, slot in state.outputs.items()} == {
        "main:n9": ("pending", "job-1"),
        "main:n8": ("pending", "job-1"),
    }
    assert state.active_invocation == {"main": "job-1"}
    assert is_running(state, "main")


@pytest.mark.case("AR-5.6-5")
def test_running_is_per_operation() -> None:
    state = after(started("a", "analyze"), started("b", "publish"), InvocationStatus("a", "completed"))
    assert (is_running(state, "analyze"), is_running(state, "publish")) == (False, True)
    assert [run.id for run in invocations_of(state, "publish")] == ["b"]


@pytest.mark.case("AR-5.6-6")
def test_progress_and_error_are_those_of_the_active_run() -> None:
    state = after(started("j1"), started("j2"), InvocationProgress("j2", 0.5), InvocationError("j2", "bad"))
    assert (progress(state, "main"), error(state, "main")) == (0.5, "bad")


def test_an_operation_that_never_ran_says_nothing() -> None:
    state = empty_state()
    assert (progress(state, "x"), error(state, "x"), activity(state, "x")) == (ABSENT, ABSENT, ABSENT)
    assert transcript(state, "x") is transcript(state, "y")


def test_an_absent_progress_clears_it() -> None:
    state = after(started("j"), InvocationProgress("j", 0.5), InvocationProgress("j", ABSENT))
    assert progress(state, "main") is ABSENT


@pytest.mark.case("AR-5.6-7")
@pytest.mark.parametrize(
    "event",
    [
        InvocationStatus("ghost", "completed"),
        InvocationProgress("ghost", 1),
        InvocationError("ghost", "x"),
        InvocationActivity("ghost", "x"),
        InvocationTranscript("ghost", {"kind": "text", "text": "x"}),
        OutputValue("main:n9", "ghost", 1),
        InvocationAlias("ghost", "j"),
        InvocationAlias("j", "ghost"),
        InvocationAlias("j", "j"),
    ],
)
def test_an_unknown_run_changes_nothing(event: Event) -> None:
    state = after(started("j"))
    assert reduce(state, event) is state


@pytest.mark.parametrize(
    "event",
    [
        InvocationStatus("j", "running"),
        InvocationProgress("j", 0.5),
        InvocationError("j", "bad"),
        InvocationActivity("j", "label"),
    ],
)
def test_saying_the_same_again_returns_the_same_state(event: Event) -> None:
    state = after(
        started("j"), InvocationProgress("j", 0.5), InvocationError("j", "bad"), InvocationActivity("j", "label")
    )
    assert reduce(state, event) is state


@pytest.mark.case("AR-5.6-8")
def test_defaults_do_not_replace_what_the_user_picked() -> None:
    state = after(SetVariable("tone", "user picked"), SeedVariables({"tone": "default", "count": 3}))
    assert state.variables == {"tone": "user picked", "count": 3}


@pytest.mark.case("AR-5.6-9")
def test_absent_seeds_leave_no_trace_and_restored_values_win() -> None:
    assert after(SeedVariables({"tone": ABSENT})).variables == {}
    state = empty_state()
    assert reduce(state, SeedVariables({})) is state
    assert after(SeedVariables({"a": "restored"}), SeedVariables({"a": "default"})).variables == {"a": "restored"}


@pytest.mark.case("AR-5.6-10")
def test_another_run_restarts_the_accumulation() -> None:
    state = after(*written("j1", "v", "Hel", "lo"))
    assert state.variables["v"] == "Hello"
    assert after(*written("j2", "v", "Bye"), state=state).variables["v"] == "Bye"


@pytest.mark.case("AR-5.6-11")
def test_records_append_to_a_list() -> None:
    assert after(*written("j1", "v", {"a": 1}, {"a": 2})).variables["v"] == [{"a": 1}, {"a": 2}]


@pytest.mark.case("AR-5.6-12")
def test_a_plain_write_wins_and_clears_the_writer() -> None:
    state = after(*written("j1", "v", "ab"), SetVariable("v", "typed"))
    assert (state.variables["v"], dict(state.variable_writers)) == ("typed", {})
    state = after(*written("j1", "v", "ab"), *written(None, "v", "cd"))
    assert (state.variables["v"], dict(state.variable_writers)) == ("cd", {})


def test_a_plain_write_of_the_same_value_returns_the_same_state() -> None:
    state = after(SetVariable("v", "a"))
    assert reduce(state, SetVariable("v", "a")) is state


def test_writing_an_absent_value_removes_the_variable() -> None:
    assert after(SetVariable("v", 1), SetVariable("v", ABSENT)).variables == {}


@pytest.mark.case("AR-5.6-13")
def test_a_cancelled_run_cannot_write_over_a_newer_one() -> None:
    state = after(
        started("j1", at=1),
        started("j2", at=2),
        InvocationStatus("j1", "cancelled"),
        *written("j2", "v", "new ", "run"),
        *written("j1", "v", "stale"),
    )
    assert (state.variables["v"], state.variable_writers["v"]) == ("new run", "j2")


@pytest.mark.case("AR-5.6-14")
def test_a_cancelled_run_cannot_write_before_the_newer_one_does() -> None:
    state = after(started("j1"), started("j2"), InvocationStatus("j1", "cancelled"))
    assert reduce(state, SetVariable("v", "stale", "append", "j1")) is state


@pytest.mark.case("AR-5.6-15")
def test_a_newer_run_takes_the_variable_over() -> None:
    state = after(
        started("j1", variable_keys=("v",)),
        *written("j1", "v", "He", "llo"),
        started("j2", variable_keys=("v",)),
        *written("j2", "v", "By", "e"),
    )
    assert (state.variables["v"], state.variable_writers["v"]) == ("Bye", "j2")


@pytest.mark.case("AR-5.6-16")
def test_runs_of_the_same_moment_are_ordered_by_when_they_were_stored() -> None:
    state = after(
        started("j1", at=5, output_keys=("main:n9",)),
        started("j2", at=5, output_keys=("main:n9",)),
        OutputValue("main:n9", "j2", "new"),
        *written("j2", "v", "new"),
    )
    assert (state.outputs["main:n9"].invocation_id, state.variable_writers["v"]) == ("j2", "j2")
    assert reduce(state, OutputValue("main:n9", "j1", "stale")) is state
    assert reduce(state, SetVariable("v", "stale", "append", "j1")) is state


def test_an_older_live_run_cannot_write_before_the_active_one_does() -> None:
    state = after(started("j1"), started("j2"))
    assert reduce(state, SetVariable("v", "stale", "append", "j1")) is state


@pytest.mark.case("AR-5.6-17")
def test_runs_of_two_operations_do_not_supersede_each_other() -> None:
    state = after(
        started("a", "first"),
        started("b", "second"),
        *written("a", "notes", "from a"),
        *written("b", "other", "from b"),
    )
    assert state.variables == {"notes": "from a", "other": "from b"}


@pytest.mark.case("AR-5.6-18")
def test_activity_follows_the_latest_label_and_reset_forgets_everything() -> None:
    state = after(started("j", variable_keys=("v",)), InvocationActivity("j", "Planning"))
    state = after(InvocationActivity("j", "web_search"), *written("j", "v", 1), state=state)
    assert activity(state, "main") == "web_search"
    assert reduce(state, Reset()) == empty_state()


@pytest.mark.case("AR-5.6-19")
def test_live_runs_are_listed_newest_first() -> None:
    state = after(started("j1"), RunStarted(Invocation("j2", "main", "pending")), started("j3", "other"))
    assert [run.id for run in live_invocations(state, "main")] == ["j2", "j1"]
    state = after(InvocationStatus("j1", "completed"), InvocationStatus("j2", "cancelled"), state=state)
    assert live_invocations(state, "main") == []


@pytest.mark.case("AR-5.6-20")
def test_chunks_of_the_owner_accumulate_and_foreign_ones_are_dropped() -> None:
    state = after(
        started("job-1", output_keys=("main:n9",)),
        OutputValue("main:n9", "job-1", "Hello "),
        OutputValue("main:n9", "job-1", "world", done=True),
        OutputValue("main:n9", "other-job", "!"),
    )
    assert state.outputs["main:n9"] == Slot("Hello world", "job-1", "done", 3, "scalar")


def test_a_live_run_cannot_write_into_a_slot_of_another() -> None:
    state = after(started("a", "a", output_keys=("k",)), started("b", "b"))
    assert reduce(state, OutputValue("k", "b", 1)) is state


def test_a_slot_that_nobody_owns_is_taken_over() -> None:
    state = after(started("a"), OutputValue("k", "a", 1))
    assert state.outputs["k"] == Slot(1, "a", "streaming", 1, "scalar")


def test_an_output_without_a_value_changes_status_and_revision_only() -> None:
    state = after(started("a", output_keys=("k",)), OutputValue("k", "a", "x"), OutputValue("k", "a", done=True))
    assert state.outputs["k"] == Slot("x", "a", "done", 3, "scalar")


@pytest.mark.case("AR-5.6-21")
def test_the_end_of_a_run_settles_its_slots_and_is_final() -> None:
    state = after(
        started("j1", output_keys=("a", "b", "c")),
        OutputValue("b", "j1", 1),
        OutputValue("c", "j1", 1, done=True),
        InvocationStatus("j1", "completed"),
    )
    assert [state.outputs[key].status for key in "abc"] == ["empty", "done", "done"]
    late: list[Event] = [
        OutputValue("a", "j1", 1),
        InvocationStatus("j1", "running"),
        InvocationStatus("j1", "failed"),
        InvocationProgress("j1", 0.5),
        SetVariable("v", 1, "append", "j1"),
        started("j1", output_keys=("a",)),
    ]
    assert all(reduce(state, event) is state for event in late)


@pytest.mark.case("AR-5.6-22")
@pytest.mark.parametrize(
    ("writes", "status", "value"),
    [([], "failed", "fr"), (["xx"], "failed", "fr"), (["xx"], "cancelled", "fr"), (["xx"], "completed", "xx")],
)
def test_a_run_gives_back_what_it_claimed_unless_it_completes(writes: list[str], status: Any, value: str) -> None:
    state = after(
        SeedVariables({"tone": "en"}),
        SetVariable("tone", "fr"),
        started("j", variable_keys=("tone",), variable_defaults={"tone": "en"}),
    )
    assert (state.variables["tone"], state.claims) == ("en", {"tone": "j"})
    state = after(*written("j", "tone", *writes), InvocationStatus("j", status), state=state)
    assert (state.variables["tone"], state.claims) == (value, {})


@pytest.mark.case("AR-5.6-23")
def test_what_the_user_writes_during_a_run_stays() -> None:
    state = after(
        SetVariable("tone", "fr"),
        started("j", variable_keys=("tone", "kept"), variable_defaults={"tone": "en"}),
        SetVariable("tone", "mine"),
        InvocationStatus("j", "failed"),
    )
    assert state.variables == {"tone": "mine"}


@pytest.mark.case("AR-5.6-23")
def test_a_variable_without_default_goes_and_comes_back() -> None:
    state = after(SetVariable("v", "kept"), started("j", variable_keys=("v",)))
    assert state.variables == {}
    assert after(InvocationStatus("j", "failed"), state=state).variables == {"v": "kept"}


def test_a_variable_that_another_run_wrote_is_not_given_back() -> None:
    state = after(
        SetVariable("v", "old"),
        started("j1", "a", variable_keys=("v",)),
        started("j2", "b"),
        *written("j2", "v", "newer"),
        InvocationStatus("j1", "failed"),
    )
    assert state.variables == {"v": "newer"}


def test_a_run_that_claims_twice_gives_back_the_value_from_before_the_first_claim() -> None:
    state = after(
        SetVariable("v", "old"),
        started("j", variable_keys=("v",)),
        *written("j", "v", "new"),
        started("j", variable_keys=("v",)),
        InvocationStatus("j", "failed"),
    )
    assert state.variables == {"v": "old"}


@pytest.mark.case("AR-5.6-24")
def test_a_toggle_ends_the_stream_into_a_variable() -> None:
    state = after(started("j"), *written("j", "v", "a", "b"), ToggleVariable("v"))
    assert state.variables["v"] is False
    assert after(*written("j", "v", "cd"), state=state).variables["v"] == "cd"


def test_a_waiting_run_claims_nothing_until_it_starts() -> None:
    state = after(
        started("j1", output_keys=("k",)),
        OutputValue("k", "j1", "first"),
        RunStarted(Invocation("j2", "main"), claim=False),
    )
    assert (state.active_invocation["main"], state.outputs["k"].value) == ("j1", "first")
    state = after(
        InvocationStatus("j1", "completed"),
        started("j3", "other"),
        RunStarted(Invocation("j2", "main"), output_keys=("k",)),
        state=state,
    )
    assert (state.active_invocation["main"], state.outputs["k"].invocation_id) == ("j2", "j2")
    assert state.invocations["j2"].seq == 2


def test_an_error_survives_a_status_without_one() -> None:
    state = after(started("j"), InvocationError("j", "bad"), InvocationStatus("j", "completed"))
    assert (state.invocations["j"].error, error(state, "main")) == ("bad", "bad")


def test_progress_ends_with_the_run() -> None:
    state = after(started("j"), InvocationProgress("j", 0.5), InvocationStatus("j", "completed"))
    assert progress(state, "main") is ABSENT


def test_an_alias_moves_what_it_owns_and_shares_the_record() -> None:
    state = after(
        started("reserved", output_keys=("k",), variable_keys=("v",)),
        *written("reserved", "v", "a"),
        started("job"),
        InvocationAlias("reserved", "job"),
    )
    assert (state.outputs["k"].invocation_id, state.variable_writers["v"], state.claims["v"]) == ("job",) * 3
    assert [run.id for run in live_invocations(state, "main")] == ["job"]
    state = after(OutputValue("k", "reserved", "x"), InvocationStatus("reserved", "completed"), state=state)
    assert state.outputs["k"].value == "x"
    assert state.invocations["reserved"] is state.invocations["job"]
    assert [run.id for run in invocations_of(state, "main")] == ["job"]
    assert not is_running(state, "main")


def test_an_alias_leaves_what_others_own_alone() -> None:
    state = after(
        started("other", "second", output_keys=("k",), variable_keys=("v",)),
        *written("other", "v", 1),
        started("reserved"),
        started("job"),
        InvocationAlias("reserved", "job"),
    )
    assert (state.outputs["k"].invocation_id, state.variable_writers["v"], state.claims["v"]) == ("other",) * 3


def text(words: str, source: str | None = None) -> dict[str, Any]:
    return {"kind": "text", "text": words} | ({"source": source} if source else {})


def tool(call: str, status: str = "running", **rest: Any) -> dict[str, Any]:
    return {"kind": "tool", "id": call, "name": "search", "label": "Searching", "status": status, **rest}


def entries(*added: dict[str, Any]) -> list[dict[str, Any]]:
    return transcript(after(started("j"), *(InvocationTranscript("j", entry) for entry in added)), "main")


def test_text_of_one_source_runs_together() -> None:
    assert entries(text("a"), text("b"), text("c", "s"), text("d", "s"), text("e")) == [
        text("ab"),
        text("cd", "s"),
        text("e"),
    ]


def test_text_after_a_tool_starts_anew() -> None:
    assert entries(text("a"), tool("1"), text("b")) == [text("a"), tool("1"), text("b")]


def test_a_tool_result_settles_its_call_where_it_stands() -> None:
    call, result = tool("1", args={"q": 1}), tool("1", "done", result="3 hits", label="other")
    assert entries(call, text("x"), result) == [tool("1", "done", args={"q": 1}, result="3 hits"), text("x")]


def test_a_transcript_keeps_the_last_200_entries() -> None:
    kept = entries(*(tool(str(number)) for number in range(205)))
    assert (len(kept), kept[0]["id"], kept[-1]["id"]) == (200, "5", "204")


def test_what_is_no_event_raises() -> None:
    with pytest.raises(TypeError, match="str"):
        reduce(empty_state(), "nonsense")  # type: ignore[arg-type]


@pytest.mark.parametrize("ref", [OutputRef("main", "x"), InputRef("main", "x"), NodePropertyRef("main", "x", "y")])
def test_reading_a_slot_that_is_not_there_is_absent(ref: Any) -> None:
    assert read(empty_state(), ref) is ABSENT


@given(st.lists(st.text(max_size=3), min_size=1))
def test_streamed_texts_are_one_text(texts: list[str]) -> None:
    assert streamed(list(texts)) == "".join(texts)


@given(st.lists(st.dictionaries(st.text(max_size=1), st.integers(), max_size=2), min_size=2))
def test_streamed_records_are_one_list(records: list[dict[str, int]]) -> None:
    assert streamed(list(records)) == records


@pytest.mark.parametrize(
    "event",
    [
        SetVariable("v", "", "append", "j"),
        InvocationTranscript("j", {"kind": "tool", "id": "t", "name": "search", "status": "running"}),
        InvocationTranscript("j", {"kind": "text", "text": ""}),
    ],
    ids=["empty piece", "repeated call", "empty text"],
)
def test_what_is_said_again_changes_nothing(event: Event) -> None:
    tool = InvocationTranscript("j", {"kind": "tool", "id": "t", "name": "search", "status": "running"})
    text = InvocationTranscript("j", {"kind": "text", "text": "reading"})
    state = after(started("j"), *written("j", "v", "a"), tool, text)
    assert reduce(state, event) is state
