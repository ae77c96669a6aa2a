"""One node fired by hand, with a context and an inbox in memory."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from greenrun.workflows.node import NodeError
from greenrun.workflows.registry import NodeType, builtin_types


class MemoryContext:
    """Notes what a node does; `variables` are the values that channels bring."""

    node_id = "node"
    job_id = "job"
    workflow_id: str | None = None
    control: Mapping[str, Any] = {}

    def __init__(
        self,
        variables: Mapping[str, list[Any]] | None = None,
        *,
        providers: Mapping[tuple[str, str], Any] | None = None,
        client: Any = None,
        workspace: Any = None,
        workflows: Mapping[str, Any] | None = None,
    ) -> None:
        self.providers = dict(providers or {})
        self.client = client
        self.workspace = workspace
        self.workflows = dict(workflows or {})
        self.cost = 0.0
        self.messages: list[dict[str, Any]] = []
        self.variables = {name: list(values) for name, values in (variables or {}).items()}
        self.emitted: list[tuple[str, Any]] = []
        self.completed: list[str] = []
        self.chunks: list[tuple[str, bool]] = []
        self.logs: list[tuple[str, str]] = []

    @property
    def run_scope(self) -> object:
        return self

    async def emit(self, handle: str, value: Any) -> None:
        if handle not in self.completed:
            self.emitted.append((handle, value))

    def complete(self, handle: str) -> None:
        self.completed.append(handle)

    def progress(self, done: float, total: float = 1) -> None: ...

    def chunk(self, content: str, done: bool = False, *, handle: str | None = None, thinking: bool = False) -> None:
        self.chunks.append((content, done))

    def log(self, text: str, severity: str = "info") -> None:
        self.logs.append((severity, text))

    def message(self, message: dict[str, Any]) -> None:
        self.messages.append(message)

    async def get_variable(self, name: str) -> AsyncIterator[Any]:
        for value in self.variables.get(name, []):
            yield value

    def set_variable(self, name: str, value: Any) -> None:
        self.variables.setdefault(name, []).append(value)

    async def store_asset(self, ref: dict[str, Any]) -> dict[str, Any]:
        return {**ref, "asset_id": "a1", "uri": "asset://a1.png"}

    async def read_media(self, ref: Mapping[str, Any]) -> bytes:
        if isinstance(ref.get("data"), str):
            return base64.b64decode(ref["data"])
        raise NodeError("the media has no content")

    def provider(self, kind: str, name: str) -> Any:
        try:
            return self.providers[kind, name]
        except KeyError:
            raise NodeError(f'no {kind} provider "{name}"') from None

    def add_cost(self, dollars: float) -> None:
        self.cost += dollars

    def check_budget(self) -> None: ...

    @asynccontextmanager
    async def paid_call(self) -> AsyncIterator[None]:
        self.check_budget()
        yield

    def http(self) -> Any:
        return self.client

    def files(self) -> Any:
        return self.workspace

    async def load_workflow(self, workflow_id: str) -> Any:
        return self.workflows.get(workflow_id)

    async def run_graph(self, graph: Any, params: Mapping[str, Any], *, name: str) -> Any:
        raise NotImplementedError

    async def call_function(self, function: str, params: Mapping[str, Any]) -> Any:
        raise NotImplementedError

    def sent(self, handle: str = "output") -> list[Any]:
        return [value for name, value in self.emitted if name == handle]


class MemoryInbox:
    """Values by handle that have all arrived, in the order of `arrivals`."""

    def __init__(self, arrivals: Iterable[tuple[str, Any]]) -> None:
        self.arrivals = list(arrivals)

    async def __aiter__(self) -> AsyncIterator[tuple[str, Any]]:
        while self.arrivals:
            yield self.arrivals.pop(0)

    async def values(self, handle: str) -> AsyncIterator[Any]:
        while found := next((item for item in self.arrivals if item[0] == handle), None):
            self.arrivals.remove(found)
            yield found[1]


def builtin(name: str) -> NodeType:
    """A built-in type by the end of its name."""
    matches = [found for key, found in builtin_types().items() if key == name or key.endswith(f".{name}")]
    assert len(matches) == 1, f"{name} means {[found.type for found in matches]}"
    return matches[0]


async def fire(name: str, context: MemoryContext | None = None, /, **values: Any) -> dict[str, Any]:
    """The record of one firing of a node that has `process`."""
    found = builtin(name)
    return found.record(await found.create(values).process(context or MemoryContext()))


async def output(name: str, /, **values: Any) -> Any:
    """What one firing sends on `output`."""
    return (await fire(name, **values))["output"]


async def generate(name: str, context: MemoryContext | None = None, /, **values: Any) -> list[dict[str, Any]]:
    """The partial records of one firing of a node that has `gen_process`."""
    node = builtin(name).create(values)
    return [record async for record in node.gen_process(context or MemoryContext())]


async def stream(name: str, items: Iterable[Any], /, *, handle: str = "input_item", **values: Any) -> MemoryContext:
    """The context after a stream node has drained the items."""
    context = MemoryContext()
    await builtin(name).create(values).run_stream(MemoryInbox((handle, item) for item in items), context)
    return context


async def drain(name: str, arrivals: Iterable[tuple[str, Any]], /, **values: Any) -> MemoryContext:
    """The context after a stream node has drained pairs of handle and value."""
    context = MemoryContext()
    await builtin(name).create(values).run_stream(MemoryInbox(arrivals), context)
    return context
