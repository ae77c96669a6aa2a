"""Opens apps for one test: what the fixture ``greenrun_app`` is."""

from __future__ import annotations

from collections.abc import Coroutine, Generator, Mapping
from pathlib import Path
from typing import Any

from greenrun.testing import TIMEOUT_MS
from greenrun.testing.client import AsyncAppClient
from greenrun.testing.sync import AppClient


class Opening:
    """An app that is about to be opened, by ``async with`` or by ``await``."""

    def __init__(self, opening: Coroutine[Any, Any, AsyncAppClient]) -> None:
        self._opening = opening
        self._client: AsyncAppClient | None = None

    def __await__(self) -> Generator[Any, Any, AsyncAppClient]:
        return self._opening.__await__()

    async def __aenter__(self) -> AsyncAppClient:
        __tracebackhide__ = True
        self._client = await self._opening
        return self._client

    async def __aexit__(self, *raised: object) -> None:
        if self._client is not None:
            await self._client.aclose()


class AppOpener:
    """Opens apps for one test and closes them after it.

    ``greenrun_app("path")`` gives an app whose methods block, ``async with greenrun_app.open("path") as app`` one whose
    methods are awaited. A path is looked for from where pytest runs, then from the folder of the test. `restored` are
    persisted values of an earlier session, `trust` lets code be run that a bundle carries, `timeout_ms` bounds each run.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._blocking: list[AppClient] = []

    def __call__(
        self,
        path: Path | str,
        *,
        restored: Mapping[str, Any] | None = None,
        trust: bool = False,
        timeout_ms: float | None = TIMEOUT_MS,
    ) -> AppClient:
        __tracebackhide__ = True
        client = AppClient(self._find(path), restored=restored, trust=trust, timeout_ms=timeout_ms)
        self._blocking.append(client)
        return client

    def open(
        self,
        path: Path | str,
        *,
        restored: Mapping[str, Any] | None = None,
        trust: bool = False,
        timeout_ms: float | None = TIMEOUT_MS,
    ) -> Opening:
        """An app whose methods are awaited: the target of ``async with``, or of ``await`` and then to be closed."""
        return Opening(AsyncAppClient.open(self._find(path), restored=restored, trust=trust, timeout_ms=timeout_ms))

    def close(self) -> None:
        """Close every app that was opened by calling the fixture."""
        for client in self._blocking:
            client.close()

    def _find(self, path: Path | str) -> Path:
        beside = self._folder / path
        return beside if not Path(path).exists() and beside.exists() else Path(path)
