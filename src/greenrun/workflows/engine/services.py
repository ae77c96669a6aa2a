"""What nodes may ask of the host of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from greenrun.workflows.engine.result import RunResult
from greenrun.workflows.messages import Emit
from greenrun.workflows.node import NodeError

if TYPE_CHECKING:
    import httpx

    from greenrun.workflows.files import WorkspaceFiles
    from greenrun.workflows.functions.ports import FunctionPorts


class Services(Protocol):
    """Handed to a run by its host: media, models, the network, files, and what else can be run."""

    async def store_asset(self, ref: dict[str, Any]) -> dict[str, Any]:
        """A media reference as a stored asset; the reference itself where nothing is stored."""
        ...

    async def read_media(self, ref: Mapping[str, Any]) -> bytes:
        """The content of a media reference.

        Raises:
            NodeError: It is empty, elsewhere, too large or not readable; the text says which.
        """
        ...

    def provider(self, kind: str, name: str) -> Any:
        """A model provider (see `greenrun.workflows.providers`).

        Raises:
            NodeError: It is not configured or not known; the text names it.
        """
        ...

    def http(self) -> httpx.AsyncClient:
        """A client that reaches public addresses only, shared by the nodes of the host.

        Raises:
            NodeError: This host has no network.
        """
        ...

    def files(self) -> WorkspaceFiles:
        """The files of the workspace.

        Raises:
            NodeError: This host has no workspace folder.
        """
        ...

    async def load_workflow(self, workflow_id: str) -> Any | None:
        """The stored graph of another workflow, None when there is none."""
        ...

    async def function_ports(self, function: str) -> FunctionPorts:
        """What a function of the workspace takes, gives and does.

        Raises:
            NodeError: This host runs no functions, or the code may not be run yet.
        """
        ...

    async def call_function(
        self, function: str, params: Mapping[str, Any], *, job_id: str, emit: Emit, timeout_ms: float | None = None
    ) -> RunResult:
        """Run a function of the workspace, named ``module:name``.

        Raises:
            NodeError: This host runs no functions, or the code may not be run yet.
        """
        ...


class NoServices:
    """The services of a host that has none."""

    async def store_asset(self, ref: dict[str, Any]) -> dict[str, Any]:
        return ref

    async def read_media(self, ref: Mapping[str, Any]) -> bytes:
        raise NodeError("this host reads no media; run the workflow in a workspace")

    def provider(self, kind: str, name: str) -> Any:
        raise NodeError(f'no {kind} provider "{name}" is configured here; add it to the settings of this workspace')

    def http(self) -> httpx.AsyncClient:
        raise NodeError("this host has no network; run the workflow in a workspace")

    def files(self) -> WorkspaceFiles:
        raise NodeError("this host has no workspace folder; run the workflow in an app folder")

    async def load_workflow(self, workflow_id: str) -> Any | None:
        return None

    async def function_ports(self, function: str) -> FunctionPorts:
        raise NodeError(f'this host runs no functions, so "{function}" cannot run')

    async def call_function(
        self, function: str, params: Mapping[str, Any], *, job_id: str, emit: Emit, timeout_ms: float | None = None
    ) -> RunResult:
        raise NodeError(f'this host runs no functions, so "{function}" cannot run')
