"""Tables that a model makes: columns with types, and rows read one by one as they come in (spec: nodes B1, A9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from greenrun.document.values import is_record
from greenrun.workflows.llm.forms import Form, Unfit, fitted, object_schema
from greenrun.workflows.node import NodeError
from greenrun.workflows.ports import to_plain_text
from greenrun.workflows.type_meta import TypeMeta, json_schema, parse_type

_TYPES: Final[dict[str, str]] = {
    "str": "str",
    "string": "str",
    "text": "str",
    "int": "int",
    "integer": "int",
    "float": "float",
    "number": "float",
    "bool": "bool",
    "boolean": "bool",
    "datetime": "str",
    "date": "str",
    "list": "list",
    "dict": "dict",
    "object": "any",
}
_WORDED: Final = {"datetime": "an ISO date and time", "date": "an ISO date"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `type` is that of its cells."""

    name: str
    type: TypeMeta
    data_type: str
    description: str = ""

    def schema(self) -> dict[str, Any]:
        words = "; ".join(part for part in (self.description, _WORDED.get(self.data_type, "")) if part)
        schema = json_schema(self.type)
        return schema | {"description": words} if words else schema

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "data_type": self.data_type, "description": self.description}


def columns_of(record_type: Any) -> tuple[Column, ...]:
    """The columns of ``{"type": "record_type", "columns": [{name, data_type, description?}]}``.

    Raises:
        NodeError: It names no column, or one of them twice.
    """
    stored = record_type.get("columns") if is_record(record_type) else None
    columns: dict[str, Column] = {}
    for entry in stored if isinstance(stored, list) else []:
        name = to_plain_text(entry.get("name")).strip() if is_record(entry) else ""
        if not name:
            continue
        if name in columns:
            raise NodeError(f'the column "{name}" is there twice; give each column a name of its own')
        data_type = to_plain_text(entry.get("data_type")).strip().lower() or "string"
        meta = parse_type(_TYPES.get(data_type, "any"))
        columns[name] = Column(name, meta, data_type, to_plain_text(entry.get("description")))
    if not columns:
        raise NodeError("no columns are declared; name the columns of the table")
    return tuple(columns.values())


def rows_form(columns: tuple[Column, ...]) -> Form:
    """A form of rows. Cells are read later (`RowReader`): one that does not fit is no reason to ask for everything again."""
    row = object_schema({column.name: column.schema() for column in columns})

    def read(values: Mapping[str, Any]) -> dict[str, Any]:
        rows = fitted(parse_type("list"), values.get("rows"), "rows")
        if not any(isinstance(row, (dict, list)) for row in rows):
            raise Unfit('"rows" must be a list of records, with at least one')
        return {"rows": rows}

    return Form(
        object_schema({"rows": {"type": "array", "items": row, "description": "The rows of the table, in order."}}),
        read,
        asked_for=", ".join(column.name for column in columns),
        description="Hand in the rows of the table. Call it once, with all rows.",
    )


class RowReader:
    """Turns what was sent into records of the columns; counts what did not fit."""

    def __init__(self, columns: tuple[Column, ...]) -> None:
        self._columns = columns
        self.rows: list[dict[str, Any]] = []
        self.misfits: list[str] = []
        self._seen = 0

    def read(self, sent: Any, *, complete: bool) -> list[dict[str, Any]]:
        """The rows that are new; while the list is not `complete`, its last one may still grow."""
        items = sent if isinstance(sent, list) else []
        end = len(items) if complete else len(items) - 1
        fresh = enumerate(items[self._seen : end], self._seen + 1)
        new = [row for place, item in fresh if (row := self._row(item, place)) is not None]
        self._seen = max(self._seen, end)
        self.rows += new
        return new

    def _row(self, item: Any, place: int) -> dict[str, Any] | None:
        if isinstance(item, list):
            item = dict(zip((column.name for column in self._columns), item, strict=False))
        if not is_record(item):
            self.misfits.append(f"row {place} is no record")
            return None
        return {column.name: self._cell(column, item.get(column.name)) for column in self._columns}

    def _cell(self, column: Column, value: Any) -> Any:
        if value is None:
            return None
        try:
            return fitted(column.type, value, column.name)
        except Unfit as unfit:
            self.misfits.append(str(unfit))
            return None

    def table(self) -> dict[str, Any]:
        """All rows as a dataframe value."""
        columns = [column.to_json() for column in self._columns]
        return {"type": "dataframe", "columns": columns, "rows": self.rows}
