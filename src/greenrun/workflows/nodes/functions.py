"""A function of the workspace as a node."""

from __future__ import annotations

from typing import Any, ClassVar

from greenrun.workflows.node import Effects, Node, NodeContext, NodeError, OutputSpec
from greenrun.workflows.ports import RequiredText


class Function(Node):
    """Runs a function of the workspace: its parameters are inputs, what it returns are outputs."""

    node_type: ClassVar[str] = "greenrun.workflows.Function"
    title: ClassVar[str] = "Python Function"
    outputs: ClassVar[tuple[OutputSpec, ...]] = ()
    dynamic_inputs: ClassVar[bool] = True
    dynamic_outputs: ClassVar[bool] = True
    # What the function itself declares is known to the host that runs it, and asked of it there.
    effects: ClassVar[Effects] = "none"

    function: RequiredText = ""

    async def process(self, context: NodeContext) -> dict[str, Any]:
        name = self.function.strip()
        if not name:
            raise NodeError('no function is named; give one as "module:name"')
        result = await context.call_function(name, self.dynamic)
        if not result.ok:
            raise NodeError(f'function "{name}": {result.error or result.status}')
        return {handle: values[-1] for handle, values in result.outputs.items() if values}


NODES: tuple[type[Node], ...] = (Function,)
