"""The work on Greenrun's engine: stored graphs, run with every message of the run handed to a list.

`BUILDS` reads a graph once, so that every run after the first finds it validated and planned, as the runs of an open app do.
`FRESH` reads it anew for each run, so that validation and planning count.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, ClassVar

from bench.engine.works import Build, Run, add, add_after_waiting, add_slowly
from greenrun.workflows.engine import run_graph
from greenrun.workflows.engine.plan import plan_run
from greenrun.workflows.graph import Graph, load_graph
from greenrun.workflows.node import Node, NodeContext, OutputSpec
from greenrun.workflows.ports import NO_ITEMS, Items
from greenrun.workflows.registry import Registry, default_registry
from greenrun.workflows.validation import run_issues


class Number(Node):
    """Starts a run with a number."""

    node_type: ClassVar[str] = "bench.Number"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "int"),)

    value: int = 0

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": self.value}


class Numbers(Node):
    """Sends the numbers from 0, one by one."""

    node_type: ClassVar[str] = "bench.Numbers"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("item", "int", "iteration"),)

    count: int = 0

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        for index in range(self.count):
            yield {"item": index}


class Add(Node):
    """Adds."""

    node_type: ClassVar[str] = "bench.Add"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "int"),)

    value: int = 0
    by: int = 1

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": await add(self.value, self.by)}


class AddSlowly(Add):
    """Adds after others had a turn."""

    node_type: ClassVar[str] = "bench.AddSlowly"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": await add_slowly(self.value, self.by)}


class AddAfterWaiting(Add):
    """Adds after a wait."""

    node_type: ClassVar[str] = "bench.AddAfterWaiting"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": await add_after_waiting(self.value, self.by)}


class Pair(Node):
    """Puts two values into a tuple."""

    node_type: ClassVar[str] = "bench.Pair"

    left: int = 0
    right: int = 0

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": (self.left, self.right)}


class Gather(Node):
    """A list of what many edges bring."""

    node_type: ClassVar[str] = "bench.Gather"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "list[int]"),)

    values: Items = NO_ITEMS

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": self.values}


COLLECT = "nodetool.control.Collect"
RESULT = "result"


class Sketch:
    """A stored graph in the making."""

    def __init__(self) -> None:
        self._nodes: list[dict[str, Any]] = []
        self._edges: list[dict[str, Any]] = []

    def node(self, node_type: str, node_id: str, **properties: Any) -> str:
        self._nodes.append({"id": node_id, "type": node_type, "data": properties})
        return node_id

    def edge(self, source: str, target: str, handle: str = "value", leaves: str = "output") -> None:
        number = len(self._edges)
        self._edges.append(
            {"id": f"e{number}", "source": source, "sourceHandle": leaves, "target": target, "targetHandle": handle}
        )

    def stored(self, last: str) -> dict[str, Any]:
        """The graph, with its result taken from that node."""
        self.edge(last, self.node("nodetool.output.Output", "out", name=RESULT))
        return {"nodes": self._nodes, "edges": self._edges}


def chain(size: int) -> dict[str, Any]:
    sketch = Sketch()
    last = sketch.node("bench.Number", "start", value=0)
    for index in range(size):
        step = sketch.node("bench.Add", f"step{index}")
        sketch.edge(last, step)
        last = step
    return sketch.stored(last)


def fan_out(size: int) -> dict[str, Any]:
    sketch = Sketch()
    start, first = sketch.node("bench.Number", "start", value=0), sketch.node("bench.Add", "first")
    sketch.edge(start, first)
    join = sketch.node("bench.Gather", "join")
    for index in range(size):
        step = sketch.node("bench.Add", f"step{index}", by=index)
        sketch.edge(first, step)
        sketch.edge(step, join, "values")
    return sketch.stored(join)


def _each_item(size: int, branches: tuple[tuple[str, ...], ...]) -> dict[str, Any]:
    """Items through one or two branches of steps, gathered in a list."""
    sketch = Sketch()
    source = sketch.node("bench.Numbers", "items", count=size)
    ends: list[str] = []
    for number, types in enumerate(branches):
        last, leaves = source, "item"
        for index, node_type in enumerate(types):
            step = sketch.node(node_type, f"step{number}.{index}")
            sketch.edge(last, step, leaves=leaves)
            last, leaves = step, "output"
        ends.append(last)
    if len(ends) > 1:
        pair = sketch.node("bench.Pair", "pair")
        for end, handle in zip(ends, ("left", "right"), strict=True):
            sketch.edge(end, pair, handle)
        ends = [pair]
    collect = sketch.node(COLLECT, "collect")
    sketch.edge(ends[0], collect, "input_item")
    return sketch.stored(collect)


def streaming(size: int) -> dict[str, Any]:
    return _each_item(size, (("bench.Add",) * 3,))


def correlation(size: int) -> dict[str, Any]:
    return _each_item(size, (("bench.Add",), ("bench.AddSlowly",) * 3))


def waiting(size: int) -> dict[str, Any]:
    return _each_item(size, (("bench.AddAfterWaiting",),))


STORED = {
    "chain": chain,
    "fan-out": fan_out,
    "streaming": streaming,
    "correlation": correlation,
    "waiting": waiting,
}
"""The stored graph of each work, by size."""


def registry() -> Registry:
    """The types that ship, and those of the measured graphs."""
    known = default_registry()
    for node in (Number, Numbers, Add, AddSlowly, AddAfterWaiting, Pair, Gather):
        known.register(node)
    return known


async def run_once(graph: Graph, known: Registry) -> Any:
    """The result of one run, its messages thrown away at the end.

    Raises:
        RuntimeError: The run did not complete.
    """
    messages: list[dict[str, Any]] = []
    result = await run_graph(graph, registry=known, params={}, job_id="run-1", emit=messages.append)
    if not result.ok:
        raise RuntimeError(f"the run {result.status}: {result.error}")
    return result.outputs["out" if "out" in result.outputs else RESULT][-1]


def _planned(name: str) -> Build:
    known = registry()

    def build(size: int) -> Run:
        graph = load_graph(STORED[name](size))
        run_issues(graph, known)
        plan_run(graph, known)
        return lambda: run_once(graph, known)

    return build


def _fresh(name: str) -> Build:
    known = registry()

    def build(size: int) -> Run:
        stored = STORED[name](size)
        return lambda: run_once(load_graph(stored), known)

    return build


BUILDS: dict[str, Build] = {name: _planned(name) for name in STORED}
FRESH: dict[str, Build] = {name: _fresh(name) for name in STORED}
