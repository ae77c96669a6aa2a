"""Verdicts and findings as text."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console

from greenrun.cli.console import MARKS, plain
from greenrun.document.findings import Finding
from greenrun.oracle.check_report import CheckReport
from greenrun.oracle.report import Report, Verdict

_COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}


def show_headline(console: Console, verdict: Verdict) -> None:
    console.print(f"{MARKS[verdict.status]} {plain(verdict.headline)}")


def show_findings(console: Console, findings: Iterable[Finding]) -> None:
    """One line per finding: code, message, and the first fix."""
    for finding in findings:
        colour = _COLOURS[finding.severity]
        console.print(f"  [{colour}]{finding.code} {finding.severity}[/]  {plain(finding.message)}")
        if finding.fixes:
            console.print(f"        [dim]fix:[/] {plain(finding.fixes[0].title)}")


def show_check(console: Console, report: CheckReport) -> None:
    """A check: headline, what was checked, findings."""
    show_headline(console, report.verdict)
    title = report.title or report.target.ref
    console.print(f"  [dim]app[/] {plain(title)}, {report.widget_count} widgets, closure {report.closure}")
    show_findings(console, report.findings)
    _reasons(console, report.verdict)
    fixable = sum(1 for finding in report.findings if finding.fixes)
    if fixable:
        console.print(
            f"  [dim]{fixable} of {len(report.findings)} findings can be fixed:[/] greenrun fix {plain(report.target.ref)}"
        )


def show_report(console: Console, report: Report) -> None:
    """A simulation: headline, runs, what widgets show, what was exercised, findings."""
    verdict = report.verdict
    show_headline(console, verdict)
    app = report.app or {"title": None, "widgetCount": 0}
    console.print(
        f"  [dim]app[/] {plain(app['title'] or report.target.ref)}, {app['widgetCount']} widgets, closure {report.closure}, "
        f"proof {verdict.proof}"
    )
    for invocation in report.invocations:
        run = report.runs[invocation["runIndex"]] if invocation["runIndex"] is not None else None
        took = f" in {run['durationMs']:.0f} ms" if run is not None else ""
        error = f": {plain(invocation['error'])}" if invocation["error"] else ""
        console.print(f"  [dim]run[/] {plain(invocation['operationId'])} {invocation['status']}{took}{error}")
    for name, value in report.variables.items():
        console.print(f"  [dim]variable[/] {plain(name)} = {plain(_short(value))}")
    shown = [
        widget
        for widget in report.widgets
        if widget["bindingMode"] == "read" and widget["binding"] and "/exec#" not in widget["binding"]
    ]
    if shown:
        console.print(f"  [dim]display widgets filled[/] {sum(widget['hasValue'] for widget in shown)}/{len(shown)}")
    _exercise(console, verdict)
    show_findings(console, report.findings)
    _reasons(console, verdict)
    if report.isolation is not None and report.runs:
        console.print(f"  [dim]isolation[/] {plain(report.isolation)}")
    if report.bundle_dir is not None:
        console.print(f"  [dim]report[/] {plain(report.bundle_dir)}")


def _exercise(console: Console, verdict: Verdict) -> None:
    if verdict.exercised:
        console.print(f"  [dim]exercised[/] {plain(', '.join(verdict.exercised))}")
    for item in verdict.not_exercised:
        supply = f", supply {item.supply}" if item.supply else ""
        console.print(f"  [dim]not exercised[/] {plain(item.operation)} ({item.reason}{plain(supply)})")


def _reasons(console: Console, verdict: Verdict) -> None:
    for reason in verdict.reasons:
        console.print(f"  [yellow]{reason.code}[/]  {plain(reason.message)}")


def _short(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    line = " ".join(text.split())
    return line if len(line) <= 100 else f"{line[:100]}…"
