"""Where the parts of a Python are, as it says itself; asked once for each."""

from __future__ import annotations

import importlib.machinery
import json
import os
import site
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from greenrun.workflows.functions import shim

SECONDS = 20.0
MAX_COMPLAINT = 2_000

HERE = Path(shim.__file__).resolve().parent
SDK = HERE.parent.parent / "sdk.py"
SHIM_FILES = (SDK, HERE / "shim.py", HERE / "guard.py", *(HERE / f"{name}.py" for name in shim.MODULES))
"""The files that a worker loads for itself."""

_QUESTION = """
import sys
if sys.version_info < (3, 11):
    sys.exit("this interpreter is Python %d.%d; workflow functions need 3.11 or newer" % sys.version_info[:2])
import importlib.machinery, json, site
for path in sys.argv[1:]:
    importlib.machinery.SourceFileLoader("part", path).get_code("part")
user = site.getuserbase() if site.ENABLE_USER_SITE else None
print(json.dumps([sys.executable, sys.prefix, sys.base_prefix, sys.exec_prefix, sys.path, user]))
"""


class InterpreterError(Exception):
    """Raised for a command that is no Python, or none that can run functions; the text says why."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python. `folders` hold its standard library and packages; `user_base` is where this user's own packages lie.

    Of the latter only the packages are among the folders, since a home holds more than that.
    """

    executable: str
    folders: tuple[str, ...]
    user_base: str | None = None


@lru_cache(maxsize=64)
def interpreter(python: str) -> Interpreter:
    """Ask that Python; it also compiles the worker's own files, which workers that may not write would do every time.

    Raises:
        InterpreterError: It cannot be started, is too old, or says something else.
    """
    if python == sys.executable:
        _compile(SHIM_FILES)
        paths = [path for path in sys.path if _belongs(path)]
        user_base = site.getuserbase() if site.ENABLE_USER_SITE else None
        return _made([python, sys.prefix, sys.base_prefix, sys.exec_prefix, paths, user_base])
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GREENRUN_"))}
    try:
        answer = subprocess.run(
            [python, "-X", "utf8", "-c", _QUESTION, *map(str, SHIM_FILES)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment,
            cwd="/",
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InterpreterError(str(error)) from error
    try:
        return _made(json.loads(answer.stdout))
    except (ValueError, TypeError, LookupError) as error:
        said = " ".join(answer.stderr.decode("utf-8", "replace").split())[-MAX_COMPLAINT:]
        raise InterpreterError(said or f"it ended with status {answer.returncode}") from error


def _made(answer: list[Any]) -> Interpreter:
    executable, prefix, base, exec_prefix, paths, user_base = answer
    # Where an import path leads to everything, as an empty entry or a home folder would, it names no packages.
    folders = [path for path in (prefix, base, exec_prefix, *paths) if path and not _too_wide(path)]
    return Interpreter(str(executable), tuple(dict.fromkeys(str(path) for path in folders)), user_base)


def _too_wide(path: str) -> bool:
    """True for the root, a folder of the system's own, and whatever contains this user's home."""
    real = os.path.realpath(path)
    home = os.path.realpath(os.path.expanduser("~"))
    top = os.sep + real.strip(os.sep)
    return real == home or home.startswith(top.rstrip(os.sep) + os.sep) or top in _NEVER


_NEVER = frozenset({"/", "/bin", "/dev", "/etc", "/home", "/proc", "/root", "/run", "/sys", "/tmp", "/var"})


def _belongs(path: str) -> bool:
    """Whether an entry of this process's own import path comes with the interpreter, and not with the program it runs."""
    roots = [sys.prefix, sys.base_prefix, *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
    return any(path == root or path.startswith(root + os.sep) for root in roots) or path in _linked()


@lru_cache(maxsize=1)
def _linked() -> frozenset[str]:
    """Folders that ``.pth`` files of the installed packages add, as an editable installation does."""
    places = [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
    files = [file for place in places if os.path.isdir(place) for file in Path(place).glob("*.pth")]
    lines = (line.strip() for file in files for line in file.read_text("utf-8", errors="replace").splitlines())
    return frozenset(line for line in lines if os.path.isabs(line))


def _compile(files: Iterable[Path]) -> None:
    for file in files:
        importlib.machinery.SourceFileLoader("part", str(file)).get_code("part")
