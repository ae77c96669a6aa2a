"""A call to a model as something that can be compared: the same call again has the same key.

A call is described by named sections, for a language model in a form of our own, so that a recording outlives versions of the model
library. Media count by their SHA-256.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from rapidfuzz import fuzz

from greenrun.document.json_text import canonical_json
from greenrun.workflows.providers.interface import Media, Request

MOST_TEXT: Final = 2_000
"""Characters of one text that a description keeps; the key is made of all of it."""

_EXCERPT: Final = 60
_LEAD: Final = 25

SECTIONS: Final[dict[str, str]] = {
    "name": "model",
    "system": "system prompt",
    "messages": "prompt",
    "output": "form of the answer",
    "aspect_ratio": "aspect ratio",
    "negative_prompt": "negative prompt",
    "texts": "text",
}
"""What a section of a call is called in messages, where that is not its own name."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call: the kind and name of the model, and what it is asked, by section."""

    kind: str
    name: str
    request: Mapping[str, Any] = field(repr=False)

    @property
    def key(self) -> str:
        """The SHA-256 of the whole call, in hex."""
        text = canonical_json({"kind": self.kind, "name": self.name, "request": dict(self.request)})
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def described(self) -> dict[str, Any]:
        """The request with long texts cut, for people and for `differences`; empty sections are left out."""
        return {name: _cut(value) for name, value in self.request.items() if value not in ("", None, [], {})}


def media_call(kind: str, name: str, request: Request) -> Call:
    """The call of a model that is not a language model."""
    return Call(kind, name, {item.name: plain(getattr(request, item.name)) for item in dataclasses.fields(request)})


def plain(value: Any) -> Any:
    """JSON of a value; media and bytes by their digest, anything else that is no JSON as text."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Media):
        return {"mime": value.mime, "sha256": digest(value.data)}
    if isinstance(value, (bytes, bytearray)):
        return {"sha256": digest(bytes(value))}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=canonical_json)
    return str(value)


def digest(data: bytes) -> str:
    """The SHA-256 of content, in hex."""
    return hashlib.sha256(data).hexdigest()


def likeness(call: Call, name: str, request: Mapping[str, Any]) -> tuple[int, int, float]:
    """How near a described call is to this one; greater is nearer."""
    described = call.described()
    equal = sum(described.get(section) == request.get(section) for section in described.keys() | request.keys())
    return int(name == call.name), equal, fuzz.ratio(_text(described), _text(request))


def differences(call: Call, name: str, request: Mapping[str, Any]) -> list[str]:
    """In words, each section in which a described call differs: ``prompt ("Rome" here, "Paris" recorded)``."""
    described = {"name": call.name, **call.described()}
    recorded = {"name": name, **request}
    return [
        f"{SECTIONS.get(section, section)} ({_difference(described.get(section), recorded.get(section))})"
        for section in dict.fromkeys([*described, *recorded])
        if described.get(section) != recorded.get(section)
    ]


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > MOST_TEXT:
        rest = len(value) - MOST_TEXT
        return (
            f"{value[:MOST_TEXT]}… ({rest} more characters, SHA-256 of all {digest(value.encode('utf-8', 'replace'))})"
        )
    if isinstance(value, Mapping):
        return {key: _cut(item) for key, item in value.items()}
    return [_cut(item) for item in value] if isinstance(value, list) else value


def _text(request: Mapping[str, Any]) -> str:
    return " ".join(_leaves(request))[: MOST_TEXT * 2]


def _leaves(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [leaf for item in value.values() for leaf in _leaves(item)]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [leaf for item in value for leaf in _leaves(item)]
    return [] if value is None else [str(value)]


def _difference(here: Any, recorded: Any) -> str:
    """The first place where two sections part ways."""
    if isinstance(here, Mapping) and isinstance(recorded, Mapping):
        names = [key for key in dict.fromkeys([*here, *recorded]) if here.get(key) != recorded.get(key)]
        if names:
            return f"{names[0]}: {_difference(here.get(names[0]), recorded.get(names[0]))}"
    if isinstance(here, list) and isinstance(recorded, list):
        for ours, theirs in zip(here, recorded, strict=False):
            if ours != theirs:
                return _difference(ours, theirs)
        return f"{len(here)} items here, {len(recorded)} recorded"
    if isinstance(here, str) and isinstance(recorded, str):
        start = next((at for at, (a, b) in enumerate(zip(here, recorded, strict=False)) if a != b), None)
        start = min(len(here), len(recorded)) if start is None else start
        return f'"{_excerpt(here, start)}" here, "{_excerpt(recorded, start)}" recorded'
    return f"{_shown(here)} here, {_shown(recorded)} recorded"


def _shown(value: Any) -> str:
    return "nothing" if value is None else _excerpt(value if isinstance(value, str) else canonical_json(value), 0)


def _excerpt(text: str, at: int) -> str:
    start = max(at - _LEAD, 0)
    if start:
        # From the beginning of a word, where there is one.
        start = max(text.find(" ", start, at), start)
    shown = " ".join(text[start : start + _EXCERPT].split())
    return f"{'…' if start else ''}{shown}{'…' if len(text) > start + _EXCERPT else ''}"
