"""Graphs inside graphs (spec: nodes B2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from greenrun.document.js import trim
from greenrun.document.values import is_record
from greenrun.workflows.messages import BUDGET_EXCEEDED, NOT_ALLOWED
from greenrun.workflows.nesting import SUBGRAPH, WORKFLOW, carried_graph, named_workflow
from greenrun.workflows.node import BudgetExceeded, Node, NodeContext, NodeError, NotAllowed, OutputSpec
from greenrun.workflows.ports import Anything, Text

if TYPE_CHECKING:
    from greenrun.workflows.engine.result import RunResult

_DENIALS: dict[str | None, type[NodeError]] = {BUDGET_EXCEEDED: BudgetExceeded, NOT_ALLOWED: NotAllowed}


class Subgraph(Node):
    """Run the graph that the node carries, with its inputs as dynamic inputs and its outputs as dynamic outputs."""

    node_type: ClassVar[str] = SUBGRAPH
    dynamic_inputs: ClassVar[bool] = True
    dynamic_outputs: ClassVar[bool] = True
    outputs: ClassVar[tuple[OutputSpec, ...]] = ()

    graph: Anything = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        stored = carried_graph(SUBGRAPH, {"graph": self.graph}) or {}
        return await _run(context, stored, self.dynamic, f'the graph inside "{context.node_id}"')


class Workflow(Node):
    """Run another workflow: the one that the node carries, else the one that it names."""

    node_type: ClassVar[str] = WORKFLOW
    dynamic_inputs: ClassVar[bool] = True
    dynamic_outputs: ClassVar[bool] = True
    outputs: ClassVar[tuple[OutputSpec, ...]] = ()

    workflow_id: Text = ""
    workflow_json: Anything = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        properties = {"workflow_id": self.workflow_id, "workflow_json": self.workflow_json}
        workflow_id = named_workflow(WORKFLOW, properties)
        if workflow_id is None:
            stored = carried_graph(WORKFLOW, properties)
            if stored is None:
                raise NodeError("no workflow is selected; choose one")
            return await _run(context, stored, self.dynamic, f'the workflow inside "{context.node_id}"')
        stored = await context.load_workflow(workflow_id)
        if stored is None:
            raise NodeError(f'the workflow "{workflow_id}" is not here; add it, or choose another one')
        return await _run(context, stored, self.dynamic, f'the workflow "{workflow_id}"', workflow_id)


async def _run(
    context: NodeContext, stored: Any, values: Mapping[str, Any], name: str, workflow_id: str | None = None
) -> dict[str, Any]:
    """What a graph gives for these inputs: by output name its value, or all of them when there are several."""
    if not is_record(stored) or not stored.get("nodes"):
        return {}
    params = {trim(key): value for key, value in values.items()}
    result = await context.run_graph(stored, params, name=name, workflow_id=workflow_id)
    if not result.ok:
        raise _failure(name, result)
    record: dict[str, Any] = {}
    for output, sent in result.outputs.items():
        if output not in result.output_names:
            continue
        if output in result.cut:
            raise NodeError(
                f'output "{output}" of {name} has too many values to hand on at once; collect them in it first'
            )
        record[output] = sent[0] if len(sent) == 1 else sent
    return record


def _failure(name: str, result: RunResult) -> NodeError:
    """Why the nested run failed, naming the graph and, in its own words, the inner node."""
    failure = _DENIALS.get(result.error_code, NodeError)(f"{name} failed: {result.error}")
    failure.answered = any(item["action"] == "fail" for item in result.interventions)
    return failure


NODES: tuple[type[Node], ...] = (Subgraph, Workflow)
