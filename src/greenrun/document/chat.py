"""The chat pair: conversations as values (spec: app-runtime 15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from greenrun.document.conditions import is_empty
from greenrun.document.js import display_text, is_list, trim
from greenrun.document.values import ABSENT, Value, is_nullish, is_record


def messages_from(value: Value) -> list[dict[str, Any]]:
    """A conversation as ``{role, content}`` turns, whatever shape it was stored or streamed in (15.1).

    Consecutive texts are pieces of one assistant turn.
    """
    if _is_nothing(value):
        return []
    messages: list[dict[str, Any]] = []
    continues = False
    for item in value if is_list(value) else [value]:
        if _is_nothing(item):
            continue
        if is_record(item) and isinstance(role := item.get("role"), str):
            content = item.get("content")
            messages.append({"role": role, "content": "" if is_nullish(content) else content})
            continues = False
        elif isinstance(item, str) and continues:
            messages[-1]["content"] += item
        else:
            messages.append({"role": "assistant", "content": item})
            continues = isinstance(item, str)
    return messages


def compose_user_message(text: str, image_uris: Sequence[str] = ()) -> dict[str, Any]:
    """The message that a composer sends: plain text, or parts when there are images (15.2)."""
    if not image_uris:
        return {"type": "message", "role": "user", "content": text}
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    parts.extend({"type": "image_url", "image": {"type": "image", "uri": uri}} for uri in image_uris)
    return {"type": "message", "role": "user", "content": parts}


def message_text(content: Value) -> str:
    """The text of a message's content; parts that are no text are left out (15.2)."""
    if not is_list(content):
        return display_text(content)
    return "\n".join(
        part["text"]
        for part in content
        if is_record(part) and part.get("type") == "text" and isinstance(part.get("text"), str)
    )


@dataclass(frozen=True, slots=True)
class Sent:
    """What one send of a composer writes: `history` to its history binding, `value` to its own binding."""

    message: dict[str, Any]
    history: list[dict[str, Any]]
    value: Value


def compose_send(draft: str, image_uris: Sequence[str], history: Value, value_format: Value) -> Sent | None:
    """What a composer sends; None when there is neither text nor attachment (15.3).

    `history` is the current value of the history binding, `value_format` is ``history``, ``message``, or anything else
    for the text.
    """
    text = trim(draft)
    if not text and not image_uris:
        return None
    message = compose_user_message(text, image_uris)
    turns = [*messages_from(history), message]
    values: dict[Value, Value] = {"history": turns, "message": message}
    return Sent(message, turns, values[value_format] if value_format in ("history", "message") else text)


def fold_reply(history: Value, stream: Value) -> list[dict[str, Any]] | None:
    """The history with a completed run's reply as the assistant's turn; None when there is no reply (15.3)."""
    if is_empty(stream):
        return None
    return [*messages_from(history), {"type": "message", "role": "assistant", "content": stream}]


def _is_nothing(value: Value) -> bool:
    return value is ABSENT or value is None or value == ""
