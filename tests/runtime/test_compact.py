"""Values on one line of JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenrun.document.values import ABSENT
from greenrun.runtime.compact import compact_json


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1.0, "2": None, "a": ABSENT}, '{"2":null,"b":1}'),
        ([True, False, "ü\n", ABSENT], '[true,false,"ü\\n",null]'),
        (ABSENT, ""),
        (float("nan"), "null"),
        (float("-inf"), "null"),
        (10**400, "null"),
        (2**60, "1152921504606846976"),
        (object(), '"…"'),
        ({}, "{}"),
    ],
)
def test_values_are_written_as_javascript_would(value: Any, text: str) -> None:
    assert compact_json(value) == text


def test_what_is_too_deep_is_left_out() -> None:
    value: Any = 1
    for _ in range(5000):
        value = [value]
    assert compact_json(value) == "[" * 201 + '"…"' + "]" * 201


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_the_line_reads_back_as_the_value(value: Any) -> None:
    assert json.loads(compact_json(value)) == value
