"""One output handle of a running node: where its values go, and what is told about them (spec: nodes A3.24, A8)."""

from __future__ import annotations

from collections.abc import Sequence

from greenrun.document.values import Value
from greenrun.workflows import messages
from greenrun.workflows.engine.inbox import Lineage, Slot
from greenrun.workflows.engine.result import Kept
from greenrun.workflows.messages import Emit


class Wire:
    """One edge of a run. Its progress is told at the first, second, fourth, eighth... value, and when it ends."""

    __slots__ = ("count", "id", "slot", "target", "tell_at")

    def __init__(self, edge_id: str, target: str, slot: Slot) -> None:
        self.id = edge_id
        self.target = target
        self.slot = slot
        self.count = 0
        self.tell_at = 1

    def tell(self, emit: Emit) -> None:
        """A value passed."""
        self.count += 1
        if self.count == self.tell_at:
            self.tell_at *= 2
            emit(messages.edge_update(self.id, "active", self.count))


class Outlet:
    """One output handle. `depth` is the number of roots in its scope, `root` the iteration root that it adds, if any.

    `update` describes the messages for a handle that no edge leaves, and is None where such messages are not sent. `kept`
    receives every value of a sink. `index` marks the handle of an iteration group that the engine fills itself.
    """

    __slots__ = (
        "closed",
        "depth",
        "emit",
        "handle",
        "hurried",
        "index",
        "kept",
        "repeating",
        "root",
        "source",
        "update",
        "wires",
    )

    def __init__(
        self,
        handle: str,
        emit: Emit,
        wires: Sequence[Wire],
        *,
        depth: int,
        repeating: bool,
        root: str | None = None,
        source: str | None = None,
        update: tuple[str, str, str, str] | None = None,
        kept: Kept | None = None,
    ) -> None:
        self.handle = handle
        self.emit = emit
        self.wires = list(wires)
        self.depth = depth
        self.repeating = repeating
        self.root = root
        self.source = source
        self.index = root is not None and handle == "index"
        self.update = update
        self.kept = kept
        self.closed = False
        self.hurried = False

    async def send(self, lineage: Lineage, value: Value, *, bounded: bool = True) -> None:
        """Put a value on every edge, or tell it where no edge leaves; waits where an inbox is full."""
        if self.kept is not None:
            self.kept.add(value)
        for wire in self.wires:
            slot = wire.slot
            if bounded:
                while slot.held >= slot.capacity and not self.hurried:
                    await slot.room.wait()
            slot.inbox.put(slot, lineage, value)
            wire.tell(self.emit)
        if self.update is not None:
            self.emit(messages.output_update(*self.update[:3], value, self.update[3]))

    def hurry(self, on: bool) -> None:
        """Whether values are sent without waiting for room, also those that wait for it right now."""
        self.hurried = on
        if on:
            for wire in self.wires:
                wire.slot.room.wake()

    def mark(self, lineage: Lineage) -> None:
        """Nothing more comes under that lineage."""
        if lineage and not self.closed and len(lineage) <= self.depth:
            for wire in self.wires:
                wire.slot.inbox.mark(wire.slot, lineage)

    def close(self, *, failed: bool = False) -> None:
        """End every edge, once; `failed` when what should still have come was lost to a failure."""
        if self.closed:
            return
        self.closed = True
        for wire in self.wires:
            wire.slot.inbox.close_edge(wire.slot, failed=failed)
            self.emit(messages.edge_update(wire.id, "completed" if wire.count else "drained", wire.count))
