"""Media references and what they hold (spec: nodes A9)."""

from __future__ import annotations

import asyncio
import base64
import binascii
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final
from urllib.parse import unquote, unquote_to_bytes

from pydantic import BeforeValidator

from greenrun.document.values import is_record
from greenrun.workflows.media.sniff import UNKNOWN, canonical_mime, sniff, type_of_name
from greenrun.workflows.node import NodeContext, NodeError
from greenrun.workflows.ports import PortType, to_items
from greenrun.workflows.type_meta import refers_to_media

LIMIT: Final = 100 * 1024 * 1024
"""More bytes than this are no media that a run handles."""

MOST_TOGETHER: Final = 3 * LIMIT
"""More bytes than this are not joined."""

_AT_ONCE: Final = 256 * 1024
"""Base64 up to this length is decoded without a thread; it takes less than a millisecond."""

# A recording of a voice may lie in a film's container, and a moving GIF is a film.
_ACCEPTED: Final[dict[str, tuple[str, ...]]] = {
    "audio": ("audio/", "video/"),
    "image": ("image/",),
    "video": ("video/", "image/gif"),
}
_ARTICLES: Final = {"audio": "a sound", "image": "a picture", "video": "a video"}


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes and what they are."""

    data: bytes = field(repr=False)
    mime: str = UNKNOWN


def make_ref(kind: str, data: bytes, mime: str, name: str | None = None) -> dict[str, Any]:
    """A reference that carries its content: ``{type, uri, asset_id, data, metadata: {mime, name?}}``; base64 data."""
    metadata = {"mime": mime} if name is None else {"mime": mime, "name": name}
    return {"type": kind, "uri": "", "asset_id": None, "data": _encoded(data), "metadata": metadata}


def to_ref(value: Any, kind: str) -> Any:
    """A reference from what an edge brings: a bare text is an address; everything else stays as it is."""
    return {"type": kind, "uri": value} if isinstance(value, str) and value.strip() else value


def _refs(kind: str) -> Any:
    def convert(value: Any) -> list[Any]:
        return [to_ref(item, kind) for item in to_items(value) if item is not None]

    return BeforeValidator(convert)


ImageValue = Annotated[Any, PortType("image", required=True), BeforeValidator(lambda value: to_ref(value, "image"))]
VideoValue = Annotated[Any, PortType("video", required=True), BeforeValidator(lambda value: to_ref(value, "video"))]
AudioValue = Annotated[Any, PortType("audio", required=True), BeforeValidator(lambda value: to_ref(value, "audio"))]
OptionalImage = Annotated[Any, PortType("image?"), BeforeValidator(lambda value: to_ref(value, "image"))]
ImageItems = Annotated[list[Any], PortType("list[image]", required=True), _refs("image")]
"""Ports of media; `content_of` reads what they hold."""


def inline_data(ref: Mapping[str, Any], *, limit: int = LIMIT) -> bytes | None:
    """What a reference carries in `data` or in a ``data:`` uri; None when it carries nothing.

    Raises:
        NodeError: It is no base64 text, or larger than `limit` bytes.
    """
    data = ref.get("data")
    if data is None or data in ("", []):
        uri = ref.get("uri")
        return _data_uri(uri, limit) if isinstance(uri, str) and uri[:5].lower() == "data:" else None
    if isinstance(data, (bytes, bytearray, memoryview)):
        return within(bytes(data), limit)
    if isinstance(data, list):
        try:
            return within(bytes(data), limit)
        except (TypeError, ValueError):
            raise NodeError("the data of the media is a list of something else than bytes") from None
    if not isinstance(data, str):
        raise NodeError(f"the data of the media is a {type(data).__name__}; base64 text is expected")
    return _data_uri(data, limit) if data[:5].lower() == "data:" else _base64(data, limit)


async def carried(ref: Mapping[str, Any], *, limit: int = LIMIT) -> bytes | None:
    """As `inline_data`; much of it is decoded in a thread.

    Raises:
        NodeError: As `inline_data`.
    """
    sizes = (len(text) for key in ("data", "uri") if isinstance(text := ref.get(key), (str, list)))
    if max(sizes, default=0) < _AT_ONCE:
        return inline_data(ref, limit=limit)
    return await asyncio.to_thread(inline_data, ref, limit=limit)


def within(data: bytes, limit: int = LIMIT) -> bytes:
    """The data, when it is not too large.

    Raises:
        NodeError: It is larger than `limit` bytes.
    """
    if len(data) > limit:
        raise too_large(limit)
    return data


def too_large(limit: int = LIMIT) -> NodeError:
    """The error of content above `limit` bytes."""
    return NodeError(f"the media is larger than {limit / 1024 / 1024:g} MB; give a smaller file")


def _data_uri(uri: str, limit: int) -> bytes:
    head, comma, body = uri.partition(",")
    if not comma:
        raise NodeError("the data: address of the media has no content after a comma")
    if head.lower().endswith(";base64"):
        return _base64(unquote(body) if "%" in body else body, limit)
    if len(body) > 3 * limit:
        raise too_large(limit)
    return within(unquote_to_bytes(body), limit)


# Base64 is worked on in pieces, because Python runs nothing else while it works on one. Whole groups of three bytes, and of
# four letters, keep the pieces apart.
_PIECE: Final = 3 * 2**16


def _encoded(data: bytes) -> str:
    pieces = (data[at : at + _PIECE] for at in range(0, len(data), _PIECE))
    return "".join([base64.b64encode(piece).decode("ascii") for piece in pieces])


def _base64(text: str, limit: int) -> bytes:
    if len(text) // 4 * 3 > limit + 2:
        raise too_large(limit)
    found = bytearray()
    rest = ""
    try:
        for at in range(0, len(text), _PIECE):
            # Line breaks are common in base64; anything else that is no part of it means that it is something else.
            rest += "".join(text[at : at + _PIECE].split())
            whole = len(rest) - len(rest) % 4
            found += base64.b64decode(rest[:whole], validate=True)
            rest = rest[whole:]
        found += base64.b64decode(rest, validate=True)
    except (binascii.Error, ValueError):
        raise NodeError("the data of the media is not base64 text") from None
    return within(bytes(found), limit)


def mime_of(data: bytes, ref: Mapping[str, Any] | None = None) -> str:
    """What the content is: by its first bytes, else by what the reference says about it."""
    found = sniff(data)
    if found is not None or ref is None:
        return found or UNKNOWN
    metadata = ref.get("metadata")
    described = {**metadata, **ref} if is_record(metadata) else ref
    for key in ("mime", "mime_type", "content_type"):
        if isinstance(said := described.get(key), str) and "/" in said:
            return canonical_mime(said)
    names = (described.get("name"), ref.get("uri"))
    claims = (type_of_name(name.partition("?")[0]) for name in names if isinstance(name, str) and name[:5] != "data:")
    return next((claim for claim in claims if claim is not None), UNKNOWN)


async def content_of(context: NodeContext, value: Any, kind: str, port: str) -> Content:
    """The content of the media that arrived on a port, of the right kind.

    `kind` is image, video or audio.

    Raises:
        NodeError: There is none, it cannot be read, or it is something else; the text names the port.
    """
    if not is_record(value) or not refers_to_media(value):
        if value is None or value == "" or is_record(value):
            raise NodeError(f'there is no {kind} on "{port}"; connect one')
        raise NodeError(f'"{port}" holds a {type(value).__name__}; a reference to {_ARTICLES[kind]} is expected')
    data = await carried(value)
    if data is None:
        data = await context.read_media(value)
    if not data:
        raise NodeError(f'the {kind} on "{port}" is empty; give a file with content')
    mime = mime_of(data, value)
    if mime != UNKNOWN and not mime.startswith(_ACCEPTED[kind]):
        raise NodeError(f'"{port}" holds {mime}, which is not {_ARTICLES[kind]}; give one')
    return Content(data, mime)


async def contents_of(context: NodeContext, items: list[Any], dynamic: dict[str, Any], kind: str) -> list[Content]:
    """The content of what arrived as a list and on added inputs, in that order.

    Raises:
        NodeError: There is nothing, too much, or something of another kind.
    """
    named = [(f"{kind}s", item) for item in items]
    named += [(name, item) for name, value in dynamic.items() for item in to_items(value)]
    found: list[Content] = []
    for name, item in named:
        if item is not None:
            found.append(await content_of(context, to_ref(item, kind), kind, name))
            if sum(len(content.data) for content in found) > MOST_TOGETHER:
                raise too_large(MOST_TOGETHER)
    if not found:
        raise NodeError(f"there is no {kind} to join; connect at least one")
    return found


def span(start: float, end: float) -> tuple[float, float]:
    """Two times in seconds; an end below 0 is infinite.

    Raises:
        NodeError: The end does not come after the start.
    """
    begin = max(0.0, float(start))
    until = float(end) if end >= 0 else math.inf
    if until <= begin:
        raise NodeError(f"the end, {until:g} s, does not come after the start, {begin:g} s; change one of them")
    return begin, until
