"""What waits at a node: one bounded slot per connected handle, and one queue in order of arrival (spec: nodes A3.17)."""

from __future__ import annotations

import math
from collections import deque
from enum import Enum
from typing import Any, Final, TypeAlias, cast

from greenrun.document.errors import GreenrunError
from greenrun.workflows.engine.pulse import Pulse, Wait

Lineage: TypeAlias = tuple[int, ...]
"""The key of a value: its index under each iteration root of its scope, outermost first (spec: nodes A4.25)."""

CAPACITY: Final = 64
LIMIT: Final = 10_000
"""How many values a slot may hold back for one node, however long it is given way (spec: nodes A4.31)."""


class Mark(Enum):
    """The event that stands for "nothing more under this lineage"; with the empty lineage, end of stream.

    LOST is an end of stream that came because something upstream failed; `Inbox.next` notes that and gives DONE.
    """

    DONE = "done"
    LOST = "lost"


DONE: Final = Mark.DONE
LOST: Final = Mark.LOST

_END: Final = math.inf


def ended(parent: Lineage) -> tuple[float, ...]:
    """What stands for the end of a parent in a sorted agenda: after all of its keys, before those of the next parent."""
    return (*parent, _END)


def unmarked(entry: tuple[float, ...]) -> tuple[Lineage, bool]:
    """The lineage of an entry of an agenda, and whether it is the end of a parent."""
    is_end = bool(entry) and entry[-1] == _END
    return cast("Lineage", entry[:-1] if is_end else entry), is_end


Event: TypeAlias = "tuple[Slot, Lineage, Any]"


class InboxOverflow(GreenrunError):
    """Raised in a node at which more than `LIMIT` values wait for a partner."""

    code = "inbox_overflow"


class Slot:
    """One stream into a node: a connected handle, or one edge of a handle that joins several edges into a list.

    `depth` is the number of iteration roots in its scope. `repeating`: several values may come for one key. `feedback`: an
    edge that closes a loop. `edges` counts the edges that feed it, `open_edges` those still open. `filled`: a value came.
    `ended` and `failed` are what its owner knows by now: nothing more comes, and that is so because something upstream failed.
    """

    __slots__ = (
        "capacity",
        "closed",
        "depth",
        "done",
        "edges",
        "ended",
        "failed",
        "failing",
        "feedback",
        "filled",
        "handle",
        "held",
        "inbox",
        "joins",
        "open_edges",
        "position",
        "reached",
        "repeating",
        "room",
    )

    def __init__(
        self,
        inbox: Inbox,
        handle: str,
        *,
        depth: int,
        repeating: bool,
        joins: bool = False,
        feedback: bool = False,
        edges: int = 1,
    ) -> None:
        self.inbox = inbox
        self.handle = handle
        self.position = len(inbox.slots)
        self.depth = depth
        self.repeating = repeating
        self.joins = joins
        self.feedback = feedback
        self.edges = self.open_edges = edges
        self.held = 0
        self.capacity = CAPACITY
        self.room = Wait(inbox.pulse)
        self.done: set[Lineage] = set()
        self.reached: Lineage = ()
        self.closed = False
        self.failing = False
        self.filled = False
        self.ended = False
        self.failed = False
        inbox.slots.append(self)

    def covers(self, lineage: Lineage) -> bool:
        """True when nothing more comes under that lineage: its source said so, or went on to a later one."""
        if self.ended or self.reached[: len(lineage)] > lineage:
            return True
        done = self.done
        return bool(done) and any(lineage[:length] in done for length in range(1, len(lineage) + 1))

    def lacks(self, lineage: Lineage) -> bool:
        """True when what would have come under that lineage was lost to a failure upstream."""
        if not self.failed or self.reached[: len(lineage)] > lineage:
            return False
        return not any(lineage[:length] in self.done for length in range(1, len(lineage) + 1))

    def release(self, count: int = 1) -> None:
        """Values were consumed; whoever waits for room may go on."""
        self.held -= count
        self.room.wake()

    def widen(self) -> None:
        """Give way: take more than the bound."""
        self.capacity *= 2
        self.room.wake()


class Inbox:
    """The queue of one node. Its owner takes `events`; producers put values, marks and ends."""

    __slots__ = ("abandoned", "arrival", "events", "pulse", "slots")

    def __init__(self, pulse: Pulse) -> None:
        self.pulse = pulse
        self.slots: list[Slot] = []
        self.events: deque[Event] = deque()
        self.arrival = Wait(pulse)
        self.abandoned = False

    def put(self, slot: Slot, lineage: Lineage, value: Any) -> None:
        """Take a value, whatever the bound; a producer that can wait first awaits `Slot.room`."""
        if self.abandoned:
            return
        slot.held += 1
        self.events.append((slot, lineage, value))
        self.arrival.wake()

    def mark(self, slot: Slot, lineage: Lineage) -> None:
        """Nothing more comes under that (non-empty) lineage on one edge of the slot.

        Where several edges share a slot their marks do not add up, so only their ends count.
        """
        if self.abandoned or slot.edges > 1:
            return
        self.events.append((slot, lineage, DONE))
        self.arrival.wake()

    def close_edge(self, slot: Slot, *, failed: bool = False) -> None:
        """One edge of the slot has ended, perhaps because something upstream failed."""
        slot.failing |= failed
        slot.open_edges -= 1
        if slot.open_edges == 0:
            self.close(slot)

    def close(self, slot: Slot) -> None:
        """The slot has ended."""
        if self.abandoned or slot.closed:
            return
        slot.closed = True
        self.events.append((slot, (), LOST if slot.failing else DONE))
        self.arrival.wake()

    async def next(self) -> Event:
        """The next event; waits for one.

        Raises:
            InboxOverflow: More values than `LIMIT` wait in its slot.
        """
        events = self.events
        while not events:
            await self.arrival.wait()
        event = events.popleft()
        slot, lineage, value = event
        if value is LOST:
            slot.failed = slot.ended = True
            return slot, (), DONE
        # One edge brings its values in the order of their keys; several edges together do not.
        if slot.edges == 1:
            slot.reached = max(slot.reached, lineage)
        if value is DONE:
            if lineage:
                slot.done.add(lineage)
            else:
                slot.ended = True
            return event
        slot.filled = True
        if slot.held > LIMIT:
            raise InboxOverflow(
                f'more than {LIMIT} values wait at input "{slot.handle}" for values of the other inputs; '
                "send fewer items, or join them after a Collect node"
            )
        return event

    def abandon(self) -> None:
        """The node has ended: drop what waits and what still comes, so that nobody upstream is held up."""
        self.abandoned = True
        self.events.clear()
        for slot in self.slots:
            slot.held = 0
            slot.room.wake()
