"""A value as one line of JSON, for cells and for what a tool answered."""

from __future__ import annotations

import json
import math
from typing import Final

from greenrun.document.js import as_double, is_list, number_text, ordered_items
from greenrun.document.values import ABSENT, Value, is_number, is_record

MAX_DEPTH: Final = 200
TOO_DEEP: Final = '"…"'


def compact_json(value: Value, depth: int = 0) -> str:
    """``JSON.stringify`` without spaces; "" for absent. What lies deeper than `MAX_DEPTH` becomes an ellipsis."""
    if depth > MAX_DEPTH:
        return TOO_DEEP
    if value is ABSENT:
        return "" if depth == 0 else "null"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if is_number(value):
        return _number(value)
    if is_record(value):
        members = (
            f"{json.dumps(key, ensure_ascii=False)}:{compact_json(item, depth + 1)}"
            for key, item in ordered_items(value)
            if item is not ABSENT
        )
        return "{" + ",".join(members) + "}"
    if is_list(value):
        return "[" + ",".join(compact_json(item, depth + 1) for item in value) + "]"
    return {None: "null", True: "true", False: "false"}.get(value, TOO_DEEP)


def _number(value: int | float) -> str:
    if not math.isfinite(as_double(value)):
        return "null"
    return str(value) if isinstance(value, int) else number_text(value)
