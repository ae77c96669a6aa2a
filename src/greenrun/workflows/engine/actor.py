"""The actor of one node: takes what arrives, fires the node, and sends on what it produces (spec: nodes A3)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any

from greenrun.document.values import ABSENT, Value
from greenrun.workflows import messages
from greenrun.workflows.engine.allowance import denial_code
from greenrun.workflows.engine.context import Context
from greenrun.workflows.engine.escalation import Answer
from greenrun.workflows.engine.inbox import Inbox, Lineage
from greenrun.workflows.engine.matching import Firing, matcher_for
from greenrun.workflows.engine.outlet import Outlet
from greenrun.workflows.engine.plan import NodePlan
from greenrun.workflows.engine.result import VALUES_KEPT, NodeReport
from greenrun.workflows.node import Node, NodeError
from greenrun.workflows.runnable import RunnableNode

if TYPE_CHECKING:
    from greenrun.workflows.engine.run import Run

_BREATHE_EVERY = 32
"""After so many steps an actor lets others, cancellation among them, have a turn even if nothing made it wait."""

_SCALARS = (str, int, float, bool)


class Actor:
    """Runs one node. Subclasses and `work` know how it is fed; this knows how it fires, sends and fails.

    `lost`: what the node sends is not all that it would have sent, because something upstream failed; `cut`: it was at work then.
    """

    def __init__(self, run: Run, plan: NodePlan, inbox: Inbox, outlets: dict[str, Outlet], report: NodeReport) -> None:
        self.run = run
        self.plan = plan
        self.node = plan.node
        self.inbox = inbox
        self.outlets = outlets
        self.report = report
        self.error_detail: Any = None
        self.task: asyncio.Task[None] | None = None
        self.key: Lineage = ()
        self.lost = False
        self.cut = False
        self.context = Context(self)
        self._sent: set[str] = set()
        self._muted: set[str] = set()
        self._counters: dict[tuple[str, Lineage], int] = {}
        self._indexes = {outlet.root: outlet for outlet in outlets.values() if outlet.index}
        self._steps = 0
        self._hurried = 0

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
            if isinstance(error, NodeError) and denial_code(error) is not None:
                self.run.deny(error)
            self.error_detail = getattr(error, "error_detail", None)
            self._fail(error_text(error))
        else:
            if self.cut:
                self._tell_cancelled()
            elif report.status == "running":
                report.status = "completed"
                self._tell("completed", result=None if self.plan.silent else self._last_outputs())
        self.inbox.abandon()
        failed = self.lost or report.status == "error"
        for outlet in self.outlets.values():
            outlet.close(failed=failed)

    async def work(self) -> None:
        """Fire until nothing more can arrive."""

    def begin(self) -> None:
        """The node fires, the first time for sure.

        Raises:
            NotAllowed: It would act outside, in a run that may not.
        """
        if self.report.status == "idle":
            self.report.status = "running"
            self._tell("running")
        if self.node.node_type.effects == "external":
            self.run.allowance.check_external(_effect(self.node))
        self.context.begin()
        if not self.node.node_type.retry_safe:
            self.context.note_act()

    def hurry(self, on: bool) -> None:
        """Begin or end to send without waiting for room; calls of both kinds come in pairs."""
        self._hurried += 1 if on else -1
        for outlet in self.outlets.values():
            outlet.hurry(self._hurried > 0)

    async def fire(self, key: Lineage, record: Mapping[str, Any], *, last: bool) -> Mapping[str, Any]:
        """One firing for a key; `last` when nothing more comes for it. Gives what left the node, by handle."""
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
                failure = error
            finally:
                self.report.duration_ms += (time.perf_counter() - start) * 1000
            answer = await self.run.answer(self, failure, attempt, sent=bool(self._sent))
            if answer.action == "fail":
                raise failure
            if answer.action != "retry":
                outputs = await self.stand_in(answer)
                break
            attempt += 1
        if not self.plan.silent:
            self.run.emit(
                messages.generation_complete(
                    self.plan.id, self.node.title, self.node.type, outputs, self._scalars(record)
                )
            )
        if last and key:
            self.over(key)
        return outputs

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
        parts = node.gen_process(self.context)
        try:
            async for part in parts:
                present = {handle: value for handle, value in self._record(part).items() if value is not None}
                outputs.update(present)
                await self.route(present)
                await self._breathe()
        finally:
            # What the generator holds open, such as a model's stream, ends now and not when it is collected.
            if isinstance(parts, AsyncGenerator):
                await parts.aclose()
        return outputs

    async def stand_in(self, answer: Answer) -> Mapping[str, Any]:
        """Go on as the answer says: with other outputs, or with what was sent so far."""
        outputs = answer.outputs if answer.action == "substitute" else {}
        if answer.action == "end_stream":
            self.context.end_chunks()
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
            outlet = self.outlet(handle)
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
        outlet = self.outlet(handle)
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

    def outlet(self, handle: str) -> Outlet:
        outlet = self.outlets.get(handle)
        if outlet is not None:
            return outlet
        if not self.node.node_type.dynamic_outputs:
            raise NodeError(f'the node has no output "{handle}"')
        outlet = self.outlets[handle] = self.run.undeclared_outlet(self.plan, handle)
        outlet.hurry(self._hurried > 0)
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
        self.lost = matcher.lost


def _effect(node: RunnableNode) -> str:
    """What an external node would do, as a clause."""
    what = node.node_type.description.rstrip(".") or node.type
    return f'the node "{node.title}" ({node.type}) would do this: {what[:1].lower()}{what[1:]}'


def error_text(error: BaseException) -> str:
    """What an exception says, or its type when it says nothing."""
    return str(error).strip() or type(error).__name__
