"""Graphs in few words."""

from __future__ import annotations

from typing import Any

from greenrun.workflows.graph import Graph, load_graph

TYPES = {
    "text": "nodetool.input.StringInput",
    "image": "nodetool.input.ImageInput",
    "out": "nodetool.output.Output",
    "each": "nodetool.control.ForEach",
    "upper": "nodetool.text.ToUppercase",
    "join": "nodetool.text.Join",
    "template": "nodetool.text.Template",
    "prompt": "nodetool.text.Prompt",
    "loop": "nodetool.control.Loop",
}


def node(node_id: str, kind: str, *, ui: dict[str, Any] | None = None, **parts: Any) -> dict[str, Any]:
    """A stored node; parts that begin with ``dynamic_`` stand beside its data, the others in it."""
    beside = {name: value for name, value in parts.items() if name.startswith("dynamic_")}
    data = {name: value for name, value in parts.items() if name not in beside}
    stored = {"id": node_id, "type": TYPES.get(kind, kind), "data": data, **beside}
    return stored | ({"ui_properties": ui} if ui is not None else {})


def edge(path: str, **parts: Any) -> dict[str, Any]:
    """``a.output -> b.text`` as a stored edge; its id is the path."""
    source, target = path.split(" -> ")
    (source_id, source_handle), (target_id, target_handle) = source.split("."), target.split(".")
    return {
        "id": path,
        "source": source_id,
        "sourceHandle": source_handle,
        "target": target_id,
        "targetHandle": target_handle,
        **parts,
    }


def stored(nodes: list[Any], edges: list[Any] | None = None) -> dict[str, Any]:
    return {"nodes": nodes, "edges": [edge(item) if isinstance(item, str) else item for item in edges or []]}


def graph(nodes: list[Any], edges: list[Any] | None = None) -> Graph:
    return load_graph(stored(nodes, edges))
