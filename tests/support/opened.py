"""Open apps over real graphs, for the tests of this folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from greenrun.instances.app import App
from greenrun.instances.instance import AppInstance
from greenrun.oracle.resolve import resolve
from greenrun.oracle.simulate import HostRunner
from greenrun.oracle.target import target_from_document
from simulated import MemoryHost, document, graph


async def app_of(stored: Any, graphs: dict[str, Any] | None = None) -> App:
    """A document with its operations resolved over graphs by workflow id; ``wf1`` answers "HI" by default."""
    async with MemoryHost(_graphs(graphs)) as host:
        resolved = await resolve(target_from_document(stored), host)
        assert resolved.app is not None
        return resolved.app


@asynccontextmanager
async def opened(stored: Any, graphs: dict[str, Any] | None = None, **options: Any) -> AsyncIterator[AppInstance]:
    """An open app, closed at the end."""
    async with MemoryHost(_graphs(graphs)) as host:
        resolved = await resolve(target_from_document(stored), host)
        assert resolved.app is not None
        instance = AppInstance(resolved.app, HostRunner(host, resolved.target), **options)
        try:
            yield instance
        finally:
            await instance.aclose()


@asynccontextmanager
async def screen(*widgets: Any, **parts: Any) -> AsyncIterator[AppInstance]:
    """An open app of these widgets over ``wf1``, or over the operations that are given."""
    async with opened(document(list(widgets), **parts)) as instance:
        yield instance


def _graphs(graphs: dict[str, Any] | None) -> dict[str, Any]:
    return {"wf1": graph(answer="HI")} if graphs is None else graphs
