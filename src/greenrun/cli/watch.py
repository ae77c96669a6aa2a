"""Doing a command again whenever a file changes, with the difference of the verdicts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol

from rich.console import Console
from watchfiles import DefaultFilter, awatch

from greenrun.cli.console import MARKS, plain
from greenrun.document.findings import Finding
from greenrun.oracle.report import Verdict


class Judged(Protocol):
    """What a check and a simulation have in common."""

    @property
    def verdict(self) -> Verdict: ...

    @property
    def findings(self) -> tuple[Finding, ...]: ...


async def watch(path: Path, once: Callable[[], Awaitable[Judged | None]], console: Console) -> None:
    """Run `once` now and after every change below `path`; `once` shows its own result, the difference follows it.

    `once` gives None when the app could not be read; the next change tries again.
    """
    before = await once()
    folder = path if path.is_dir() else path.parent
    console.print(f"[dim]watching {plain(folder)}; stop with Ctrl-C[/]")
    async for _ in awatch(folder, watch_filter=_AppFiles()):
        console.rule(style="dim")
        after = await once()
        if before is not None and after is not None:
            for line in difference(before, after):
                console.print(line)
        before = after or before


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


class _AppFiles(DefaultFilter):
    """Everything that people edit; not what a run itself writes."""

    ignore_dirs = (*DefaultFilter.ignore_dirs, "greenrun-debug")
