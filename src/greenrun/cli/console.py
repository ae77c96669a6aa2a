"""Where the command line writes: results to stdout, progress and errors to stderr."""

from __future__ import annotations

import json
import sys
from typing import Any

import typer
from rich.console import Console

OK = 0
RED = 1
WRONG_USE = 2
CHECK_FAILED = 3
INTERRUPTED = 130

EXIT_CODES = {"green": OK, "red": RED, "check_failed": CHECK_FAILED}
MARKS = {"green": "[green]✔[/]", "red": "[red]✘[/]", "check_failed": "[yellow]?[/]"}


def out() -> Console:
    """The console for results; made anew so that a redirected stdout is seen."""
    return Console(file=sys.stdout, highlight=False, soft_wrap=True)


def err() -> Console:
    """The console for progress and errors."""
    return Console(file=sys.stderr, highlight=False, soft_wrap=True)


def print_json(data: Any) -> None:
    """JSON to stdout; a lone surrogate is written as an escape, because no terminal can show it."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")


def plain(text: object) -> str:
    """Text for a rich console: not read as markup, and printable."""
    from rich.markup import escape

    return escape(str(text).encode("utf-8", "backslashreplace").decode("utf-8"))


class WrongUse(typer.Exit):
    """Ends the command with exit code 2 after saying what was wrong."""

    def __init__(self, message: str) -> None:
        super().__init__(WRONG_USE)
        err().print(f"[red]error:[/] {plain(message)}")
