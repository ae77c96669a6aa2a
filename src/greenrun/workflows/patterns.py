"""Regular expressions from node properties, bounded: one that backtracks for ever fails its node and blocks nobody."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeAlias, TypeVar

import regex

from greenrun.workflows.node import NodeError

Pattern: TypeAlias = "regex.Pattern[str]"
Match: TypeAlias = "regex.Match[str]"
PatternSyntaxError = regex.error
_Result = TypeVar("_Result")

MATCH_SECONDS: Final = 1.0
MAX_LENGTH: Final = 10_000
MAX_EXPANDED: Final = 100_000
"""Most pieces that a pattern may have with its repeats written out, which is what is done to compile it."""

_RECURSION: Final = regex.compile(r"\(\?(?:R|[+-]?\d|&|P>)")
_PIECE: Final = regex.compile(
    r"\\.|\(\?#[^)]*+\)|\[\^?+\]?+(?:\\.|[^\]\\])*+\]|\{(\d*+)(?:,\d*+)?+\}|[\s\S]", regex.DOTALL
)
# Blanks and comments, or sets inside sets: what is a group and what is not can then only be told by a whole parser.
_OTHER_SYNTAX: Final = regex.compile(r"\(\?[a-zA-WYZ0-9-]*?[xV]")

# Nearly every match ends within this; only the others are worth a thread.
_AT_ONCE_SECONDS: Final = 0.02


class PatternError(ValueError):
    """The text is no regular expression."""


def compiled(pattern: str, *, dotall: bool = False, ignorecase: bool = False, multiline: bool = False) -> Pattern:
    """The pattern, ready to match.

    Raises:
        PatternError: It is no regular expression, longer than `MAX_LENGTH`, or larger than `MAX_EXPANDED`.
    """
    if len(pattern) > MAX_LENGTH:
        raise PatternError(f"it is longer than {MAX_LENGTH:,} characters")
    if _RECURSION.search(pattern):  # the one construct whose memory no time limit bounds
        raise PatternError("a pattern that calls itself is not supported")
    if _expanded(pattern) > MAX_EXPANDED:
        raise PatternError(f"its repeats come to more than {MAX_EXPANDED:,} pieces; repeat less often")
    flags = (regex.DOTALL if dotall else 0) | (regex.I if ignorecase else 0) | (regex.M if multiline else 0)
    try:
        return regex.compile(pattern, flags)
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        raise PatternError(str(error)) from None
    except MemoryError:
        raise PatternError("it needs too much memory; repeat less often") from None


def _expanded(pattern: str) -> int:
    """About how many pieces a pattern has with the repeats that must be there written out, at least."""
    pieces = [(match[0], _count(match[1])) for match in _PIECE.finditer(pattern)]
    if _OTHER_SYNTAX.search(pattern):
        return math.prod(max(count, 1) for _, count in pieces if count is not None)
    # For each open group the size of what is in it, and of its last part, which a repeat is for.
    groups = [[0, 0]]
    for text, count in pieces:
        inner = groups[-1]
        if text == "(":
            groups.append([0, 0])
        elif text == ")" and len(groups) > 1:
            size = sum(groups.pop())
            groups[-1] = [sum(groups[-1]), max(size, 1)]
        elif count is not None:
            inner[1] = min(inner[1] * max(count, 1), MAX_EXPANDED + 1)
        elif text not in ("?", "+", "*"):
            groups[-1] = [sum(inner), 1]
    return sum(map(sum, groups))


def _count(digits: str | None) -> int | None:
    """How often a part must be there by its repeat, as far as it matters; None without one."""
    return None if digits is None else min(int(digits[:10] or 0), MAX_EXPANDED + 1)


async def matched(work: Callable[..., _Result]) -> _Result:
    """What `work` comes to, in at most `MATCH_SECONDS`; it passes its keyword arguments on to the matching method.

    Raises:
        NodeError: It takes longer.
    """
    with suppress(TimeoutError):
        return work(timeout=_AT_ONCE_SECONDS)
    limits: dict[str, Any] = {"timeout": MATCH_SECONDS, "concurrent": True}
    try:
        return await asyncio.to_thread(work, **limits)
    except TimeoutError:
        message = f"the pattern takes longer than {MATCH_SECONDS:g} s on this text; write it without nested repeats"
        raise NodeError(message) from None
