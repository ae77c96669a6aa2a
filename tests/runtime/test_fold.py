"""Messages of a run as events: cases of app-runtime 11."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.model import Operation, OutputMapping, ToDisplay, ToVariable
from greenrun.document.surface import Port, Surface
from greenrun.document.values import ABSENT
from greenrun.runtime.events import InvocationProgress, OutputValue, RunStarted, SetVariable
from greenrun.runtime.fold import FoldContext, error_text, fold, fold_context
from greenrun.runtime.queries import activity, error, is_running, progress, transcript
from greenrun.runtime.reduce import reduce
from greenrun.runtime.state import InstanceState, Invocation, empty_state

SURFACE = Surface(outputs=(Port("n9", "nodetool.output.Output", "result", "Result"),))


class App:
    """One operation whose output n9 has a slot, with runs of it."""

    def __init__(self, outputs: dict[str, OutputMapping] | None = None) -> None:
        self.state: InstanceState = empty_state()
        operation = Operation("main", "Run", "wf", {}, outputs or {})
        self.context = fold_context([(operation, SURFACE)], lambda job: self.state.invocations.get(job or ""))

    def start(self, *runs: str) -> App:
        for run in runs:
            self.state = reduce(self.state, RunStarted(Invocation(run, "main", "running"), output_keys=("main:n9",)))
        return self

    def fold(self, *messages: dict[str, Any], job: str | None = "job-1") -> App:
        for message in messages:
            stamped = message if job is None else {"job_id": job, **message}
            for event in fold(stamped, self.context):
                self.state = reduce(self.state, event)
        return self

    @property
    def value(self) -> Any:
        return self.state.outputs["main:n9"].value


def output(value: Any, node: str = "n9", **rest: Any) -> dict[str, Any]:
    return {"type": "output_update", "node_id": node, "value": value, **rest}


def chunk(content: Any, node: str = "n9", **rest: Any) -> dict[str, Any]:
    return {"type": "chunk", "node_id": node, "content": content, **rest}


@pytest.fixture
def app() -> App:
    return App().start("job-1")


def events(message: dict[str, Any], app: App) -> list[Any]:
    return fold({"job_id": "job-1", **message}, app.context)


@pytest.mark.case("AR-11.6-1")
def test_messages_of_foreign_and_unnamed_runs_are_dropped(app: App) -> None:
    app.fold(output("x"), job="job-other").fold(output("x"), job=None).fold(output("x", job_id=7))
    assert app.value is ABSENT


@pytest.mark.case("AR-11.6-2")
def test_the_newer_run_keeps_its_slot() -> None:
    app = App().start("job-1").fold(output("old")).start("job-2")
    app.fold(output(" tail"), job="job-1").fold(output("new"), job="job-2")
    assert app.value == "new"


@pytest.mark.case("AR-11.6-3")
def test_texts_and_chunks_make_one_text(app: App) -> None:
    app.fold(output("Hel"), output("lo"), chunk("!", done=True))
    assert (app.value, app.state.outputs["main:n9"].status) == ("Hello!", "done")


@pytest.mark.case("AR-11.6-4")
def test_records_append_replace_replaces_and_audio_is_no_text() -> None:
    assert App().start("job-1").fold(output({"a": 1}), output({"a": 2})).value == [{"a": 1}, {"a": 2}]
    assert App().start("job-1").fold(output("draft"), output("final", disposition="replace")).value == "final"
    assert App().start("job-1").fold(chunk("…", content_type="audio")).value is ABSENT


@pytest.mark.case("AR-11.6-5")
def test_progress_is_a_clamped_fraction_that_ends_with_the_run(app: App) -> None:
    def shown(**fields: Any) -> Any:
        return progress(app.fold({"type": "node_progress", **fields}).state, "main")

    assert shown(progress=3, total=4) == 0.75
    assert shown(progress=5, total=4) == 1
    assert shown(progress=1) == 1
    app.fold({"type": "job_update", "status": "completed"})
    assert progress(app.state, "main") is ABSENT
    assert not is_running(app.state, "main")


@pytest.mark.parametrize(
    ("done", "total", "fraction"),
    [
        (-1, 4, 0.0),
        (1, 10**400, 0.0),
        (10**399, float("inf"), 0.0),
        (1.5, 10**400, 0.0),
        (10**400, 1, 1.0),
        (1, float("inf"), 0.0),
    ],
)
def test_extreme_progress_is_a_fraction(app: App, done: float, total: float, fraction: float) -> None:
    assert events({"type": "node_progress", "progress": done, "total": total}, app) == [
        InvocationProgress("job-1", fraction)
    ]


@pytest.mark.parametrize(
    ("done", "total"), [(1, 0), (1, -1), (1, "4"), (True, 4), (float("nan"), 4), (1, float("nan"))]
)
def test_progress_without_a_positive_total_says_nothing(app: App, done: Any, total: Any) -> None:
    assert events({"type": "node_progress", "progress": done, "total": total}, app) == []


@pytest.mark.case("AR-11.6-6")
def test_errors_of_nodes_and_jobs_are_recorded(app: App) -> None:
    assert error(app.fold({"type": "node_update", "error": {"message": "boom"}}).state, "main") == "boom"
    app.fold({"type": "job_update", "status": "failed", "error": "fatal"})
    assert (app.state.invocations["job-1"].status, error(app.state, "main")) == ("failed", "fatal")
    assert events({"type": "edge_update"}, app) == []


@pytest.mark.case("AR-11.6-7")
@pytest.mark.parametrize(
    ("given", "text"),
    [
        (" plain ", "plain"),
        ({"message": "wrapped"}, "wrapped"),
        ({"message": " ", "error": "nested"}, "nested"),
        ({"detail": " deep "}, "deep"),
        (ValueError("thrown"), "thrown"),
        (None, ""),
        (ABSENT, ""),
        ({"message": "  "}, ""),
        (["x"], ""),
        (7, ""),
    ],
)
def test_error_text_finds_the_words(given: object, text: str) -> None:
    assert error_text(given) == text


def mapped(*nodes: str) -> App:
    outputs: dict[str, OutputMapping] = {node: ToVariable("analysis") for node in nodes}
    return App({**outputs, "n7": ToDisplay()}).start("job-1")


@pytest.mark.case("AR-11.6-8")
def test_a_mapped_output_goes_to_its_slot_and_its_variable() -> None:
    app = mapped("n9", "n8").fold(output("done", disposition="replace"))
    assert (app.value, app.state.variables["analysis"]) == ("done", "done")
    app.fold(output(42, node="n8", disposition="replace"))
    assert app.state.variables["analysis"] == 42
    assert set(app.state.outputs) == {"main:n9"}


@pytest.mark.case("AR-11.6-8")
def test_mapped_chunks_accumulate_in_both_places() -> None:
    app = mapped("n9").fold(chunk("Hel"), chunk("lo", done=True))
    assert (app.value, app.state.variables["analysis"]) == ("Hello", "Hello")


@pytest.mark.case("AR-11.6-8")
def test_unmapped_nodes_and_foreign_jobs_write_no_variable() -> None:
    app = mapped("n9")
    assert events(output(1, node="nX"), app) == []
    assert app.fold(output(1), job="job-other").state.variables == {}


@pytest.mark.case("AR-11.6-9")
@pytest.mark.parametrize(
    ("message", "label"),
    [
        ({"type": "tool_call_update", "name": "web_search"}, "web_search"),
        ({"type": "tool_call_update", "name": "w", "message": " Searching for hammocks "}, "Searching for hammocks"),
        ({"type": "planning_update", "phase": "Analysis", "status": "Success"}, "Analysis: Success"),
        ({"type": "planning_update", "status": "Success"}, "Success"),
        ({"type": "task_update", "task": {"title": "Research"}, "step": {"name": "Fetch"}}, "Research: Fetch"),
        ({"type": "task_update", "task": {"name": "Research"}}, "Research"),
        ({"type": "task_update", "step": {"name": "Fetch"}}, "Fetch"),
        ({"type": "task_update", "task": {}, "event": "task_completed_now"}, "task completed now"),
    ],
)
def test_steps_become_activity_labels(app: App, message: dict[str, Any], label: str) -> None:
    assert activity(app.fold(message).state, "main") == label


@pytest.mark.case("AR-11.6-9")
def test_an_empty_plan_says_nothing_and_an_error_message_is_recorded(app: App) -> None:
    assert events({"type": "planning_update"}, app) == []
    assert events({"type": "task_update"}, app) == []
    assert error(app.fold({"type": "error", "message": "provider refused"}).state, "main") == "provider refused"
    assert error(app.fold({"type": "error", "error": "second"}).state, "main") == "second"
    assert events({"type": "error"}, app) == []
    assert events({"type": "node_update", "status": "completed"}, app) == []


@pytest.mark.case("AR-11.6-10")
def test_an_agent_loop_becomes_a_transcript(app: App) -> None:
    app.fold(
        chunk("Reading ", node="", source="finish"),
        chunk("the board.", node="", source="finish"),
        {
            "type": "tool_call_update",
            "tool_call_id": "c1",
            "name": "edit_timeline",
            "args": {"ops": []},
            "message": "Editing the timeline",
            "source": "finish",
        },
        {
            "type": "tool_result_update",
            "tool_call_id": "c1",
            "name": "edit_timeline",
            "result": {"summary": "applied 2 ops"},
            "source": "finish",
        },
        chunk("Done.", node="", source="finish"),
    )
    assert transcript(app.state, "main") == [
        {"kind": "text", "text": "Reading the board.", "source": "finish"},
        {
            "kind": "tool",
            "id": "c1",
            "name": "edit_timeline",
            "label": "Editing the timeline",
            "status": "done",
            "args": {"ops": []},
            "source": "finish",
            "result": "applied 2 ops",
        },
        {"kind": "text", "text": "Done.", "source": "finish"},
    ]


@pytest.mark.case("AR-11.6-11")
def test_sources_stay_apart_and_a_failed_tool_is_an_error(app: App) -> None:
    app.fold(chunk("a", source="finish"), chunk("b", source="review"))
    app.fold(
        {
            "type": "tool_result_update",
            "tool_call_id": "c2",
            "name": "get_storyboard",
            "is_error": True,
            "result": {"error": "gone"},
        }
    )
    entries = transcript(app.state, "main")
    assert [entry.get("text") for entry in entries[:2]] == ["a", "b"]
    assert entries[2] == {
        "kind": "tool",
        "id": "c2",
        "name": "get_storyboard",
        "label": "get_storyboard",
        "status": "error",
        "result": '{"error":"gone"}',
    }


def tool_entry(app: App, **fields: Any) -> dict[str, Any]:
    return transcript(app.fold({"type": "tool_result_update", **fields}).state, "main")[-1]


@pytest.mark.parametrize(
    ("result", "text"),
    [("plain", "plain"), ({"n": 1.0}, '{"n":1}'), ([1], "[1]"), ("x" * 401, "x" * 400 + "…"), ("x" * 400, "x" * 400)],
)
def test_tool_results_become_short_texts(app: App, result: Any, text: str) -> None:
    assert tool_entry(app, name="t", result=result)["result"] == text


def test_a_tool_result_without_result_is_empty(app: App) -> None:
    assert tool_entry(app, name="t")["result"] == ""


def test_a_tool_without_call_id_is_known_by_source_and_name(app: App) -> None:
    assert tool_entry(app, name="t", node_id="agent")["id"] == "agent:t"
    assert tool_entry(app, name="t")["id"] == ":t"


def test_a_tool_without_name_and_id_is_no_entry(app: App) -> None:
    assert events({"type": "tool_result_update", "message": "x"}, app) == []


def test_arguments_that_are_no_record_are_left_out(app: App) -> None:
    app.fold({"type": "tool_call_update", "name": "t", "args": "x"})
    assert "args" not in transcript(app.state, "main")[0]


@pytest.mark.case("AR-11.6-12")
def test_thinking_is_neither_value_nor_transcript(app: App) -> None:
    app.fold(output("shown"), chunk("hmm", thinking=True))
    assert (app.value, transcript(app.state, "main")) == ("shown", [])
    app.fold(chunk("hmm", thinking=True, done=True))
    assert (app.value, app.state.outputs["main:n9"].status) == ("shown", "done")


def test_thinking_writes_no_variable() -> None:
    app = mapped("n9").fold(chunk("a"), chunk("hmm", thinking=True, done=True))
    assert app.state.variables["analysis"] == "a"


def test_an_empty_chunk_still_marks_the_slot_done(app: App) -> None:
    app.fold(chunk("a"), chunk(None, done=True))
    assert (app.value, app.state.outputs["main:n9"].status) == ("a", "done")


def test_an_output_without_value_marks_the_slot_only(app: App) -> None:
    message = {"type": "output_update", "node_id": "n9", "done": True}
    assert events(message, app) == [OutputValue("main:n9", "job-1", ABSENT, "append", True)]


@pytest.mark.case("AR-11.6-13")
def test_variables_hold_what_a_completed_run_wrote() -> None:
    outputs: dict[str, OutputMapping] = {key: ToVariable(key) for key in ("directions", "plan", "phase")}
    app = App(outputs).start("job-1")
    app.fold(*(output(f"the {key}", node=key, disposition="replace") for key in outputs))
    app.fold({"type": "job_update", "status": "completed"})
    assert app.state.variables == {key: f"the {key}" for key in outputs}


@pytest.mark.case("AR-11.6-13")
@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_run_that_does_not_complete_leaves_foreign_variables_alone(app: App, status: str) -> None:
    app.state = reduce(app.state, SetVariable("v", "mine"))
    app.fold({"type": "job_update", "status": status, "error": "why"})
    assert app.state.variables == {"v": "mine"}
    assert (app.state.invocations["job-1"].status, error(app.state, "main")) == (status, "why")


@pytest.mark.case("AR-11.6-14")
def test_messages_after_the_end_change_nothing(app: App) -> None:
    ended = app.fold({"type": "job_update", "status": "completed"}).state
    assert app.fold({"type": "job_update", "status": "running"}).state is ended
    assert app.fold(output("late")).state is ended


@pytest.mark.parametrize(
    ("status", "folded"),
    [
        ("completed", "completed"),
        ("timed_out", "failed"),
        ("error", "failed"),
        ("queued", "running"),
        ("suspended", "running"),
        (None, "running"),
        ("constructor", "running"),
    ],
)
def test_job_statuses_fold_by_table(app: App, status: Any, folded: str) -> None:
    app.fold({"type": "job_update", "status": status})
    assert app.state.invocations["job-1"].status == folded


def test_a_running_status_carries_no_error_but_a_completed_one_does(app: App) -> None:
    app.fold({"type": "job_update", "status": "running", "error": "x"})
    assert error(app.state, "main") is ABSENT
    app.fold({"type": "job_update", "status": "completed", "error": "partly"})
    assert error(app.state, "main") == "partly"


@pytest.mark.parametrize("message", [{}, {"type": 7}, {"type": "constructor"}])
def test_what_is_no_known_message_says_nothing(app: App, message: dict[str, Any]) -> None:
    assert events(message, app) == []


def test_an_operation_without_surface_has_no_slots() -> None:
    context = fold_context([(Operation("main", "Run", "wf", {}, {}), None)], lambda _: None)
    assert context.output_key("main", "n9") is None


def test_a_context_needs_no_variables() -> None:
    context = FoldContext(lambda _: Invocation("j", "main"), lambda operation, node: f"{operation}:{node}")
    assert fold(output(1), context) == [OutputValue("main:n9", "j", 1, "append", False)]
