"""The script that a worker runs: a guard process and, below it, the process that imports the user's code.

Started as ``python shim.py`` with a socket as standard input; any Python from 3.11 on will do, nothing need be
installed. When the server closes the socket or dies, even by SIGKILL, the guard kills the worker and everything that
the user's code started, wherever that moved itself.
"""

from __future__ import annotations

import contextlib
import os
import sys

OLDEST = (3, 11)
TOO_OLD = 3
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PARENT_CHECK_MS = 2_000


def main() -> None:
    """Stand guard over a child process, and serve in that child."""
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:2]))
        sys.stderr.write("this interpreter is Python " + found + "; workflow functions need 3.11 or newer\n")
        sys.exit(TOO_OLD)
    sys.argv[:] = [""]
    del sys.path[0]  # this folder, whose modules must not hide the user's
    if hasattr(os, "fork"):
        _guard()
    _serve()


def _guard() -> None:
    """Fork; the child returns, the parent watches and never does."""
    import select
    import signal

    prctl = _prctl()
    prctl(PR_SET_CHILD_SUBREAPER, 1)  # orphans of the worker become children of the guard, so that it can kill them
    awake, waker = os.pipe()
    os.set_blocking(awake, False)
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    guard, server = os.getpid(), os.getppid()
    worker = os.fork()
    if worker == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.close(awake)
        os.close(waker)
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != guard:
            os._exit(1)
        return
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    poll = select.poll()
    poll.register(0, 0)  # no event asked for: only the hang-up is reported
    poll.register(awake, select.POLLIN)
    status = None
    while status is None:
        events = poll.poll(PARENT_CHECK_MS)
        if any(descriptor == 0 for descriptor, _ in events) or os.getppid() != server:
            break
        while events and _drained(awake):
            pass
        status = _reaped(worker)
    _kill_all(worker)
    os._exit(_exit_status(status))


def _prctl():  # type: ignore[no-untyped-def]
    if sys.platform != "linux":
        return lambda option, value: None
    import ctypes

    call = ctypes.CDLL(None).prctl
    return lambda option, value: call(option, ctypes.c_ulong(value), 0, 0, 0)


def _drained(descriptor: int) -> bool:
    try:
        return bool(os.read(descriptor, 4096))
    except BlockingIOError:
        return False


def _reaped(worker: int) -> int | None:
    """Collect every child that ended; the worker's wait status when it is among them."""
    status = None
    while True:
        try:
            pid, ended = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status
        if pid == 0:
            return status
        if pid == worker:
            status = ended


def _kill_all(worker: int) -> None:
    """Kill the worker's session, then whatever was left to us, until no child remains."""
    import signal

    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(worker, signal.SIGKILL)
    while True:
        for pid in _children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    me = os.getpid()
    try:
        with open(f"/proc/{me}/task/{me}/children", encoding="ascii") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []


def _exit_status(status: int | None) -> int:
    """The worker's own status; 128 and the number for one that a signal ended, as shells say it."""
    if status is None:
        return 0
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def _serve() -> None:
    """Give the conversation a descriptor of its own, load the modules beside this file and answer requests."""
    descriptor = os.dup(0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    _load_modules(os.path.dirname(os.path.abspath(__file__)))
    from greenrun.workflows.functions.serving import Session

    session = Session(descriptor)
    session.take_over()
    session.serve()


MODULES = ("protocol", "logs", "type_metadata", "conversion", "results", "signature", "local_modules", "serving")


def _load_modules(here: str) -> None:
    """Register `greenrun` and `greenrun.sdk`, and the worker's own modules, straight from their files."""
    import importlib.util
    import types

    def load(name: str, path: str) -> types.ModuleType:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        parent, _, attribute = name.rpartition(".")
        setattr(sys.modules[parent], attribute, module)
        return module

    for name in ("greenrun", "greenrun.workflows", "greenrun.workflows.functions"):
        package = types.ModuleType(name)
        package.__path__ = []
        sys.modules[name] = package
    sdk = load("greenrun.sdk", os.path.join(os.path.dirname(os.path.dirname(here)), "sdk.py"))
    for name in sdk.__all__:
        setattr(sys.modules["greenrun"], name, getattr(sdk, name))
    for name in MODULES:
        load(f"greenrun.workflows.functions.{name}", os.path.join(here, f"{name}.py"))


if __name__ == "__main__":
    main()
elif __name__ == "__mp_main__":  # a process that the user's code spawned through multiprocessing
    _load_modules(os.path.dirname(os.path.abspath(__file__)))
