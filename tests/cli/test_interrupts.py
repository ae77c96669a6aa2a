"""Ctrl-C and sudden death of the command: it ends within a moment, and no worker outlives it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from app_folders import Command, function_app, shouting_app, write_app
from greenrun.cli.interrupt import run_async

SECONDS = 15

REPORTING = """
import os
import time

def report():
    with open({fifo!r}, "w") as fifo:
        fifo.write(f"{{os.stat('/proc/self/ns/pid').st_ino}}:{{os.getpid()}}\\n")

{import_time}

def f(text: str = "hi") -> str:
    report()
    {body}
    return text
"""

BODIES = {
    "computing": "while True: pass",
    "sleeping": "time.sleep(60)",
    "deaf": "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    while True: time.sleep(60)",
}


def process_named(name: str) -> psutil.Process:
    space, _, pid = name.partition(":")
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            numbers = re.search(r"NSpid:(.*)", (folder / "status").read_text("ascii", errors="replace"))
            same = os.readlink(folder / "ns" / "pid") == f"pid:[{space}]"
            if same and numbers is not None and numbers[1].split()[-1] == pid:
                return psutil.Process(int(folder.name))
    raise AssertionError(f"no process {name}")


class Pipe:
    """Hears the name that a worker reports once it is in the middle of its work: its process space, and its id there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir()
        os.mkfifo(path)
        self._file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def process(self) -> psutil.Process:
        ready, _, _ = select.select([self._file], [], [], SECONDS)
        assert ready, "the function was never reached"
        return process_named(os.read(self._file, 100).decode().split()[0])

    def close(self) -> None:
        os.close(self._file)


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipe]:
    made = Pipe(tmp_path / "app" / "started")  # a worker sees the app's folder, and not what lies beside it
    yield made
    made.close()


def app_with(pipe: Pipe, folder: Path, *, body: str = "pass", import_time: str = "") -> Path:
    source = REPORTING.format(fifo=str(pipe.path), body=body, import_time=import_time)
    return write_app(folder / "app", function_app("mod:f", "text"), functions={"mod": source})


@contextlib.contextmanager
def started(*arguments: object, code: str | None = None) -> Iterator[subprocess.Popen[str]]:
    """A command in a process of its own, which is gone at the end whatever happens."""
    command = ["-c", code] if code is not None else ["-m", "greenrun", *map(str, arguments)]
    process = subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.communicate(timeout=SECONDS)


def interrupt(process: subprocess.Popen[str]) -> tuple[float, str]:
    """Ctrl-C, as a terminal sends it: to the whole process group. How long it took to end, and what it said."""
    began = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=SECONDS)
    return time.monotonic() - began, said


def is_gone(process: psutil.Process) -> bool:
    _, alive = psutil.wait_procs([process], timeout=SECONDS)
    return not alive


@pytest.mark.parametrize("body", BODIES)
def test_an_interrupt_in_a_run_ends_command_and_worker_within_a_second(body: str, tmp_path: Path, pipe: Pipe) -> None:
    with started("debug", app_with(pipe, tmp_path, body=BODIES[body])) as process:
        worker = pipe.process()
        seconds, said = interrupt(process)
        assert process.returncode == 130
        assert seconds < 1
        assert said.endswith("interrupted\n")
        assert "Traceback" not in said
        assert is_gone(worker)


def test_an_interrupt_while_a_module_is_imported_ends_command_and_worker(tmp_path: Path, pipe: Pipe) -> None:
    with started("check", app_with(pipe, tmp_path, import_time="report()\nwhile True: pass")) as process:
        worker = pipe.process()
        seconds, said = interrupt(process)
        assert process.returncode == 130
        assert seconds < 1
        assert "Traceback" not in said
        assert is_gone(worker)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_outlives_a_command_that_is_killed(number: int, tmp_path: Path, pipe: Pipe) -> None:
    with started("debug", app_with(pipe, tmp_path, body=BODIES["computing"])) as process:
        worker = pipe.process()
        os.kill(process.pid, number)
        process.communicate(timeout=SECONDS)
        assert is_gone(worker)


def test_an_interrupt_ends_a_watch(tmp_path: Path) -> None:
    with started("check", shouting_app(tmp_path / "app"), "--watch") as process:
        assert process.stderr is not None
        assert "watching" in process.stderr.readline()
        seconds, said = interrupt(process)
        assert process.returncode == 130
        assert seconds < 1
        assert said == "interrupted\n"


BUSY = """
import sys
from greenrun.cli.interrupt import run_async

async def deaf():
    print("busy", flush=True)
    while True:
        pass

run_async(deaf())
"""


def test_work_that_does_not_listen_is_ended_with_the_process() -> None:
    with started(code=BUSY) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "busy\n"
        seconds, said = interrupt(process)
        assert process.returncode == 130
        assert seconds < 1
        assert said == "interrupted\n"


IMPORTING = """
import sys
from importlib.abc import MetaPathFinder

class Slow(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            print("importing", flush=True)
            while True:
                pass

sys.meta_path.insert(0, Slow())
from greenrun.cli.main import run
sys.exit(run(["--version"]))
"""


def test_an_interrupt_while_the_command_itself_is_imported_is_no_traceback() -> None:
    with started(code=IMPORTING) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "importing\n"
        seconds, said = interrupt(process)
        assert process.returncode == 130
        assert seconds < 1
        assert said == "interrupted\n"


def test_a_reader_that_goes_away_is_no_traceback() -> None:
    with started("nodes", "--json") as process:
        assert process.stdout is not None
        process.stdout.close()
        process.wait(SECONDS)
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert process.returncode == 3
        process.stdout = None


def test_a_command_that_ignores_interrupts_goes_on(tmp_path: Path, pipe: Pipe) -> None:
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        "from greenrun.cli.main import run; "
        f"sys.exit(run(['debug', {str(app_with(pipe, tmp_path, body='time.sleep(0.3)'))!r}]))"
    )
    with started(code=code) as process:
        pipe.process()
        _, said = interrupt(process)
        assert process.returncode == 0
        assert said == ""


def test_an_interrupt_cancels_the_work_and_lets_it_clean_up(greenrun: Command) -> None:
    cleaned: list[str] = []

    async def work() -> None:
        signal.raise_signal(signal.SIGINT)
        try:
            await asyncio.sleep(SECONDS)
        finally:
            cleaned.append("up")

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run_async(work())
    assert cleaned == ["up"]
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_outside_of_async_work_ends_with_130(greenrun: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greenrun.cli.nodes.default_registry", lambda: signal.raise_signal(signal.SIGINT))
    outcome = greenrun("nodes")
    assert (outcome.code, outcome.err) == (130, "interrupted\n")
