"""The host of an app on this machine: graphs and functions of its folder, runs in this process and its workers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from greenrun.oracle.host import FunctionUntrusted
from greenrun.workflows.functions import FunctionHost, FunctionPorts
from greenrun.workflows.functions.errors import FunctionError
from greenrun.workflows.registry import Registry, default_registry
from greenrun.workflows.run import RunResult, RunSpec, execute
from greenrun.workspace.folder import LoadedApp


class LocalHost:
    """Loads from an app's folder (`greenrun.oracle.host.Host`); close it, or use it as an async context manager."""

    def __init__(self, app: LoadedApp, *, registry: Registry | None = None, trust: bool = False) -> None:
        self._app = app
        self._trust = trust
        self._registry = registry or default_registry()
        self._functions = FunctionHost(
            app.workflows,
            sources=app.target.functions,
            python=_interpreter(app),
            import_timeout_ms=app.settings.import_timeout_ms,
        )

    @property
    def registry(self) -> Registry:
        return self._registry

    @property
    def isolation(self) -> str:
        """How well user code is kept apart here."""
        return self._functions.isolation

    async def load_workflow(self, workflow_id: str, version: int | float | None) -> Any | None:
        """The graph in ``workflows/<id>.json``; a folder keeps one version, so a pinned one is taken as it lies."""
        return self._app.graph(workflow_id)

    async def function_ports(self, function: str) -> FunctionPorts:
        """Ports of a function; code that a bundle carries is imported only when it is trusted."""
        if self._app.target.functions and not self._trust:
            self._refuse_carried(function)
        return await self._functions.inspect(function)

    def _refuse_carried(self, function: str) -> None:
        try:
            carried = self._functions.carried_modules(function.partition(":")[0])
        except FunctionError:
            return  # there is nothing to import; inspecting it says why
        if carried:
            raise FunctionUntrusted(
                f"the bundle brings its own code ({', '.join(carried)}), which is not run before you trust it. "
                "Read it, then repeat with --trust (in Python: trust=True)."
            )

    def function_sources(self, function: str) -> dict[str, str]:
        return self._functions.source_closure(function.partition(":")[0])

    async def run(self, spec: RunSpec, emit: Callable[[dict[str, Any]], None]) -> RunResult:
        return await execute(spec, emit, registry=self._registry, functions=self._functions)

    async def aclose(self) -> None:
        """Stop every worker."""
        await self._functions.aclose()

    async def __aenter__(self) -> LocalHost:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _interpreter(app: LoadedApp) -> str:
    if app.settings.python is None:
        return sys.executable
    given = Path(app.settings.python).expanduser()
    if app.workspace is not None and not given.is_absolute() and len(given.parts) > 1:
        return str((app.workspace / given).absolute())
    return str(given)
