"""When a buffered node fires, and with which values (spec: nodes A3.19-22, A4.28-31).

Values at the node's full scope are consumed once per key; those of shorter scopes are sticky and reused. A slot is decided
for a key when no further value can come for it: it had its one value, its source said that it is done, or a later key has
come. A key fires when every slot has a fresh value or is decided and at least one value is fresh; a slot without a fresh
value then repeats its last one. Keys fire in their order, so that neither the firings of a node nor their order depends on
which of its inputs is faster.
"""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from greenrun.document.values import ABSENT
from greenrun.workflows.engine.inbox import DONE, Event, Lineage, Slot, ended, unmarked


@dataclass(frozen=True, slots=True)
class Firing:
    """Fire for a key with these values by handle; `last` when the key is then over."""

    key: Lineage
    record: dict[str, Any]
    last: bool


@dataclass(frozen=True, slots=True)
class Over:
    """Nothing (more) fires under this lineage."""

    lineage: Lineage


Step: TypeAlias = Firing | Over


def matcher_for(slots: Sequence[Slot], depth: int) -> Matcher | SoleMatcher:
    """What decides about the firings of a node of that depth with these slots."""
    if len(slots) == 1:
        return SoleMatcher(slots[0])
    return Matcher(slots, depth)


class SoleMatcher:
    """For a node with one slot, which every value makes fire."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._settled = False

    @property
    def ended(self) -> bool:
        """True when nothing can fire any more."""
        return self._settled or self._slot.ended

    @property
    def lost(self) -> bool:
        """True when firings are missing because something upstream failed."""
        return _cut_short(self._slot)

    def take(self, event: Event) -> list[Step]:
        """What follows from an event, in order."""
        slot, lineage, value = event
        if value is DONE:
            slot.done.clear()
            return [Over(lineage)] if lineage else []
        slot.release()
        last = not slot.repeating
        self._settled = last and not lineage
        return [Firing(lineage, {slot.handle: value}, last)]


def _cut_short(slot: Slot) -> bool:
    """True for a stream that broke off, and for a slot that never got its one value because of a failure."""
    return slot.failed and (slot.repeating or slot.depth > 0 or not slot.filled)


class Pending:
    """What waits for one key: per slot a queue, the last consumed value, and whether one ever came.

    Every slot before the column `ready` has a value or is decided.
    """

    __slots__ = ("fresh", "last", "queues", "ready", "seen")

    def __init__(self, slots: int) -> None:
        self.queues: list[deque[Any]] = [deque() for _ in range(slots)]
        self.last: list[Any] = [ABSENT] * slots
        self.seen = [False] * slots
        self.fresh = 0
        self.ready = 0


class Matcher:
    """For a node with several slots. `depth` is the node's: that of its longest scope."""

    def __init__(self, slots: Sequence[Slot], depth: int) -> None:
        self.depth = depth
        self._slots = list(slots)
        self._full = [slot for slot in slots if slot.depth == depth]
        self._column = {slot: column for column, slot in enumerate(self._full)}
        self._sticky: dict[Slot, dict[Lineage, Any]] = {slot: {} for slot in slots if slot.depth < depth}
        self._pending: dict[Lineage, Pending] = {}
        self._agenda: list[tuple[float, ...]] = []
        self._settled = False
        self._dropped = False

    @property
    def lost(self) -> bool:
        """True when firings are missing because something upstream failed."""
        return self._dropped or any(_cut_short(slot) for slot in self._full)

    @property
    def ended(self) -> bool:
        """True when nothing can fire any more."""
        return self._settled or (not self._agenda and all(slot.ended for slot in self._full))

    def take(self, event: Event) -> list[Step]:
        """What follows from an event, in order."""
        slot, lineage, value = event
        column = self._column.get(slot)
        if column is None:
            if value is not DONE:
                self._sticky[slot][lineage] = value
                slot.release()
        elif value is not DONE:
            pending = self._expect(lineage)
            pending.queues[column].append(value)
            pending.seen[column] = True
            pending.fresh += 1
        elif len(lineage) == self.depth > 0:
            self._expect(lineage)
        elif lineage and ended(lineage) not in self._agenda:
            insort(self._agenda, ended(lineage))
        steps: list[Step] = []
        self._advance(steps)
        return steps

    def _expect(self, key: Lineage) -> Pending:
        pending = self._pending.get(key)
        if pending is None:
            pending = self._pending[key] = Pending(len(self._full))
            insort(self._agenda, key)
        return pending

    def _advance(self, steps: list[Step]) -> None:
        """Work off the agenda as far as it is decided; a key that is not keeps back those behind it."""
        while self._agenda:
            lineage, is_end = unmarked(self._agenda[0])
            if not (self._close if is_end else self._fire)(lineage, steps):
                return
            del self._agenda[0]

    def _close(self, parent: Lineage, steps: list[Step]) -> bool:
        """Pass on that a parent is over; False when it is not yet."""
        if not all(slot.covers(parent) for slot in self._full):
            return False
        length = len(parent)
        lost = any(slot.lacks(parent) for slot in self._full)
        for slot in self._slots:
            slot.done = {mark for mark in slot.done if mark[:length] != parent}
        for slot, values in self._sticky.items():
            self._sticky[slot] = {prefix: value for prefix, value in values.items() if prefix[:length] != parent}
        if not lost:
            steps.append(Over(parent))
        return True

    def _fire(self, key: Lineage, steps: list[Step]) -> bool:
        """The firings of a key that can be told by now; False when more may follow."""
        pending = self._pending[key]
        for slot, values in self._sticky.items():
            prefix = key[: slot.depth]
            if not slot.covers(prefix) and (slot.repeating or prefix not in values):
                return False
        if self._awaits(key, pending):
            return False
        over = [
            (pending.seen[column] and not slot.repeating) or slot.covers(key) for column, slot in enumerate(self._full)
        ]
        lost = any(slot.failed for slot in self._slots) and self._is_lost(key, pending)
        while pending.fresh and all(over[column] or queue for column, queue in enumerate(pending.queues)):
            if lost or self._lacks_partner(pending):
                self._drop(pending)
                break
            record = self._consume(key, pending)
            steps.append(Firing(key, record, last=not pending.fresh and all(over)))
        if pending.fresh or not all(over):
            return False
        del self._pending[key]
        for slot in self._full:
            slot.done.discard(key)
        # Without iteration there is one key, and it was this one.
        self._settled = not key
        self._dropped |= lost
        last = steps[-1] if steps else None
        if key and not lost and not (isinstance(last, Firing) and last.key == key):
            steps.append(Over(key))
        return True

    def _awaits(self, key: Lineage, pending: Pending) -> bool:
        """True while some slot has no value for the key and may still get one.

        What was found of a slot holds until a firing takes values away, so that many slots are not looked at for each event.
        """
        for column in range(pending.ready, len(self._full)):
            slot = self._full[column]
            decided = (pending.seen[column] and not slot.repeating) or slot.covers(key)
            if not decided and not pending.queues[column]:
                pending.ready = column
                return True
        pending.ready = 0
        return False

    def _is_lost(self, key: Lineage, pending: Pending) -> bool:
        """True for a key of which a failure upstream kept a value back: no default may stand in for that (docs/decisions/0014)."""
        return any(not pending.seen[column] and slot.lacks(key) for column, slot in enumerate(self._full)) or any(
            key[: slot.depth] not in values and slot.lacks(key[: slot.depth]) for slot, values in self._sticky.items()
        )

    def _lacks_partner(self, pending: Pending) -> bool:
        """True for an item of which another branch of its iteration sent nothing (spec: nodes A4.31)."""
        return self.depth > 0 and not all(pending.seen[column] or slot.joins for column, slot in enumerate(self._full))

    def _drop(self, pending: Pending) -> None:
        for slot, queue in zip(self._full, pending.queues, strict=True):
            if queue:
                slot.release(len(queue))
                queue.clear()
        pending.fresh = 0

    def _consume(self, key: Lineage, pending: Pending) -> dict[str, Any]:
        """The record of one firing; values that a list handle joins are put together in the order of its edges."""
        record: dict[str, Any] = {}
        for slot in self._slots:
            column = self._column.get(slot)
            if column is None:
                value = self._sticky[slot].get(key[: slot.depth], ABSENT)
            elif pending.queues[column]:
                value = pending.last[column] = pending.queues[column].popleft()
                pending.fresh -= 1
                slot.release()
            else:
                value = pending.last[column]
            if value is ABSENT:
                continue
            if not slot.joins:
                record[slot.handle] = value
            elif isinstance(value, list):
                record.setdefault(slot.handle, []).extend(value)
            else:
                record.setdefault(slot.handle, []).extend(() if value is None else (value,))
        return record
