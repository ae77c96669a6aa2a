"""What runs on this machine may use: media, models, the network, the app's files, its other graphs and functions."""

from __future__ import annotations

import asyncio
import base64
import os
import tempfile
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from greenrun.workflows.files import WorkspaceFiles
from greenrun.workflows.functions import FunctionPorts
from greenrun.workflows.media.assets import AssetFolder
from greenrun.workflows.media.content import LIMIT, too_large
from greenrun.workflows.messages import Emit
from greenrun.workflows.node import NodeError
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
    reached although they are not public. `files` are those that a person named and that may be read wherever they lie (None: all),
    `made` is the folder of files that functions made.
    """

    def __init__(
        self,
        *,
        workspace: Path | None,
        assets: Path | None,
        provider: Callable[[str, str], Any],
        load_workflow: LoadWorkflow,
        function_ports: FunctionPortsOf,
        call_function: CallFunction,
        allow: Collection[tuple[str, int]] = (),
        files: Collection[Path] | None = (),
        made: Callable[[], Path] | None = None,
    ) -> None:
        self._given_workspace = workspace
        self._given_assets = assets
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._provider = provider
        self._load_workflow = load_workflow
        self._function_ports = function_ports
        self._call_function = call_function
        self._allow = tuple(allow)
        self._named = None if files is None else frozenset(map(os.path.realpath, files))
        self._made = made
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
        found = await self._named_content(ref)
        return await self.assets.store(
            ref if found is None else {**ref, "uri": "", "data": base64.b64encode(found).decode("ascii")}
        )

    async def read_media(self, ref: Mapping[str, Any]) -> bytes:
        found = await self._named_content(ref)
        return await self.assets.read(ref) if found is None else found

    async def _named_content(self, ref: Mapping[str, Any]) -> bytes | None:
        """The content of a file that a person named, or that a function made, wherever it lies; None for any other reference."""
        uri = ref.get("uri")
        if ref.get("data") or not isinstance(uri, str) or not uri.startswith("file://"):
            return None
        return await asyncio.to_thread(self._content, unquote(urlsplit(uri).path))

    def _content(self, name: str) -> bytes | None:
        path = os.path.realpath(name)
        if self._named is not None and path not in self._named and not self._is_made(path):
            return None
        try:
            with open(path, "rb") as file:
                data = file.read(LIMIT + 1)
        except OSError as error:
            raise NodeError(f'the file "{name}" cannot be read: {error.strerror or error}') from None
        if len(data) > LIMIT:
            raise too_large(LIMIT)
        return data

    def _is_made(self, path: str) -> bool:
        return self._made is not None and path.startswith(os.path.realpath(self._made()) + os.sep)

    def provider(self, kind: str, name: str) -> Any:
        return self._provider(kind, name)

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
