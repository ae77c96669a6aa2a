"""How diagnostics name values, and the codes that they become (spec: harness 2.2 phase P)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.diagnostics import DIAGNOSTIC_CODES, Diagnostic, one_of, shown
from greenrun.document.findings import Place


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", '"a"'),
        (None, "null"),
        (True, "true"),
        (1.0, "1"),
        ([1], "a list"),
        ({}, "an object"),
        ("x" * 61, '"' + "x" * 60 + '…"'),
    ],
)
def test_values_are_named_shortly(value: Any, text: str) -> None:
    assert shown(value) == text


def test_choices_in_words() -> None:
    assert one_of(["a"]) == '"a"'
    assert one_of(["a", "b"]) == '"a" or "b"'
    assert one_of(["a", "b", "c"]) == '"a", "b" or "c"'


def test_a_diagnostic_knows_its_code() -> None:
    assert Diagnostic("recipe", Place(), "").code == "GR114"
    assert sorted(DIAGNOSTIC_CODES.values()) == [f"GR{number}" for number in range(101, 115)]
