"""``greenrun fix``: apply the repairs that hold, and show the difference."""

from __future__ import annotations

import difflib
import json
import shlex
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from greenrun.cli.arguments import AppPath, JsonFlag, TrustFlag
from greenrun.cli.console import WrongUse, out, plain, print_json, print_rows, printable
from greenrun.cli.interrupt import run_async
from greenrun.cli.main import CHECK_FAILED, OK, RED
from greenrun.cli.progress import progress
from greenrun.cli.show import show_findings
from greenrun.document.findings import Reason
from greenrun.document.json_text import pretty_json
from greenrun.oracle.checked import rechecker
from greenrun.oracle.fix import Draft, FixResult, Rechecker, fix_all
from greenrun.oracle.resolve import ResolvedTarget, resolve
from greenrun.workspace.folder import WORKFLOWS_FOLDER, LoadedApp, read_json_file
from greenrun.workspace.project import Project, load


def register(app: typer.Typer) -> None:
    app.command("fix", short_help="Repair what can be repaired mechanically.")(fix)


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file before and after; both are JSON values. `text` is the file as it is."""

    path: Path
    before: Any
    after: Any
    text: str

    @property
    def lays_out_anew(self) -> bool:
        """Whether writing also changes blanks and line ends, which the difference leaves out; the last one does not count."""
        return self.text.rstrip() != pretty_json(self.before).rstrip()

    def diff(self) -> str:
        old, new = (pretty_json(value).splitlines(keepends=True) for value in (self.before, self.after))
        return "".join(difflib.unified_diff(old, new, f"a/{self.path.name}", f"b/{self.path.name}"))

    def write(self) -> None:
        """Replace the file in one step, so that a crash leaves the old one.

        Raises:
            WrongUse: It cannot be written.
        """
        target = self.path.resolve()
        temporary = target.with_name(f".{target.name}.new")
        try:
            temporary.write_text(pretty_json(self.after), encoding="utf-8")
            shutil.copymode(target, temporary)
            temporary.replace(target)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink()
            raise WrongUse(f'"{self.path}" cannot be written: {error.strerror or error}.') from error


def fix(
    path: AppPath,
    write: Annotated[
        bool, typer.Option("--write", help="Write the files; without it only the difference is shown.")
    ] = False,
    info: Annotated[bool, typer.Option("--info", help="Also apply the fixes of informational findings.")] = False,
    as_json: JsonFlag = False,
    trust: TrustFlag = False,
) -> None:
    """Apply every fix that holds: it removes its finding, adds no error, and keeps every widget and operation.

    The exit code is that of the app as it is then: unchanged, without --write.
    """
    loaded = load(path, trust=trust)
    resolved, recheck = run_async(_resolve(loaded, path))
    # Outside of the event loop, where Ctrl-C is heard at once.
    result = fix_all(recheck.draft, recheck, infos=info)
    changes = _changes(loaded.loaded, result, recheck.draft)
    if write:
        for change in changes:
            change.write()
    if as_json:
        print_json(_json(result, changes, resolved.reasons, written=write))
    else:
        again = f"greenrun fix {shlex.quote(str(path))}{' --info' if info else ''} --write"
        _show(result, changes, resolved.reasons, None if write else again)
    raise typer.Exit(_exit_code(result, resolved.reasons, written=write))


async def _resolve(project: Project, path: Path) -> tuple[ResolvedTarget, Rechecker]:
    async with progress(f"reading {path.name or path}"), project.host() as host:
        resolved = await resolve(project.loaded.target, host)
        if resolved.app is None:
            raise WrongUse(project.loaded.target.issue or "There is no application document to fix.")
        return resolved, rechecker(resolved, host.registry)


def _exit_code(result: FixResult, reasons: Sequence[Reason], *, written: bool) -> int:
    findings = [*result.remaining, *([] if written else [item.finding for item in result.applied])]
    if any(finding.severity == "error" for finding in findings):
        return RED
    return CHECK_FAILED if reasons else OK


def _json(
    result: FixResult, changes: Sequence[FileChange], reasons: Sequence[Reason], *, written: bool
) -> dict[str, Any]:
    return {
        "applied": [
            {"code": item.finding.code, "place": item.finding.place.to_json(), "fix": item.fix.title}
            for item in result.applied
        ],
        "remaining": [finding.to_json() for finding in result.remaining],
        "reasons": [reason.to_json() for reason in reasons],
        "files": [{"path": str(change.path), "diff": change.diff()} for change in changes],
        "written": written,
    }


def _changes(loaded: LoadedApp, result: FixResult, draft: Draft) -> list[FileChange]:
    """The files that hold what was changed: the app's own file, and for a folder the files of its graphs."""
    graphs = {key: graph for key, graph in result.graphs.items() if draft.graphs.get(key) is not graph}
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
            changes.append(_change(file, before, wrapped))
        elif isinstance(after.get("graph"), dict):
            after = {**after, "graph": graph}
        elif isinstance(after.get("nodes"), list):
            # The file is the graph and more: the app beside it has been replaced already.
            after = {**after, "nodes": graph["nodes"], "edges": graph["edges"]}
    if after != stored:
        changes.insert(0, _change(loaded.app_file, stored, after))
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


def _change(path: Path, before: Any, after: Any) -> FileChange:
    return FileChange(path, before, after, path.read_text(encoding="utf-8", errors="replace"))


def _show(result: FixResult, changes: Sequence[FileChange], reasons: Sequence[Reason], again: str | None) -> None:
    """`again` is the command that writes, None when the files have been written."""
    console = out()
    verb = "fixed" if again is None else "would fix"
    print_rows(
        console,
        [(f"[green]{verb}[/]", item.finding.code, plain(item.fix.title)) for item in result.applied],
        indent=0,
    )
    for change in changes:
        console.print()
        for line in change.diff().splitlines():
            console.print(Text(printable(line), _DIFF_COLOURS.get(line[:1], "")))
    anew = [f'"{change.path.name}"' for change in changes if change.lays_out_anew]
    if anew:
        console.print(f"\n[dim]Blanks and line ends are laid out anew, too: {plain(', '.join(anew))}.[/]")
    left = [finding for finding in result.remaining if finding.severity != "info"]
    show_findings(console, left, reasons)
    if result.applied:
        written = f"Wrote {', '.join(plain(change.path) for change in changes)}."
        console.print(f"\n{written if again is None else f'Nothing was written. Write it: [bold]{plain(again)}[/]'}")
        return
    if left or reasons:
        console.print()
    infos = sum(finding.severity == "info" and bool(finding.fixes) for finding in result.remaining)
    nothing = "Nothing here can be fixed mechanically." if left else "Nothing to fix."
    console.print(
        f"{nothing}{f' Informational findings with a fix: {infos}; add --info to apply them.' if infos else ''}"
    )


_DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
