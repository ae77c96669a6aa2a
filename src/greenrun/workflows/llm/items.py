"""Items that a model writes between ``<LIST_ITEM>`` tags (spec: nodes B1, ListGenerator)."""

from __future__ import annotations

import re
from typing import Final

OPEN: Final = "<LIST_ITEM>"
CLOSE: Final = "</LIST_ITEM>"

_TAG: Final = re.compile(r"<(/?)LIST_ITEM>", re.IGNORECASE)


class ItemReader:
    """Reads items out of streamed text, however the tags are split over the pieces.

    A new opening tag also ends an item that was not closed. Text outside of items, and empty items, are left out.
    """

    def __init__(self) -> None:
        self._held = ""
        self._open = False

    def feed(self, piece: str) -> list[str]:
        """The items that this piece completes."""
        self._held += piece
        items: list[str] = []
        start = 0
        for tag in _TAG.finditer(self._held):
            if self._open:
                items.append(self._held[start : tag.start()])
            self._open = not tag[1]
            start = tag.end()
        self._held = self._held[start:] if self._open else self._held[max(start, len(self._held) - len(CLOSE)) :]
        return [item.strip() for item in items if item.strip()]

    def close(self) -> str:
        """The last item, when it was not closed; else ""."""
        return self._held.strip() if self._open else ""
