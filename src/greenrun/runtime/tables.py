"""Values as tables: dataframes, lists of records, plain lists (spec: app-runtime 7.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from greenrun.document.js import is_list, key_order
from greenrun.document.values import ABSENT, Value, is_record
from greenrun.runtime.texts import cell_text, items_of

SOLE_COLUMN = "value"


@dataclass(frozen=True, slots=True)
class Table:
    """Column names, and rows of raw cells in the order of the columns; a missing cell is None."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Value, ...], ...] = ()

    @property
    def text(self) -> str | None:
        """What a person reads: a line of column names, then a line per row, cells separated by tabs."""
        if not self.columns:
            return None
        lines = [self.columns, *([cell_text(cell) for cell in row] for row in self.rows)]
        return "\n".join("\t".join(line) for line in lines)

    def to_json(self) -> dict[str, Any]:
        return {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}


def is_dataframe(value: Value) -> bool:
    """True for ``{type: "dataframe", ...}``."""
    return is_record(value) and value.get("type") == "dataframe"


def table_of(value: Value) -> Table:
    """The table that a value shows: a dataframe by its columns; records with one column per key; else one column."""
    if is_record(value) and is_dataframe(value):
        return _dataframe(value)
    items = items_of(value)
    if items and all(is_record(item) for item in items):
        columns = tuple(dict.fromkeys(key for item in items for key in key_order(item)))
        return Table(columns, tuple(_record_row(item, columns) for item in items))
    return Table((SOLE_COLUMN,) if items else (), tuple((_cell(item),) for item in items))


def has_rows(value: Value) -> bool:
    """False for a dataframe without rows, which counts as no value."""
    return not is_dataframe(value) or bool(_stored_rows(value))


def _stored_rows(frame: dict[str, Any]) -> list[Any]:
    for member in ("rows", "data"):
        if is_list(frame.get(member)):
            return frame[member]
    return []


def _dataframe(frame: dict[str, Any]) -> Table:
    rows, stored = _stored_rows(frame), frame.get("columns")
    columns = [_column_name(column) for column in stored] if is_list(stored) else []
    if not columns and all(is_record(row) for row in rows):
        columns = list(dict.fromkeys(key for row in rows for key in key_order(row)))
    width = max([len(columns), *(len(row) for row in rows if is_list(row))])
    names = tuple(columns) + tuple(str(number) for number in range(len(columns) + 1, width + 1))
    return Table(names, tuple(_dataframe_row(row, names) for row in rows))


def _column_name(column: Value) -> str:
    return cell_text(column.get("name", ABSENT)) if is_record(column) else cell_text(column)


def _dataframe_row(row: Value, columns: tuple[str, ...]) -> tuple[Value, ...]:
    if is_record(row):
        return _record_row(row, columns)
    cells = row if is_list(row) else [row]
    return tuple(_cell(cell) for cell in cells) + (None,) * (len(columns) - len(cells))


def _record_row(record: dict[str, Any], columns: tuple[str, ...]) -> tuple[Value, ...]:
    return tuple(_cell(record.get(column)) for column in columns)


def _cell(value: Value) -> Value:
    return None if value is ABSENT else value
