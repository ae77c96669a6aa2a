"""What nodes may ask of the host of a run."""

from __future__ import annotations

from typing import Any, Protocol

from greenrun.workflows.node import NodeError


class Services(Protocol):
    """Handed to a run by its host: where media goes, and where models come from."""

    async def store_asset(self, ref: dict[str, Any]) -> dict[str, Any]:
        """A media reference as a stored asset; the reference itself where nothing is stored."""
        ...

    def provider(self, kind: str, name: str) -> Any:
        """A model provider.

        Raises:
            NodeError: It is not configured or not known; the text names it.
        """
        ...


class NoServices:
    """The services of a host that has none."""

    async def store_asset(self, ref: dict[str, Any]) -> dict[str, Any]:
        return ref

    def provider(self, kind: str, name: str) -> Any:
        raise NodeError(f'no {kind} provider "{name}" is configured here; add it to the settings of this workspace')
