"""The one candidate that a misspelt name most likely means (spec: harness 2.2, fixes)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

T = TypeVar("T")


def limit_of(text: str) -> int:
    """The largest edit distance that still counts as near: 2, or a quarter of the length where that is more."""
    return max(2, len(text) // 4)


@dataclass(frozen=True, slots=True)
class Choice(Generic[T]):
    """A candidate and the texts by which it may have been meant."""

    value: T
    names: tuple[str, ...]


class Candidates(Generic[T]):
    """Candidates prepared for many questions: their names in lower case, by length."""

    def __init__(self, choices: Iterable[Choice[T]]) -> None:
        self._values: list[T] = []
        self._by_length: dict[int, tuple[list[str], list[int]]] = defaultdict(lambda: ([], []))
        for owner, choice in enumerate(choices):
            self._values.append(choice.value)
            for name in choice.names:
                lowered = name.lower()
                names, owners = self._by_length[len(lowered)]
                names.append(lowered)
                owners.append(owner)

    def nearest(self, text: str, limit: int | None = None) -> T | None:
        """The candidate nearest to `text`, case ignored; None when none is near enough or two are equally near.

        The best of its names counts for each. `limit` is the largest distance, by default that of `limit_of`. A name that
        shares nothing with a short text is never near, whatever the distance.
        """
        lowered = text.lower()
        cutoff = limit_of(text) if limit is None else limit
        best: dict[int, int] = {}
        for length in range(max(1, len(lowered) - cutoff), len(lowered) + cutoff + 1):
            if lowered == "" or length not in self._by_length:
                continue
            names, owners = self._by_length[length]
            cap = min(cutoff, max(len(lowered), length) - 1)
            for distance, position in _within(lowered, names, cap):
                owner = owners[position]
                best[owner] = min(distance, best.get(owner, distance))
        if not best:
            return None
        smallest = min(best.values())
        winners = [owner for owner, distance in best.items() if distance == smallest]
        return self._values[winners[0]] if len(winners) == 1 else None


def _within(text: str, names: Sequence[str], cap: int) -> list[tuple[int, int]]:
    """Distance and position of every name that is at most `cap` edits away."""
    found: Any = process.extract(text, names, scorer=Levenshtein.distance, score_cutoff=cap, limit=None)
    return [(int(distance), int(position)) for _, distance, position in found]


def nearest(text: str, candidates: Iterable[str]) -> str | None:
    """The candidate nearest to `text` (`Candidates.nearest`)."""
    return Candidates(Choice(name, (name,)) for name in dict.fromkeys(candidates)).nearest(text)


def nearest_choice(text: str, choices: Sequence[Choice[T]], limit: int | None = None) -> T | None:
    """As `nearest`, for candidates that go by several names."""
    return Candidates(choices).nearest(text, limit)
