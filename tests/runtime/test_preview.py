"""Preview limits: harness 5.3."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.values import ABSENT
from greenrun.runtime.preview import preview


@pytest.mark.parametrize(
    ("value", "limit", "shown"),
    [
        ("x" * 2000, 2000, "x" * 2000),
        ("x" * 2001, 2000, "x" * 2000 + "…[2001 chars]"),
        ("x" * 200, 160, "x" * 160 + "…[200 chars]"),
        (b"abc", 2000, "<binary 3 bytes>"),
        (list(range(50)), 2000, list(range(50))),
        (list(range(53)), 2000, [*range(50), "…[3 more]"]),
        ({"uri": "u" * 257}, 2000, {"uri": "u" * 64 + "…[257 chars]"}),
        ({"uri": "u" * 256}, 2000, {"uri": "u" * 256}),
        ({"data": ["d" * 300]}, 2000, {"data": ["d" * 64 + "…[300 chars]"]}),
        ({"text": "d" * 300}, 2000, {"text": "d" * 300}),
        ({"a": {"b": ["x" * 3]}}, 2, {"a": {"b": ["xx…[3 chars]"]}}),
        (None, 2000, None),
        (1.5, 2000, 1.5),
        (ABSENT, 2000, None),
        ({"a": ABSENT, "b": [ABSENT]}, 2000, {"b": [None]}),
    ],
)
def test_long_values_are_cut_and_say_how_much_there_was(value: Any, limit: int, shown: Any) -> None:
    assert preview(value, limit) == shown


def test_a_preview_is_a_copy() -> None:
    value = {"a": [1]}
    preview(value)["a"].append(2)
    assert value == {"a": [1]}


def test_deep_values_are_cut() -> None:
    value: Any = "bottom"
    for _ in range(5000):
        value = [value]
    shown = preview(value)
    for _ in range(100):
        shown = shown[0]
    assert shown == "…[nested]"
