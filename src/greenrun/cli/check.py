"""``greenrun check``: the wiring, in milliseconds; nothing is run."""

from __future__ import annotations

import typer

from greenrun.cli.arguments import AppPath, FullFlag, JsonFlag, TrustFlag, WatchFlag
from greenrun.cli.console import EXIT_CODES, err, out, print_json
from greenrun.cli.interrupt import run_async
from greenrun.cli.progress import progress
from greenrun.cli.show import show_check, show_headline
from greenrun.cli.trust import ask_for_trust
from greenrun.cli.watch import watch as watch_files
from greenrun.oracle.check_report import CheckReport
from greenrun.workspace.project import load


def register(app: typer.Typer) -> None:
    app.command("check", short_help="Check an app's wiring; runs nothing.")(check)


def check(
    path: AppPath, as_json: JsonFlag = False, full: FullFlag = False, watch: WatchFlag = False, trust: TrustFlag = False
) -> None:
    """Check an app's wiring: bindings, events, conditions, mappings, graphs. Runs nothing."""

    async def once(again: bool = False) -> CheckReport:
        project = load(path, trust=trust)
        await ask_for_trust(project, ask=not as_json)
        async with progress(f"checking {path.name or path}"):
            report = await project.acheck()
        if as_json:
            print_json(report.to_json() if full else _summary(report))
        elif again:
            show_headline(out(), report.verdict)
        else:
            show_check(out(), report, str(path))
        return report

    if watch:
        run_async(watch_files(path, once, err()))
        return
    report = run_async(once())
    raise typer.Exit(EXIT_CODES[report.verdict.status])


def _summary(report: CheckReport) -> dict[str, object]:
    """The report without the edits of fixes: their titles say what they do."""
    data = report.to_json()
    for finding in data["findings"]:
        finding["fixes"] = [{"title": fix["title"]} for fix in finding["fixes"]]
    return data
