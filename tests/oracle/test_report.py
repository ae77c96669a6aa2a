"""Report, summary and Markdown (spec: harness 5)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from greenrun.oracle.check_report import check_report
from greenrun.oracle.markdown import to_markdown
from greenrun.oracle.summary import summarize
from greenrun.oracle.target import target_from_document
from simulated import MemoryHost, button, document, form, graph, operation, play, widget


async def test_the_report_holds_the_keys_of_the_contract() -> None:
    report = await play(document(form()), params={"prompt": "x"})
    data = json.loads(json.dumps(report.to_json()))
    assert set(data) == {
        "generatedAt",
        "target",
        "snapshot",
        "closure",
        "app",
        "spec",
        "io",
        "validation",
        "findings",
        "interactions",
        "runs",
        "run_ids",
        "values",
        "variables",
        "invocations",
        "activity",
        "widgets",
        "resources",
        "notSimulated",
        "isolation",
        "models",
        "verdict",
        "bundleDir",
    }
    assert data["app"] == {"version": 4, "title": "Test", "widgetCount": 5}
    assert data["io"] == {"inputs": ["prompt"], "outputs": ["result"], "variables": []}
    assert data["target"]["nodeCount"] == 3
    assert [item["id"] for item in data["widgets"]] == [
        "TextInput-1",
        "Button-1",
        "Markdown-1",
        "Progress-1",
        "Alert-1",
    ]


async def test_the_spec_shows_widgets_operations_and_their_surface() -> None:
    content = [
        widget("WorkflowForm", "F", operationId="main"),
        widget("Gallery", "G", binding="result", selectionBinding="var:x", format="{x}"),
        button("Go", "main", visibleWhen={"binding": "var:x", "op": "eq", "value": 5}),
    ]
    doc = document(content, [operation(), operation("lost", "nowhere")], [{"id": "x", "name": "x"}])
    spec = (await play(doc, run=False)).spec
    assert spec is not None
    first, gallery, go = spec["widgets"]
    assert first["operationId"] == "main"
    assert gallery["canonicalBinding"] == "op:main/out:out1"
    assert gallery["extraBindings"] == [{"prop": "selectionBinding", "binding": "var:x"}]
    assert go["visibleWhen"] == {"binding": "var:x", "op": "eq", "value": 5}
    assert go["events"] == [{"trigger": "click", "kind": "run", "operationId": "main"}]
    assert spec["operations"][0]["io"]["inputs"] == [{"nodeId": "in1", "name": "prompt"}]
    assert spec["operations"][1]["io"] is None
    assert "nowhere" in spec["operations"][1]["unavailable"]


@pytest.mark.case("HA-5.2-1")
async def test_the_same_warning_stands_once_in_the_summary() -> None:
    report = await play(document(form()))
    twice = replace(
        report, validation_warnings=("same", "static"), verdict=replace(report.verdict, warnings=("same", "later"))
    )
    assert summarize(twice)["verdict"]["warnings"] == ["same", "later", "static"]


@pytest.mark.case("HA-5.2-2")
async def test_the_summary_lists_only_steps_that_failed() -> None:
    report = await play(document(form()), interact=[{"click": "Go"}, {"click": "Nope"}])
    summary = summarize(report, draft_changed_since=True)
    assert [item["step"] for item in summary["interactionErrors"]] == ["click Nope"]
    assert "runs" not in summary
    assert "spec" not in summary
    assert summary["draft_changed_since"] is True
    assert summarize(report)["draft_changed_since"] is None


@pytest.mark.case("HA-5.2-3")
async def test_a_widget_with_a_format_has_a_value_when_it_renders_one() -> None:
    content = [
        button("Go", "main"),
        widget("Markdown", "Formatted", binding="op:main/out:out1", format="{var:x}"),
        widget("Markdown", "Raw", binding="op:main/out:out1"),
    ]
    report = await play(document(content, variables=[{"id": "x", "name": "x"}]), {"wf1": graph(answer="a")})
    shown = {item["id"]: item for item in report.widgets}
    assert (shown["Formatted"]["hasValue"], shown["Formatted"]["display"]) == (False, "")
    assert (shown["Raw"]["hasValue"], shown["Raw"]["display"]) == (True, None)


def fifteen(answer: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    content: list[dict[str, Any]] = []
    for index in range(3):
        name = f"op{index}"
        content += [
            widget("TextInput", f"a-rather-long-widget-id-{index}", label="Prompt", binding=f"op:{name}/in:in1"),
            button(f"the-button-that-runs-it-{index}", name),
            widget("Markdown", f"where-the-answer-goes-{index}", binding=f"op:{name}/out:out1"),
            widget("Progress", f"progress-of-the-run-{index}", binding=f"op:{name}/exec#progress"),
            widget("Alert", f"alert-for-the-run-{index}", binding=f"op:{name}/exec#error"),
        ]
    return document(content, [operation(f"op{index}") for index in range(3)]), {"wf1": graph(answer=answer)}


@pytest.mark.parametrize("answer", ["short", "long " * 2000, [{"a": "x" * 500}] * 80, "Error: boom " + "y" * 900])
async def test_the_summary_of_fifteen_widgets_stays_within_its_tokens(answer: Any) -> None:
    doc, graphs = fifteen(answer)
    report = await play(doc, graphs, params={"ghost": 1})
    summary = summarize(report)
    assert len(json.dumps(summary, ensure_ascii=False)) / 4 <= 1200
    assert len(summary["widgets"]) == 15
    assert summary["verdict"]["status"] == report.verdict.status


async def test_what_was_cut_is_counted() -> None:
    content = [button("Go", "main"), *(widget("Text", f"T-{index}", binding="ghost") for index in range(60))]
    summary = summarize(await play(document(content)))
    report_findings = summary["cut"]["findings"] + len(summary["findings"])
    assert report_findings >= 60
    assert summary["cut"]["widgets"] + len(summary["widgets"]) == 61


async def test_the_markdown_has_a_section_for_everything_that_is_there() -> None:
    resources = [{"id": "shots", "name": "Shots", "kind": "storyboard", "scope": {"projectId": "p"}}]
    content = [
        *form(),
        widget("ResourcePicker", "Pick", resourceBindingId="shots"),
        widget("Text", "X", binding="ghost"),
    ]
    doc = document(
        content, [operation(), operation("bad", "wf2")], [{"id": "v", "name": "v", "default": "a|b"}], resources
    )
    report = await play(
        doc,
        {"wf1": graph(answer="HI"), "wf2": OSError("gone")},
        params={"prompt": "x" * 500},
        interact=[{"click": "Go"}, {"press": "Go"}],
    )
    text = to_markdown(report)
    for title in (
        "Bindable surface",
        "Issues",
        "Why the verdict is not green",
        "Warnings",
        "Interactions",
        "Runs",
        "Operations",
        "Invocations",
        "Widgets",
        "Resources",
        "Final values",
        "Variables",
        "Not simulated",
    ):
        assert f"## {title}\n" in text
    assert "## Activity" not in text
    assert "a\\|b" in text
    assert "x" * 201 not in text
    assert text.startswith("# Test\n")


async def test_the_markdown_names_what_each_operation_can_be_bound_to() -> None:
    doc = document(form(), [operation(), operation("second", "wf2")])
    text = to_markdown(await play(doc, {"wf1": graph(answer="HI"), "wf2": graph(answer="HO")}))
    assert "- main: inputs prompt; outputs result\n- second: inputs prompt; outputs result\n" in text


async def test_activity_labels_are_listed_without_repeats() -> None:
    stored = graph("test.Plan")
    report = await play(document(form()), {"wf1": stored})
    assert [item["label"] for item in report.activity] == ["Reading", "Writing"]
    assert report.invocations[0]["activity"] == ["Reading", "Writing"]
    assert "headless-1: Reading" in to_markdown(report)


async def test_a_check_report_offers_only_fixes_that_hold() -> None:
    content = form()
    content[2]["props"]["binding"] = "op:main/out:out2"
    async with MemoryHost({"wf1": graph()}) as host:
        report = await check_report(target_from_document(document(content)), host)
        plain = await check_report(target_from_document(document(content)), host, fixes=False)
    assert report.verdict.status == "red"
    assert [fix.title for fix in report.findings[0].fixes]
    assert plain.findings[0].fixes == ()
    data = report.to_json()
    assert data["verdict"]["proof"] == "static"
    assert data["findings"][0]["code"] == "GR215"


async def test_a_check_that_fails_is_a_third_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    from greenrun.oracle import check_report as module

    def broken(*args: Any, **kwargs: Any) -> Any:
        raise ZeroDivisionError("rule 7")

    monkeypatch.setattr(module, "check_target", broken)
    async with MemoryHost({"wf1": graph()}) as host:
        report = await check_report(target_from_document(document(form())), host)
    assert (report.verdict.status, report.verdict.proof) == ("check_failed", "none")
    assert report.findings == ()
