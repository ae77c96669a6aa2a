"""Calls of language models in a form of our own (see `calls`). This module imports pydantic-ai."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any, Final

from pydantic_ai.messages import (
    BinaryContent,
    FilePart,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponsePart,
    RetryFeedbackPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition
from pydantic_core import to_jsonable_python

from greenrun.workflows.providers.calls import Call, digest, plain

KIND: Final = "language_model"

_NO_PART_OF_A_CALL: Final = frozenset(
    ("extra_headers", "first_event_timeout", "max_retries", "request_timeout", "timeout")
)
"""Settings that change how a call is made and not what is asked; headers may hold secrets too."""

NAMES_AND_TIMES: Final = frozenset(
    (
        "canonical_system",
        "conversation_id",
        "failed_attempts",
        "id",
        "kind",
        "metadata",
        "provider_details",
        "provider_name",
        "provider_response_id",
        "provider_url",
        "run_id",
        "signature",
        "timestamp",
    )
)
"""Members of messages that name things on a service, which forgets them, or that differ with each call."""

_NO_PART_OF_A_MESSAGE: Final = NAMES_AND_TIMES | {"identifier", "part_kind", "tool_call_id"}


def language_call(
    name: str,
    messages: list[ModelMessage],
    settings: ModelSettings | None,
    parameters: ModelRequestParameters,
) -> Call:
    """A request to a language model, without ids, times and what a provider added."""
    return Call(
        KIND,
        name,
        {
            "system": _instructions(messages, parameters),
            "messages": [said for message in messages for said in _said(message)],
            "settings": {
                key: plain(value)
                for key, value in (settings or {}).items()
                if key not in _NO_PART_OF_A_CALL and value is not None
            },
            "tools": [_tool(tool) for tool in parameters.function_tools]
            + [{"native": tool.kind, **_fields(tool)} for tool in parameters.native_tools],
            "output": _output(parameters),
        },
    )


def _instructions(messages: list[ModelMessage], parameters: ModelRequestParameters) -> str:
    if parameters.instruction_parts:
        return "\n\n".join(part.content for part in parameters.instruction_parts)
    last = next((message for message in reversed(messages) if isinstance(message, ModelRequest)), None)
    return (last.instructions if last is not None else None) or ""


def _said(message: ModelMessage) -> list[dict[str, Any]]:
    if isinstance(message, ModelRequest):
        return [_asked(part) for part in message.parts]
    # What a model thought on the way is no part of what is asked next.
    return [_answered(part) for part in message.parts if not isinstance(part, ThinkingPart)]


def _asked(part: ModelRequestPart) -> dict[str, Any]:
    if isinstance(part, SystemPromptPart):
        return {"system": part.content}
    if isinstance(part, UserPromptPart):
        content = part.content
        return {"user": content if isinstance(content, str) else [_content(item) for item in content]}
    if isinstance(part, ToolReturnPart):
        return {"tool": part.tool_name, "returned": _content(part.content)}
    if isinstance(part, RetryFeedbackPart):
        return {"retry": _content(part.content)}
    return {part.part_kind: _fields(part)}


def _answered(part: ModelResponsePart) -> dict[str, Any]:
    if isinstance(part, TextPart):
        return {"answer": part.content}
    if isinstance(part, ToolCallPart):
        return {"call": part.tool_name, "with": plain(part.args_as_dict())}
    if isinstance(part, FilePart):
        return {"made": _content(part.content)}
    return {part.part_kind: _fields(part)}


def _content(value: Any) -> Any:
    """What a person, a tool or a model put into a message."""
    if isinstance(value, BinaryContent):
        return {"mime": value.media_type, "sha256": digest(value.data)}
    if isinstance(value, (list, tuple)):
        return [_content(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): _content(item) for key, item in value.items()}
    return _fields(value) if is_dataclass(value) or hasattr(value, "model_dump") else plain(value)


def _fields(value: Any) -> dict[str, Any]:
    """Anything else that the model library knows, by its own description and without ids and times."""
    dumped = to_jsonable_python(value, bytes_mode="base64", fallback=str)
    record = dumped if isinstance(dumped, dict) else {"value": dumped}
    return {key: plain(item) for key, item in record.items() if key not in _NO_PART_OF_A_MESSAGE and item is not None}


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    described = {"name": tool.name, "description": tool.description or ""}
    return described | {"parameters": plain(tool.parameters_json_schema)}


def _output(parameters: ModelRequestParameters) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if parameters.output_tools:
        found["tools"] = [_tool(tool) for tool in parameters.output_tools]
    elif parameters.output_object is not None:
        found["schema"] = plain(parameters.output_object.json_schema)
    if not parameters.allow_text_output:
        found["text"] = False
    return found
