"""Conditions that do not count as they are stored."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.conditions import OPS, meant_op
from greenrun.document.diagnostics import Diagnostic
from greenrun.document.findings import Place
from greenrun.document.parse import parse_document


def remarks(type_: str = "Text", **props: Any) -> list[Diagnostic]:
    component = {"type": type_, "props": {"id": "t", **props}}
    stored = {"schemaVersion": 4, "ui": {"root": {"props": {}}, "content": [component]}}
    return list(parse_document(stored).diagnostics)


def when(**members: Any) -> dict[str, Any]:
    return {"binding": "var:x", **members}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("isEmpty", "empty"),
        ("!notEmpty", "empty"),
        ("!empty", "notEmpty"),
        ("is not empty", "notEmpty"),
        ("not-empty", "notEmpty"),
        (">", "gt"),
        (">=", "gte"),
        ("<", "lt"),
        ("<=", "lte"),
        ("==", "eq"),
        ("!=", "neq"),
        ("EQ", "eq"),
        ("contians", "contains"),
        ("whatever", None),
        *((op, op) for op in OPS),
    ],
)
def test_an_operator_is_recognised_by_its_usual_other_names(text: str, meant: str | None) -> None:
    assert meant_op(text) == meant


@pytest.mark.parametrize("prop", ["visibleWhen", "disabledWhen"])
def test_an_unknown_operator_is_named_with_the_one_that_counts(prop: str) -> None:
    (remark,) = remarks(**{prop: when(op=">", value=3)})
    assert (remark.code, remark.place) == ("GR104", Place(widget="t", prop=prop))
    assert f'{prop} has the op ">", which does not exist; notEmpty counts.' in remark.message
    assert (remark.data["used"], remark.data["meant"]) == ("notEmpty", when(op="gt", value=3))


@pytest.mark.parametrize("op", [7, True, ["eq"], "whatever"])
def test_an_operator_that_resembles_none_has_no_replacement(op: Any) -> None:
    (remark,) = remarks(visibleWhen=when(op=op))
    assert remark.data["meant"] is None


def test_an_operator_under_another_key_is_moved() -> None:
    (remark,) = remarks(visibleWhen=when(operator="==", value="a"))
    assert '"operator"' in remark.message
    assert remark.data["meant"] == when(op="eq", value="a")


def test_a_text_is_no_condition_and_was_meant_as_its_binding() -> None:
    (remark,) = remarks(disabledWhen="var:x")
    assert 'disabledWhen is "var:x", which is no condition; it disables nothing.' in remark.message
    assert (remark.data["used"], remark.data["meant"]) == (None, {"binding": "var:x"})


@pytest.mark.parametrize(
    ("stored", "meant"),
    [
        ({"bind": "var:x", "op": "empty"}, {"binding": "var:x", "op": "empty"}),
        ({"left": "var:x", "right": "b"}, None),
        ({"op": "gt", "value": 1}, None),
        ({"binding": 7}, None),
        ({"binding": "", "value": 1}, None),
        ([when()], None),
        (True, None),
    ],
)
def test_a_condition_without_a_usable_binding_is_said(stored: Any, meant: Any) -> None:
    (remark,) = remarks(visibleWhen=stored)
    assert "it hides nothing" in remark.message
    assert (remark.data["used"], remark.data["meant"]) == (None, meant)


@pytest.mark.parametrize("name", ["disabledwhen", "disabled_when", "DisabledWhen"])
def test_a_condition_under_a_misspelt_prop_is_said(name: str) -> None:
    (remark,) = remarks(**{name: when()})
    assert remark.place == Place(widget="t", prop=name)
    assert remark.data["renamed"] == "disabledWhen"


@pytest.mark.parametrize(
    "props",
    [
        {"visibleWhen": None},
        {"visibleWhen": ""},
        {"visibleWhen": {}},
        {"visibleWhen": {"binding": "", "op": "notEmpty", "value": ""}},
        {"visibleWhen": when()},
        {"visibleWhen": when(op=None)},
        {"visibleWhen": when(op="", note="of the author")},
        {"visibleWhen": when(op="eq", value=1)},
        {"visibleWhen": when(), "visiblewhen": "anything"},
    ],
)
def test_conditions_that_count_and_those_taken_away_are_no_remark(props: dict[str, Any]) -> None:
    assert remarks(**props) == []


def test_a_type_that_is_not_known_is_left_alone() -> None:
    assert remarks("Custom", visibleWhen="anything") == []
