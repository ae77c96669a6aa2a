"""Nodes that stand for a whole graph: Subgraph carries one, Workflow carries one or names one (spec: nodes A1.9, B2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from greenrun.document.values import is_record
from greenrun.workflows.graph import Graph, Node, load_graph

SUBGRAPH: Final = "nodetool.workflows.subgraph.Subgraph"
WORKFLOW: Final = "nodetool.workflows.workflow_node.Workflow"
NESTING: Final = frozenset({SUBGRAPH, WORKFLOW})

MAX_DEPTH: Final = 16
"""How many graphs may lie inside each other."""


def carried_graph(node_type: str, properties: Mapping[str, Any]) -> Any | None:
    """The stored graph that a node carries itself, perhaps one without nodes; None when it carries none."""
    if node_type == SUBGRAPH:
        stored = properties.get("graph")
    else:
        carried = properties.get("workflow_json")
        stored = carried.get("graph") if is_record(carried) else None
    return stored if is_record(stored) else None


def named_workflow(node_type: str, properties: Mapping[str, Any]) -> str | None:
    """The workflow that a node names and that is run because the node carries no graph with nodes."""
    carried = carried_graph(node_type, properties)
    workflow_id = properties.get("workflow_id")
    if node_type != WORKFLOW or (carried is not None and carried.get("nodes")):
        return None
    return workflow_id if isinstance(workflow_id, str) and workflow_id else None


def inner_graph(graph: Graph, node: Node) -> Graph | None:
    """The graph that a node of `graph` carries, read once; None when it carries none, or names one, or an edge brings it."""
    if node.type not in NESTING or named_workflow(node.type, node.properties) is not None:
        return None
    stored = carried_graph(node.type, node.properties)
    if stored is None or graph.fed(node.id) & {"graph", "workflow_json", "workflow_id"}:
        return None
    key = ("inner", node.id)
    kept = graph.memo.get(key)
    if kept is None:
        kept = graph.memo[key] = load_graph(stored)
    return kept


def too_deep(name: str) -> str:
    return f"{name} would be the {MAX_DEPTH + 1}th graph inside another; at most {MAX_DEPTH} may be nested"


def within_itself(chain: tuple[str, ...]) -> str:
    """What is wrong with a workflow that is part of itself; `chain` ends with the id that comes again."""
    path = " > ".join(f'"{workflow_id}"' for workflow_id in chain[chain.index(chain[-1]) :])
    return f"the workflow contains itself ({path}), so it would never end; take it out of one of them"


def nesting_depth(graph: Graph) -> int:
    """How many graphs that nodes carry lie inside each other, this one counted; more than `MAX_DEPTH` + 1 are not counted."""
    depth = 0
    level = [graph]
    while level and depth <= MAX_DEPTH:
        depth += 1
        found = ((outer, node) for outer in level for node in outer.nodes if not node.bypassed)
        level = [inner for outer, node in found if (inner := inner_graph(outer, node)) is not None]
    return depth
