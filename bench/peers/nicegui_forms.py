"""The form as a NiceGUI page, driven by NiceGUI's own user simulation.

A click counts from the first input to the found text: the simulation calls the handlers of the page directly, in the process
of the server. What would go to the browser is queued and sent by a task that runs beside.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import os
import tempfile
from contextlib import AsyncExitStack
from typing import Any

# The simulation expects to be run by pytest, and keeps its storage in the current folder otherwise.
os.environ["PYTEST_CURRENT_TEST"] = "bench"
STORAGE = tempfile.TemporaryDirectory(prefix="nicegui-")
os.environ["NICEGUI_STORAGE_PATH"] = STORAGE.name

from nicegui import ui  # noqa: E402
from nicegui.testing import user_simulation  # noqa: E402

from bench.peers.quotes import quote, table  # noqa: E402


class NiceguiForm:
    def __init__(self, with_table: bool) -> None:
        self.with_table = with_table
        self._stack = AsyncExitStack()
        self._user: Any = None
        self._label: Any = None
        self._table: Any = None

    def page(self) -> None:
        """Builds the page of one person."""
        item = ui.input("Item").mark("item")
        count = ui.number("Count").mark("count")

        def go() -> None:
            given = str(item.value or ""), int(count.value or 0)
            if self.with_table:
                made = table(*given)
                label.text = made["text"]
                rows.rows = made["rows"]
            else:
                label.text = quote(*given)

        ui.button("Go", on_click=go).mark("go")
        label = self._label = ui.label().mark("text")
        if self.with_table:
            rows = self._table = ui.table(columns=[{"name": "line", "label": "Line", "field": "line"}], rows=[])

    async def start(self) -> None:
        self._user = await self._stack.enter_async_context(user_simulation(self.page))

    async def open(self) -> None:
        await self._user.open("/")
        await self._user.should_see(marker="go")

    async def click(self, item: str, count: int) -> str:
        user = self._user
        user.find(marker="item").clear().type(item)
        user.find(marker="count").clear().type(str(count))
        user.find(marker="go").click()
        await user.should_see(f"{count} x {item}")
        (label,) = user.find(marker="text").elements
        return label.text

    def rows(self) -> int:
        return len(self._table.rows)

    async def close(self) -> None:
        self._user.client.delete()

    async def stop(self) -> None:
        await self._stack.aclose()
