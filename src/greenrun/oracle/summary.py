"""The summary: what agents, tools and routes get of a report (spec: harness 5.2)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from greenrun.document.findings import Finding
from greenrun.document.js import is_list
from greenrun.document.values import is_record
from greenrun.oracle.report import Report
from greenrun.runtime.preview import preview

PREVIEW_LIMIT = 160
TOKEN_BUDGET = 1200
CHARACTERS_PER_TOKEN = 4

WIDGETS_KEPT = 15
MESSAGE_FLOOR = 300
"""No message of an error is cut below this many characters."""

_WIDGET_KEYS = ("id", "type", "binding", "hasValue", "visible", "disabled")
_ORDER = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class _Limits:
    """One round of cutting: characters of a value, entries of long and of short lists, and whether infos are told."""

    text: int
    wide: int
    narrow: int
    infos: bool = False

    @property
    def widgets(self) -> int:
        return max(WIDGETS_KEPT, self.wide)


_TIGHTER: tuple[_Limits, ...] = (
    _Limits(160, 40, 12, infos=True),
    _Limits(160, 40, 12),
    _Limits(100, 30, 8),
    _Limits(60, 20, 6),
    _Limits(40, 15, 4),
    _Limits(24, 12, 2),
    _Limits(16, 8, 1),
    _Limits(16, 3, 1),
)


def summarize(report: Report, draft_changed_since: bool | None = None) -> dict[str, Any]:
    """A report cut to what a model needs, at most 1,200 tokens for an app of 15 widgets.

    Findings come errors first; infos go first when there is no room. A fix carries its edits where they fit, else its
    title alone. `cut` says for each list how many entries were left out. `draft_changed_since` is None where the host
    knows no draft.
    """
    findings = sorted(report.findings, key=lambda finding: _ORDER.index(finding.severity))
    summary: dict[str, Any] = {}
    for limits in _TIGHTER:
        summary = _summary(report, findings, draft_changed_since, limits)
        if _fits(summary):
            _add_edits(summary, findings)
            break
    return summary


def _fits(summary: dict[str, Any]) -> bool:
    return len(json.dumps(summary, ensure_ascii=False)) <= TOKEN_BUDGET * CHARACTERS_PER_TOKEN


def _add_edits(summary: dict[str, Any], findings: Sequence[Finding]) -> None:
    """The edits of the fixes, of each finding in turn, as long as there is room."""
    for item, finding in zip(summary["findings"], findings, strict=False):
        titles = item["fixes"]
        item["fixes"] = [fix.to_json() for fix in finding.fixes]
        if not _fits(summary):
            item["fixes"] = titles


def _summary(report: Report, findings: Sequence[Finding], changed: bool | None, limits: _Limits) -> dict[str, Any]:
    cut: dict[str, int] = {}

    def shorten(name: str, items: list[Any], limit: int, left: int = 0) -> list[Any]:
        if (missing := max(len(items) - limit, 0) + left) > 0:
            cut[name] = missing
        return items[:limit]

    told = [finding for finding in findings if limits.infos or finding.severity != "info"]
    verdict = report.verdict.to_json()
    warnings = list(dict.fromkeys((*report.verdict.warnings, *report.validation_warnings)))
    verdict["headline"] = _error_text(verdict["headline"], limits)
    verdict["issues"] = shorten("issues", [_error_text(item, limits) for item in verdict["issues"]], limits.narrow)
    verdict["warnings"] = shorten("warnings", [_text(item, limits.text) for item in warnings], limits.narrow)
    reasons = [{**item, "message": _error_text(item["message"], limits)} for item in verdict["reasons"]]
    verdict["reasons"] = shorten("reasons", reasons, limits.wide)
    for name in ("exercised", "not_exercised"):
        verdict[name] = shorten(name, verdict[name], limits.wide)
    return {
        "target": {
            key: value for key, value in report.target.to_json().items() if key in ("ref", "source", "workflowId")
        },
        "snapshot": report.snapshot,
        "closure": report.closure,
        "app": {key: report.app[key] for key in ("title", "widgetCount")} if report.app is not None else None,
        "verdict": verdict,
        "findings": shorten(
            "findings", [_finding(item, limits) for item in told], limits.narrow, len(findings) - len(told)
        ),
        "widgets": shorten("widgets", [_widget(item, limits.text) for item in report.widgets], limits.widgets),
        "invocations": shorten(
            "invocations", [_invocation(item, limits.text) for item in report.invocations], limits.wide
        ),
        "values": _values(report.values, limits.text, limits.wide, cut),
        "interactionErrors": shorten(
            "interactionErrors",
            [
                {"step": item.step, "error": _text(item.error, limits.text), "code": item.code}
                for item in report.interactions
                if item.error is not None
            ],
            limits.narrow,
        ),
        "run_ids": shorten("run_ids", list(report.run_ids), limits.wide),
        "draft_changed_since": changed,
        "notSimulated": shorten(
            "notSimulated", [_text(item, limits.text) for item in report.not_simulated], limits.narrow
        ),
        "cut": cut,
    }


def _text(text: str, limit: int) -> str:
    """Messages are allowed twice the length of a value: they say what to do next."""
    return text if len(text) <= 2 * limit else f"{text[: 2 * limit]}…"


def _error_text(text: str, limits: _Limits) -> str:
    return _text(text, max(limits.text, MESSAGE_FLOOR // 2))


def _finding(finding: Finding, limits: _Limits) -> dict[str, Any]:
    """A finding whose fixes carry their title only."""
    is_error = finding.severity == "error"
    message = _error_text(finding.message, limits) if is_error else _text(finding.message, limits.text)
    return {**finding.to_json(), "message": message, "fixes": [{"title": fix.title} for fix in finding.fixes]}


def _widget(widget: dict[str, Any], limit: int) -> dict[str, Any]:
    item = {key: widget[key] for key in _WIDGET_KEYS}
    if widget["display"] is not None:
        item["display"] = preview(widget["display"], limit)
    return item


def _invocation(invocation: dict[str, Any], limit: int) -> dict[str, Any]:
    item = {key: invocation[key] for key in ("id", "operationId", "status", "decision")}
    if invocation["error"] is not None:
        item["error"] = _text(invocation["error"], limit)
    if invocation["timedOutMs"] is not None:
        item["timedOutMs"] = invocation["timedOutMs"]
    return item


def _values(values: dict[str, Any], text_limit: int, wide: int, cut: dict[str, int]) -> dict[str, Any]:
    kept = dict(list(values.items())[:wide])
    if len(values) > wide:
        cut["values"] = len(values) - wide
    return {key: _short(value, text_limit) for key, value in kept.items()}


def _short(value: Any, limit: int) -> Any:
    """A value at the summary's limit; a structure that stays long becomes the start of its JSON text."""
    short: Any = preview(value, limit)
    if is_record(short) or is_list(short):
        text = json.dumps(short, ensure_ascii=False)
        if len(text) > limit:
            return f"{text[:limit]}…[{len(text)} chars]"
    return short
