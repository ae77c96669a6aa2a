from __future__ import annotations

from typing import Any

import pytest

from greenrun.workflows import ports


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, 1), ("3", 3), ("2.5", 2.5), (4, 4)],
)
def test_numbers(value: Any, expected: float) -> None:
    number = ports.to_finite_number(value)
    assert number == expected
    assert type(number) is type(expected)


@pytest.mark.parametrize(
    ("value", "text"),
    [("x", '"x" is not a number'), (None, "null is not a number"), ({}, "a record is"), ("nan", "NaN is not a finite")],
)
def test_what_is_no_number(value: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        ports.to_finite_number(value)


def test_records_and_lists() -> None:
    assert ports.to_record(None) == {}
    assert ports.to_record({"a": 1}) == {"a": 1}
    assert ports.to_items(None) == []
    assert ports.to_items({"a": 1}) == [{"a": 1}]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, "a boolean"), (1.5, "a number"), ("", "a text"), ([], "a list"), ({}, "a record"), (object(), "a object")],
)
def test_kinds_of_values(value: Any, expected: str) -> None:
    assert ports.kind_of(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ""),
        ({"type": "chunk", "content": "hi"}, "hi"),
        ({"type": "chunk", "content": [1]}, '{"type": "chunk", "content": [1]}'),
        ([1, [2]], "1,2"),
        ([{"a": "é"}], '[{"a": "é"}]'),
    ],
)
def test_texts(value: Any, expected: str) -> None:
    assert ports.to_plain_text(value) == expected
