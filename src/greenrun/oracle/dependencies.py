"""What a graph runs besides its own nodes: functions of the workspace, and other graphs (spec: nodes A1.9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from greenrun.document.values import is_record
from greenrun.workflows.graph import Graph, load_graph

FUNCTION_NODE: Final = "greenrun.workflows.Function"
SUBGRAPH_NODE: Final = "nodetool.workflows.subgraph.Subgraph"
WORKFLOW_NODE: Final = "nodetool.workflows.workflow_node.Workflow"


@dataclass(frozen=True, slots=True)
class Dependency:
    """A function (``module:name``) or a workflow id that the node `node` names; `node` is a path for inner graphs."""

    node: str
    function: str | None = None
    workflow_id: str | None = None


def dependencies(graph: Graph, path: str = "") -> Iterator[Dependency]:
    """Everything that a graph and the graphs stored inside it name; what a named workflow needs is not followed."""
    for node in graph.nodes:
        place = f"{path}{node.id}"
        if node.bypassed:
            continue
        if node.type == FUNCTION_NODE:
            name = node.properties.get("function")
            if isinstance(name, str) and name:
                yield Dependency(place, function=name)
        elif node.type in (SUBGRAPH_NODE, WORKFLOW_NODE):
            inner = _inner(node.properties)
            workflow_id = node.properties.get("workflow_id")
            if inner is not None:
                yield from dependencies(load_graph(inner), f"{place}/")
            elif node.type == WORKFLOW_NODE and isinstance(workflow_id, str) and workflow_id:
                yield Dependency(place, workflow_id=workflow_id)


def _inner(properties: Any) -> Any | None:
    """The graph that a node carries; None when it carries none."""
    stored = properties.get("graph")
    if is_record(stored) and stored.get("nodes"):
        return stored
    carried = properties.get("workflow_json")
    graph = carried.get("graph") if is_record(carried) else None
    return graph if is_record(graph) and graph.get("nodes") else None
