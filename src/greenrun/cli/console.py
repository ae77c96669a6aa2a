"""Where the command line writes: results to stdout, progress and errors to stderr."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from greenrun.cli.main import CHECK_FAILED, OK, RED
from greenrun.document.errors import GreenrunError

EXIT_CODES = {"green": OK, "red": RED, "check_failed": CHECK_FAILED}
MARKS = {"green": "[green]✔[/]", "red": "[red]✘[/]", "check_failed": "[yellow]?[/]"}
GAP = 2
NARROWEST = 30
"""The last column of `print_rows` keeps at least so many cells."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class WrongUse(GreenrunError):
    """Raised when the command line cannot mean anything; ends the command with exit code 2."""


def out() -> Console:
    """The console for results; made anew so that a redirected stdout is seen."""
    return _console(sys.stdout)


def err() -> Console:
    """The console for progress and errors."""
    return _console(sys.stderr)


def print_json(data: Any) -> None:
    """JSON to stdout. What cannot be encoded there, a lone surrogate always, is written as an escape."""
    unicode = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    text = json.dumps(data, indent=2, ensure_ascii=not unicode)
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")


def plain(text: object) -> str:
    """Text for a console: not read as markup, no control characters, and printable."""
    return escape(printable(str(text)))


def printable(text: str) -> str:
    """The text with escapes for control characters and lone surrogates; it cannot steer a terminal."""
    shown = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    return shown.encode("utf-8", "backslashreplace").decode("utf-8")


def print_rows(console: Console, rows: Iterable[Sequence[str]], *, indent: int = 2) -> None:
    """Rows of markup in columns. On a terminal the last column wraps under itself; elsewhere a row stays one line."""
    cells = [[Text.from_markup(cell) for cell in row] for row in rows]
    widths = [
        max(row[column].cell_len for row in cells if column < len(row) - 1)
        for column in range(max((len(row) - 1 for row in cells), default=0))
    ]
    for *heads, last in cells:
        line = Text(" " * indent)
        for head, width in zip(heads, widths, strict=False):
            line.append_text(head).append(" " * (width - head.cell_len + GAP))
        start = line.cell_len
        pieces = last.wrap(console, max(NARROWEST, console.width - start)) if console.is_terminal else last.split("\n")
        for piece in pieces or [Text()]:
            line.append_text(piece)
            line.rstrip()
            console.print(line)
            line = Text(" " * start)


def _console(file: Any) -> Console:
    # A terminal or a file that cannot show a character gets its escape instead of ending the command.
    reconfigure = getattr(file, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    return Console(file=file, highlight=False, soft_wrap=True, emoji=False)
