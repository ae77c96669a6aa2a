"""The pytest plugin: fixture ``greenrun_app``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from greenrun.testing.client import AsyncAppClient
    from greenrun.testing.sync import AppClient


class AppOpener:
    """Opens apps for one test and closes them after it.

    ``greenrun_app("path")`` gives an app whose methods block; ``await greenrun_app.open("path")`` one to be awaited.
    """

    def __init__(self) -> None:
        self._blocking: list[AppClient] = []

    def __call__(
        self, path: Path | str, *, restored: Mapping[str, Any] | None = None, trust: bool = False
    ) -> AppClient:
        from greenrun.testing.sync import AppClient

        client = AppClient(path, restored=restored, trust=trust)
        self._blocking.append(client)
        return client

    async def open(
        self, path: Path | str, *, restored: Mapping[str, Any] | None = None, trust: bool = False
    ) -> AsyncAppClient:
        """An app whose methods are awaited. Close it with ``aclose`` or ``async with``."""
        from greenrun.testing.client import AsyncAppClient

        return await AsyncAppClient.open(path, restored=restored, trust=trust)

    def close(self) -> None:
        """Close every app that was opened by calling the fixture."""
        for client in self._blocking:
            client.close()


@pytest.fixture
def greenrun_app() -> Iterator[AppOpener]:
    """Opens an app: ``app = greenrun_app("my-app")``, then ``app.click("Run")`` and ``app.widget("Result").value``."""
    opener = AppOpener()
    yield opener
    opener.close()
