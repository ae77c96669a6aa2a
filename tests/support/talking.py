"""A scripted language model, and the host of a node that talks to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolReturnPart, UserPromptPart
from pydantic_ai.models import CompletedStreamedResponse
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel
from pydantic_ai.models.wrapper import WrapperModel

from greenrun.workflows.engine.result import RunResult
from greenrun.workflows.functions.ports import FunctionPorts
from greenrun.workflows.node import BudgetExceeded, Node, NodeError
from greenrun.workflows.providers.streams import PiecesStream
from greenrun.workflows.registry import describe_node_type

NAME = "openai:gpt-5-mini"
CHOICE = {"type": "language_model", "provider": "openai", "id": "gpt-5-mini", "name": "GPT-5 mini"}
UNPRICED_NAME = "openrouter:nobody/knows-this"
UNPRICED_CHOICE = {"type": "language_model", "provider": "openrouter", "id": "nobody/knows-this"}


def call(name: str, arguments: Any = None, *, pieces: int = 1, index: int = 0, **given: Any) -> list[Any]:
    """A tool call as pieces of a reply."""
    text = arguments if isinstance(arguments, str) else json.dumps(given if arguments is None else arguments)
    size = max(1, -(-len(text) // pieces))
    first, *rest = [text[at : at + size] for at in range(0, len(text), size)] or [""]
    start = DeltaToolCall(name=name, json_args=first, tool_call_id=f"call-{name}-{index}")
    return [{index: start}, *({index: DeltaToolCall(json_args=piece)} for piece in rest)]


def submit(pieces: int = 1, **values: Any) -> list[Any]:
    """The call that hands in values."""
    return call("submit_result", values, pieces=pieces)


def thought(text: str) -> Any:
    return {0: DeltaThinkingPart(content=text)}


class Talker:
    """Answers with its replies in order; the last one repeats.

    A reply is a text, or pieces: texts, parts of calls and thoughts, exceptions to raise, events to wait for.
    """

    def __init__(self, *replies: Any) -> None:
        self.replies = [[reply] if isinstance(reply, (str, Exception)) else list(reply) for reply in replies]
        self.asked: list[list[ModelMessage]] = []
        self.infos: list[AgentInfo] = []
        self.started = asyncio.Event()
        self.closed = 0
        self.model = FunctionModel(stream_function=self._answer)

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Any]:
        reply = self.replies[min(len(self.asked), len(self.replies) - 1)]
        self.asked.append(list(messages))
        self.infos.append(info)
        try:
            for piece in reply:
                if isinstance(piece, Exception):
                    raise piece
                if isinstance(piece, asyncio.Event):
                    self.started.set()
                    await piece.wait()
                else:
                    yield piece
        finally:
            self.closed += 1

    @property
    def prompts(self) -> list[str]:
        """What the user said in the last request, message by message; media as ``<image/png>``."""
        return [_said(part.content) for part in self.parts if isinstance(part, UserPromptPart)]

    @property
    def parts(self) -> list[Any]:
        """The parts of all requests in the last call, in order."""
        return [part for message in self.asked[-1] if isinstance(message, ModelRequest) for part in message.parts]

    @property
    def results(self) -> list[Any]:
        """What tools answered, as of the last request."""
        return [part.content for part in self.parts if isinstance(part, ToolReturnPart)]


def _said(content: Any) -> str:
    if isinstance(content, str):
        return content
    return " ".join(item if isinstance(item, str) else f"<{item.media_type}>" for item in content)


class Whole(WrapperModel):
    """Streams finished responses, part by part or (`silent`) without any event."""

    def __init__(self, *responses: ModelResponse, silent: bool = False) -> None:
        self._silent = silent
        self._responses = list(responses)
        self.times = 0
        super().__init__(FunctionModel(lambda messages, info: self._next()))

    def _next(self) -> ModelResponse:
        self.times += 1
        return self._responses[min(self.times, len(self._responses)) - 1]

    @asynccontextmanager
    async def request_stream(self, messages: Any, model_settings: Any, parameters: Any, run_context: Any = None) -> Any:
        response = await self.request(messages, model_settings, parameters)
        if self._silent:
            yield CompletedStreamedResponse(response, model_request_parameters=parameters)
        else:
            yield PiecesStream(response, (), parameters)


class Desk:
    """The host of one node: what it may ask for, and what it told."""

    node_id = "node"
    job_id = "job"
    workflow_id: str | None = None

    def __init__(
        self,
        model: Any = None,
        *,
        name: str = NAME,
        control: Mapping[str, Any] | None = None,
        functions: Mapping[str, Any] | None = None,
        ports: Mapping[str, FunctionPorts] | None = None,
        variables: Mapping[str, str] | None = None,
        budget: float | None = None,
    ) -> None:
        self.models = {name: getattr(model, "model", model)}
        self.control = dict(control or {})
        self.functions = dict(functions or {})
        self.ports = dict(ports or {})
        self.variables = dict(variables or {})
        self.budget = budget
        self.cost = 0.0
        self.messages: list[dict[str, Any]] = []
        self.chunks: list[tuple[str, str | None, bool]] = []
        self.logs: list[str] = []
        self.controlled: list[tuple[str, dict[str, Any]]] = []
        self.called: list[tuple[str, dict[str, Any]]] = []

    @property
    def run_scope(self) -> object:
        return self

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.messages if message["type"] == kind]

    def provider(self, kind: str, name: str) -> Any:
        assert kind == "language_model"
        if self.models.get(name) is None:
            raise NodeError(f'the model provider of "{name}" has no key')
        return self.models[name]

    def check_budget(self) -> None:
        if self.budget is not None and self.cost >= self.budget:
            raise BudgetExceeded("the run has spent what it may")

    @asynccontextmanager
    async def paid_call(self) -> AsyncIterator[None]:
        self.check_budget()
        yield

    def add_cost(self, dollars: float) -> None:
        self.cost += dollars

    def message(self, message: dict[str, Any]) -> None:
        self.messages.append(message)

    def chunk(self, content: str, done: bool = False, *, handle: str | None = None, thinking: bool = False) -> None:
        self.chunks.append((content, handle, done))

    def log(self, text: str, severity: str = "info") -> None:
        self.logs.append(f"{severity}: {text}")

    async def get_variable(self, name: str) -> AsyncIterator[Any]:
        if name in self.variables:
            yield self.variables[name]

    async def read_media(self, ref: Mapping[str, Any]) -> bytes:
        if isinstance(ref.get("data"), bytes):
            return ref["data"]
        raise NodeError("the media has no content")

    async def store_asset(self, ref: dict[str, Any]) -> dict[str, Any]:
        return {**ref, "asset_id": "a1"}

    async def send_control(self, target: str, properties: Mapping[str, Any]) -> dict[str, Any]:
        self.controlled.append((target, dict(properties)))
        return {"output": f"{target} ran"}

    async def function_ports(self, function: str) -> FunctionPorts:
        if function not in self.functions:
            raise NodeError(f'there is no function "{function}"')
        return self.ports.get(function, FunctionPorts((), ()))

    async def call_function(self, function: str, params: Mapping[str, Any]) -> RunResult:
        self.called.append((function, dict(params)))
        answer = self.functions[function]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, RunResult) else RunResult("completed", outputs={"result": [answer]})


async def fired(
    cls: type[Node], desk: Desk, /, declared: Mapping[str, Any] | None = None, **values: Any
) -> list[dict[str, Any]]:
    """The records of one firing with the model chosen; `declared` are dynamic outputs."""
    kind = describe_node_type(cls)
    node = kind.create({"model": CHOICE, **values}, declared)
    if kind.generates:
        return [record async for record in node.gen_process(desk)]  # type: ignore[arg-type]
    return [kind.record(await node.process(desk))]  # type: ignore[arg-type]


def contents(records: Iterable[Mapping[str, Any]], handle: str = "chunk") -> list[str]:
    """The contents of the chunks on a handle, without the end mark."""
    return [record[handle]["content"] for record in records if handle in record and record[handle]["content"]]
