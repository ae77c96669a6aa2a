"""The actor of one node: takes what arrives, fires the node, and sends on what it produces (spec: nodes A3)."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from greenrun.document.values import ABSENT, Value
from greenrun.workflows import messages
from greenrun.workflows.engine.context import Context
from greenrun.workflows.engine.escalation import Answer
from greenrun.workflows.engine.inbox import DONE, Inbox, Lineage
from greenrun.workflows.engine.matching import Firing, matcher_for
from greenrun.workflows.engine.outlet import Outlet
from greenrun.workflows.engine.plan import CONTROL_HANDLE, NodePlan
from greenrun.workflows.engine.result import VALUES_KEPT, NodeReport
from greenrun.workflows.node import Node, NodeError

if TYPE_CHECKING:
    from greenrun.workflows.engine.run import Run

_BREATHE_EVERY = 32
"""After so many steps an actor lets others, cancellation among them, have a turn even if nothing made it wait."""

_SCALARS = (str, int, float, bool)


class Actor:
    """Runs one node. Subclasses and `work` know how it is fed; this knows how it fires, sends and fails."""

    def __init__(self, run: Run, plan: NodePlan, inbox: Inbox, outlets: dict[str, Outlet], report: NodeReport) -> None:
        self.run = run
        self.plan = plan
        self.node = plan.node
        self.inbox = inbox
        self.outlets = outlets
        self.report = report
        self.error_detail: Any = None
        self.key: Lineage = ()
        self.context = Context(self)
        self._sent: set[str] = set()
        self._muted: set[str] = set()
        self._counters: dict[tuple[str, Lineage], int] = {}
        self._indexes = {outlet.root: outlet for outlet in outlets.values() if outlet.index}
        self._steps = 0

    async def live(self) -> None:
        """From start to end of the node's part in the run; never raises, except for the run's own cancellation."""
        report = self.report
        try:
            await self.work()
        except asyncio.CancelledError:
            if self.run.stopping:
                self._tell_cancelled()
                raise
            self._fail("the node's work was cancelled from within")
        except Exception as error:
            self.error_detail = getattr(error, "error_detail", None)
            self._fail(error_text(error))
        else:
            if report.status == "running":
                report.status = "completed"
                self._tell("completed", result=None if self.plan.silent else self._last_outputs())
        self.inbox.abandon()
        for outlet in self.outlets.values():
            outlet.close()

    async def work(self) -> None:
        """Fire until nothing more can arrive."""

    def begin(self) -> None:
        """The node fires, the first time for sure."""
        if self.report.status == "idle":
            self.report.status = "running"
            self._tell("running")

    async def fire(self, key: Lineage, record: Mapping[str, Any], *, last: bool) -> None:
        """One firing for a key; `last` when nothing more comes for it."""
        self.begin()
        self.report.firings += 1
        self.key = key
        self._sent.clear()
        if self._muted:
            self._muted.clear()
        attempt = 1
        while True:
            start = time.perf_counter()
            try:
                outputs = await self._attempt(record)
                break
            except Exception as error:
                answer = await self.run.answer(self, error, attempt, sent=bool(self._sent))
                if answer.action == "retry":
                    attempt += 1
                    continue
                if answer.action == "fail":
                    raise
                outputs = await self._stand_in(answer)
                break
            finally:
                self.report.duration_ms += (time.perf_counter() - start) * 1000
        if not self.plan.silent:
            self.run.emit(
                messages.generation_complete(
                    self.plan.id, self.node.title, self.node.type, outputs, self._scalars(record)
                )
            )
        if last and key:
            self.over(key)

    async def _attempt(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        node = self.node.create(record)
        if self.node.node_type.generates:
            return await self._drain(node)
        outputs = self._record(await node.process(self.context))
        await self.route(outputs)
        return outputs

    async def _drain(self, node: Node) -> Mapping[str, Any]:
        """Route every partial record at once; entries that are null are no values (spec: nodes A3.21)."""
        outputs: dict[str, Any] = {}
        async for part in node.gen_process(self.context):
            present = {handle: value for handle, value in self._record(part).items() if value is not None}
            outputs.update(present)
            await self.route(present)
            await self._breathe()
        return outputs

    async def _stand_in(self, answer: Answer) -> Mapping[str, Any]:
        outputs = answer.outputs if answer.action == "substitute" else {}
        await self.route(outputs)
        return outputs

    def _record(self, result: Any) -> Mapping[str, Any]:
        if isinstance(result, dict) and result.keys() <= self.outlets.keys():
            return result
        return self.node.node_type.record(result)

    async def route(self, record: Mapping[str, Any]) -> None:
        """Send a record on the outlets; the handles of one iteration group share a new index (spec: nodes A4.26)."""
        tokens: dict[str, Lineage] = {}
        for handle, value in record.items():
            outlet = self._outlet(handle)
            if outlet.index:
                continue
            if outlet.root is None:
                lineage = self.key[: outlet.depth]
            elif (lineage := tokens.get(outlet.root)) is None:
                lineage = tokens[outlet.root] = self._token(outlet.root, self.key)
            await self.send(outlet, lineage, value)
        for root, lineage in tokens.items():
            if index := self._indexes.get(root):
                await self.send(index, lineage, lineage[-1])

    async def send(self, outlet: Outlet, lineage: Lineage, value: Value) -> None:
        """Send one value and keep it for the report."""
        handle = outlet.handle
        if value is ABSENT or outlet.closed or handle in self._muted:
            return
        self._sent.add(handle)
        kept = self.report.outputs.setdefault(handle, [])
        if len(kept) < VALUES_KEPT:
            kept.append(value)
        else:
            kept[-1] = value
        await outlet.send(lineage, value)
        await self._breathe()

    async def _breathe(self) -> None:
        self._steps += 1
        if self._steps % _BREATHE_EVERY == 0:
            await asyncio.sleep(0)

    async def emit(self, handle: str, value: Value) -> None:
        """Send a value that the node emits by itself."""
        await self.route({handle: value})

    def complete(self, handle: str) -> None:
        """Close a handle early: for the whole run, or for the current key when there are several."""
        outlet = self._outlet(handle)
        if not self.key:
            outlet.close()
            return
        self._muted.add(handle)
        outlet.mark(self.key)

    def over(self, lineage: Lineage) -> None:
        """Nothing more leaves this node for that key, or for any key under that parent."""
        length = len(lineage)
        for outlet in self.outlets.values():
            if length < self.plan.depth or outlet.depth > length or outlet.repeating or outlet.handle not in self._sent:
                outlet.mark(lineage)
        for counter in [counter for counter in self._counters if counter[1][:length] == lineage]:
            del self._counters[counter]

    def _token(self, root: str, parent: Lineage) -> Lineage:
        """The lineage of the next item under a parent (spec: nodes A4.32)."""
        number = self._counters.get((root, parent), 0)
        self._counters[root, parent] = number + 1
        return (*parent, number)

    def _outlet(self, handle: str) -> Outlet:
        outlet = self.outlets.get(handle)
        if outlet is not None:
            return outlet
        if not self.node.node_type.dynamic_outputs:
            raise NodeError(f'the node has no output "{handle}"')
        outlet = self.outlets[handle] = self.run.undeclared_outlet(self.plan, handle)
        return outlet

    def _last_outputs(self) -> dict[str, Any]:
        return {handle: values[-1] for handle, values in self.report.outputs.items()}

    def _scalars(self, record: Mapping[str, Any]) -> dict[str, Any]:
        values = {**self.node.properties, **record}
        return {name: value for name, value in values.items() if isinstance(value, _SCALARS)}

    def _fail(self, text: str) -> None:
        self.report.status = "error"
        self.report.error = text
        self._tell("error", error=text)

    def _tell_cancelled(self) -> None:
        if self.report.status == "running":
            self.report.status = "cancelled"
            self._tell("cancelled")

    def _tell(
        self, status: messages.NodeStatus, *, error: str | None = None, result: dict[str, Any] | None = None
    ) -> None:
        report = self.report
        self.run.emit(
            messages.node_update(
                report.node_id,
                report.node_name,
                report.node_type,
                status,
                error=error,
                error_detail=self.error_detail if isinstance(self.error_detail, dict) else None,
                result=result,
                provider_cost=report.cost,
                duration_ms=None if status == "running" else round(report.duration_ms, 3),
            )
        )


class BufferedActor(Actor):
    """Gathers its inputs by key and fires once per firing that the matcher finds (spec: nodes A3.19)."""

    async def work(self) -> None:
        if not self.inbox.slots:
            await self.fire((), {}, last=True)
            return
        matcher = matcher_for(self.inbox.slots, self.plan.depth)
        while not matcher.ended:
            for action in matcher.take(await self.inbox.next()):
                if isinstance(action, Firing):
                    await self.fire(action.key, action.record, last=action.last)
                else:
                    self._sent.clear()
                    self.over(action.lineage)


class ControlledActor(Actor):
    """Fires once per event of its controllers, with the latest value of each data input (spec: nodes A6.36)."""

    async def work(self) -> None:
        control = next(slot for slot in self.inbox.slots if slot.handle == CONTROL_HANDLE)
        data = [slot for slot in self.inbox.slots if slot is not control]
        cached: dict[str, Any] = {}
        events: deque[Any] = deque()
        while True:
            if events and all(slot.handle in cached or slot.ended for slot in data):
                properties = control_properties(events.popleft())
                if properties is None:
                    return
                await self.fire((), {**cached, **properties}, last=False)
            elif control.ended and not events:
                return
            else:
                slot, _, value = await self.inbox.next()
                if value is DONE:
                    continue
                slot.release()
                if slot is control:
                    events.append(value)
                else:
                    cached[slot.handle] = value


def control_properties(event: Any) -> dict[str, Any] | None:
    """The properties of a run event, None for a stop event; a bare record is a run event (spec: nodes A6.35)."""
    if not isinstance(event, dict):
        raise NodeError(f"a control event must be a record, not a {type(event).__name__}")
    if event.get("event_type") == "stop":
        return None
    properties = event.get("properties")
    return properties if isinstance(properties, dict) else {k: v for k, v in event.items() if k != "event_type"}


def error_text(error: BaseException) -> str:
    """What an exception says, or its type when it says nothing."""
    return str(error).strip() or type(error).__name__
