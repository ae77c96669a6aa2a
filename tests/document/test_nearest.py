from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from greenrun.document.nearest import Candidates, Choice, limit_of, nearest, nearest_choice


@pytest.mark.parametrize(
    ("text", "candidates", "expected"),
    [
        ("Buton", ["Button", "Text"], "Button"),
        ("PARALEL", ["parallel", "queue"], "parallel"),
        ("run", ["run", "ran"], "run"),
        ("tone", ["tone1", "tone2"], None),
        ("tone", ["Tone", "tone"], None),
        ("abc", ["abcdef"], None),
        ("ab", ["xy"], None),
        ("a", ["n1"], None),
        ("", ["a"], None),
        ("a", [], None),
        ("a", [""], None),
        ("twelve_chars", ["twelve_abcrs"], "twelve_abcrs"),
        ("eleven_char", ["eleven_abch"], None),
        ("main", ["main", "main"], "main"),
    ],
)
def test_nearest_is_the_one_candidate_within_reach(text: str, candidates: list[str], expected: str | None) -> None:
    assert nearest(text, candidates) == expected


@pytest.mark.parametrize(("length", "limit"), [(0, 2), (1, 2), (11, 2), (12, 3), (40, 10)])
def test_limit_is_two_or_a_quarter(length: int, limit: int) -> None:
    assert limit_of("x" * length) == limit


def test_best_name_of_a_candidate_counts() -> None:
    choices = [Choice(1, ("n9", "result")), Choice(2, ("n1", "prompt"))]
    assert nearest_choice("resul", choices) == 1
    assert nearest_choice("n1", choices) == 2


def test_given_limit_replaces_the_usual_one() -> None:
    candidates = Candidates([Choice("a", ("abcd",))])
    assert candidates.nearest("abxy") == "a"
    assert candidates.nearest("abxy", 1) is None


WORDS = st.text("abAB", max_size=8)


@given(WORDS, st.lists(WORDS, max_size=6))
def test_prepared_candidates_agree_with_plain_distances(text: str, names: list[str]) -> None:
    reach: dict[str, int] = {}
    for name in dict.fromkeys(names):
        distance = Levenshtein.distance(text.lower(), name.lower())
        if text and distance <= limit_of(text) and distance < max(len(text), len(name)):
            reach[name] = distance
    best = [name for name, distance in reach.items() if distance == min(reach.values())]
    assert nearest(text, names) == (best[0] if len(best) == 1 else None)
