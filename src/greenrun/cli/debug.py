"""``greenrun debug``: drive an app with real runs and grade it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from greenrun.cli.arguments import (
    AppPath,
    ExternalFlag,
    FullFlag,
    JsonFlag,
    MaxCostOption,
    MissingOption,
    ModelsOption,
    RecordFlag,
    RecordingPath,
    ReplayFlag,
    TrustFlag,
    WatchFlag,
    json_object,
    model_options,
    script,
)
from greenrun.cli.console import EXIT_CODES, WrongUse, err, out, print_json
from greenrun.cli.interrupt import run_async
from greenrun.cli.output import output_folder, write_report
from greenrun.cli.progress import progress
from greenrun.cli.show import show_headline, show_report
from greenrun.cli.trust import ask_for_trust
from greenrun.cli.watch import watch as watch_files
from greenrun.oracle.options import SimulateOptions
from greenrun.oracle.report import Report
from greenrun.oracle.summary import summarize
from greenrun.workspace.project import load


def register(app: typer.Typer) -> None:
    app.command("debug", short_help="Drive an app with real runs and grade it.")(debug)


def debug(
    path: AppPath,
    params: Annotated[
        str | None,
        typer.Option(metavar="JSON", help="Values to set before the first step, by name; @file reads a file."),
    ] = None,
    interact: Annotated[
        str | None,
        typer.Option(
            metavar="JSON",
            help="The steps to take; @file reads a list of steps or a script file. Without it the app's own script, else "
            "one step per operation.",
        ),
    ] = None,
    no_run: Annotated[bool, typer.Option("--no-run", help="Take the steps, but start no operation.")] = False,
    out_dir: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Where the report goes, instead of a new folder in greenrun-debug."),
    ] = None,
    timeout: Annotated[int, typer.Option(min=0, metavar="MS", help="Limit for each run; 0 is none.")] = 0,
    deadline: Annotated[int, typer.Option(min=0, metavar="MS", help="Limit for the whole simulation; 0 is none.")] = 0,
    as_json: JsonFlag = False,
    full: FullFlag = False,
    watch: WatchFlag = False,
    trust: TrustFlag = False,
    models: ModelsOption = "configured",
    record: RecordFlag = False,
    replay: ReplayFlag = False,
    replay_missing: MissingOption = None,
    recording: RecordingPath = None,
    max_cost: MaxCostOption = None,
    allow_external: ExternalFlag = False,
) -> None:
    """Drive an app as a person would, with real runs, and grade what it does."""
    with_steps, steps = script(interact, "--interact")
    chosen = model_options(models, record=record, replay=replay, missing=replay_missing, recording=recording)
    options = SimulateOptions(
        params={**with_steps, **json_object(params, "--params")},
        interact=steps,
        run=not no_run,
        timeout_ms=timeout or None,
        deadline_ms=deadline or None,
    )

    async def once(again: bool = False) -> Report:
        project = load(path, trust=trust, models=chosen, cost_cap=max_cost, allow_external=allow_external)
        await ask_for_trust(project, ask=not as_json)
        with tempfile.TemporaryDirectory(prefix="greenrun-assets-") as assets:
            async with progress(f"simulating {path.name or path}") as line:
                report = await project.asimulate(replace(options, on_progress=line.note), assets=Path(assets))
            folder = output_folder(report, out_dir, watching=watch)
            report = replace(report, bundle_dir=str(folder))
            unwritten = write_report(folder, report, project.loaded, Path(assets))
        if unwritten is not None:
            report = replace(report, bundle_dir=None)
        if as_json:
            print_json(report.to_json() if full else summarize(report))
        elif again:
            show_headline(out(), report.verdict)
        else:
            show_report(out(), report)
        if unwritten is not None:
            raise WrongUse(f'The report cannot be written to "{folder}": {unwritten}. Name a folder with --out.')
        return report

    if watch:
        run_async(watch_files(path, once, err(), ignore=out_dir))
        return
    report = run_async(once())
    raise typer.Exit(EXIT_CODES[report.verdict.status])
