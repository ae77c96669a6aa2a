from __future__ import annotations

import dataclasses
import json
from collections import OrderedDict, deque, namedtuple
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from greenrun.sdk import Image
from greenrun.workflows.functions.results import ResultError, to_json

PLACE = 'output "result"'


class Colour(Enum):
    RED = "r"


class Mood(StrEnum):
    CALM = "calm"


@dataclasses.dataclass
class Point:
    x: int
    on: date


class Person(BaseModel):
    name: str
    born: date


class NAType:
    """What pandas takes for missing: comparing it gives no truth value."""

    def __ne__(self, other: object) -> Any:
        raise TypeError("ambiguous")


class Array:
    def __init__(self, items: Any) -> None:
        self.items = items

    def tolist(self) -> Any:
        return self.items


class PandasLike:
    def __init__(self, columns: list[Any], rows: list[tuple[Any, ...]]) -> None:
        self.columns = columns
        self._rows = rows

    def itertuples(self, index: bool, name: str | None) -> list[tuple[Any, ...]]:
        assert (index, name) == (False, None)
        return self._rows


class PolarsLike:
    columns = ("a",)

    def rows(self) -> list[tuple[int]]:
        return [(1,), (2,)]


Pair = namedtuple("Pair", "left right")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (2.5, 2.5),
        ("a", "a"),
        (Decimal("0.5"), 0.5),
        (Decimal("12"), 12),
        (date(2030, 1, 31), "2030-01-31"),
        (datetime(2030, 1, 31, 9), "2030-01-31T09:00:00"),
        (time(9, 30), "09:30:00"),
        (timedelta(minutes=1), 60.0),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Path("/a"), "/a"),
        (Colour.RED, "r"),
        (Mood.CALM, "calm"),
        (Image(uri="u"), {"type": "image", "uri": "u"}),
        ([1, (2, 3)], [1, [2, 3]]),
        (deque([1]), [1]),
        (range(3), [0, 1, 2]),
        ({"a": 1}.keys(), ["a"]),
        ({3, 1, 2}, [1, 2, 3]),
        ({None, 1}, None),
        (OrderedDict(a=date(2030, 1, 31)), {"a": "2030-01-31"}),
        (Pair(1, [2]), {"left": 1, "right": [2]}),
        (Point(1, date(2030, 1, 31)), {"x": 1, "on": "2030-01-31"}),
        (Person(name="A", born=date(2030, 1, 31)), {"name": "A", "born": "2030-01-31"}),
        (Array([1, 2]), [1, 2]),
        (Array(3), 3),
    ],
)
def test_value_has_a_json_form(value: Any, expected: Any):
    written = to_json(value, PLACE)
    assert json.loads(json.dumps(written, allow_nan=False)) == written
    if expected is not None:
        assert written == expected
        assert type(written) is type(expected)


def test_keys_become_text():
    written = to_json({2: "a", None: "c", Colour.RED: "d", date(2030, 1, 31): "e", False: "f"}, PLACE)
    assert list(written) == ["2", "null", "r", "2030-01-31", "false"]


def test_set_of_unlike_items_is_a_list_in_any_order():
    assert sorted(map(str, to_json({None, 1}, PLACE))) == ["1", "None"]


def test_table_keeps_columns_rows_and_types():
    table = PandasLike(
        ["name", 1, "score", "on", "flag", "empty"],
        [("a", 1, 0.5, date(2030, 1, 31), True, None), ("b", 2, float("nan"), None, False, NAType())],
    )
    assert to_json(table, PLACE) == {
        "type": "dataframe",
        "columns": [
            {"name": "name", "data_type": "string"},
            {"name": "1", "data_type": "int"},
            {"name": "score", "data_type": "float"},
            {"name": "on", "data_type": "string"},
            {"name": "flag", "data_type": "bool"},
            {"name": "empty", "data_type": "object"},
        ],
        "data": [["a", 1, 0.5, "2030-01-31", True, None], ["b", 2, None, None, False, None]],
    }


def test_polars_table_is_read_by_rows():
    assert to_json(PolarsLike(), PLACE)["data"] == [[1], [2]]


def test_cell_that_cannot_be_compared_is_written_as_itself():
    class Vector(list[int]):
        def __ne__(self, other: object) -> bool:
            raise ValueError("ambiguous")

    assert to_json(PandasLike(["v"], [(Vector([1]),)]), PLACE)["data"] == [[[1]]]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (b"x", "is bytes, which cannot be shown; return Image.from_bytes"),
        (bytearray(b"x"), "is bytes"),
        (object(), "is an object, which cannot be shown; return text"),
        (int, "is a type"),
        (Point, "is a type"),
        ((value for value in ()), "is a generator"),
        (float("nan"), "is nan, which JSON does not have"),
        (float("inf"), "is inf"),
        (Decimal("NaN"), "is nan"),
        pytest.param(10**5000, "more than 4000 digits", id="long integer"),
        ({"a": {"b": [object()]}}, 'output "result", "a", "b" is an object'),
        ({(1, 2): 3}, "has a key that is a tuple"),
    ],
)
def test_value_without_a_json_form_is_named(value: Any, message: str):
    with pytest.raises(ResultError, match=message):
        to_json(value, PLACE)


def test_value_that_contains_itself_is_refused():
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(ResultError, match="contains itself"):
        to_json(loop, PLACE)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(json_values)
def test_json_stays_as_it_is(value: Any):
    assert to_json(value, PLACE) == value
