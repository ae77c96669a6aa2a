"""Readable ids: app-runtime 13.1 and 14.2."""

from __future__ import annotations

import pytest

from greenrun.document.slugs import key_slug, numbered, slug, unique, unique_key


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Hello -- World!", "hello_world"), ("***", ""), ("Ünïcode", "n_code"), ("日本", ""), ("  A1 b ", "a1_b")],
)
def test_slug_keeps_runs_of_letters_and_digits(text: str, expected: str):
    assert slug(text) == expected


@pytest.mark.parametrize(
    ("base", "taken", "expected"),
    [("Run", (), "run"), ("Run", ("run",), "run_2"), ("Run", ("run", "run_2"), "run_3"), ("***", ("item",), "item_2")],
)
def test_unique_counts_from_two(base: str, taken: tuple[str, ...], expected: str):
    assert unique(base, taken) == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("Draft copy", "draft-copy"), ("--A__b--", "a-b"), ("Ünïcode", "n-code"), ("日本", "")]
)
def test_key_slug_joins_with_a_hyphen(name: str, expected: str):
    assert key_slug(name) == expected


def test_unique_key_falls_back_and_counts():
    assert unique_key("日本", "workflow", ()) == "workflow"
    assert unique_key("Draft copy", "workflow", {"draft-copy", "draft-copy-2"}) == "draft-copy-3"


def test_numbered_keeps_the_root_as_it_is():
    assert numbered("A b", {"A b"}, "/") == "A b/2"
