"""The verdict (spec: harness 4)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.findings import Finding, Place, Reason
from greenrun.oracle import simulate as simulate_module
from greenrun.oracle.exercise import Exercise
from greenrun.oracle.report import NotExercised
from greenrun.oracle.verdict import make_verdict
from simulated import MemoryHost, button, codes, document, form, graph, operation, play, widget


def two() -> list[dict[str, Any]]:
    return [operation("draft"), operation("publish")]


@pytest.mark.case("HA-4-1")
async def test_progress_of_an_operation_that_never_ran_is_red() -> None:
    content = [
        button("Draft", "draft"),
        button("Publish", "publish"),
        widget("Progress", "P", binding="op:publish/exec#progress"),
        widget("Text", "Out", binding="op:draft/out:out1"),
    ]
    report = await play(document(content, two()), interact=[{"click": "Draft"}])
    assert codes(report) == ["GR724"]
    assert "publish" in report.findings[-1].message


@pytest.mark.case("HA-4-2")
async def test_an_activity_widget_without_labels_is_a_warning() -> None:
    content = [*form(), widget("AgentActivity", "A", binding="op:main/exec#transcript")]
    report = await play(document(content))
    assert report.verdict.ok
    assert "GR725" in codes(report, "warning")


@pytest.mark.case("HA-4-3")
async def test_an_empty_value_is_a_warning() -> None:
    report = await play(document(form()), {"wf1": graph(answer="")})
    assert report.verdict.ok
    assert "GR727" in codes(report, "warning")


async def test_an_output_that_nothing_feeds_never_received_a_value() -> None:
    loose = graph(answer="yes")
    loose["edges"] = loose["edges"][:1]
    report = await play(document(form()), {"wf1": loose})
    assert codes(report) == ["GR728"]


@pytest.mark.case("HA-4-4")
@pytest.mark.parametrize(
    ("text", "red"),
    [
        ("Error: 'eval' is not defined", True),
        ("ReferenceError: x", True),
        ("The log says Error: nothing, all is well", False),
        ("Error:", False),
    ],
)
async def test_an_error_text_is_recognised_at_the_start_only(text: str, red: bool) -> None:
    report = await play(document(form()), {"wf1": graph(answer=text)})
    assert ("GR723" in codes(report)) is red
    assert report.verdict.ok is not red


@pytest.mark.case("HA-4-5")
async def test_a_variable_that_nothing_writes_never_receives_a_value() -> None:
    content = [*form(), widget("Text", "V", binding="var:x")]
    report = await play(document(content, variables=[{"id": "x", "name": "x"}]))
    assert codes(report) == ["GR728"]


@pytest.mark.parametrize(
    "writer",
    [
        widget("TextInput", "W", binding="var:x"),
        widget("Gallery", "W", selectionBinding="var:x"),
        widget("Button", "W", events=[{"trigger": "click", "kind": "setVariable", "key": "x", "value": "1"}]),
    ],
)
async def test_a_variable_that_a_person_writes_may_be_empty(writer: dict[str, Any]) -> None:
    content = [*form(), widget("Text", "V", binding="var:x"), writer]
    report = await play(document(content, variables=[{"id": "x", "name": "x"}]))
    assert "GR728" not in codes(report)


def branching(condition: bool, joined: bool = False) -> dict[str, Any]:
    """``if1`` sends the prompt on one branch; ``no`` outputs the other one, directly or also by a way around."""
    nodes = [
        {"id": "in1", "type": "nodetool.input.StringInput", "data": {"name": "prompt", "value": "x"}},
        {"id": "if1", "type": "nodetool.control.If", "data": {"condition": condition}},
        {"id": "yes", "type": "nodetool.output.Output", "data": {"name": "yes"}},
        {"id": "no", "type": "nodetool.output.Output", "data": {"name": "no"}},
    ]
    edges = [
        {"source": "in1", "sourceHandle": "output", "target": "if1", "targetHandle": "value"},
        {"source": "if1", "sourceHandle": "if_true", "target": "yes", "targetHandle": "value"},
        {"source": "if1", "sourceHandle": "if_false", "target": "no", "targetHandle": "value"},
    ]
    if joined:
        nodes.append({"id": "quiet", "type": "test.Answer", "data": {"silent": True}})
        edges[2] = {"source": "quiet", "sourceHandle": "output", "target": "no", "targetHandle": "value"}
        edges.append({"source": "if1", "sourceHandle": "if_false", "target": "quiet", "targetHandle": "text"})
        edges.append({"source": "in1", "sourceHandle": "output", "target": "quiet", "targetHandle": "answer"})
    return {"nodes": nodes, "edges": edges}


@pytest.mark.case("HA-4-6")
async def test_a_widget_behind_the_untaken_branch_is_only_a_warning() -> None:
    content = [
        button("Go", "main"),
        widget("Text", "Yes", binding="op:main/out:yes"),
        widget("Text", "No", binding="op:main/out:no"),
    ]
    report = await play(document(content), {"wf1": branching(True)})
    assert codes(report) == []
    assert codes(report, "warning") == ["GR726"]
    other = await play(document(content), {"wf1": branching(False)})
    assert [finding.place.widget for finding in other.findings if finding.code == "GR726"] == ["Yes"]


@pytest.mark.case("HA-4-6")
async def test_a_node_that_another_way_reaches_is_not_behind_the_branch() -> None:
    content = [
        button("Go", "main"),
        widget("Text", "Yes", binding="op:main/out:yes"),
        widget("Text", "No", binding="op:main/out:no"),
    ]
    report = await play(document(content), {"wf1": branching(True, joined=True)})
    assert codes(report) == ["GR728"]


async def test_a_variable_behind_the_untaken_branch_is_only_a_warning() -> None:
    content = [
        button("Go", "main"),
        widget("Text", "Yes", binding="op:main/out:yes"),
        widget("Text", "No", binding="var:x"),
    ]
    doc = document(
        content,
        [operation(outputs={"no": {"to": "variable", "variableId": "x"}})],
        [{"id": "x", "name": "x"}],
    )
    report = await play(doc, {"wf1": branching(True)})
    assert codes(report) == []
    assert "GR726" in codes(report, "warning")


@pytest.mark.case("HA-4-10")
async def test_a_clean_app_without_runs_is_green_by_its_wiring() -> None:
    report = await play(document(form()), run=False)
    assert (report.verdict.status, report.verdict.proof) == ("green", "static")
    assert [item.reason for item in report.verdict.not_exercised] == ["runs_off"]
    assert report.verdict.headline == "Green by its wiring; nothing was run"


@pytest.mark.case("HA-4-11")
async def test_a_run_step_proves_no_trigger() -> None:
    report = await play(document(form()), interact=[{"run": "main"}])
    assert (report.verdict.status, report.verdict.proof) == ("green", "static")
    assert codes(report, "info")[-1] == "GR732"
    assert [item.reason for item in report.verdict.not_exercised] == ["direct"]


@pytest.mark.case("HA-4-12")
async def test_an_operation_that_the_script_leaves_out_is_listed() -> None:
    content = [
        button("Draft", "draft"),
        button("Settings", "settings"),
        widget("Text", "Out", binding="op:draft/out:out1"),
    ]
    report = await play(document(content, [operation("draft"), operation("settings")]), interact=[{"click": "Draft"}])
    assert report.verdict.status == "green"
    assert report.verdict.exercised == ("draft",)
    assert [item.to_json() for item in report.verdict.not_exercised] == [
        {"operation": "settings", "reason": "not_in_script"}
    ]
    assert "draft" in report.verdict.headline
    assert "settings" in report.verdict.headline


@pytest.mark.case("HA-4-13")
async def test_a_failed_run_hides_only_its_own_widgets() -> None:
    content = [
        button("A", "a"),
        button("B", "b"),
        widget("Text", "Out-a", binding="op:a/out:out1"),
        widget("Text", "Out-b", binding="op:b/out:out1"),
    ]
    doc = document(content, [operation("a", "bad"), operation("b", "quiet")])
    report = await play(doc, {"bad": graph("test.Fail"), "quiet": graph(silent=True)})
    assert codes(report) == ["GR717", "GR720", "GR721", "GR728"]
    assert report.findings[-1].place.widget == "Out-b"


@pytest.mark.case("HA-4-14")
async def test_a_checker_that_raises_says_nothing_about_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise ZeroDivisionError("rule 7")

    monkeypatch.setattr(simulate_module, "check_target", broken)
    report = await play(document(form()))
    verdict = report.verdict
    assert (verdict.status, verdict.proof, verdict.issues) == ("check_failed", "none", ())
    assert [reason.code for reason in verdict.reasons] == ["GR901"]
    assert "rule 7" in verdict.reasons[0].message


async def test_a_simulator_that_raises_is_no_finding_either(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise ZeroDivisionError("collecting")

    monkeypatch.setattr(simulate_module, "judge", broken)
    report = await play(document(form()))
    assert report.verdict.status == "check_failed"
    assert report.findings == ()


@pytest.mark.case("HA-4-15")
def test_the_headline_counts_the_other_issues() -> None:
    findings = [Finding("GR201", "error", f"issue {number}", Place()) for number in range(3)]
    assert make_verdict(findings, [], []).headline == "issue 0 (+2 more)"
    assert make_verdict(findings[:1], [], []).headline == "issue 0"


def test_an_error_beats_a_reason_and_the_reason_stays_listed() -> None:
    verdict = make_verdict([Finding("GR201", "error", "broken")], [], [Reason("GR902", "loader")])
    assert verdict.status == "red"
    assert [reason.code for reason in verdict.reasons] == ["GR902"]


def test_a_missed_default_step_counts_only_where_the_verdict_would_be_green() -> None:
    missed = [NotExercised("main", "hidden", "x")]
    exercise = Exercise((), tuple(missed))
    assert make_verdict([], [], [], exercise=exercise, missed=missed).status == "check_failed"
    red = make_verdict([Finding("GR201", "error", "broken")], [], [], exercise=exercise, missed=missed)
    assert red.reasons == ()


async def test_a_failed_provider_call_in_a_run_that_ended_ok_is_a_warning() -> None:
    report = await play(document(form()), {"wf1": graph("test.Call")})
    assert report.verdict.ok
    assert "GR731" in codes(report, "warning")
    assert "acme" in report.findings[-1].message


async def test_an_unseeded_resource_that_a_widget_shows_is_a_warning() -> None:
    resources = [{"id": "shots", "name": "Shots", "kind": "storyboard", "scope": {"projectId": "p"}}]
    content = [*form(), widget("ResourcePicker", "Pick", resourceBindingId="shots")]
    report = await play(document(content, resources=resources))
    assert "GR730" in codes(report, "warning")
    seeded = await play(document(content, resources=resources), params={"resource:shots": [{"id": "a"}]})
    assert "GR730" not in codes(seeded, "warning")


async def test_a_hidden_widget_is_not_judged() -> None:
    content = form()
    content[2]["props"]["visibleWhen"] = {"binding": "op:main/out:out1", "op": "notEmpty"}
    report = await play(document(content), {"wf1": graph(silent=True)})
    assert codes(report) == []


async def test_a_format_that_renders_nothing_is_wiring_not_data() -> None:
    content = form()
    content[2]["props"]["format"] = "{op:main/exec#error}"
    report = await play(document(content))
    assert codes(report) == ["GR728"]
    assert "format" in report.findings[-1].message


async def test_a_table_without_rows_is_empty() -> None:
    content = form()
    content[2] = widget("Table", "Table-1", binding="op:main/out:out1")
    frame = {"type": "dataframe", "columns": [{"name": "x"}], "data": []}
    report = await play(document(content), {"wf1": graph(answer=frame)})
    assert codes(report, "warning") == ["GR727"]


async def test_a_document_that_cannot_be_read_is_red_without_proof() -> None:
    report = await play({"schemaVersion": 99, "ui": {}})
    assert (report.verdict.status, report.verdict.proof) == ("red", "none")
    assert codes(report) == ["GR101"]
    assert "99" in report.verdict.headline


async def test_node_errors_are_cut_to_five_and_to_two_hundred_characters() -> None:
    stored = graph("test.Fail", message="x\n" * 300)
    for number in range(7):
        stored["nodes"].append({"id": f"f{number}", "type": "test.Fail", "data": {"message": "again"}})
    report = await play(document(form()), {"wf1": stored})
    errors = [finding for finding in report.findings if finding.code == "GR721"]
    assert len(errors) == 5
    assert all(len(finding.message) < 320 for finding in errors)
    assert {finding.place.operation for finding in errors} == {"main"}


async def test_a_deadline_before_the_app_is_loaded_decides_nothing() -> None:
    class SlowHost(MemoryHost):
        async def load_workflow(self, workflow_id: str, version: Any) -> Any:
            import asyncio

            await asyncio.Event().wait()

    report = await play(document(form()), host=SlowHost({}), deadline_ms=20)
    assert report.verdict.status == "check_failed"
    assert [reason.code for reason in report.verdict.reasons] == ["GR906"]


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("not_in_script", "not in the script"),
        ("hidden", "hidden"),
        ("direct", "started by a run step only"),
        ("runs_off", "runs are off"),
    ],
)
def test_a_headline_says_in_words_what_was_not_exercised(reason: Any, words: str) -> None:
    exercise = Exercise(("main",), (NotExercised("other", reason),))
    verdict = make_verdict([], [], [], exercise=exercise, run_count=2)
    assert verdict.headline == f"Green for main (2 runs); not exercised: other ({words})"


def test_an_app_of_which_nothing_was_run_says_why_where_runs_were_on() -> None:
    exercise = Exercise((), (NotExercised("other", "not_in_script"),))
    headline = make_verdict([], [], [], exercise=exercise).headline
    assert headline == "Green by its wiring; nothing was run; not exercised: other (not in the script)"


def test_an_operation_that_has_to_run_first_is_not_called_a_param() -> None:
    missed = [NotExercised("publish", "hidden", "draft")]
    exercise = Exercise(("draft",), tuple(missed))
    verdict = make_verdict([], [], [], exercise=exercise, missed=missed)
    assert verdict.reasons[0].message.endswith('Give a script that runs the operation "draft" first.')
