"""``--watch``: again after every change, with the difference of the verdicts."""

from __future__ import annotations

import asyncio
import io
import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from app_folders import SHOUT, Command, shouting_app
from greenrun.cli.console import WrongUse
from greenrun.cli.watch import Once, attempt, difference, is_source, watch
from greenrun.document.findings import Finding, Reason
from greenrun.oracle.check_report import CheckReport
from greenrun.oracle.report import Verdict
from greenrun.oracle.target import TargetInfo

SECONDS = 15


def judged(status: str, *messages: str, exercised: tuple[str, ...] = ()) -> CheckReport:
    findings = tuple(Finding("GR301", "error", message) for message in messages)
    verdict = Verdict(status, "static", "", exercised=exercised)  # type: ignore[arg-type]
    return CheckReport(TargetInfo("app", "application"), None, None, None, 0, findings, verdict)


def test_the_difference_of_equal_verdicts_is_none() -> None:
    assert difference(judged("green"), judged("green")) == [("[dim]no difference[/]", "")]


def test_the_difference_names_what_is_gone_and_what_is_new() -> None:
    rows = difference(judged("red", "old", "same"), judged("red", "same", "fresh"))
    assert rows == [("[green]gone[/]", "GR301 old"), ("[red]new[/]", "GR301 fresh")]


def test_the_difference_names_the_change_of_status_and_of_what_was_exercised() -> None:
    before = judged("red", "old", exercised=("draft", "both"))
    after = judged("green", exercised=("both", "publish"))
    assert difference(before, after) == [
        ("[dim]verdict[/]", "[green]✔[/] red -> green"),
        ("[green]gone[/]", "GR301 old"),
        ("[green]now exercised[/]", "publish"),
        ("[red]no longer exercised[/]", "draft"),
    ]


def test_a_finding_is_not_gone_when_the_app_cannot_be_looked_at() -> None:
    unseen = judged("check_failed")
    unseen = replace(unseen, verdict=replace(unseen.verdict, reasons=(Reason("GR903", "no import"),)))
    rows = difference(judged("green", "info"), unseen)
    assert rows == [("[dim]verdict[/]", "[yellow]?[/] green -> check_failed"), ("[red]new[/]", "GR903 no import")]
    assert difference(unseen, judged("green"))[1:] == [("[green]gone[/]", "GR903 no import")]


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("app.json", True),
        ("script.json", True),
        ("greenrun.toml", True),
        ("workflows/loud.py", True),
        ("workflows/kit/text.py", True),
        ("data/out.csv", False),
        ("data/app.json", False),
        ("notes.json", False),
    ],
)
def test_a_verdict_depends_on_the_app_and_its_workflows(name: str, counts: bool, tmp_path: Path) -> None:
    app = shouting_app(tmp_path / "app")
    assert is_source(app / name, app) is counts


def test_an_app_in_one_file_depends_on_that_file(tmp_path: Path) -> None:
    app = tmp_path / "bundle.json"
    app.write_text("{}", encoding="utf-8")
    assert is_source(app, app)
    assert not is_source(tmp_path / "other.json", app)


class Watched:
    """A watch whose commands only count; `queue` gets a number for each."""

    def __init__(self, path: Path, results: Callable[[int], CheckReport | None]) -> None:
        self.path = path
        self.text = io.StringIO()
        self.runs: asyncio.Queue[int] = asyncio.Queue()
        self.during: Callable[[int], None] = lambda number: None
        self.again: list[bool] = []
        self._results = results
        self._count = 0

    async def once(self, again: bool) -> CheckReport | None:
        self._count += 1
        self.again.append(again)
        self.during(self._count)
        self.runs.put_nowait(self._count)
        return self._results(self._count)

    async def next_run(self) -> int:
        async with asyncio.timeout(SECONDS):
            return await self.runs.get()


@asynccontextmanager
async def watching(
    path: Path, results: Callable[[int], CheckReport | None], ignore: Path | None = None
) -> AsyncIterator[Watched]:
    watched = Watched(path, results)
    task = asyncio.create_task(watch(path, watched.once, Console(file=watched.text, width=100), ignore=ignore))
    try:
        assert await watched.next_run() == 1
        yield watched
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def green(number: int) -> CheckReport:
    return judged("green")


async def test_a_change_is_answered_by_another_run(tmp_path: Path) -> None:
    app = shouting_app(tmp_path / "app")
    async with watching(app, lambda number: judged("green") if number == 1 else judged("red", "broken")) as watched:
        (app / "workflows" / "loud.py").write_text(SHOUT + "\n", encoding="utf-8")
        assert await watched.next_run() == 2
        (app / "app.json").write_text("{}", encoding="utf-8")
        assert await watched.next_run() == 3
        said = watched.text.getvalue()
    assert "watching" in said
    assert "changed: workflows/loud.py" in said
    assert "✘ green -> red" in said
    assert "GR301 broken" in said


async def test_a_change_during_a_run_is_not_lost(tmp_path: Path) -> None:
    app = shouting_app(tmp_path / "app")

    def edit(number: int) -> None:
        if number == 2:
            (app / "app.json").write_text("{}", encoding="utf-8")

    async with watching(app, green) as watched:
        watched.during = edit
        (app / "script.json").write_text("[]", encoding="utf-8")
        assert [await watched.next_run(), await watched.next_run()] == [2, 3]


async def test_a_report_folder_inside_the_app_does_not_count(tmp_path: Path) -> None:
    app = shouting_app(tmp_path / "app")
    reports = app / "reports"
    reports.mkdir()
    async with watching(app, green, ignore=reports) as watched:
        (reports / "report.json").write_text("{}", encoding="utf-8")
        (app / "app.json").write_text("{}", encoding="utf-8")
        assert await watched.next_run() == 2
    assert "changed: app.json" in watched.text.getvalue()


async def test_an_app_that_cannot_be_read_for_a_while_is_compared_with_the_last_one(tmp_path: Path) -> None:
    app = shouting_app(tmp_path / "app")
    results = {1: judged("green"), 2: None, 3: judged("red", "broken"), 4: None}
    async with watching(app, results.__getitem__) as watched:
        for number in (2, 3, 4):  # what run 3 came to has been said when run 4 begins
            (app / "app.json").write_text(f'{{"a": {number}}}', encoding="utf-8")
            assert await watched.next_run() == number
        assert "green -> red" in watched.text.getvalue()
        assert watched.again == [False, True, True, True]


async def test_before_an_app_could_be_read_its_whole_result_is_shown(tmp_path: Path) -> None:
    app = shouting_app(tmp_path / "app")
    async with watching(app, lambda number: None) as watched:
        (app / "app.json").write_text("{}", encoding="utf-8")
        assert await watched.next_run() == 2
        assert watched.again == [False, False]


async def test_a_file_that_came_and_went_is_no_change(tmp_path: Path) -> None:
    app = shouting_app(tmp_path / "app")
    async with watching(app, green) as watched:
        (app / "sedPEoySa").write_text("{}", encoding="utf-8")
        (app / "sedPEoySa").rename(app / "app.json")
        assert await watched.next_run() == 2
    assert "changed: app.json\n" in watched.text.getvalue()


async def test_nothing_at_all_is_wrong_use(tmp_path: Path) -> None:
    async def once(again: bool) -> None:
        raise AssertionError

    with pytest.raises(WrongUse, match="There is nothing at"):
        await watch(tmp_path / "nope", once, Console(file=io.StringIO()))


@pytest.mark.parametrize("command", ["check", "debug"])
def test_an_app_that_cannot_be_read_does_not_end_the_watch(
    command: str, tmp_path: Path, greenrun: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = shouting_app(tmp_path / "app")
    results: list[object] = []

    async def thrice(path: Path, once: Once, console: Console, **options: object) -> None:
        text = (app / "app.json").read_text(encoding="utf-8")
        for content in (text, "{", text):
            (app / "app.json").write_text(content, encoding="utf-8")
            results.append(await attempt(once, False, console))

    monkeypatch.setattr(f"greenrun.cli.{command}.watch_files", thrice)
    outcome = greenrun(command, app, "--watch")
    assert outcome.code == 0
    assert [result is None for result in results] == [False, True, False]
    assert outcome.out.count("✔  Green") == 2
    assert outcome.err.startswith("error: ")


@pytest.mark.parametrize("command", ["check", "debug"])
def test_the_command_shows_each_verdict_and_the_difference(command: str, tmp_path: Path, greenrun: Command) -> None:
    app = shouting_app(tmp_path / "app")
    process = subprocess.Popen(
        [sys.executable, "-m", "greenrun", command, str(app), "--watch"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    bound = threading.Timer(SECONDS, process.kill)
    bound.start()
    try:
        assert process.stderr is not None
        assert process.stdout is not None
        assert process.stdout.readline().startswith("✔  Green")
        assert "watching" in process.stderr.readline()
        stored = json.loads((app / "app.json").read_text(encoding="utf-8"))
        stored["ui"]["content"][1]["props"]["events"][0]["operationId"] = "mian"
        (app / "app.json").write_text("{", encoding="utf-8")
        heard = [process.stderr.readline() for _ in range(3)]
        assert "error: " in heard[2]
        (app / "app.json").write_text(json.dumps(stored), encoding="utf-8")
        heard = [process.stderr.readline() for _ in range(4)]
        assert "✘ green -> red" in heard[2]
        assert "GR301" in heard[3]
        headline = next(line for line in process.stdout if line.startswith("✘"))
        assert '"mian"' in headline
    finally:
        bound.cancel()
        process.kill()
        process.communicate(timeout=SECONDS)
