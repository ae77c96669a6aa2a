"""Steps that cannot be judged: an operation is unknown, or a limit of the check stopped a run (spec: harness 1.4, 4)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.oracle.report import Report
from simulated import button, codes, document, form, graph, operation, play, widget

STEPS: list[Any] = [
    {"set": {"key": "prompt", "value": "x"}},
    {"change": "TextInput-1", "value": "x"},
    {"click": "Button-1"},
    {"run": "main"},
    {"expect": {"widget": "Markdown-1", "check": "nonEmpty"}},
    {"expect": {"widget": "Button-1", "check": "enabled"}},
]


async def blind(steps: list[Any], content: list[dict[str, Any]] | None = None, **options: Any) -> Report:
    return await play(document(content or form()), {"wf1": OSError("down")}, interact=steps, **options)


def undecided(report: Report, code: str) -> bool:
    reasons = [reason.code for reason in report.verdict.reasons]
    return report.verdict.status == "check_failed" and reasons == [code] and codes(report) == []


async def test_steps_of_an_operation_that_could_not_be_loaded_are_no_findings() -> None:
    report = await blind(STEPS, params={"prompt": "x"})
    assert undecided(report, "GR902")
    assert report.verdict.headline.startswith('Not decided: Operation "main" could not be loaded')


async def test_what_never_depends_on_the_operation_is_still_said() -> None:
    report = await blind([{"click": "Nowhere"}, {"press": "x"}])
    assert codes(report) == ["GR711", "GR710"]
    assert report.verdict.status == "red"


async def test_a_trigger_that_waits_for_an_unknown_operation_is_not_called_unreachable() -> None:
    locked = button("Later", "main", visibleWhen={"binding": "var:made", "op": "notEmpty"})
    report = await play(
        document([locked], variables=[{"id": "made", "name": "made"}]), {"wf1": OSError("down")}, interact=[]
    )
    assert undecided(report, "GR902")


async def test_what_an_unknown_operation_would_show_is_not_missed() -> None:
    content = [
        *form(),
        widget("Progress", "P", binding="op:other/exec#progress"),
        widget("Text", "V", binding="var:kept"),
    ]
    doc = document(content, [operation(), operation("other", "wf2")], variables=[{"id": "kept", "name": "kept"}])
    report = await play(doc, {"wf1": graph(answer="HI"), "wf2": OSError("down")}, interact=[{"click": "Button-1"}])
    assert "GR724" not in codes(report)
    assert "GR728" not in codes(report)


@pytest.mark.parametrize("limits", [{"timeout_ms": 30}, {"deadline_ms": 60}])
async def test_steps_after_a_run_that_the_check_stopped_are_no_findings(limits: dict[str, Any]) -> None:
    steps = [{"click": "Button-1"}, {"expect": {"widget": "Markdown-1", "check": "nonEmpty"}}]
    report = await play(document(form()), {"wf1": graph("test.Forever")}, interact=steps, **limits)
    assert undecided(report, "GR905" if "timeout_ms" in limits else "GR906")


async def test_steps_before_the_run_that_was_stopped_are_judged() -> None:
    steps = [{"expect": {"widget": "Markdown-1", "check": "nonEmpty"}}, {"click": "Button-1"}]
    report = await play(document(form()), {"wf1": graph("test.Forever")}, interact=steps, timeout_ms=30)
    assert codes(report) == ["GR718"]
