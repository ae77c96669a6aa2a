"""Regular expressions from node properties, bounded: one that backtracks for ever fails its node and blocks nobody."""

from __future__ import annotations

import asyncio
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

_RECURSION: Final = regex.compile(r"\(\?(?:R|[+-]?\d|&|P>)")

# Nearly every match ends within this; only the others are worth a thread.
_AT_ONCE_SECONDS: Final = 0.02


class PatternError(ValueError):
    """The text is no regular expression."""


def compiled(pattern: str, *, dotall: bool = False, ignorecase: bool = False, multiline: bool = False) -> Pattern:
    """The pattern, ready to match.

    Raises:
        PatternError: It is no regular expression, or longer than `MAX_LENGTH`.
    """
    if len(pattern) > MAX_LENGTH:
        raise PatternError(f"it is longer than {MAX_LENGTH:,} characters")
    if _RECURSION.search(pattern):  # the one construct whose memory no time limit bounds
        raise PatternError("a pattern that calls itself is not supported")
    flags = (regex.DOTALL if dotall else 0) | (regex.I if ignorecase else 0) | (regex.M if multiline else 0)
    try:
        return regex.compile(pattern, flags)
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        raise PatternError(str(error)) from None


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
