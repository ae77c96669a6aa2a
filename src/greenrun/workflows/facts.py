"""What the rules of graph validation share: every lookup is made once per graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from greenrun.document.js import trim
from greenrun.document.surface import Port, Surface
from greenrun.document.values import ABSENT, Value, is_record
from greenrun.workflows.graph import Edge, Graph, Node, load_graph
from greenrun.workflows.nesting import NESTING, inner_graph, named_workflow
from greenrun.workflows.registry import EDITOR_ONLY, NodeType, Registry
from greenrun.workflows.surface import extract_surface
from greenrun.workflows.type_meta import TypeMeta, as_type


@dataclass(frozen=True, eq=False)
class GraphFacts:
    """A graph under a registry. `providers` is empty when nobody knows which there are.

    `workflows` are the stored graphs that nodes may name, by id, None when nobody knows; `above` are the workflows around the
    graph, and its own.
    """

    graph: Graph
    registry: Registry
    providers: tuple[str, ...] = ()
    workflows: Mapping[str, Any] | None = None
    above: tuple[str, ...] = ()

    @cached_property
    def nodes(self) -> dict[str, Node]:
        """The first node of each id, those without a type included."""
        found: dict[str, Node] = {}
        for node in self.graph.entries:
            if node.id:
                found.setdefault(node.id, node)
        return found

    @cached_property
    def types(self) -> dict[str, NodeType]:
        """The registered type of each node that has one."""
        known = ((node.id, self.registry.get(node.type)) for node in self.nodes.values() if node.type)
        return {node_id: found for node_id, found in known if found is not None}

    @cached_property
    def working(self) -> tuple[Node, ...]:
        """The nodes whose values matter to a run: neither bypassed nor only part of the picture."""
        return tuple(node for node in self.nodes.values() if not node.bypassed and node.type not in EDITOR_ONLY)

    @cached_property
    def inner(self) -> dict[str, Graph]:
        """The graphs that nodes stand for and that are known, by node id."""
        found: dict[str, Graph] = {}
        for node in self.working:
            if node.type not in NESTING:
                continue
            graph = inner_graph(self.graph, node)
            named = named_workflow(node.type, node.properties)
            if (
                graph is None
                and named is not None
                and self.workflows is not None
                and not self.is_fed(node, "workflow_id")
            ):
                stored = self.workflows.get(named)
                graph = load_graph(stored) if stored is not None else None
            if graph is not None:
                found[node.id] = graph
        return found

    @cached_property
    def surfaces(self) -> dict[str, Surface]:
        """What the graphs of `inner` take and give, by node id."""
        return {node_id: extract_surface(graph, self.registry) for node_id, graph in self.inner.items()}

    @cached_property
    def connected(self) -> tuple[Edge, ...]:
        """The edges of which both endpoints exist; handles may be missing."""
        known = self.nodes
        return tuple(edge for edge in self.graph.edge_entries if edge.source in known and edge.target in known)

    @cached_property
    def data_edges(self) -> tuple[Edge, ...]:
        """The connected edges that carry data between named handles."""
        return tuple(edge for edge in self.connected if not edge.control and edge.source_handle and edge.target_handle)

    @cached_property
    def fed(self) -> dict[str, frozenset[str]]:
        """The handles of each node that a data edge feeds."""
        groups: dict[str, set[str]] = {}
        for edge in self.data_edges:
            groups.setdefault(edge.target, set()).add(edge.target_handle)
        return {node_id: frozenset(handles) for node_id, handles in groups.items()}

    def is_fed(self, node: Node, handle: str) -> bool:
        return handle in self.fed.get(node.id, frozenset())

    def input_type(self, node_id: str, handle: str) -> TypeMeta | None:
        """The declared type of an input handle, None without one."""
        found = self.types.get(node_id)
        spec = found.property(handle) if found is not None else None
        if spec is not None:
            return spec.type
        return as_type(self.nodes[node_id].dynamic_inputs.get(handle)) or self._port_type(node_id, "inputs", handle)

    def output_type(self, node_id: str, handle: str) -> TypeMeta | None:
        """The declared type of an output handle, None without one."""
        found = self.types.get(node_id)
        spec = found.output(handle) if found is not None else None
        if spec is not None:
            return spec.type
        return as_type(self.nodes[node_id].dynamic_outputs.get(handle)) or self._port_type(node_id, "outputs", handle)

    def _port_type(self, node_id: str, side: Literal["inputs", "outputs"], handle: str) -> TypeMeta | None:
        surface = self.surfaces.get(node_id)
        ports: tuple[Port, ...] = getattr(surface, side) if surface is not None else ()
        return next((as_type(port.type) for port in ports if port.name == handle), None)


def is_reserved(handle: str) -> bool:
    """True for ``__control__`` and the like, which no rule looks at."""
    return len(handle) > 4 and handle.startswith("__") and handle.endswith("__")


def is_empty(value: Value) -> bool:
    """True for what counts as not given: nothing, null, blank text, an empty list or record."""
    if isinstance(value, str):
        return not trim(value)
    return value is ABSENT or value is None or value in ([], {})


def dynamic_values(node: Node) -> Iterator[tuple[str, Any, TypeMeta]]:
    """The values of the dynamic slots that declare a type: slot, value, type."""
    for slot, value in node.dynamic_properties.items():
        declared = as_type(node.dynamic_inputs.get(slot))
        if declared is not None and value is not None:
            yield slot, value, declared


def declaration(node: Node, slot: str) -> dict[str, Any]:
    """The stored declaration of a dynamic input; {} where it is no record."""
    stored = node.dynamic_inputs.get(slot)
    return stored if is_record(stored) else {}
