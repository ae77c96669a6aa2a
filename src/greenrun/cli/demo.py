"""``greenrun demo``: check and simulate every app that ships, and show the verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

import greenrun
from greenrun.cli.arguments import JsonFlag
from greenrun.cli.console import MARKS, WrongUse, out, plain, print_json, print_rows
from greenrun.cli.interrupt import run_async
from greenrun.cli.main import CHECK_FAILED, OK, RED
from greenrun.cli.progress import progress
from greenrun.oracle.report import Report
from greenrun.workspace.folder import APP_FILE
from greenrun.workspace.models import ModelOptions
from greenrun.workspace.project import load


def register(app: typer.Typer) -> None:
    app.command("demo", short_help="Check and simulate the example apps.")(demo)


def demo(as_json: JsonFlag = False) -> None:
    """Check and simulate every example app that ships with Greenrun."""
    folders = example_folders()
    if not folders:
        raise WrongUse("The example apps are not installed here. They lie in the examples folder of the source tree.")
    reports = run_async(_simulate_all(folders))
    if as_json:
        print_json({"apps": [_row(name, report) for name, report in reports]})
    else:
        _show(reports)
    statuses = {report.verdict.status for _, report in reports}
    raise typer.Exit(RED if "red" in statuses else CHECK_FAILED if "check_failed" in statuses else OK)


def example_folders() -> list[Path]:
    """The example apps, beside the installed package or in the source tree; none where neither has them."""
    package = Path(greenrun.__file__).resolve().parent
    for base in (package / "examples", package.parents[1] / "examples"):
        folders = sorted(path.parent for path in base.glob(f"*/{APP_FILE}"))
        if folders:
            return folders
    return []


async def _simulate_all(folders: list[Path]) -> list[tuple[str, Report]]:
    reports: list[tuple[str, Report]] = []
    async with progress("simulating the examples") as line:
        for number, folder in enumerate(folders, start=1):
            line.note(f"{folder.name} ({number}/{len(folders)})")
            reports.append((folder.name, await load(folder, models=ModelOptions(missing="fail")).asimulate()))
    return reports


def _row(name: str, report: Report) -> dict[str, Any]:
    verdict = report.verdict
    return {
        "name": name,
        "status": verdict.status,
        "proof": verdict.proof,
        "snapshot": report.snapshot,
        "closure": report.closure,
        "headline": verdict.headline,
    }


def _show(reports: list[tuple[str, Report]]) -> None:
    console = out()
    rows = [("", *(f"[dim]{heading}[/]" for heading in ("app", "closure", "ms", "verdict")))]
    for name, report in reports:
        took = f"{sum(run['durationMs'] for run in report.runs):.0f}"
        verdict = report.verdict
        rows.append((MARKS[verdict.status], plain(name), str(report.closure), took, plain(verdict.headline)))
    print_rows(console, rows, indent=0)
    green = sum(report.verdict.ok for _, report in reports)
    console.print(f"\n{green} of {len(reports)} apps green")
