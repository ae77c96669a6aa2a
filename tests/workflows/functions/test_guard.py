"""The guard's watch, against processes that this test starts and stands over itself."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from greenrun.workflows.functions import guard
from greenrun.workflows.functions.guard import Usage, Watch

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")

MB = 1024 * 1024
OPTIONS = {
    "memory_mb": "100",
    "cpu_seconds": "2",
    "processes": "3",
    "scratch_mb": "1",
    "file_size_mb": "5",
    "open_files": "40",
    "tasks": "0",
}


class Machine:
    """What /proc would show, and the time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.processes: list[Usage] = [usage()]
        monkeypatch.setattr(guard, "processes", lambda: list(self.processes))
        monkeypatch.setattr(guard.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(guard, "_own_share", lambda process: process.pages * guard.PAGE // 2)


def usage(
    pid: int = 7, *, state: str = "S", seconds: float = 0, threads: int = 1, mb: float = 1, start: int = 1
) -> Usage:
    return Usage(pid, state, int(seconds * guard.TICKS), threads, start, int(mb * MB / guard.PAGE))


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


@pytest.fixture
def watch(machine: Machine, tmp_path: Path) -> Watch:
    watch = Watch(7, {**OPTIONS, "scratch": str(tmp_path)})
    watch.obey("rest")
    watch.obey("begin")
    machine.now += 1
    return watch


@pytest.mark.parametrize(
    ("processes", "reason"),
    [
        ([usage()], None),
        ([usage(seconds=1.9)], None),
        ([usage(seconds=1), usage(8, seconds=1.1)], "cpu_seconds"),
        ([usage(pid) for pid in range(3)], None),
        ([usage(pid, state="Z") for pid in range(4)], "processes"),
        ([usage(threads=48)], None),
        ([usage(threads=49)], None),
        ([usage(threads=49), usage(8)], "threads"),
        ([usage(mb=99)], None),
        ([usage(mb=101)], "memory_mb"),
        ([usage(mb=99), usage(8, mb=99)], None),
        ([usage(mb=120), usage(8, mb=120)], "memory_mb"),
    ],
)
def test_what_is_above_its_limit_is_named(watch: Watch, machine: Machine, processes: list[Usage], reason: str | None):
    machine.processes = processes
    assert watch.exceeded() == (reason if processes != [usage(threads=49)] else "threads")


def test_nothing_is_looked_at_more_often_than_needed(watch: Watch, machine: Machine):
    assert watch.exceeded() is None
    machine.processes = [usage(mb=200)]
    machine.now += 0.01
    assert watch.exceeded() is None
    machine.now += 0.05
    assert watch.exceeded() == "memory_mb"


def test_looks_get_rarer_in_a_long_call_and_rare_between_calls(watch: Watch, machine: Machine):
    assert watch.interval_ms() == guard.WATCH_MS
    machine.now += 10
    assert watch.interval_ms() == guard.CALM_MS
    watch.obey("rest")
    assert watch.interval_ms() == guard.IDLE_MS


def test_processor_time_counts_from_the_last_rest(watch: Watch, machine: Machine):
    machine.processes = [usage(seconds=50)]
    watch.obey("rest")
    watch.obey("begin")
    machine.now += 1
    machine.processes = [usage(seconds=51)]
    assert watch.exceeded() is None


def test_a_worker_that_is_busy_between_calls_is_ended(watch: Watch, machine: Machine):
    watch.obey("rest")
    machine.now += 2
    machine.processes = [usage(seconds=0.5)]
    assert watch.exceeded() is None
    machine.now += 2
    machine.processes = [usage(seconds=2)]
    assert watch.exceeded() == "idle"


def test_temporary_files_are_added_up_every_second(watch: Watch, machine: Machine, tmp_path: Path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "file").write_bytes(b"x" * 2 * MB)
    machine.now += 0.5
    assert watch.exceeded() == "scratch_mb"


def test_temporary_files_of_a_short_call_are_added_up_after_it(watch: Watch, machine: Machine, tmp_path: Path):
    (tmp_path / "file").write_bytes(b"x" * 2 * MB)
    watch.obey("rest")
    machine.now += 2
    assert watch.exceeded() == "scratch_mb"
    machine.now += 2
    assert watch.exceeded() is None  # nothing runs that could write more


def test_temporary_files_of_many_short_calls_are_added_up(watch: Watch, machine: Machine, tmp_path: Path):
    (tmp_path / "file").write_bytes(b"x" * 2 * MB)
    for _ in range(3):
        watch.obey("rest")
        watch.obey("begin")
        machine.now += 0.4
    assert watch.exceeded() == "scratch_mb"


def test_segments_of_the_whole_machine_are_not_counted():
    assert guard._segments() == 0


def test_a_folder_with_too_many_files_counts_as_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(guard, "MOST_FILES", 3)
    for number in range(4):
        (tmp_path / str(number)).touch()
    assert guard._size(str(tmp_path)) == sys.maxsize
    assert guard._size(str(tmp_path / "missing")) == 0


def test_an_unknown_order_is_passed_over(watch: Watch):
    assert watch.obey("dance") is None


# --- real processes


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    code = (
        "import os, tempfile; f = os.memfd_create('m'); os.write(f, b'x' * 5_000_000); t = tempfile.TemporaryFile(); "
    )
    code += "t.write(b'y' * 3_000_000); t.flush(); print('ready', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        yield child
        child.kill()


def test_a_child_is_found_with_what_it_uses(child: subprocess.Popen[bytes]):
    found = next(one for one in guard.processes() if one.pid == child.pid)
    assert found.threads == 1
    assert found.pages * guard.PAGE > MB
    assert not found.ended
    assert MB < guard._own_share(found) <= found.pages * guard.PAGE
    assert guard._own_share(found._replace(pid=0)) == found.pages * guard.PAGE


def test_files_without_a_name_are_counted(child: subprocess.Popen[bytes]):
    removed, in_memory = guard._open_files([one for one in guard.processes() if one.pid == child.pid])
    assert (removed // 1_000_000, in_memory // 1_000_000) == (3, 5)


def test_where_signals_the_worker(child: subprocess.Popen[bytes]):
    Watch(child.pid, OPTIONS).obey("where")
    assert child.wait(5) == -signal.SIGUSR1


GUARDED = """
import os, subprocess, sys, time
sys.path.insert(0, {source!r})
from greenrun.workflows.functions import guard
os.setsid()
guard._prctl()(guard.PR_SET_CHILD_SUBREAPER, 1)
{code}
"""


def outcome(code: str) -> str:
    """What code prints that stands guard in a process of its own."""
    source = str(Path(guard.__file__).parents[3])
    text = GUARDED.format(source=source, code=textwrap.dedent(code))
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=20, check=False)
    assert done.stderr == ""
    return done.stdout.strip()


def test_what_was_started_since_is_killed_and_what_was_kept_is_not():
    code = """
    options = dict(memory_mb="1000", cpu_seconds="9", processes="99", scratch_mb="1")
    worker = subprocess.Popen(["sleep", "60"])
    watch = guard.Watch(worker.pid, options)
    kept = subprocess.Popen(["sleep", "60"])
    print(watch.obey("keep"))
    left = subprocess.Popen(["setsid", "sleep", "60"])
    print(watch.obey("rest"))
    print(worker.poll(), kept.poll(), watch.obey("rest"))
    guard.kill_all(worker.pid)
    print(guard.processes())
    """
    assert outcome(code).splitlines() == ["rested 0 0", "rested 1 0", "None None rested 0 0", "[]"]


def test_limits_of_a_process_are_lowered_for_good():
    code = f"""
    import resource
    guard.limit_process({OPTIONS!r})
    for name in ("DATA", "FSIZE", "NOFILE", "CORE"):
        print(resource.getrlimit(getattr(resource, "RLIMIT_" + name)))
    """
    data = (100 + guard.SPARE_MB) * MB
    assert outcome(code).splitlines() == [f"({n}, {n})" for n in (data, 5 * MB, 40, 0)]


def test_a_lower_limit_of_the_machine_stays():
    code = f"""
    import resource
    resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
    guard.limit_process({dict(OPTIONS, tasks="5000")!r})
    print(resource.getrlimit(resource.RLIMIT_NOFILE), resource.getrlimit(resource.RLIMIT_NPROC)[0] <= 5000)
    """
    assert outcome(code) == "(20, 20) True"


def test_the_scratch_folder_is_emptied(tmp_path: Path):
    (tmp_path / "deep" / "deeper").mkdir(parents=True)
    (tmp_path / "deep" / "deeper" / "file").touch()
    (tmp_path / "link").symlink_to("/etc")
    guard._empty(str(tmp_path))
    guard._empty(None)
    guard._empty(str(tmp_path / "missing"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("status", "code"), [(None, 0), (3 << 8, 3), (signal.SIGKILL, 137)])
def test_the_guard_ends_as_its_worker_did(status: int | None, code: int):
    assert guard._exit_status(status) == code


def test_children_are_none_for_a_process_that_is_gone():
    assert guard._children(0) == []


def test_other_systems_have_no_process_controls(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(guard.sys, "platform", "darwin")
    assert guard._prctl()(1, 2) is None


def test_reading_tells_the_end_from_nothing(monkeypatch: pytest.MonkeyPatch):
    end, other = os.pipe()
    os.set_blocking(end, False)
    assert guard._read(end) is None
    os.close(other)
    assert guard._read(end) == b""
    os.close(end)
    assert guard._read(end) == b""


def test_reaping_collects_what_ended():
    code = """
    worker = os.fork()
    if worker == 0:
        os._exit(5)
    os.waitid(os.P_PID, worker, os.WEXITED | os.WNOWAIT)
    options = dict(memory_mb="1000", cpu_seconds="9", processes="99", scratch_mb="1")
    print(os.waitstatus_to_exitcode(guard.Watch(worker, options).reap()))
    """
    assert outcome(code) == "5"


def test_this_process_was_not_limited():
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 40


def test_usage_tells_processes_with_one_number_apart():
    first: Any = usage(start=1)
    assert first.identity != usage(start=2).identity
