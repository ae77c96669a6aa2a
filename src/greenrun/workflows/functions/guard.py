"""The guard over a worker: watches what it uses, relays orders of the server, and kills it with all that it started.

Runs none of the user's code. Loaded by its path before anything else, by any Python from 3.11 on: standard library only,
and little of it, since this process stays. In a sandbox it is process 1 of its own process space, where nothing below
can signal it and its end is the end of all.

Orders come over `control` as lines: ``begin`` (a request runs: let all go on, watch closely), ``keep`` and ``rest`` (it
is over; keep the processes that it started, or kill them, and stop what is left), ``where`` (make the worker
say where its code is). Answers: ``rested <killed> <zombies>``, and ``stopped <limit>`` before the guard kills everything.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import signal
import sys
import time
from typing import NamedTuple, NoReturn

MB = 1024 * 1024
PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36

IDLE_MS = 2_000
WATCH_MS = 50
CALM_MS = 100
CALM_AFTER = 2.0
FILES_EVERY = 1.0
MOST_FILES = 50_000
IDLE_SHARE = 0.5
THREADS_PER_PROCESS = 16
SPARE_MB = 256
RESERVED_MB = 8_192
KILL_ROUNDS = 200


class Usage(NamedTuple):
    """One process as /proc shows it: processor time in ticks, resident memory in pages."""

    pid: int
    state: str
    ticks: int
    threads: int
    started: int
    pages: int

    @property
    def identity(self) -> tuple[int, int]:
        """Tells it from a later process with the same number."""
        return self.pid, self.started

    @property
    def ended(self) -> bool:
        return self.state in "ZX"


def stand_guard(control: int, options: dict[str, str]) -> None:
    """Fork; the child is the worker and returns, under its limits. The parent stays and ends the process."""
    prctl = _prctl()
    prctl(PR_SET_CHILD_SUBREAPER, 1)  # orphans of the worker become children of the guard, so that it can kill them
    prctl(PR_SET_DUMPABLE, 0)  # nor may they trace it
    awake, waker = os.pipe()
    os.set_blocking(awake, False)
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    guard, server = os.getpid(), os.getppid()
    worker = os.fork()
    if worker:
        _watch(worker, server, awake, control, options)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for descriptor in (awake, waker, control):
        os.close(descriptor)
    os.setsid()
    prctl(PR_SET_DUMPABLE, 1)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != guard:
        os._exit(1)
    limit_process(options)


def limit_process(options: dict[str, str]) -> None:
    """Lower this process's own limits for good; what cannot be limited here stays as it is."""
    memory = int(options["memory_mb"])
    wanted = {
        "RLIMIT_CORE": 0,
        # Stacks of threads and freed pages count here and are not resident: the guard's watch is the exact limit.
        "RLIMIT_DATA": (memory + SPARE_MB) * MB,
        "RLIMIT_AS": (memory + RESERVED_MB) * MB,
        "RLIMIT_FSIZE": int(options["file_size_mb"]) * MB,
        "RLIMIT_NOFILE": int(options["open_files"]),
        "RLIMIT_NPROC": int(options["tasks"]),
    }
    for name, value in wanted.items():
        kind = getattr(resource, name, None)
        if kind is None or (name == "RLIMIT_NPROC" and not value):
            continue
        hard = resource.getrlimit(kind)[1]
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (allowed, allowed))


def _watch(worker: int, server: int, awake: int, control: int, options: dict[str, str]) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    os.set_blocking(control, False)
    watch = Watch(worker, options)
    poll = select.poll()
    poll.register(0, 0)  # no event asked for: only the hang-up is reported
    poll.register(awake, select.POLLIN)
    poll.register(control, select.POLLIN)
    orders, status = b"", None
    while status is None:
        events = dict(poll.poll(watch.interval_ms()))
        if 0 in events or os.getppid() != server:
            break
        while awake in events and _read(awake):
            pass
        status = watch.reap()
        if control in events and status is None:
            received = _read(control)
            if received == b"" or events[control] & (select.POLLHUP | select.POLLERR):
                break
            *lines, orders = (orders + (received or b"")).split(b"\n")
            for line in lines:
                answer = watch.obey(line.decode("ascii", "replace"))
                if answer:
                    _write(control, answer)
        reason = watch.exceeded() if status is None else None
        if reason:
            _write(control, "stopped " + reason)
            break
    kill_all(worker)
    _empty(options.get("scratch"))
    os._exit(_exit_status(status))


class Watch:
    """What the worker and all that it started use, against its limits."""

    def __init__(self, worker: int, options: dict[str, str]) -> None:
        self._worker = worker
        self._limits = {name: int(options[name]) for name in ("memory_mb", "cpu_seconds", "processes", "scratch_mb")}
        self._scratch = options.get("scratch")
        self._known: set[tuple[int, int]] = set()
        self._busy = True
        self._files_due = False
        self._since = self._looked = self._looked_at_files = time.monotonic()
        self._spent = 0.0

    def interval_ms(self) -> int:
        """How long nothing needs to be looked at, in milliseconds."""
        if not self._busy:
            return IDLE_MS
        return WATCH_MS if time.monotonic() - self._since < CALM_AFTER else CALM_MS

    def obey(self, order: str) -> str | None:
        """Do what the server says; the answer, where it gets one."""
        if order == "begin":
            self._busy = True
            self._since = time.monotonic()
            _signal_below(signal.SIGCONT)
        elif order in ("keep", "rest"):
            killed = 0 if order == "keep" else self._kill_new()
            alive = processes()
            if order == "keep":
                self._known = {process.identity for process in alive}
            _freeze()
            self._busy, self._files_due = False, True
            self._looked = time.monotonic()
            self._spent = self._seconds(alive)
            return f"rested {killed} {sum(process.ended for process in alive)}"
        elif order == "where":
            with contextlib.suppress(OSError):
                os.kill(self._worker, signal.SIGUSR1)
        return None

    def reap(self) -> int | None:
        """Collect every child that ended; the worker's wait status when it is among them."""
        status = None
        while True:
            try:
                pid, ended = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return status
            if pid == 0:
                return status
            if pid == self._worker:
                status = ended

    def exceeded(self) -> str | None:
        """The limit that is exceeded now, if it is time to look."""
        now = time.monotonic()
        passed = now - self._looked
        if passed * 1000 < self.interval_ms() * 0.9:
            return None
        self._looked = now
        alive = processes()
        seconds = self._seconds(alive)
        if not self._busy:
            # What a call left running in the worker itself cannot be killed alone.
            idle_seconds, self._spent = seconds - self._spent, seconds
            if idle_seconds > passed * IDLE_SHARE:
                return "idle"
        elif seconds - self._spent > self._limits["cpu_seconds"]:
            return "cpu_seconds"
        if len(alive) > self._limits["processes"]:
            return "processes"
        if sum(process.threads for process in alive) > self._limits["processes"] * THREADS_PER_PROCESS:
            return "threads"
        if self._memory(alive) > self._limits["memory_mb"] * MB:
            return "memory_mb"
        # Between calls nothing runs: one look after each is enough.
        if now - self._looked_at_files > FILES_EVERY if self._busy else self._files_due:
            self._looked_at_files, self._files_due = now, False
            return self._files(alive)
        return None

    def _seconds(self, alive: list[Usage]) -> float:
        reaped = resource.getrusage(resource.RUSAGE_CHILDREN)
        return sum(process.ticks for process in alive) / TICKS + reaped.ru_utime + reaped.ru_stime

    def _memory(self, alive: list[Usage]) -> int:
        """Bytes of memory. Forks share pages, so that a sum above the limit is looked at more closely."""
        total = sum(process.pages for process in alive) * PAGE
        if total <= self._limits["memory_mb"] * MB or len(alive) == 1:
            return total
        return sum(_own_share(process) for process in alive)

    def _files(self, alive: list[Usage]) -> str | None:
        """Whether temporary files, or files that live in memory only, are too many."""
        removed, in_memory = _open_files(alive)
        if in_memory + _segments() + self._memory(alive) > self._limits["memory_mb"] * MB:
            return "memory_mb"
        written = _size(self._scratch) if self._scratch else 0
        return "scratch_mb" if written + removed > self._limits["scratch_mb"] * MB else None

    def _kill_new(self) -> int:
        """Kill what was started since the last `keep`; how many they were."""
        killed: set[tuple[int, int]] = set()
        for _ in range(KILL_ROUNDS):
            left = [
                process
                for process in processes()
                if process.pid != self._worker and process.identity not in self._known and not process.ended
            ]
            if not left:
                return len(killed)
            for process in left:
                killed.add(process.identity)
                with contextlib.suppress(OSError):
                    os.kill(process.pid, signal.SIGKILL)
            time.sleep(0.001)
            self.reap()
        return -1


TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def processes() -> list[Usage]:
    """Everything below the guard, what has ended and was not collected included."""
    found: list[Usage] = []
    for pid in _all_pids() if os.getpid() == 1 else _below(os.getpid()):
        with contextlib.suppress(OSError, ValueError, IndexError):
            found.append(_usage(pid))
    return found


def _usage(pid: int) -> Usage:
    with open(f"/proc/{pid}/stat", "rb") as file:
        # The name in parentheses may hold anything, parentheses included.
        fields = file.read().rpartition(b")")[2].split()
    ticks = sum(map(int, fields[11:15]))
    return Usage(pid, fields[0].decode("ascii"), ticks, int(fields[17]), int(fields[19]), int(fields[21]))


def _all_pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]


def _below(pid: int) -> list[int]:
    found: list[int] = []
    waiting = [pid]
    while waiting:
        children = _children(waiting.pop())
        found += children
        waiting += children
    return found


def _children(pid: int) -> list[int]:
    """The processes that any thread of this one started."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found += map(int, file.read().split())
    return found


def _own_share(process: Usage) -> int:
    """Bytes of memory, with shared pages divided among those that share them."""
    try:
        with open(f"/proc/{process.pid}/smaps_rollup", "rb") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(b"Pss:")) * 1024
    except (OSError, StopIteration, ValueError, IndexError):
        return process.pages * PAGE


def _open_files(alive: list[Usage]) -> tuple[int, int]:
    """Bytes of open files that have no name any more, and of those that never had one on a disk."""
    seen: set[tuple[int, int]] = set()
    removed = in_memory = 0
    for process in alive:
        folder = f"/proc/{process.pid}/fd"
        with contextlib.suppress(OSError):
            for name in os.listdir(folder):
                link = os.readlink(f"{folder}/{name}")
                if not link.endswith(" (deleted)"):
                    continue
                status = os.stat(f"{folder}/{name}")
                if (status.st_dev, status.st_ino) in seen:
                    continue
                seen.add((status.st_dev, status.st_ino))
                if link.startswith(("/memfd:", "/dev/shm/")):
                    in_memory += status.st_blocks * 512
                else:
                    removed += status.st_blocks * 512
    return removed, in_memory


def _segments() -> int:
    """Bytes of System V shared memory that no process is attached to; one that is has them counted as its own."""
    if os.getpid() != 1:
        return 0  # they belong to the whole machine
    try:
        with open("/proc/sysvipc/shm", "rb") as file:
            names, *rows = [line.split() for line in file]
        attached, resident = names.index(b"nattch"), names.index(b"rss")
        return sum(int(row[resident]) for row in rows if row[attached] == b"0")
    except (OSError, ValueError, IndexError):
        return 0


def _size(folder: str) -> int:
    """Bytes that the files below a folder take; more than any limit when they are too many to look at."""
    total = count = 0
    waiting = [folder]
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                count += 1
                if count > MOST_FILES:
                    return sys.maxsize
                total += entry.stat(follow_symlinks=False).st_blocks * 512
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return total


def _freeze() -> None:
    """Stop everything below until the next request, so that no code of the user runs when nobody looks at what it does."""
    for _ in range(KILL_ROUNDS):
        _signal_below(signal.SIGSTOP)
        if all(process.ended or process.state == "T" for process in processes()):
            return
        time.sleep(0.0005)


def _signal_below(number: int) -> None:
    if os.getpid() == 1:
        with contextlib.suppress(OSError):
            os.kill(-1, number)
        return
    for process in processes():
        with contextlib.suppress(OSError):
            os.kill(process.pid, number)


def kill_all(worker: int) -> None:
    """Kill the worker's session, then whatever was left to us, until no child remains."""
    if os.getpid() == 1:
        with contextlib.suppress(OSError):
            os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.killpg(worker, signal.SIGKILL)
    while True:
        # What is stopped starts nothing more while the rest is found.
        below = processes()
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for process in below:
                with contextlib.suppress(OSError):
                    os.kill(process.pid, number)
        try:
            os.waitpid(-1, 0)
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return


def _empty(folder: str | None) -> None:
    """Remove what is in a folder; the server, which made it, may be gone."""
    if not folder:
        return
    import shutil

    # The folder may be too deep for it; the server, or the next one, deletes what stays.
    with contextlib.suppress(OSError, RecursionError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)


def _prctl():  # type: ignore[no-untyped-def]
    if sys.platform != "linux":
        return lambda option, value: None
    import ctypes

    call = ctypes.CDLL(None).prctl
    return lambda option, value: call(option, ctypes.c_ulong(value), 0, 0, 0)


def _read(descriptor: int) -> bytes | None:
    """What has come: nothing at the end, None when nothing is there."""
    try:
        return os.read(descriptor, 4096)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _write(descriptor: int, line: str) -> None:
    with contextlib.suppress(OSError):
        os.write(descriptor, line.encode("ascii") + b"\n")


def _exit_status(status: int | None) -> int:
    """The worker's own status; 128 and the number for one that a signal ended, as shells say it."""
    if status is None:
        return 0
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
