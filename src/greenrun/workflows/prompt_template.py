"""Placeholders in the texts of Prompt and Template nodes (spec: nodes B4). One pass; inserted text is never scanned."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from greenrun.document.js import trim
from greenrun.workflows.ports import to_plain_text

_PLACEHOLDER: Final = re.compile(r"\{\{([^{}]*)\}\}|(?<!\{)\{([^{}]*)\}(?!\})")
_FILTER: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\((.*)\))?\s*", re.DOTALL)


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:].lower()


def _title(text: str) -> str:
    return re.sub(r"\S+", lambda word: _capitalize(word[0]), text)


def _truncate(text: str, argument: str | None) -> str:
    if argument is None or not argument.strip().isdecimal():
        return text
    limit = int(argument)
    return text if len(text) <= limit else f"{text[:limit]}..."


def _default(text: str, argument: str | None) -> str:
    if text or argument is None:
        return text
    argument = argument.strip()
    quoted = len(argument) > 1 and argument[0] == argument[-1] and argument[0] in "\"'"
    return argument[1:-1] if quoted else argument


FILTERS: Final[dict[str, Callable[[str, str | None], str]]] = {
    "upper": lambda text, _: text.upper(),
    "lower": lambda text, _: text.lower(),
    "capitalize": lambda text, _: _capitalize(text),
    "title": lambda text, _: _title(text),
    "trim": lambda text, _: trim(text),
    "truncate": _truncate,
    "default": _default,
}


def names(template: str) -> tuple[str, ...]:
    """The names that placeholders of a template use, each once, in order."""
    found: dict[str, None] = {}
    for match in _PLACEHOLDER.finditer(template):
        name = _name_and_filters(match)[0]
        if name:
            found[name] = None
    return tuple(found)


def render(template: str, values: Mapping[str, Any], *, filters: bool = True) -> str:
    """The template with its placeholders replaced; those of unknown names stay as they are.

    Without `filters` a placeholder that has any stays as it is too.
    """

    def replace(match: re.Match[str]) -> str:
        name, applied = _name_and_filters(match)
        if name not in values or (applied and not filters):
            return match[0]
        text = placeholder_text(values[name])
        for item in applied:
            parsed = _FILTER.fullmatch(item)
            function = FILTERS.get(parsed[1]) if parsed else None
            if parsed is not None and function is not None:
                text = function(text, parsed[2])
        return text

    return _PLACEHOLDER.sub(replace, template)


def placeholder_text(value: Any) -> str:
    """The text of a value: a media reference as its ``asset://`` token, "" for null."""
    if isinstance(value, dict):
        uri, asset_id = value.get("uri"), value.get("asset_id")
        if isinstance(uri, str) and uri.startswith("asset://"):
            return uri
        if isinstance(asset_id, str) and asset_id:
            return f"asset://{asset_id}"
    return to_plain_text(value)


def _name_and_filters(match: re.Match[str]) -> tuple[str, list[str]]:
    if match[1] is None:
        return trim(match[2]), []
    name, *applied = _parts(match[1])
    return trim(name), applied


def _parts(text: str) -> list[str]:
    """The parts between bars that stand outside parentheses."""
    parts: list[str] = []
    depth = start = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "|" and depth <= 0:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]
