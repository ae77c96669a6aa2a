"""What holds for every graph: no hang, and the same values whatever is fast and however small the inboxes are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from random import Random
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from greenrun.workflows.engine import run_graph
from greenrun.workflows.graph import load_graph
from greenrun.workflows.nesting import SUBGRAPH
from greenrun.workflows.node import Inbox, Node, NodeContext, OutputSpec
from greenrun.workflows.nodes.nested import Subgraph
from greenrun.workflows.registry import Registry, describe_node_type

Scope = tuple[str, ...]


async def dawdle() -> None:
    """Let others go first, a random number of times."""
    for _ in range(TURNS.randrange(4) if TURNS is not None else 0):
        await asyncio.sleep(0)


TURNS: Random | None = None


class Fork(Node):
    """Sends the items of a list one at a time."""

    node_type = "prop.Fork"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("out", "any", "iteration"),)
    a: Any = None

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        for item in self.a if isinstance(self.a, list) else [self.a]:
            await dawdle()
            yield {"out": item}


class Both(Node):
    """Puts two values together."""

    node_type = "prop.Both"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("out"),)
    a: Any = "-"
    b: Any = "-"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        await dawdle()
        return {"out": [self.a, self.b]}


class Sift(Node):
    """Lets through what has a text of even length."""

    node_type = "prop.Sift"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("out"),)
    a: Any = None

    async def process(self, context: NodeContext) -> dict[str, Any] | None:
        await dawdle()
        return {"out": self.a} if len(str(self.a)) % 2 == 0 else None


class Twice(Node):
    """Sends a value two times."""

    node_type = "prop.Twice"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("out", "any", "chunk"),)
    a: Any = None

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        for _ in range(2):
            await dawdle()
            yield {"out": self.a if self.a is not None else 0}


class Gather(Node):
    """Collects a stream."""

    node_type = "prop.Gather"
    input_mode = "stream"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("out", "any", "aggregate"),)
    a: Any = None

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        values = [value async for value in inbox.values("a")]
        await dawdle()
        await context.emit("out", values)


class Skip(Node):
    """Leaves out the first item of a stream."""

    node_type = "prop.Skip"
    input_mode = "stream"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("out", "any", "forward", source="a"),)
    a: Any = None

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        first = True
        async for value in inbox.values("a"):
            await dawdle()
            if not first:
                await context.emit("out", value)
            first = False


class Side(Node):
    """Collects two streams, one after the other."""

    node_type = "prop.Side"
    input_mode = "stream"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("out", "any", "aggregate"),)
    a: Any = None
    b: Any = None

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        first = [value async for value in inbox.values("b")]
        await dawdle()
        await context.emit("out", [first, [value async for value in inbox.values("a")]])


class Fragile(Node):
    """Fails at what it does not like."""

    node_type = "prop.Fragile"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("out"),)
    a: Any = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        await dawdle()
        if "1" in str(self.a):
            raise ValueError(f"no {self.a}")
        return {"out": self.a}


REGISTRY = Registry()
for node in (Fragile, Fork, Both, Sift, Twice, Gather, Skip, Side):
    REGISTRY.register(node)


@st.composite
def graphs(draw: st.DrawFn, more: tuple[str, ...] = ()) -> dict[str, Any]:
    """A graph whose nodes only take what they may take together."""
    nodes: list[dict[str, Any]] = [{"id": "n0", "type": "prop.Fork", "data": {"a": draw(LISTS)}}]
    scopes: list[Scope] = [("n0",)]
    edges: list[dict[str, Any]] = []

    def connect(source: int, handle: str) -> None:
        target = f"n{len(nodes)}"
        edges.append({"source": f"n{source}", "sourceHandle": "out", "target": target, "targetHandle": handle})

    for _ in range(draw(st.integers(1, 9))):
        kind = draw(st.sampled_from(["Fork", "Both", "Both", "Sift", "Twice", "Gather", "Skip", "Side", *more]))
        first = draw(st.integers(0, len(nodes) - 1))
        scope = scopes[first]
        connect(first, "a")
        if kind in ("Both", "Side"):
            fitting = [i for i, s in enumerate(scopes) if s[: len(scope)] == scope or scope[: len(s)] == s]
            second = draw(st.sampled_from(fitting))
            connect(second, "b")
            scope = max(scope, scopes[second], key=len)
        if kind == "Fork":
            scope = (*scope, f"n{len(nodes)}")
        if kind in ("Gather", "Side"):
            scope = scope[:-1]
        nodes.append({"id": f"n{len(nodes)}", "type": f"prop.{kind}", "data": {}})
        scopes.append(scope)
    return {"nodes": nodes, "edges": edges}


LISTS = st.lists(st.one_of(st.integers(0, 120), st.lists(st.integers(0, 120), max_size=3)), max_size=4)


async def outcome(stored: dict[str, Any]) -> tuple[str | None, dict[str, Any], list[str]]:
    said: list[dict[str, Any]] = []
    run = run_graph(load_graph(stored), registry=REGISTRY, params={}, job_id="j", emit=said.append)
    result = await asyncio.wait_for(run, 10)
    ended = sorted(m["edge_id"] for m in said if m["type"] == "edge_update" and m["status"] != "active")
    return result.error, {report.node_id: report.outputs for report in result.nodes}, ended


@pytest.mark.case("NO-A4-2")
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stored=graphs(), seed=st.integers(0, 10_000), capacity=st.sampled_from([1, 2, 64]))
def test_values_do_not_depend_on_speed_or_room(
    stored: dict[str, Any], seed: int, capacity: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "TURNS", None)
        error, values, ended = asyncio.run(outcome(stored))
        patch.setitem(globals(), "TURNS", Random(seed))
        patch.setattr("greenrun.workflows.engine.inbox.CAPACITY", capacity)
        assert asyncio.run(outcome(stored)) == (error, values, ended)
    assert error is None
    assert len(ended) == len(stored["edges"])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stored=graphs(("Fragile", "Fragile")), seed=st.integers(0, 10_000), capacity=st.sampled_from([1, 2, 64]))
def test_what_a_failure_leaves_does_not_depend_on_speed_or_room(
    stored: dict[str, Any], seed: int, capacity: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "TURNS", None)
        before = asyncio.run(outcome(stored))
        patch.setitem(globals(), "TURNS", Random(seed))
        patch.setattr("greenrun.workflows.engine.inbox.CAPACITY", capacity)
        assert asyncio.run(outcome(stored)) == before
    assert len(before[2]) == len(stored["edges"])


@settings(max_examples=60, deadline=None)
@given(stored=graphs(("Fragile",)))
def test_graph_gives_the_same_inside_another_graph(stored: dict[str, Any]) -> None:
    async def nested() -> dict[str, list[Any]]:
        said: list[dict[str, Any]] = []
        outer = {"nodes": [{"id": "sub", "type": SUBGRAPH, "data": {"graph": stored}}], "edges": []}
        registry = Registry({**REGISTRY._types, SUBGRAPH: describe_node_type(Subgraph)})
        run = run_graph(load_graph(outer), registry=registry, params={}, job_id="j", emit=said.append)
        await asyncio.wait_for(run, 10)
        prefix = "sub/"
        found: dict[str, list[Any]] = {}
        for message in said:
            if message["type"] == "generation_complete" and message["node_id"].startswith(prefix):
                found.setdefault(message["node_id"].removeprefix(prefix), []).append(message["outputs"])
        return found

    async def alone() -> dict[str, list[Any]]:
        said: list[dict[str, Any]] = []
        run = run_graph(load_graph(stored), registry=REGISTRY, params={}, job_id="j", emit=said.append)
        await asyncio.wait_for(run, 10)
        found: dict[str, list[Any]] = {}
        for message in said:
            if message["type"] == "generation_complete":
                found.setdefault(message["node_id"], []).append(message["outputs"])
        return found

    assert asyncio.run(nested()) == asyncio.run(alone())
