"""A report as Markdown, for people (spec: harness 5.4). Empty sections are left out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from greenrun.oracle.report import Report

CELL_LIMIT = 200
_MARKS = {"green": "✅", "red": "❌", "check_failed": "⚠️"}


def to_markdown(report: Report) -> str:
    """The whole report; table cells are cut to 200 characters."""
    verdict = report.verdict
    title = (report.app or {}).get("title") or report.target.ref
    blocks = [
        f"# {title}",
        f"{_MARKS[verdict.status]} {verdict.headline}",
        _target_line(report),
        *_section("Bindable surface", _surface(report)),
        *_section("Issues", _bullets(verdict.issues)),
        *_section("Why the verdict is not green", _bullets(f"{item.code}: {item.message}" for item in verdict.reasons)),
        *_section("Warnings", _bullets(dict.fromkeys((*report.validation_warnings, *verdict.warnings)))),
        *_section("Interactions", _interactions(report)),
        *_section("Runs", _runs(report)),
        *_section("Operations", _operations(report)),
        *_section("Invocations", _invocations(report)),
        *_section("Activity", _bullets(f"{item['invocationId']}: {item['label']}" for item in report.activity)),
        *_section("Widgets", _widgets(report)),
        *_section("Resources", _resources(report)),
        *_section("Final values", _mapping(report.values)),
        *_section("Variables", _mapping(report.variables)),
        *_section("Not simulated", _bullets(report.not_simulated)),
    ]
    return "\n\n".join(blocks) + "\n"


def _target_line(report: Report) -> str:
    info = report.target
    parts = [f"Target `{info.ref}` ({info.source})", f"proof: {report.verdict.proof}"]
    if report.snapshot is not None:
        parts.append(f"snapshot `{report.snapshot}`")
    if report.closure is not None:
        parts.append(f"closure `{report.closure}`")
    if report.isolation is not None and report.runs:
        parts.append(f"isolation: {report.isolation}")
    parts += _models(report.models or {})
    return ", ".join(parts)


def _models(models: dict[str, Any]) -> list[str]:
    parts = [f"{models[key]} {text}" for key, text in (("calls", "asked"), ("replayed", "replayed")) if models.get(key)]
    return [f"model calls ({models.get('source')}): {', '.join(parts)}"] if parts else []


def _section(title: str, body: str) -> list[str]:
    return [f"## {title}", body] if body else []


def _bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= CELL_LIMIT else f"{text[:CELL_LIMIT]}…"


def _table(header: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    if not rows:
        return ""
    lines = ["| " + " | ".join(header) + " |", "|" + " --- |" * len(header)]
    lines += ["| " + " | ".join(_cell(value) for value in row) + " |" for row in rows]
    return "\n".join(lines)


def _surface(report: Report) -> str:
    """Inputs, outputs and variables of each operation, by name."""
    operations: list[dict[str, Any]] = (report.spec or {}).get("operations", [])
    lines: list[str] = []
    for operation in operations:
        surface: dict[str, list[Any]] = operation["io"] or {}
        facts = [f"{kind} {', '.join(map(_port, ports))}" for kind, ports in surface.items() if ports]
        if facts:
            lines.append(f"{operation['id']}: {'; '.join(facts)}")
    return _bullets(lines)


def _port(port: Any) -> str:
    return port if isinstance(port, str) else port["name"]


def _interactions(report: Report) -> str:
    rows = [(item.number, item.step, "; ".join(item.actions), item.error or "") for item in report.interactions]
    return _table(("#", "Step", "Actions", "Error"), rows)


def _runs(report: Report) -> str:
    rows = [
        (index, run["status"], round(run["durationMs"]), run["summary"]["counts"]["completed"], run["error"] or "")
        for index, run in enumerate(report.runs)
    ]
    return _table(("Run", "Status", "ms", "Nodes completed", "Error"), rows)


def _operations(report: Report) -> str:
    missing = {item.operation: item for item in report.verdict.not_exercised}
    rows: list[tuple[Any, ...]] = [(name, "yes", "") for name in report.verdict.exercised]
    rows += [(name, f"no: {item.reason}", item.supply or "") for name, item in missing.items()]
    return _table(("Operation", "Exercised", "Supply"), rows)


def _invocations(report: Report) -> str:
    rows = [
        (item["id"], item["operationId"], item["status"], item["decision"], item["error"] or "")
        for item in report.invocations
    ]
    return _table(("Invocation", "Operation", "Status", "Decision", "Error"), rows)


def _widgets(report: Report) -> str:
    rows = [
        (
            item["id"],
            item["type"],
            item["binding"] or "",
            "yes" if item["visible"] else "no",
            "no" if item["disabled"] else "yes",
            item["display"] if item["display"] is not None else item["value"],
        )
        for item in report.widgets
    ]
    return _table(("Widget", "Type", "Binding", "Visible", "Enabled", "Shows"), rows)


def _resources(report: Report) -> str:
    rows = [(item["id"], item["kind"], len(item["items"]), item["selected"] or "") for item in report.resources]
    return _table(("Resource", "Kind", "Items", "Selected"), rows)


def _mapping(values: dict[str, Any]) -> str:
    return _table(("Name", "Value"), list(values.items()))
