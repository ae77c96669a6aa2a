"""``greenrun demo``: check and simulate every app that ships, and show the verdicts."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import typer
from rich.table import Table

import greenrun
from greenrun.cli.arguments import JsonFlag
from greenrun.cli.console import CHECK_FAILED, MARKS, OK, RED, WrongUse, out, plain, print_json
from greenrun.cli.progress import progress
from greenrun.oracle.report import Report
from greenrun.workspace.folder import APP_FILE
from greenrun.workspace.project import load


def register(app: typer.Typer) -> None:
    app.command("demo")(demo)


def demo(as_json: JsonFlag = False) -> None:
    """Check and simulate every example app that ships with Greenrun."""
    folders = example_folders()
    if not folders:
        raise WrongUse("The example apps are not installed here. They lie in the examples folder of the source tree.")
    reports = asyncio.run(_simulate_all(folders))
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
            reports.append((folder.name, await load(folder).asimulate()))
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
    table = Table(box=None, pad_edge=False)
    for heading in ("", "app", "proof", "runs", "ms", "closure", "verdict"):
        table.add_column(heading, justify="right" if heading in ("runs", "ms") else "left", overflow="fold")
    for name, report in reports:
        verdict = report.verdict
        took = sum(run["durationMs"] for run in report.runs)
        table.add_row(
            MARKS[verdict.status],
            plain(name),
            verdict.proof,
            str(len(report.runs)),
            f"{took:.0f}",
            str(report.closure),
            plain(verdict.headline),
        )
    console = out()
    console.print(table)
    green = sum(report.verdict.ok for _, report in reports)
    console.print(f"{green} of {len(reports)} apps green")
