"""``greenrun new``: an app for a workflow or a function, green at birth."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from greenrun.cli.arguments import JsonFlag
from greenrun.cli.console import EXIT_CODES, WrongUse, out, plain, print_json
from greenrun.cli.interrupt import run_async
from greenrun.cli.progress import progress
from greenrun.cli.show import show_findings
from greenrun.document.json_text import pretty_json
from greenrun.document.slugs import key_slug
from greenrun.document.surface import Port, Surface
from greenrun.document.values import is_record
from greenrun.oracle.check_report import CheckReport
from greenrun.oracle.scaffold import sample_params, scaffold
from greenrun.workflows.functions import FunctionHost
from greenrun.workflows.functions.sources import ModuleSources
from greenrun.workflows.graph import load_graph
from greenrun.workflows.registry import default_registry
from greenrun.workflows.surface import extract_surface
from greenrun.workspace.folder import APP_FILE, SCRIPT_FILE, WORKFLOWS_FOLDER, is_workflow_id, read_json_file
from greenrun.workspace.project import load


def register(app: typer.Typer) -> None:
    app.command("new", short_help="Make an app for a workflow or a function.")(new)


@dataclass(frozen=True, slots=True)
class _Source:
    """What the app will run. `files` are copied: (from, to), the latter below ``workflows/``."""

    name: str
    surface: Surface
    files: Sequence[tuple[Path, Path]]
    workflow_id: str | None = None
    function: str | None = None


def new(
    workflow: Annotated[
        str,
        typer.Argument(
            metavar="WORKFLOW", help="A workflow file (flow.json), or a Python function (path/to/module.py:name)."
        ),
    ],
    folder: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="The new app folder; default: the workflow's name.")
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The app's title; default: the workflow's name.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Make an app for a workflow: a widget for every input and output, a run button, progress and errors."""
    path_text, _, name = workflow.rpartition(":") if ".py:" in workflow else (workflow, "", "")
    path = Path(path_text)
    if not path.is_file():
        raise WrongUse(f'There is no file "{path}". Name a graph (flow.json) or a function (module.py:name).')
    if path.suffix == ".py" and not name:
        raise WrongUse(f'Name the function too: "{path}:<function>".')
    target = folder or Path(key_slug(name or path.stem) or "app")
    if (target / APP_FILE).exists():
        raise WrongUse(f'"{target / APP_FILE}" exists already. Choose another folder with --out.')
    source = run_async(_function(path, name)) if name else _graph(path)
    copied, missing = _write(source, target, title or source.name)
    report = run_async(load(target).acheck())
    if as_json:
        print_json({"folder": str(target), "supply": [port.name for port in missing], **report.to_json()})
    else:
        _show(target, report, copied, missing)
    raise typer.Exit(EXIT_CODES[report.verdict.status])


async def _function(path: Path, name: str) -> _Source:
    module = path.stem
    function = f"{module}:{name}"
    host = FunctionHost(path.parent)
    try:
        async with progress(f"reading {path.name}"):
            ports = await host.inspect(function)
    finally:
        await host.aclose()
    sources = ModuleSources(path.parent, {}).closure(function, module).values()
    base = path.parent.absolute()
    files = [(Path(source.path), Path(source.path).relative_to(base)) for source in sources]
    return _Source(ports.title or _title(name), ports.surface, files, function=function)


def _graph(path: Path) -> _Source:
    value = read_json_file(path)
    graph = value["graph"] if is_record(value) and is_record(value.get("graph")) else value
    if not is_record(graph) or not isinstance(graph.get("nodes"), list):
        raise WrongUse(f'"{path}" is no workflow: it needs "nodes" and "edges".')
    stored_name = value.get("name")
    workflow_id = path.stem if is_workflow_id(path.stem) else key_slug(path.stem) or "workflow"
    name = stored_name if isinstance(stored_name, str) and stored_name.strip() else _title(path.stem)
    surface = extract_surface(load_graph(graph), default_registry())
    return _Source(name, surface, [(path, Path(f"{workflow_id}.json"))], workflow_id=workflow_id)


def _write(source: _Source, folder: Path, title: str) -> tuple[list[Path], list[Port]]:
    """Write the app folder; the files that were copied, and the inputs for which nobody can make up an example value."""
    document = scaffold(title, source.surface, workflow_id=source.workflow_id, function=source.function)
    params, missing = sample_params(source.surface)
    copied: list[Path] = []
    try:
        for original, name in source.files:
            destination = folder / WORKFLOWS_FOLDER / name
            destination.parent.mkdir(parents=True, exist_ok=True)
            if destination.resolve() != original.resolve():
                shutil.copyfile(original, destination)
                copied.append(destination)
        if params and not (folder / SCRIPT_FILE).exists():
            (folder / SCRIPT_FILE).write_text(pretty_json({"params": params}), encoding="utf-8")
        (folder / APP_FILE).write_text(pretty_json(document), encoding="utf-8")
    except OSError as error:
        raise WrongUse(f'"{folder}" cannot be written: {error.strerror or error}. Name another with --out.') from error
    return copied, missing


def _show(folder: Path, report: CheckReport, copied: Sequence[Path], missing: Sequence[Port]) -> None:
    console = out()
    console.print(f"Made {plain(folder / APP_FILE)}: {report.widget_count} widgets, {report.verdict.status}.")
    show_findings(console, report.findings, report.verdict.reasons)
    if copied:
        console.print(f"Copied to {plain(', '.join(map(str, copied)))}; that is what the app runs.")
    if (folder / SCRIPT_FILE).exists():
        console.print(f"Its example values are in {plain(folder / SCRIPT_FILE)}; change them as you like.")
    command = f"greenrun debug {shlex.quote(str(folder))}"
    if missing:
        names = ", ".join(f'"{port.name}"' for port in missing)
        console.print(f"It needs a file of yours for {plain(names)}: write its path where the command says PATH.")
        command += f" --params {shlex.quote(json.dumps({port.name: _placeholder(port) for port in missing}))}"
    console.print(f"See it run: [bold]{plain(command)}[/]")


def _placeholder(port: Port) -> Any:
    """What a person has to put in, in the shape that the input takes."""
    kind = (port.type or {}).get("type", "image")
    return {"type": kind, "uri": "file:PATH"}


def _title(name: str) -> str:
    text = name.replace("_", " ").replace("-", " ").strip()
    return text[:1].upper() + text[1:]
