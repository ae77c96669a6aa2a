"""Values cut down to what a report can carry (spec: harness 5.3)."""

from __future__ import annotations

from typing import Final

from greenrun.document.js import is_list
from greenrun.document.values import ABSENT, JsonValue, Value, is_record

STRING_LIMIT: Final = 2000
SUMMARY_STRING_LIMIT: Final = 160
LIST_LIMIT: Final = 50
ENCODED_KEYS: Final = frozenset({"data", "uri", "b64_json", "base64"})
ENCODED_LIMIT: Final = 256
ENCODED_SHOWN: Final = 64
MAX_DEPTH: Final = 100


def preview(value: Value, limit: int = STRING_LIMIT) -> JsonValue:
    """A JSON copy of the value with long texts, long lists and encoded bytes cut; each cut says how much there was.

    `limit` counts characters of a text (a report has 2000, a summary 160). Absent becomes null, and is left out of
    objects.
    """
    return _preview(value, limit, "", 0)


def _preview(value: Value, limit: int, key: str, depth: int) -> JsonValue:
    if isinstance(value, str):
        return _preview_text(value, limit, key)
    if isinstance(value, (bytes, bytearray)):
        return f"<binary {len(value)} bytes>"
    if value is ABSENT:
        return None
    if depth >= MAX_DEPTH and isinstance(value, (dict, list)):
        return "…[nested]"
    if is_record(value):
        return {name: _preview(item, limit, name, depth + 1) for name, item in value.items() if item is not ABSENT}
    if is_list(value):
        items = [_preview(item, limit, key, depth + 1) for item in value[:LIST_LIMIT]]
        return items if len(value) <= LIST_LIMIT else [*items, f"…[{len(value) - LIST_LIMIT} more]"]
    return value


def _preview_text(text: str, limit: int, key: str) -> str:
    if key in ENCODED_KEYS and len(text) > ENCODED_LIMIT:
        return f"{text[: min(ENCODED_SHOWN, limit)]}…[{len(text)} chars]"
    return text if len(text) <= limit else f"{text[:limit]}…[{len(text)} chars]"
