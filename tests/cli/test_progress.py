"""The line that shows that something goes on."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable

import pytest
from rich.console import Console

from greenrun.cli import progress as module
from greenrun.cli.progress import Progress, progress

SECONDS = 5


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], io.StringIO]:
    """A stream to which progress is written at once, as a terminal or as a file."""

    def prepare(terminal: bool) -> io.StringIO:
        stream = io.StringIO()
        monkeypatch.setattr(module, "err", lambda: Console(file=stream, force_terminal=terminal, width=60))
        monkeypatch.setattr(module, "SHOW_AFTER_SECONDS", 0.001)
        monkeypatch.setattr(module, "REFRESH_SECONDS", 0.001)
        return stream

    return prepare


async def until(stream: io.StringIO, text: str) -> None:
    async with asyncio.timeout(SECONDS):
        while text not in stream.getvalue():  # noqa: ASYNC110 a stream tells nobody that it was written to
            await asyncio.sleep(0)


async def test_a_file_gets_one_line_for_each_step(written: Callable[[bool], io.StringIO]) -> None:
    stream = written(False)
    async with progress("simulating app") as line:
        await until(stream, "simulating app …\n")
        line.note("click Run")
        await until(stream, "simulating app: click Run …\n")
    assert stream.getvalue().splitlines() == ["simulating app …", "simulating app: click Run …"]


async def test_a_terminal_gets_a_line_that_changes(written: Callable[[bool], io.StringIO]) -> None:
    stream = written(True)
    async with progress("simulating app") as line:
        await until(stream, "simulating app")
        line.note("click Run")
        await until(stream, "click Run")


async def test_what_is_quick_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(module, "err", lambda: Console(file=stream))
    async with progress("checking"):
        await asyncio.sleep(0)
    assert stream.getvalue() == ""
    assert module.SHOW_AFTER_SECONDS == 1


async def test_an_error_inside_comes_out() -> None:
    with pytest.raises(ValueError, match="inside"):
        async with progress("checking"):
            raise ValueError("inside")


def test_the_text_is_no_markup() -> None:
    line = Progress("app [red]")
    line.note("click [bold]")
    assert line.text.startswith("app \\[red]: click \\[bold] ")
