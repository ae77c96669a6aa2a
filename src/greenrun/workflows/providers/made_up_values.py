"""Made-up values that fit a JSON Schema."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from greenrun.workflows.providers.made_up import ITEMS, MOST_ITEMS, MadeUp

MOST_DEPTH: Final = 8
"""Optional members deeper than this are left out, so that schemas that contain themselves come to an end."""

_STRINGS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("email", ("ada@example.com", "ben@example.com", "cleo@example.com", "dan@example.com")),
    ("url", ("https://example.com/one", "https://example.com/two", "https://example.com/three")),
    ("link", ("https://example.com/one", "https://example.com/two", "https://example.com/three")),
    ("phone", ("+1 555 0100", "+1 555 0101", "+1 555 0102")),
    ("city", ("Rome", "Oslo", "Lima", "Kyoto", "Quito")),
    ("country", ("Italy", "Norway", "Peru", "Japan", "Ecuador")),
    ("language", ("English", "Italian", "Spanish", "Japanese")),
    ("currency", ("USD", "EUR", "JPY")),
    ("color", ("#336699", "#cc6633", "#669933", "#993366")),
    ("colour", ("#336699", "#cc6633", "#669933", "#993366")),
    ("datetime", ("2026-01-15T09:30:00Z", "2026-02-20T14:00:00Z", "2026-03-25T18:45:00Z")),
    ("date", ("2026-01-15", "2026-02-20", "2026-03-25")),
    ("time", ("09:30", "14:00", "18:45")),
    ("sentiment", ("positive", "neutral", "negative")),
    ("priority", ("high", "medium", "low")),
    ("status", ("open", "in progress", "done")),
    ("author", ("Ada Lovelace", "Ben Okri", "Cleo Marsh", "Dan Ito")),
    ("person", ("Ada Lovelace", "Ben Okri", "Cleo Marsh", "Dan Ito")),
)
"""What the name of a text field may contain, and texts that fit then."""

_FORMATS: Final[dict[str, tuple[str, ...]]] = {
    "date": ("2026-01-15", "2026-02-20", "2026-03-25"),
    "date-time": ("2026-01-15T09:30:00Z", "2026-02-20T14:00:00Z", "2026-03-25T18:45:00Z"),
    "time": ("09:30:00", "14:00:00", "18:45:00"),
    "duration": ("PT30M", "PT2H", "P1D"),
    "email": ("ada@example.com", "ben@example.com", "cleo@example.com"),
    "uri": ("https://example.com/one", "https://example.com/two", "https://example.com/three"),
    "url": ("https://example.com/one", "https://example.com/two", "https://example.com/three"),
    "uuid": ("00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"),
    "ipv4": ("192.0.2.1", "192.0.2.2"),
    "hostname": ("one.example.com", "two.example.com"),
}
_LONG: Final = (
    "summary",
    "description",
    "text",
    "body",
    "content",
    "explanation",
    "reason",
    "comment",
    "answer",
    "abstract",
)

_RANGES: Final[tuple[tuple[str, float, float], ...]] = (
    ("year", 1990, 2026),
    ("percent", 0, 100),
    ("confidence", 0, 1),
    ("probability", 0, 1),
    ("score", 0, 1),
    ("rating", 1, 5),
    ("price", 5, 100),
    ("age", 18, 80),
)
"""What the name of a number field may contain, and the usual range then."""


def made_up_value(made_up: MadeUp, schema: Mapping[str, Any]) -> Any:
    """A value that fits a JSON Schema; what its fields are called decides what is in them."""
    return _Filling(made_up, schema).value(schema, "", 0, 0)


def made_up_json(made_up: MadeUp, schema: Mapping[str, Any]) -> str:
    """A value that fits a JSON Schema, as JSON."""
    return json.dumps(made_up_value(made_up, schema), ensure_ascii=False)


class _Filling:
    """Fills in one schema; `root` is where ``#/$defs/…`` points to."""

    def __init__(self, made_up: MadeUp, root: Mapping[str, Any]) -> None:
        self._made_up = made_up
        self._root = root
        self._fillers: dict[str, Callable[[Mapping[str, Any], str, int, int], Any]] = {
            "object": self._object,
            "array": self._array,
            "string": self._string,
            "integer": self._integer,
            "number": self._number,
            "boolean": lambda schema, name, index, depth: index % 2 == 0,
            "null": lambda schema, name, index, depth: None,
        }

    def value(self, schema: Any, name: str, index: int, depth: int) -> Any:
        if not isinstance(schema, Mapping):
            return self._made_up.label(name, index)
        schema = self._resolved(schema)
        if "const" in schema:
            return schema["const"]
        if choices := schema.get("enum"):
            return self._made_up.pick(choices, index)
        for union in ("anyOf", "oneOf"):
            if options := schema.get(union):
                return self.value(self._chosen(options, depth), name, index, depth)
        kind = self._kind(schema, depth)
        return self._fillers[kind](schema, name, index, depth)

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """The schema with its reference followed and the parts that must all hold put together."""
        for _ in range(MOST_DEPTH):
            reference = schema.get("$ref")
            if not isinstance(reference, str):
                break
            schema = {**self._at(reference), **{key: item for key, item in schema.items() if key != "$ref"}}
        for part in schema.get("allOf", ()):
            inner = self._resolved(part)
            merged = {**schema.get("properties", {}), **inner.get("properties", {})}
            required = [*schema.get("required", ()), *inner.get("required", ())]
            schema = {**inner, **schema} | ({"properties": merged, "required": required} if merged else {})
        return schema

    def _at(self, reference: str) -> Mapping[str, Any]:
        found: Any = self._root
        for step in reference.removeprefix("#").strip("/").split("/"):
            found = found.get(step, {}) if isinstance(found, Mapping) and step else found
        return found if isinstance(found, Mapping) else {}

    def _chosen(self, options: list[Any], depth: int) -> Any:
        """The first option that is a value; null where nesting must end."""
        null = next((item for item in options if isinstance(item, Mapping) and item.get("type") == "null"), None)
        if depth >= MOST_DEPTH and null is not None:
            return null
        return next((item for item in options if item is not null), options[0])

    def _kind(self, schema: Mapping[str, Any], depth: int) -> str:
        kind = schema.get("type")
        if isinstance(kind, list):
            names = [item for item in kind if item != "null"]
            kind = "null" if not names or (depth >= MOST_DEPTH and "null" in kind) else names[0]
        if kind in self._fillers:
            return kind
        if "properties" in schema:
            return "object"
        return "array" if "items" in schema or "prefixItems" in schema else "string"

    def _object(self, schema: Mapping[str, Any], name: str, index: int, depth: int) -> dict[str, Any]:
        members = schema.get("properties", {})
        required = schema.get("required", ())
        wanted = [key for key in members if depth < MOST_DEPTH or key in required]
        # A schema that demands itself has no value; it must end all the same.
        filled = {key: self.value(members[key], key, index, depth + 1) for key in wanted if depth < 3 * MOST_DEPTH}
        inner = schema.get("additionalProperties")
        if not filled and isinstance(inner, Mapping) and depth < MOST_DEPTH:
            count = max(schema.get("minProperties", 0), 2)
            filled = {f"key {number + 1}": self.value(inner, "", number, depth + 1) for number in range(count)}
        return filled

    def _array(self, schema: Mapping[str, Any], name: str, index: int, depth: int) -> list[Any]:
        tuple_items = schema.get("prefixItems", ())
        low = int(schema.get("minItems", 0))
        high = int(schema.get("maxItems", MOST_ITEMS))
        if tuple_items:
            return [self.value(item, name, number, depth + 1) for number, item in enumerate(tuple_items)]
        usual = self._made_up.count(ITEMS) if depth <= 1 else ITEMS
        count = low if depth >= MOST_DEPTH else max(low, min(usual, high))
        items = schema.get("items", {})
        singular = name.removesuffix("s")
        found = [self.value(items, singular, index + number, depth + 1) for number in range(count)]
        if schema.get("uniqueItems"):
            found = [item for place, item in enumerate(found) if item not in found[:place]]
        return found

    def _string(self, schema: Mapping[str, Any], name: str, index: int, depth: int) -> str:
        text = self._words(schema, name.casefold(), name, index)
        low, high = int(schema.get("minLength", 0)), schema.get("maxLength")
        if len(text) < low:
            text = (text + " " + self._made_up.sentence(index)).ljust(low, ".")
        return text[: int(high)].rstrip() or text[: int(high)] if isinstance(high, (int, float)) else text

    def _words(self, schema: Mapping[str, Any], folded: str, name: str, index: int) -> str:
        if texts := _FORMATS.get(str(schema.get("format"))):
            return texts[index % len(texts)]
        hint = f"{folded} {schema.get('description', '')}".casefold()
        if "iso date and time" in hint:
            return _FORMATS["date-time"][index % 3]
        for part, texts in _STRINGS:
            if part in folded:
                return texts[index % len(texts)]
        if any(part in folded for part in _LONG):
            return self._made_up.sentence(index)
        return self._made_up.label(name, index)

    def _integer(self, schema: Mapping[str, Any], name: str, index: int, depth: int) -> int:
        low, high = _bounds(schema, 1, name)
        step = schema.get("multipleOf") or 1
        first, last = math.ceil(low / step), math.floor(high / step)
        if last < first:
            return math.ceil(low)
        return int((first + (self._made_up.start(last - first + 1) + index) % (last - first + 1)) * step)

    def _number(self, schema: Mapping[str, Any], name: str, index: int, depth: int) -> float:
        low, high = _bounds(schema, 0.01, name)
        step = schema.get("multipleOf")
        if step:
            return (
                self._integer(schema, name, index, depth) if float(step).is_integer() else math.ceil(low / step) * step
            )
        value = self._made_up.number(low, high)
        return min(max(round(value, 2), low), high)


def _bounds(schema: Mapping[str, Any], gap: float, name: str) -> tuple[float, float]:
    """The least and the greatest number; `gap` is how far beyond an exclusive bound a number is."""
    usual = next(((least, most) for part, least, most in _RANGES if part in name.casefold()), (1.0, 10.0))
    low: float | None = schema.get("minimum")
    high: float | None = schema.get("maximum")
    if isinstance(above := schema.get("exclusiveMinimum"), (int, float)):
        low = above + gap
    if isinstance(below := schema.get("exclusiveMaximum"), (int, float)):
        high = below - gap
    if low is None:
        return usual if high is None else (min(usual[0], high), high)
    return low, max(low, usual[1]) if high is None else high
