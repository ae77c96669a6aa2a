"""What a firing node may ask of the engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from greenrun.document.js import trim
from greenrun.document.values import Value
from greenrun.workflows import messages
from greenrun.workflows.messages import Message

if TYPE_CHECKING:
    import httpx

    from greenrun.workflows.engine.actor import Actor
    from greenrun.workflows.files import WorkspaceFiles


class Context:
    """The engine's side of `greenrun.workflows.node.NodeContext`, for one node."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self._run = actor.run
        self.node_id = actor.plan.id
        self.job_id = actor.run.job_id
        self.workflow_id = actor.run.workflow_id

    async def emit(self, handle: str, value: Value) -> None:
        await self._actor.emit(handle, value)

    def complete(self, handle: str) -> None:
        self._actor.complete(handle)

    def progress(self, done: float, total: float = 1) -> None:
        self._run.emit(messages.node_progress(self.node_id, done, total))

    def chunk(self, content: str, done: bool = False, *, handle: str | None = None, thinking: bool = False) -> None:
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
        """Add what a call to a provider cost, in US dollars."""
        report = self._actor.report
        report.cost = (report.cost or 0.0) + dollars

    def check_budget(self) -> None:
        self._run.check_budget()

    async def store_asset(self, ref: dict[str, Any]) -> dict[str, Any]:
        return await self._run.services.store_asset(ref)

    def provider(self, kind: str, name: str) -> Any:
        return self._run.services.provider(kind, name)

    async def read_media(self, ref: Mapping[str, Any]) -> bytes:
        return await self._run.services.read_media(ref)

    def http(self) -> httpx.AsyncClient:
        return self._run.services.http()

    def files(self) -> WorkspaceFiles:
        return self._run.services.files()

    async def load_workflow(self, workflow_id: str) -> Any | None:
        return await self._run.services.load_workflow(workflow_id)
