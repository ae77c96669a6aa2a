"""The folder that a simulation leaves behind (spec: harness 10.1)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from greenrun.document.slugs import slug
from greenrun.oracle.markdown import to_markdown
from greenrun.oracle.report import Report
from greenrun.workspace.folder import LoadedApp

BASE = Path("greenrun-debug")
SLUG_LIMIT = 40


def output_folder(report: Report, wanted: Path | None, *, watching: bool) -> Path:
    """`wanted`, else ``greenrun-debug/app-<slug>-<time>``; a watched app keeps one folder."""
    if wanted is not None:
        return wanted
    title = (report.app or {}).get("title") or Path(report.target.ref).name
    name = slug(str(title))[:SLUG_LIMIT].strip("_") or "app"
    stamp = "watch" if watching else report.generated_at.replace(":", "-").replace(".", "-").replace("+", "-")
    return BASE / f"app-{name}-{stamp}"


def write_report(folder: Path, report: Report, loaded: LoadedApp, assets: Path | None = None) -> str | None:
    """report.json, report.md, app.json, workflow.json, the messages of every run, and the media in `assets`.

    Returns why not, when that failed.
    """
    try:
        _write_files(folder, report, loaded)
        if assets is not None and any(assets.iterdir()):
            shutil.copytree(assets, folder / "assets", dirs_exist_ok=True)
    except OSError as error:
        return error.strerror or str(error)
    return None


def _write_files(folder: Path, report: Report, loaded: LoadedApp) -> None:
    server = folder / "server"
    server.mkdir(parents=True, exist_ok=True)
    for stale in server.glob("run-*.messages.jsonl"):
        stale.unlink()
    _write_json(folder / "report.json", report.to_json())
    (folder / "report.md").write_text(_printable(to_markdown(report)), encoding="utf-8")
    if loaded.target.document is not None:
        _write_json(folder / "app.json", loaded.target.document.stored)
    graph = loaded.target.host_graph or _host_graph(report, loaded)
    if graph is not None:
        _write_json(folder / "workflow.json", graph)
    for index, messages in enumerate(report.messages):
        lines = "".join(f"{json.dumps(message)}\n" for message in messages)
        (server / f"run-{index}.messages.jsonl").write_text(lines, encoding="utf-8")


def _host_graph(report: Report, loaded: LoadedApp) -> Any | None:
    """The graph of the first operation that has one (spec: harness 1.2)."""
    workflow_id = report.target.workflow_id
    return loaded.graph(workflow_id) if workflow_id is not None else None


def _write_json(path: Path, value: Any) -> None:
    path.write_text(_printable(json.dumps(value, indent=2, ensure_ascii=False)) + "\n", encoding="utf-8")


def _printable(text: str) -> str:
    """Lone surrogates as JSON escapes; UTF-8 has no bytes for them."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
