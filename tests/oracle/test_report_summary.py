"""What a summary keeps when there is no room for everything (spec: harness 5.2)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from greenrun.document.findings import Finding, Fix, Place, Severity
from greenrun.oracle.report import Report
from greenrun.oracle.summary import summarize
from simulated import document, form, play, widget

BUDGET = 4800


def finding(severity: Severity, length: int = 60, edits: int = 0) -> Finding:
    code = {"error": "GR201", "warning": "GR410", "info": "GR505"}[severity]
    fixes = (Fix("Write it", ({"edit": "update_component", "id": "x" * edits},)),) if edits else ()
    return Finding(code, severity, "m" * length, Place(widget="w"), fixes)


async def report_of(*findings: Finding, widgets: int = 0) -> Report:
    content = [*form(), *(widget("Text", f"text-{index}", binding="op:main/out:out1") for index in range(widgets))]
    report = await play(document(content), run=False)
    issues = tuple(item.message for item in findings if item.severity == "error")
    return replace(report, findings=findings, verdict=replace(report.verdict, issues=issues))


def size(summary: dict[str, Any]) -> int:
    return len(json.dumps(summary, ensure_ascii=False))


async def test_errors_come_first_and_infos_last() -> None:
    summary = summarize(await report_of(finding("info"), finding("warning"), finding("error"), finding("warning")))
    assert [item["severity"] for item in summary["findings"]] == ["error", "warning", "warning", "info"]
    assert "findings" not in summary["cut"]


async def test_infos_are_dropped_first_and_counted() -> None:
    many = [finding("info", 300) for _ in range(5)] + [finding("warning", 300) for _ in range(5)]
    summary = summarize(await report_of(*many, widgets=10))
    assert [item["severity"] for item in summary["findings"]] == ["warning"] * 5
    assert summary["cut"]["findings"] == 5


@pytest.mark.parametrize("count", [1, 4, 30])
async def test_messages_of_errors_keep_their_first_300_characters(count: int) -> None:
    summary = summarize(await report_of(*(finding("error", 900) for _ in range(count)), widgets=10))
    assert summary["findings"]
    assert min(len(item["message"]) for item in summary["findings"]) >= 300
    assert min(map(len, summary["verdict"]["issues"])) >= 300
    assert len(summary["findings"]) + summary["cut"].get("findings", 0) == count
    assert len(summary["verdict"]["issues"]) + summary["cut"].get("issues", 0) == count
    assert len(summary["widgets"]) == 15
    assert size(summary) <= BUDGET


async def test_fixes_carry_their_edits_while_there_is_room() -> None:
    small, large = finding("error", edits=40), finding("error", edits=4000)
    summary = summarize(await report_of(large, small, widgets=10))
    assert [item["fixes"] for item in summary["findings"]] == [
        [{"title": "Write it"}],
        [small.fixes[0].to_json()],
    ]
    assert size(summary) <= BUDGET
