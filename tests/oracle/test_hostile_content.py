"""Content that is legal JSON and makes no sense: the oracle says so, or shows it, and does not fall over it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from greenrun.document.identity import closure
from greenrun.document.json_text import MAX_DEPTH
from greenrun.document.parse import parse_document
from greenrun.document.readers import is_missing_required_media
from greenrun.document.surface import Port
from greenrun.oracle.check_report import check_report
from greenrun.oracle.target import target_from_document
from greenrun.oracle.verdict import Verdict
from simulated import MemoryHost, button, codes, document, form, graph, operation, play, view, widget

RUN = {"trigger": "click", "kind": "run", "operationId": "main"}
CANCEL = {"trigger": "click", "kind": "cancel", "operationId": "main"}


def nested(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


def reasons(verdict: Verdict) -> list[str]:
    return [reason.code for reason in verdict.reasons]


async def test_steps_of_a_stepper_may_be_plain_texts() -> None:
    app = document([*form(), widget("Stepper", "stage", binding="view:stage#value", steps=["draft", "done"])])
    report = await play(app)
    assert report.verdict.status == "green"
    assert view(report, "stage")["value"] == "draft"


@pytest.mark.parametrize("kind", [{}, [], 5, None])
async def test_a_value_whose_type_is_no_text_is_shown_as_it_is(kind: Any) -> None:
    report = await play(document(form()), {"wf1": graph(answer={"type": kind})})
    assert report.verdict.status == "green"
    assert view(report, "Markdown-1")["value"] == {"type": kind}


async def test_an_input_node_with_a_line_mode_that_is_no_text_is_an_input_still() -> None:
    stored = graph(answer="HI")
    stored["nodes"][0]["data"]["line_mode"] = ["multi_line"]
    report = await play(document(form()), {"wf1": stored}, run=False)
    assert report.io["inputs"] == ["prompt"]


def test_a_port_whose_type_is_named_by_an_object_takes_no_media() -> None:
    assert not is_missing_required_media(Port("a", "custom", "a", "A", type={"type": {}}, required=True), None)


async def test_a_posted_document_that_is_nested_too_deeply_is_no_document() -> None:
    value = document(form())
    value["extra"] = nested(MAX_DEPTH)
    async with MemoryHost({}) as host:
        for posted in (value, json.dumps(value)):
            report = await check_report(target_from_document(posted), host)
            assert [finding.code for finding in report.findings] == ["GR101"]
            assert "nested" in report.findings[0].message


def test_a_document_of_the_greatest_depth_has_a_closure() -> None:
    document_ = parse_document({"ui": {"root": {}, "content": []}, "extra": nested(MAX_DEPTH - 1)}).document
    assert document_ is not None
    assert len(closure(document_, {"graphs": {"a": nested(MAX_DEPTH)}})) == 12


async def test_a_loaded_graph_that_is_nested_too_deeply_is_a_reason_and_no_finding() -> None:
    report = await play(document(form()), {"wf1": {**graph(), "extra": nested(MAX_DEPTH)}})
    assert (report.verdict.status, reasons(report.verdict)) == ("check_failed", ["GR902"])
    assert codes(report) == []


@pytest.mark.parametrize(("levels", "offered"), [(64, True), (65, False)])
async def test_a_fix_that_would_nest_the_document_too_deeply_is_not_offered(levels: int, offered: bool) -> None:
    content = widget("Text", "shown", binding="op:main/out:out1")
    for level in range(levels):
        content = widget("Container", f"c{level}", content=[content])
    async with MemoryHost({"wf1": graph(answer="HI")}) as host:
        report = await check_report(target_from_document(document([content])), host)
    nothing_runs = next(finding for finding in report.findings if finding.code == "GR308")
    assert bool(nothing_runs.fixes) is offered


async def test_a_click_that_cancels_the_run_that_it_starts_is_red() -> None:
    content = [part for part in form() if part["props"]["id"] != "Button-1"]
    app = document([*content, widget("Button", "go", label="Go", events=[RUN, CANCEL])])
    report = await play(app)
    assert report.verdict.status == "red"
    assert codes(report) == ["GR720"]


async def test_a_cancel_event_that_finds_nothing_to_cancel_is_no_fault() -> None:
    content = [part for part in form() if part["props"]["id"] != "Button-1"]
    app = document([*content, widget("Button", "go", label="Go", events=[CANCEL, RUN])])
    assert (await play(app)).verdict.status == "green"


async def test_a_click_that_cancels_another_operation_which_it_started_is_red() -> None:
    app = document(
        [
            *form(),
            button("both", "second"),
            widget("Text", "other", binding="op:second/out:out1"),
            widget("Button", "stop", events=[{**RUN, "operationId": "second"}, {**CANCEL, "operationId": "second"}]),
        ],
        [operation(), operation("second")],
    )
    report = await play(app, interact=[{"click": "Button-1"}, {"click": "stop"}])
    assert codes(report) == ["GR720"]


async def test_setting_an_input_to_the_value_that_it_has_does_not_make_an_expectation_mean_something() -> None:
    expect = {"expect": {"widget": "Button-1", "check": "enabled"}}
    for value, found in (("", ["GR719"]), ("tea", [])):
        script = [{"set": {"key": "prompt", "value": value}}, expect, {"click": "Button-1"}]
        assert codes(await play(document(form()), interact=script)) == found
