"""Nodes that look at a whole stream of items (spec: nodes B1, B2). Each run is over the items of one parent."""

from __future__ import annotations

from typing import Any, ClassVar

from greenrun.document.js import deep_equal
from greenrun.workflows.expressions import ExpressionError, evaluate, is_true
from greenrun.workflows.node import Inbox, InputMode, Node, NodeContext, OutputSpec
from greenrun.workflows.nodes.list_values import identity
from greenrun.workflows.ports import Anything, Flag, Text, Whole

_ITEM = "input_item"
_FORWARD = OutputSpec("output", "any", "forward", source=_ITEM)
_FORWARD_INDEX = OutputSpec("index", "int", "forward", source=_ITEM)


class StreamNode(Node):
    """Base of the nodes that drain `input_item`."""

    input_mode: ClassVar[InputMode] = "stream"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (_FORWARD,)

    input_item: Anything = None


class Collect(StreamNode):
    """Gathers a stream into one list; the empty stream gives the empty list."""

    node_type: ClassVar[str] = "nodetool.control.Collect"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "list[any]", "aggregate"),)

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        await context.emit("output", [value async for value in inbox.values(_ITEM)])


class Last(StreamNode):
    """Sends the last item; nothing for the empty stream."""

    node_type: ClassVar[str] = "nodetool.control.Last"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "any", "aggregate"),)

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        last: list[Any] = []
        async for value in inbox.values(_ITEM):
            last = [value]
        for value in last:
            await context.emit("output", value)


class Count(StreamNode):
    """Counts the items; 0 for the empty stream."""

    node_type: ClassVar[str] = "nodetool.control.Count"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "int", "aggregate"),)

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        count = 0
        async for _ in inbox.values(_ITEM):
            count += 1
        await context.emit("output", count)


class Take(StreamNode):
    """Sends the first n items and reads the rest without sending it."""

    node_type: ClassVar[str] = "nodetool.control.Take"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (_FORWARD, _FORWARD_INDEX)

    n: Whole = 1

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        taken = 0
        # Closed at once rather than at the end: consumers need not wait for the rest of the stream.
        if self.n <= 0:
            _complete(context)
        async for value in inbox.values(_ITEM):
            if taken < self.n:
                await context.emit("output", value)
                await context.emit("index", taken)
                taken += 1
                if taken == self.n:
                    _complete(context)


class Drop(StreamNode):
    """Leaves out the first n items."""

    node_type: ClassVar[str] = "nodetool.control.Drop"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (_FORWARD, _FORWARD_INDEX)

    n: Whole = 1

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        seen = 0
        async for value in inbox.values(_ITEM):
            if seen >= self.n:
                await context.emit("output", value)
                await context.emit("index", seen - max(self.n, 0))
            seen += 1


class TakeWhile(StreamNode):
    """Sends items up to the first for which the predicate is false."""

    node_type: ClassVar[str] = "nodetool.control.TakeWhile"

    predicate: Text = "true"

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        taking, index = True, 0
        async for value in inbox.values(_ITEM):
            if taking and is_true(self.predicate, value, index=index):
                await context.emit("output", value)
            elif taking:
                taking = False
                context.complete("output")
            index += 1


class DropWhile(StreamNode):
    """Leaves out items up to the first for which the predicate is false."""

    node_type: ClassVar[str] = "nodetool.control.DropWhile"

    predicate: Text = "false"

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        dropping, index = True, 0
        async for value in inbox.values(_ITEM):
            dropping = dropping and is_true(self.predicate, value, index=index)
            if not dropping:
                await context.emit("output", value)
            index += 1


class FilterCode(Node):
    """Lets items through for which an expression on `item` is true; one that fails counts as false."""

    node_type: ClassVar[str] = "nodetool.control.FilterCode"

    input_item: Anything = None
    predicate: Text = "true"

    async def process(self, context: NodeContext) -> dict[str, Any] | None:
        return {"output": self.input_item} if is_true(self.predicate, self.input_item) else None


class FilterEqual(Node):
    """Lets items through that equal a value, or with `invert` those that do not."""

    node_type: ClassVar[str] = "nodetool.control.FilterEqual"

    input_item: Anything = None
    value: Anything = None
    invert: Flag = False

    async def process(self, context: NodeContext) -> dict[str, Any] | None:
        passes = deep_equal(self.input_item, self.value) is not self.invert
        return {"output": self.input_item} if passes else None


class Chunk(StreamNode):
    """Groups items into lists of a size; what is left over comes last."""

    node_type: ClassVar[str] = "nodetool.control.Chunk"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("output", "list[any]", "iteration", "chunks"),
        OutputSpec("index", "int", "iteration", "chunks"),
    )

    size: Whole = 10

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        batch: list[Any] = []
        index = 0
        size = max(self.size, 1)
        async for value in inbox.values(_ITEM):
            batch.append(value)
            if len(batch) == size:
                await _send_batch(context, batch, index)
                batch, index = [], index + 1
        if batch:
            await _send_batch(context, batch, index)


class Distinct(StreamNode):
    """Lets each item through once; `key` is an expression on `item` that says what counts as the same."""

    node_type: ClassVar[str] = "nodetool.control.Distinct"

    key: Text = ""

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        seen: set[str] = set()
        async for value in inbox.values(_ITEM):
            mark = identity(self.sameness(value))
            if mark not in seen:
                seen.add(mark)
                await context.emit("output", value)

    def sameness(self, value: Any) -> Any:
        """What two items have in common that count as the same; a key that fails is null."""
        if not self.key.strip():
            return value
        try:
            return evaluate(self.key, {"item": value})
        except ExpressionError:
            return None


def _complete(context: NodeContext) -> None:
    context.complete("output")
    context.complete("index")


async def _send_batch(context: NodeContext, batch: list[Any], index: int) -> None:
    await context.emit("output", batch)
    await context.emit("index", index)


NODES: tuple[type[Node], ...] = (
    Collect,
    Last,
    Count,
    Take,
    Drop,
    TakeWhile,
    DropWhile,
    FilterCode,
    FilterEqual,
    Chunk,
    Distinct,
)
