"""Where a run stands: what it shares with the runs around it and inside it (spec: nodes A1.9, B2)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from greenrun.workflows.engine.allowance import Allowance
from greenrun.workflows.engine.decisions import Decisions
from greenrun.workflows.engine.services import Services
from greenrun.workflows.graph import Graph, load_graph
from greenrun.workflows.messages import Emit, Message
from greenrun.workflows.nesting import MAX_DEPTH, too_deep, within_itself
from greenrun.workflows.node import NodeError
from greenrun.workflows.registry import Registry

if TYPE_CHECKING:
    from greenrun.workflows.engine.context import Context
    from greenrun.workflows.engine.result import RunResult

HIDDEN: Final = frozenset({"job_update", "output_update", "edge_update"})
"""What an inner run says of itself only: outside, its end and its values are those of the node that it stands for."""

GRAPHS_KEPT: Final = 32

Drive: TypeAlias = "Callable[[Frame, Graph, Mapping[str, Any]], Awaitable[RunResult]]"


class Graphs:
    """The graphs that were read inside one run, so that a node that fires often has its graph read and planned once."""

    def __init__(self) -> None:
        self._read: OrderedDict[int, Graph] = OrderedDict()
        self._loaded: dict[str, Any] = {}

    async def load(self, services: Services, workflow_id: str) -> Any | None:
        """The stored graph of a workflow; a run keeps to what it loaded first."""
        if workflow_id not in self._loaded:
            self._loaded[workflow_id] = await services.load_workflow(workflow_id)
        return self._loaded[workflow_id]

    def read(self, stored: Any) -> Graph:
        """A stored graph; the same for the same object. One that was read already is itself."""
        if isinstance(stored, Graph):
            return stored
        graph = self._read.get(id(stored))
        if graph is None:
            graph = self._read[id(stored)] = load_graph(stored)  # holds `stored`, so that its id stays its own
            if len(self._read) > GRAPHS_KEPT:
                self._read.popitem(last=False)
        return graph


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """`emit` takes the run's messages. `drive` runs a graph in a frame.

    Of an inner run: `outer` is the context of the node that it stands for, `path` precedes its node ids outside (``outer/``),
    `above` are the workflows that it is part of, outermost first, `depth` how many runs are around it.
    """

    registry: Registry
    services: Services
    allowance: Allowance
    decisions: Decisions
    emit: Gate
    drive: Drive
    job_id: str
    workflow_id: str | None = None
    outer: Context | None = None
    path: str = ""
    above: tuple[str, ...] = ()
    depth: int = 0
    graphs: Graphs = field(default_factory=Graphs)

    def inside(self, context: Context, *, name: str, workflow_id: str | None) -> Frame:
        """The frame of a run inside this one, for the node of `context`.

        Raises:
            NodeError: It would be too deep, or a workflow inside itself.
        """
        if self.depth >= MAX_DEPTH:
            raise NodeError(too_deep(name))
        if workflow_id is not None and workflow_id in self.above:
            raise NodeError(within_itself((*self.above, workflow_id)))
        return replace(
            self,
            emit=Gate(forwarded(self.emit, context.node_id)),
            outer=context,
            path=f"{self.path}{context.node_id}/",
            above=self.above if workflow_id is None else (*self.above, workflow_id),
            depth=self.depth + 1,
        )


class Gate:
    """An `emit` that can be shut: a node that outlives its run changes nothing any more. `ids` are stamped on every message."""

    __slots__ = ("_emit", "_ids")

    def __init__(self, emit: Emit, ids: Message | None = None) -> None:
        self._emit: Emit | None = emit
        self._ids = ids

    def __call__(self, message: Message) -> None:
        if self._emit is not None:
            if self._ids is not None:
                message.update(self._ids)
            self._emit(message)

    def shut(self) -> None:
        self._emit = None


def forwarded(emit: Emit, node_id: str) -> Emit:
    """Hands on what an inner run says, under the path of its nodes; streamed text goes for the outer node itself."""

    def forward(message: Message) -> None:
        kind = message["type"]
        if kind in HIDDEN:
            return
        if kind == "chunk":
            message["node_id"] = node_id
        elif isinstance(inner := message.get("node_id"), str):
            message["node_id"] = f"{node_id}/{inner}"
        # The outer node's cost has it already; told twice, whoever adds up would count it twice.
        message.pop("provider_cost", None)
        emit(message)

    return forward
