"""The app client for tests that are not async: an event loop of its own in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from greenrun.document.errors import GreenrunError
from greenrun.document.values import ABSENT
from greenrun.oracle.report import Interaction
from greenrun.testing import TIMEOUT_MS
from greenrun.testing.client import AppFailure, AsyncAppClient, WidgetHandle

T = TypeVar("T")


class AppClient:
    """`AsyncAppClient` without await; close it, or use it as a context manager."""

    def __init__(
        self,
        path: Path | str,
        *,
        restored: Mapping[str, Any] | None = None,
        trust: bool = False,
        timeout_ms: float | None = TIMEOUT_MS,
    ) -> None:
        __tracebackhide__ = True
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="greenrun-app", daemon=True)
        self._thread.start()
        self._client: AsyncAppClient | None = None
        try:
            opening = AsyncAppClient.open(path, restored=restored, trust=trust, timeout_ms=timeout_ms)
            self._client = self._wait(opening)
        except BaseException:
            self.close()
            raise

    @property
    def client(self) -> AsyncAppClient:
        if self._client is None:
            raise RuntimeError("The app is closed.")
        return self._client

    def click(self, widget: str, *, check: bool = True) -> Interaction:
        """As `AsyncAppClient.click`."""
        __tracebackhide__ = True
        return self._wait(self.client.click(widget, check=check))

    def change(self, widget: str, value: Any = ABSENT, *, check: bool = True) -> Interaction:
        """As `AsyncAppClient.change`."""
        __tracebackhide__ = True
        return self._wait(self.client.change(widget, value, check=check))

    def upload(self, widget: str, path: Path | str, *, check: bool = True) -> Interaction:
        """As `AsyncAppClient.upload`."""
        __tracebackhide__ = True
        return self._wait(self.client.upload(widget, path, check=check))

    def step(self, step: Mapping[str, Any], *, check: bool = True) -> Interaction:
        """As `AsyncAppClient.step`."""
        __tracebackhide__ = True
        return self._wait(self.client.step(step, check=check))

    def widget(self, widget: str) -> WidgetHandle:
        """As `AsyncAppClient.widget`."""
        __tracebackhide__ = True
        return self.client.widget(widget)

    def variable(self, variable_id: str) -> Any:
        """As `AsyncAppClient.variable`."""
        return self.client.variable(variable_id)

    def persisted(self) -> dict[str, Any]:
        """As `AsyncAppClient.persisted`."""
        return self.client.persisted()

    def close(self) -> None:
        """Cancel what runs, stop the workers and the loop; closing twice does nothing."""
        if self._loop.is_closed():
            return
        if self._client is not None:
            self._wait(self._client.aclose())
            self._client = None
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> AppClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        __tracebackhide__ = True
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except (AppFailure, GreenrunError) as failure:
            raise failure.with_traceback(None) from None  # without the frames of the loop that it comes from
