"""``greenrun new``: an app for a workflow or a function, green at birth."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Annotated

import typer

from greenrun.cli.arguments import JsonFlag
from greenrun.cli.console import WrongUse, out, plain, print_json
from greenrun.document.json_text import pretty_json
from greenrun.document.slugs import slug
from greenrun.document.surface import Surface
from greenrun.document.values import is_record
from greenrun.oracle.check_report import CheckReport
from greenrun.oracle.scaffold import scaffold
from greenrun.workflows.functions import FunctionHost
from greenrun.workflows.graph import load_graph
from greenrun.workflows.registry import default_registry
from greenrun.workflows.surface import extract_surface
from greenrun.workspace.folder import APP_FILE, WORKFLOWS_FOLDER, read_json_file
from greenrun.workspace.project import load


def register(app: typer.Typer) -> None:
    app.command("new")(new)


def new(
    source: Annotated[
        str,
        typer.Argument(
            metavar="WORKFLOW", help="A workflow file (graph.json), or a Python function (path/to/module.py:name)."
        ),
    ],
    folder: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="The new app folder; default: its name.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="The app's title; default: the workflow's name.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Make an app for a workflow: a widget for every input and output, a run button, progress and errors."""
    path_text, _, name = source.rpartition(":") if ".py:" in source else (source, "", "")
    path = Path(path_text)
    if not path.is_file():
        raise WrongUse(f'There is no file "{path}". Name a graph (flow.json) or a function (module.py:name).')
    if path.suffix == ".py" and not name:
        raise WrongUse(f'Name the function too: "{path}:<function>".')
    target = folder or Path(slug(name or path.stem).replace("_", "-") or "app")
    if (target / APP_FILE).exists():
        raise WrongUse(f'"{target / APP_FILE}" exists already. Choose another folder with --out.')
    report = asyncio.run(_create(path, name, target, title))
    if as_json:
        print_json({"folder": str(target), **report.to_json()})
        return
    console = out()
    console.print(f"Made {plain(target / APP_FILE)}: {report.widget_count} widgets, {report.verdict.status}.")
    console.print(f"[dim]Try it:[/] greenrun debug {plain(target)}")


async def _create(path: Path, name: str, folder: Path, title: str | None) -> CheckReport:
    if name:
        function = f"{path.stem}:{name}"
        document = scaffold(title or _title(name), await _function_surface(path, function), function=function)
    else:
        value = read_json_file(path)
        graph = value.get("graph") if is_record(value) and is_record(value.get("graph")) else value
        if not is_record(graph) or not isinstance(graph.get("nodes"), list):
            raise WrongUse(f'"{path}" is no workflow: it needs "nodes" and "edges".')
        stored_name = value.get("name") if is_record(value) else None
        surface = extract_surface(load_graph(graph), default_registry())
        document = scaffold(title or _title(stored_name or path.stem), surface, workflow_id=path.stem)
    workflows = folder / WORKFLOWS_FOLDER
    workflows.mkdir(parents=True, exist_ok=True)
    destination = workflows / path.name
    if destination.resolve() != path.resolve():
        shutil.copyfile(path, destination)
    (folder / APP_FILE).write_text(pretty_json(document), encoding="utf-8")
    return await load(folder).acheck()


async def _function_surface(path: Path, function: str) -> Surface:
    host = FunctionHost(path.parent)
    try:
        ports = await host.inspect(function)
    finally:
        await host.aclose()
    return Surface(inputs=ports.inputs, outputs=ports.outputs)


def _title(name: str) -> str:
    text = name.replace("_", " ").replace("-", " ").strip()
    return text[:1].upper() + text[1:]
