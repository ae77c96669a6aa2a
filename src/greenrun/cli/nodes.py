"""``greenrun nodes``: what a graph can be made of."""

from __future__ import annotations

from typing import Annotated

import typer

from greenrun.cli.arguments import JsonFlag
from greenrun.cli.console import WrongUse, err, out, plain, print_json, print_rows
from greenrun.document.values import ABSENT
from greenrun.workflows.registry import NodeType, default_registry
from greenrun.workflows.runnable import OLD_TYPES
from greenrun.workflows.type_meta import type_text


def register(app: typer.Typer) -> None:
    app.command("nodes", short_help="List what a graph can be made of.")(nodes)


def nodes(
    query: Annotated[
        str | None,
        typer.Argument(metavar="TEXT", help="Only types whose name or description holds this text; a full name: all."),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """List the node types with their inputs and outputs; one alone is described in full."""
    registry = default_registry()
    for problem in registry.problems:
        err().print(f"[yellow]plugin:[/] {plain(problem.message)}")
    exact = registry.get(query) if query is not None else None
    current = [node for node in registry.types() if node.type not in OLD_TYPES]
    found = [exact] if exact is not None else [node for node in current if _fits(node, query)]
    if query is not None and not found:
        nearest = registry.nearest(query)
        hint = f'Did you mean "{nearest}"?' if nearest else "List all of them with: greenrun nodes"
        raise WrongUse(f'No node type holds "{query}". {hint}')
    if as_json:
        print_json({"nodes": [node.json_schema() for node in found]})
    elif query is not None and len(found) == 1:
        _describe(found[0])
    else:
        print_rows(out(), [(plain(node.type), _ports(node)) for node in found], indent=0)


def _fits(node: NodeType, query: str | None) -> bool:
    return query is None or query.lower() in f"{node.type} {node.title} {node.description}".lower()


def _ports(node: NodeType) -> str:
    """Inputs and outputs by name, ``…`` where a graph may add its own."""
    inputs = [item.name for item in node.properties] + ["…"] * node.dynamic_inputs
    outputs = [item.name for item in node.outputs] + ["…"] * node.dynamic_outputs
    return plain(f"{', '.join(inputs) or '-'} → {', '.join(outputs) or '-'}")


def _describe(node: NodeType) -> None:
    console = out()
    console.print(f"[bold]{plain(node.type)}[/]")
    if node.description:
        print_rows(console, [(plain(node.description),)])
    if node.unavailable is not None:
        print_rows(console, [("[yellow]not available here[/]", plain(node.unavailable))])
    rows: list[tuple[str, str, str, str]] = []
    for item in node.properties:
        facts = [plain(item.description)] if item.description else []
        if item.options is not None:
            facts.append(plain(f"one of {', '.join(str(option) for option in item.options)}"))
        if item.default is not ABSENT and item.default not in (None, "", [], {}):
            facts.append(f"[dim]default {plain(repr(item.default))}[/]")
        rows.append(("[dim]in[/]", plain(item.name), plain(type_text(item.type)), "; ".join(facts)))
    if node.dynamic_inputs:
        rows.append(("[dim]in[/]", "…", "any", "more inputs, as the graph declares them"))
    rows += [("[dim]out[/]", plain(item.name), plain(type_text(item.type)), "") for item in node.outputs]
    if node.dynamic_outputs:
        rows.append(("[dim]out[/]", "…", "any", "more outputs, as the graph declares them"))
    print_rows(console, rows)
