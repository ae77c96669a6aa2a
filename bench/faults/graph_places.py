"""Places in the graphs that operations run, and how to change what is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bench.faults.seed import Bed, Draft, Sign, at_widgets, sign
from greenrun.document.bindings import OutputRef
from greenrun.instances.app import AppOperation
from greenrun.workflows.graph import Edge, Graph

SHOWN = "GR718 GR723 GR726 GR727 GR728"
NEW = "seeded"
"""The id of a node that a fault puts in."""


def graphs(bed: Bed) -> Iterator[tuple[AppOperation, str, Graph]]:
    """Every operation that runs a graph of the app, with the key of its file."""
    for item in bed.operations:
        if item.graph is not None and item.graph_key is not None and item.graph_key in bed.app.graphs:
            yield item, item.graph_key, item.graph


def node_of(draft: Draft, key: str, node: str) -> dict[str, Any]:
    return next(item for item in draft.graph(key)["nodes"] if item["id"] == node)


def edge_of(draft: Draft, key: str, edge: Edge) -> dict[str, Any]:
    return draft.graph(key)["edges"][edge.index]


def into_outputs(graph: Graph) -> list[Edge]:
    """The edges that enter an output of the app."""
    outputs = {node.id for node in graph.outputs}
    return [edge for edge in graph.edges if edge.target in outputs]


def put(draft: Draft, key: str, type_: str, data: dict[str, Any]) -> None:
    """A new node."""
    draft.graph(key)["nodes"].append({"id": NEW, "type": type_, "data": data, "dynamic_properties": {}})


def branch_off(draft: Draft, key: str, edge: Edge, entry: str) -> None:
    """What the edge carries goes to the new node too."""
    first = {"id": NEW, "source": edge.source, "sourceHandle": edge.source_handle}
    draft.graph(key)["edges"].append({**first, "target": NEW, "targetHandle": entry})


def instead(key: str, edge: Edge, type_: str, data: dict[str, Any], handle: str = "output") -> Callable[[Draft], None]:
    """What enters where the edge leads comes from a new node."""

    def change(draft: Draft) -> None:
        put(draft, key, type_, data)
        edge_of(draft, key, edge).update(source=NEW, sourceHandle=handle)

    return change


def through(
    key: str, edge: Edge, type_: str, data: dict[str, Any], entry: str, handle: str = "output"
) -> Callable[[Draft], None]:
    """What the edge carries goes through a new node."""

    def change(draft: Draft) -> None:
        instead(key, edge, type_, data, handle)(draft)
        branch_off(draft, key, edge, entry)

    return change


def beside(key: str, edge: Edge, type_: str, data: dict[str, Any], entry: str) -> Callable[[Draft], None]:
    """What the edge carries goes to a new node too, which nothing hangs on."""

    def change(draft: Draft) -> None:
        put(draft, key, type_, data)
        branch_off(draft, key, edge, entry)

    return change


def shown_signs(bed: Bed, item: AppOperation, edge: Edge) -> list[Sign]:
    """A wrong value on what shows the output that the edge enters."""
    return at_widgets(f"{SHOWN} GR712", bed.showing([OutputRef(item.id, edge.target)]))


def node_signs(item: AppOperation, node: str) -> list[Sign]:
    """What is said of a node itself."""
    return [sign("GR603 GR604 GR616 GR618 GR619 GR721", operation=item.id, node=node)]
