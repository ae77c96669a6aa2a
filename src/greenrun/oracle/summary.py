"""The summary: what agents, tools and routes get of a report (spec: harness 5.2)."""

from __future__ import annotations

import json
from typing import Any

from greenrun.document.js import is_list
from greenrun.document.values import is_record
from greenrun.oracle.report import Report
from greenrun.runtime.preview import preview

PREVIEW_LIMIT = 160
TOKEN_BUDGET = 1200
CHARACTERS_PER_TOKEN = 4

_WIDGET_KEYS = ("id", "type", "binding", "hasValue", "visible", "disabled")
_TIGHTER: tuple[tuple[int, int, int], ...] = (
    (160, 40, 12),
    (100, 30, 8),
    (60, 20, 6),
    (40, 15, 4),
    (24, 12, 2),
    (16, 8, 1),
)
"""Rounds of cutting: length of a text, entries of `widgets` and `values`, entries of the other lists."""


def summarize(report: Report, draft_changed_since: bool | None = None) -> dict[str, Any]:
    """A report cut to what a model needs, at most 1,200 tokens for an app of 15 widgets.

    `cut` says for each list how many entries were left out. `draft_changed_since` is None where the host knows no draft.
    """
    summary: dict[str, Any] = {}
    for text_limit, wide, narrow in _TIGHTER:
        summary = _summary(report, draft_changed_since, text_limit, wide, narrow)
        if len(json.dumps(summary, ensure_ascii=False)) <= TOKEN_BUDGET * CHARACTERS_PER_TOKEN:
            break
    return summary


def _summary(report: Report, changed: bool | None, text_limit: int, wide: int, narrow: int) -> dict[str, Any]:
    cut: dict[str, int] = {}

    def shorten(name: str, items: list[Any], limit: int) -> list[Any]:
        if len(items) > limit:
            cut[name] = len(items) - limit
        return items[:limit]

    verdict = report.verdict.to_json()
    warnings = list(dict.fromkeys((*report.verdict.warnings, *report.validation_warnings)))
    verdict["issues"] = shorten("issues", [_text(item, text_limit) for item in verdict["issues"]], narrow)
    verdict["warnings"] = shorten("warnings", [_text(item, text_limit) for item in warnings], narrow)
    for name in ("exercised", "not_exercised", "reasons"):
        verdict[name] = shorten(name, verdict[name], wide)
    return {
        "target": {
            key: value for key, value in report.target.to_json().items() if key in ("ref", "source", "workflowId")
        },
        "snapshot": report.snapshot,
        "closure": report.closure,
        "app": {key: report.app[key] for key in ("title", "widgetCount")} if report.app is not None else None,
        "verdict": verdict,
        "findings": shorten("findings", _findings(report, text_limit), narrow),
        "widgets": shorten("widgets", [_widget(item, text_limit) for item in report.widgets], wide),
        "invocations": shorten("invocations", [_invocation(item, text_limit) for item in report.invocations], wide),
        "values": _values(report.values, text_limit, wide, cut),
        "interactionErrors": shorten(
            "interactionErrors",
            [
                {"step": item.step, "error": _text(item.error, text_limit), "code": item.code}
                for item in report.interactions
                if item.error is not None
            ],
            narrow,
        ),
        "run_ids": shorten("run_ids", list(report.run_ids), wide),
        "draft_changed_since": changed,
        "notSimulated": shorten("notSimulated", [_text(item, text_limit) for item in report.not_simulated], narrow),
        "cut": cut,
    }


def _text(text: str, limit: int) -> str:
    """Messages are allowed twice the length of a value: they say what to do next."""
    return text if len(text) <= 2 * limit else f"{text[: 2 * limit]}…"


def _findings(report: Report, limit: int) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for finding in report.findings:
        item = finding.to_json()
        item["message"] = _text(finding.message, limit)
        items.append(item)
    return items


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
