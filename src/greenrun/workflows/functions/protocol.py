"""The frames between the server and a worker: a four-byte length, then one JSON object as ASCII.

Both sides load this file; in a worker it may use nothing outside the standard library.
"""

from __future__ import annotations

import json
import math
import struct
from typing import Any, NoReturn

MAX_FRAME = 64 * 1024 * 1024
"""The largest frame in bytes; a larger result is refused with an error that names the output."""

DEEPEST = 220
"""How many levels a worker's message may have: those of a value, and those around it."""

HEADER = struct.Struct(">I")


class ProtocolError(Exception):
    """Raised for bytes that are no frame."""


def encode(message: dict[str, Any]) -> bytes:
    """One frame.

    Raises:
        ProtocolError: The message is larger than `MAX_FRAME`.
        ValueError: A number in it is NaN or infinite.
    """
    body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii")
    if len(body) > MAX_FRAME:
        raise ProtocolError(f"{len(body)} bytes are more than the {MAX_FRAME} that fit into one message")
    return HEADER.pack(len(body)) + body


def frame_length(header: bytes) -> int:
    """The length of the body after that header.

    Raises:
        ProtocolError: The length is beyond `MAX_FRAME`.
    """
    (length,) = HEADER.unpack(header)
    if length > MAX_FRAME:
        raise ProtocolError(f"a frame claims {length} bytes")
    return length


def decode(body: bytes, *, deepest: int | None = None) -> dict[str, Any]:
    """The message of a frame, with at most `deepest` levels (None: as many as Python reads).

    Raises:
        ProtocolError: The body is not one JSON object, is deeper, or holds a number that is not finite.
    """
    try:
        message = json.loads(body, parse_constant=_refused, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"a frame is no JSON: {error}") from error
    if not isinstance(message, dict):
        raise ProtocolError("a frame is no JSON object")
    if deepest is not None and body.count(b"[") + body.count(b"{") > deepest and _is_deeper(message, deepest):
        raise ProtocolError(f"a frame is nested deeper than {deepest} levels")
    return message


def _is_deeper(message: object, levels: int) -> bool:
    layer: list[Any] = [message]
    for _ in range(levels):
        layer = [
            item
            for holder in layer
            for item in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(item, (dict, list))
        ]
        if not layer:
            return False
    return True


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:40]} is too large for a number")
    return number


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
