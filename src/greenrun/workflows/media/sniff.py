"""What content is, by its first bytes; what a file is called is only a claim."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

# Offset, magic, MIME type; the first row that fits wins.
_MAGIC: Final[tuple[tuple[int, bytes, str], ...]] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (0, b"\x00\x00\x01\x00", "image/x-icon"),
    (0, b"8BPS", "image/vnd.adobe.photoshop"),
    (0, b"\x00\x00\x00\x0cjP  ", "image/jp2"),
    (0, b"fLaC", "audio/flac"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"#!AMR", "audio/amr"),
    (0, b"MThd", "audio/midi"),
    (0, b"FLV\x01", "video/x-flv"),
    (0, b"\x00\x00\x01\xba", "video/mpeg"),
    (0, b"\x00\x00\x01\xb3", "video/mpeg"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"glTF", "model/gltf-binary"),
    (0, b"#EXTM3U", "application/vnd.apple.mpegurl"),
)

# The four letters after RIFF or FORM and a length.
_CHUNKED: Final[dict[tuple[bytes, bytes], str]] = {
    (b"RIFF", b"WEBP"): "image/webp",
    (b"RIFF", b"WAVE"): "audio/wav",
    (b"RIFF", b"AVI "): "video/x-msvideo",
    (b"FORM", b"AIFF"): "audio/aiff",
    (b"FORM", b"AIFC"): "audio/aiff",
}

# The first four letters of the brand of an ISO media file, after its `ftyp`.
_BRANDS: Final[dict[bytes, str]] = {
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"heim": "image/heic",
    b"heis": "image/heic",
    b"hevc": "image/heic",
    b"mif1": "image/heic",
    b"msf1": "image/heic",
    b"M4A ": "audio/mp4",
    b"M4B ": "audio/mp4",
    b"M4P ": "audio/mp4",
    b"qt  ": "video/quicktime",
}

_OGG: Final[tuple[tuple[bytes, str], ...]] = ((b"\x80theora", "video/ogg"), (b"fishead", "video/ogg"))

_EXTENSIONS: Final[dict[str, str]] = {
    "application/gzip": "gz",
    "application/json": "json",
    "application/pdf": "pdf",
    "application/zip": "zip",
    "audio/aac": "aac",
    "audio/aiff": "aiff",
    "audio/amr": "amr",
    "audio/flac": "flac",
    "audio/midi": "mid",
    "audio/mp4": "m4a",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/wav": "wav",
    "audio/webm": "weba",
    "image/avif": "avif",
    "image/bmp": "bmp",
    "image/gif": "gif",
    "image/heic": "heic",
    "image/jp2": "jp2",
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/svg+xml": "svg",
    "image/tiff": "tiff",
    "image/vnd.adobe.photoshop": "psd",
    "image/webp": "webp",
    "image/x-icon": "ico",
    "model/gltf-binary": "glb",
    "text/csv": "csv",
    "text/markdown": "md",
    "text/plain": "txt",
    "video/mp2t": "ts",
    "video/mp4": "mp4",
    "video/mpeg": "mpg",
    "video/ogg": "ogv",
    "video/quicktime": "mov",
    "video/webm": "webm",
    "video/x-flv": "flv",
    "video/x-matroska": "mkv",
    "video/x-msvideo": "avi",
}
_TYPES: Final[dict[str, str]] = {extension: mime for mime, extension in _EXTENSIONS.items()} | {
    "jpeg": "image/jpeg",
    "m4v": "video/mp4",
    "oga": "audio/ogg",
    "opus": "audio/ogg",
    "tif": "image/tiff",
}
_SPELLINGS: Final[dict[str, str]] = {
    "audio/mp3": "audio/mpeg",
    "audio/vnd.wave": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/x-aiff": "audio/aiff",
    "audio/x-flac": "audio/flac",
    "audio/x-m4a": "audio/mp4",
    "audio/x-wav": "audio/wav",
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/vnd.microsoft.icon": "image/x-icon",
    "image/x-ms-bmp": "image/bmp",
    "video/avi": "video/x-msvideo",
}

UNKNOWN: Final = "application/octet-stream"

_HEAD = 512


def sniff(data: bytes) -> str | None:
    """The MIME type that the first bytes show; None when they show none."""
    head = bytes(data[:_HEAD])
    for offset, magic, mime in _MAGIC:
        if head.startswith(magic, offset):
            return mime
    return next((mime for look in _LOOKS if (mime := look(head, data)) is not None), None)


def extension_of(mime: str) -> str:
    """The usual file extension of a MIME type without its dot; ``bin`` for one that is not known."""
    return _EXTENSIONS.get(canonical_mime(mime), "bin")


def type_of_name(name: str) -> str | None:
    """The MIME type that the extension of a file name or path claims; None when it claims none."""
    stem, dot, extension = name.rpartition(".")
    return _TYPES.get(extension.lower()) if dot and stem else None


def canonical_mime(mime: str) -> str:
    """``image/jpg; charset=x`` as ``image/jpeg``."""
    bare = mime.partition(";")[0].strip().lower()
    return _SPELLINGS.get(bare, bare)


def _chunked(head: bytes, data: bytes) -> str | None:
    return _CHUNKED.get((head[:4], head[8:12]))


def _iso_media(head: bytes, data: bytes) -> str | None:
    return _BRANDS.get(head[8:12], "video/mp4") if head[4:8] == b"ftyp" else None


def _matroska(head: bytes, data: bytes) -> str | None:
    if not head.startswith(b"\x1aE\xdf\xa3"):
        return None
    return "video/webm" if b"webm" in head[:64] else "video/x-matroska"


def _ogg(head: bytes, data: bytes) -> str | None:
    if not head.startswith(b"OggS"):
        return None
    return next((mime for mark, mime in _OGG if mark in head), "audio/ogg")


def _bitmap(head: bytes, data: bytes) -> str | None:
    # Two letters begin many texts; the reserved bytes and the size of the header must fit too.
    fits = head[:2] == b"BM" and head[6:10] == b"\0\0\0\0" and head[14:18] in _BITMAP_HEADERS
    return "image/bmp" if fits else None


_BITMAP_HEADERS: Final = frozenset(size.to_bytes(4, "little") for size in (12, 40, 52, 56, 64, 108, 124))


def _mpeg_audio(head: bytes, data: bytes) -> str | None:
    if len(head) < 4 or head[0] != 0xFF:
        return None
    if head[1] & 0xF6 == 0xF0:
        return "audio/aac"
    layer, rate, sampling = head[1] & 0x06, head[2] >> 4, head[2] >> 2 & 0x03
    return "audio/mpeg" if head[1] & 0xE0 == 0xE0 and layer and rate not in (0, 15) and sampling != 3 else None


def _transport_stream(head: bytes, data: bytes) -> str | None:
    marks = (head[place : place + 1] for place in (0, 188, 376))
    return "video/mp2t" if all(mark == b"G" for mark in marks) else None


def _markup(head: bytes, data: bytes) -> str | None:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith((b"<!doctype html", b"<html")):
        return "text/html"
    # Comments and declarations may stand long before the root element.
    return "image/svg+xml" if text.startswith(b"<") and b"<svg" in bytes(data[:4096]).lower() else None


_LOOKS: Final[tuple[Callable[[bytes, bytes], str | None], ...]] = (
    _chunked,
    _iso_media,
    _matroska,
    _ogg,
    _bitmap,
    _mpeg_audio,
    _transport_stream,
    _markup,
)
