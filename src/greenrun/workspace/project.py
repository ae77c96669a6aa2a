"""The Python API over one app on disk: load it, check it, simulate it, open it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from greenrun.instances.instance import AppInstance
from greenrun.instances.runs import Limits
from greenrun.oracle.check_report import CheckReport, check_report
from greenrun.oracle.options import SimulateOptions
from greenrun.oracle.report import Report
from greenrun.oracle.resolve import resolve
from greenrun.oracle.simulate import HostRunner, simulate
from greenrun.workflows.registry import Registry
from greenrun.workspace.errors import LoadError
from greenrun.workspace.folder import LoadedApp, load_path, named_files
from greenrun.workspace.local import LocalHost
from greenrun.workspace.models import ModelOptions, Source

T = TypeVar("T")


def load(
    path: Path | str,
    *,
    trust: bool = False,
    models: ModelOptions | Source | None = None,
    cost_cap: float | None = None,
    allow_external: bool = False,
) -> Project:
    """Load an app folder, a bundle, a document or a workflow file that carries its app.

    `trust` lets code that a bundle carries be imported. `models` says how models answer; "scripted" makes up answers, offline and
    free. `cost_cap` is what the models of one run may cost, in US dollars. `allow_external` lets runs change the world outside.

    Raises:
        LoadError: There is no app at that path.
    """
    chosen = ModelOptions(models) if isinstance(models, str) else models
    return Project(load_path(path), trust=trust, models=chosen, cost_cap=cost_cap, allow_external=allow_external)


class Project:
    """One app on disk.

    Every method that runs something has an async twin (``acheck``, ``asimulate``); use that one inside an event loop.
    """

    def __init__(
        self,
        loaded: LoadedApp,
        *,
        trust: bool = False,
        registry: Registry | None = None,
        models: ModelOptions | None = None,
        cost_cap: float | None = None,
        allow_external: bool = False,
    ) -> None:
        self.loaded = loaded
        self.trust = trust
        self.models = models
        self._registry = registry
        self._cost_cap = cost_cap
        self._allow_external = allow_external

    def host(self, *, assets: Path | None = None, files: Collection[Path] | None = None) -> LocalHost:
        """A new host for this app: an async context manager that owns the worker processes.

        `assets` keeps media; `files` are those outside the app's folder that may be read (None: all).
        """
        return LocalHost(
            self.loaded,
            registry=self._registry,
            trust=self.trust,
            models=self.models,
            assets=assets,
            files=files,
            cost_cap=self._cost_cap,
            allow_external=self._allow_external,
        )

    def check(self, *, fixes: bool = True) -> CheckReport:
        """Check the wiring; nothing of the app is run."""
        return _run(self.acheck(fixes=fixes))

    async def acheck(self, *, fixes: bool = True) -> CheckReport:
        """`check` inside an event loop."""
        async with self.host() as host:
            return await check_report(self.loaded.target, host, fixes=fixes)

    def simulate(
        self,
        interact: Sequence[Any] | None = None,
        *,
        params: Mapping[str, Any] | None = None,
        run: bool = True,
        timeout_ms: float | None = None,
        deadline_ms: float | None = None,
    ) -> Report:
        """Drive the app with a script and grade it. Without `interact` the app's own script is played, else the default
        one; `params` are laid over those of the script file."""
        options = SimulateOptions(
            params=params or {}, interact=interact, run=run, timeout_ms=timeout_ms, deadline_ms=deadline_ms
        )
        return _run(self.asimulate(options))

    async def asimulate(self, options: SimulateOptions | None = None, *, assets: Path | None = None) -> Report:
        """`simulate` inside an event loop. Media that runs make is kept in the folder `assets`, if one is given."""
        options = options or SimulateOptions()
        # Files that the caller names, not those that the app's own script does: the app may come from elsewhere.
        files = [*named_files(dict(options.params)), *named_files(options.interact)]
        options = self.with_script(options)
        async with self.host(assets=assets, files=files) as host:
            host.load_models()
            report = await simulate(self.loaded.target, host, options)
            return replace(report, isolation=host.isolation, models=host.model_calls)

    def with_script(self, options: SimulateOptions) -> SimulateOptions:
        """The options completed by the app's own script file."""
        interact = options.interact if options.interact is not None else self.loaded.interact
        return replace(options, params={**self.loaded.params, **options.params}, interact=interact)

    async def aopen(
        self, host: LocalHost, *, restored: Mapping[str, Any] | None = None, limits: Limits | None = None
    ) -> AppInstance:
        """An open app over `host`; close it with ``aclose``. `limits` bounds its runs.

        Raises:
            LoadError: The file holds no valid application document.
        """
        resolved = await resolve(self.loaded.target, host)
        if resolved.app is None:
            raise LoadError(self.loaded.target.issue or "There is no application document.")
        return AppInstance(resolved.app, HostRunner(host, resolved.target), restored=restored, limits=limits)


def _run(work: Coroutine[Any, Any, T]) -> T:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    work.close()
    raise RuntimeError("An event loop is running: await the async twin of this method instead (acheck, asimulate).")
