"""Charts: a model chooses what to show, the numbers come from the data alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from greenrun.document.values import is_number
from greenrun.workflows.llm.forms import Form, FormField, Unfit, fields_form
from greenrun.workflows.ports import to_plain_text
from greenrun.workflows.type_meta import make_type, parse_type

KINDS: Final = ("line", "bar", "scatter", "pie")
SAMPLE_ROWS: Final = 20

_AGGREGATES: Final[dict[str, Callable[[list[Any]], float | None]]] = {
    "sum": lambda values: sum(_numbers(values)),
    "mean": lambda values: sum(numbers) / len(numbers) if (numbers := _numbers(values)) else None,
    "min": lambda values: min(_numbers(values), default=None),
    "max": lambda values: max(_numbers(values), default=None),
    "count": lambda values: sum(value is not None for value in values),
}
_NO_AGGREGATE: Final = "none"


def _numbers(values: list[Any]) -> list[float]:
    return [value for value in values if is_number(value)]


def _choice(*values: str) -> dict[str, Any]:
    return make_type("enum") | {"values": list(values)}


def chart_form(columns: list[str]) -> Form:
    """A form of one chart over the columns of a table."""
    inner = fields_form(
        (
            FormField("kind", _choice(*KINDS), "The kind of chart."),
            FormField("title", parse_type("str"), "A short title."),
            FormField("x", _choice(*columns), "The column along the horizontal axis, or of the slices."),
            FormField("y", make_type("list", _choice(*columns)), "The columns to draw, one series each."),
            FormField(
                "aggregate",
                _choice(_NO_AGGREGATE, *_AGGREGATES),
                "What to do with several rows of one x; none draws every row.",
            ),
        ),
        description="Hand in the chart. Call it once.",
    )

    def read(values: Mapping[str, Any]) -> dict[str, Any]:
        chart = inner.read(values)
        if not chart["y"]:
            raise Unfit('"y" must name at least one column')
        return chart

    return Form(inner.schema, read, "a chart", description=inner.description)


def chart_table(chart: Mapping[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The chart as a dataframe value: its first column is x, the others are the series; `chart` says how to draw it."""
    x, aggregate = chart["x"], chart["aggregate"]
    # A series over the axis itself is a count of its values, and needs a name of its own.
    series = {(f"{name} {aggregate}" if name == x else name): name for name in dict.fromkeys(chart["y"])}
    if aggregate == _NO_AGGREGATE:
        points = [{x: row.get(x)} | {label: row.get(name) for label, name in series.items()} for row in rows]
    else:
        points = _grouped(rows, x, series, _AGGREGATES[aggregate])
    return {
        "type": "dataframe",
        "columns": [{"name": name} for name in (x, *series)],
        "rows": points,
        "chart": {"kind": chart["kind"], "title": chart["title"], "x": x, "y": list(series)},
    }


def _grouped(
    rows: list[dict[str, Any]], x: str, series: Mapping[str, str], aggregate: Callable[[list[Any]], float | None]
) -> list[dict[str, Any]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(to_plain_text(row.get(x)), []).append(row)
    return [
        {x: members[0].get(x)}
        | {label: aggregate([row.get(name) for row in members]) for label, name in series.items()}
        for members in groups.values()
    ]
