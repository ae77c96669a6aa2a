"""The plan of a run: every node with its slots and outlets, worked out once per graph (spec: nodes A3, A4).

What a slot or an outlet is follows from the scopes of the handles. `repeating` is worked out here: whether several values may
come for one key, so that a consumer knows whether the first one settles the matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from greenrun.document.js import trim
from greenrun.workflows.engine.channels import ANY_NAME
from greenrun.workflows.graph import SET_VARIABLE, Edge, Graph
from greenrun.workflows.registry import Registry
from greenrun.workflows.runnable import RunnableGraph, RunnableNode, prepare
from greenrun.workflows.scopes import JOINERS, LOOP, analyse_scopes, is_feedback
from greenrun.workflows.type_meta import type_text

CONTROL_HANDLE: Final = "__control__"
LIVE_INPUTS: Final = frozenset({"nodetool.input.RealtimeAudioInput"})
"""The bindable inputs that a host may feed while a run goes on (spec: nodes A2.14)."""

_CONSTANT_PREFIX: Final = "nodetool.constant."


@dataclass(frozen=True, slots=True)
class SlotPlan:
    """One slot of a node's inbox; `edges` are those that feed it. See `greenrun.workflows.engine.inbox.Slot`."""

    handle: str
    depth: int
    repeating: bool
    edges: tuple[Edge, ...]
    joins: bool = False
    feedback: bool = False


@dataclass(frozen=True, slots=True)
class OutletPlan:
    """One output handle. See `greenrun.workflows.engine.outlet.Outlet`.

    `tells`: its values are told in ``output_update`` messages, under `name`.
    """

    handle: str
    depth: int
    repeating: bool
    type_name: str
    root: str | None = None
    source: str | None = None
    tells: bool = False
    name: str = ""


@dataclass(frozen=True, eq=False)
class NodePlan:
    """One node of a run.

    `depth` is that of its scope; `session_depth` how many roots one call of a stream node is for. `dispatched`: it is a
    bindable input, which the run itself evaluates. `target_handles` are the handles that a data edge leaves.
    """

    node: RunnableNode
    slots: tuple[SlotPlan, ...]
    outlets: dict[str, OutletPlan]
    depth: int
    session_depth: int
    dispatched: bool
    controlled: bool
    target_handles: frozenset[str]

    @cached_property
    def id(self) -> str:
        return self.node.id

    @cached_property
    def live(self) -> bool:
        """True for an input that has no default and may be fed while the run goes on."""
        return self.dispatched and self.node.type in LIVE_INPUTS

    @cached_property
    def silent(self) -> bool:
        """True for constants and inputs: their results are no news (spec: nodes A8)."""
        return self.dispatched or self.node.type.startswith(_CONSTANT_PREFIX)

    @cached_property
    def is_sink(self) -> bool:
        """True for a node whose values are the result of the run (spec: nodes A3.24)."""
        return not self.dispatched and not self.target_handles

    @cached_property
    def channel(self) -> str | None:
        """The variable channel that the node writes; `ANY_NAME` when only its run can tell."""
        if self.node.type != SET_VARIABLE:
            return None
        name = self.node.properties.get("name")
        fed = any(slot.handle == "name" for slot in self.slots)
        return trim(name) if isinstance(name, str) and not fed else ANY_NAME


@dataclass(frozen=True, eq=False)
class Plan:
    """The nodes of a run in stored order, and the runnable graph that they were worked out from."""

    graph: RunnableGraph
    nodes: tuple[NodePlan, ...]

    @cached_property
    def output_names(self) -> frozenset[str]:
        """The names of the bindable outputs."""
        return frozenset(node.node.name for node in self.nodes if node.node.node.is_output)


def plan_run(graph: Graph, registry: Registry) -> Plan:
    """The plan of a graph; computed once per graph and registry content."""
    key = ("plan", id(registry), registry.revision)
    kept = graph.memo.get(key)
    if kept is None:
        kept = graph.memo[key] = (registry, _Planner(prepare(graph, registry)).plan())
    return kept[1]


class _Planner:
    """Walks the graph from its sources, so that what a node repeats is known before its consumers are looked at."""

    def __init__(self, graph: RunnableGraph) -> None:
        self._graph = graph
        self._scopes = analyse_scopes(graph)
        self._plans: dict[str, NodePlan] = {}

    def plan(self) -> Plan:
        for node in self._order():
            self._plans[node.id] = self._node(node)
        return Plan(self._graph, tuple(self._plans[node.id] for node in self._graph.nodes))

    def _order(self) -> list[RunnableNode]:
        """Every node behind its sources. Validation has refused cycles that no Loop closes."""
        graph = self._graph
        missing = {
            node.id: sum(not edge.control and not is_feedback(edge, node) for edge in graph.incoming[node.id])
            for node in graph.nodes
        }
        ready = [node for node in graph.nodes if not missing[node.id]]
        for node in ready:
            for edge in graph.outgoing[node.id]:
                target = graph.by_id[edge.target]
                if edge.control or is_feedback(edge, target):
                    continue
                missing[target.id] -= 1
                if not missing[target.id]:
                    ready.append(target)
        return ready

    def _node(self, node: RunnableNode) -> NodePlan:
        incoming, outgoing = self._graph.incoming[node.id], self._graph.outgoing[node.id]
        controlled = any(edge.control for edge in incoming)
        stream = node.node_type.input_mode == "stream"
        depth = len(self._scopes.nodes.get(node.id, ()))
        session_depth = depth
        if stream and node.type != LOOP and node.type not in JOINERS:
            session_depth = max(depth - 1, 0)
        slots = self._slots(node, incoming, stream=stream, session_depth=session_depth)
        plan = NodePlan(
            node,
            slots,
            {},
            depth,
            session_depth,
            dispatched=node.is_input and not incoming,
            controlled=controlled,
            target_handles=frozenset(edge.source_handle for edge in outgoing if not edge.control),
        )
        repeating = (
            stream or controlled or any(slot.repeating for slot in slots if slot.depth == depth and not slot.feedback)
        )
        controls = {edge.source_handle for edge in outgoing if edge.control} - plan.target_handles
        declared = [spec.name for spec in node.node_type.outputs]
        for handle in dict.fromkeys((*declared, *node.declared_outputs, *plan.target_handles, *controls)):
            plan.outlets[handle] = self._outlet(plan, handle, repeating=repeating, control=handle in controls)
        return plan

    def _slots(
        self, node: RunnableNode, incoming: tuple[Edge, ...], *, stream: bool, session_depth: int
    ) -> tuple[SlotPlan, ...]:
        groups: dict[str, list[Edge]] = {}
        for edge in incoming:
            groups.setdefault(CONTROL_HANDLE if edge.control else edge.target_handle, []).append(edge)
        slots: list[SlotPlan] = []
        for handle, edges in groups.items():
            if handle == CONTROL_HANDLE:
                slots.append(SlotPlan(handle, 0, True, tuple(edges)))
                continue
            depths = [len(self._scopes.edges.get(edge, ())) for edge in edges]
            repeats = [self._repeats(edge) for edge in edges]
            if len(edges) > 1 and not stream and node.collects(handle):
                for edge, depth, repeating in zip(edges, depths, repeats, strict=True):
                    slots.append(SlotPlan(handle, depth, repeating, (edge,), joins=True))
                continue
            deepest = max(depths)
            feedback = deepest > session_depth and any(is_feedback(edge, node) for edge in edges)
            slots.append(SlotPlan(handle, deepest, len(edges) > 1 or any(repeats), tuple(edges), feedback=feedback))
        return tuple(slots)

    def _repeats(self, edge: Edge) -> bool:
        source = self._plans.get(edge.source)
        outlet = source.outlets.get(edge.source_handle) if source is not None else None
        return outlet is None or outlet.repeating

    def _outlet(self, plan: NodePlan, handle: str, *, repeating: bool, control: bool) -> OutletPlan:
        node = plan.node
        spec = node.node_type.output(handle)
        kind = spec.kind if spec is not None else "single"
        depth = len(self._scopes.outputs.get((node.id, handle), self._scopes.nodes.get(node.id, ())))
        return OutletPlan(
            handle,
            0 if plan.controlled else depth,
            repeating=kind != "iteration"
            and (repeating or kind == "chunk" or node.node_type.generates or depth < plan.depth),
            type_name=type_text(node.output_type(handle)),
            root=f"{node.id}:{spec.group or spec.name}" if spec is not None and kind == "iteration" else None,
            source=spec.source if spec is not None and kind == "forward" else None,
            tells=not control
            and (node.node_type.always_emit or (not plan.silent and handle not in plan.target_handles)),
            name=_output_name(node, handle),
        )


def _output_name(node: RunnableNode, handle: str) -> str:
    """Output nodes are called by their ``name`` property, other handles by themselves (spec: nodes A8)."""
    name = node.properties.get("name") if node.node.is_output else None
    return (trim(name) if isinstance(name, str) else "") or handle
