"""How the workers of one host are started: in which tier, seeing what, told what, limited to what."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from greenrun.workflows.functions.limits import THREADS_PER_PROCESS, Limits
from greenrun.workflows.functions.sandbox.environment import environment, is_below
from greenrun.workflows.functions.sandbox.interpreter import Interpreter, InterpreterError, interpreter
from greenrun.workflows.functions.sandbox.mounts import View
from greenrun.workflows.functions.sandbox.scratch import Scratch, ScratchFolders
from greenrun.workflows.functions.sandbox.tier import Isolation, IsolationRefused, Tier, tier

MB = 1024 * 1024
MOST_SHARED_MEMORY_MB = 256
_IN_GUARD = ("memory_mb", "cpu_seconds", "processes", "file_size_mb", "open_files", "scratch_mb")


@dataclass(frozen=True, slots=True)
class Launch:
    """How one worker process is started.

    `prefix` are the words before the interpreter; `confined` says that they put it into a process space of its own.
    `readable` are the folders that it sees besides its own (None: all of this machine), `hidden` files in them that it
    does not. `most_bytes` is what one request may answer with.
    """

    python: str
    scratch: Scratch
    env: Mapping[str, str]
    cwd: str
    options: tuple[str, ...]
    prefix: tuple[str, ...] = ()
    readable: tuple[str, ...] | None = None
    hidden: frozenset[str] = frozenset()
    most_bytes: int | None = None

    @property
    def confined(self) -> bool:
        return self.readable is not None


@dataclass(frozen=True)
class Launcher:
    """Starts workers of one host. `environment` are names of variables that are passed on to them.

    `workspace` are the folders of the app, `scratch` is where workers get theirs.
    """

    python: str
    isolation: Isolation
    limits: Limits
    environment: tuple[str, ...]
    workspace: tuple[Path, ...]
    scratch: ScratchFolders

    @cached_property
    def tier(self) -> Tier:
        """The tier, found out once."""
        return tier(self.isolation)

    def launch(self, effects: str, *, code: Collection[str], cwd: str) -> Launch:
        """Prepare the start of a worker for functions with those effects, whose modules are in the folders `code`.

        Raises:
            IsolationRefused: The demanded isolation does not work here.
            InterpreterError: The interpreter is none.
            OSError: There is no room for its files.
        """
        if self.tier.refusal is not None:
            raise IsolationRefused(self.tier.refusal)
        python = interpreter(self.python)
        view = self._view(python, effects, code, cwd)
        if self.tier.bubblewrap is not None and view.replaceable:
            raise IsolationRefused(
                f'"{view.replaceable[0]}" is a symbolic link, which a function that may write there could replace; '
                "put the file itself in its place"
            )
        scratch = self.scratch.new()
        options = self._options(scratch)
        most_bytes = self.limits.output_mb * MB
        if self.tier.bubblewrap is None:
            told = environment(python, scratch, self.environment)
            return Launch(self.python, scratch, told, cwd, options, most_bytes=most_bytes)
        command = self.tier.bubblewrap.command(
            view.mounts(scratch, self.scratch.folder("etc")),
            cwd=os.path.realpath(cwd),
            network=view.network,
            shared_memory=min(self.limits.memory_mb, MOST_SHARED_MEMORY_MB) * MB,
        )
        readable = view.readable
        return Launch(
            python.executable,
            scratch,
            environment(python, scratch, self.environment, visible=readable),
            cwd,
            options,
            tuple(command),
            readable,
            view.hidden,
            most_bytes,
        )

    def guarded(self, effects: str, *, code: Collection[str], cwd: str) -> tuple[tuple[str, int, int], ...]:
        """Path, device and number of each file that a worker with those effects reads as empty, or may not write.

        A worker that was started when they were others no longer guards what is there now.
        """
        if self.tier.bubblewrap is None:
            return ()
        try:
            view = self._view(interpreter(self.python), effects, code, cwd)
        except InterpreterError:
            return ()  # said when the worker is started
        return view.guarded

    def _view(self, python: Interpreter, effects: str, code: Collection[str], cwd: str) -> View:
        folders = [str(folder) for folder in self.workspace]
        if not is_below(os.path.realpath(cwd), [os.path.realpath(path) for path in (*folders, *code)]):
            folders.append(cwd)
        return View(
            python,
            tuple(dict.fromkeys(folders)),
            tuple(code),
            writable=effects != "none",
            network=effects == "external",
        )

    def _options(self, scratch: Scratch) -> tuple[str, ...]:
        values: dict[str, object] = {name: getattr(self.limits, name) for name in _IN_GUARD}
        # Linux counts threads of a user, and not those of root; the guard counts in any case.
        counted = sys.platform == "linux" and os.geteuid() != 0
        tasks = _tasks_of_user() + self.limits.processes * THREADS_PER_PROCESS if counted else 0
        values |= {"tasks": tasks, "scratch": scratch.folder}
        return tuple(f"{name}={value}" for name, value in values.items())


@lru_cache(maxsize=1)
def _tasks_of_user() -> int:
    """How many threads this user has."""
    count = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if folder.stat().st_uid == os.geteuid():
                count += len(os.listdir(folder / "task"))
        except OSError:
            continue
    return count
