"""What user code tries, and what stops it, in both tiers: under bubblewrap, and without isolation."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from greenrun.workflows.engine.result import RunResult
from greenrun.workflows.functions import FunctionHost, Limits

from .processes import TIERS, workers_below

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="written for Linux")

ESCAPES = Path(__file__).parent / "escapes"
LIMITS = Limits(memory_mb=256, cpu_seconds=1, processes=16, file_size_mb=8, open_files=64, scratch_mb=32, output_mb=16)
SECONDS = 10.0


@dataclass(frozen=True)
class Attempt:
    """One thing that is tried: a function, its parameters (as names of `Surroundings`), and what stops it.

    `confined` and `plain` are what the run's text says in the two tiers; it begins with "reached" when nothing stops it.
    """

    name: str
    function: str
    confined: str
    plain: str
    params: tuple[str, ...] = ()
    timeout_ms: float | None = None


@dataclass(frozen=True)
class Surroundings:
    """What is around a worker and not its business."""

    secret: str
    folder: str
    home: str
    outside: str
    inside: str
    port: int
    name: str
    pid: int
    variable: str = "GREENRUN_ESCAPE_SECRET"


NOT_STOPPED = "reached"
MEMORY = "used more than 256 MB of memory"
PROCESSES = "started more than 16 processes"

ATTEMPTS = (
    Attempt("read /etc/passwd", "read_accounts", "stopped: only greenrun", NOT_STOPPED),
    Attempt("read a file of another workspace", "read_file", "stopped: No such file", NOT_STOPPED, ("secret",)),
    Attempt("read the home folder", "list_folder", "stopped: No such file", NOT_STOPPED, ("home",)),
    Attempt("list another workspace", "list_folder", "stopped: No such file", NOT_STOPPED, ("folder",)),
    Attempt("write outside of the workspace", "write_file", "stopped: No such file", NOT_STOPPED, ("outside",)),
    Attempt("write to the workspace undeclared", "write_file", "stopped: Read-only", NOT_STOPPED, ("inside",)),
    Attempt("connect to the machine", "connect", "stopped: Connection refused", NOT_STOPPED, ("port",)),
    Attempt("connect to a nameless socket", "connect_by_name", "stopped: Connection refused", NOT_STOPPED, ("name",)),
    Attempt("ask a name server", "ask_name_server", "stopped: Connection refused", NOT_STOPPED, ("port",)),
    Attempt("signal a process of the machine", "signal_process", "stopped: No such process", NOT_STOPPED, ("pid",)),
    Attempt("see the machine's processes", "see_processes", "stopped: only", NOT_STOPPED),
    Attempt("read the server's environment", "read_environment", "stopped: No such file", NOT_STOPPED, ("pid",)),
    Attempt("read a variable that is not named", "own_environment", "stopped: not set", "stopped", ("variable",)),
    Attempt("trace the guard", "trace_guard", "stopped: Operation not permitted", "reached|not permitted"),
    Attempt("take the guard's socket", "take_guards_socket", "stopped: Permission denied", "reached|denied"),
    Attempt("kill the guard", "kill_guard", "and it lives", "its process was ended by SIGKILL"),
    Attempt("kill itself", "kill_itself", "its process was ended by SIGKILL", "its process was ended by SIGKILL"),
    Attempt("answer in the worker's place", "forge_answer", "broke the protocol", "broke the protocol"),
    Attempt("raise its own limits", "raise_limits", "stopped: not allowed", "reached|not allowed"),
    Attempt("set the kernel's settings", "set_kernel_settings", "stopped: Read-only", "reached|denied|Read-only"),
    Attempt("make a device", "create_device", "stopped: Operation not permitted", "reached|not permitted"),
    Attempt("mount a file system", "mount", "stopped: Operation not permitted", "reached|not permitted"),
    Attempt("become root of a namespace", "new_user_namespace", "stopped: No space left", "reached|not permitted|left"),
    Attempt("allocate 10 GB", "allocate_at_once", MEMORY, MEMORY),
    Attempt("allocate without end", "allocate_slowly", MEMORY, MEMORY),
    Attempt("allocate in children", "allocate_in_children", MEMORY, MEMORY),
    Attempt("fill files in memory", "fill_memory_files", "used more than 256 MB|opened more than", "more than"),
    Attempt("fork one by one", "fork_one_by_one", PROCESSES, PROCESSES),
    Attempt("fork exponentially", "fork_exponentially", PROCESSES, PROCESSES),
    Attempt("fork into other sessions", "fork_away", PROCESSES, PROCESSES),
    Attempt("leave zombies", "leave_zombies", PROCESSES, PROCESSES),
    Attempt("start threads without end", "start_threads", "used more than|more than 256 threads", "more than"),
    Attempt("print 1 GB", "write_much_output", "reached the end", "reached the end"),
    Attempt("yield without end", "yield_much", "returned more than 16 MB", "returned more than 16 MB"),
    Attempt("write a large file", "write_large_file", "wrote a file of more than 8 MB", "file of more than 8 MB"),
    Attempt("write many files", "write_many_files", "more than 32 MB of temporary", "more than 32 MB of temporary"),
    Attempt("open many files", "open_many_files", "opened more than 64 files", "opened more than 64 files"),
    Attempt("compute and ignore signals", "compute_deaf", "more than 1 s of processor", "more than 1 s of processor"),
    Attempt("sleep past its time", "sleep_long", "at its limit of 300 ms", "limit of 300 ms", (), 300),
    Attempt("return a file that it may not read", "give", "cannot be handed over|cannot see", NOT_STOPPED, ("secret",)),
    Attempt("return a link to it", "give_link", "cannot see", "cannot see", ("secret",)),
    Attempt("return a path through a link", "give_below_link", "cannot see", "cannot see", ("secret",)),
    Attempt("return a pipe", "give_pipe", "is no file that can be read", "is no file that can be read"),
)


@pytest.fixture(scope="module")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Surroundings]:
    root = tmp_path_factory.mktemp("surroundings")
    folder, home, inside = root / "another workspace", root / "home", ESCAPES / "written"
    secret = folder / "secret.txt"
    folder.mkdir()
    home.mkdir()
    secret.write_text("a secret", encoding="utf-8")
    name = f"greenrun-escape-{os.getpid()}"
    with (
        pytest.MonkeyPatch.context() as patch,
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as names,
        socket.socket(socket.AF_UNIX) as nameless,
    ):
        patch.setenv("HOME", str(home))
        patch.setenv(Surroundings.variable, "a secret")
        names.bind(server.getsockname())
        nameless.bind("\0" + name)
        nameless.listen()
        yield Surroundings(
            secret=str(secret),
            folder=str(folder),
            home=str(home),
            outside=str(folder / "written"),
            inside=str(inside),
            port=server.getsockname()[1],
            name=name,
            pid=os.getpid(),
        )
    inside.unlink(missing_ok=True)


@pytest.fixture(scope="module", params=TIERS)
def shared(
    request: pytest.FixtureRequest, surroundings: Surroundings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[FunctionHost]:
    """One host for all attempts in a tier; its closing leaves no file."""
    temporary = tmp_path_factory.mktemp("temporary")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(temporary))
        host = FunctionHost(ESCAPES, cache_dir=temporary / "cache", isolation=request.param, limits=LIMITS, workers=1)
        yield host
        asyncio.run(host.aclose())
        assert [path for folder in temporary.glob("greenrun-*") for path in folder.iterdir()] == []


@pytest.fixture
def host(shared: FunctionHost) -> Iterator[FunctionHost]:
    """The host, which after the test has no process but a guard and its worker, and no folder but that worker's."""
    before = set(workers_below(psutil.Process()))
    yield shared
    deadline = time.monotonic() + 5
    while len(left := set(workers_below(psutil.Process())) - before) > 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(left) <= 2
    assert len(list(shared.artifacts.parent.glob("worker-*"))) <= 1


def confined(host: FunctionHost) -> bool:
    return host.isolation.startswith("bubblewrap")


async def run(host: FunctionHost, function: str, *, timeout_ms: float | None = None, **params: Any) -> RunResult:
    async with asyncio.timeout(SECONDS):
        return await host.run(
            f"attempts:{function}", params, job_id="j", emit=lambda message: None, timeout_ms=timeout_ms
        )


def said(result: RunResult) -> str:
    """What the function says that it reached, or why its run failed."""
    if result.error is not None:
        return result.error
    value = result.outputs["result"][0]
    return value if isinstance(value, str) else f"reached {value}"


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.name)
async def test_an_attempt_is_stopped_where_the_table_says_so(
    attempt: Attempt, host: FunctionHost, surroundings: Surroundings
):
    names = {
        "secret": "path",
        "folder": "path",
        "home": "path",
        "outside": "path",
        "inside": "path",
        "variable": "name",
    }
    params = {names.get(name, name): getattr(surroundings, name) for name in attempt.params}
    memory = psutil.Process().memory_info().rss
    began = time.monotonic()
    text = said(await run(host, attempt.function, timeout_ms=attempt.timeout_ms, **params))
    expected = attempt.confined if confined(host) else attempt.plain
    assert any(part in text for part in expected.split("|")), text
    assert time.monotonic() - began < SECONDS
    assert psutil.Process().memory_info().rss - memory < 100 * 1024 * 1024


async def test_what_a_function_declares_is_what_it_may_do(host: FunctionHost, surroundings: Surroundings):
    assert said(await run(host, "write_file_as_declared", path=surroundings.inside)).startswith("reached")
    assert said(await run(host, "connect_as_declared", port=surroundings.port)).startswith("reached")
    for path in (surroundings.outside, "/etc/passwd"):
        text = said(await run(host, "write_file_as_declared", path=path)) if confined(host) else "stopped"
        assert text.startswith("stopped")


async def test_shared_memory_that_nobody_is_attached_to_counts(host: FunctionHost):
    if not confined(host):
        pytest.skip("it would stay on this machine")
    assert MEMORY in said(await run(host, "fill_segments"))


@pytest.mark.parametrize("function", ["leave_daemon", "leave_child"])
async def test_what_a_call_left_running_is_killed_and_the_worker_stays(function: str, host: FunctionHost):
    first = await run(host, "own_pid")
    assert said(await run(host, function)) == "reached the end"
    assert len(await settled(host)) == 2
    assert (await run(host, "own_pid")).outputs == first.outputs
    assert (await run(host, "count_processes")).outputs == {"result": [0]}


async def settled(host: FunctionHost) -> list[psutil.Process]:
    """Everything below this process that belongs to the host, but for what bubblewrap needs itself."""
    scratch = str(host.artifacts.parent)
    return [
        process
        for process in psutil.Process().children(recursive=True)
        if process.status() != psutil.STATUS_ZOMBIE and process.name() != "bwrap" and scratch in str(process.cmdline())
    ]


async def test_a_worker_whose_thread_goes_on_is_replaced(host: FunctionHost):
    before = await run(host, "own_name")
    assert said(await run(host, "leave_thread")) == "reached the end"
    assert (await run(host, "own_name")).outputs != before.outputs


async def test_a_function_that_blocks_every_signal_is_cancelled_at_once(host: FunctionHost):
    deaf = asyncio.Event()

    def heard(message: dict[str, Any]) -> None:
        if message["type"] == "chunk":
            deaf.set()

    task = asyncio.create_task(host.run("attempts:ignore_everything", {}, job_id="j", emit=heard))
    async with asyncio.timeout(SECONDS):
        await deaf.wait()
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 2
