"""What of a stored graph takes part in a run (spec: nodes A1.4-8).

Bypassed nodes are cut out and their consumers re-attached, unknown and editor-only nodes and broken edges are left out,
and the saved value of every fed handle is dropped. The stored graph stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal

from greenrun.document.values import ABSENT, Value
from greenrun.workflows.graph import Edge, Graph, Node
from greenrun.workflows.node import Node as NodeModel
from greenrun.workflows.registry import EDITOR_ONLY, NodeType, Registry
from greenrun.workflows.type_meta import TypeMeta, agree, as_type, canonical, is_list_type

OLD_TYPES: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "nodetool.text.FormatText": ("nodetool.text.Prompt", {"template": "prompt"}),
}
"""Types that run as another one: the new type, and what is called otherwise there (spec: nodes A1.7)."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """Something stored that takes no part in the run, and why. `id` is "" for an entry without one."""

    kind: Literal["node", "edge"]
    id: str
    reason: str


@dataclass(frozen=True, eq=False)
class RunnableNode:
    """A node of a run: `properties` are the saved values of handles that no edge feeds, dynamic ones included."""

    node: Node
    node_type: NodeType
    properties: dict[str, Any]

    @property
    def id(self) -> str:
        return self.node.id

    @property
    def type(self) -> str:
        return self.node_type.type

    @cached_property
    def name(self) -> str:
        """The trimmed ``name`` property, else the id; what params and results are keyed by."""
        return self.node.name

    @property
    def title(self) -> str:
        """What messages call the node."""
        return self.node.title or self.node_type.title

    @property
    def is_input(self) -> bool:
        return self.node.is_input

    @cached_property
    def declared_outputs(self) -> dict[str, TypeMeta | None]:
        """The dynamic outputs that the graph declares, with their types."""
        return {name: as_type(value) for name, value in self.node.dynamic_outputs.items()}

    def input_type(self, handle: str) -> TypeMeta | None:
        """The type of an input handle; None when nothing declares one."""
        spec = self.node_type.property(handle)
        return spec.type if spec is not None else as_type(self.node.dynamic_inputs.get(handle))

    def output_type(self, handle: str) -> TypeMeta | None:
        """The type of an output handle; None when nothing declares one."""
        spec = self.node_type.output(handle)
        return spec.type if spec is not None else self.declared_outputs.get(handle)

    def stored_value(self) -> Value:
        """The saved ``value`` of an input; `ABSENT` without one, and null and an empty reference are none (B1)."""
        value = self.properties.get("value", ABSENT)
        return ABSENT if value is None or value == {} else value

    def collects(self, handle: str) -> bool:
        """True for a handle whose several edges are gathered into one list (spec: nodes A3.22)."""
        return is_list_type(self.input_type(handle))

    def create(self, record: Mapping[str, Any]) -> NodeModel:
        """The node for one firing: saved values, then the record of the firing (spec: nodes A3.20).

        Dynamic inputs stand in the order in which the graph declares them, whether saved or fed by an edge.

        Raises:
            NodeError: A value does not fit its property.
        """
        values = {**self.properties, **record}
        if not self.node_type.dynamic_inputs:
            return self.node_type.create(values, self.node.dynamic_outputs)
        declared = (*self.node.dynamic_properties, *self.node.dynamic_inputs)
        ordered = {name: values[name] for name in declared if name in values}
        return self.node_type.create({**ordered, **values}, self.node.dynamic_outputs)


@dataclass(frozen=True, eq=False)
class RunnableGraph:
    """The part of a graph that runs.

    `unavailable` are the nodes whose type exists but cannot run here, each with the reason.
    """

    graph: Graph
    nodes: tuple[RunnableNode, ...]
    edges: tuple[Edge, ...]
    dropped: tuple[Dropped, ...] = ()
    unavailable: tuple[tuple[Node, str], ...] = ()

    @cached_property
    def by_id(self) -> dict[str, RunnableNode]:
        return {node.id: node for node in self.nodes}

    @cached_property
    def incoming(self) -> dict[str, tuple[Edge, ...]]:
        """Edges, control edges included, by target; every node has an entry."""
        return self._by_end("target")

    @cached_property
    def outgoing(self) -> dict[str, tuple[Edge, ...]]:
        """Edges, control edges included, by source; every node has an entry."""
        return self._by_end("source")

    def _by_end(self, end: Literal["source", "target"]) -> dict[str, tuple[Edge, ...]]:
        groups: dict[str, list[Edge]] = {node.id: [] for node in self.nodes}
        for edge in self.edges:
            groups[getattr(edge, end)].append(edge)
        return {node_id: tuple(group) for node_id, group in groups.items()}


def prepare(graph: Graph, registry: Registry) -> RunnableGraph:
    """The runnable part of a graph; computed once per graph and registry content."""
    key = ("runnable", id(registry), registry.revision)
    # The registry is kept beside the result, so that its id stays its own.
    kept = graph.memo.get(key)
    if kept is None:
        kept = graph.memo[key] = (registry, _prepare(graph, registry))
    return kept[1]


def _prepare(graph: Graph, registry: Registry) -> RunnableGraph:
    dropped = [
        Dropped("node", node.id, _why_no_node(node, graph)) for node in graph.entries if node is not _kept(node, graph)
    ]
    reached = set(graph.edges)
    dropped += [Dropped("edge", edge.id, _why_no_edge(edge)) for edge in graph.edge_entries if edge not in reached]
    edges, cut = _rewire(graph, registry)
    dropped += cut

    nodes: dict[str, tuple[Node, NodeType]] = {}
    unavailable: list[tuple[Node, str]] = []
    for node in graph.nodes:
        if node.bypassed:
            dropped.append(Dropped("node", node.id, "bypassed"))
            continue
        if node.type in EDITOR_ONLY:
            continue
        renamed = OLD_TYPES.get(node.type, (node.type, {}))[0]
        found = registry.get(renamed)
        reason = registry.unavailable(renamed)
        if reason is not None:
            unavailable.append((node, reason))
        if found is None or reason is not None:
            dropped.append(Dropped("node", node.id, f'type "{node.type}" is {reason or "unknown"}'))
        else:
            nodes[node.id] = (node, found)

    kept_edges: list[Edge] = []
    for edge in edges:
        if edge.source in nodes and edge.target in nodes:
            kept_edges.append(_renamed(edge, nodes[edge.target][0].type))
        else:
            dropped.append(Dropped("edge", edge.id, "an endpoint takes no part in the run"))
    fed: dict[str, set[str]] = {}
    for edge in kept_edges:
        if not edge.control:
            fed.setdefault(edge.target, set()).add(edge.target_handle)
    runnable = tuple(RunnableNode(node, found, _saved(node, fed.get(node.id, set()))) for node, found in nodes.values())
    return RunnableGraph(graph, runnable, tuple(kept_edges), tuple(dropped), tuple(unavailable))


def _kept(node: Node, graph: Graph) -> Node | None:
    return graph.by_id.get(node.id) if node.id and node.type else None


def _why_no_node(node: Node, graph: Graph) -> str:
    if not node.id:
        return "it has no id"
    return "its id is taken" if node.type and node.id in graph.by_id else "it has no type"


def _why_no_edge(edge: Edge) -> str:
    return "an endpoint does not exist" if edge.complete else "an endpoint or handle is not named"


def _renamed(edge: Edge, target_type: str) -> Edge:
    names = OLD_TYPES.get(target_type, ("", {}))[1]
    handle = names.get(edge.target_handle)
    return edge if handle is None or edge.control else replace(edge, target_handle=handle)


def _saved(node: Node, fed: set[str]) -> dict[str, Any]:
    names = OLD_TYPES.get(node.type, ("", {}))[1]
    values = {names.get(name, name): value for name, value in node.properties.items()}
    return {name: value for name, value in values.items() if name not in fed}


def _rewire(graph: Graph, registry: Registry) -> tuple[list[Edge], list[Dropped]]:
    """The edges with bypassed nodes cut out: each consumer hangs on the source of a compatible input, or on nothing."""
    bypassed = {node.id: node for node in graph.nodes if node.bypassed}
    if not bypassed:
        return list(graph.edges), []
    edges: list[Edge] = []
    dropped: list[Dropped] = []
    for edge in graph.edges:
        if edge.target in bypassed:
            continue
        if edge.source not in bypassed:
            edges.append(edge)
            continue
        origin = None if edge.control else _origin(edge, graph, registry, bypassed)
        if origin is None:
            dropped.append(Dropped("edge", edge.id, "it left a bypassed node, and nothing compatible enters that node"))
        else:
            edges.append(replace(edge, source=origin[0], source_handle=origin[1]))
    return edges, dropped


def _origin(edge: Edge, graph: Graph, registry: Registry, bypassed: Mapping[str, Node]) -> tuple[str, str] | None:
    """Where a consumer of a bypassed node gets its values from instead: node id and handle."""
    source, handle = edge.source, edge.source_handle
    passed: set[str] = set()
    while source in bypassed:
        if source in passed:
            return None
        passed.add(source)
        entry = _compatible(bypassed[source], handle, graph, registry)
        if entry is None:
            return None
        source, handle = entry.source, entry.source_handle
    return source, handle


def _compatible(node: Node, handle: str, graph: Graph, registry: Registry) -> Edge | None:
    """The edge into a bypassed node whose input type suits the output `handle`; one of the very same type first."""
    found = registry.get(node.type)
    spec = found.output(handle) if found is not None else None
    wanted = spec.type if spec is not None else as_type(node.dynamic_outputs.get(handle))
    best: Edge | None = None
    for edge in graph.incoming.get(node.id, ()):
        if edge.control:
            continue
        port = found.property(edge.target_handle) if found is not None else None
        given = port.type if port is not None else as_type(node.dynamic_inputs.get(edge.target_handle))
        if wanted is not None and given is not None and canonical(wanted)["type"] == canonical(given)["type"]:
            return edge
        if best is None and _could_replace(given, wanted):
            best = edge
    return best


def _could_replace(given: TypeMeta | None, wanted: TypeMeta | None) -> bool:
    if not agree(given, wanted):
        return False
    # A list where one item is wanted, or the other way round, agrees only because such types are open.
    return is_list_type(given) == is_list_type(wanted) or given is None or wanted is None or _is_any(given, wanted)


def _is_any(*types: TypeMeta) -> bool:
    return any(canonical(item)["type"] == "any" for item in types)
