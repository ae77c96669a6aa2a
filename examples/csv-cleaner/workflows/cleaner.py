"""Clean a CSV file: trim cells, drop empty and repeated rows, fill gaps, and say what was done."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any, Literal

from greenrun import Document, File, workflow

PREVIEW_ROWS = 200
SEPARATORS = ",;\t|"

Row = dict[str, str]


@dataclass
class Cleaned:
    """What the app shows: the rows (at most 200), a summary, the gaps of each column, and the file to download."""

    rows: list[Row]
    summary: dict[str, Any]
    gaps: list[dict[str, Any]]
    kept: int
    file: File


@workflow(title="Clean a CSV file")
def clean(
    table: Document,
    trim: bool = True,
    drop_duplicates: bool = True,
    sort_by: str = "",
    fill: Literal["leave empty", "-", "unknown", "0"] = "leave empty",
) -> Cleaned:
    """Read a CSV file with a header line, clean it, and describe the result."""
    header, read = _parse(table.read_bytes())
    rows = [{name: cell.strip() for name, cell in row.items()} for row in read] if trim else read
    filled_rows = [row for row in rows if any(cell.strip() for cell in row.values())]
    unique = list({tuple(row.values()): row for row in filled_rows}.values()) if drop_duplicates else filled_rows
    if sort_by.strip():
        unique = sorted(unique, key=_sort_key(_column(header, sort_by)))
    gaps = [{"column": name, "missing": sum(not row[name].strip() for row in unique)} for name in header]
    filler = "" if fill == "leave empty" else fill
    result = [{name: cell if cell.strip() else filler for name, cell in row.items()} for row in unique]
    summary = {
        "Rows read": len(read),
        "Empty rows dropped": len(rows) - len(filled_rows),
        "Repeated rows dropped": len(filled_rows) - len(unique),
        "Rows kept": len(result),
        "Columns": len(header),
        "Missing cells": sum(gap["missing"] for gap in gaps),
    }
    return Cleaned(result[:PREVIEW_ROWS], summary, gaps, len(result), _file(header, result, table.name))


def _parse(content: bytes) -> tuple[list[str], list[Row]]:
    """Header and rows; short rows are padded, columns that the header does not name are numbered."""
    lines = list(csv.reader(io.StringIO(_decoded(content)), delimiter=_separator(content)))
    if not lines or not any(lines[0]):
        raise ValueError("The file has no header line. The first line must name the columns.")
    padding = [""] * max(len(line) for line in lines)
    names = [*lines[0], *padding][: len(padding)]
    header = _distinct([name.strip() or f"column {place}" for place, name in enumerate(names, 1)])
    return header, [dict(zip(header, cells + padding, strict=False)) for cells in lines[1:]]


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _separator(content: bytes) -> str:
    """The separator that the header line uses most; a comma when it uses none."""
    first = _decoded(content).split("\n", 1)[0]
    return max(SEPARATORS, key=first.count)


def _distinct(names: list[str]) -> list[str]:
    """Column names, the second one of a kind numbered: ``price``, ``price 2``."""
    seen: dict[str, int] = {}
    result: list[str] = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return result


def _column(header: list[str], wanted: str) -> str:
    for name in header:
        if name.casefold() == wanted.strip().casefold():
            return name
    raise ValueError(f'There is no column "{wanted.strip()}". The columns are: {", ".join(header)}.')


def _sort_key(column: str) -> Any:
    """Numbers by value before texts by letter; gaps last."""

    def key(row: Row) -> tuple[int, float, str]:
        cell = row[column].strip()
        try:
            return (0, float(cell.replace(",", ".")), "")
        except ValueError:
            return (1 if cell else 2, 0.0, cell.casefold())

    return key


def _file(header: list[str], rows: list[Row], source: str | None) -> File:
    text = io.StringIO()
    writer = csv.DictWriter(text, header, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    stem = (source or "table").rsplit(".", 1)[0]
    return File.from_bytes(text.getvalue().encode(), name=f"{stem}-clean.csv", mime="text/csv")
