"""Stream nodes: each call of `run_stream` drains the values of one parent key (spec: nodes A3.19, A4.26).

Inputs that have one value per parent are waited for first: they are set on the node as properties, and stand in its inbox
too. Everything else arrives as it comes.
"""

from __future__ import annotations

import time
from bisect import insort
from collections import deque
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from greenrun.document.errors import GreenrunError
from greenrun.document.values import Value
from greenrun.workflows.engine.actor import Actor
from greenrun.workflows.engine.inbox import DONE, Event, Inbox, Lineage, Slot, ended, unmarked
from greenrun.workflows.engine.outlet import Outlet
from greenrun.workflows.engine.plan import NodePlan
from greenrun.workflows.engine.result import NodeReport

if TYPE_CHECKING:
    from greenrun.workflows.engine.run import Run


class UpstreamLost(GreenrunError):
    """Raised in a stream node whose input breaks off because something upstream failed."""

    code = "upstream_lost"


class Session:
    """The values of one parent key, as a stream node sees them (`greenrun.workflows.node.Inbox`)."""

    def __init__(self, flow: Flow, parent: Lineage) -> None:
        self.parent = parent
        self.waiting: deque[Event] = deque()
        self.waited = 0.0
        self.latest: Lineage = parent
        self.last: dict[str, Lineage] = {}
        self.broken = False
        self._flow = flow

    def __aiter__(self) -> Session:
        return self

    async def __anext__(self) -> tuple[str, Value]:
        return await self.take()

    def values(self, handle: str) -> AsyncIterator[Value]:
        """The values of one handle until its end."""
        return _Values(self, handle)

    async def take(self, handle: str | None = None) -> tuple[str, Value]:
        """The next value, of one handle or of any.

        Raises:
            StopAsyncIteration: No further one comes.
            UpstreamLost: None comes because something upstream failed.
        """
        while True:
            for position, event in enumerate(self.waiting):
                slot, lineage, value = event
                if handle is None or slot.handle == handle:
                    del self.waiting[position]
                    if self._flow.take(slot):
                        self.last[slot.handle] = lineage
                        self.latest = max(self.latest, lineage)
                    return slot.handle, value
            if self._flow.is_over(self.parent, handle):
                broken = self._flow.broken(self.parent, handle)
                if broken is None:
                    raise StopAsyncIteration
                self.broken = True
                raise UpstreamLost(f'input "{broken.handle}" broke off because something before it failed')
            start = time.perf_counter()
            await self._flow.pump()
            self.waited += time.perf_counter() - start


class _Values:
    """Iterates over the values of one handle; a class, so that a node may leave it at any time."""

    def __init__(self, session: Session, handle: str) -> None:
        self._session = session
        self._handle = handle

    def __aiter__(self) -> _Values:
        return self

    async def __anext__(self) -> Value:
        return (await self._session.take(self._handle))[1]


class Flow:
    """Sorts the events of an inbox into sessions, one per parent key of `depth` roots, and hands them out in their order."""

    def __init__(self, inbox: Inbox, depth: int) -> None:
        self.depth = depth
        self._inbox = inbox
        self._single = {
            slot: dict[Lineage, Any]()
            for slot in inbox.slots
            if not slot.feedback and (slot.depth < depth or (slot.depth == depth and not slot.repeating))
        }
        self._leading = [slot for slot in inbox.slots if not slot.feedback and slot.depth >= depth]
        self._sessions: dict[Lineage, Session] = {}
        self._agenda: list[tuple[float, ...]] = []
        self._over: set[Lineage] = set()
        self.lost = False

    async def pump(self) -> None:
        """Take in one event."""
        slot, lineage, value = await self._inbox.next()
        if value is DONE:
            self._note_done(slot, lineage)
            return
        parent = lineage[: self.depth]
        single = self._single.get(slot)
        if single is not None:
            single[lineage] = value
            slot.release()
            if len(parent) == self.depth:
                self._session(parent)
            return
        session = self._session(parent)
        if session is None:
            slot.release()
        else:
            session.waiting.append((slot, lineage, value))

    def take(self, slot: Slot) -> bool:
        """A value leaves a session's queue; True when it came through the stream and not as a single one."""
        if slot in self._single:
            return False
        slot.release()
        return True

    async def next(self) -> Session | Lineage | None:
        """The next parent key, its single inputs settled, or a shorter lineage that is over; None after the last."""
        if self.depth == 0:
            if self._over:
                return None
            self._session(())
        while True:
            if self._agenda:
                parent, is_end = unmarked(self._agenda[0])
                if self._is_closed(parent) if is_end else self._is_next(parent):
                    break
            elif all(slot.ended for slot in self._leading):
                self.lost |= any(slot.failed for slot in self._leading)
                return None
            await self.pump()
        del self._agenda[0]
        if is_end:
            self._over = {key for key in self._over if key[: len(parent)] != parent}
            return parent
        session = self._sessions[parent]
        await self._settle(session)
        return session

    def lacks_single(self, session: Session) -> bool:
        """True when a single input of a session did not come because something upstream failed."""
        prefixes = [(slot, session.parent[: slot.depth]) for slot in self._single]
        lacks = any(prefix not in self._single[slot] and slot.lacks(prefix) for slot, prefix in prefixes)
        self.lost |= lacks
        return lacks

    def broken(self, parent: Lineage, handle: str | None) -> Slot | None:
        """A slot, of that handle or any, whose stream for a parent broke off because something upstream failed."""
        streams = (slot for slot in self._slots(handle) if slot not in self._single)
        found = next((slot for slot in streams if slot.lacks(parent)), None)
        self.lost |= found is not None
        return found

    def _slots(self, handle: str | None) -> list[Slot]:
        return [slot for slot in self._inbox.slots if handle is None or slot.handle == handle]

    def _is_next(self, parent: Lineage) -> bool:
        """True when no earlier parent can come any more."""
        return all(slot.edges > 1 or slot.ended or slot.reached[: self.depth] >= parent for slot in self._leading)

    async def _settle(self, session: Session) -> None:
        """Wait for the single inputs, and put them in front."""
        while not all(self._is_settled(slot, session.parent) for slot in self._single):
            await self.pump()
        for slot, values in reversed(self._single.items()):
            prefix = session.parent[: slot.depth]
            if prefix in values:
                session.waiting.appendleft((slot, prefix, values[prefix]))

    def _is_closed(self, parent: Lineage) -> bool:
        return all(slot.covers(parent) for slot in self._leading)

    def singles(self, session: Session) -> dict[str, Any]:
        """The single inputs of a session that has not been drained yet, by handle."""
        return {slot.handle: value for slot, _, value in session.waiting if slot in self._single}

    def is_over(self, parent: Lineage, handle: str | None) -> bool:
        """True when nothing more comes for the parent, on that handle or on any."""
        return all(slot in self._single or slot.covers(parent) for slot in self._slots(handle))

    def finish(self, session: Session) -> None:
        """The node is done with a parent key; what is left of it is dropped, now and later."""
        del self._sessions[session.parent]
        self._over.add(session.parent)
        for slot, _, _ in session.waiting:
            self.take(slot)

    def _note_done(self, slot: Slot, lineage: Lineage) -> None:
        if not lineage or slot in self._single:
            return
        if len(lineage) == self.depth:
            self._session(lineage)
        elif len(lineage) < self.depth and ended(lineage) not in self._agenda:
            insort(self._agenda, ended(lineage))

    def _session(self, parent: Lineage) -> Session | None:
        if parent in self._over:
            return None
        session = self._sessions.get(parent)
        if session is None:
            session = self._sessions[parent] = Session(self, parent)
            insort(self._agenda, parent)
        return session

    def _is_settled(self, slot: Slot, parent: Lineage) -> bool:
        prefix = parent[: slot.depth]
        return (not slot.repeating and prefix in self._single[slot]) or slot.covers(prefix)


class StreamActor(Actor):
    """Hands its inbox to the node and sends what the node emits."""

    def __init__(self, run: Run, plan: NodePlan, inbox: Inbox, outlets: dict[str, Outlet], report: NodeReport) -> None:
        super().__init__(run, plan, inbox, outlets, report)
        self._flow = Flow(inbox, plan.session_depth)
        self._session = Session(self._flow, ())
        self._open: dict[str, tuple[Lineage, set[str]]] = {}

    async def work(self) -> None:
        while (due := await self._flow.next()) is not None:
            if isinstance(due, Session):
                await self._drain_session(due)
            else:
                self.over(due)
        self.lost = self._flow.lost

    async def _drain_session(self, session: Session) -> None:
        if self._flow.lacks_single(session):
            self._flow.finish(session)
            return
        self.begin()
        self.report.firings += 1
        self._session, self.key = session, session.parent
        self._sent.clear()
        self._muted.clear()
        self._open.clear()
        failure = await self._run_session(session)
        if failure is not None and session.broken:
            self.cut = True
        elif failure is not None:
            answer = await self.run.answer(self, failure, 1, sent=True)
            if answer.action == "fail":
                raise failure
            await self.stand_in(answer)
        self._flow.finish(session)
        if session.parent and not session.broken:
            self.over(session.parent)

    async def _run_session(self, session: Session) -> Exception | None:
        """Why the node could not work off a session; None when it did."""
        start = time.perf_counter()
        try:
            await self.node.create(self._flow.singles(session)).run_stream(session, self.context)
        except Exception as error:
            return error
        finally:
            self.report.duration_ms += (time.perf_counter() - start - session.waited) * 1000
        return None

    async def emit(self, handle: str, value: Value) -> None:
        """Send a value: a new item of an iteration, or with the lineage of what the node last took in."""
        outlet = self.outlet(handle)
        if outlet.index:
            return
        if outlet.root is not None:
            await self._emit_item(outlet, outlet.root, value)
            return
        lineage = self._session.latest
        if outlet.source is not None:
            lineage = self._session.last.get(outlet.source, lineage)
        await self.send(outlet, lineage[: outlet.depth], value)

    async def _emit_item(self, outlet: Outlet, root: str, value: Value) -> None:
        lineage, handles = self._open.get(root, ((), {outlet.handle}))
        if outlet.handle not in handles:
            handles.add(outlet.handle)
            await self.send(outlet, lineage, value)
            return
        lineage = self._token(root, self.key)
        self._open[root] = (lineage, {outlet.handle})
        await self.send(outlet, lineage, value)
        if index := self._indexes.get(root):
            await self.send(index, lineage, lineage[-1])
