"""A small bench for the engine: graphs in one line per node and edge, nodes that wait for a signal, and what a run said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest

from greenrun.workflows.engine import NoServices, RunResult, run_graph
from greenrun.workflows.graph import Graph, load_graph
from greenrun.workflows.node import Inbox, Node, NodeContext, OutputSpec
from greenrun.workflows.registry import Registry, default_registry

Message = dict[str, Any]
BOUND = 10
"""Seconds after which a run that hangs fails its test."""


class Give(Node):
    """Sends its value."""

    node_type = "test.Give"
    value: Any = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": self.value}


class Wait(Node):
    """Says that it has started, then sends its value once the signal comes."""

    node_type = "test.Wait"
    signal: str = "go"
    value: Any = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        context.provider("signal", f"{context.node_id} started").set()
        await context.provider("signal", self.signal).wait()
        return {"output": self.value}


class Meet(Node):
    """Goes on only when two of its kind run at the same time."""

    node_type = "test.Meet"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        await context.provider("barrier", "two").wait()
        return {"output": context.node_id}


class Boom(Node):
    """Fails."""

    node_type = "test.Boom"
    text: str = "boom"
    value: Any = None

    async def process(self, context: NodeContext) -> Any:
        raise ValueError(self.text)


class Hang(Node):
    """Works until it is cancelled, and says that it was."""

    node_type = "test.Hang"
    value: Any = None

    async def process(self, context: NodeContext) -> Any:
        context.provider("signal", f"{context.node_id} started").set()
        try:
            await asyncio.Event().wait()
        finally:
            context.provider("signal", f"{context.node_id} stopped").set()


class Records(Node):
    """Yields partial records."""

    node_type = "test.Records"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("chunk", "any", "chunk"), OutputSpec("text", "str"))
    records: list[Any] = []

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        for record in self.records:
            yield record


class Pair(Node):
    """Sends what it got, as one list; what did not come is "-"."""

    node_type = "test.Pair"
    a: Any = "-"
    b: Any = "-"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": [self.a, self.b]}


class Gather(Node):
    """Has a list input."""

    node_type = "test.Gather"
    items: list[Any] = ["default"]

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": list(self.items)}


class Relay(Node):
    """A stream node: sends on what comes, with the handle it came on."""

    node_type = "test.Relay"
    input_mode = "stream"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output"),)
    a: Any = None
    b: Any = None

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        async for handle, value in inbox:
            await context.emit("output", [handle, value])


class Required(Node):
    """Has a property that a run cannot do without."""

    node_type = "test.Required"
    text: str

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": self.text}


class SlowWhen(Node):
    """Holds one item back until the signal comes."""

    node_type = "test.SlowWhen"
    value: Any = None
    held: Any = None
    signal: str = "go"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        if self.value == self.held:
            await context.provider("signal", self.signal).wait()
        return {"output": self.value}


class Signal(Node):
    """Gives a signal when it fires."""

    node_type = "test.Signal"
    signal: str = "fast is through"
    value: Any = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        context.provider("signal", self.signal).set()
        return {"output": self.value}


class Spell(Node):
    """Sends letters as chunks."""

    node_type = "test.Spell"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("chunk", "str", "chunk"),)
    letters: list[str] = []

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        for letter in self.letters:
            yield {"chunk": letter}


class Inc(Node):
    """Adds one."""

    node_type = "test.Inc"
    value: int = 0

    async def process(self, context: NodeContext) -> int:
        return self.value + 1


class Const(Node):
    """Answers the same to whatever comes."""

    node_type = "test.Const"
    answer: Any = None
    value: Any = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": self.answer}


NODES = (Signal, Spell, Inc, Const, Give, Wait, Meet, Boom, Hang, Records, Pair, Gather, Relay, Required, SlowWhen)


class Signals(NoServices):
    """Events and barriers by name, handed to nodes as providers."""

    def __init__(self) -> None:
        self.events: dict[str, asyncio.Event] = {}
        self.barriers: dict[str, asyncio.Barrier] = {}

    def event(self, name: str) -> asyncio.Event:
        return self.events.setdefault(name, asyncio.Event())

    def provider(self, kind: str, name: str) -> Any:
        if kind == "signal":
            return self.event(name)
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
