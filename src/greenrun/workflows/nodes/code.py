"""Small code in a graph (spec: nodes B1 on Code; decision 0017)."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from greenrun.document.values import is_record
from greenrun.workflows.code.errors import CodeError
from greenrun.workflows.code.interpreter import Limits, Outcome, run_code
from greenrun.workflows.extras import missing_extra
from greenrun.workflows.node import Node, NodeContext, OutputSpec
from greenrun.workflows.ports import NO_ITEMS, Flag, Items, Number, RequiredText, Text, Whole, kind_of

MAX_TIMEOUT_S: Final = 60.0
MIN_TIMEOUT_S: Final = 0.05
MAX_MEMORY_MB: Final = 1024
MIN_MEMORY_MB: Final = 4
MAX_LINES: Final = 200


class PythonCode(Node):
    """Computes a result from the inputs in Python, apart from files, network and this server.

    Inputs are variables, and all of them stand in `inputs`. The result is the last expression, or what a `return` gives; where
    outputs are declared, a dict with their names.
    """

    node_type: ClassVar[str] = "greenrun.code.Python"
    title: ClassVar[str] = "Python Code"
    dynamic_inputs: ClassVar[bool] = True
    dynamic_outputs: ClassVar[bool] = True
    unavailable: ClassVar[str | None] = missing_extra("code")

    code: RequiredText = ""
    timeout_s: Number = 5
    memory_mb: Whole = 256

    async def process(self, context: NodeContext) -> dict[str, Any]:
        limits = Limits(
            timeout_s=min(max(float(self.timeout_s), MIN_TIMEOUT_S), MAX_TIMEOUT_S),
            memory_mb=min(max(self.memory_mb, MIN_MEMORY_MB), MAX_MEMORY_MB),
        )
        outcome = Outcome()
        try:
            await run_code(self.code, self.dynamic, limits, outcome)
        finally:
            for line in outcome.printed[:MAX_LINES]:
                context.log(line)
            if len(outcome.printed) > MAX_LINES:
                context.log(f"({len(outcome.printed) - MAX_LINES} more lines are left out)", "warning")
        return self._record(outcome.value, context)

    def _record(self, value: Any, context: NodeContext) -> dict[str, Any]:
        declared = self.declared_outputs
        if not declared:
            return {"output": value}
        names = ", ".join(declared)
        given = {name: value[name] for name in declared if name in value} if is_record(value) else {}
        if given:
            for name in value.keys() - declared.keys():
                context.log(f'the result has "{name}", which is no output of this node', "warning")
            return given
        if len(declared) == 1:
            return dict.fromkeys(declared, value)
        said = f"it has {', '.join(map(str, value)) or 'no members'}" if is_record(value) else f"it is {kind_of(value)}"
        raise CodeError(f"the result must be a dict with some of the outputs {names}; {said}", kind="value")


class JavaScriptCode(Node):
    """Upstream's code in JavaScript."""

    node_type: ClassVar[str] = "nodetool.code.Code"
    title: ClassVar[str] = "Code"
    dynamic_inputs: ClassVar[bool] = True
    dynamic_outputs: ClassVar[bool] = True
    unavailable: ClassVar[str | None] = "JavaScript is not supported yet; use greenrun.code.Python or a Python function"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output"),)

    code: Text = "return {};"
    packages: Items = NO_ITEMS
    timeout: Whole = 30
    max_response_mb: Whole = 1
    allow_local_network: Flag = False
    allow_host_filesystem: Flag = False


NODES: tuple[type[Node], ...] = (PythonCode, JavaScriptCode)
