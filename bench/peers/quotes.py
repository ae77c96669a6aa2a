"""What the form works out. The same source runs in every app; as a user's module it imports nothing."""

from __future__ import annotations

from typing import Any, TypedDict

ROWS = 50


class Quote(TypedDict):
    """A line of text, and a table of lines."""

    text: str
    rows: list[dict[str, Any]]


def quote(item: str = "", count: int = 0) -> str:
    """One line."""
    return f"{count} x {item}"


def table(item: str = "", count: int = 0) -> Quote:
    """One line, and 50 more."""
    return {"text": quote(item, count), "rows": [{"line": f"{index} x {item}"} for index in range(ROWS)]}
