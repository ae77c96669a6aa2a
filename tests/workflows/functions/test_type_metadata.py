from __future__ import annotations

import collections.abc
import dataclasses
import typing
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, NewType, NotRequired, Optional, TypedDict, Union
from uuid import UUID

import annotated_types
import pytest
from pydantic import BaseModel, Field

from greenrun.sdk import Audio, Document, File, Image, Ref, Video
from greenrun.workflows.functions import type_metadata as read

UserId = NewType("UserId", int)
T = typing.TypeVar("T")


class Colour(Enum):
    RED = "r"
    BLUE = "b"


class Odd(Enum):
    FIRST = (1, 2)
    SECOND = (3, 4)


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0
    tags: list[str] = dataclasses.field(default_factory=list)
    derived: int = dataclasses.field(default=0, init=False)


class Options(TypedDict):
    size: int
    name: NotRequired[str]


class Person(BaseModel):
    name: str
    age: int = 3


class DataFrame:
    __module__ = "pandas.core.frame"


class Alias:
    """Stands in for what ``type X = ...`` makes from Python 3.12 on."""


TypeAliasType = type("TypeAliasType", (), {"__value__": list[int]})


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        (str, "str"),
        (int, "int"),
        (float, "float"),
        (bool, "bool"),
        (Decimal, "float"),
        (date, "date"),
        (datetime, "datetime"),
        (time, "time"),
        (timedelta, "float"),
        (UUID, "str"),
        (Path, "path"),
        (Any, "any"),
        (object, "any"),
        (T, "any"),
        (read.EMPTY, "any"),
        (None, "none"),
        (list, "list"),
        (list[str], "list[str]"),
        (Sequence[int], "list[int]"),
        (set[str], "list[str]"),
        (tuple[int, ...], "list[int]"),
        (tuple[int, str], "list"),
        (dict, "dict"),
        (Mapping[str, list[int]], "dict[str, list[int]]"),
        (int | str, "union[int, str]"),
        (Union[int, str], "union[int, str]"),  # noqa: UP007
        (list[Image], "list[image]"),
        (Image, "image"),
        (Audio, "audio"),
        (Video, "video"),
        (Document, "document"),
        (File, "file"),
        (Ref, "file"),
        (Colour, "enum"),
        (Literal["a", "b"], "enum"),
        (Point, "dict"),
        (Options, "dict"),
        (Person, "dict"),
        (DataFrame, "dataframe"),
        (UserId, "int"),
        (Annotated[Annotated[str, 1], 2], "str"),
        (TypeAliasType(), "list[int]"),
        (typing.Final[int], "int"),
    ],
)
def test_annotation_has_a_type_name(annotation: Any, name: str):
    assert read.type_name(read.describe(annotation)) == name


@pytest.mark.parametrize("annotation", [Optional[str], str | None, Annotated[str | None, "x"], Literal["a", None]])  # noqa: UP045
def test_none_makes_a_type_optional(annotation: Any):
    assert read.describe(annotation)["optional"]


def test_union_with_none_keeps_its_other_members():
    meta = read.describe(int | str | None)
    assert (read.type_name(meta), meta["optional"]) == ("union[int, str]", True)


@pytest.mark.parametrize(
    ("annotation", "values"),
    [
        (Colour, ["r", "b"]),
        (Odd, ["FIRST", "SECOND"]),
        (Literal["a", 1, None], ["a", 1]),
        (Literal[Colour.RED], ["r"]),
        (list[Literal["x", "y"]], ["x", "y"]),
        (Annotated[str, Literal["p", "q"]], ["p", "q"]),
        (Annotated[str, ["p", "q"]], ["p", "q"]),
        (Annotated[int, {"options": (1, 2)}], [1, 2]),
        (str, None),
        (list, None),
    ],
)
def test_options_come_from_the_type_or_its_metadata(annotation: Any, values: list[Any] | None):
    assert read.constraints(annotation).options == values


@pytest.mark.parametrize(
    ("annotation", "bounds"),
    [
        (Annotated[int, range(1, 11)], (1, 10)),
        (Annotated[int, range(0)], (None, None)),
        (Annotated[float, {"min": 0.5, "max": 2}], (0.5, 2)),
        (Annotated[int, {"minimum": 1, "maximum": 3}], (1, 3)),
        (Annotated[int, annotated_types.Ge(1), annotated_types.Lt(10)], (1, 9)),
        (Annotated[float, annotated_types.Gt(1), annotated_types.Le(10)], (1, 10)),
        (Annotated[int, annotated_types.Interval(ge=2, le=4)], (2, 4)),
        (Annotated[int, Field(gt=0, lt=5)], (1, 4)),
        (Annotated[int | None, Field(ge=0)], (0, None)),
        (Annotated[int, range(1, 11)] | None, (1, 10)),
        (Annotated[Annotated[int, range(1, 11)] | None, {"max": 5}], (1, 5)),
        (Annotated[int, {"min": None, "max": 3}], (None, 3)),
    ],
)
def test_bounds_come_from_metadata(annotation: Any, bounds: tuple[float | None, float | None]):
    limits = read.constraints(annotation)
    assert (limits.minimum, limits.maximum) == bounds


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"minimum": 1, "max": "ten"}, "\"max\" in its metadata is 'ten', expected a number"),
        ({"min": True}, '"min" in its metadata is True, expected a number'),
        ({"max": float("nan")}, '"max" in its metadata is nan, expected a number'),
        ({"max_length": 2.5}, '"max_length" in its metadata is 2.5, expected a whole number'),
        ({"options": 5}, '"options" in its metadata is 5, expected a list'),
        ({"title": 1}, '"title" in its metadata is 1, expected a text'),
        ({"multiline": "yes"}, "\"multiline\" in its metadata is 'yes', expected True or False"),
        ({"minimun": 1}, 'unknown key "minimun"; known are min, minimum, max'),
    ],
)
def test_metadata_that_means_nothing_is_refused(metadata: dict[str, Any], message: str):
    with pytest.raises(read.UnreadableType, match=message):
        read.constraints(Annotated[int, metadata])


def test_texts_come_from_metadata():
    described = read.constraints(Annotated[str, "What to say", {"title": "Text", "multiline": True, "max_length": 9}])
    assert (described.description, described.title, described.multiline, described.max_length) == (
        "What to say",
        "Text",
        True,
        9,
    )


def test_texts_come_from_pydantic_fields_too():
    described = read.constraints(Annotated[str, Field(title="T", description="D", max_length=4)])
    assert (described.title, described.description, described.max_length) == ("T", "D", 4)


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        (Callable[[int], str], "Callable"),
        (Alias, "Alias"),
        (bytes, "bytes"),
        (list[Alias], "Alias"),
        (complex, "complex"),
    ],
)
def test_type_that_no_app_can_fill_is_named(annotation: Any, name: str):
    with pytest.raises(read.UnreadableType, match=f"{name}.* cannot come from an app"):
        read.describe(annotation)


def test_annotation_that_is_no_type_is_refused():
    with pytest.raises(read.UnreadableType, match="is no type"):
        read.describe([])


@pytest.mark.parametrize(
    ("structure", "expected"),
    [
        (Point, [("x", True), ("y", False), ("tags", False)]),
        (Options, [("size", True), ("name", False)]),
        (Person, [("name", True), ("age", False)]),
        (Image, None),
        (int, None),
        (list[int], None),
        ("text", None),
    ],
)
def test_structures_have_fields(structure: Any, expected: list[tuple[str, bool]] | None):
    fields = read.fields(structure)
    assert expected == (None if fields is None else [(field.name, field.required) for field in fields])


def test_unknown_name_in_an_annotation_is_told():
    def f(x: Ghost): ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(read.UnreadableType, match='names "Ghost", which is not defined'):
        read.type_hints(f)


def test_broken_annotation_is_told():
    def f(x): ...

    f.__annotations__ = {"x": "1 +"}
    with pytest.raises(read.UnreadableType, match="cannot be read"):
        read.type_hints(f)


def test_list_kinds_of_collections_are_known():
    assert collections.abc.Iterable in read.LISTS
