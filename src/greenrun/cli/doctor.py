"""``greenrun doctor``: what is installed, what is missing, and the one command that adds it."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import typer

from greenrun import __version__
from greenrun.cli.arguments import JsonFlag
from greenrun.cli.console import out, plain, print_json, print_rows
from greenrun.cli.demo import example_folders
from greenrun.cli.main import OK, RED
from greenrun.workflows.functions import FunctionHost
from greenrun.workflows.functions.sandbox.bubblewrap import Bubblewrap, probe
from greenrun.workflows.registry import default_registry


def register(app: typer.Typer) -> None:
    app.command("doctor", short_help="Say what is missing here, and what adds it.")(doctor)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One thing that was looked at. `required` ones make the command fail when they are missing."""

    name: str
    found: str | None
    needed_for: str
    add: str | None = None
    required: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "ok": self.found is not None,
            "found": self.found,
            "neededFor": self.needed_for,
            "add": self.add if self.found is None else None,
            "required": self.required,
        }


def doctor(as_json: JsonFlag = False) -> None:
    """Say what is installed, what is missing, and the one command that adds it."""
    diagnoses = [probe() for probe in PROBES]
    if as_json:
        print_json({"version": __version__, "checks": [item.to_json() for item in diagnoses]})
    else:
        _show(diagnoses)
    missing = [item for item in diagnoses if item.required and item.found is None]
    raise typer.Exit(RED if missing else OK)


def _show(diagnoses: list[Diagnosis]) -> None:
    rows: list[tuple[str, str, str]] = []
    for item in diagnoses:
        if item.found is not None:
            rows.append(("[green]✔[/]", item.name, plain(item.found)))
            continue
        mark = "[red]✘[/]" if item.required else "[yellow]-[/]"
        add = f"\n[dim]add it:[/] {plain(item.add)}" if item.add is not None else ""
        rows.append((mark, item.name, f"missing; needed for {plain(item.needed_for)}{add}"))
    console = out()
    print_rows(console, [("[dim]greenrun[/]", __version__)], indent=0)
    print_rows(console, rows, indent=0)


def _python() -> Diagnosis:
    found = platform.python_version() if sys.version_info >= (3, 11) else None
    return Diagnosis("Python 3.11+", found, "everything", "install Python 3.11 or newer", required=True)


def _worker() -> Diagnosis:
    return Diagnosis(
        "function workers", f"{sys.executable} ({FunctionHost(None).isolation})", "Python functions", required=True
    )


def _module(name: str, module: str, needed_for: str, extra: str) -> Callable[[], Diagnosis]:
    def probe() -> Diagnosis:
        found = "installed" if importlib.util.find_spec(module) is not None else None
        return Diagnosis(name, found, needed_for, f'pip install "greenrun[{extra}]"')

    return probe


def _bubblewrap() -> Diagnosis:
    found = probe()
    if isinstance(found, Bubblewrap):
        left_out = f" (without {', '.join(sorted(found.left_out))})" if found.left_out else ""
        return Diagnosis("bubblewrap", found.program + left_out, "isolation of Python functions")
    needed_for = f"isolation of Python functions: {found.reason}"
    return Diagnosis("bubblewrap", None, needed_for, found.remedy)


def _nodes() -> Diagnosis:
    registry = default_registry()
    problems = f", {len(registry.problems)} broken plugins" if registry.problems else ""
    return Diagnosis("node types", f"{len(registry.types())}{problems}", "graphs", required=True)


def _examples() -> Diagnosis:
    folders = example_folders()
    found = f"{len(folders)}" if folders else None
    return Diagnosis("example apps", found, "greenrun demo", "clone the source tree")


def _cache() -> Diagnosis:
    from platformdirs import user_cache_path

    path = user_cache_path("greenrun")
    existing = next((item for item in (path, *path.parents) if item.exists()), path)
    found = str(path) if os.access(existing, os.W_OK) else None
    return Diagnosis("cache folder", found, "fast inspection of functions", f"make {path} writable")


PROBES: tuple[Callable[[], Diagnosis], ...] = (
    _python,
    _worker,
    _nodes,
    _module("Pillow", "PIL", "image examples and nodes", "images"),
    _module("pydantic-ai", "pydantic_ai", "nodes of language models", "llm"),
    _module("PyAV", "av", "video nodes", "video"),
    _module("pydantic-monty", "pydantic_monty", "Python code in graphs", "code"),
    _bubblewrap,
    _cache,
    _examples,
)
