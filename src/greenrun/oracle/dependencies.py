"""What a graph runs besides its own nodes: functions of the workspace, and other graphs (spec: nodes A1.9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from greenrun.workflows.graph import Graph
from greenrun.workflows.nesting import inner_graph, named_workflow

FUNCTION_NODE: Final = "greenrun.workflows.Function"


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
        function = node.properties.get("function") if node.type == FUNCTION_NODE else None
        if isinstance(function, str) and function:
            yield Dependency(place, function=function)
        elif (workflow_id := named_workflow(node.type, node.properties)) is not None:
            yield Dependency(place, workflow_id=workflow_id)
        elif (inner := inner_graph(graph, node)) is not None:
            yield from dependencies(inner, f"{place}/")
