"""Printed text cut into log lines, within a budget. Both sides load this file; standard library only."""

from __future__ import annotations

MAX_LINE = 2_000
MAX_TOTAL = 64 * 1024
CUT = "(further output was cut)"


class LineLog:
    """Collects text and hands out whole lines until the budget of one run, in characters, is spent."""

    def __init__(self, total: int = MAX_TOTAL, line: int = MAX_LINE) -> None:
        self._left = total
        self._line = line
        self._pending = ""

    def feed(self, text: str) -> list[str]:
        """The lines that this text completes."""
        if self._left <= 0:
            return []
        *whole, self._pending = (self._pending + text).split("\n")
        if len(self._pending) > self._line:
            whole.append(self._pending)
            self._pending = ""
        return self._within_budget(whole)

    def finish(self) -> list[str]:
        """The unfinished last line, if there is one."""
        rest, self._pending = self._pending, ""
        return self._within_budget([rest]) if rest else []

    def _within_budget(self, lines: list[str]) -> list[str]:
        kept: list[str] = []
        for line in lines:
            if self._left <= 0:
                break
            shown = line.removesuffix("\r")
            if len(shown) > self._line:
                shown = shown[: self._line] + "…"
            self._left -= len(shown) + 1
            kept.append(shown)
            if self._left <= 0:
                kept.append(CUT)
        return kept
