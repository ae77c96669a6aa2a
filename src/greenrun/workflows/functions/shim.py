"""The script that a worker runs: a guard process and, below it, the process that imports the user's code.

Started as ``python shim.py CONTROL name=value...`` with a socket as standard input, the descriptor of the guard's own
socket, and limits; any Python from 3.11 on will do, nothing need be installed. When the server closes the socket or
dies, even by SIGKILL, the guard kills the worker and everything that the user's code started, wherever that moved itself.
"""

from __future__ import annotations

import os
import sys

OLDEST = (3, 11)
TOO_OLD = 3


def main() -> None:
    """Stand guard over a child process, and serve in that child."""
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:2]))
        sys.stderr.write("this interpreter is Python " + found + "; workflow functions need 3.11 or newer\n")
        sys.exit(TOO_OLD)
    control = int(sys.argv[1])
    options = dict(argument.split("=", 1) for argument in sys.argv[2:])
    sys.argv[:] = [""]
    del sys.path[0]  # this folder, whose modules must not hide the user's
    here = os.path.dirname(os.path.abspath(__file__))
    if hasattr(os, "fork"):
        _load("greenrun_guard", os.path.join(here, "guard.py")).stand_guard(control, options)
        del sys.modules["greenrun_guard"]
    _serve(here, int(options["cpu_seconds"]), options["scratch"])


def _serve(here: str, cpu_seconds: int, scratch: str) -> None:
    """Give the conversation a descriptor of its own, load the modules beside this file and answer requests."""
    descriptor = os.dup(0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    _load_modules(here)
    from greenrun.workflows.functions.serving import Session

    session = Session(descriptor, cpu_seconds=cpu_seconds, scratch=scratch)
    session.take_over()
    session.serve()


MODULES = (
    "protocol",
    "logs",
    "type_metadata",
    "conversion",
    "results",
    "snapshots",
    "signature",
    "local_modules",
    "serving",
)


def _load_modules(here: str) -> None:
    """Register `greenrun` and `greenrun.sdk`, and the worker's own modules, straight from their files."""
    import types

    for name in ("greenrun", "greenrun.workflows", "greenrun.workflows.functions"):
        package = types.ModuleType(name)
        package.__path__ = []
        sys.modules[name] = package
    sdk = _load("greenrun.sdk", os.path.join(os.path.dirname(os.path.dirname(here)), "sdk.py"))
    for name in sdk.__all__:
        setattr(sys.modules["greenrun"], name, getattr(sdk, name))
    for name in MODULES:
        _load(f"greenrun.workflows.functions.{name}", os.path.join(here, f"{name}.py"))


def _load(name, path):  # type: ignore[no-untyped-def]
    """The module of that file, registered under that name."""
    import importlib.util

    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    parent, _, attribute = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], attribute, module)
    return module


if __name__ == "__main__":
    main()
elif __name__ == "__mp_main__":  # a process that the user's code spawned through multiprocessing
    _load_modules(os.path.dirname(os.path.abspath(__file__)))
