"""The pieces that seed apps are put together from: widgets, operations, nodes, steps."""

from __future__ import annotations

from typing import Any


def node(id_: str, type_: str, data: dict[str, Any], **slots: Any) -> dict[str, Any]:
    """A node of a graph; `slots` are values of its dynamic inputs."""
    return {"id": id_, "type": type_, "data": data, "dynamic_properties": slots}


def edge(source: str, handle: str, target: str, entry: str) -> dict[str, Any]:
    id_ = f"{source}-{handle}-{target}-{entry}"
    return {"id": id_, "source": source, "sourceHandle": handle, "target": target, "targetHandle": entry}


def edges(*texts: str) -> list[dict[str, Any]]:
    """Edges written as ``source.handle > target.handle``; a handle that is left out is the usual one."""
    found: list[dict[str, Any]] = []
    for text in texts:
        source, _, target = text.partition(" > ")
        out, _, handle = source.partition(".")
        into, _, entry = target.partition(".")
        found.append(edge(out, handle or "output", into, entry or "value"))
    return found


def outputs(*names: str) -> list[dict[str, Any]]:
    return [node(name, "nodetool.output.Output", {"name": name}) for name in names]


def widget(type_: str, id_: str, **props: Any) -> dict[str, Any]:
    return {"type": type_, "props": {"id": id_, **props}}


def run(operation: str, trigger: str = "click", **more: Any) -> dict[str, Any]:
    return {"trigger": trigger, "kind": "run", "operationId": operation, **more}


def button(operation: str, **props: Any) -> dict[str, Any]:
    """A button that runs the operation whose id it has."""
    return widget("Button", operation, label=operation.capitalize(), events=[run(operation)], **props)


def text_input(operation: str, name: str, id_: str | None = None) -> dict[str, Any]:
    return widget("TextInput", id_ or name, label=name.capitalize(), binding=f"op:{operation}/in:{name}")


def shown(operation: str, *names: str, type_: str = "Text") -> list[dict[str, Any]]:
    """A widget for each of these outputs, called like it."""
    return [widget(type_, name, binding=f"op:{operation}/out:{name}") for name in names]


def state(operation: str) -> list[dict[str, Any]]:
    """How far an operation has come, and what it failed with."""
    return [
        widget("Progress", f"{operation}-progress", binding=f"op:{operation}/exec#progress"),
        widget("Alert", f"{operation}-error", binding=f"op:{operation}/exec#error", severity="error"),
    ]


def operation(id_: str, inputs: dict[str, Any], outputs: dict[str, Any], function: str | None = None) -> dict[str, Any]:
    """An operation on the graph that has its id, or on a function."""
    stored: dict[str, Any] = {"id": id_, "name": id_.capitalize(), "inputs": inputs, "outputs": outputs}
    stored |= {"policy": "replace", "workflowId": f"function:{function}" if function is not None else id_}
    return stored if function is None else {**stored, "target": {"kind": "function", "function": function}}


def from_variable(id_: str) -> dict[str, Any]:
    return {"from": "variable", "variableId": id_}


def to_variable(id_: str) -> dict[str, Any]:
    return {"to": "variable", "variableId": id_}


def variable(id_: str, **more: Any) -> dict[str, Any]:
    kept = {"scope": "instance", "persist": False, "type": {"type": "str", "type_args": [], "optional": False}}
    return {"id": id_, "name": id_.capitalize(), **kept, **more}


def document(
    title: str,
    content: list[dict[str, Any]],
    operations: list[dict[str, Any]],
    variables: list[dict[str, Any]] | None = None,
    resources: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    return {
        "schemaVersion": 4,
        "ui": {"root": {"props": {"title": title}}, "content": content, "zones": {}},
        "operations": operations,
        "resources": resources or [],
        "variables": variables or [],
    }


def equals(widget_id: str, value: Any) -> dict[str, Any]:
    return {"expect": {"widget": widget_id, "check": "equals", "value": value}}


def expects(widget_id: str, check: str, **value: Any) -> dict[str, Any]:
    return {"expect": {"widget": widget_id, "check": check, **value}}
