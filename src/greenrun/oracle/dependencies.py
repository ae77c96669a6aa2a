"""What a graph runs besides its own nodes: functions of the workspace, and other graphs (spec: nodes A1.9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from greenrun.document.js import is_list
from greenrun.document.values import Value, is_record, is_text
from greenrun.workflows.graph import Graph
from greenrun.workflows.nesting import inner_graph, named_workflow

FUNCTION_NODE: Final = "greenrun.workflows.Function"
_CONSTANTS: Final = "nodetool.constant."


@dataclass(frozen=True, slots=True)
class Dependency:
    """A function (``module:name``) or a workflow id that the node `node` names; `node` is a path for inner graphs."""

    node: str
    function: str | None = None
    workflow_id: str | None = None


def dependencies(graph: Graph, path: str = "") -> Iterator[Dependency]:
    """Everything that a graph and the graphs stored inside it name; what a named workflow needs is not followed.

    A name that a constant brings over an edge counts as one that stands in the node.
    """
    constants = _constants(graph)
    for node in graph.nodes:
        place = f"{path}{node.id}"
        if node.bypassed:
            continue
        properties = node.properties | constants.get(node.id, {})
        functions = [properties.get("function")] if node.type == FUNCTION_NODE else _tools(properties.get("tools"))
        for function in functions:
            if isinstance(function, str) and function.strip():
                yield Dependency(place, function=function.strip())
        if (workflow_id := named_workflow(node.type, properties)) is not None:
            yield Dependency(place, workflow_id=workflow_id)
        elif (inner := inner_graph(graph, node)) is not None:
            yield from dependencies(inner, f"{place}/")


def _tools(value: Value) -> list[str]:
    """The functions among the tools of an agent; the others are node types."""
    items: list[Value] = value if is_list(value) else []
    names: list[Value] = [item.get("name") if is_record(item) else item for item in items]
    return [name for name in names if is_text(name) and ":" in name]


def _constants(graph: Graph) -> dict[str, dict[str, Any]]:
    """The values that constants bring to nodes, by node and input."""
    values = {node.id: node.properties.get("value") for node in graph.nodes if node.type.startswith(_CONSTANTS)}
    brought: dict[str, dict[str, Any]] = {}
    for edge in graph.edges:
        if edge.source in values and not edge.control:
            brought.setdefault(edge.target, {})[edge.target_handle] = values[edge.source]
    return brought
