"""The work as a person would write it with asyncio alone: the floor, without graph, messages, limits or reports."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

from bench.engine.works import Build, Run, add, add_after_waiting, add_slowly

BOUND = 64
"""Items that may wait between two stages, as in Greenrun's inboxes."""


def chain(size: int) -> Run:
    steps = [add] * size

    async def run() -> int:
        value = 0
        for step in steps:
            value = await step(value)
        return value

    return run


def fan_out(size: int) -> Run:
    async def run() -> list[int]:
        value = await add(0)
        return list(await asyncio.gather(*(add(value, by) for by in range(size))))

    return run


def streaming(size: int) -> Run:
    """A task for each stage, bounded queues between them."""

    async def stage(source: asyncio.Queue[Any], target: asyncio.Queue[Any]) -> None:
        while (value := await source.get()) is not None:
            await target.put(await add(value))
        await target.put(None)

    async def produce(target: asyncio.Queue[Any]) -> None:
        for index in range(size):
            await target.put(index)
        await target.put(None)

    async def run() -> list[int]:
        queues = [asyncio.Queue[Any](BOUND) for _ in range(4)]
        results: list[int] = []
        async with asyncio.TaskGroup() as group:
            group.create_task(produce(queues[0]))
            for source, target in itertools.pairwise(queues):
                group.create_task(stage(source, target))
            while (value := await queues[3].get()) is not None:
                results.append(value)
        return results

    return run


def correlation(size: int) -> Run:
    async def slow(item: int) -> int:
        for _ in range(3):
            item = await add_slowly(item)
        return item

    async def pair(item: int) -> tuple[int, int]:
        left, right = await asyncio.gather(add(item), slow(item))
        return left, right

    async def run() -> list[tuple[int, int]]:
        return list(await asyncio.gather(*(pair(item) for item in range(size))))

    return run


def waiting(size: int) -> Run:
    async def run() -> list[int]:
        return list(await asyncio.gather(*(add_after_waiting(item) for item in range(size))))

    return run


BUILDS: dict[str, Build] = {
    "chain": chain,
    "fan-out": fan_out,
    "streaming": streaming,
    "correlation": correlation,
    "waiting": waiting,
}
