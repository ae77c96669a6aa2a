"""Language models that make up their answers. This module imports pydantic-ai."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any, Final

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import RunContext, ToolDefinition
from pydantic_ai.usage import RequestUsage

from greenrun.workflows.providers.calls import Call
from greenrun.workflows.providers.language_calls import language_call
from greenrun.workflows.providers.made_up import MadeUp
from greenrun.workflows.providers.made_up_values import made_up_json
from greenrun.workflows.providers.scripted import Reply, ScriptedProviders, asked_texts
from greenrun.workflows.providers.streams import Piece, PiecesStream, text_of

_WORD: Final = re.compile(r"\s*\S+|\s+$")
_ARGUMENT_PIECES: Final = 3

_PROFILE: Final = ModelProfile(
    supports_json_schema_output=True, supports_json_object_output=True, supports_inline_system_prompts=True
)


class ScriptedModel(FunctionModel):
    """Answers by what is asked for: values that fit the wanted form, calls of tools, or text, streamed word by word."""

    def __init__(self, providers: ScriptedProviders, name: str) -> None:
        super().__init__(self._answer, model_name=name.partition(":")[2] or name, profile=_PROFILE)
        self._providers = providers
        self._name = name

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        response = await self.request(messages, model_settings, model_request_parameters)
        yield PiecesStream(response, _pieces(response), model_request_parameters)

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        call = language_call(self._name, messages, info.model_settings, info.model_request_parameters)
        reply = await self._providers.reply(call, answered=_has_results(messages))
        parts = _parts(call, reply, messages, info)
        said = sum(_tokens(text_of(part) or "") for part in parts)
        asked = sum(map(_tokens, asked_texts(call)))
        # With a cost in it, the library does not look up the price of the real model.
        usage = RequestUsage(input_tokens=asked, output_tokens=said, cost=Decimal(str(reply.cost)))
        return ModelResponse(parts=parts, usage=usage, finish_reason="tool_call" if _calls(parts) else "stop")


def _parts(call: Call, reply: Reply, messages: list[ModelMessage], info: AgentInfo) -> list[ModelResponsePart]:
    thinking: list[ModelResponsePart] = [ThinkingPart(reply.thinking)] if reply.thinking else []
    if reply.is_open:
        return thinking + _made_up(call, messages, info)
    parts: list[ModelResponsePart] = [TextPart(reply.text)] if reply.text is not None else []
    if reply.object is not None:
        tool = next(iter(info.output_tools), None)
        text = json.dumps(reply.object, ensure_ascii=False)
        parts.append(TextPart(text) if tool is None else _call(tool, text, call, 0))
    parts += [
        ToolCallPart(name, json.dumps(given, ensure_ascii=False), f"call-{call.key[:8]}-{number}")
        for number, (name, given) in enumerate(reply.tool_calls, len(parts))
    ]
    return thinking + parts


def _made_up(call: Call, messages: list[ModelMessage], info: AgentInfo) -> list[ModelResponsePart]:
    made_up = MadeUp(_prompt(messages), str(call.request["system"]), call.key)
    if not _has_results(messages):
        tools = [tool for tool in info.function_tools if _is_closed(tool)]
        if tools:
            return [
                _call(tool, made_up_json(made_up, tool.parameters_json_schema), call, number)
                for number, tool in enumerate(tools)
            ]
    if info.output_tools:
        tool = info.output_tools[0]
        return [_call(tool, made_up_json(made_up, tool.parameters_json_schema), call, 0)]
    wanted = info.model_request_parameters.output_object
    return [TextPart(made_up.text() if wanted is None else made_up_json(made_up, wanted.json_schema))]


def _is_closed(tool: ToolDefinition) -> bool:
    """Whether the schema says what the tool takes; arguments of others cannot be made up."""
    schema = tool.parameters_json_schema
    return bool(schema.get("properties")) or schema.get("additionalProperties") is False


def _call(tool: ToolDefinition, arguments: str, call: Call, number: int) -> ToolCallPart:
    return ToolCallPart(tool.name, arguments, f"call-{call.key[:8]}-{number}")


def _calls(parts: list[ModelResponsePart]) -> bool:
    return any(isinstance(part, ToolCallPart) for part in parts)


def _has_results(messages: list[ModelMessage]) -> bool:
    """Whether the last message brings results of tools."""
    last = messages[-1] if messages else None
    return isinstance(last, ModelRequest) and not any(isinstance(part, UserPromptPart) for part in last.parts)


def _prompt(messages: list[ModelMessage]) -> str:
    """The texts that the user wrote last."""
    for message in reversed(messages):
        parts = message.parts if isinstance(message, ModelRequest) else ()
        texts = [text for part in parts if isinstance(part, UserPromptPart) for text in _texts(part)]
        if texts:
            return "\n".join(texts)
    return ""


def _texts(part: UserPromptPart) -> list[str]:
    if isinstance(part.content, str):
        return [part.content]
    return [
        item if isinstance(item, str) else item.content for item in part.content if isinstance(item, (str, TextContent))
    ]


def _tokens(text: str) -> int:
    return len(text.split())


def _pieces(response: ModelResponse) -> Iterator[Piece]:
    for number, part in enumerate(response.parts):
        text = text_of(part)
        if isinstance(part, ToolCallPart) and text:
            size = -(-len(text) // _ARGUMENT_PIECES)
            yield from ((number, text[start : start + size]) for start in range(0, len(text), size))
        elif text:
            yield from ((number, piece) for piece in _WORD.findall(text))
