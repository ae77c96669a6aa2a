"""The bindable surface of a graph: what an app can fill, show and read (spec: harness 0.3, app-runtime 17.1)."""

from __future__ import annotations

from typing import Any, Final

from greenrun.document.js import trim
from greenrun.document.readers import is_missing_required_media
from greenrun.document.surface import Port, Surface
from greenrun.document.values import ABSENT, Value, is_integer, is_number, is_record
from greenrun.workflows.graph import SET_VARIABLE, Graph, Node
from greenrun.workflows.nesting import inner_graph
from greenrun.workflows.registry import EDITOR_ONLY, Registry
from greenrun.workflows.type_meta import TypeMeta, as_type, make_type

_VALUE: Final = "value"
_MULTILINE: Final = ("multi_line", "multiline")


def extract_surface(graph: Graph, registry: Registry) -> Surface:
    """The surface of a graph; computed once per graph and registry content."""
    key = ("surface", id(registry), registry.revision)
    kept = graph.memo.get(key)
    if kept is None:
        kept = graph.memo[key] = (registry, _extract(graph, registry))
    return kept[1]


def _extract(graph: Graph, registry: Registry) -> Surface:
    return Surface(
        inputs=tuple(_input_port(node, registry) for node in graph.inputs),
        outputs=tuple(_output_port(node, graph, registry) for node in graph.outputs),
        node_ids=tuple(node.id for node in graph.nodes),
        channels=tuple(sorted(_channels(graph))),
        properties={node.id: _property_names(node, registry) for node in graph.nodes},
        fed={node.id: graph.fed(node.id) for node in graph.nodes},
    )


def _channels(graph: Graph) -> set[str]:
    names = (node.properties.get("name") for node in graph.nodes if node.type == SET_VARIABLE)
    return {trim(name) for name in names if isinstance(name, str) and trim(name)}


def _property_names(node: Node, registry: Registry) -> frozenset[str] | None:
    found = registry.get(node.type)
    if found is None or found.dynamic_inputs or node.type in EDITOR_ONLY:
        return None
    return frozenset(found.property_table)


def _input_port(node: Node, registry: Registry) -> Port:
    found = registry.get(node.type)
    spec = found.property(_VALUE) if found is not None else None
    default: Value = node.properties.get(_VALUE, ABSENT)
    options = _setting(node, registry, "options")
    length = _setting(node, registry, "max_length")
    description = node.properties.get("description")
    return Port(
        node_id=node.id,
        node_type=node.type,
        name=node.name,
        label=node.label or node.name,
        default=default,
        type=spec.type if spec is not None else make_type("any"),
        required=is_missing_required_media(node.type, default)
        or (spec is not None and spec.required and default in (ABSENT, None, "")),
        options=tuple(options) if isinstance(options, list) and options else None,
        minimum=_number(_setting(node, registry, "min")),
        maximum=_number(_setting(node, registry, "max")),
        max_length=int(length) if is_integer(length) and length > 0 else None,
        multiline=node.properties.get("line_mode") in _MULTILINE,
        description=description if isinstance(description, str) else "",
    )


def _setting(node: Node, registry: Registry, name: str) -> Any:
    """A saved property, else what the type has for it."""
    if name in node.properties:
        return node.properties[name]
    found = registry.get(node.type)
    spec = found.property(name) if found is not None else None
    return None if spec is None or spec.default is ABSENT else spec.default


def _number(value: Any) -> float | None:
    return value if is_number(value) else None


def _output_port(node: Node, graph: Graph, registry: Registry) -> Port:
    description = node.properties.get("description")
    return Port(
        node_id=node.id,
        node_type=node.type,
        name=node.name,
        label=node.label or node.name,
        default=node.properties.get(_VALUE, ABSENT),
        type=_arriving_type(node, graph, registry),
        description=description if isinstance(description, str) else "",
    )


def _arriving_type(node: Node, graph: Graph, registry: Registry) -> TypeMeta:
    """The type of what an output receives, looked up at its source; a node that only forwards is looked through."""
    handle, passed = _VALUE, {node.id}
    while True:
        edge = next(
            (item for item in graph.incoming.get(node.id, ()) if not item.control and item.target_handle == handle),
            None,
        )
        source = graph.node(edge.source) if edge is not None else None
        if edge is None or source is None or source.id in passed:
            return make_type("any")
        passed.add(source.id)
        found = registry.get(source.type)
        spec = found.output(edge.source_handle) if found is not None else None
        if spec is None:
            return _dynamic_type(source, edge.source_handle, graph, registry) or make_type("any")
        if spec.kind != "forward" or spec.source is None or spec.type["type"] != "any":
            return spec.type
        node, handle = source, spec.source


def _dynamic_type(node: Node, handle: str, graph: Graph, registry: Registry) -> TypeMeta | None:
    """The type of a dynamic output: as the node declares it, else as the graph has it that the node stands for."""
    declared = node.dynamic_outputs.get(handle)
    found = as_type(declared if is_record(declared) or isinstance(declared, str) else None)
    inner = inner_graph(graph, node) if found is None else None
    if inner is None:
        return found
    ports = extract_surface(inner, registry).outputs
    return next((port.type for port in ports if port.name == handle), None)
