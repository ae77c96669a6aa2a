"""Values as a person reads them (spec: app-runtime 7.4)."""

from __future__ import annotations

from typing import Any, Final

from greenrun.document.chat import message_text
from greenrun.document.errors import GreenrunError
from greenrun.document.js import display_text, is_list
from greenrun.document.json_text import pretty_json
from greenrun.document.values import Value, is_nullish, is_record, is_text
from greenrun.runtime.compact import compact_json

MEDIA_TYPES: Final = frozenset({"image", "audio", "video", "document", "file", "model_3d", "folder"})
_NAME_LIMIT: Final = 200


def is_media(value: Value) -> bool:
    """True for a reference to an image, a sound, a film, a document or a model."""
    return is_record(value) and isinstance(kind := value.get("type"), str) and kind in MEDIA_TYPES


def media_name(ref: dict[str, Any]) -> str:
    """What stands for a file where it cannot be shown: its name, else the end of its address, else its kind."""
    if is_text(ref.get("name")):
        return ref["name"]
    uri = ref.get("uri")
    if is_text(uri) and not uri.startswith("data:"):
        return uri.partition("?")[0].rstrip("/").rpartition("/")[2][:_NAME_LIMIT] or uri[:_NAME_LIMIT]
    return display_text(ref.get("type"))


def items_of(value: Value) -> list[Value]:
    """What is shown item by item: the items of a list, a single value as one item, nothing for no value."""
    if is_list(value):
        return value
    return [] if is_nullish(value) else [value]


def cell_text(value: Value) -> str:
    """A value on one place in one line: scalars as they are, files by name, anything else as JSON."""
    if is_record(value):
        return media_name(value) if is_media(value) else compact_json(value)
    return compact_json(value) if is_list(value) else display_text(value)


def readable_text(value: Value) -> str:
    """A value as text: a list item by item on lines of its own, a message by what it says, other objects as JSON."""
    if is_list(value):
        return "\n".join(item_text(item) for item in value)
    return item_text(value)


def item_text(value: Value) -> str:
    """One item of a list as text."""
    if is_record(value) and "content" in value and is_text(value.get("role")):
        return message_text(value["content"])
    if is_record(value) and value.get("type") == "text" and isinstance(value.get("text"), str):
        return value["text"]
    return cell_text(value)


def text_or_none(value: Value) -> str | None:
    """As `readable_text`; None when there is no value."""
    return None if is_nullish(value) else readable_text(value)


def json_block(value: Value) -> str:
    """A value as indented JSON; on one line where it is nested too deeply for that."""
    try:
        return pretty_json(value).removesuffix("\n")
    except GreenrunError:
        return compact_json(value)
