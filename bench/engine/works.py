"""The work that every system does: what goes in, what has to come out, and how many small steps that takes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

Run: TypeAlias = Callable[[], Awaitable[Any]]
"""Does the work once and gives its result."""

Build: TypeAlias = Callable[[int], Run]
"""Makes the graph for a size; what it returns uses that graph again each time."""

WAIT_MS = 5
"""How long the step waits that stands for a call to something slow."""


@dataclass(frozen=True, slots=True)
class Work:
    """`steps` is how many steps are executed for a size, `expected` their result; lists are compared without order.

    `compared`: the bar of the design is judged by it.
    """

    name: str
    title: str
    sizes: tuple[int, ...]
    steps: Callable[[int], int]
    expected: Callable[[int], Any]
    compared: bool = True


WORKS: tuple[Work, ...] = (
    Work("chain", "n steps in a row, each adds 1", (10, 100, 1000), lambda n: n, lambda n: n),
    Work(
        "fan-out",
        "one step into n steps that add 0, 1, 2..., and a join of their results",
        (10, 100, 1000),
        lambda n: n + 2,
        lambda n: [1 + index for index in range(n)],
    ),
    Work(
        "streaming",
        "one producer of n items, each through three steps that add 1",
        (10, 100, 1000),
        lambda n: 3 * n,
        lambda n: [index + 3 for index in range(n)],
    ),
    Work(
        "correlation",
        "n items, each through a branch of one step and a branch of three slower ones, paired by item",
        (10, 100, 1000),
        lambda n: 5 * n,
        lambda n: [(index + 1, index + 3) for index in range(n)],
    ),
    Work(
        "waiting",
        f"n items through one step that waits {WAIT_MS} ms",
        (10, 50),
        lambda n: n,
        lambda n: [index + 1 for index in range(n)],
        compared=False,
    ),
)

BY_NAME = {work.name: work for work in WORKS}


def same(result: Any, expected: Any) -> bool:
    """Whether a system has done the work: equal, whatever the order of a list."""
    return result == expected or (isinstance(result, list) and sorted(result) == sorted(expected))


async def add(value: int, by: int = 1) -> int:
    """The step that costs nothing."""
    return value + by


async def add_slowly(value: int, by: int = 1) -> int:
    """A step that lets others go first."""
    await asyncio.sleep(0)
    return value + by


async def add_after_waiting(value: int, by: int = 1) -> int:
    """A step that waits for something outside."""
    await asyncio.sleep(WAIT_MS / 1000)
    return value + by
