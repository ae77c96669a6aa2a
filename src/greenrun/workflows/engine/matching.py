"""When a buffered node fires, and with which values (spec: nodes A3.19-22, A4.28-31).

Values at the node's full scope are consumed once per key; those of shorter scopes are sticky and reused. A slot is decided
for a key when no further value can come for it: it had its one value, or its source said that it is done. A key fires when
every slot has a fresh value or is decided and at least one value is fresh; a slot without a fresh value then repeats its
last one. So the firings of a node do not depend on which of its inputs is faster.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from greenrun.document.values import ABSENT
from greenrun.workflows.engine.inbox import DONE, Event, Lineage, Slot


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


class SoleMatcher:
    """The same for a node with one slot, which every value makes fire."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._settled = False

    @property
    def ended(self) -> bool:
        return self._settled or self._slot.ended

    def take(self, event: Event) -> list[Firing | Over]:
        """What follows from an event, in order."""
        slot, lineage, value = event
        if value is DONE:
            slot.done.clear()
            return [Over(lineage)] if lineage else []
        slot.release()
        last = not slot.repeating
        self._settled = last and not lineage
        return [Firing(lineage, {slot.handle: value}, last)]


def matcher_for(slots: Sequence[Slot], depth: int) -> Matcher | SoleMatcher:
    """What decides about the firings of a node of that depth with these slots."""
    if len(slots) == 1 and not slots[0].joins:
        return SoleMatcher(slots[0])
    return Matcher(slots, depth)


class Pending:
    """What waits for one key: per slot a queue, the last consumed value, and whether one ever came."""

    __slots__ = ("fresh", "last", "queues", "seen")

    def __init__(self, slots: int) -> None:
        self.queues: list[deque[Any]] = [deque() for _ in range(slots)]
        self.last: list[Any] = [ABSENT] * slots
        self.seen = [False] * slots
        self.fresh = 0


class Matcher:
    """Turns the events of an inbox into firings. `depth` is the node's: that of its longest scope."""

    def __init__(self, slots: Sequence[Slot], depth: int) -> None:
        self.depth = depth
        self._full = [slot for slot in slots if slot.depth == depth]
        self._sticky = [slot for slot in slots if slot.depth < depth]
        self._column = {slot: column for column, slot in enumerate(self._full)}
        self._order = list(slots)
        self._shared: dict[Slot, dict[Lineage, Any]] = {slot: {} for slot in self._sticky}
        self._pending: dict[Lineage, Pending] = {}
        self._closing: dict[Lineage, None] = {}
        self._settled = False

    @property
    def ended(self) -> bool:
        """True when nothing can fire any more."""
        return self._settled or (not self._pending and all(slot.ended for slot in self._full))

    def take(self, event: Event) -> list[Firing | Over]:
        """What follows from an event, in order."""
        slot, lineage, value = event
        actions: list[Firing | Over] = []
        column = self._column.get(slot)
        if value is DONE:
            if column is not None:
                self._note_done(lineage)
            self._advance_under(lineage, actions)
            self._close(actions)
        elif column is None:
            self._shared[slot][lineage] = value
            slot.release()
            self._advance_under(lineage, actions)
            self._close(actions)
        else:
            pending = self._pending.get(lineage)
            if pending is None:
                pending = self._pending[lineage] = Pending(len(self._full))
            pending.queues[column].append(value)
            pending.seen[column] = True
            pending.fresh += 1
            self._advance(lineage, pending, actions)
            self._close(actions)
        return actions

    def _note_done(self, lineage: Lineage) -> None:
        """Remember what a mark may bring to an end: one key, or every key under a parent."""
        if not lineage:
            return
        if len(lineage) < self.depth:
            self._closing[lineage] = None
        elif lineage not in self._pending:
            self._pending[lineage] = Pending(len(self._full))

    def _advance_under(self, lineage: Lineage, actions: list[Firing | Over]) -> None:
        length = len(lineage)
        for key in [key for key in self._pending if key[:length] == lineage]:
            self._advance(key, self._pending[key], actions)
            # Before the next key, so that what ended earlier is told earlier.
            self._close(actions)

    def _advance(self, key: Lineage, pending: Pending, actions: list[Firing | Over]) -> None:
        if not all(self._is_decided(slot, key) for slot in self._sticky):
            return
        full = self._full
        while pending.fresh:
            for column, slot in enumerate(full):
                if not pending.queues[column] and not self._is_over(slot, key, pending, column):
                    return
            if self.depth and not all(pending.seen[column] or slot.joins for column, slot in enumerate(full)):
                self._drop(pending)
                break
            record = self._consume(key, pending)
            actions.append(Firing(key, record, last=not pending.fresh and self._is_finished(key, pending)))
        if not pending.fresh and self._is_finished(key, pending):
            del self._pending[key]
            for slot in full:
                slot.done.discard(key)
            # Without iteration there is one key, and it was this one.
            self._settled = not key
            last = actions[-1] if actions else None
            if key and not (isinstance(last, Firing) and last.key == key):
                actions.append(Over(key))

    def _is_finished(self, key: Lineage, pending: Pending) -> bool:
        return all(self._is_over(slot, key, pending, column) for column, slot in enumerate(self._full))

    @staticmethod
    def _is_over(slot: Slot, key: Lineage, pending: Pending, column: int) -> bool:
        """True when no further value comes from a full slot for the key."""
        return (pending.seen[column] and not slot.repeating) or slot.covers(key)

    def _is_decided(self, slot: Slot, key: Lineage) -> bool:
        """True when a sticky slot has settled on its value, or on none, for the key's parent."""
        prefix = key[: slot.depth]
        return (not slot.repeating and prefix in self._shared[slot]) or slot.covers(prefix)

    def _consume(self, key: Lineage, pending: Pending) -> dict[str, Any]:
        """The record of one firing; values that a list handle joins are put together in the order of its edges."""
        record: dict[str, Any] = {}
        for slot in self._order:
            column = self._column.get(slot)
            if column is None:
                value = self._shared[slot].get(key[: slot.depth], ABSENT)
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

    def _drop(self, pending: Pending) -> None:
        """A partner of these values will never come."""
        for column, slot in enumerate(self._full):
            if queue := pending.queues[column]:
                slot.release(len(queue))
                queue.clear()
        pending.fresh = 0

    def _close(self, actions: list[Firing | Over]) -> None:
        """Pass on that a parent is over once all of its keys are, parents in their order."""
        for lineage in list(self._closing):
            length = len(lineage)
            if not all(slot.covers(lineage) for slot in self._full):
                return
            if any(key[:length] == lineage for key in self._pending):
                return
            del self._closing[lineage]
            for slot in self._order:
                slot.done = {mark for mark in slot.done if mark[:length] != lineage}
            for values in self._shared.values():
                for prefix in [prefix for prefix in values if prefix[:length] == lineage]:
                    del values[prefix]
            actions.append(Over(lineage))
