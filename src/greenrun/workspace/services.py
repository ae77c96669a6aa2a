"""What runs on this machine may use: media, models, the network, the app's files, its other graphs and functions."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from greenrun.workflows.files import WorkspaceFiles
from greenrun.workflows.functions import FunctionPorts
from greenrun.workflows.media.assets import AssetFolder
from greenrun.workflows.messages import Emit
from greenrun.workflows.providers.interface import Providers
from greenrun.workflows.run import RunResult

if TYPE_CHECKING:
    import httpx

CallFunction = Callable[..., Awaitable[RunResult]]
FunctionPortsOf = Callable[[str], Awaitable[FunctionPorts]]
LoadWorkflow = Callable[[str], Awaitable[Any | None]]


class LocalServices:
    """The services of one app on this machine (`greenrun.workflows.engine.Services`).

    `workspace` is the folder that nodes may read and write; an app that lies in none gets an empty one that goes with the host.
    Media goes to `assets`; without one, to a folder that goes with the host too. `allow` names addresses (ip, port) that may be
    reached although they are not public.
    """

    def __init__(
        self,
        *,
        workspace: Path | None,
        assets: Path | None,
        providers: Providers,
        load_workflow: LoadWorkflow,
        function_ports: FunctionPortsOf,
        call_function: CallFunction,
        allow: Collection[tuple[str, int]] = (),
    ) -> None:
        self._given_workspace = workspace
        self._given_assets = assets
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self.providers = providers
        self._load_workflow = load_workflow
        self._function_ports = function_ports
        self._call_function = call_function
        self._allow = tuple(allow)
        self._client: httpx.AsyncClient | None = None

    @cached_property
    def _folder(self) -> Path:
        """What goes with the host."""
        self._scratch = tempfile.TemporaryDirectory(prefix="greenrun-services-")
        return Path(self._scratch.name)

    @cached_property
    def _workspace(self) -> Path:
        if self._given_workspace is not None:
            return self._given_workspace
        own = self._folder / "files"
        own.mkdir()
        return own

    @cached_property
    def assets(self) -> AssetFolder:
        """Where media goes, and how it is read."""
        return AssetFolder(self._given_assets or self._folder / "assets", roots=(self._workspace,), client=self.http)

    async def store_asset(self, ref: dict[str, Any]) -> dict[str, Any]:
        return await self.assets.store(ref)

    async def read_media(self, ref: Mapping[str, Any]) -> bytes:
        return await self.assets.read(ref)

    def provider(self, kind: str, name: str) -> Any:
        return self.providers.provider(kind, name)

    def http(self) -> httpx.AsyncClient:
        if self._client is None:
            from greenrun.workflows.net.client import guarded_client

            self._client = guarded_client(allow=self._allow)
        return self._client

    def files(self) -> WorkspaceFiles:
        return WorkspaceFiles(self._workspace)

    async def load_workflow(self, workflow_id: str) -> Any | None:
        return await self._load_workflow(workflow_id)

    async def function_ports(self, function: str) -> FunctionPorts:
        return await self._function_ports(function)

    async def call_function(
        self, function: str, params: Mapping[str, Any], *, job_id: str, emit: Emit, timeout_ms: float | None = None
    ) -> RunResult:
        return await self._call_function(function, dict(params), job_id=job_id, emit=emit, timeout_ms=timeout_ms)

    async def aclose(self) -> None:
        """Close connections, and remove media that nobody asked to keep."""
        if self._client is not None:
            await self._client.aclose()
        if self._scratch is not None:
            self._scratch.cleanup()
