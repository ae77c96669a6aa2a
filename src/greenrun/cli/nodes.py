"""``greenrun nodes``: what a graph can be made of."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.table import Table

from greenrun.cli.arguments import JsonFlag
from greenrun.cli.console import WrongUse, err, out, plain, print_json
from greenrun.workflows.registry import NodeType, default_registry


def register(app: typer.Typer) -> None:
    app.command("nodes")(nodes)


def nodes(
    query: Annotated[
        str | None, typer.Argument(metavar="[TEXT]", help="Only types whose name or description holds this text.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """List the node types, with their inputs and outputs."""
    registry = default_registry()
    for problem in registry.problems:
        err().print(f"[yellow]plugin:[/] {plain(problem.message)}")
    found = [node for node in registry.types() if _fits(node, query)]
    if query is not None and not found:
        nearest = registry.nearest(query)
        hint = f' Did you mean "{nearest}"?' if nearest else ""
        raise WrongUse(f'No node type holds "{query}".{hint}')
    if as_json:
        print_json({"nodes": [node.json_schema() for node in found]})
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("type", "inputs", "outputs"):
        table.add_column(heading, overflow="fold")
    for node in found:
        inputs = ", ".join(item.name for item in node.properties) + (" + any" if node.dynamic_inputs else "")
        outputs = ", ".join(item.name for item in node.outputs) + (" + any" if node.dynamic_outputs else "")
        table.add_row(plain(node.type), plain(inputs), plain(outputs))
    out().print(table)
    if query is not None and len(found) == 1:
        out().print(plain(found[0].description))


def _fits(node: NodeType, query: str | None) -> bool:
    text: Any = f"{node.type} {node.title} {node.description}".lower()
    return query is None or query.lower() in text
