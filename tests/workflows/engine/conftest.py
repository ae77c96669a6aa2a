"""A small bench for the engine: graphs in one line per node and edge, and what a run said."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from engine_nodes import NODES

from greenrun.workflows.engine import NoServices, RunResult, run_graph
from greenrun.workflows.graph import Graph, load_graph
from greenrun.workflows.nesting import SUBGRAPH
from greenrun.workflows.registry import Registry, default_registry

Message = dict[str, Any]
BOUND = 10
"""Seconds after which a run that hangs fails its test."""


class Signals(NoServices):
    """Events and barriers by name, handed to nodes as providers."""

    def __init__(self) -> None:
        self.events: dict[str, asyncio.Event] = {}
        self.barriers: dict[str, asyncio.Barrier] = {}
        self.counters: dict[str, list[str]] = {}
        self.workflows: dict[str, Any] = {}

    def event(self, name: str) -> asyncio.Event:
        return self.events.setdefault(name, asyncio.Event())

    async def load_workflow(self, workflow_id: str) -> Any | None:
        return copy.deepcopy(self.workflows.get(workflow_id))

    def provider(self, kind: str, name: str) -> Any:
        if kind == "signal":
            return self.event(name)
        if kind == "counter":
            return self.counters.setdefault(name, [])
        if kind == "barrier":
            return self.barriers.setdefault(name, asyncio.Barrier(2))
        return super().provider(kind, name)


@dataclass
class Ran:
    """A run that has ended: its result and its messages."""

    result: RunResult
    messages: list[Message] = field(default_factory=list)

    def of(self, kind: str, node: str | None = None) -> list[Message]:
        """The messages of a type, of one node."""
        return [m for m in self.messages if m["type"] == kind and (node is None or m["node_id"] == node)]

    def values(self, node: str) -> list[Any]:
        """What a node's dangling handles told."""
        return [message["value"] for message in self.of("output_update", node)]

    def statuses(self, node: str) -> list[str]:
        return [message["status"] for message in self.of("node_update", node)]

    @property
    def last(self) -> Message:
        return self.messages[-1]


@dataclass
class Bench:
    """Runs graphs written as ``{"a": "test.Give"}`` or ``{"a": ("test.Give", {"value": 1})}`` with edges ``"a.x -> b.y"``."""

    registry: Registry
    signals: Signals = field(default_factory=Signals)
    messages: list[Message] = field(default_factory=list)

    def graph(self, nodes: Mapping[str, Any], edges: Sequence[str] = ()) -> Graph:
        stored_nodes: list[dict[str, Any]] = []
        for node_id, entry in nodes.items():
            kind, data, *more = entry if isinstance(entry, tuple) else (entry, {})
            stored_nodes.append({"id": node_id, "type": kind, "data": data, **(more[0] if more else {})})
        stored_edges: list[dict[str, Any]] = []
        for text in edges:
            source, target = (end.strip() for end in text.replace("=>", "->").split("->"))
            edge = dict(zip(("source", "sourceHandle"), source.rsplit(".", 1), strict=True))
            edge |= dict(zip(("target", "targetHandle"), target.rsplit(".", 1), strict=True))
            stored_edges.append(edge | ({"edge_type": "control"} if "=>" in text else {}))
        return load_graph({"nodes": stored_nodes, "edges": stored_edges})

    def nested(
        self, nodes: Mapping[str, Any], edges: Sequence[str] = (), **values: Any
    ) -> tuple[str, dict[str, Any], Any]:
        """A Subgraph node with that graph; `values` are those of its dynamic inputs."""
        return (SUBGRAPH, {"graph": self.graph(nodes, edges).stored}, {"dynamic_properties": values})

    async def run(self, nodes: Mapping[str, Any], edges: Sequence[str] = (), **options: Any) -> Ran:
        return await self.run_graph(self.graph(nodes, edges), **options)

    async def run_graph(self, graph: Graph, *, params: Mapping[str, Any] | None = None, **options: Any) -> Ran:
        self.messages = []
        run = run_graph(
            graph,
            registry=self.registry,
            params=params or {},
            job_id="job-1",
            emit=self.messages.append,
            services=self.signals,
            **options,
        )
        return Ran(await asyncio.wait_for(run, BOUND), self.messages)


@pytest.fixture(scope="session")
def engine_registry() -> Registry:
    registry = default_registry()
    for node in NODES:
        registry.register(node)
    return registry


@pytest.fixture
def bench(engine_registry: Registry) -> Bench:
    return Bench(engine_registry)
