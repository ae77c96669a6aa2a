"""docs/images/demo.svg: what ``greenrun demo`` prints, as a terminal would show it."""

from __future__ import annotations

import html
import io
import re

from rich.console import Console
from rich.text import Text

from docs_src.snippets import COLUMNS, SNIPPETS, run

_FONT_FACE = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
_CREDIT = re.compile(r"\s*<!--.*?-->", re.DOTALL)
_TEXT = re.compile(r"<text [^>]*>(.*?)</text>")


def picture() -> str:
    """The picture as SVG. It loads nothing: the fonts that rich would fetch are those of the reader's machine."""
    shown = Text.from_ansi(run(SNIPPETS / "demo.sh", coloured=True).strip("\n"))
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(shown)
    drawn = console.export_svg(title="greenrun", unique_id="demo")
    return _CREDIT.sub("", _FONT_FACE.sub("", drawn)).replace("Fira Code, monospace", "monospace") + "\n"


def words(svg: str) -> str:
    """What can be read in the picture."""
    return html.unescape(" ".join(_TEXT.findall(svg))).replace("\xa0", " ")
