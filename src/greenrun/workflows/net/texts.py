"""Bytes from a server as text, by encodings of texts alone: Python knows others, which unpack, compute for long, or fail."""

from __future__ import annotations

import codecs
import re
from typing import Final

_CHARSET: Final = re.compile(r"""charset\s*=\s*["']?([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)

_TEXTUAL: Final = re.compile(
    r"utf-?8(-sig)?|u(tf)?-?(16|32)-?([bl]e)?|(us-)?ascii|latin-?1|iso-?8859-?([1-9]|1[013-6])(-[ei])?"
    r"|(windows|cp)-?(125[0-8]|874|932|936|949|950)|x-sjis|s(hift)?-?jis(-?(2004|x0213))?"
    r"|euc-?(jp|kr|cn|jis-2004|jisx0213)|gb-?18030|gbk|gb-?2312|big5(-?hkscs)?|koi8-[ru]|mac-?(roman|cyrillic)"
)

# Names that browsers know and Python does not.
_ALSO: Final = {
    "gb-18030": "gb18030",
    "gb-2312": "gb2312",
    "iso-8859-8-e": "iso-8859-8",
    "iso-8859-8-i": "iso-8859-8",
    "windows-874": "cp874",
    "windows-932": "cp932",
    "windows-936": "gbk",
    "windows-949": "cp949",
    "windows-950": "cp950",
    "x-sjis": "shift_jis",
}


def known_encoding(name: str) -> str | None:
    """The name of an encoding as Python has it; None for one that is not used here."""
    plain = name.strip().lower().replace("_", "-")
    if not _TEXTUAL.fullmatch(plain):
        return None
    encoding = _ALSO.get(plain, plain)
    try:
        codecs.lookup(encoding)
    except LookupError:
        return None
    return encoding


def charset_of(content_type: str) -> str | None:
    """The encoding that a content type names; None when it names none that is used here."""
    match = _CHARSET.search(content_type)
    return known_encoding(match[1]) if match else None


def decoded(data: bytes, content_type: str = "") -> str:
    """A body as text by the encoding of its content type, else UTF-8; what does not fit becomes a replacement character."""
    return data.decode(charset_of(content_type) or "utf-8", "replace")
