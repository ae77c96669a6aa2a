from __future__ import annotations

from typing import Any

import pytest
from firing import fire, output

from greenrun.workflows.node import NodeError
from greenrun.workflows.nodes import tables

SALES = [
    {"city": "Rome", "year": 1, "sales": 2},
    {"city": "Oslo", "year": 1, "sales": 4},
    {"city": "Rome", "year": 2, "sales": 6},
]


async def test_csv_becomes_a_dataframe_with_typed_columns() -> None:
    table = await output("ParseCSV", text="name,age,score,ok\nAda,36,1.5,true\nBob,,2,false\n")
    assert table == {
        "type": "dataframe",
        "columns": [
            {"name": "name", "data_type": "string"},
            {"name": "age", "data_type": "int"},
            {"name": "score", "data_type": "float"},
            {"name": "ok", "data_type": "bool"},
        ],
        "rows": [
            {"name": "Ada", "age": 36, "score": 1.5, "ok": True},
            {"name": "Bob", "age": None, "score": 2, "ok": False},
        ],
    }


async def rows(**values: Any) -> list[dict[str, Any]]:
    return (await output("ParseCSV", **values))["rows"]


async def test_csv_delimiters_quotes_and_marks() -> None:
    assert await rows(text="\ufeffa;b\n1;2") == [{"a": 1, "b": 2}]
    assert await rows(text="a\tb\n1\t2") == [{"a": 1, "b": 2}]
    assert await rows(text='a,b\n"x, ""y""",2') == [{"a": 'x, "y"', "b": 2}]
    assert await rows(text="a:b\n1:2", delimiter=":") == [{"a": 1, "b": 2}]


async def test_csv_cells_that_are_no_quantities_stay_text() -> None:
    cells = "007,+49,1_0,nan,1e999,0.5"
    (row,) = await rows(text=f"a,b,c,d,e,f\n{cells}")
    assert list(row.values()) == ["007", "+49", "1_0", "nan", "1e999", 0.5]


async def test_csv_without_conversion_keeps_the_text() -> None:
    assert await rows(text="a\n1", convert=False) == [{"a": "1"}]


async def test_csv_names_columns_once() -> None:
    assert await rows(text="a,a,\n1,2,3,4") == [{"a": 1, "a_2": 2, "column_3": 3, "column_4": 4}]
    assert await rows(text="1,2\n3", header=False) == [
        {"column_1": 1, "column_2": 2},
        {"column_1": 3, "column_2": None},
    ]


async def test_empty_csv_is_an_empty_table() -> None:
    assert await output("ParseCSV", text="") == {"type": "dataframe", "columns": [], "rows": []}


async def test_csv_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NodeError, match="one character"):
        await fire("ParseCSV", text="a", delimiter="::")
    monkeypatch.setattr(tables, "MAX_ROWS", 2)
    with pytest.raises(NodeError, match="3 lines"):
        await fire("ParseCSV", text="a\n1\n2")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"group_by": "city"}, [{"city": "Rome", "count": 2}, {"city": "Oslo", "count": 1}]),
        (
            {"group_by": "city", "column": "sales", "summary": "sum"},
            [{"city": "Rome", "sales_sum": 8}, {"city": "Oslo", "sales_sum": 4}],
        ),
        ({"column": "sales", "summary": "mean"}, [{"sales_mean": 4.0}]),
        ({"column": "sales", "summary": "min"}, [{"sales_min": 2}]),
        ({"column": "sales", "summary": "max"}, [{"sales_max": 6}]),
        ({"column": "city", "summary": "first"}, [{"city_first": "Rome"}]),
        ({"column": "year", "summary": "last"}, [{"year_last": 2}]),
    ],
)
async def test_summaries(values: dict[str, Any], expected: list[dict[str, Any]]) -> None:
    assert (await output("Summarize", table=SALES, **values))["rows"] == expected


async def test_grouping_by_two_columns() -> None:
    table = await output("Summarize", table={"type": "dataframe", "rows": SALES}, group_by="city, year")
    assert len(table["rows"]) == 3
    assert [column["name"] for column in table["columns"]] == ["city", "year", "count"]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"summary": "mode"}, '"mode" is no summary'),
        ({"summary": "sum"}, "name the column"),
        ({"group_by": "town"}, 'no column "town"; it has city, year, sales'),
        ({"table": 5}, "a number is no table"),
        ({"table": {"rows": "x"}}, "a record is no table"),
        ({"table": [1]}, "row 0 of the table is no record"),
    ],
)
async def test_summaries_say_what_is_wrong(values: dict[str, Any], text: str) -> None:
    with pytest.raises(NodeError, match=text):
        await fire("Summarize", **({"table": SALES} | values))


async def test_csv_text_of_tables() -> None:
    assert await output("ToCSV", table=[{"a": 1, "b": 'x"y'}, {"a": None}]) == 'a,b\n1,"x""y"\n,\n'
    listed = {"type": "dataframe", "columns": ["a", {"name": "b"}], "data": [[1, 2]]}
    assert await output("ToCSV", table=listed, delimiter=";") == "a;b\n1;2\n"
    assert await output("ToCSV", table=None) == ""


async def test_csv_text_needs_a_delimiter() -> None:
    with pytest.raises(NodeError, match="one character"):
        await fire("ToCSV", table=[], delimiter="")


async def test_a_mean_of_nothing_is_null() -> None:
    assert (await output("Summarize", table=[{"a": None}], column="a", summary="mean"))["rows"] == [{"a_mean": None}]


def test_columns_of_records_are_objects() -> None:
    assert tables.make_table([{"a": {}}], ["a"])["columns"] == [{"name": "a", "data_type": "object"}]
