"""The work on LangGraph: compiled once, invoked without a checkpointer and without streaming, which is its fastest way.

A value reaches the next node through the state; an item that must stay one item is handed on with ``Send``.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send

from bench.engine.works import Build, Run, add, add_after_waiting, add_slowly


class Value(TypedDict):
    value: int


class Results(TypedDict):
    results: Annotated[list[Any], operator.add]


class FanOut(TypedDict):
    value: int
    results: Annotated[list[int], operator.add]


class Branches(TypedDict):
    left: Annotated[dict[int, int], operator.or_]
    right: Annotated[dict[int, int], operator.or_]
    pairs: list[tuple[int, int]]


def _run(graph: Any, given: dict[str, Any], result: str, steps: int = 10) -> Run:
    compiled = graph.compile()
    config = {"recursion_limit": steps + 10}

    async def run() -> Any:
        return (await compiled.ainvoke(given, config))[result]

    return run


def chain(size: int) -> Run:
    async def step(state: Value) -> dict[str, int]:
        return {"value": await add(state["value"])}

    graph: Any = StateGraph(Value)
    names = [f"step{index}" for index in range(size)]
    for name in names:
        graph.add_node(name, step)
    for source, target in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(source, target)
    return _run(graph, {"value": 0}, "value", steps=size)


def fan_out(size: int) -> Run:
    async def first(state: FanOut) -> dict[str, int]:
        return {"value": await add(state["value"])}

    def adding(by: int) -> Callable[[FanOut], Any]:
        async def step(state: FanOut) -> dict[str, list[int]]:
            return {"results": [await add(state["value"], by)]}

        return step

    async def join(state: FanOut) -> dict[str, list[int]]:
        return {"results": []}

    graph: Any = StateGraph(FanOut)
    graph.add_node("first", first)
    graph.add_node("join", join)
    graph.add_edge(START, "first")
    names = [f"step{index}" for index in range(size)]
    for index, name in enumerate(names):
        graph.add_node(name, adding(index))
        graph.add_edge("first", name)
    graph.add_edge(names, "join")
    graph.add_edge("join", END)
    return _run(graph, {"value": 0, "results": []}, "results")


def streaming(size: int) -> Run:
    """Items go through the stages in step: all are through the first one before one enters the second."""

    async def produce(state: Results) -> Command[Any]:
        return Command(goto=[Send("first", item) for item in range(size)])

    async def first(item: int) -> Command[Any]:
        return Command(goto=Send("second", await add(item)))

    async def second(item: int) -> Command[Any]:
        return Command(goto=Send("third", await add(item)))

    async def third(item: int) -> dict[str, list[int]]:
        return {"results": [await add(item)]}

    graph: Any = StateGraph(Results)
    for name, step in (("produce", produce), ("first", first), ("second", second), ("third", third)):
        graph.add_node(name, step)
    graph.add_edge(START, "produce")
    graph.add_edge("third", END)
    return _run(graph, {"results": []}, "results")


def correlation(size: int) -> Run:
    """Branches gather in the state by item; a node behind both pairs them when both are done with all items."""

    async def produce(state: Branches) -> Command[Any]:
        return Command(goto=[Send(branch, (item, item)) for item in range(size) for branch in ("fast", "slow1")])

    async def fast(item: tuple[int, int]) -> dict[str, dict[int, int]]:
        return {"left": {item[0]: await add(item[1])}}

    def slowly(target: str) -> Callable[[tuple[int, int]], Any]:
        async def step(item: tuple[int, int]) -> Command[Any]:
            return Command(goto=Send(target, (item[0], await add_slowly(item[1]))))

        return step

    async def slow3(item: tuple[int, int]) -> dict[str, dict[int, int]]:
        return {"right": {item[0]: await add_slowly(item[1])}}

    async def pair(state: Branches) -> dict[str, list[tuple[int, int]]]:
        return {"pairs": [(value, state["right"][item]) for item, value in state["left"].items()]}

    graph: Any = StateGraph(Branches)
    graph.add_node("produce", produce)
    graph.add_node("fast", fast)
    graph.add_node("slow1", slowly("slow2"))
    graph.add_node("slow2", slowly("slow3"))
    graph.add_node("slow3", slow3)
    graph.add_node("pair", pair)
    graph.add_edge(START, "produce")
    graph.add_edge(["fast", "slow3"], "pair")
    graph.add_edge("pair", END)
    return _run(graph, {"left": {}, "right": {}}, "pairs")


def waiting(size: int) -> Run:
    async def step(item: int) -> dict[str, list[int]]:
        return {"results": [await add_after_waiting(item)]}

    graph: Any = StateGraph(Results)
    graph.add_node("step", step)
    graph.add_conditional_edges(START, lambda state: [Send("step", item) for item in range(size)], ["step"])
    graph.add_edge("step", END)
    return _run(graph, {"results": []}, "results")


BUILDS: dict[str, Build] = {
    "chain": chain,
    "fan-out": fan_out,
    "streaming": streaming,
    "correlation": correlation,
    "waiting": waiting,
}
