"""The worked example of the harness specification, appendix D."""

from __future__ import annotations

from typing import Any

import pytest

from simulated import MemoryHost, codes, document, form, graph, operation, play, view


def answering(**data: Any) -> dict[str, Any]:
    return {"wf1": graph(**data)}


@pytest.mark.case("HA-D-1")
async def test_without_runs_the_default_step_is_taken_and_its_run_skipped() -> None:
    host = MemoryHost(answering(answer="HI"))
    report = await play(document(form()), host=host, run=False)
    assert host.specs == []
    assert [(item.step, item.actions, item.error) for item in report.interactions] == [
        ("click Button-1", ["run main (skipped, runs are off)"], None)
    ]
    assert (report.verdict.status, report.verdict.proof) == ("green", "static")
    assert [item.to_json() for item in report.verdict.not_exercised] == [{"operation": "main", "reason": "runs_off"}]
    assert view(report, "Markdown-1")["hasValue"] is False


@pytest.mark.case("HA-D-2")
async def test_a_param_reaches_the_run_and_the_answer_reaches_the_widget() -> None:
    host = MemoryHost(answering(answer="HI"))
    report = await play(document(form()), host=host, params={"prompt": "hi"})
    assert [item.step for item in report.interactions] == ["click Button-1"]
    assert [(spec.params, spec.workflow_id) for spec in host.specs] == [({"prompt": "hi"}, "wf1")]
    assert report.values == {"prompt": "hi", "result": "HI"}
    invocation = report.invocations[0]
    assert (invocation["id"], invocation["status"], invocation["decision"], invocation["runIndex"]) == (
        "headless-1",
        "completed",
        "start",
        0,
    )
    assert (report.verdict.status, report.verdict.proof, report.verdict.exercised) == ("green", "run", ("main",))


@pytest.mark.case("HA-D-3")
async def test_a_runner_that_answers_nothing_leaves_the_widget_without_a_value() -> None:
    report = await play(document(form()), answering(silent=True))
    assert codes(report) == ["GR728"]
    assert report.findings[-1].place.widget == "Markdown-1"


@pytest.mark.case("HA-D-4")
async def test_an_empty_answer_is_only_a_warning() -> None:
    report = await play(document(form()), answering(answer=""))
    assert report.verdict.status == "green"
    assert codes(report, "warning") == ["GR727"]


@pytest.mark.case("HA-D-5")
async def test_an_error_text_in_a_widget_is_red() -> None:
    report = await play(document(form()), answering(answer="Error: boom"))
    assert codes(report) == ["GR723"]


@pytest.mark.case("HA-D-6")
async def test_an_output_cannot_be_set() -> None:
    report = await play(document(form()), interact=[{"set": {"key": "result", "value": 1}}])
    assert codes(report) == ["GR713", "GR729"]
    assert "output" in str(report.interactions[0].error)


@pytest.mark.case("HA-D-7")
async def test_an_unknown_widget_is_answered_with_the_roster() -> None:
    report = await play(document(form()), interact=[{"click": "Nope"}])
    assert codes(report)[0] == "GR711"
    error = str(report.interactions[0].error)
    assert all(name in error for name in ("TextInput-1", "Button-1", "Markdown-1", "Progress-1", "Alert-1"))


@pytest.mark.case("HA-D-8")
async def test_a_change_without_events_only_writes() -> None:
    host = MemoryHost(answering(answer="HI"))
    report = await play(document(form()), host=host, interact=[{"change": "Prompt", "value": "x"}, {"click": "Go"}])
    assert report.interactions[0].actions == ["set main:in1"]
    assert report.interactions[0].error is None
    assert host.specs[0].params == {"prompt": "x"}
    assert report.verdict.ok


@pytest.mark.case("HA-D-9")
async def test_a_button_takes_no_change() -> None:
    report = await play(document(form()), interact=[{"change": "Go", "value": "x"}])
    assert codes(report) == ["GR714", "GR729"]


@pytest.mark.case("HA-D-10")
async def test_a_binding_to_a_node_that_is_gone_is_found_without_a_run() -> None:
    content = form()
    content[2]["props"]["binding"] = "op:main/out:gone"
    report = await play(document(content), run=False)
    assert "GR215" in codes(report)


@pytest.mark.case("HA-D-11")
async def test_a_missing_second_workflow_does_not_stop_the_first() -> None:
    report = await play(document(form(), [operation(), operation("second", "wf2")]))
    assert "GR401" in codes(report)
    assert report.verdict.exercised == ("main",)
    assert report.verdict.status == "red"


@pytest.mark.case("HA-D-12")
async def test_a_loader_that_raises_leaves_the_second_operation_undecided() -> None:
    graphs = {"wf1": graph(answer="HI"), "wf2": OSError("disk gone")}
    report = await play(document(form(), [operation(), operation("second", "wf2")]), graphs)
    assert report.verdict.status == "check_failed"
    assert report.verdict.exercised == ("main",)
    assert [reason.code for reason in report.verdict.reasons] == ["GR902"]
    assert codes(report) == []
    assert not [finding for finding in report.findings if finding.place.operation == "second"]


@pytest.mark.case("HA-D-13")
async def test_a_misspelt_param_is_red() -> None:
    report = await play(document(form()), params={"promt": "hi"})
    assert codes(report) == ["GR701"]
    assert "promt" in report.validation_errors[0]
