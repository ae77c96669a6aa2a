"""Prompts, media and earlier messages in the model library's form. Imports pydantic-ai."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    UserContent,
    UserPromptPart,
)

from greenrun.document.values import is_record
from greenrun.workflows.llm.refs import media_refs
from greenrun.workflows.media.content import mime_of
from greenrun.workflows.node import NodeContext, NodeError
from greenrun.workflows.ports import to_plain_text

_KINDS = ("image", "audio", "video", "document")


async def user_content(
    context: NodeContext, prompt: str, media: Iterable[Mapping[str, Any]]
) -> str | list[UserContent] | None:
    """What the user says: the prompt with its media; None when there is neither."""
    shown: list[UserContent] = [await _binary(context, ref) for ref in media]
    if not shown:
        return prompt or None
    return [prompt, *shown] if prompt else shown


async def _binary(context: NodeContext, ref: Mapping[str, Any]) -> BinaryContent:
    data = await context.read_media(ref)
    return BinaryContent(data, media_type=mime_of(data, ref))


async def messages(context: NodeContext, history: Iterable[Mapping[str, Any]]) -> list[ModelMessage]:
    """Messages of a chat as the model library has them.

    Each is ``{role, content}``, the content a text or a list of texts and media. Calls of tools and their results are left
    out: they belong to the agent that made them.

    Raises:
        NodeError: Media in it cannot be read, or an entry is no message.
    """
    found: list[ModelMessage] = []
    for place, message in enumerate(history):
        if not is_record(message):
            raise NodeError(f"entry {place} of the history is no message; a message has a role and a content")
        role, content = message.get("role"), message.get("content", message.get("text"))
        text = _text(content)
        if role in ("system", "developer"):
            if text:
                found.append(ModelRequest([SystemPromptPart(text)]))
        elif role == "assistant":
            if text:
                found.append(ModelResponse([TextPart(text)]))
        elif role in (None, "", "user"):
            said = await user_content(context, text, media_refs(_parts(content), message.get("image")))
            if said is not None:
                found.append(ModelRequest([UserPromptPart(said)]))
    return found


def _parts(content: Any) -> list[Any]:
    """The references among the parts of a content: ``{"type": "image_url", "image": {...}}`` or the reference itself."""
    refs: list[Any] = []
    for part in content if isinstance(content, list) else []:
        if is_record(part):
            nested = next((part[kind] for kind in _KINDS if is_record(part.get(kind))), None)
            refs.append(nested if nested is not None else part if part.get("type") in _KINDS else None)
    return refs


def _text(content: Any) -> str:
    if not isinstance(content, list):
        return to_plain_text(content)
    texts: Sequence[str] = [
        part if isinstance(part, str) else to_plain_text(part.get("text"))
        for part in content
        if isinstance(part, str) or (is_record(part) and part.get("type", "text") == "text")
    ]
    return "\n".join(text for text in texts if text)
