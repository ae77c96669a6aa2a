"""Readers of values with a shape: choice cards, sketches, timelines, required media (spec: app-runtime 16)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from greenrun.document.js import is_list, trim
from greenrun.document.surface import Port
from greenrun.document.values import ABSENT, Value, is_nullish, is_number, is_record, is_text

_CARD_TEXTS: Final = ("title", "description", "image")
_CARD_KEYS: Final = ("value", *_CARD_TEXTS, "disabled")
_MAX_UNWRAP: Final = 4
_INPUT_PREFIX: Final = "nodetool.input."
_MEDIA_INPUTS: Final = frozenset(
    _INPUT_PREFIX + name
    for name in (
        "ImageInput",
        "ImageListInput",
        "VideoInput",
        "VideoListInput",
        "AudioInput",
        "AudioListInput",
        "RealtimeAudioInput",
        "DocumentInput",
    )
)
_FUNCTION_INPUT_PREFIX: Final = "pyfunction.input."
_MEDIA_TYPES: Final = frozenset({"image", "audio", "video", "document", "file"})
_REF_CONTENT: Final = ("uri", "asset_id", "data")
_SAMPLES: Final = "package://"


def parse_choice_cards(value: Value) -> list[dict[str, Any]]:
    """The cards in a list of options, or none at all when any entry is bad (16.1).

    A card has a unique non-empty text `value`; the texts `title`, `description`, `image` and the boolean `disabled` are
    optional, null counting as absent. Other keys are left out.
    """
    if not is_list(value):
        return []
    cards = [_card(entry) for entry in value]
    good = [card for card in cards if card is not None]
    is_unique = len({card["value"] for card in good}) == len(cards)
    return good if is_unique else []


def _card(entry: Value) -> dict[str, Any] | None:
    if not is_record(entry):
        return None
    card = {key: entry[key] for key in _CARD_KEYS if not is_nullish(entry.get(key))}
    is_good = (
        is_text(card.get("value"))
        and all(isinstance(card.get(key, ""), str) for key in _CARD_TEXTS)
        and isinstance(card.get("disabled", False), bool)
    )
    return card if is_good else None


@dataclass(frozen=True, slots=True)
class BoundDocument:
    """A sketch or timeline as a widget is bound to it: the document itself, the id of a stored one, both or neither."""

    document: dict[str, Any] | None
    id: str | None


def read_sketch(value: Value) -> BoundDocument:
    """The sketch in a value, through the wrappers that nodes put around it (16.2)."""
    return _read_document(value, _is_sketch, ("document", "sketch"), "sketch")


def read_timeline(value: Value) -> BoundDocument:
    """The timeline in a value, through the wrappers that nodes put around it (16.2)."""
    return _read_document(value, _is_timeline, ("sequence", "document", "timeline"), "timeline")


def sketch_summary(value: Value) -> dict[str, Any] | None:
    """``{width, height, layerCount}`` of a sketch document, None for another shape (16.2)."""
    if not _is_sketch(value):
        return None
    canvas = value["canvas"]
    return {"width": canvas["width"], "height": canvas["height"], "layerCount": len(value["layers"])}


def timeline_summary(value: Value) -> dict[str, Any] | None:
    """``{name, durationMs, trackCount, clipCount}`` of a timeline document, None for another shape (16.2)."""
    if not _is_timeline(value):
        return None
    name = value.get("name")
    return {
        "name": name if isinstance(name, str) else "",
        "durationMs": value["durationMs"],
        "trackCount": len(value["tracks"]),
        "clipCount": len(value["clips"]),
    }


def format_duration(milliseconds: int | float) -> str:
    """Minutes and seconds, ``1:32``; negative and infinite durations are ``0:00`` (16.2)."""
    if not math.isfinite(milliseconds):
        return "0:00"
    minutes, seconds = divmod(max(0, math.floor(milliseconds / 1000 + 0.5)), 60)
    return f"{minutes}:{seconds:02}"


def is_missing_required_media(port: Port | str, value: Value) -> bool:
    """True when a media input has nothing to work on (16.3, O-43).

    `port` is a bindable input, or just its node type. A media parameter of a function counts when it has no default. A
    list without a single usable ref is missing too.
    """
    return _takes_media(port) and _is_missing_media(value)


def _is_sketch(value: Value) -> TypeGuard[dict[str, Any]]:
    if not is_record(value) or not is_record(canvas := value.get("canvas")):
        return False
    return is_number(canvas.get("width")) and is_number(canvas.get("height")) and is_list(value.get("layers"))


def _is_timeline(value: Value) -> TypeGuard[dict[str, Any]]:
    return (
        is_record(value)
        and is_number(value.get("durationMs"))
        and is_list(value.get("tracks"))
        and is_list(value.get("clips"))
    )


def _read_document(
    value: Value, is_wanted: Callable[[Value], TypeGuard[dict[str, Any]]], wrappers: tuple[str, ...], type_name: str
) -> BoundDocument:
    bound: Value = (value[-1] if value else ABSENT) if is_list(value) else value
    found = bound
    for _ in range(_MAX_UNWRAP + 1):
        if is_wanted(found) or not is_record(found):
            break
        found = _unwrapped(found, wrappers, type_name)
    identifier = bound.get("id") if is_record(bound) else None
    return BoundDocument(found if is_wanted(found) else None, identifier if is_text(identifier) else None)


def _unwrapped(record: dict[str, Any], wrappers: tuple[str, ...], type_name: str) -> Value:
    keys = [*wrappers, "data"] if record.get("type") == type_name else wrappers
    return next((record[key] for key in keys if record.get(key, ABSENT) is not ABSENT), ABSENT)


def _takes_media(port: Port | str) -> bool:
    node_type = port if isinstance(port, str) else port.node_type
    if node_type in _MEDIA_INPUTS:
        return True
    if not node_type.startswith(_FUNCTION_INPUT_PREFIX) or (isinstance(port, Port) and port.default is not ABSENT):
        return False
    if isinstance(port, Port) and port.type is not None:
        return _is_media_type(port.type)
    return node_type.removeprefix(_FUNCTION_INPUT_PREFIX).removeprefix("list[").removesuffix("]") in _MEDIA_TYPES


def _is_media_type(declared: Value) -> bool:
    """True for the type metadata of a media type or of a list of one."""
    if is_record(declared) and declared.get("type") == "list":
        arguments = declared.get("type_args")
        declared = arguments[0] if is_list(arguments) and arguments else None
    return is_record(declared) and isinstance(name := declared.get("type"), str) and name in _MEDIA_TYPES


def _is_missing_media(value: Value) -> bool:
    return all(_is_missing_ref(item) for item in value) if is_list(value) else _is_missing_ref(value)


def _is_missing_ref(value: Value) -> bool:
    return all(_is_blank(value.get(key)) for key in _REF_CONTENT) if is_record(value) else _is_blank(value)


def _is_blank(value: Value) -> bool:
    """Nothing, or the address of a sample that only NodeTool ships, which counts as none (spec: harness 2.2 rule 30)."""
    if isinstance(value, str):
        return trim(value) == "" or value.startswith(_SAMPLES)
    return is_nullish(value) or value in ([], {})
