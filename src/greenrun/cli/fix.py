"""``greenrun fix``: apply the repairs that hold, and show the difference."""

from __future__ import annotations

import asyncio
import difflib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.syntax import Syntax

from greenrun.cli.arguments import AppPath, JsonFlag, TrustFlag
from greenrun.cli.console import OK, RED, WrongUse, out, plain, print_json
from greenrun.cli.show import show_findings
from greenrun.document.json_text import pretty_json
from greenrun.oracle.checked import rechecker
from greenrun.oracle.fix import FixResult, fix_all
from greenrun.oracle.resolve import resolve
from greenrun.workspace.folder import WORKFLOWS_FOLDER, LoadedApp, read_json_file
from greenrun.workspace.project import load


def register(app: typer.Typer) -> None:
    app.command("fix")(fix)


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after; both are JSON values."""

    path: Path
    before: Any
    after: Any

    def diff(self) -> str:
        old, new = (pretty_json(value).splitlines(keepends=True) for value in (self.before, self.after))
        return "".join(difflib.unified_diff(old, new, f"a/{self.path.name}", f"b/{self.path.name}"))


def fix(
    path: AppPath,
    write: Annotated[
        bool, typer.Option("--write", help="Write the files; without it only the difference is shown.")
    ] = False,
    info: Annotated[bool, typer.Option("--info", help="Also apply the fixes of informational findings.")] = False,
    as_json: JsonFlag = False,
    trust: TrustFlag = False,
) -> None:
    """Apply every fix that holds: it removes its finding, adds no error, and keeps every widget and operation."""
    result, changes = asyncio.run(_fix(path, info=info, trust=trust))
    if write:
        for change in changes:
            _write(change)
    left = [item for item in result.remaining if item.severity == "error"]
    if as_json:
        print_json(
            {
                "applied": [
                    {"code": item.finding.code, "place": item.finding.place.to_json(), "fix": item.fix.title}
                    for item in result.applied
                ],
                "remaining": [finding.to_json() for finding in result.remaining],
                "files": [{"path": str(change.path), "diff": change.diff()} for change in changes],
                "written": write,
            }
        )
    else:
        _show(result, changes, written=write)
    raise typer.Exit(RED if left else OK)


async def _fix(path: Path, *, info: bool, trust: bool) -> tuple[FixResult, list[FileChange]]:
    project = load(path, trust=trust)
    async with project.host() as host:
        resolved = await resolve(project.loaded.target, host)
        if resolved.app is None:
            raise WrongUse(project.loaded.target.issue or "There is no application document to fix.")
        recheck = rechecker(resolved, host.registry)
        before = recheck.draft
        result = await asyncio.to_thread(fix_all, before, recheck, infos=info)
    changed = {key: graph for key, graph in result.graphs.items() if before.graphs.get(key) is not graph}
    return result, _changes(project.loaded, result, changed)


def _changes(loaded: LoadedApp, result: FixResult, graphs: dict[str, Any]) -> list[FileChange]:
    """The files that hold what was changed: the app's own file, and for a folder the files of its graphs."""
    stored = read_json_file(loaded.app_file)
    after = _replaced(loaded, stored, result.document.stored)
    changes: list[FileChange] = []
    for key, graph in graphs.items():
        name = key.partition("@")[0]
        file = (loaded.workspace or loaded.app_file.parent) / WORKFLOWS_FOLDER / f"{name}.json"
        if loaded.target.operations_reference_keys:
            after = _with_graph(after, key, graph)
        elif file.is_file():
            before = read_json_file(file)
            wrapped = {**before, "graph": graph} if isinstance(before.get("graph"), dict) else graph
            changes.append(FileChange(file, before, wrapped))
        elif isinstance(after.get("graph"), dict):
            after = {**after, "graph": graph}
        elif isinstance(after.get("nodes"), list):
            after = {**after, **graph}
    if after != stored:
        changes.insert(0, FileChange(loaded.app_file, stored, after))
    return changes


def _replaced(loaded: LoadedApp, stored: dict[str, Any], document: dict[str, Any]) -> dict[str, Any]:
    """The file with its document replaced, wherever the file keeps it."""
    if loaded.target.operations_reference_keys:
        return {**stored, "app": document}
    if loaded.target.info.source == "json":
        was_text = isinstance(stored.get("app_doc"), str)
        return {**stored, "app_doc": json.dumps(document) if was_text else document}
    return document


def _with_graph(bundle: dict[str, Any], key: str, graph: Any) -> dict[str, Any]:
    entries = [{**entry, "graph": graph} if entry.get("key") == key else entry for entry in bundle["workflows"]]
    return {**bundle, "workflows": entries}


def _write(change: FileChange) -> None:
    """Replace the file in one step, so that a crash leaves the old one."""
    temporary = change.path.with_name(f".{change.path.name}.new")
    temporary.write_text(pretty_json(change.after), encoding="utf-8")
    temporary.replace(change.path)


def _show(result: FixResult, changes: list[FileChange], *, written: bool) -> None:
    console = out()
    for item in result.applied:
        console.print(f"[green]fixed[/] {item.finding.code}  {plain(item.fix.title)}")
    for change in changes:
        console.print(Syntax(change.diff(), "diff", background_color="default"))
    if not result.applied:
        console.print("Nothing to fix.")
    elif written:
        console.print(f"Wrote {', '.join(plain(change.path) for change in changes)}.")
    else:
        console.print("[dim]Nothing was written; repeat with --write.[/]")
    left = [finding for finding in result.remaining if finding.severity != "info"]
    if left:
        console.print(f"{len(left)} left:")
        show_findings(console, left)
