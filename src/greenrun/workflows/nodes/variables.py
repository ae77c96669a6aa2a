"""Named channels beside the edges (spec: nodes A7, B2)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, ClassVar

from greenrun.document.js import trim
from greenrun.workflows.node import Node, NodeContext, NodeError, OutputSpec
from greenrun.workflows.ports import Anything, RequiredText


def _channel(name: str) -> str:
    channel = trim(name)
    if not channel:
        raise NodeError("the name of the variable is empty; give it one")
    return channel


class SetVariable(Node):
    """Writes a value to a named channel and hands it on."""

    node_type: ClassVar[str] = "nodetool.variable.SetVariable"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "any", "forward", source="value"),)

    name: RequiredText = ""
    value: Anything = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        context.set_variable(_channel(self.name), self.value)
        return {"output": self.value}


class GetVariable(Node):
    """Sends every value of a named channel; nothing for a name that nobody writes."""

    node_type: ClassVar[str] = "nodetool.variable.GetVariable"

    name: RequiredText = ""
    trigger: Anything = None

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        async for value in context.get_variable(_channel(self.name)):
            yield {"output": value}


NODES: tuple[type[Node], ...] = (SetVariable, GetVariable)
