"""Thoughts that a model writes into its text between ``<think>`` and ``</think>``."""

from __future__ import annotations

from typing import Final

OPEN: Final = "<think>"
CLOSE: Final = "</think>"


class ThinkingFilter:
    """Parts streamed text into answer and thoughts, however the tags are split over the pieces.

    White space between thoughts and the answer belongs to neither.
    """

    def __init__(self) -> None:
        self._held = ""
        self._thinking = False
        self._skip_space = False

    def feed(self, piece: str) -> list[tuple[bool, str]]:
        """The parts of a piece that are certain: whether it is thought, and its text."""
        self._held += piece
        parts: list[tuple[bool, str]] = []
        while True:
            tag = CLOSE if self._thinking else OPEN
            before, found, after = self._held.partition(tag)
            if not found:
                kept = _tag_start(self._held, tag)
                self._add(parts, self._held[: len(self._held) - kept])
                self._held = self._held[len(self._held) - kept :]
                return parts
            self._add(parts, before)
            self._skip_space = True
            self._thinking = not self._thinking
            self._held = after

    def close(self) -> list[tuple[bool, str]]:
        """What was held back because it could have been the start of a tag."""
        parts: list[tuple[bool, str]] = []
        self._add(parts, self._held)
        self._held = ""
        return parts

    def _add(self, parts: list[tuple[bool, str]], text: str) -> None:
        if self._skip_space:
            text = text.lstrip()
        if text:
            self._skip_space = False
            parts.append((self._thinking, text))


def _tag_start(text: str, tag: str) -> int:
    """How many characters at the end of the text may be the start of the tag."""
    return next((size for size in range(min(len(text), len(tag) - 1), 0, -1) if text.endswith(tag[:size])), 0)
