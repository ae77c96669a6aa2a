"""The graphs inside graphs of an app, and how to change them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bench.faults.graph_places import graphs
from bench.faults.seed import Bed, Draft
from greenrun.instances.app import AppOperation

CARRIERS = ("nodetool.workflows.subgraph.Subgraph", "nodetool.workflows.workflow_node.Workflow")


@dataclass(frozen=True, slots=True)
class Inner:
    """A graph that a node of another one runs.

    `item` is the operation that runs it in the end, `top` the node of that operation's own graph. `key` is the file where
    the graph is kept, `carriers` the nodes that lead to it there; without any it is the file's own graph.
    """

    item: AppOperation
    top: str
    key: str
    carriers: tuple[str, ...]
    graph: dict[str, Any]

    @property
    def where(self) -> str:
        return f"{self.item.id} {'/'.join((self.key, *self.carriers))}"

    def stored(self, draft: Draft) -> dict[str, Any]:
        """The graph in a draft."""
        graph = draft.graph(self.key)
        for carrier in self.carriers:
            graph = carried(_named(graph, carrier)) or {}
        return graph

    def node_of(self, draft: Draft, node: str) -> dict[str, Any]:
        return _named(self.stored(draft), node)

    def carrier_of(self, draft: Draft) -> dict[str, Any]:
        """The node that carries the graph."""
        graph = draft.graph(self.key)
        for carrier in self.carriers[:-1]:
            graph = carried(_named(graph, carrier)) or {}
        return _named(graph, self.carriers[-1])


def inner_graphs(bed: Bed) -> Iterator[Inner]:
    """Every nested graph of every operation, outer ones first."""
    for item, key, _ in graphs(bed):
        graph = Draft(bed.app).graph(key)
        for node in graph["nodes"]:
            yield from _inside(bed, item, node["id"], key, (), node)


def _inside(
    bed: Bed, item: AppOperation, top: str, key: str, carriers: tuple[str, ...], node: dict[str, Any]
) -> Iterator[Inner]:
    if node["type"] not in CARRIERS:
        return
    graph = carried(node)
    if graph is not None:
        carriers = (*carriers, node["id"])
    else:
        key, carriers = node["data"]["workflow_id"], ()
        graph = Draft(bed.app).graph(key)
    yield Inner(item, top, key, carriers, graph)
    for inner in graph["nodes"]:
        yield from _inside(bed, item, top, key, carriers, inner)


def carried(node: dict[str, Any]) -> dict[str, Any] | None:
    """The graph that a node brings with it; None when it names a workflow."""
    data = node["data"]
    return data.get("graph") or data.get("workflow_json", {}).get("graph")


def _named(graph: dict[str, Any], node: str) -> dict[str, Any]:
    return next(item for item in graph["nodes"] if item["id"] == node)
