"""Doing a command again whenever a file changes, with the difference of the verdicts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol, TypeAlias

from rich.console import Console
from watchfiles import Change, DefaultFilter, awatch

from greenrun.cli.console import MARKS, WrongUse, plain, print_rows
from greenrun.cli.output import BASE
from greenrun.document.findings import Finding
from greenrun.oracle.report import Verdict
from greenrun.workspace.errors import LoadError
from greenrun.workspace.folder import APP_FILE, SCRIPT_FILE, WORKFLOWS_FOLDER
from greenrun.workspace.settings import SETTINGS_FILE

_SOURCES = (APP_FILE, SCRIPT_FILE, SETTINGS_FILE)


class Judged(Protocol):
    """What a check and a simulation have in common."""

    @property
    def verdict(self) -> Verdict: ...

    @property
    def findings(self) -> tuple[Finding, ...]: ...


Once: TypeAlias = Callable[[bool], Awaitable[Judged]]
"""Does the command and shows what it came to: everything, or with True only the headline."""


async def watch(path: Path, once: Once, console: Console, *, ignore: Path | None = None) -> None:
    """Run `once` now and after every change below `path`: first the whole result, then each headline and the difference.

    When the app could not be read, the next change tries again. Files below `ignore` do not count, nor
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
        before = await attempt(once, False, console)
        console.print(f"[dim]watching {plain(folder)}; stop with Ctrl-C[/]")
        while True:
            changed = await coming
            coming = asyncio.ensure_future(anext(changes))
            lasting = _lasting(changed)
            if not lasting:
                continue
            console.rule(style="dim")
            console.print(f"[dim]changed: {plain(_names(lasting, folder))}[/]")
            after = await attempt(once, before is not None, console)
            if coming.done() and not any(is_source(Path(name), path) for _, name in coming.result()):
                coming = asyncio.ensure_future(anext(changes))
            if before is not None and after is not None:
                print_rows(console, difference(before, after))
            before = after or before
    finally:
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)
        await changes.aclose()


async def attempt(once: Once, again: bool, console: Console) -> Judged | None:
    """What the command came to; None, said on the console, when the app could not be read."""
    try:
        return await once(again)
    except LoadError as error:
        console.print(f"[red]error:[/] {plain(error)}")
        return None


def is_source(file: Path, app: Path) -> bool:
    """Whether a verdict about the app depends on that file; what else changes during a run was written by the run."""
    folder, file = (app if app.is_dir() else app.parent).resolve(), file.resolve()
    if file == app.resolve() or file.is_relative_to(folder / WORKFLOWS_FOLDER):
        return True
    return file.parent == folder and file.name in _SOURCES


def difference(before: Judged, after: Judged) -> list[tuple[str, str]]:
    """What changed from one verdict to the next: a row of markup for each change.

    While something keeps the app from being looked at, a finding that is missing is not said to be gone.
    """
    old, new = before.verdict, after.verdict
    rows: list[tuple[str, str]] = []
    if old.status != new.status:
        rows.append(("[dim]verdict[/]", f"{MARKS[new.status]} {old.status} -> {new.status}"))
    if all(reason in old.reasons for reason in new.reasons):
        rows += [("[green]gone[/]", plain(text)) for text in _missing(before, after)]
    rows += [("[red]new[/]", plain(text)) for text in _missing(after, before)]
    rows += [("[green]now exercised[/]", plain(name)) for name in new.exercised if name not in old.exercised]
    rows += [("[red]no longer exercised[/]", plain(name)) for name in old.exercised if name not in new.exercised]
    return rows or [("[dim]no difference[/]", "")]


def _missing(these: Judged, those: Judged) -> list[str]:
    """Findings, then reasons of the one that the other does not have."""
    told = [(item.code, item.message) for item in (*these.findings, *these.verdict.reasons)]
    known = {(item.code, item.message) for item in (*those.findings, *those.verdict.reasons)}
    return [f"{code} {message}" for code, message in told if (code, message) not in known]


def _lasting(changes: set[tuple[Change, str]]) -> set[Path]:
    """The changed files without those that came and went, as an editor makes them while it saves."""
    came = {name for change, name in changes if change is Change.added}
    return {Path(name) for _, name in changes if name not in came or Path(name).exists()}


def _names(paths: set[Path], folder: Path) -> str:
    base = folder.resolve()
    names = sorted(str(path.relative_to(base)) if path.is_relative_to(base) else str(path) for path in paths)
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


class _AppFiles(DefaultFilter):
    """Everything that people edit; not what a command itself writes."""

    ignore_dirs = (*DefaultFilter.ignore_dirs, str(BASE))

    def __init__(self, ignore: Path | None) -> None:
        super().__init__(ignore_paths=[] if ignore is None else [ignore.resolve()])
