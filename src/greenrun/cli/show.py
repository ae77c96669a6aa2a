"""Verdicts and findings as text."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence
from itertools import groupby

from rich.console import Console

from greenrun.cli.console import MARKS, plain, print_rows
from greenrun.document.codes import CODES
from greenrun.document.findings import Finding, Reason
from greenrun.oracle.check_report import CheckReport
from greenrun.oracle.report import Report, Verdict

_COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}
_SHORT = 100
_RUNS_SHOWN = 12


def show_check(console: Console, report: CheckReport, path: str) -> None:
    """A check: headline, what was checked, findings, and the next command."""
    verdict = report.verdict
    _headline(console, verdict)
    facts = [("app", _app(report.title or report.target.ref, report.widget_count))]
    if report.closure is not None:
        facts.append(("closure", report.closure))
    _facts(console, facts)
    show_findings(console, report.findings, verdict.reasons)
    fixable = [finding for finding in report.findings if finding.fixes]
    if fixable:
        also = " --info" if any(finding.severity == "info" for finding in fixable) else ""
        _next(console, f"{_count(len(fixable), 'finding')} can be fixed", f"greenrun fix {shlex.quote(path)}{also}")
    if verdict.status == "green":
        _next(console, "see it run", f"greenrun debug {shlex.quote(path)}")


def show_report(console: Console, report: Report) -> None:
    """A simulation: headline, runs, what widgets show, what was exercised, findings."""
    verdict = report.verdict
    _headline(console, verdict)
    app = report.app or {"title": None, "widgetCount": 0}
    facts = [("app", _app(app["title"] or report.target.ref, app["widgetCount"]))]
    if report.closure is not None:
        facts.append(("closure", report.closure))
    facts.append(("proof", verdict.proof))
    facts += _labelled("runs", _runs(report))
    facts += _labelled("variables", [f"{plain(key)} = {plain(_short(item))}" for key, item in report.variables.items()])
    shown = [
        widget
        for widget in report.widgets
        if widget["bindingMode"] == "read" and widget["binding"] and "/exec#" not in widget["binding"]
    ]
    if shown:
        facts.append(("displays", f"{sum(widget['hasValue'] for widget in shown)} of {len(shown)} filled"))
    if verdict.exercised:
        facts.append(("exercised", plain(", ".join(verdict.exercised))))
    facts += _labelled("not exercised", _not_exercised(verdict))
    if report.isolation is not None and report.runs:
        facts.append(("isolation", plain(report.isolation)))
    if report.bundle_dir is not None:
        facts.append(("report", plain(report.bundle_dir)))
    _facts(console, facts)
    show_findings(console, report.findings, verdict.reasons)


def show_findings(console: Console, findings: Iterable[Finding], reasons: Iterable[Reason] = ()) -> None:
    """Errors, warnings, infos, then why nothing can be said: what, where, and what to do.

    What to do is the first fix; where there is none, the remedy of the code, once for findings of one code.
    """
    rows: list[tuple[str, str, str]] = []
    ordered = sorted(findings, key=lambda finding: tuple(_COLOURS).index(finding.severity))
    for code, group in groupby(ordered, key=lambda finding: finding.code):
        items = list(group)
        for finding in items:
            colour = _COLOURS[finding.severity]
            text = plain(finding.message) + _where(finding)
            if finding.fixes:
                text += f"\n[green]fix:[/] {plain(finding.fixes[0].title)}"
            rows.append((f"[{colour}]{finding.severity}[/]", finding.code, text))
        if any(not finding.fixes for finding in items) and items[0].severity != "info":
            rows.append(("", "", f"[dim]do:[/] {plain(CODES[code].remedy)}"))
    for reason in reasons:
        text = f"{plain(reason.message)}\n[dim]do:[/] {plain(CODES[reason.code].remedy)}"
        rows.append(("[yellow]reason[/]", reason.code, text))
    if rows:
        console.print()
        print_rows(console, rows)


def _headline(console: Console, verdict: Verdict) -> None:
    print_rows(console, [(MARKS[verdict.status], f"[bold]{plain(verdict.headline)}[/]")], indent=0)


def _facts(console: Console, facts: Sequence[tuple[str, str]]) -> None:
    console.print()
    print_rows(console, [(f"[dim]{label}[/]", text) for label, text in facts])


def _next(console: Console, why: str, command: str) -> None:
    console.print(f"\n{why}: [bold]{plain(command)}[/]")


def _app(title: str, widgets: int) -> str:
    return f"{plain(title)}, {_count(widgets, 'widget')}"


def _where(finding: Finding) -> str:
    """What of the place the message does not say itself."""
    place = finding.place.to_json()
    place.pop("step", None)
    missing = [f'{name} "{value}"' for name, value in place.items() if f'"{value}"' not in finding.message]
    return f"\n[dim]at:[/] {plain(', '.join(missing))}" if missing else ""


def _runs(report: Report) -> list[str]:
    lines: list[str] = []
    for invocation in report.invocations:
        run = report.runs[invocation["runIndex"]] if invocation["runIndex"] is not None else None
        took = f" in {run['durationMs']:.0f} ms" if run is not None else ""
        error = f": {plain(_short(invocation['error']))}" if invocation["error"] else ""
        lines.append(f"{plain(invocation['operationId'])} {invocation['status']}{took}{error}")
    hidden = len(lines) - _RUNS_SHOWN
    return [*lines[:_RUNS_SHOWN], f"and {hidden} more"] if hidden > 0 else lines


def _not_exercised(verdict: Verdict) -> list[str]:
    return [
        plain(f"{item.operation} ({item.reason}{f', supply {item.supply}' if item.supply else ''})")
        for item in verdict.not_exercised
    ]


def _labelled(label: str, lines: Sequence[str]) -> list[tuple[str, str]]:
    return [(label if number == 0 else "", line) for number, line in enumerate(lines)]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _short(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else f"{line[:_SHORT]}…"
