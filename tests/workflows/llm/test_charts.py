from __future__ import annotations

from typing import Any

import pytest

from greenrun.workflows.llm.charts import chart_form, chart_table
from greenrun.workflows.llm.forms import Unfit

SALES: list[dict[str, Any]] = [
    {"city": "Rome", "sales": 2, "note": "a"},
    {"city": "Oslo", "sales": 4, "note": None},
    {"city": "Rome", "sales": 6, "note": "b"},
]


def chart(x: str, *y: str, aggregate: str = "none") -> dict[str, Any]:
    form = chart_form(["city", "sales", "note"])
    sent = {"kind": "bar", "title": "T", "x": x, "y": list(y), "aggregate": aggregate}
    return chart_table(form.read(sent), SALES)


def test_rows_are_drawn_as_they_are() -> None:
    table = chart("city", "sales")
    assert table["columns"] == [{"name": "city"}, {"name": "sales"}]
    assert table["rows"] == [{"city": "Rome", "sales": 2}, {"city": "Oslo", "sales": 4}, {"city": "Rome", "sales": 6}]
    assert table["chart"] == {"kind": "bar", "title": "T", "x": "city", "y": ["sales"]}


@pytest.mark.parametrize(("aggregate", "rome"), [("sum", 8), ("mean", 4), ("min", 2), ("max", 6), ("count", 2)])
def test_rows_of_one_x_are_brought_together(aggregate: str, rome: float) -> None:
    rows = chart("city", "sales", aggregate=aggregate)["rows"]
    assert [row["city"] for row in rows] == ["Rome", "Oslo"]
    assert rows[0]["sales"] == rome


def test_texts_have_no_mean_and_are_counted() -> None:
    assert chart("city", "note", aggregate="mean")["rows"][0]["note"] is None
    assert [row["note"] for row in chart("city", "note", aggregate="count")["rows"]] == [2, 0]


def test_the_axis_itself_can_be_counted() -> None:
    table = chart("city", "city", aggregate="count")
    assert table["chart"]["y"] == ["city count"]
    assert table["rows"] == [{"city": "Rome", "city count": 2}, {"city": "Oslo", "city count": 1}]


def test_a_chart_needs_a_series_of_a_known_column() -> None:
    with pytest.raises(Unfit, match="at least one column"):
        chart("city")
    with pytest.raises(Unfit, match="one of city, sales, note"):
        chart("city", "profit")
