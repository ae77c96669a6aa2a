"""The work on pydantic-graph's builder: built once, run without instrumentation."""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

from pydantic_graph import GraphBuilder, StepContext, reduce_dict_update, reduce_list_append

from bench.engine.works import Build, Run, add, add_after_waiting, add_slowly


async def _add(ctx: StepContext[None, None, int]) -> int:
    return await add(ctx.inputs)


def _run(builder: Any, given: Any = None) -> Run:
    # Spans cost time even where nobody collects them.
    builder.auto_instrument = False
    graph = builder.build()

    async def run() -> Any:
        return await graph.run(inputs=given)

    return run


def chain(size: int) -> Run:
    graph: Any = GraphBuilder(input_type=int, output_type=int)
    steps = [graph.step(_add, node_id=f"step{index}") for index in range(size)]
    for source, target in zip([graph.start_node, *steps], [*steps, graph.end_node], strict=True):
        graph.add_edge(source, target)
    return _run(graph, 0)


def fan_out(size: int) -> Run:
    def adding(by: int) -> Callable[[StepContext[None, None, int]], Any]:
        async def step(ctx: StepContext[None, None, int]) -> int:
            return await add(ctx.inputs, by)

        return step

    graph: Any = GraphBuilder(input_type=int, output_type=list[int])
    first = graph.step(_add, node_id="first")
    steps = [graph.step(adding(index), node_id=f"step{index}") for index in range(size)]
    join = graph.join(reduce_list_append, initial_factory=list)
    graph.add(
        graph.edge_from(graph.start_node).to(first),
        graph.edge_from(first).to(*steps),
        graph.edge_from(*steps).to(join),
        graph.edge_from(join).to(graph.end_node),
    )
    return _run(graph, 0)


def streaming(size: int) -> Run:
    async def produce(ctx: StepContext[None, None, None]) -> AsyncIterator[int]:
        for item in range(size):
            yield item

    graph: Any = GraphBuilder(output_type=list[int])
    source = graph.stream(produce)
    first, second, third = (graph.step(_add, node_id=name) for name in ("first", "second", "third"))
    join = graph.join(reduce_list_append, initial_factory=list)
    graph.add(
        graph.edge_from(graph.start_node).to(source),
        graph.edge_from(source).map().to(first),
        graph.edge_from(first).to(second),
        graph.edge_from(second).to(third),
        graph.edge_from(third).to(join),
        graph.edge_from(join).to(graph.end_node),
    )
    return _run(graph)


def correlation(size: int) -> Run:
    """Each item forks into the branches, and their join belongs to that fork: a pair for each item."""

    async def produce(ctx: StepContext[None, None, None]) -> AsyncIterator[int]:
        for item in range(size):
            yield item

    async def same(ctx: StepContext[None, None, int]) -> int:
        return ctx.inputs

    async def fast(ctx: StepContext[None, None, int]) -> dict[str, int]:
        return {"left": await add(ctx.inputs)}

    async def slow(ctx: StepContext[None, None, int]) -> int:
        return await add_slowly(ctx.inputs)

    async def slow_end(ctx: StepContext[None, None, int]) -> dict[str, int]:
        return {"right": await add_slowly(ctx.inputs)}

    async def pair(ctx: StepContext[None, None, dict[str, int]]) -> tuple[int, int]:
        return ctx.inputs["left"], ctx.inputs["right"]

    graph: Any = GraphBuilder(output_type=list[tuple[int, int]])
    source = graph.stream(produce)
    fork = graph.step(same, node_id="fork")
    left = graph.step(fast, node_id="fast")
    slow1, slow2 = graph.step(slow, node_id="slow1"), graph.step(slow, node_id="slow2")
    slow3 = graph.step(slow_end, node_id="slow3")
    both = graph.join(reduce_dict_update, initial_factory=dict, preferred_parent_fork="closest", node_id="both")
    paired = graph.step(pair, node_id="pair")
    join = graph.join(reduce_list_append, initial_factory=list, node_id="join")
    graph.add(
        graph.edge_from(graph.start_node).to(source),
        graph.edge_from(source).map().to(fork),
        graph.edge_from(fork).to(left, slow1),
        graph.edge_from(slow1).to(slow2),
        graph.edge_from(slow2).to(slow3),
        graph.edge_from(left, slow3).to(both),
        graph.edge_from(both).to(paired),
        graph.edge_from(paired).to(join),
        graph.edge_from(join).to(graph.end_node),
    )
    return _run(graph)


def waiting(size: int) -> Run:
    async def produce(ctx: StepContext[None, None, None]) -> list[int]:
        return list(range(size))

    async def wait(ctx: StepContext[None, None, int]) -> int:
        return await add_after_waiting(ctx.inputs)

    graph: Any = GraphBuilder(output_type=list[int])
    source, step = graph.step(produce, node_id="produce"), graph.step(wait, node_id="wait")
    join = graph.join(reduce_list_append, initial_factory=list)
    graph.add(
        graph.edge_from(graph.start_node).to(source),
        graph.edge_from(source).map().to(step),
        graph.edge_from(step).to(join),
        graph.edge_from(join).to(graph.end_node),
    )
    return _run(graph)


BUILDS: dict[str, Build] = {
    "chain": chain,
    "fan-out": fan_out,
    "streaming": streaming,
    "correlation": correlation,
    "waiting": waiting,
}
