"""Node types that make the engine's behaviour visible: they wait for signals, fail, repeat, and leave early."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any, ClassVar

from pydantic import Field

from greenrun.document.values import ABSENT
from greenrun.workflows.graph import load_graph
from greenrun.workflows.node import BudgetExceeded, Effects, Inbox, Node, NodeContext, NodeError, OutputSpec
from greenrun.workflows.ports import Items


class Give(Node):
    """Sends its value."""

    node_type = "test.Give"
    value: Any = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": self.value}


class Wait(Node):
    """Says that it has started, then sends its value once the signal comes."""

    node_type = "test.Wait"
    signal: str = "go"
    value: Any = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        context.provider("signal", f"{context.node_id} started").set()
        await context.provider("signal", self.signal).wait()
        return {"output": self.value}


class Meet(Node):
    """Goes on only when two of its kind run at the same time."""

    node_type = "test.Meet"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        await context.provider("barrier", "two").wait()
        return {"output": context.node_id}


class Boom(Node):
    """Fails."""

    node_type = "test.Boom"
    text: str = "boom"
    value: Any = None

    async def process(self, context: NodeContext) -> Any:
        raise ValueError(self.text)


class Hang(Node):
    """Works until it is cancelled, and says that it was."""

    node_type = "test.Hang"
    value: Any = None

    async def process(self, context: NodeContext) -> Any:
        context.provider("signal", f"{context.node_id} started").set()
        try:
            await asyncio.Event().wait()
        finally:
            context.provider("signal", f"{context.node_id} stopped").set()


class Records(Node):
    """Yields partial records."""

    node_type = "test.Records"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("chunk", "any", "chunk"), OutputSpec("text", "str"))
    records: Items = Field(default_factory=list)

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        for record in self.records:
            yield record


class Pair(Node):
    """Sends what it got, as one list; what did not come is "-"."""

    node_type = "test.Pair"
    a: Any = "-"
    b: Any = "-"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": [self.a, self.b]}


class Gather(Node):
    """Has a list input."""

    node_type = "test.Gather"
    items: Items = Field(default_factory=lambda: ["default"])

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": list(self.items)}


class Relay(Node):
    """A stream node: sends on what comes, with the handle it came on."""

    node_type = "test.Relay"
    input_mode = "stream"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output"),)
    a: Any = None
    b: Any = None

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        async for handle, value in inbox:
            await context.emit("output", [handle, value])


class Required(Node):
    """Has a property that a run cannot do without."""

    node_type = "test.Required"
    text: str

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": self.text}


class SlowWhen(Node):
    """Holds one item back until the signal comes."""

    node_type = "test.SlowWhen"
    value: Any = None
    held: Any = None
    signal: str = "go"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        if self.value == self.held:
            await context.provider("signal", self.signal).wait()
        return {"output": self.value}


class Signal(Node):
    """Gives a signal when it fires."""

    node_type = "test.Signal"
    signal: str = "fast is through"
    value: Any = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        context.provider("signal", self.signal).set()
        return {"output": self.value}


class Spell(Node):
    """Sends letters as chunks."""

    node_type = "test.Spell"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("chunk", "str", "chunk"),)
    letters: Items = Field(default_factory=list)

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        for letter in self.letters:
            yield {"chunk": letter}


class Inc(Node):
    """Adds one."""

    node_type = "test.Inc"
    value: int = 0

    async def process(self, context: NodeContext) -> int:
        return self.value + 1


class Const(Node):
    """Answers the same to whatever comes."""

    node_type = "test.Const"
    answer: Any = None
    value: Any = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": self.answer}


class Stubborn(Node):
    """Holds on to its work when it is cancelled, until a signal comes that only the test gives."""

    node_type = "test.Stubborn"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        context.provider("signal", f"{context.node_id} started").set()
        while not context.provider("signal", "let go").is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await context.provider("signal", "let go").wait()
        context.log("too late")
        return {"output": "too late"}


class Busy(Node):
    """Yields for ever without ever waiting for anything."""

    node_type = "test.Busy"
    record: Any = None

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        context.provider("signal", f"{context.node_id} started").set()
        while True:
            yield self.record


class Flaky(Node):
    """Fails as often as it was told to."""

    node_type = "test.Flaky"
    name: str = "flaky"
    failures: int = 1

    async def process(self, context: NodeContext) -> dict[str, Any]:
        seen = context.provider("counter", self.name)
        seen.append(context.node_id)
        if len(seen) <= self.failures:
            raise RuntimeError(f"attempt {len(seen)}")
        return {"output": len(seen)}


class Unsafe(Boom):
    """Fails, and must not be tried again."""

    node_type = "test.Unsafe"
    retry_safe: ClassVar[bool] = False


class Torn(Node):
    """Sends something, then fails."""

    node_type = "test.Torn"

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        yield {"output": "half"}
        raise ValueError("torn")


class TornStream(Node):
    """A stream node that fails at the first value."""

    node_type = "test.TornStream"
    input_mode = "stream"
    value: Any = None

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        async for _, value in inbox:
            await context.emit("output", value)
            raise ValueError("torn")


class Talk(Node):
    """Uses everything that a context offers."""

    node_type = "test.Talk"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        context.progress(1, 4)
        context.chunk("hm", thinking=True)
        context.chunk("ab", True, handle="output")
        context.log("careful", "warning")
        context.message({"type": "planning_update", "phase": "Draft"})
        context.add_cost(0.25)  # type: ignore[attr-defined]
        context.add_cost(0.5)  # type: ignore[attr-defined]
        return {"output": await context.store_asset({"type": "image", "uri": "x"})}


class Ask(Node):
    """Asks for a provider that there is not."""

    node_type = "test.Ask"

    async def process(self, context: NodeContext) -> Any:
        try:
            return context.provider("language", "nope")
        except NodeError as error:
            error.error_detail = {"code": "provider_auth"}  # type: ignore[attr-defined]
            raise


class Early(Node):
    """Closes one output while it still works on the other."""

    node_type = "test.Early"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("first", "any"), OutputSpec("second", "any"))
    value: Any = None

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        yield {"first": "a"}
        context.complete("first")
        yield {"first": "dropped"}
        await context.provider("signal", "first is through").wait()
        yield {"second": "b"}


class Open(Node):
    """Has outputs that only its run names."""

    node_type = "test.Open"
    dynamic_outputs: ClassVar[bool] = True

    async def process(self, context: NodeContext) -> dict[str, Any]:
        await context.emit("spoken", 1)
        return {"late": 2}


class Command(Node):
    """A controller: sends control events."""

    node_type = "test.Command"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("__control__", "any", "chunk"),)
    events: Items = Field(default_factory=list)
    value: Any = None

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        for event in self.events:
            yield {"__control__": event}


class Asides(Node):
    """A stream node that reads its two inputs in tasks of their own."""

    node_type = "test.Asides"
    input_mode = "stream"
    a: Any = None
    b: Any = None

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        async def read(handle: str) -> list[Any]:
            return [value async for value in inbox.values(handle)]

        asyncio.get_running_loop().call_soon(context.provider("signal", f"{context.node_id} started").set)

        await context.emit("output", await asyncio.gather(read("a"), read("b")))


class SelfCancelled(Node):
    """Its work is cancelled from within."""

    node_type = "test.SelfCancelled"

    async def process(self, context: NodeContext) -> Any:
        task = asyncio.ensure_future(asyncio.Event().wait())
        task.cancel()
        await task


class Letters(Node):
    """An iteration without an index, that also names a handle that it does not have."""

    node_type = "test.Letters"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("letter", "str", "iteration"),)
    text: str = ""

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        for letter in self.text:
            yield {"letter": letter}
        if not self.text:
            await context.emit("ghost", 1)


class First(Node):
    """A stream node that leaves after the first value."""

    node_type = "test.First"
    input_mode = "stream"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "any", "aggregate"),)
    value: Any = None

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        async for _, value in inbox:
            await context.emit("output", value)
            return


class Partly(Node):
    """Leaves one of its outputs out."""

    node_type = "test.Partly"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("one"), OutputSpec("two"))

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"one": ABSENT, "two": 2}


class ManyInput(Node):
    """An input that sends several values."""

    node_type = "nodetool.input.TestMany"
    value: Items = Field(default_factory=list)

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        for item in self.value:
            yield {"output": item}


class QuietInput(Node):
    """An input that sends nothing by itself."""

    node_type = "nodetool.input.TestQuiet"
    value: Any = None

    async def process(self, context: NodeContext) -> None:
        return None


class Post(Node):
    """Sends something to a server outside."""

    node_type = "test.Post"
    effects: ClassVar[Effects] = "external"
    retry_safe: ClassVar[bool] = False
    value: Any = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        context.provider("counter", "posts").append(context.node_id)
        return {"output": self.value}


class PostStream(Node):
    """Sends each value that comes to a server outside."""

    node_type = "test.PostStream"
    input_mode = "stream"
    effects: ClassVar[Effects] = "external"
    value: Any = None

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        async for _, value in inbox:
            context.provider("counter", "posts").append(str(value))


class Spend(Node):
    """Makes a call that costs money."""

    node_type = "test.Spend"
    dollars: float = 0.5
    name: str = "calls"
    value: Any = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        context.check_budget()
        context.provider("counter", self.name).append(context.node_id)
        context.add_cost(self.dollars)
        return {"output": self.value}


class Thrifty(Node):
    """Goes on without a call that the budget does not allow."""

    node_type = "test.Thrifty"
    value: Any = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        try:
            context.check_budget()
        except BudgetExceeded:
            return {"output": "guessed"}
        return {"output": "asked"}


class Boss(Node):
    """A controller that lets its targets fire, one call after the other, and sends what they answered."""

    node_type = "test.Boss"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("answers"), OutputSpec("early"))
    calls: Items = Field(default_factory=list)
    early: Any = None
    aside: bool = False

    async def process(self, context: NodeContext) -> dict[str, Any]:
        answers: list[Any] = []
        if self.early is not None:
            await context.emit("early", self.early)
        for target, properties in self.calls:
            call = context.send_control(target, properties)
            try:
                answers.append(await (asyncio.ensure_future(call) if self.aside else call))
            except NodeError as error:
                answers.append(str(error))
        return {"answers": answers}


class Map(Node):
    """Says what it knows of the nodes that it controls."""

    node_type = "test.Map"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("known"),)

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"known": dict(context.control)}


class Impatient(Node):
    """A controller that gives up waiting for its target."""

    node_type = "test.Impatient"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output"),)

    async def process(self, context: NodeContext) -> dict[str, Any]:
        (target,) = context.control
        call = asyncio.ensure_future(context.send_control(target, {}))
        await context.provider("signal", f"{target} started").wait()
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await call
        context.provider("signal", "go").set()
        return {"output": "left"}


class TornAfter(Node):
    """Yields so many numbers, then fails."""

    node_type = "test.TornAfter"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "int", "iteration"),)
    count: int = 0
    value: Any = None

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        for number in range(self.count):
            yield {"output": number}
        raise ValueError("torn")


class Holder(Node):
    """Holds something open while it yields, and says when it has let it go."""

    node_type = "test.Holder"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output"), OutputSpec("other"))
    record: Any = None

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        try:
            yield {"output": 1}
            yield {"ghost": 2}
        finally:
            context.log("let go")


class Streamer(Node):
    """Streams text beside its output, then fails."""

    node_type = "test.Streamer"

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        context.chunk("a")
        yield {"output": "a"}
        raise ValueError("broke off")


class Stingy(Node):
    """Reports a cost that is none."""

    node_type = "test.Stingy"
    dollars: Any = None

    async def process(self, context: NodeContext) -> Any:
        context.add_cost(float(self.dollars))


class Caller(Node):
    """Runs a function of the workspace."""

    node_type = "test.Caller"
    function: str = "tools:shout"
    value: Any = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        result = await context.call_function(self.function, {"text": self.value})
        return {"output": result.outputs["result"][0]}


class Runner(Node):
    """Runs a graph that it makes itself."""

    node_type = "test.Runner"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        graph = load_graph({"nodes": [{"id": "g", "type": "test.Give", "data": {"value": 5}}]})
        result = await context.run_graph(graph, {}, name="a graph of its own")
        return {"output": result.outputs["g"]}


class Reach(Node):
    """Asks its host for something."""

    node_type = "test.Reach"
    what: str = ""

    async def process(self, context: NodeContext) -> dict[str, Any]:
        match self.what:
            case "media":
                return {"output": await context.read_media({"type": "image"})}
            case "http":
                return {"output": context.http()}
            case _:
                return {"output": context.files()}


class Channel(Node):
    """Writes a variable many times."""

    node_type = "test.Channel"
    count: int = 1

    async def process(self, context: NodeContext) -> dict[str, Any]:
        for number in range(self.count):
            context.set_variable("v", number)
        return {"output": self.count}


class Swallow(Node):
    """A stream node that takes a broken stream for its end."""

    node_type = "test.Swallow"
    input_mode = "stream"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "any", "aggregate"),)
    value: Any = None

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        values: list[Any] = []
        with contextlib.suppress(Exception):
            async for _, value in inbox:
                values.append(value)
        await context.emit("output", values)


NODES = (
    Post,
    PostStream,
    Spend,
    Thrifty,
    Boss,
    Map,
    Impatient,
    TornAfter,
    Holder,
    Streamer,
    Stingy,
    Caller,
    Reach,
    Runner,
    Channel,
    Swallow,
    Letters,
    First,
    Partly,
    ManyInput,
    QuietInput,
    Stubborn,
    Busy,
    Flaky,
    Unsafe,
    Torn,
    TornStream,
    Talk,
    Ask,
    Early,
    Open,
    Command,
    Asides,
    SelfCancelled,
    Signal,
    Spell,
    Inc,
    Const,
    Give,
    Wait,
    Meet,
    Boom,
    Hang,
    Records,
    Pair,
    Gather,
    Relay,
    Required,
    SlowWhen,
)
