"""The host of an app on this machine: graphs and functions of its folder, runs in this process and its workers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from greenrun.oracle.host import FunctionUntrusted
from greenrun.workflows.engine import Questions, Services
from greenrun.workflows.functions import FunctionHost, FunctionPorts
from greenrun.workflows.functions.errors import FunctionError
from greenrun.workflows.node import NodeError
from greenrun.workflows.providers.interface import Providers
from greenrun.workflows.registry import Registry, default_registry
from greenrun.workflows.run import RunResult, RunSpec, execute
from greenrun.workspace.folder import LoadedApp
from greenrun.workspace.models import ModelOptions, Models, given, models_for
from greenrun.workspace.services import LocalServices


class LocalHost:
    """Loads from an app's folder (`greenrun.oracle.host.Host`); close it, or use it as an async context manager.

    `trust` lets code that a bundle carries be imported. `models` says how models answer, unless `providers` are given. `assets`
    keeps media (None: it goes with the host). `allow` names addresses (ip, port) that requests may reach although they are not
    public. `cost_cap` (US dollars) and `allow_external` bound every run. With `questions` the failure of a node is asked about.
    `files` are those outside the app's folder that may be read (None: all); media in a document may name no others.
    """

    def __init__(
        self,
        app: LoadedApp,
        *,
        registry: Registry | None = None,
        trust: bool = False,
        models: ModelOptions | None = None,
        providers: Providers | None = None,
        assets: Path | None = None,
        allow: Collection[tuple[str, int]] = (),
        cost_cap: float | None = None,
        allow_external: bool = False,
        questions: Questions | None = None,
        files: Collection[Path] | None = None,
    ) -> None:
        self._app = app
        self._trust = trust
        self._registry = registry or default_registry()
        self._cost_cap = cost_cap
        self._allow_external = allow_external
        self._questions = questions
        self._functions = FunctionHost(
            app.workflows,
            sources=app.target.functions,
            python=_interpreter(app),
            workspace=app.workspace,
            cwd=app.workspace,
            isolation=app.settings.isolation,
            limits=app.settings.limits,
            environment=app.settings.environment,
            media=None if files is None else [*files, *(item for item in (app.workspace, assets) if item is not None)],
            import_timeout_ms=app.settings.import_timeout_ms,
        )
        self._make_models = lambda: given(providers) if providers else models_for(models or ModelOptions(), app)
        self._models: Models | None = None
        self._services = LocalServices(
            workspace=app.workspace,
            assets=assets,
            provider=lambda kind, name: self.load_models().providers.provider(kind, name),
            load_workflow=self._graph,
            function_ports=self._ports_for_node,
            call_function=self._call_function,
            allow=allow,
            files=files,
            made=lambda: self._functions.artifacts,
        )

    @property
    def registry(self) -> Registry:
        return self._registry

    @property
    def isolation(self) -> str:
        """How well user code is kept apart here."""
        return self._functions.isolation

    @property
    def services(self) -> Services:
        """What runs of this host may use."""
        return self._services

    @property
    def model_calls(self) -> dict[str, Any]:
        """Where answers of models came from, and how many (see `greenrun.workspace.models.Models.to_json`)."""
        models = self.load_models()
        models.keep()
        return models.to_json()

    def load_models(self) -> Models:
        """Where answers of models come from; a check needs none of it.

        Raises:
            LoadError: The recording that the options name is not one.
        """
        if self._models is None:
            self._models = self._make_models()
        return self._models

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
        bounded = replace(spec, cost_cap=self._cost_cap, allow_external=self._allow_external)
        escalate = None if self._questions is None else self._questions.about(operationId=spec.operation_id)
        return await execute(
            bounded,
            emit,
            registry=self._registry,
            functions=self._functions,
            services=self._services,
            escalate=escalate,
        )

    async def _graph(self, workflow_id: str) -> Any | None:
        """A graph that a node names: one that the app carries, else one of its folder."""
        carried = self._app.target.graphs.get(workflow_id)
        return carried if carried is not None else await self.load_workflow(workflow_id, None)

    async def _ports_for_node(self, function: str) -> FunctionPorts:
        """The ports of a function that a node names."""
        try:
            return await self.function_ports(function)
        except (FunctionError, FunctionUntrusted) as error:
            raise NodeError(str(error)) from error

    async def _call_function(self, function: str, params: dict[str, Any], **options: Any) -> RunResult:
        """Run a function that a node names."""
        await self._ports_for_node(function)
        return await self._functions.run(function, params, **options)

    async def aclose(self) -> None:
        """Stop every worker, keep what was recorded, close connections."""
        try:
            await self._functions.aclose()
        finally:
            try:
                if self._models is not None:
                    await self._models.aclose()
            finally:
                await self._services.aclose()

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
