"""Values as tables (spec: app-runtime 7.4)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.values import ABSENT
from greenrun.runtime.tables import Table, has_rows, table_of


def frame(**members: Any) -> dict[str, Any]:
    return {"type": "dataframe", **members}


@pytest.mark.parametrize(
    ("value", "columns", "rows"),
    [
        (ABSENT, (), ()),
        (None, (), ()),
        ([], (), ()),
        ([{"b": 1, "2": 2}, {"a": 3}], ("2", "b", "a"), ((2, 1, None), (None, None, 3))),
        ([{"a": 1}, "x"], ("value",), (({"a": 1},), ("x",))),
        ("x", ("value",), (("x",),)),
        ({"a": 1}, ("a",), ((1,),)),
        ([1, ABSENT], ("value",), ((1,), (None,))),
        (frame(columns=["a", {"name": "b"}, {}], rows=[[1, 2, 3]]), ("a", "b", ""), ((1, 2, 3),)),
        (frame(columns=["a"], data=[[1, 2], [3]]), ("a", "2"), ((1, 2), (3, None))),
        (frame(columns=["a"], rows=[{"a": 1, "b": 2}, 7]), ("a",), ((1,), (7,))),
        (frame(rows=[{"a": 1}, {"b": 2}]), ("a", "b"), ((1, None), (None, 2))),
        (frame(rows=[[1, 2]]), ("1", "2"), ((1, 2),)),
        (frame(columns="bad", rows="bad"), (), ()),
    ],
)
def test_values_have_columns_and_rows(value: Any, columns: tuple[str, ...], rows: tuple[Any, ...]) -> None:
    assert table_of(value) == Table(columns, rows)


def test_a_table_reads_as_lines_of_cells() -> None:
    value = [{"a": 1, "b": {"x": [1]}}, {"a": None, "b": {"type": "image", "name": "cat"}}]
    assert table_of(value).text == 'a\tb\n1\t{"x":[1]}\n\tcat'


def test_a_table_without_columns_reads_as_nothing() -> None:
    assert Table().text is None


@pytest.mark.parametrize(
    ("value", "filled"), [(frame(), False), (frame(rows=[]), False), (frame(data=[[1]]), True), ({}, True), ("x", True)]
)
def test_only_dataframes_need_rows(value: Any, filled: bool) -> None:
    assert has_rows(value) is filled
