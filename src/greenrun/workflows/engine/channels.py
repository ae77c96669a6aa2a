"""Variable channels: named streams beside the edges (spec: nodes A7)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

from greenrun.workflows.engine.inbox import LIMIT
from greenrun.workflows.engine.pulse import Pulse, Wait
from greenrun.workflows.node import NodeError

ANY_NAME: Final = ""
"""Registers a writer whose channel is known only when it writes."""


class Channels:
    """The channels of one run. A channel is open while a registered writer of it has not ended."""

    def __init__(self, pulse: Pulse) -> None:
        self._values: dict[str, list[Any]] = {}
        self._writers: dict[str, int] = {}
        self._changed = Wait(pulse)
        self._closed = False

    def add_writer(self, name: str) -> None:
        """A writer of that channel will run."""
        self._writers[name] = self._writers.get(name, 0) + 1

    def remove_writer(self, name: str) -> None:
        """One of its writers has ended."""
        self._writers[name] -= 1
        self._changed.wake()

    def write(self, name: str, value: Any) -> None:
        """Send a value to everyone who reads the channel, now or later.

        Raises:
            NodeError: The channel is full; it keeps all of its values, for those who read it later.
        """
        values = self._values.setdefault(name, [])
        if len(values) >= LIMIT:
            raise NodeError(
                f'the variable "{name}" was written {LIMIT} times; collect the values, and write it less often'
            )
        values.append(value)
        self._changed.wake()

    def read(self, name: str) -> AsyncIterator[Any]:
        """Every value of the channel from the first one on, until its last writer has ended."""
        return _Reader(self, name)

    async def at(self, name: str, position: int) -> Any:
        """The value at a position of a channel; waits for it.

        Raises:
            StopAsyncIteration: The channel ends before.
        """
        while position >= len(self._values.get(name, ())):
            if self._closed or not (self._writers.get(name) or self._writers.get(ANY_NAME)):
                raise StopAsyncIteration
            await self._changed.wait()
        return self._values[name][position]

    def close(self) -> bool:
        """End every channel; False when that frees nobody."""
        waiting = self._changed.waiting
        self._closed = True
        self._changed.wake()
        return waiting


class _Reader:
    """One reading of a channel; a class, so that a node may leave it at any time."""

    def __init__(self, channels: Channels, name: str) -> None:
        self._channels = channels
        self._name = name
        self._position = -1

    def __aiter__(self) -> _Reader:
        return self

    async def __anext__(self) -> Any:
        self._position += 1
        return await self._channels.at(self._name, self._position)
