"""Asking a person before code that came from elsewhere runs for the first time (DESIGN 5)."""

from __future__ import annotations

import ast
import asyncio
import sys
from collections.abc import Mapping

import typer

from greenrun.cli.console import err, plain
from greenrun.workspace.project import Project
from greenrun.workspace.trust import TrustStore


async def ask_for_trust(project: Project, *, ask: bool) -> None:
    """Trust what the app carries if its reader trusted exactly this code before, or says so now.

    Asks only where somebody can answer; otherwise nothing changes, and the verdict says that the code is not trusted.
    """
    carried = project.loaded.target.functions
    if not carried or project.trust:
        return
    store = TrustStore()
    if store.is_trusted(carried):
        project.trust = True
    elif ask and sys.stdin.isatty() and sys.stderr.isatty():
        async with project.host() as host:
            isolation = host.isolation
        project.trust = await asyncio.to_thread(_asked, carried, isolation)
        if project.trust:
            store.trust(carried)


def _asked(carried: Mapping[str, str], isolation: str) -> bool:
    console = err()
    console.print("[yellow]This app brings Python code of its own:[/]")
    for module, source in sorted(carried.items()):
        imports = ", ".join(sorted(_imports(source))) or "nothing"
        console.print(
            f"  {plain(module)}.py, {len(source.splitlines())} lines, imports {plain(imports)}", highlight=False
        )
    console.print(f"It would run: {plain(isolation)}.", highlight=False)
    while True:
        try:
            answer = typer.prompt("Run it? [y]es, [n]o, [s]how it", default="n", show_default=False, err=True)
        except typer.Abort:  # nobody is there any more
            return False
        match answer.strip().lower()[:1]:
            case "y":
                return True
            case "s":
                for module, source in sorted(carried.items()):
                    console.print(f"\n[bold]{plain(module)}.py[/]\n{plain(source)}", highlight=False)
            case _:
                return False


def _imports(source: str) -> set[str]:
    """The top-level modules that a source imports; nothing for one that does not parse."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return set()
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    return {name.partition(".")[0] for name in names} - {"__future__"}
