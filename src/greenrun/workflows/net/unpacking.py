"""Compressed answers, unpacked piece by piece so that a small answer cannot become a huge one in memory."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Final

PIECE_BYTES: Final = 65_536
ACCEPTED: Final = "gzip, deflate"
"""The codings that requests ask for; others are refused, as they cannot be unpacked in bounded pieces here."""

_GZIP_BITS: Final = 16 + zlib.MAX_WBITS


class UnpackError(Exception):
    """The content is not what its coding says, or the coding is none that was asked for."""


class _Gzip:
    """Any number of gzip members, one after the other."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP_BITS)

    def pieces(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._member.eof:
                self._member = zlib.decompressobj(_GZIP_BITS)
            yield self._member.decompress(data, PIECE_BYTES)
            data = self._member.unused_data or self._member.unconsumed_tail
        while not self._member.eof and (rest := self._member.decompress(b"", PIECE_BYTES)):
            yield rest


class _Deflate:
    """A zlib stream, or a bare deflate one, as some servers send it."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj()
        self._is_first = True

    def pieces(self, data: bytes) -> Iterator[bytes]:
        while data and not self._stream.eof:
            try:
                piece = self._stream.decompress(data, PIECE_BYTES)
            except zlib.error:
                if not self._is_first:
                    raise
                self._stream = zlib.decompressobj(-zlib.MAX_WBITS)
                piece = self._stream.decompress(data, PIECE_BYTES)
            self._is_first = False
            yield piece
            data = self._stream.unconsumed_tail
        while not self._stream.eof and (rest := self._stream.decompress(b"", PIECE_BYTES)):
            yield rest


_CODINGS: Final[dict[str, Callable[[], _Gzip | _Deflate]]] = {"gzip": _Gzip, "x-gzip": _Gzip, "deflate": _Deflate}


class Unpacker:
    """Undoes the codings of a ``Content-Encoding`` header.

    Raises:
        UnpackError: A coding is none of `ACCEPTED`.
    """

    def __init__(self, codings: str) -> None:
        names = [name for part in codings.split(",") if (name := part.strip().lower()) not in ("", "identity")]
        unknown = [name for name in names if name not in _CODINGS]
        if unknown:
            raise UnpackError(f'it is packed as "{unknown[0][:40]}", which was not asked for')
        self._steps = [_CODINGS[name]() for name in reversed(names)]

    def __bool__(self) -> bool:
        return bool(self._steps)

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What the next bytes unpack to, at most `PIECE_BYTES` at a time.

        Raises:
            UnpackError: The bytes are not packed as the header says.
        """
        try:
            yield from self._unpacked(data, 0)
        except zlib.error as error:
            raise UnpackError(f"it is not packed as it says: {error}") from None

    def _unpacked(self, data: bytes, step: int) -> Iterator[bytes]:
        if step == len(self._steps):
            yield data
            return
        for piece in self._steps[step].pieces(data):
            if piece:
                yield from self._unpacked(piece, step + 1)
