"""Nodes that bring two streams together, and the feedback loop (spec: nodes A5, B2). Each run is over one parent."""

from __future__ import annotations

from collections import deque
from typing import Any, ClassVar

from greenrun.document.js import truthy
from greenrun.document.values import ABSENT
from greenrun.workflows.node import Inbox, InputMode, Node, NodeContext, NodeError, OutputSpec
from greenrun.workflows.ports import Anything, Flag, Whole

MAX_ITERATIONS = 1000


class Zip(Node):
    """Pairs the items of two streams by their index; what has no partner is left out."""

    node_type: ClassVar[str] = "nodetool.control.Zip"
    input_mode: ClassVar[InputMode] = "stream"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("left", "any", "iteration", "pairs"),
        OutputSpec("right", "any", "iteration", "pairs"),
        OutputSpec("index", "int", "iteration", "pairs"),
    )

    left: Anything = None
    right: Anything = None
    max_unmatched_pairs: Whole = 1024

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        waiting: dict[str, deque[Any]] = {"left": deque(), "right": deque()}
        index = 0
        async for handle, value in inbox:
            if handle not in waiting:
                continue
            waiting[handle].append(value)
            if len(waiting[handle]) > self.max_unmatched_pairs:
                raise NodeError(
                    f'more than {self.max_unmatched_pairs} items of "{handle}" wait for a partner; '
                    "raise max_unmatched_pairs, or use Cross"
                )
            while waiting["left"] and waiting["right"]:
                await context.emit("left", waiting["left"].popleft())
                await context.emit("right", waiting["right"].popleft())
                await context.emit("index", index)
                index += 1


class Cross(Node):
    """Pairs every item of one stream with every item of the other."""

    node_type: ClassVar[str] = "nodetool.control.Cross"
    input_mode: ClassVar[InputMode] = "stream"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("left", "any", "iteration", "pairs"),
        OutputSpec("right", "any", "iteration", "pairs"),
    )

    left: Anything = None
    right: Anything = None
    max_output_count: Whole = 1024

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        arrived: dict[str, list[Any]] = {"left": [], "right": []}
        async for handle, value in inbox:
            if handle in arrived:
                arrived[handle].append(value)
        if len(arrived["left"]) * len(arrived["right"]) > self.max_output_count:
            raise NodeError(
                f"{len(arrived['left'])} by {len(arrived['right'])} items give more than "
                f"{self.max_output_count} pairs; raise max_output_count, or use Zip"
            )
        for left in arrived["left"]:
            for right in arrived["right"]:
                await context.emit("left", left)
                await context.emit("right", right)


class Loop(Node):
    """Runs what hangs on `value` again and again: its result comes back on `next` until the condition fails.

    An unwired condition gives exactly `max_iterations` passes; the body runs at least once.
    """

    node_type: ClassVar[str] = "nodetool.control.Loop"
    input_mode: ClassVar[InputMode] = "stream"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("value", "any", "iteration", "passes"),
        OutputSpec("index", "int", "iteration", "passes"),
        OutputSpec("done"),
    )

    initial: Anything = None
    next: Anything = None
    condition: Flag = True
    max_iterations: Whole = 10

    @property
    def passes(self) -> int:
        """The most passes through the body, 1 to 1000."""
        return max(1, min(self.max_iterations, MAX_ITERATIONS))

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        results, conditions = aiter(inbox.values("next")), aiter(inbox.values("condition"))
        value, goes_on, is_wired = self.initial, self.condition, False
        for index in range(self.passes):
            await context.emit("value", value)
            await context.emit("index", index)
            value = await anext(results, ABSENT)
            if value is ABSENT:
                # The body stopped feeding back: there is no result.
                return
            condition = await anext(conditions, ABSENT)
            if condition is not ABSENT:
                goes_on, is_wired = truthy(condition), True
            if not goes_on:
                break
        else:
            if is_wired:
                context.log(f"stopped after {self.passes} passes with the condition still true", "warning")
        # Before the result: the body ends when its source does.
        context.complete("value")
        context.complete("index")
        await context.emit("done", value)


NODES: tuple[type[Node], ...] = (Zip, Cross, Loop)
