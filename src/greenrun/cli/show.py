"""Verdicts and findings as text."""

from __future__ import annotations

import json
import re
import shlex
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby, starmap
from typing import Any, NamedTuple, TypeAlias

from rich.console import Console

from greenrun.cli.console import MARKS, plain, print_rows
from greenrun.document.codes import CODES
from greenrun.document.findings import Finding, Reason
from greenrun.oracle.check_report import CheckReport
from greenrun.oracle.evidence import one_line
from greenrun.oracle.report import Report, Verdict

_COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}
_CAUSE = "GR721"
_SYMPTOMS = ("GR717", "GR720")
_FAILED = re.compile(r'operation "(?P<operation>[^"]*)"(?: failed| ended \w+)?: (?P<error>.*)', re.DOTALL)
_Failure: TypeAlias = tuple[str, str]
_SHORT = 100
_RUNS_SHOWN = 12


def show_headline(console: Console, verdict: Verdict) -> None:
    """The verdict in one line."""
    print_rows(console, [(MARKS[verdict.status], f"[bold]{plain(verdict.headline)}[/]")], indent=0)


def show_check(console: Console, report: CheckReport, path: str) -> None:
    """A check: headline, what was checked, findings, and the next command."""
    verdict = report.verdict
    show_headline(console, verdict)
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
    show_headline(console, verdict)
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
        if widget["bindingMode"] == "read"
        and widget["visible"]
        and widget["binding"]
        and "/exec#" not in widget["binding"]
    ]
    if shown:
        facts.append(("displays", f"{sum(widget['hasValue'] for widget in shown)} of {len(shown)} filled"))
    if verdict.exercised:
        facts.append(("exercised", plain(", ".join(verdict.exercised))))
    facts += _labelled("not exercised", _not_exercised(verdict))
    if report.isolation is not None and report.runs:
        facts.append(("isolation", plain(report.isolation)))
    if used := _models(report.models or {}):
        facts.append(("models", used))
    if report.bundle_dir is not None:
        facts.append(("report", plain(report.bundle_dir)))
    _facts(console, facts)
    show_findings(console, report.findings, verdict.reasons)


def _models(models: dict[str, Any]) -> str:
    """Where answers of models came from; nothing when none was asked for."""
    calls = "scripted answers" if models.get("source") == "scripted" else "calls to providers"
    parts = [(models.get("replayed") or 0, "replayed"), (models.get("calls") or 0, calls)]
    used = ", ".join(f"{count} {what}" for count, what in parts if count)
    return f"{used}; {plain(models['problem'])}" if models.get("problem") else used


def show_findings(console: Console, findings: Iterable[Finding], reasons: Iterable[Reason] = ()) -> None:
    """Errors, warnings, infos, then why nothing can be said: what, where, and what to do.

    What to do is the first fix; where there is none, the remedy of the code, once for findings of one code.
    """
    rows: list[tuple[str, str, str]] = []
    told = fold(findings)
    ordered = sorted(told, key=lambda item: tuple(_COLOURS).index(item.finding.severity))
    for code, group in groupby(ordered, key=lambda item: item.finding.code):
        items: list[Finding] = []
        for finding, also in group:
            items.append(finding)
            colour = _COLOURS[finding.severity]
            text = plain(finding.message) + _where(finding)
            if also:
                text += f"\n[dim]also[/] {', '.join(also)}"
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


class Told(NamedTuple):
    """A finding to show, and the codes of those that say the same."""

    finding: Finding
    also: tuple[str, ...] = ()


def fold(findings: Iterable[Finding]) -> list[Told]:
    """The findings, one for each failure: that of the step (GR717) and that of the run (GR720) go into that of the node or
    function (GR721) where all three tell one error."""
    findings = list(findings)
    causes = {_failure(finding) for finding in findings if finding.code == _CAUSE} - {None}
    also: dict[_Failure | None, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    kept: dict[object, Finding] = {}
    for number, finding in enumerate(findings):
        failure = _cause_of(_failure(finding), causes)
        if failure is None:
            kept[number] = finding
        elif finding.code == _CAUSE:
            kept.setdefault((failure, finding.message), finding)
        else:
            also[failure][finding.code] += [] if finding.place.step is None else [finding.place.step]
    return [Told(finding, tuple(starmap(_code_of, also[_failure(finding)].items()))) for finding in kept.values()]


def _cause_of(failure: _Failure | None, causes: Iterable[_Failure | None]) -> _Failure | None:
    """The cause that tells the same error, maybe with its type before it and its place behind it."""
    found = (
        cause for cause in causes if failure and cause and cause[0] == failure[0] and failure[1].rstrip("…") in cause[1]
    )
    return failure if failure in causes else next(found, None)


def _code_of(code: str, steps: Sequence[int]) -> str:
    """A code, with the steps that it was found in."""
    numbers = ", ".join(map(str, steps))
    return f"{code} (step{'' if len(steps) == 1 else 's'} {numbers})" if steps else code


def _failure(finding: Finding) -> _Failure | None:
    """The operation and the error that a finding about a failed run tells."""
    found = _FAILED.search(finding.message) if finding.code in (_CAUSE, *_SYMPTOMS) else None
    return None if found is None else (found["operation"], one_line(found["error"]))


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
    """A line for each run; its error only where no finding tells it."""
    told = {error for finding in report.findings if (failure := _failure(finding)) for error in failure[1:]}
    lines: list[str] = []
    for invocation in report.invocations:
        run = report.runs[invocation["runIndex"]] if invocation["runIndex"] is not None else None
        took = f" in {run['durationMs']:.0f} ms" if run is not None else ""
        untold = invocation["error"] and one_line(invocation["error"]) not in told
        error = f": {plain(_short(invocation['error']))}" if untold else ""
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
