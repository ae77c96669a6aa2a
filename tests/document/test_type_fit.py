"""Whether a value fits type metadata (spec: app-runtime O-47)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.type_fit import fits, value_of_text
from greenrun.document.values import ABSENT


def _list_of(type_: Any) -> dict[str, Any]:
    return {"type": "list", "type_args": [type_]}


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("str", ""),
        ("string", "a"),
        ("int", 3),
        ("int", 3.0),
        ("float", 3),
        ("number", 2.5),
        ("bool", False),
        ("list", []),
        ("dict", {}),
        ("dataframe", {"columns": []}),
        ("image", {"uri": "x"}),
        ("image", "asset://x"),
        ("any", [1]),
        ("no_such_type", 5),
        ("constructor", 5),
    ],
)
def test_values_that_fit(type_: str, value: Any) -> None:
    assert fits({"type": type_}, value)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("str", 5),
        ("int", "5"),
        ("int", 2.5),
        ("int", True),
        ("float", "1"),
        ("float", False),
        ("bool", 1),
        ("bool", "true"),
        ("list", {}),
        ("list", "a"),
        ("dict", []),
        ("image", ""),
        ("image", 5),
        ("dataframe", "a,b"),
    ],
)
def test_values_that_do_not_fit(type_: str, value: Any) -> None:
    assert not fits({"type": type_}, value)


@pytest.mark.parametrize("value", [None, ABSENT])
def test_nothing_fits_everything(value: Any) -> None:
    assert fits({"type": "int"}, value)


@pytest.mark.parametrize("type_", [None, "int", {}, {"type": 5}, []])
def test_a_type_that_says_nothing_accepts_everything(type_: Any) -> None:
    assert fits(type_, "x")


def test_items_of_a_list_are_checked() -> None:
    assert fits(_list_of({"type": "int"}), [1, None, 2.0])
    assert not fits(_list_of({"type": "int"}), [1, "2"])
    assert not fits(_list_of(_list_of({"type": "str"})), [["a"], [1]])
    assert fits({"type": "list", "type_args": {}}, ["a"])


def test_a_union_accepts_what_one_of_its_members_accepts() -> None:
    union = {"type": "union", "type_args": [{"type": "int"}, {"type": "str"}]}

    assert fits(union, 1)
    assert fits(union, "a")
    assert not fits(union, [])
    assert fits({"type": "union"}, [])


def test_an_enum_accepts_its_values() -> None:
    enum = {"type": "enum", "values": ["a", 1]}

    assert fits(enum, "a")
    assert fits(enum, 1.0)
    assert not fits(enum, True)
    assert not fits(enum, "b")
    assert fits({"type": "enum"}, "b")


def test_types_nested_without_end_accept_what_is_too_deep_to_look_at() -> None:
    type_: dict[str, Any] = {"type": "int"}
    value: Any = "text"
    for _ in range(3000):
        type_, value = _list_of(type_), [value]

    assert fits(type_, value)


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        ("int", "5", 5),
        ("int", " -7 ", -7),
        ("int", "5.0", 5),
        ("float", "1e3", 1000),
        ("float", ".5", 0.5),
        ("float", "1e300", 1e300),
        ("bool", "true", True),
        ("bool", "FALSE", False),
    ],
)
def test_the_value_that_a_text_spells(type_: str, text: str, value: Any) -> None:
    found = value_of_text({"type": type_}, text)

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        *(("int", text) for text in ("2.5", "", "five", "0x10", "Infinity", "1_000", "٣")),
        *(("bool", text) for text in ("yes", "1", "")),
        *((type_, "5") for type_ in ("str", "any", "list")),
    ],
)
def test_texts_that_spell_no_fitting_value(type_: str, text: str) -> None:
    assert value_of_text({"type": type_}, text) is ABSENT


def test_a_number_beyond_all_doubles_is_no_value() -> None:
    assert value_of_text({"type": "float"}, "1e999") is ABSENT
