from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar

import pytest
from pydantic import BaseModel

from greenrun.document.values import ABSENT
from greenrun.workflows import type_meta
from greenrun.workflows.ports import PortType
from greenrun.workflows.type_meta import parse_type, type_text

T = TypeVar("T")


class Point(BaseModel):
    x: int


@pytest.mark.parametrize(
    "text",
    ["str", "list[str]", "dict[str, list[int]]", "image?", "int | str", "int | str | none", "union", "a]b", "[x]"],
)
def test_type_texts_read_back(text: str) -> None:
    assert type_text(parse_type(text)) == text


@pytest.mark.parametrize(
    ("text", "expected"), [(" str | None ", "str?"), ("list[ str ,]", "list[str]"), ("null", "null")]
)
def test_type_texts_are_written_one_way(text: str, expected: str) -> None:
    assert type_text(parse_type(text)) == expected


def test_no_type_reads_any() -> None:
    assert type_text(None) == "any"


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ("list[str]", "list[str]"),
        (" ", None),
        (5, None),
        ({}, None),
        ({"type": ""}, None),
        ({"type": "list", "type_args": [{"type": "str"}]}, "list[str]"),
        ({"type": "list", "type_args": [{}]}, "list[any]"),
        ({"type": {"type": "int"}, "description": "n"}, "int"),
        ({"type": "str", "optional": True}, "str?"),
        ({"type": "list[int]"}, "list[int]"),
    ],
)
def test_every_stored_form_of_a_type_is_read(stored: Any, expected: str | None) -> None:
    found = type_meta.as_type(stored)
    assert found is None if expected is None else type_text(found) == expected


def test_the_values_of_an_enum_are_kept() -> None:
    assert type_meta.as_type({"type": "enum", "values": ["a"]}) == {
        "type": "enum",
        "type_args": [],
        "optional": False,
        "values": ["a"],
    }


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        ("list[string]", "list[str]"),
        ("str", "str"),
        (
            {"type": "Array", "type_args": [{"type": "long", "x": 1}]},
            {"type": "list", "type_args": [{"type": "int", "x": 1}]},
        ),
        ({"type": {"type": "boolean"}, "default": 1}, {"type": {"type": "bool"}, "default": 1}),
        ({"description": "d"}, {"description": "d"}),
        (None, None),
    ],
)
def test_stored_types_get_canonical_spellings_in_their_own_form(stored: Any, expected: Any) -> None:
    assert type_meta.canonical_stored(stored) == expected


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        *((alias, "int") for alias in ("integer", "long")),
        *((alias, "float") for alias in ("double", "decimal")),
        ("string", "str"),
        ("boolean", "bool"),
        *((alias, "dict") for alias in ("object", "record", "map")),
        *((alias, "list") for alias in ("array", "tuple")),
        *((alias, "any") for alias in ("null", "none", "undefined", "unknown", "void")),
    ],
)
def test_spellings(alias: str, name: str) -> None:
    assert type_meta.canonical(parse_type(alias))["type"] == name


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("str", "str", True),
        ("str", "int", False),
        ("int", "float", True),
        ("enum", "str", True),
        ("chunk", "cv", True),
        ("image", "audio", False),
        ("any", "image", True),
        ("object", "image", True),
        ("list[int]", "str", True),
        ("dict", "str", True),
        ("int | str", "image", True),
        ("T", "image", True),
        ("iterator[int]", "str", True),
        ("string", "str", True),
    ],
)
def test_only_different_concrete_types_disagree(left: str, right: str, expected: bool) -> None:
    assert type_meta.agree(parse_type(left), parse_type(right)) is expected
    assert type_meta.agree(parse_type(right), parse_type(left)) is expected


def test_an_undeclared_type_agrees_with_everything() -> None:
    assert type_meta.agree(None, parse_type("str"))
    assert type_meta.agree(parse_type("str"), None)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("str", "a", True),
        ("str", 1, False),
        ("int", 3.0, True),
        ("int", 3.5, False),
        ("int", True, False),
        ("float", 1, True),
        ("float", "1", False),
        ("bool", True, True),
        ("bool", 1, False),
        ("list", [1], True),
        ("list[int]", [1, "a"], False),
        ("list", "a", False),
        ("dict", {}, True),
        ("dict", [], False),
        ("int | str", "a", True),
        ("int | str", [], False),
        ("union", [], True),
        ("image", {"type": "image"}, True),
        ("image", {"uri": "x"}, True),
        ("image", {"type": "audio"}, False),
        ("language_model", "gpt", False),
        ("dataframe", {"type": "dataframe"}, True),
        ("whatever", 5, True),
        ("any", None, True),
        ("str", None, False),
        ("str?", None, True),
        ("str", ABSENT, True),
    ],
)
def test_values_fit_types(text: str, value: Any, expected: bool) -> None:
    assert type_meta.fits(parse_type(text), value) is expected


def test_every_value_fits_no_type() -> None:
    assert type_meta.fits(None, object())


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("str", 1.0, "1"),
        ("str", True, "true"),
        ("str", [1], ABSENT),
        ("int", "3", 3),
        ("int", "3.0", 3),
        ("int", "3.5", ABSENT),
        ("int", 3.5, ABSENT),
        ("int", "x", ABSENT),
        ("float", "1.5", 1.5),
        ("float", "inf", ABSENT),
        ("float", [], ABSENT),
        ("bool", " True ", True),
        ("bool", "yes", ABSENT),
        ("bool", 1, ABSENT),
        ("list[str]", "a", ["a"]),
        ("list[str]", 1, ABSENT),
        ("list", {}, ABSENT),
        ("image", "x", ABSENT),
    ],
)
def test_conversion_loses_nothing(text: str, value: Any, expected: Any) -> None:
    converted = type_meta.convert(parse_type(text), value)
    assert converted == expected
    assert type(converted) is type(expected)


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str, "str"),
        (None, "any"),
        (Any, "any"),
        (T, "any"),
        (list, "list"),
        (list[int], "list[int]"),
        (tuple[int, ...], "list[int]"),
        (Sequence[str], "list[str]"),
        (dict[str, int], "dict[str, int]"),
        (int | None, "int?"),
        (int | str | None, "int | str | none"),
        (Literal["a", "b"], "enum"),
        (Literal[1, 2], "int"),
        (Literal[1, "a"], "any"),
        (Point, "dict"),
        (object(), "any"),
        (Annotated[Any, PortType("image")], "image"),
        (Annotated[Annotated[str, PortType("str")], PortType("enum")], "enum"),
        (Annotated[int, "note"], "int"),
    ],
)
def test_annotations_mean_types(annotation: Any, expected: str) -> None:
    assert type_text(type_meta.type_of(annotation)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("str", {"type": "string"}),
        ("any", {}),
        ("any?", {}),
        ("list[int]", {"type": "array", "items": {"type": "integer"}}),
        ("list", {"type": "array"}),
        ("dict[str, bool]", {"type": "object", "additionalProperties": {"type": "boolean"}}),
        ("dict", {"type": "object"}),
        ("int | str", {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        ("float?", {"anyOf": [{"type": "number"}, {"type": "null"}]}),
        ("image", {"type": "object", "properties": {"type": {"const": "image"}}}),
    ],
)
def test_types_have_schemas(text: str, expected: dict[str, Any]) -> None:
    assert type_meta.json_schema(parse_type(text)) == expected


def test_schema_of_choices_and_of_no_type() -> None:
    assert type_meta.json_schema(type_meta.type_of(Literal["a"])) == {"type": "string", "enum": ["a"]}
    assert type_meta.json_schema(None) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [("list", True), ("array[str]", True), ("int | list[int]", True), ("str", False), ("any", False)],
)
def test_list_types(text: str, expected: bool) -> None:
    assert type_meta.is_list_type(parse_type(text)) is expected


def test_no_type_is_neither_list_nor_model_nor_media() -> None:
    tests = (type_meta.is_list_type, type_meta.is_model_type, type_meta.is_media_type)
    assert [test(None) for test in tests] == [False, False, False]


@pytest.mark.parametrize(
    ("value", "expected"),
    [({"uri": "x"}, True), ({"asset_id": "a"}, True), ({"uri": ""}, False), ("x", True), (" ", False), (None, False)],
)
def test_what_refers_to_media(value: Any, expected: bool) -> None:
    assert type_meta.refers_to_media(value) is expected
