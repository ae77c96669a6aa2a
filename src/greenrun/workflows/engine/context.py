"""What a firing node may ask of the engine."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from greenrun.document.js import trim
from greenrun.document.values import Value
from greenrun.workflows import messages
from greenrun.workflows.messages import Message
from greenrun.workflows.nesting import inner_graph
from greenrun.workflows.node import NodeError

if TYPE_CHECKING:
    import httpx

    from greenrun.workflows.engine.actor import Actor
    from greenrun.workflows.engine.control import Controls
    from greenrun.workflows.engine.result import RunResult
    from greenrun.workflows.files import WorkspaceFiles
    from greenrun.workflows.functions.ports import FunctionPorts


class Context:
    """The engine's side of `greenrun.workflows.node.NodeContext`, for one node."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self._run = actor.run
        self.node_id = actor.plan.id
        self.job_id = actor.run.job_id
        self.workflow_id = actor.run.workflow_id
        self._calls = 0
        self._called: set[str] = set()
        self._acted = False
        self._streaming: str | None = None

    async def emit(self, handle: str, value: Value) -> None:
        await self._actor.emit(handle, value)

    def complete(self, handle: str) -> None:
        self._actor.complete(handle)

    def progress(self, done: float, total: float = 1) -> None:
        self._run.emit(messages.node_progress(self.node_id, done, total))

    @property
    def run_scope(self) -> object:
        return self._run.frame.allowance

    @property
    def control(self) -> Mapping[str, dict[str, Any]]:
        return self._controls.context

    async def send_control(self, target: str, properties: Mapping[str, Any]) -> dict[str, Any]:
        # The target fires and sends its values on; doing that twice is not the same as once.
        self.note_act()
        return await self._controls.send(target, properties)

    @cached_property
    def _controls(self) -> Controls:
        return self._run.controls(self._actor)

    def end_chunks(self) -> None:
        """Close the text that the node was streaming, if any."""
        if self._streaming is not None:
            self.chunk("", True, handle=self._streaming or None)

    def chunk(self, content: str, done: bool = False, *, handle: str | None = None, thinking: bool = False) -> None:
        if not thinking:
            self._streaming = None if done else (handle or "")
        message = messages.chunk(self.node_id, content, done=done, thinking=thinking)
        if handle is not None:
            message["output_name"] = handle
        self._run.emit(message)

    def log(self, text: str, severity: str = "info") -> None:
        self._run.emit(messages.log_update(self.node_id, self._actor.node.title, text, severity))

    def message(self, message: Message) -> None:
        self._run.emit({"node_id": self.node_id, **message})

    def get_variable(self, name: str) -> AsyncIterator[Value]:
        return self._run.channels.read(trim(name))

    def set_variable(self, name: str, value: Value) -> None:
        self._run.channels.write(trim(name), value)

    def add_cost(self, dollars: float) -> None:
        self._run.frame.allowance.spend(dollars)
        context: Context | None = self
        while context is not None:
            report = context._actor.report
            report.cost = (report.cost or 0.0) + dollars
            context = context._run.frame.outer

    def check_budget(self) -> None:
        self._run.frame.allowance.check_budget()

    @asynccontextmanager
    async def paid_call(self) -> AsyncGenerator[None]:
        allowance = self._run.frame.allowance
        async with allowance.paid_call():
            if allowance.cost_cap is None:
                yield
                return
            # Whoever reads what this call sends may be waiting for its own turn to call: never wait for its inbox now.
            self._actor.hurry(True)
            try:
                yield
            finally:
                self._actor.hurry(False)

    async def store_asset(self, ref: dict[str, Any]) -> dict[str, Any]:
        return await self._run.frame.services.store_asset(ref)

    def provider(self, kind: str, name: str) -> Any:
        return self._run.frame.services.provider(kind, name)

    async def read_media(self, ref: Mapping[str, Any]) -> bytes:
        return await self._run.frame.services.read_media(ref)

    def http(self) -> httpx.AsyncClient:
        return self._run.frame.services.http()

    def files(self) -> WorkspaceFiles:
        return self._run.frame.services.files()

    async def load_workflow(self, workflow_id: str) -> Any | None:
        return await self._run.frame.graphs.load(self._run.frame.services, workflow_id)

    async def run_graph(
        self, graph: Any, params: Mapping[str, Any], *, name: str, workflow_id: str | None = None
    ) -> RunResult:
        frame = self._run.frame.inside(self, name=name, workflow_id=workflow_id)
        known = inner_graph(self._run.plan.graph.graph, self._actor.node.node)
        read = known if known is not None and known.stored is graph else frame.graphs.read(graph)
        try:
            return await frame.drive(frame, read, params)
        finally:
            frame.emit.shut()

    async def function_ports(self, function: str) -> FunctionPorts:
        return await self._run.frame.services.function_ports(function)

    async def call_function(self, function: str, params: Mapping[str, Any]) -> RunResult:
        frame = self._run.frame
        if not frame.allowance.allow_external:
            ports = await frame.services.function_ports(function)
            if ports.effects == "external":
                frame.allowance.check_external(f'the function "{function}" would be run')
        self._calls += 1
        self._called.add(function)
        result = await frame.services.call_function(
            function, params, job_id=f"{self.job_id}/{frame.path}{self.node_id}/{self._calls}", emit=self._forward
        )
        if result.cost is not None:
            self.add_cost(result.cost)
        return result

    def begin(self) -> None:
        """A firing begins: nothing was done in it so far."""
        self._acted = False
        self._called.clear()

    def note_act(self) -> None:
        """This firing did what a second one would do again; so did the nodes around this run."""
        context: Context | None = self
        while context is not None:
            context._acted = True
            context = context._run.frame.outer

    async def may_repeat(self) -> bool:
        """Whether this firing may be tried again, as far as what it called is concerned."""
        for function in self._called:
            try:
                ports = await self._run.frame.services.function_ports(function)
            except NodeError:
                continue  # a function that cannot be described was not run either
            if not ports.retry_safe:
                self.note_act()
        return not self._acted

    def _forward(self, message: Message) -> None:
        """What a function says while it runs, as this node's; its values and its end are for the node to tell."""
        kind = message["type"]
        if kind == "chunk":
            # A function streams under the name of an output.
            self._run.emit({**message, "node_id": self.node_id, "output_name": message.get("node_id")})
        elif kind == "node_progress":
            self._run.emit({**message, "node_id": self.node_id})
        elif kind == "log_update":
            self._run.emit({**message, "node_id": self.node_id, "node_name": self._actor.node.title})
