"""Fonts to write on pictures with: the one that Pillow brings has English letters only (needs Pillow)."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any, Final

from greenrun.workflows.node import NodeError

_OTHERS: Final = (
    "DejaVuSans.ttf",
    "NotoSans-Regular.ttf",
    "LiberationSans-Regular.ttf",
    "Arial.ttf",
    "Arial Unicode.ttf",
    "segoeui.ttf",
    "NotoSansCJK-Regular.ttc",
    "PingFang.ttc",
    "Hiragino Sans GB.ttc",
    "msyh.ttc",
    "wqy-zenhei.ttc",
)
"""Fonts that systems have; the first that has all letters of a text is taken."""

_LOOKED_AT: Final = 16
"""Pixels; what letters a font has does not depend on its size, and small ones are quick to draw."""

_NOWHERE: Final = "\U0010ffff"
"""No font has it, so this shows how a font draws what it does not have."""


def font_for(text: str, pixels: float, given: bytes | None = None) -> Any:
    """A font for a text, of that size in pixels: the given font file, else the first here that has its letters.

    Raises:
        NodeError: The file is no font, or no font has all letters; the text names them.
    """
    if given is not None:
        return _from_file(given, pixels)
    found, missing = _best(text, pixels)
    if missing:
        letters = " ".join(missing[:10])
        raise NodeError(
            f"no font on this machine has the letters {letters}; name a font file of the workspace that has"
        )
    return found


def nearest_font(text: str, pixels: float) -> Any:
    """As `font_for`; where no font has all letters, the one that lacks the fewest."""
    return _best(text, pixels)[0]


def _best(text: str, pixels: float) -> tuple[Any, list[str]]:
    from PIL import ImageFont

    letters = sorted({letter for letter in text if letter.isprintable() and not letter.isspace()})
    found, missing = "", _lacking(ImageFont.load_default(_LOOKED_AT), letters)
    for name in _OTHERS if missing else ():
        other = _of_system(name)
        lacks = missing if other is None else _lacking(other, letters)
        if len(lacks) < len(missing):
            found, missing = name, lacks
        if not missing:
            break
    return (ImageFont.truetype(found, pixels) if found else ImageFont.load_default(pixels)), missing


@lru_cache(maxsize=len(_OTHERS))
def _of_system(name: str) -> Any:
    """A font of this machine in the size in which letters are looked at; None when it is not here."""
    from PIL import ImageFont

    try:
        return ImageFont.truetype(name, _LOOKED_AT)
    except OSError:
        return None


def _from_file(data: bytes, pixels: float) -> Any:
    from PIL import ImageFont

    try:
        return ImageFont.truetype(io.BytesIO(data), pixels)
    except OSError:
        raise NodeError("this is no font that is read here; give a TTF or OTF file") from None


def _lacking(font: Any, letters: list[str]) -> list[str]:
    """The letters that the font draws as it draws what it does not have."""
    nothing = _drawn(font, _NOWHERE)
    return [letter for letter in letters if _drawn(font, letter) == nothing]


def _drawn(font: Any, letter: str) -> tuple[Any, bytes]:
    mask = font.getmask(letter)
    return mask.size, bytes(mask)
