"""A workflow graph as it is stored: read leniently, kept losslessly (spec: nodes A1).

Both shapes in use are read: the kernel's (``data`` holds the values) and the editor's (``data.properties``,
``parentId``). What cannot be part of a run stays in `stored` and in the `entries` that validation looks at.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from greenrun.document.js import trim
from greenrun.document.values import is_record

CONTROL: Final = "control"
INPUT_PREFIX: Final = "nodetool.input."
PREVIEW: Final = "nodetool.workflows.base_node.Preview"
SET_VARIABLE: Final = "nodetool.variable.SetVariable"
_NOT_INPUTS: Final = frozenset({"nodetool.input.MessageDeconstructor"})


@dataclass(frozen=True, eq=False)
class Node:
    """One node. `id` and `type` are "" where the stored entry lacks them; `index` is its place in the stored list.

    `properties` are the saved values with the dynamic ones merged in (spec: nodes A1.4). `dynamic_properties` are the
    latter alone, `dynamic_inputs` and `dynamic_outputs` the declared slots as stored.
    """

    id: str
    type: str
    properties: dict[str, Any] = field(default_factory=dict)
    bypassed: bool = False
    dynamic_properties: dict[str, Any] = field(default_factory=dict)
    dynamic_inputs: dict[str, Any] = field(default_factory=dict)
    dynamic_outputs: dict[str, Any] = field(default_factory=dict)
    parent_id: str | None = None
    title: str | None = None
    label: str | None = None
    index: int = 0
    stored: Any = None

    @property
    def name(self) -> str:
        """The trimmed ``name`` property, else the id (spec: harness 0.3)."""
        value = self.properties.get("name")
        return (trim(value) if isinstance(value, str) else "") or self.id

    @property
    def is_output(self) -> bool:
        """True for the types of bindable outputs (spec: app-runtime 17.1)."""
        return ".output." in self.type or self.type == PREVIEW

    @property
    def is_input(self) -> bool:
        """True for the types of bindable inputs (spec: app-runtime 17.1)."""
        return self.type.startswith(INPUT_PREFIX) and self.type not in _NOT_INPUTS


@dataclass(frozen=True, eq=False)
class Edge:
    """One edge. Endpoints and handles are "" where the stored entry lacks them."""

    id: str
    source: str
    source_handle: str
    target: str
    target_handle: str
    control: bool = False
    index: int = 0
    stored: Any = None

    @property
    def complete(self) -> bool:
        """True when both endpoints and both handles are named."""
        return bool(self.source and self.source_handle and self.target and self.target_handle)


@dataclass(frozen=True, eq=False)
class Graph:
    """A read graph; never changed in place.

    `entries` and `edge_entries` are everything that is an object in the stored lists, faulty or not. `nodes` are those
    with an id and a type, the first of each id. `edges` are the complete edges between such nodes.
    """

    stored: Any
    entries: tuple[Node, ...] = ()
    edge_entries: tuple[Edge, ...] = ()

    @cached_property
    def by_id(self) -> dict[str, Node]:
        """The first node of each id, in stored order."""
        found: dict[str, Node] = {}
        for node in self.entries:
            if node.id and node.type:
                found.setdefault(node.id, node)
        return found

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(self.by_id.values())

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        known = self.by_id
        return tuple(
            edge for edge in self.edge_entries if edge.complete and edge.source in known and edge.target in known
        )

    @cached_property
    def incoming(self) -> dict[str, tuple[Edge, ...]]:
        """Edges, control edges included, by the id of the node that they enter."""
        return _group(self.edges, "target")

    @cached_property
    def outgoing(self) -> dict[str, tuple[Edge, ...]]:
        """Edges, control edges included, by the id of the node that they leave."""
        return _group(self.edges, "source")

    def node(self, node_id: str) -> Node | None:
        return self.by_id.get(node_id)

    def fed(self, node_id: str) -> frozenset[str]:
        """The handles of a node that a data edge feeds."""
        return frozenset(edge.target_handle for edge in self.incoming.get(node_id, ()) if not edge.control)

    @cached_property
    def inputs(self) -> tuple[Node, ...]:
        """The bindable inputs: not bypassed and without an incoming edge (spec: nodes A2.13)."""
        return tuple(
            node for node in self.nodes if node.is_input and not node.bypassed and not self.incoming.get(node.id)
        )

    @cached_property
    def outputs(self) -> tuple[Node, ...]:
        """The bindable outputs (spec: app-runtime 17.1)."""
        return tuple(node for node in self.nodes if node.is_output and not node.bypassed)

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """What was computed from this graph, kept as long as the graph is."""
        return {}


def _group(edges: tuple[Edge, ...], end: str) -> dict[str, tuple[Edge, ...]]:
    groups: dict[str, list[Edge]] = {}
    for edge in edges:
        groups.setdefault(getattr(edge, end), []).append(edge)
    return {key: tuple(group) for key, group in groups.items()}


def load_graph(value: Any) -> Graph:
    """Read a stored graph; anything malformed is left out of `nodes` and `edges`, never an error (spec: nodes A1.4)."""
    record = value if is_record(value) else {}
    nodes, edges = record.get("nodes"), record.get("edges")
    return Graph(
        stored=value,
        entries=tuple(
            _read_node(entry, index)
            for index, entry in enumerate(nodes if isinstance(nodes, list) else [])
            if is_record(entry)
        ),
        edge_entries=tuple(
            _read_edge(entry, index)
            for index, entry in enumerate(edges if isinstance(edges, list) else [])
            if is_record(entry)
        ),
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _record(*candidates: Any) -> dict[str, Any]:
    """The first candidate that is a record."""
    return next((candidate for candidate in candidates if is_record(candidate)), {})


def property_place(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys under which a stored node keeps its property values (spec: nodes A1.4)."""
    if "properties" in entry:
        return ("properties",)
    if is_record(entry.get("data")) and is_record(entry["data"].get("properties")):
        return ("data", "properties")
    return ("data",)


def slot_place(entry: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The keys under which a stored node keeps ``dynamic_properties``, ``dynamic_inputs`` or ``dynamic_outputs``."""
    data = entry.get("data")
    if not is_record(entry.get(name)) and is_record(data) and is_record(data.get(name)):
        return ("data", name)
    return (name,)


def stored_at(entry: Mapping[str, Any], place: tuple[str, ...]) -> dict[str, Any]:
    """The record at a place of a stored entry; {} where there is none."""
    value: Any = entry
    for key in place:
        value = value.get(key) if is_record(value) else None
    return value if is_record(value) else {}


def _read_node(entry: dict[str, Any], index: int) -> Node:
    data = _record(entry.get("data"))
    ui = _record(entry.get("ui_properties"))
    place = property_place(entry)
    dynamic = stored_at(entry, slot_place(entry, "dynamic_properties"))
    editor_shape = place == ("data", "properties")
    parent = entry.get("parent_id", entry.get("parentId"))
    titles = (ui.get("title"), data.get("title") if editor_shape else None)
    label = data.get("label")
    return Node(
        id=_text(entry.get("id")),
        type=_text(entry.get("type")),
        properties={**stored_at(entry, place), **dynamic},
        bypassed=ui.get("bypassed") is True or (editor_shape and data.get("bypassed") is True),
        dynamic_properties=dynamic,
        dynamic_inputs=stored_at(entry, slot_place(entry, "dynamic_inputs")),
        dynamic_outputs=stored_at(entry, slot_place(entry, "dynamic_outputs")),
        parent_id=parent if isinstance(parent, str) else None,
        title=next((title for title in titles if isinstance(title, str) and title), None),
        label=label if isinstance(label, str) and label else None,
        index=index,
        stored=entry,
    )


def _read_edge(entry: dict[str, Any], index: int) -> Edge:
    source, target = _text(entry.get("source")), _text(entry.get("target"))
    source_handle = _text(entry.get("sourceHandle")) or _text(entry.get("source_handle"))
    target_handle = _text(entry.get("targetHandle")) or _text(entry.get("target_handle"))
    kinds = (entry.get("edge_type"), entry.get("type"), _record(entry.get("data")).get("edge_type"))
    return Edge(
        id=_text(entry.get("id")) or f"{source}:{source_handle}->{target}:{target_handle}",
        source=source,
        source_handle=source_handle,
        target=target,
        target_handle=target_handle,
        control=CONTROL in kinds,
        index=index,
        stored=entry,
    )


def overlay_properties(graph: Graph, values: Mapping[str, Mapping[str, Any]]) -> Graph:
    """The graph with other property values, by node id and property name; unknown node ids are ignored.

    A value for a dynamic slot replaces the slot's value. The graph that came in is unchanged (spec: harness 3.6).
    """
    changes = {node_id: dict(patch) for node_id, patch in values.items() if node_id in graph.by_id and patch}
    if not changes:
        return graph
    stored = dict(graph.stored)
    stored["nodes"] = list(stored["nodes"])
    for node_id, patch in changes.items():
        node = graph.by_id[node_id]
        entry = copy.deepcopy(stored["nodes"][node.index])
        for name, value in patch.items():
            place = (
                slot_place(entry, "dynamic_properties") if name in node.dynamic_properties else property_place(entry)
            )
            put(entry, place, name, value)
        stored["nodes"][node.index] = entry
    return load_graph(stored)


def put(entry: dict[str, Any], place: tuple[str, ...], name: str, value: Any) -> None:
    """Set a member of the record at a place of a stored entry, making the records on the way."""
    record = entry
    for key in place:
        if not is_record(record.get(key)):
            record[key] = {}
        record = record[key]
    record[name] = value
