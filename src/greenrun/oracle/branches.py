"""Which nodes a run could not reach because a branch was not taken (spec: harness 4, step 6b)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from greenrun.document.values import is_record
from greenrun.workflows.graph import Graph

BRANCHES: Mapping[str, tuple[str, str]] = {
    "nodetool.control.If": ("if_true", "if_false"),
    "nodetool.control.Switch": ("matched", "default"),
}


def untaken_branch(graph: Graph, node_id: str, messages: Iterable[Mapping[str, Any]]) -> str | None:
    """The branching node whose untaken output is the only way to `node_id`, or None.

    A node that some path reaches without that output is not behind the branch.
    """
    untaken = _untaken_handles(graph, messages)
    if not untaken or node_id in _reachable(graph, untaken):
        return None
    for branch, handle in untaken:
        others = [pair for pair in untaken if pair != (branch, handle)]
        if node_id in _reachable(graph, others):
            return branch
    return untaken[0][0]


def _untaken_handles(graph: Graph, messages: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """(branching node, handle) for every handle that never carried a value in this run."""
    carried: dict[str, set[str]] = {}
    for message in messages:
        outputs = message.get("outputs")
        if message.get("type") == "generation_complete" and is_record(outputs):
            taken = {handle for handle, value in outputs.items() if value is not None}
            carried.setdefault(str(message.get("node_id")), set()).update(taken)
    return [
        (node.id, handle)
        for node in graph.nodes
        for handle in BRANCHES.get(node.type, ())
        if node.id in carried and carried[node.id] and handle not in carried[node.id]
    ]


def _reachable(graph: Graph, without: list[tuple[str, str]]) -> set[str]:
    """Every node that a source reaches when those outputs carry nothing. Sources are the nodes that no edge enters."""
    closed = set(without)
    pending = [node.id for node in graph.nodes if not graph.incoming.get(node.id)]
    seen = set(pending)
    while pending:
        for edge in graph.outgoing.get(pending.pop(), ()):
            if (edge.source, edge.source_handle) not in closed and edge.target not in seen:
                seen.add(edge.target)
                pending.append(edge.target)
    return seen
