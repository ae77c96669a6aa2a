"""No worker outlives the server, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

from .conftest import FLOWS
from .processes import TIERS, alive_after, guard_of, running
from .processes import process as found

pytestmark = pytest.mark.parametrize("isolation", TIERS)

SERVER = textwrap.dedent("""
    import asyncio, sys
    from pathlib import Path
    from greenrun.workflows.functions import FunctionHost

    folder, cache, function, status, isolation = sys.argv[1:]
    host = FunctionHost(Path(folder), cache_dir=Path(cache), isolation=isolation, environment=["SHIM_TEST"])

    def show(message):
        if message["type"] == "chunk":
            print(message["content"], flush=True)

    asyncio.run(host.run(function, {}, job_id="j", emit=show))
    sys.exit(int(status))
""")


def server(tmp_path: Path, function: str, isolation: str, status: int = 0) -> subprocess.Popen[str]:
    """A server that runs one function, prints its chunks, and does not close its host."""
    arguments = (FLOWS, tmp_path, function, status, isolation)
    command = [sys.executable, "-W", "error", "-c", SERVER, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")


def shims_of(folder: Path) -> list[psutil.Process]:
    """The processes, guards included, whose environment names the folder."""
    found: list[psutil.Process] = []
    for one in psutil.process_iter():
        try:
            if "shim.py" in " ".join(one.cmdline()) and one.environ().get("SHIM_TEST") == str(folder):
                found.append(one)
        except psutil.Error:
            continue
    return found


@pytest.fixture
def tagged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SHIM_TEST", str(tmp_path))
    return tmp_path


def children_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Worker, child and detached child, as the function names them."""
    assert process.stdout is not None
    return [found(name) for name in process.stdout.readline().split()]


@pytest.mark.skipif(sys.platform != "linux", reason="detached children are found by means that only Linux has")
def test_killed_server_leaves_no_worker_and_no_child(tagged: Path, isolation: str):
    process = server(tagged, "basic:sleep_with_children", isolation)
    started = children_of(process)
    workers = shims_of(tagged)
    assert workers
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=10)
    assert alive_after([*workers, *started]) == []


@pytest.mark.parametrize("status", [0, 3])
def test_server_that_forgets_to_close_leaves_no_worker(tagged: Path, status: int, isolation: str):
    process = server(tagged, "basic:pid", isolation, status)
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (status, "")
    assert shims_of(tagged) == []


@pytest.mark.skipif(sys.platform != "linux", reason="relies on the parent-death signal")
def test_worker_dies_with_its_guard(tagged: Path, isolation: str):
    process = server(tagged, "basic:sleep_with_children", isolation)
    worker, child, detached = children_of(process)
    guard_of(worker).kill()
    process.communicate(timeout=10)
    assert alive_after([worker, child]) == []
    for left in running([detached]):
        left.kill()
