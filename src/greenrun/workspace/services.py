"""What runs on this machine may use: media, models, the network, the app's files, its other graphs and functions."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from greenrun.workflows.files import WorkspaceFiles
from greenrun.workflows.functions import FunctionPorts
from greenrun.workflows.media.assets import AssetFolder
from greenrun.workflows.messages import Emit
from greenrun.workflows.net.client import guarded_client
from greenrun.workflows.node import NodeError
from greenrun.workflows.providers.interface import Providers
from greenrun.workflows.run import RunResult

if TYPE_CHECKING:
    import httpx

CallFunction = Callable[..., Awaitable[RunResult]]
FunctionPortsOf = Callable[[str], Awaitable[FunctionPorts]]
LoadWorkflow = Callable[[str], Awaitable[Any | None]]


class LocalServices:
    """The services of one app on this machine (`greenrun.workflows.engine.Services`).

    `workspace` is the folder that nodes may read and write, None when the app lies in no folder. Media goes to `assets`; without
    one, to a folder that goes with the host. `allow` names addresses (ip, port) that may be reached although they are not public.
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
        self._workspace = workspace
        self._scratch = tempfile.TemporaryDirectory(prefix="greenrun-assets-") if assets is None else None
        folder = Path(self._scratch.name) if self._scratch is not None else assets
        assert folder is not None
        roots = () if workspace is None else (workspace,)
        self.assets = AssetFolder(folder, roots=roots, client=self.http)
        self.providers = providers
        self._load_workflow = load_workflow
        self._function_ports = function_ports
        self._call_function = call_function
        self._allow = tuple(allow)
        self._client: httpx.AsyncClient | None = None

    async def store_asset(self, ref: dict[str, Any]) -> dict[str, Any]:
        return await self.assets.store(ref)

    async def read_media(self, ref: Mapping[str, Any]) -> bytes:
        return await self.assets.read(ref)

    def provider(self, kind: str, name: str) -> Any:
        return self.providers.provider(kind, name)

    def http(self) -> httpx.AsyncClient:
        if self._client is None:
            self._client = guarded_client(allow=self._allow)
        return self._client

    def files(self) -> WorkspaceFiles:
        if self._workspace is None:
            raise NodeError("this app lies in no folder, so there are no files to read or write; save it in one")
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
