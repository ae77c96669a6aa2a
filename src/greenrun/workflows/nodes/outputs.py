"""Where values leave a run: Output and Preview (spec: nodes B1)."""

from __future__ import annotations

from typing import Any, ClassVar

from greenrun.document.values import is_record
from greenrun.workflows.node import Node, NodeContext, OutputSpec
from greenrun.workflows.ports import Anything, Text
from greenrun.workflows.type_meta import refers_to_media

_STORED = ("image", "audio", "video")


class Output(Node):
    """Sends every value that arrives to the app, under the output's name; without an edge or a stored value, nothing."""

    node_type: ClassVar[str] = "nodetool.output.Output"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "any", "forward", source="value"),)

    name: Text = ""
    value: Anything = None
    description: Text = ""

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return await _shown(self, context)


class Preview(Node):
    """Shows a value beside the node in an editor; a sink like Output."""

    node_type: ClassVar[str] = "nodetool.workflows.base_node.Preview"
    outputs: ClassVar[tuple[OutputSpec, ...]] = Output.outputs

    value: Anything = None
    name: Text = ""

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return await _shown(self, context)


async def _shown(node: Output | Preview, context: NodeContext) -> dict[str, Any]:
    """What reaches the app: nothing when `value` is neither fed nor stored."""
    if "value" not in node.model_fields_set:
        return {}
    if is_record(node.value) and node.value.get("type") == "chunk":
        return _chunk_content(node.value)
    return {"output": await _normalised(node.value, context)}


def _chunk_content(chunk: dict[str, Any]) -> dict[str, Any]:
    """What of a streamed chunk is part of the answer: not what the model thought, not the empty end mark."""
    content = chunk.get("content")
    if chunk.get("thinking") is True or content in (None, ""):
        return {}
    return {"output": content if chunk.get("content_type", "text") == "text" else chunk}


async def _normalised(value: Any, context: NodeContext) -> Any:
    if isinstance(value, list):
        return [await _normalised(item, context) for item in value]
    if is_record(value) and value.get("type") in _STORED and not value.get("asset_id") and refers_to_media(value):
        return await context.store_asset(value)
    return value


NODES: tuple[type[Node], ...] = (Output, Preview)
