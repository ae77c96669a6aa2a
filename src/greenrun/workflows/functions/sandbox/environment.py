"""The environment of a worker: what programs need, and the variables that the workspace names; nothing else."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from greenrun.workflows.functions.sandbox.interpreter import Interpreter
from greenrun.workflows.functions.sandbox.scratch import Scratch

PASSED = ("LANG", "LC_ALL", "TZ")
PATH = "/usr/local/bin:/usr/bin:/bin"


def environment(
    interpreter: Interpreter,
    scratch: Scratch,
    names: Collection[str],
    *,
    visible: Collection[str] | None = None,
    given: Mapping[str, str] = os.environ,
) -> dict[str, str]:
    """The variables for one worker. `names` are passed on from `given` where they are set.

    `visible` are the folders that the worker can see, which its PATH is limited to (None: all).
    """
    folders = [os.path.dirname(interpreter.executable), *given.get("PATH", PATH).split(os.pathsep), *PATH.split(":")]
    seen = [folder for folder in dict.fromkeys(folders) if visible is None or is_below(folder, visible)]
    passed = {name: given[name] for name in (*PASSED, *names) if name in given}
    own = {
        "PATH": os.pathsep.join(seen),
        "HOME": str(scratch.home),
        "TMPDIR": str(scratch.temporary),
        **({"PYTHONUSERBASE": interpreter.user_base} if interpreter.user_base else {}),
    }
    return {"LANG": "C.UTF-8", **passed, **own}


def is_below(path: str | Path, folders: Collection[str]) -> bool:
    """Whether a path is one of the folders, or in one of them."""
    text = str(path)
    return any(text == folder or text.startswith(folder.rstrip(os.sep) + os.sep) for folder in folders)
