"""Typed Python functions as workflows, run in worker processes (DESIGN 5).

On the server's side: `host` (what others use), `pool`, `worker`, `call`, `handover`, `sources`, `ports`, `cache`,
`limits`, and `sandbox` (where and under what workers run). In the worker, without dependencies: `shim` (the script),
`guard` (the process above), and beside the user's code `serving`, `signature`, `type_metadata`, `conversion`, `results`,
`local_modules`. On both sides: `protocol`, `logs`.
"""

from __future__ import annotations

from greenrun.workflows.functions.errors import FunctionError, FunctionImportError, FunctionMissing, WorkerGone
from greenrun.workflows.functions.host import FunctionHost
from greenrun.workflows.functions.limits import Limits
from greenrun.workflows.functions.ports import FunctionPorts

__all__ = [
    "FunctionError",
    "FunctionHost",
    "FunctionImportError",
    "FunctionMissing",
    "FunctionPorts",
    "Limits",
    "WorkerGone",
]
