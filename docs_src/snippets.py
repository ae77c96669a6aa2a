"""Files and outputs that the documentation shows, and the marks that say where.

A mark is an HTML comment before a fenced block, which is written anew from the file that it names::

    <!-- include: docs_src/snippets/check.py -->
    <!-- output: docs_src/snippets/check.py -->
    <!-- session: docs_src/snippets/check.sh -->

`include` shows the file, `output` what a Python file prints, `session` the commands of a shell file with what each prints.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SNIPPETS = ROOT / "docs_src" / "snippets"
APPS = ROOT / "docs_src" / "apps"
PLUGIN = ROOT / "docs_src" / "plugin"
EXAMPLES = ROOT / "examples"

COLUMNS = 100
TIMEOUT_SECONDS = 60
_WITHHELD = ("FORCE_COLOR", "NO_COLOR", "PYTEST_")
ASYNC = ("-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function")
LANGUAGES = {".py": "python", ".sh": "bash", ".json": "json", ".toml": "toml", ".txt": "text"}

_BLOCK = re.compile(
    r"^<!-- (?P<kind>include|output|session): (?P<path>\S+) -->\n(?P<fence>`{3,})[^\n]*\n.*?^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_VARYING = (
    (re.compile(r"[\d,.]+(?= ms\b)"), "0"),
    (re.compile(r"\d+(?=\s+[0-9a-f]{12}\b)|(?<=[0-9a-f]{12}  )\d+"), "0"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "0" * 12),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d-]+"), "time"),
    (re.compile(r"\bin [\d.]+s\b"), "in 0s"),
    (re.compile(r"^( *isolation) .*$", re.MULTILINE), r"\1 any"),
    (re.compile(r" {2,}"), "  "),
)
"""What differs from run to run and from machine to machine: durations, closures, times, the space that they take in a table,
and how far user code is isolated."""


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block of a page, and whether a mark stands before it."""

    language: str
    body: str
    marked: bool


class SnippetFailed(Exception):
    """Raised when a snippet does not run; the message holds what it printed."""


def fill(page: str) -> str:
    """The page with every marked block written anew."""
    return _BLOCK.sub(lambda found: _block(found["kind"], found["path"]), page)


def marked(page: str) -> set[str]:
    """The paths that the marks of a page name."""
    return {found["path"] for found in _BLOCK.finditer(page)}


def played(page: str) -> set[str]:
    """The paths that have to run to fill a page."""
    return {found["path"] for found in _BLOCK.finditer(page) if found["kind"] != "include"}


def fences(page: str) -> Iterator[Fence]:
    """Every fenced block of a page."""
    covered = [found.span() for found in _BLOCK.finditer(page)]
    for found in _FENCE.finditer(page):
        inside = any(start <= found.start() < end for start, end in covered)
        yield Fence(found["language"], found["body"], inside)


def steady(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, instead in _VARYING:
        text = pattern.sub(instead, text)
    return text


@cache
def run(path: Path, *, coloured: bool = False) -> str:
    """What a snippet prints to stdout, in a folder with the example apps and those of the documentation.

    The paragraphs of a shell file are commands, shown behind ``$``. They may end with 1, because a red app is part of what
    is shown.

    Raises:
        SnippetFailed: It ended with anything else.
    """
    with _home() as home:
        if path.suffix != ".sh":
            return _run([sys.executable, str(path)], home, (0,), coloured)
        results = [(command, _run(["bash", "-c", command], home, (0, 1), coloured)) for command in _paragraphs(path)]
        return "\n".join(f"$ {command}\n{shown}" for command, shown in results)


def run_tests(*paths: Path) -> None:
    """Run test files beside the apps, where pytest finds no settings.

    Raises:
        SnippetFailed: A test failed.
    """
    with _home() as home:
        for path in paths:
            shutil.copyfile(path, home / path.name)
        names = [path.name for path in paths]
        _run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *ASYNC, *names], home, (0,), False)


@contextmanager
def _home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="greenrun-docs-") as folder:
        home = Path(folder)
        shutil.copytree(EXAMPLES, home / "examples")
        for source in (APPS, PLUGIN):
            shutil.copytree(source, home, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
        yield home


def _run(command: list[str], home: Path, fine: tuple[int, ...], coloured: bool) -> str:
    done = subprocess.run(
        command,
        cwd=home,
        env=_environment(coloured),
        capture_output=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
        encoding="utf-8",
    )
    if done.returncode not in fine:
        raise SnippetFailed(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def _paragraphs(path: Path) -> list[str]:
    """The commands of a shell file: its paragraphs."""
    return [part.strip("\n") for part in path.read_text(encoding="utf-8").split("\n\n") if part.strip()]


def _environment(coloured: bool) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(_WITHHELD)}
    return {
        **inherited,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "COLUMNS": str(COLUMNS),
        "FORCE_COLOR" if coloured else "NO_COLOR": "1",
        "PYTHONUTF8": "1",
    }


@cache
def _block(kind: str, path: str) -> str:
    file = ROOT / path
    if kind == "include":
        return _fenced(kind, path, LANGUAGES[file.suffix], file.read_text(encoding="utf-8"))
    return _fenced(kind, path, "console" if kind == "session" else "text", run(file))


def _fenced(kind: str, path: str, language: str, text: str) -> str:
    lines = "\n".join(line.rstrip() for line in text.strip("\n").splitlines())
    fence = "````" if "```" in lines else "```"
    return f"<!-- {kind}: {path} -->\n{fence}{language}\n{lines}\n{fence}"
