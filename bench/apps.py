"""Apps of any size, for measuring."""

from __future__ import annotations

from typing import Any

OPERATIONS = 3
"""Operations of every measured app; each has its own graph."""


def graph(index: int) -> dict[str, Any]:
    """A graph of one text input, one text node and one output."""
    return {
        "nodes": [
            {"id": "text_in", "type": "nodetool.input.StringInput", "data": {"name": f"text{index}", "value": "hello"}},
            {"id": "join", "type": "nodetool.text.Concat", "data": {}, "dynamic_properties": {"b": " world"}},
            {"id": "text_out", "type": "nodetool.output.Output", "data": {"name": f"result{index}"}},
        ],
        "edges": [
            {"id": "e1", "source": "text_in", "sourceHandle": "output", "target": "join", "targetHandle": "a"},
            {"id": "e2", "source": "join", "sourceHandle": "output", "target": "text_out", "targetHandle": "value"},
        ],
    }


def bundle(components: int, operations: int = OPERATIONS) -> dict[str, Any]:
    """A clean app of about that many components: groups of input, button, progress, alert and result in panels."""
    content: list[dict[str, Any]] = []
    count = 0
    group = 0
    while count < components:
        operation = f"op{group % operations}"
        children = [
            _component("TextInput", group, binding=f"op:{operation}/in:text_in", label=f"Text {group}"),
            _component(
                "Button",
                group,
                label=f"Run {group}",
                events=[{"trigger": "click", "kind": "run", "operationId": operation}],
                disabledWhen={"binding": f"op:{operation}/exec#running", "op": "notEmpty"},
            ),
            _component("Progress", group, binding=f"op:{operation}/exec#progress"),
            _component("Markdown", group, binding=f"op:{operation}/out:text_out"),
        ][: max(1, components - count - 1)]
        content.append(_component("Container", group, title=f"Group {group}", content=children))
        count += len(children) + 1
        group += 1
    return {
        "schemaVersion": 1,
        "name": f"{components} components",
        "app": {
            "schemaVersion": 4,
            "ui": {"root": {"props": {"title": "Measured"}}, "content": content, "zones": {}},
            "operations": [
                {
                    "id": f"op{index}",
                    "name": f"Op {index}",
                    "workflowId": f"wf{index}",
                    "inputs": {},
                    "outputs": {},
                    "policy": "replace",
                }
                for index in range(operations)
            ],
            "resources": [],
            "variables": [],
        },
        "workflows": [
            {"key": f"wf{index}", "name": f"wf{index}", "graph": graph(index)} for index in range(operations)
        ],
    }


def _component(type_: str, group: int, **props: Any) -> dict[str, Any]:
    return {"type": type_, "props": {"id": f"{type_}-{group}", **props}}
