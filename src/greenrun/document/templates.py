"""Format templates: text with ``{name|filter:argument}`` tokens (spec: app-runtime 6.4, 6.5)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Final, TypeAlias

from greenrun.document.bindings import Scope
from greenrun.document.conditions import Read, resolve_readable
from greenrun.document.dates import format_date, read_date
from greenrun.document.js import (
    MAX_FIXED_DIGITS,
    display_text,
    fixed,
    is_list,
    number_text,
    to_number,
    trim,
    utf16_length,
    utf16_slice,
)
from greenrun.document.values import Value

_TOKEN: Final = re.compile(r"\{([^{}]+)\}")
_ELLIPSIS: Final = "\u2026"
_Filter: TypeAlias = Callable[[Value, "str | None", tzinfo], str]


@dataclass(frozen=True, slots=True)
class TemplateToken:
    """One token of a template.

    `name` is the trimmed binding. `filter` is None when there is none, and "" when the filter part is blank, which is
    an unknown filter. `argument` is None without a colon.
    """

    name: str
    filter: str | None = None
    argument: str | None = None


def tokens(template: str) -> list[TemplateToken]:
    """The tokens of a template from left to right."""
    return [_parse(match[1]) for match in _TOKEN.finditer(template)]


def render(template: str, scope: Scope, read: Read, zone: tzinfo | None = None) -> str:
    """The template with every token replaced by its value, or by nothing where it names nothing readable.

    `zone` is the time zone of dates, UTC when None. Inserted text is never scanned again.
    """
    return _TOKEN.sub(lambda match: _substitute(_parse(match[1]), scope, read, zone or UTC), template)


def _parse(body: str) -> TemplateToken:
    name, *rest = body.split("|")
    if not rest or rest[0] == "":
        return TemplateToken(trim(name))
    pieces = trim(rest[0]).split(":")
    return TemplateToken(trim(name), pieces[0], pieces[1] if len(pieces) > 1 else None)


def _substitute(token: TemplateToken, scope: Scope, read: Read, zone: tzinfo) -> str:
    ref = resolve_readable(token.name, scope)
    if ref is None:
        return ""
    if token.filter is None:
        return display_text(read(ref))
    apply = _FILTERS.get(token.filter)
    return "" if apply is None else apply(read(ref), token.argument, zone)


def _number(value: Value, argument: str | None, _zone: tzinfo) -> str:
    number = to_number(value)
    if number != number:
        return ""
    digits = math.nan if argument is None else to_number(argument)
    if digits != digits:
        return number_text(number)
    # Clamped before it becomes an integer: the argument may be infinite.
    return fixed(number, int(min(max(digits, 0), MAX_FIXED_DIGITS)))


def _date(value: Value, argument: str | None, zone: tzinfo) -> str:
    moment = read_date(value, zone)
    return "" if moment is None else format_date(moment, zone, short=argument == "short")


def _join(value: Value, argument: str | None, _zone: tzinfo) -> str:
    if not is_list(value):
        return display_text(value)
    return (", " if argument is None else argument).join(display_text(item) for item in value)


def _truncate(value: Value, argument: str | None, _zone: tzinfo) -> str:
    text = display_text(value)
    limit = math.nan if argument is None else to_number(argument)
    if not math.isfinite(limit) or limit <= 0 or utf16_length(text) <= limit:
        return text
    return utf16_slice(text, math.floor(limit)) + _ELLIPSIS


_FILTERS: Final[dict[str, _Filter]] = {
    "number": _number,
    "date": _date,
    "upper": lambda value, _argument, _zone: display_text(value).upper(),
    "lower": lambda value, _argument, _zone: display_text(value).lower(),
    "join": _join,
    "truncate": _truncate,
}

FILTERS: Final = tuple(_FILTERS)
