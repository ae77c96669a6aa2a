from __future__ import annotations

from typing import Any

import pytest

from greenrun.workflows.llm.forms import FormField, Unfit, declared_fields, fields_form, fitted
from greenrun.workflows.type_meta import make_type, parse_type

COLOUR = make_type("enum") | {"values": ["Red", "Green"]}


def test_the_schema_asks_for_every_declared_output() -> None:
    form = fields_form(declared_fields({"city": {"type": "str", "description": "Where"}, "n": "int", "odd": None}))
    assert form.schema == {
        "type": "object",
        "properties": {"city": {"type": "string", "description": "Where"}, "n": {"type": "integer"}, "odd": {}},
        "required": ["city", "n", "odd"],
        "additionalProperties": False,
    }
    assert form.asked_for == "city, n, odd"


def test_values_of_the_declared_types_are_read() -> None:
    form = fields_form(declared_fields({"a": "str", "b": "list[int]"}))
    assert form.read({"a": "x", "b": [1, 2], "more": 1}) == {"a": "x", "b": [1, 2]}


def test_a_missing_value_is_named() -> None:
    form = fields_form(declared_fields({"a": "str", "b": "str", "c": "str?"}))
    with pytest.raises(Unfit, match=r"missing: b$"):
        form.read({"a": "x"})
    assert form.read({"a": "x", "b": "y"}) == {"a": "x", "b": "y", "c": None}


@pytest.mark.parametrize(
    ("type_text", "sent", "read"),
    [
        ("str", '{"a": 1}', '{"a": 1}'),
        ("str", 3, "3"),
        ("int", "3", 3),
        ("int", 3.0, 3),
        ("float", "1.5", 1.5),
        ("bool", "true", True),
        ("list", "[1, 2]", [1, 2]),
        ("dict", '{"label": "Run"}', {"label": "Run"}),
        ("list[int]", ["1", 2], [1, 2]),
        ("str?", None, None),
        ("any", [1], [1]),
    ],
)
def test_values_are_read_as_their_type_where_nothing_is_lost(type_text: str, sent: Any, read: Any) -> None:
    assert fitted(parse_type(type_text), sent, "v") == read


@pytest.mark.parametrize(
    ("type_text", "sent", "said"),
    [
        ("int", "many", '"v" must be int, not a text'),
        ("int", 1.5, '"v" must be int, not a number'),
        ("dict", "not json", '"v" must be dict, not a text'),
        ("str", None, '"v" must be str, not null'),
        ("list[int]", [1, "x"], r'"v\[1\]" must be int, not a text'),
    ],
)
def test_what_does_not_fit_is_said(type_text: str, sent: Any, said: str) -> None:
    with pytest.raises(Unfit, match=said):
        fitted(parse_type(type_text), sent, "v")


def test_a_choice_may_differ_in_case_and_space() -> None:
    assert fitted(COLOUR, " green ", "colour") == "Green"
    with pytest.raises(Unfit, match='one of Red, Green, not "blue"'):
        fitted(COLOUR, "blue", "colour")


def test_a_form_may_say_what_it_is_for() -> None:
    field = FormField("a", parse_type("str"))
    assert fields_form([field]).description.startswith("Hand in the result")
    assert fields_form([field], description="Hand in the colour.").description == "Hand in the colour."
