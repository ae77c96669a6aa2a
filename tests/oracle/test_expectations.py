"""Expectations of a value: what is hidden meets none (spec: harness 3.4)."""

from __future__ import annotations

from typing import Any

import pytest

from simulated import button, codes, document, graph, play, widget


def content(**answer: Any) -> list[dict[str, Any]]:
    return [
        button("Go", "main"),
        widget("Text", "Answer", binding="op:main/out:out1", **answer),
        widget("Alert", "Alert", binding="op:main/exec#error"),
    ]


async def failed(expectation: dict[str, Any], value: Any = "HI", **answer: Any) -> list[str]:
    report = await play(
        document(content(**answer)),
        {"wf1": graph(answer=value)},
        interact=[{"click": "Go"}, {"expect": {"widget": "Answer", **expectation}}],
    )
    return [finding.message for finding in report.findings if finding.code == "GR718"]


HIDDEN = {"visibleWhen": {"binding": "op:main/out:out1", "op": "eq", "value": "nobody says this"}}


@pytest.mark.parametrize(
    "expectation",
    [{"check": "nonEmpty"}, {"check": "equals", "value": "HI"}, {"check": "matches", "value": "H"}],
)
async def test_a_value_that_nobody_can_see_meets_no_expectation(expectation: dict[str, Any]) -> None:
    (message,) = await failed(expectation, **HIDDEN)
    assert message.endswith(": it is hidden.")
    assert await failed(expectation) == []


@pytest.mark.parametrize("check", ["hidden", "enabled"])
async def test_other_expectations_of_a_hidden_widget_are_judged_as_ever(check: str) -> None:
    assert await failed({"check": check}, **HIDDEN) == []


async def test_a_hidden_widget_that_should_be_disabled_is_said_to_be_enabled() -> None:
    (message,) = await failed({"check": "disabled"}, **HIDDEN)
    assert message.endswith("should be disabled: it is enabled.")


async def test_a_pattern_that_is_none_is_said_to_be() -> None:
    (message,) = await failed({"check": "matches", "value": "("})
    assert 'should match "(": that is no valid regular expression' in message


@pytest.mark.parametrize(
    ("value", "end"),
    [
        ('say "a"', r': it is "say \"a\"".'),
        ({"a": 1}, ': it is {"a":1}.'),
        ("", ": it is empty."),
        ("y" * 300, f': it is "{"y" * 200}…".'),
    ],
)
async def test_the_value_that_was_found_is_quoted_once(value: Any, end: str) -> None:
    (message,) = await failed({"check": "equals", "value": "other"}, value)
    assert message.endswith(end)


async def test_an_expectation_of_a_hidden_widget_makes_the_app_red() -> None:
    report = await play(
        document(content(**HIDDEN)), interact=[{"click": "Go"}, {"expect": {"widget": "Answer", "check": "nonEmpty"}}]
    )
    assert codes(report) == ["GR718"]
