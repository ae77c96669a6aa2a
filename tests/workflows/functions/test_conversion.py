from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Mapping, MutableSet, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, NotRequired, TypedDict
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from greenrun.sdk import File, Image
from greenrun.workflows.functions import type_metadata as read
from greenrun.workflows.functions.conversion import ConversionError, check_bounds, convert

PLACE = 'parameter "x"'


class Colour(Enum):
    RED = "r"
    BLUE = "b"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Odd(Enum):
    FIRST = (1, 2)


@dataclasses.dataclass
class Point:
    x: int
    y: float = 0.5

    def __post_init__(self) -> None:
        if self.x > 100:
            raise ValueError("too far")


class Options(TypedDict):
    size: int
    when: NotRequired[date]


class Person(BaseModel):
    name: str
    age: int = 3


class DataFrame:
    __module__ = "pandas.core.frame"

    def __init__(self, rows: list[Any], columns: list[str] | None = None) -> None:
        self.rows, self.columns = rows, columns

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DataFrame) and vars(self) == vars(other)


@pytest.mark.parametrize(
    ("value", "annotation", "expected"),
    [
        ("a", str, "a"),
        (3, str, "3"),
        (3.0, str, "3"),
        (2.5, str, "2.5"),
        (1e300, str, "1e+300"),
        (True, str, "true"),
        (False, str, "false"),
        (3, int, 3),
        (3.0, int, 3),
        (" 7 ", int, 7),
        (3, float, 3.0),
        ("2.5", float, 2.5),
        (True, bool, True),
        ("False", bool, False),
        ("0.10", Decimal, Decimal("0.10")),
        (2, Decimal, Decimal(2)),
        ("2030-01-31", date, date(2030, 1, 31)),
        ("2030-01-31T09:30", date, date(2030, 1, 31)),
        ("2030-01-31", datetime, datetime(2030, 1, 31)),
        ("2030-01-31T09:30:00", datetime, datetime(2030, 1, 31, 9, 30)),
        ("09:30", time, time(9, 30)),
        (90, timedelta, timedelta(seconds=90)),
        ("12345678123456781234567812345678", UUID, UUID(int=0x12345678123456781234567812345678)),
        ("/a/b", Path, Path("/a/b")),
        ("/a", PurePosixPath, PurePosixPath("/a")),
        ([1, "2"], list[int], [1, 2]),
        ([1, "a"], list, [1, "a"]),
        ([1, 2], tuple[int, ...], (1, 2)),
        ([1, "a"], tuple[int, str], (1, "a")),
        (["a"], set[str], {"a"}),
        (["a"], frozenset[str], frozenset("a")),
        (["a"], Set[str], frozenset("a")),
        (["a"], MutableSet[str], {"a"}),
        ({"a": "1"}, dict[str, int], {"a": 1}),
        ({"1": "x"}, dict[int, str], {1: "x"}),
        ({"a": [1]}, Mapping, {"a": [1]}),
        ("r", Colour, Colour.RED),
        ("RED", Colour, Colour.RED),
        ("2", Level, Level.HIGH),
        ("FIRST", Odd, Odd.FIRST),
        ("a", Literal["a", "b"], "a"),
        ("2", Literal[1, 2], 2),
        (None, Literal["a", None], None),
        ("b", Literal[Colour.BLUE], Colour.BLUE),
        ({"x": 1}, Point, Point(1)),
        ({"x": "1", "y": 2}, Point, Point(1, 2.0)),
        ({"size": 1}, Options, {"size": 1}),
        ({"size": 1, "when": "2030-01-31"}, Options, {"size": 1, "when": date(2030, 1, 31)}),
        ({"name": "A"}, Person, Person(name="A")),
        ({"type": "image", "uri": "u"}, Image, Image(uri="u")),
        ("https://x/y.png", Image, Image(uri="https://x/y.png")),
        ("file://other-host/y.png", Image, Image(uri="file://other-host/y.png")),
        ({"uri": "file:///no/such.png", "data": "eA=="}, Image, Image(uri="file:///no/such.png", data=b"x")),
        ({"type": "audio", "uri": "u"}, File, File(uri="u")),
        ([{"uri": "a"}], list[Image], [Image(uri="a")]),
        ([{"a": 1}], DataFrame, DataFrame([{"a": 1}])),
        ({"columns": [{"name": "a"}], "data": [[1]]}, DataFrame, DataFrame([[1]], ["a"])),
        ({"columns": ["a"], "rows": [[1]]}, DataFrame, DataFrame([[1]], ["a"])),
        ({"data": []}, DataFrame, DataFrame([])),
        ({"a": 1}, Any, {"a": 1}),
        (None, Any, None),
        (None, None, None),
        (None, str | None, None),
        ("", int | None, None),
        ("", str | None, ""),
        ({"type": "image", "uri": ""}, Image | None, None),
        ("3", int | str, "3"),
        (3, str | float, 3.0),
        ("4", int | None, 4),
        ({"x": 1}, Point | str, Point(1)),
        (5, Annotated[int, "five"], 5),
    ],
)
def test_value_becomes_what_the_annotation_asks_for(value: Any, annotation: Any, expected: Any):
    converted = convert(value, annotation, PLACE)
    assert converted == expected
    assert type(converted) is type(expected)


@pytest.mark.parametrize(
    ("value", "annotation", "message"),
    [
        (None, int, "has no value"),
        ("", int, "has no value"),
        ({}, Image, "has no value"),
        ("  ", Image, "has no value"),
        (None, int | str, "has no value"),
        ("abc", int, 'is "abc", expected a whole number'),
        (2.5, int, "is 2.5, expected a whole number"),
        (True, int, "is true, expected a whole number"),
        ([], float, "is a list, expected a number"),
        ("nan", float, 'is "nan", expected a finite number'),
        ("x", float, 'is "x", expected a number'),
        pytest.param(10**400, float, "expected a number", id="long integer"),
        ({}, str, "is an object, expected text"),
        (1, bool, "is 1, expected true or false"),
        ("inf", Decimal, "expected a number"),
        ("x", Decimal, "expected a number"),
        ([], Decimal, "expected a number"),
        ("soon", date, 'is "soon", expected a date such as 2030-01-31'),
        (3, datetime, "expected a date and time"),
        ("25:00", time, "expected a time"),
        ("x", timedelta, "expected a number of seconds"),
        (1e300, timedelta, "expected a number of seconds"),
        ("x", UUID, "expected a UUID"),
        (1, Path, "is 1, expected a path"),
        ("a", list[str], 'is "a", expected a list'),
        ([1, "b"], list[int], 'parameter "x", item 2 is "b"'),
        ([1], tuple[int, int], "has 1 items, expected 2"),
        ([[1]], set[Any], "cannot be a set"),
        ([], dict[str, int], "is a list, expected an object"),
        ({"a": "b"}, dict[str, int], 'parameter "x", "a" is "b"'),
        ({"a": 1}, dict[int, int], 'key "a" is "a", expected a whole number'),
        ("green", Colour, 'is "green", expected one of "r", "b"'),
        ([], Colour, "is a list, expected one of"),
        (True, Literal[1, 2], "is true, expected one of 1, 2"),
        ("z", Literal[tuple(map(str, range(20)))], 'expected one of "0", .*"11", …'),
        ([], Point, "is a list, expected an object"),
        ({"z": 1}, Point, 'has no field "z"'),
        ({}, Point, 'lacks the field "x"'),
        ({"x": "q"}, Point, 'parameter "x", "x" is "q"'),
        ({"x": 200}, Point, "was refused: too far"),
        ({"age": 1}, Person, "was refused: name: Field required"),
        ({"name": "a", "age": "old"}, Person, "was refused: age: "),
        ({"type": "audio", "uri": "u"}, Image, 'is of type "audio", expected "image"'),
        (3, Image, "is 3, expected a reference to image data"),
        ({"uri": "file:///no/such.png"}, Image, 'there is no file "/no/such.png"'),
        ("file:///no/such.png", Image, 'there is no file "/no/such.png"'),
        ([{"uri": "file:///no/such.png"}], list[Image], 'item 1: there is no file "/no/such.png"'),
        ({"uri": 3}, Image, '"uri" is int, expected text'),
        ("x", DataFrame, "expected a table"),
        ("x" * 60, int, '"' + "x" * 40 + '…"'),
        ("q", int | float, 'is "q", expected int or float'),
        ([], int | None, "is a list, expected a whole number"),
        (3, None, "has a type that an app cannot fill"),
        (datetime(2030, 1, 1), int, "is datetime"),
    ],
)
def test_value_that_does_not_fit_is_refused_by_name(value: Any, annotation: Any, message: str):
    with pytest.raises(ConversionError, match=message) as caught:
        convert(value, annotation, PLACE)
    assert str(caught.value).startswith('parameter "x"')


@pytest.mark.parametrize("annotation", [int, float, str, bool, Literal[1], Image])
def test_strict_conversion_reads_no_text_as_something_else(annotation: Any):
    wrong = 1.5 if annotation is str else "1"
    with pytest.raises(ConversionError):
        convert(wrong, annotation, PLACE, strict=True)


def test_strict_union_is_tried_once():
    with pytest.raises(ConversionError, match="expected int or float"):
        convert("1", int | float, PLACE, strict=True)


@pytest.mark.parametrize(
    ("value", "annotation", "message"),
    [
        (0, Annotated[int, range(1, 4)], "is 0, expected at least 1"),
        (9, Annotated[int, range(1, 4)], "is 9, expected at most 3"),
        (Decimal("0.5"), Annotated[Decimal, {"min": 1}], "is 0.5, expected at least 1"),
        (9, Annotated[int, range(1, 4)] | None, "is 9, expected at most 3"),
        ("c", Annotated[str, ["a", "b"]], 'is "c", expected one of "a", "b"'),
    ],
)
def test_value_beyond_its_bounds_is_refused(value: Any, annotation: Any, message: str):
    with pytest.raises(ConversionError, match=message):
        check_bounds(value, read.constraints(annotation), PLACE)


@pytest.mark.parametrize(
    ("value", "annotation"),
    [(2, Annotated[int, range(1, 4)]), (True, Annotated[int, range(5, 9)]), (Colour.RED, Colour), ([1], list[int])],
)
def test_value_within_its_bounds_passes(value: Any, annotation: Any):
    check_bounds(value, read.constraints(annotation), PLACE)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
SCALARS = [str, int, float, bool, Decimal, date, datetime, time, timedelta, UUID, Path, Colour, Image]
OTHERS = [
    list[int],
    dict[str, int],
    Literal["a", 1],
    Point,
    Options,
    Person,
    int | None,
    int | str,
    tuple[int, str],
    set[str],
]
annotations = st.sampled_from([*SCALARS, *OTHERS])


@given(json_values, annotations)
def test_any_value_converts_or_is_refused(value: Any, annotation: Any):
    converted = None
    with contextlib.suppress(ConversionError):
        converted = convert(value, annotation, PLACE)
    assert not isinstance(converted, float) or math.isfinite(converted)
