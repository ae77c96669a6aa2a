"""Doing a command again whenever a file changes, with the difference of the verdicts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol

from rich.console import Console
from watchfiles import Change, DefaultFilter, awatch

from greenrun.cli.console import MARKS, WrongUse, plain
from greenrun.cli.output import BASE
from greenrun.document.findings import Finding
from greenrun.oracle.report import Verdict
from greenrun.workspace.folder import APP_FILE, SCRIPT_FILE, WORKFLOWS_FOLDER
from greenrun.workspace.settings import SETTINGS_FILE

_SOURCES = (APP_FILE, SCRIPT_FILE, SETTINGS_FILE)


class Judged(Protocol):
    """What a check and a simulation have in common."""

    @property
    def verdict(self) -> Verdict: ...

    @property
    def findings(self) -> tuple[Finding, ...]: ...


async def watch(
    path: Path, once: Callable[[], Awaitable[Judged | None]], console: Console, *, ignore: Path | None = None
) -> None:
    """Run `once` now and after every change below `path`; `once` shows its own result, the difference follows it.

    `once` gives None when the app could not be read; the next change tries again. Files below `ignore` do not count, nor
    do those that a run itself writes beside the app.

    Raises:
        WrongUse: There is nothing at `path`.
    """
    if not path.exists():
        raise WrongUse(f'There is nothing at "{path}" to watch.')
    folder = path if path.is_dir() else path.parent
    changes = awatch(folder, watch_filter=_AppFiles(ignore))
    # The watch begins before the first run, so that a change during a run is not lost.
    coming = asyncio.ensure_future(anext(changes))
    try:
        before = await once()
        console.print(f"[dim]watching {plain(folder)}; stop with Ctrl-C[/]")
        while True:
            changed = await coming
            coming = asyncio.ensure_future(anext(changes))
            console.rule(style="dim")
            console.print(f"[dim]changed: {plain(_names(changed, folder))}[/]")
            after = await once()
            if coming.done() and not any(is_source(Path(name), path) for _, name in coming.result()):
                coming = asyncio.ensure_future(anext(changes))
            if before is not None and after is not None:
                for line in difference(before, after):
                    console.print(line)
            before = after or before
    finally:
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)
        await changes.aclose()


def is_source(file: Path, app: Path) -> bool:
    """Whether a verdict about the app depends on that file; what else changes during a run was written by the run."""
    folder, file = (app if app.is_dir() else app.parent).resolve(), file.resolve()
    if file == app.resolve() or file.is_relative_to(folder / WORKFLOWS_FOLDER):
        return True
    return file.parent == folder and file.name in _SOURCES


def difference(before: Judged, after: Judged) -> list[str]:
    """What changed from one verdict to the next, a line each."""
    lines: list[str] = []
    if before.verdict.status != after.verdict.status:
        lines.append(f"{MARKS[after.verdict.status]} {before.verdict.status} -> {after.verdict.status}")
    lines += [f"  [green]gone[/] {plain(text)}" for text in _missing(before.findings, after.findings)]
    lines += [f"  [red]new[/]  {plain(text)}" for text in _missing(after.findings, before.findings)]
    started = [name for name in after.verdict.exercised if name not in before.verdict.exercised]
    lost = [name for name in before.verdict.exercised if name not in after.verdict.exercised]
    lines += [f"  [green]now exercised[/] {plain(name)}" for name in started]
    lines += [f"  [red]no longer exercised[/] {plain(name)}" for name in lost]
    return lines or ["[dim]no difference[/]"]


def _missing(these: Sequence[Finding], those: Sequence[Finding]) -> list[str]:
    known = {(finding.code, finding.message) for finding in those}
    return [f"{item.code} {item.message}" for item in these if (item.code, item.message) not in known]


def _names(changes: set[tuple[Change, str]], folder: Path) -> str:
    base = folder.resolve()
    paths = sorted({Path(name) for _, name in changes})
    return ", ".join(str(path.relative_to(base)) if path.is_relative_to(base) else str(path) for path in paths[:3])


class _AppFiles(DefaultFilter):
    """Everything that people edit; not what a command itself writes."""

    ignore_dirs = (*DefaultFilter.ignore_dirs, str(BASE))

    def __init__(self, ignore: Path | None) -> None:
        super().__init__(ignore_paths=[] if ignore is None else [ignore.resolve()])
