"""What the oracle needs from whoever calls it. No database and no filesystem inside the oracle (spec: harness 3.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from greenrun.workflows.functions import FunctionPorts
from greenrun.workflows.registry import Registry
from greenrun.workflows.run import RunResult, RunSpec


class FunctionUntrusted(Exception):
    """Raised by a host for code that may not be imported before a person trusts it (spec: harness 1.4)."""


@runtime_checkable
class Host(Protocol):
    """Loaders and a runner. Loaders may raise: the operation is then unknown, which never counts against the app."""

    @property
    def registry(self) -> Registry: ...

    async def load_workflow(self, workflow_id: str, version: int | float | None) -> Any | None:
        """The stored graph, or None when this host has no such workflow."""
        ...

    async def function_ports(self, function: str) -> FunctionPorts:
        """The ports of ``module:name``.

        Raises:
            FunctionMissing: There is no such function here.
            FunctionImportError: Its module raised, timed out or exited at import.
            FunctionUntrusted: The code may not be imported yet.
        """
        ...

    def function_sources(self, function: str) -> dict[str, str]:
        """Source by module of everything local that the function's module imports, itself included."""
        ...

    async def run(self, spec: RunSpec, emit: Callable[[dict[str, Any]], None]) -> RunResult:
        """Execute one run through the one function that constructs every run (spec: harness 13)."""
        ...
