"""Tables as ``{"type": "dataframe", "columns": [...], "rows": [...]}`` (spec: nodes A9; ``greenrun.table.*``)."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable
from typing import Annotated, Any

from greenrun.document.values import is_record
from greenrun.workflows.node import Node, NodeError, node_type
from greenrun.workflows.nodes.list_values import identity, numbers_of
from greenrun.workflows.ports import Flag, PortType, Table, Text, kind_of, to_plain_text

MAX_ROWS = 100_000

Summary = Annotated[Text, PortType("enum", options=("count", "sum", "mean", "min", "max", "first", "last"))]

_SUMMARIES: dict[str, Callable[[list[Any]], Any]] = {
    "count": len,
    "sum": lambda values: sum(numbers_of(values)),
    "mean": lambda values: _mean(numbers_of(values)),
    "min": lambda values: min(numbers_of(values), default=None),
    "max": lambda values: max(numbers_of(values), default=None),
    "first": lambda values: values[0] if values else None,
    "last": lambda values: values[-1] if values else None,
}


def _mean(numbers: list[int | float]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None


def make_table(rows: list[dict[str, Any]], columns: list[str]) -> dict[str, Any]:
    """A dataframe value; the type of a column is that of its values."""
    described = [{"name": name, "data_type": _column_type([row.get(name) for row in rows])} for name in columns]
    return {"type": "dataframe", "columns": described, "rows": rows}


def _column_type(values: list[Any]) -> str:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return "bool"
    if kinds and kinds <= {int, float}:
        return "int" if kinds == {int} else "float"
    return "object" if kinds & {dict, list} else "string"


def table_rows(table: Any) -> tuple[list[dict[str, Any]], list[str]]:
    """The rows of a dataframe value as records, and its column names; a list of records is a table too.

    Raises:
        NodeError: The value is no table.
    """
    if table is None:
        return [], []
    columns = [_column_name(column) for column in table.get("columns") or []] if is_record(table) else []
    rows = (
        table
        if isinstance(table, list)
        else (table.get("rows") or table.get("data") or [])
        if is_record(table)
        else None
    )
    if not isinstance(rows, list):
        raise NodeError(f"{kind_of(table)} is no table; give a dataframe or a list of records")
    records: list[dict[str, Any]] = []
    for place, row in enumerate(rows):
        if isinstance(row, list) and columns:
            row = dict(zip(columns, row, strict=False))
        if not is_record(row):
            raise NodeError(f"row {place} of the table is no record")
        records.append(row)
    return records, columns or list(dict.fromkeys(name for row in records for name in row))


def _column_name(column: Any) -> str:
    return to_plain_text(column.get("name")) if is_record(column) else to_plain_text(column)


def _typed(cell: str) -> Any:
    text = cell.strip()
    for read in (int, float):
        try:
            number = read(text)
        except ValueError:
            continue
        # A leading zero or sign belongs to codes and phone numbers, not to quantities.
        is_code = text[:1] == "+" or "_" in text or (text[:1] == "0" and text[1:2].isdigit())
        return cell if is_code or not math.isfinite(number) else number
    return {"true": True, "false": False, "": None}.get(text.lower(), cell)


@node_type("greenrun.table.ParseCSV", output="dataframe")
def parse_csv(text: Text = "", delimiter: Text = "", header: Flag = True, convert: Flag = True) -> dict[str, Any]:
    """A table from CSV text. Without a delimiter it is the one of comma, semicolon, tab and bar that occurs most."""
    text = text.removeprefix("\ufeff")
    first = text.partition("\n")[0]
    mark = delimiter or max(",;\t|", key=first.count)
    if len(mark) != 1:
        raise NodeError("the delimiter must be one character")
    lines = [line for line in csv.reader(io.StringIO(text), delimiter=mark) if line]
    if len(lines) > MAX_ROWS:
        raise NodeError(f"the text has {len(lines)} lines, more than {MAX_ROWS}")
    if not lines:
        return make_table([], [])
    width = max(len(line) for line in lines)
    names = _names(lines.pop(0) if header else [], width)
    rows = [
        {name: (_typed(cell) if convert else cell) for name, cell in zip(names, _filled(line, width), strict=True)}
        for line in lines
    ]
    return make_table(rows, names)


def _filled(line: list[str], width: int) -> list[str]:
    return line + [""] * (width - len(line))


def _names(line: list[str], width: int) -> list[str]:
    """Column names, each once: ``column_2`` for an empty one, ``name_2`` for a repeated one."""
    names: dict[str, None] = {}
    for place, cell in enumerate(_filled(line, width), 1):
        base = cell.strip() or f"column_{place}"
        name, number = base, 2
        while name in names:
            name, number = f"{base}_{number}", number + 1
        names[name] = None
    return list(names)


@node_type("greenrun.table.Summarize", output="dataframe")
def summarize(
    table: Table = None, group_by: Text = "", column: Text = "", summary: Summary = "count"
) -> dict[str, Any]:
    """One row per value of a column (or per combination: ``city, year``), with a summary of another column."""
    function = _SUMMARIES.get(summary)
    if function is None:
        raise NodeError(f'"{summary}" is no summary; use one of {", ".join(_SUMMARIES)}')
    rows, columns = table_rows(table)
    keys = [name.strip() for name in group_by.split(",") if name.strip()]
    if not column and summary != "count":
        raise NodeError(f'name the column to summarise with "{summary}"')
    for name in [*keys, *([column] if column else [])]:
        if rows and name not in columns:
            raise NodeError(f'the table has no column "{name}"; it has {", ".join(columns)}')
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(identity([row.get(name) for name in keys]), []).append(row)
    label = f"{column}_{summary}" if column else summary
    result = [
        {name: members[0].get(name) for name in keys}
        | {label: function([row.get(column) for row in members] if column else members)}
        for members in groups.values()
    ]
    return make_table(result, [*keys, label])


@node_type("greenrun.table.ToCSV")
def to_csv(table: Table = None, delimiter: Text = ",") -> str:
    """A table as CSV text with a header line."""
    if len(delimiter) != 1:
        raise NodeError("the delimiter must be one character")
    rows, columns = table_rows(table)
    if not columns:
        return ""
    target = io.StringIO()
    writer = csv.writer(target, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([to_plain_text(row.get(name)) for name in columns] for row in rows)
    return target.getvalue()


NODES: tuple[type[Node], ...] = (parse_csv, summarize, to_csv)
