"""Processes of a worker as this side sees them, whose own numbers differ inside a sandbox."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import psutil
import pytest

from greenrun.workflows.functions.sandbox.bubblewrap import Unusable, probe

_FOUND = probe()
needs_bubblewrap = pytest.mark.skipif(
    isinstance(_FOUND, Unusable), reason=getattr(_FOUND, "reason", "bubblewrap works here")
)
TIERS = [pytest.param("bubblewrap", marks=needs_bubblewrap), "none"]
"""The settings of `isolation` that can be had."""


def process(name: str) -> psutil.Process:
    """The process that calls itself ``<space>:<pid>``: the number of its process space, and its own within that."""
    space, _, pid = name.partition(":")
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(folder / "ns" / "pid") == f"pid:[{space}]" and _inner_pid(folder) == pid:
                return psutil.Process(int(folder.name))
        except OSError:
            continue
    raise AssertionError(f"no process {name}")


def _inner_pid(folder: Path) -> str:
    lines = (folder / "status").read_text("ascii", errors="replace").splitlines()
    return next(line for line in lines if line.startswith("NSpid:")).split()[-1]


def guard_of(worker: psutil.Process) -> psutil.Process:
    parent = worker.parent()
    assert parent is not None
    return parent


def running(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Those that run; one that ended and was not collected yet does not."""
    return [one for one in processes if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


def alive_after(processes: list[psutil.Process], seconds: float = 5) -> list[psutil.Process]:
    """Those still alive when that time is over; a process that only waits to be collected is not."""
    deadline = time.monotonic() + seconds
    while processes and time.monotonic() < deadline:
        _, alive = psutil.wait_procs(processes, timeout=0.05)
        processes = running(alive)
    return processes


def workers_below(process: psutil.Process, besides: Path | None = None) -> list[psutil.Process]:
    """Guards and workers that were started below a process, but for those that run in the folder `besides`."""
    found: list[psutil.Process] = []
    for child in process.children(recursive=True):
        with contextlib.suppress(psutil.Error):
            ours = "shim.py" in " ".join(child.cmdline()) and child.name() != "bwrap"
            if ours and (besides is None or child.cwd() != str(besides)):
                found.append(child)
    return found
