"""What a function returned, as JSON.

Runs in the worker, next to the user's code; standard library and `greenrun.sdk` only.
"""

from __future__ import annotations

import dataclasses
import math
from collections import deque
from collections.abc import Callable, KeysView, Mapping, ValuesView
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from greenrun.sdk import Ref

MAX_DEPTH = 200
MAX_DIGITS = 4_000


class ResultError(ValueError):
    """Raised for a value that cannot be written as JSON; the text names the place and what to return instead."""


def to_json(value: Any, place: str, depth: int = 0) -> Any:
    """The value as JSON. `place` names it in errors, such as ``output "result"``.

    Dataclasses, models and named tuples become objects, dates ISO text, decimals numbers, paths text, tables
    ``{"type": "dataframe", "columns", "data"}``, arrays lists.

    Raises:
        ResultError: There is no JSON for it.
    """
    if depth > MAX_DEPTH:
        raise ResultError(f"{place} is nested deeper than {MAX_DEPTH} levels, or contains itself")
    if isinstance(value, Enum):
        return to_json(value.value, place, depth + 1)
    for kinds, write in _WRITERS:
        if isinstance(value, kinds):
            return write(value, place, depth)
    for fits, write in _DUCKS:
        if not isinstance(value, type) and fits(value):
            return write(value, place, depth)
    raise ResultError(
        f"{place} is {kind_named(value)}, which cannot be shown; return text, numbers, lists, dicts, dates, dataclasses, "
        "models or media references"
    )


def _int(value: int, place: str, depth: int) -> int:
    if value.bit_length() > MAX_DIGITS * 3.33:
        raise ResultError(f"{place} is a number with more than {MAX_DIGITS} digits; return it as text")
    return int(value)


def _float(value: float, place: str, depth: int) -> float:
    if not math.isfinite(value):
        raise ResultError(f"{place} is {value}, which JSON does not have; return None or a finite number")
    return float(value)


def _decimal(value: Decimal, place: str, depth: int) -> int | float:
    if value.is_finite() and value == value.to_integral_value() and value.adjusted() < 16:
        return int(value)
    return _float(float(value), place, depth)


def _mapping(value: Mapping[Any, Any], place: str, depth: int) -> dict[str, Any]:
    return {
        _key(key, place): to_json(item, f'{place}, "{key}"' if depth < 3 else place, depth + 1)
        for key, item in value.items()
    }


def _key(key: Any, place: str) -> str:
    if isinstance(key, Enum):
        key = key.value
    if isinstance(key, str):
        return str(key)
    if isinstance(key, bool) or key is None:
        return {True: "true", False: "false", None: "null"}[key]
    if isinstance(key, (date, time)):
        return key.isoformat()
    if isinstance(key, (int, float, Decimal, UUID, PurePath)):
        return str(key)
    raise ResultError(f"{place} has a key that is {kind_named(key)}; use text keys")


def _items(value: Any, place: str, depth: int) -> list[Any]:
    return [to_json(item, place, depth + 1) for item in value]


def _set(value: Any, place: str, depth: int) -> list[Any]:
    try:
        ordered = sorted(value)
    except TypeError:
        ordered = list(value)
    return _items(ordered, place, depth)


def _tuple(value: Any, place: str, depth: int) -> Any:
    named = getattr(value, "_asdict", None)
    members: Any = named() if callable(named) else None
    return _mapping(members, place, depth) if members is not None else _items(value, place, depth)


def _bytes(value: Any, place: str, depth: int) -> Any:
    raise ResultError(
        f"{place} is bytes, which cannot be shown; return Image.from_bytes(...), File.from_bytes(...) or text"
    )


def _dataclass(value: Any, place: str, depth: int) -> dict[str, Any]:
    members = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return _mapping(members, place, depth)


def _model(value: Any, place: str, depth: int) -> Any:
    return to_json(value.model_dump(), place, depth + 1)


def _dataframe(value: Any, place: str, depth: int) -> dict[str, Any]:
    names = list(value.columns)
    rows = value.itertuples(index=False, name=None) if hasattr(value, "itertuples") else value.rows()
    data = [[_cell(cell, place, depth) for cell in row] for row in rows]
    columns = [
        {"name": str(name), "data_type": _column_type([row[position] for row in data])}
        for position, name in enumerate(names)
    ]
    return {"type": "dataframe", "columns": columns, "data": data}


def _cell(cell: Any, place: str, depth: int) -> Any:
    """A table's cell; what pandas takes for missing is null."""
    try:
        if cell is None or cell != cell:
            return None
    except (TypeError, ValueError):
        if type(cell).__name__ == "NAType":
            return None
    return to_json(cell, place, depth + 3)


_COLUMN_TYPES: tuple[tuple[str, type | tuple[type, ...]], ...] = (
    ("bool", bool),
    ("int", int),
    ("float", (int, float)),
    ("string", str),
)


def _column_type(cells: list[Any]) -> str:
    known = [cell for cell in cells if cell is not None]
    for name, kinds in _COLUMN_TYPES:
        if known and all(isinstance(cell, kinds) and (name == "bool" or not isinstance(cell, bool)) for cell in known):
            return name
    return "object"


def _array(value: Any, place: str, depth: int) -> Any:
    return to_json(value.tolist(), place, depth + 1)


def kind_named(value: Any) -> str:
    """The class of a value with its article, for messages."""
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _keep(value: Any, place: str, depth: int) -> Any:
    return value


def _iso(value: Any, place: str, depth: int) -> str:
    return value.isoformat()


_Writer = Callable[[Any, str, int], Any]

_WRITERS: tuple[tuple[type | tuple[type, ...], _Writer], ...] = (
    ((type(None), bool), _keep),
    (str, lambda value, place, depth: str(value)),
    (int, _int),
    (float, _float),
    (Decimal, _decimal),
    ((date, time), _iso),
    (timedelta, lambda value, place, depth: value.total_seconds()),
    ((UUID, PurePath), lambda value, place, depth: str(value)),
    ((bytes, bytearray, memoryview), _bytes),
    (Ref, lambda value, place, depth: value.to_json()),
    (Mapping, _mapping),
    (tuple, _tuple),
    ((list, deque, range, KeysView, ValuesView), _items),
    ((set, frozenset), _set),
)

_DUCKS: tuple[tuple[Callable[[Any], bool], _Writer], ...] = (
    (dataclasses.is_dataclass, _dataclass),
    (lambda value: hasattr(type(value), "model_dump") and hasattr(type(value), "model_fields"), _model),
    (lambda value: hasattr(value, "columns") and (hasattr(value, "itertuples") or hasattr(value, "rows")), _dataframe),
    (lambda value: callable(getattr(value, "tolist", None)), _array),
)
