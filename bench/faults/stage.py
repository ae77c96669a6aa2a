"""Where apps are tried: a folder, a server, models, and a host that is kept as long as its limits stay."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from bench.faults.seed import RECORDING, SETTINGS, SeedApp
from bench.faults.server import Server
from greenrun.oracle.options import SimulateOptions
from greenrun.oracle.simulate import simulate
from greenrun.workflows.providers.configured import ConfiguredProviders
from greenrun.workflows.providers.interface import Providers
from greenrun.workflows.providers.recording import RecordedProviders, Recording
from greenrun.workflows.providers.scripted import ScriptedProviders
from greenrun.workspace.folder import LoadedApp, load_path
from greenrun.workspace.local import LocalHost

LONGEST_MS = 60_000
"""For one simulation; none comes near it unless something hangs."""


class Stage:
    """One after the other, apps stand in the same folder, so that what did not change need not be started again.

    No model that costs anything is ever asked.
    """

    def __init__(self, name: str) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="greenrun-faults-")
        self._folder = Path(self._scratch.name) / name
        self._files: dict[str, bytes] = {}
        self._server = Server()
        self._models = _Models()
        self._host: LocalHost | None = None
        self._limits: tuple[Any, ...] | None = None

    async def __aenter__(self) -> Stage:
        await self._server.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._host is not None:
            await self._host.aclose()
        await self._server.aclose()
        self._scratch.cleanup()

    @property
    def server(self) -> str:
        """The address of the server."""
        return self._server.url

    @asynccontextmanager
    async def put(self, app: SeedApp, models: Providers | None = None) -> AsyncIterator[tuple[LoadedApp, LocalHost]]:
        """The app in its folder and in its world, and its host. `models` answer in place of those of the world."""
        self._write(app.files(self._server.url))
        loaded = load_path(self._folder)
        self._server.answers = app.world.answers
        self._models.current = models or self._providers(app)
        limits = (app.others.get(SETTINGS), app.world.cost_cap, app.world.allow_external)
        if self._host is None:
            self._host, self._limits = self._new_host(app, loaded), limits
        host = self._host if limits == self._limits else self._new_host(app, loaded)
        try:
            yield loaded, host
        finally:
            if host is not self._host:
                await host.aclose()
            if isinstance(self._models.current, ConfiguredProviders):
                await self._models.current.aclose()

    async def rehearsed(self, app: SeedApp) -> SeedApp:
        """The app with what its models said by the script of its world, so that they say it again to nothing else."""
        path = Path(self._scratch.name) / RECORDING
        models = RecordedProviders(ScriptedProviders(app.world.script), Recording(path), "call", record=True)
        async with self.put(app, models) as (loaded, host):
            await simulate(loaded.target, host, script_of(loaded))
        models.save()
        return app.with_file(RECORDING, path.read_bytes())

    def _write(self, files: dict[str, bytes]) -> None:
        """Only what is another file than before is touched."""
        for name in self._files.keys() - files.keys():
            (self._folder / name).unlink()
        for name, content in files.items():
            if self._files.get(name) != content:
                path = self._folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        self._files = files

    def _new_host(self, app: SeedApp, loaded: LoadedApp) -> LocalHost:
        return LocalHost(
            loaded,
            providers=self._models,
            allow=[self._server.address],
            cost_cap=app.world.cost_cap,
            allow_external=app.world.allow_external,
        )

    def _providers(self, app: SeedApp) -> Providers:
        match app.world.models:
            case "recorded":
                path = self._folder / RECORDING
                return RecordedProviders(None, Recording.load(path) if RECORDING in app.others else Recording())
            case "scripted":
                return ScriptedProviders(app.world.script)
            case "served":
                return ConfiguredProviders({"OPENAI_BASE_URL": f"{self._server.url}/v1", "OPENAI_API_KEY": "nobody's"})
            case "configured":
                return ConfiguredProviders({})


class _Models:
    """Whoever answers for models just now."""

    def __init__(self) -> None:
        self.current: Providers = ScriptedProviders()

    def provider(self, kind: str, name: str) -> Any:
        return self.current.provider(kind, name)


def script_of(loaded: LoadedApp) -> SimulateOptions:
    """The app's own script. A run that hangs is to count as a fault that was missed, not to stop the bench."""
    return SimulateOptions(params=loaded.params, interact=loaded.interact, deadline_ms=LONGEST_MS)
