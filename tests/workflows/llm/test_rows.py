from __future__ import annotations

from typing import Any

import pytest

from greenrun.workflows.llm.forms import Unfit
from greenrun.workflows.llm.rows import RowReader, columns_of, rows_form
from greenrun.workflows.node import NodeError


def columns(*names: str, **typed: str) -> Any:
    listed = [{"name": name, "data_type": "string"} for name in names]
    listed += [{"name": name, "data_type": kind} for name, kind in typed.items()]
    return columns_of({"type": "record_type", "columns": listed})


def test_the_schema_has_a_typed_member_per_column() -> None:
    form = rows_form(
        columns_of(
            {
                "columns": [
                    {"name": "name", "data_type": "string", "description": "Who"},
                    {"name": "born", "data_type": "datetime"},
                    {"name": "n", "data_type": "int"},
                    {"name": "odd", "data_type": "tensor"},
                ]
            }
        )
    )
    row = form.schema["properties"]["rows"]["items"]
    assert row["properties"] == {
        "name": {"type": "string", "description": "Who"},
        "born": {"type": "string", "description": "an ISO date and time"},
        "n": {"type": "integer"},
        "odd": {},
    }
    assert row["required"] == ["name", "born", "n", "odd"]


@pytest.mark.parametrize("stored", [None, {}, {"columns": "x"}, {"columns": [{"name": " "}, "x"]}])
def test_a_table_needs_columns(stored: Any) -> None:
    with pytest.raises(NodeError, match="name the columns"):
        columns_of(stored)


def test_a_column_name_may_stand_once() -> None:
    with pytest.raises(NodeError, match='"a" is there twice'):
        columns("a", "a")


def test_no_rows_do_not_fit() -> None:
    form = rows_form(columns("a"))
    with pytest.raises(Unfit, match="list of records"):
        form.read({"rows": []})
    with pytest.raises(Unfit, match="list of records"):
        form.read({"rows": "none"})
    assert form.read({"rows": '[{"a": "x"}]'}) == {"rows": [{"a": "x"}]}


def test_the_last_row_waits_until_it_is_complete() -> None:
    reader = RowReader(columns("a"))
    assert reader.read([{"a": "x"}, {"a": "y"}], complete=False) == [{"a": "x"}]
    assert reader.read([{"a": "x"}, {"a": "yes"}], complete=False) == []
    assert reader.read([{"a": "x"}, {"a": "yes"}], complete=True) == [{"a": "yes"}]
    assert reader.read(None, complete=False) == []


def test_cells_are_read_as_their_column_has_them() -> None:
    reader = RowReader(columns("a", n="int", ok="bool"))
    rows = reader.read([{"a": 1, "n": "2", "ok": True, "more": 1}, ["x", 3, False], {"a": "y"}], complete=True)
    assert rows == [
        {"a": "1", "n": 2, "ok": True},
        {"a": "x", "n": 3, "ok": False},
        {"a": "y", "n": None, "ok": None},
    ]
    assert reader.misfits == []


def test_a_cell_that_does_not_fit_is_empty_and_noted() -> None:
    reader = RowReader(columns(n="int"))
    assert reader.read([{"n": "many"}, "text", {"n": 1}], complete=True) == [{"n": None}, {"n": 1}]
    assert reader.misfits == ['"n" must be int, not a text', "row 2 is no record"]


def test_the_table_names_its_columns() -> None:
    reader = RowReader(columns("a"))
    reader.read([{"a": "x"}], complete=True)
    assert reader.table() == {
        "type": "dataframe",
        "columns": [{"name": "a", "data_type": "string", "description": ""}],
        "rows": [{"a": "x"}],
    }
