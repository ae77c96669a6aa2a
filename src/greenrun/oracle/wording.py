"""How findings name things: widgets, lists of names, articles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from greenrun.document.tree import Widget

ROSTER: Final = 12
"""How many names a message lists at most (spec: harness appendix C)."""


def named(widget: Widget) -> str:
    """A widget in a message: type and id (spec: harness, W)."""
    return f'{widget.type} "{widget.id}"'


def a(noun: str) -> str:
    """The noun with its article."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def quoted(texts: Iterable[str]) -> str:
    """Names in a message, at most `ROSTER` of them."""
    items = list(texts)
    listed = ", ".join(f'"{text}"' for text in items[:ROSTER])
    rest = len(items) - ROSTER
    return f"{listed} and {rest} more" if rest > 0 else listed


def existing(label: str, texts: Iterable[str]) -> str:
    """``<label>: "a", "b"``, or that there is none."""
    items = list(texts)
    return f"{label}: {quoted(items)}" if items else f"{label}: none"
