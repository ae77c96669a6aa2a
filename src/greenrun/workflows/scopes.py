"""Which iterations the values on each edge belong to, found without running (spec: nodes A4.25-28).

A scope is a tuple of iteration roots, outermost first; a root is ``<node id>:<group>`` or ``<node id>:<handle>``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Final, TypeAlias

from greenrun.workflows.graph import Edge
from greenrun.workflows.node import OutputSpec
from greenrun.workflows.runnable import RunnableGraph, RunnableNode

Scope: TypeAlias = tuple[str, ...]

LOOP: Final = "nodetool.control.Loop"
FEEDBACK: Final = frozenset({"next", "condition"})
"""The handles of a Loop node through which its body feeds back (spec: nodes A5)."""

JOINERS: Final = frozenset({"nodetool.control.Zip", "nodetool.control.Cross"})
"""The types that bring differing scopes together."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A node whose inputs belong to iterations that do not nest; `roots` are the first two that differ."""

    node_id: str
    handles: tuple[str, str]
    roots: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Scopes:
    """`nodes`: the scope at which a node fires. `inputs` and `outputs`: by node id and handle; `edges`: by `Edge`."""

    nodes: dict[str, Scope]
    inputs: dict[tuple[str, str], Scope]
    outputs: dict[tuple[str, str], Scope]
    edges: dict[Edge, Scope]
    conflicts: tuple[Conflict, ...]


def is_feedback(edge: Edge, target: RunnableNode) -> bool:
    """True for an edge that closes a loop: it brings no scope of its own and may be part of a cycle."""
    return target.type == LOOP and edge.target_handle in FEEDBACK


def analyse_scopes(graph: RunnableGraph) -> Scopes:
    """The scopes of a runnable graph, computed once. Nodes on a cycle that no Loop closes, and those behind it, come last."""
    kept = graph.__dict__.get("scopes")
    if kept is None:
        kept = graph.__dict__["scopes"] = _analyse(graph)
    return kept


def _analyse(graph: RunnableGraph) -> Scopes:
    entering = {
        node.id: [edge for edge in graph.incoming[node.id] if not edge.control and not is_feedback(edge, node)]
        for node in graph.nodes
    }
    scopes = Scopes({}, {}, {}, {}, ())
    conflicts: list[Conflict] = []
    for node in _in_order(graph, entering):
        arriving: list[tuple[str, Scope]] = []
        for edge in entering[node.id]:
            scope = _leaving(graph.by_id[edge.source], edge.source_handle, scopes)
            scopes.edges[edge] = scope
            arriving.append((edge.target_handle, scope))
            scopes.inputs[node.id, edge.target_handle] = _longer(
                scopes.inputs.get((node.id, edge.target_handle), ()), scope
            )
        if node.type in JOINERS:
            scopes.nodes[node.id] = _common(scope for _, scope in arriving)
        else:
            scopes.nodes[node.id] = reduce(_longer, (scope for _, scope in arriving), ())
            conflicts += _conflict(node.id, arriving)
        for spec in node.node_type.outputs:
            _leaving(node, spec.name, scopes)
    for node in graph.nodes:
        for edge in graph.incoming[node.id]:
            if not edge.control and is_feedback(edge, node):
                scopes.edges[edge] = _leaving(graph.by_id[edge.source], edge.source_handle, scopes)
                scopes.inputs[node.id, edge.target_handle] = scopes.edges[edge]
    return Scopes(scopes.nodes, scopes.inputs, scopes.outputs, scopes.edges, tuple(conflicts))


def _in_order(graph: RunnableGraph, entering: dict[str, list[Edge]]) -> list[RunnableNode]:
    """The nodes, each behind all that feed it; nodes on a cycle come last in stored order."""
    waiting = {node_id: len(edges) for node_id, edges in entering.items()}
    targets: dict[str, list[str]] = {}
    for edges in entering.values():
        for edge in edges:
            targets.setdefault(edge.source, []).append(edge.target)
    ready = [node.id for node in graph.nodes if waiting[node.id] == 0]
    for node_id in ready:
        for target in targets.get(node_id, ()):
            waiting[target] -= 1
            if waiting[target] == 0:
                ready.append(target)
    placed = set(ready)
    return [graph.by_id[node_id] for node_id in ready] + [node for node in graph.nodes if node.id not in placed]


def _leaving(node: RunnableNode, handle: str, scopes: Scopes) -> Scope:
    key = (node.id, handle)
    if key not in scopes.outputs:
        own = scopes.nodes.get(node.id, ())
        spec = node.node_type.output(handle)
        scopes.outputs[key] = own if spec is None else _output_scope(node, spec, own, scopes)
    return scopes.outputs[key]


def _output_scope(node: RunnableNode, spec: OutputSpec, own: Scope, scopes: Scopes) -> Scope:
    streams = node.node_type.input_mode == "stream" and node.type != LOOP and node.type not in JOINERS
    parent = own[:-1] if streams else own
    if spec.kind == "iteration":
        return (*parent, f"{node.id}:{spec.group or spec.name}")
    if spec.kind == "aggregate":
        return parent
    if spec.kind == "forward" and spec.source is not None:
        return scopes.inputs.get((node.id, spec.source), own)
    return own


def _longer(left: Scope, right: Scope) -> Scope:
    return right if len(right) > len(left) else left


def _common(scopes: Iterable[Scope]) -> Scope:
    """The parent of what a joiner pairs: what all scopes start with; of equal scopes, all but their innermost root."""
    arriving = [scope for scope in scopes if scope]
    if not arriving:
        return ()
    shared: list[str] = []
    for roots in zip(*arriving, strict=False):
        if len(set(roots)) > 1:
            break
        shared.append(roots[0])
    return tuple(shared[:-1] if all(len(scope) == len(shared) for scope in arriving) else shared)


def _conflict(node_id: str, arriving: list[tuple[str, Scope]]) -> list[Conflict]:
    """The first pair of inputs whose scopes are not prefix-comparable (spec: nodes A4.27)."""
    longest: tuple[str, Scope] = ("", ())
    for handle, scope in arriving:
        for left, right in zip(longest[1], scope, strict=False):
            if left != right:
                return [Conflict(node_id, (longest[0], handle), (left, right))]
        if len(scope) > len(longest[1]):
            longest = (handle, scope)
    return []
