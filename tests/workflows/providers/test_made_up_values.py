from __future__ import annotations

import re
from typing import Any

import pytest

from greenrun.workflows.providers.made_up import MadeUp
from greenrun.workflows.providers.made_up_values import made_up_json, made_up_value


def made(schema: Any, prompt: str = "old harbours of Genoa") -> Any:
    return made_up_value(MadeUp(prompt), schema)


def field(name: str, schema: dict[str, Any], prompt: str = "old harbours") -> Any:
    return made({"type": "object", "properties": {name: schema}}, prompt)[name]


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": "string"}, str),
        ({"type": "integer"}, int),
        ({"type": "number"}, float),
        ({"type": "boolean"}, bool),
        ({"type": "null"}, type(None)),
        ({"type": "array"}, list),
        ({"type": "object"}, dict),
        ({"type": ["null", "integer"]}, int),
        ({"type": ["null"]}, type(None)),
        ({"properties": {}}, dict),
        ({"items": {"type": "string"}}, list),
        ({}, str),
        (True, str),
    ],
)
def test_a_value_is_of_the_wanted_type(schema: Any, kind: type) -> None:
    assert type(made(schema)) is kind


@pytest.mark.parametrize(
    ("schema", "low", "high"),
    [
        ({"type": "integer", "minimum": 5, "maximum": 7}, 5, 7),
        ({"type": "integer", "exclusiveMinimum": 5, "exclusiveMaximum": 7}, 6, 6),
        ({"type": "integer", "minimum": 100}, 100, 100),
        ({"type": "integer", "maximum": -3}, -3, -3),
        ({"type": "integer", "minimum": 5, "maximum": 14, "multipleOf": 5}, 5, 10),
        ({"type": "integer", "minimum": 11, "maximum": 14, "multipleOf": 10}, 11, 14),
        ({"type": "number", "minimum": 0.25, "maximum": 0.26}, 0.25, 0.26),
        ({"type": "number", "minimum": 1, "multipleOf": 0.5}, 1, 10),
        ({"type": "number", "minimum": 10, "maximum": 30, "multipleOf": 10}, 10, 30),
    ],
)
def test_a_number_keeps_its_bounds(schema: dict[str, Any], low: float, high: float) -> None:
    assert low <= made(schema) <= high


@pytest.mark.parametrize(("name", "low", "high"), [("year", 1990, 2026), ("score", 0, 1), ("percentage", 0, 100)])
def test_a_number_fits_its_name(name: str, low: float, high: float) -> None:
    assert low <= field(name, {"type": "number"}) <= high


def test_a_text_keeps_its_length() -> None:
    assert len(made({"type": "string", "minLength": 300})) >= 300
    assert len(made({"type": "string", "maxLength": 5})) <= 5


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("email", r".+@example\.com"),
        ("homepage_url", r"https://example\.com/.+"),
        ("city", r"[A-Z][a-z]+"),
        ("background_color", r"#[0-9a-f]{6}"),
        ("due_date", r"\d{4}-\d{2}-\d{2}"),
        ("summary", r".* harbours.*\."),
        ("first_point", r"First point 1"),
    ],
)
def test_a_text_fits_its_name(name: str, pattern: str) -> None:
    assert re.fullmatch(pattern, field(name, {"type": "string"}))


@pytest.mark.parametrize(
    ("schema", "pattern"),
    [
        ({"format": "date-time"}, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),
        ({"format": "uuid"}, r"[0-9a-f-]{36}"),
        ({"description": "When it was; an ISO date and time"}, r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),
    ],
)
def test_a_text_fits_its_format_and_description(schema: dict[str, Any], pattern: str) -> None:
    assert re.fullmatch(pattern, field("x", {"type": "string", **schema}))


def test_a_choice_is_one_of_those_offered() -> None:
    assert made({"enum": ["a", "b"]}) in ("a", "b")
    assert made({"const": 7}) == 7


def test_the_choice_that_the_prompt_names_is_taken() -> None:
    assert made({"enum": ["Sport", "Politics", "Weather"]}, "This is about politics in Rome") == "Politics"


def test_every_member_is_filled_in() -> None:
    properties = {"name": {"type": "string"}, "note": {"type": "string"}}
    assert made({"type": "object", "properties": properties, "required": ["name"]}).keys() == {"name", "note"}


def test_a_list_has_a_few_items_that_differ() -> None:
    items = made({"type": "array", "items": {"type": "string"}})
    assert len(items) == len(set(items)) == 3


@pytest.mark.parametrize(("prompt", "count"), [("Give me 5 names", 5), ("at 10:30 on 3.5 km", 3), ("99 balloons", 20)])
def test_a_list_is_as_long_as_the_prompt_asks(prompt: str, count: int) -> None:
    assert len(field("names", {"type": "array", "items": {"type": "string"}}, prompt)) == count


@pytest.mark.parametrize(("bounds", "count"), [({"minItems": 6}, 6), ({"maxItems": 1}, 1)])
def test_a_list_keeps_its_bounds(bounds: dict[str, int], count: int) -> None:
    assert len(made({"type": "array", "items": {"type": "string"}, **bounds})) == count


def test_items_that_must_differ_do() -> None:
    assert made({"type": "array", "items": {"enum": ["a"]}, "uniqueItems": True}) == ["a"]


def test_a_tuple_has_its_items() -> None:
    first, second = made({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]})
    assert (type(first), type(second)) == (str, int)


def test_a_record_of_any_keys_gets_some() -> None:
    assert len(made({"type": "object", "additionalProperties": {"type": "integer"}})) == 2


def test_references_and_parts_are_followed() -> None:
    schema = {
        "$defs": {"a": {"type": "object", "properties": {"x": {"type": "integer"}}}},
        "allOf": [{"$ref": "#/$defs/a"}, {"properties": {"y": {"type": "string"}}, "required": ["y"]}],
    }
    assert made(schema).keys() == {"x", "y"}


def test_a_reference_to_nothing_is_still_a_value() -> None:
    assert isinstance(made({"$ref": "#/$defs/missing/x"}), str)


def test_of_several_forms_a_value_is_preferred_to_null() -> None:
    assert made({"anyOf": [{"type": "null"}, {"type": "integer"}]}) is not None
    assert made({"oneOf": [{"type": "null"}]}) is None


def test_a_schema_that_contains_itself_comes_to_an_end() -> None:
    node = {
        "type": "object",
        "properties": {
            "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
            "maybe": {"type": ["object", "null"]},
            "children": {"type": "array", "items": {"$ref": "#/$defs/node"}, "maxItems": 1},
        },
        "required": ["next", "maybe", "children"],
    }
    assert made({"$defs": {"node": node}, "$ref": "#/$defs/node"})["next"]


def test_a_schema_that_demands_itself_comes_to_an_end() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "required": ["next"]}
    assert made({"$defs": {"node": node}, "$ref": "#/$defs/node"})["next"]


def test_json_is_the_value_as_text() -> None:
    assert made_up_json(MadeUp("x"), {"const": "é"}) == '"é"'


def test_the_same_question_gets_the_same_answer() -> None:
    schema = {"type": "array", "items": {"type": "number"}}
    assert made(schema) == made(schema)


def test_text_is_about_the_prompt() -> None:
    assert "harbours" in MadeUp("Tell me about the old harbours of Genoa").text()


def test_text_without_a_prompt_is_still_text() -> None:
    assert MadeUp("", "").text()


def test_one_very_long_word_is_cut() -> None:
    assert len(MadeUp("x" * 500).topic) <= 60


def test_many_words_make_a_short_topic() -> None:
    assert len(MadeUp(" ".join(f"word{number}" for number in "abcdefghijklmnopqrstuvwxyz")).topic) <= 60


def test_a_list_has_its_tags() -> None:
    text = MadeUp("4 harbours", "Write each item between <LIST_ITEM> and </LIST_ITEM>.").text()
    assert len(re.findall(r"<LIST_ITEM>[^<]+</LIST_ITEM>", text)) == 4


def test_a_drawing_is_svg_with_the_topic_in_it() -> None:
    text = MadeUp("cats & dogs", "Answer with one <svg> element.").text()
    assert text.startswith("<svg ")
    assert "cats dogs" in text
