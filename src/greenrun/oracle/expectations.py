"""Expectations of a script, and whether they could have failed (spec: harness 3.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import regex

from greenrun.document.js import deep_equal, to_text
from greenrun.document.values import Value, is_nullish
from greenrun.oracle.steps import ExpectBody
from greenrun.runtime.compact import compact_json
from greenrun.runtime.view import WidgetView

MATCH_SECONDS = 1.0
"""A pattern that backtracks for longer counts as not met."""

MAY_HOLD_FROM_THE_START = ("visible", "enabled", "nonEmpty")

VALUE_CHECKS = ("nonEmpty", "equals", "matches")
"""What is expected of something that is seen: a hidden widget never meets it."""


def shown(view: WidgetView) -> Value:
    """What an expectation is judged on: the rendered format, else the value."""
    return view.display if view.display is not None else view.value


def as_text(value: Value) -> str:
    """A value as `matches` reads it: text as it is, structures as JSON."""
    return compact_json(value) if isinstance(value, (dict, list)) else ("" if is_nullish(value) else to_text(value))


def _matches(view: WidgetView, pattern: Any) -> bool:
    try:
        return regex.search(str(pattern), as_text(shown(view)), timeout=MATCH_SECONDS) is not None
    except (regex.error, TimeoutError):
        return False


_CHECKS: dict[str, Callable[[WidgetView, Any], bool]] = {
    "nonEmpty": lambda view, _: view.has_value,
    "equals": lambda view, wanted: deep_equal(shown(view), wanted),
    "matches": _matches,
    "visible": lambda view, _: view.visible,
    "hidden": lambda view, _: not view.visible,
    "enabled": lambda view, _: not view.disabled,
    "disabled": lambda view, _: view.disabled,
}


def holds(expectation: ExpectBody, view: WidgetView) -> bool:
    """Whether the expectation is met; a value that nobody can see meets none."""
    if expectation.check in VALUE_CHECKS and not view.visible:
        return False
    return _CHECKS[expectation.check](view, expectation.value)


_WANTED = {
    "nonEmpty": "have a value",
    "equals": "equal",
    "matches": "match",
    "visible": "be visible",
    "hidden": "be hidden",
    "enabled": "be enabled",
    "disabled": "be disabled",
}


def wanted(expectation: ExpectBody) -> str:
    """What was expected, as words that follow "should"."""
    words = _WANTED[expectation.check]
    return f"{words} {compact_json(expectation.value)}" if expectation.check in ("equals", "matches") else words


def found(expectation: ExpectBody, view: WidgetView) -> str:
    """What stood in the way, as a clause that follows "should" and a colon."""
    if expectation.check == "matches" and (fault := _pattern_fault(expectation.value)) is not None:
        return f"that is no valid regular expression ({fault})"
    if expectation.check in ("enabled", "disabled"):
        return f"it is {'disabled' if view.disabled else 'enabled'}"
    if not view.visible:
        return "it is hidden"
    if expectation.check == "hidden":
        return "it is visible"
    value = shown(view)
    text = as_text(value)
    if text == "":
        return "it is empty"
    return f"it is {compact_json(_cut(text)) if isinstance(value, str) else _cut(text)}"


def _pattern_fault(pattern: Any) -> str | None:
    try:
        regex.compile(str(pattern))
    except regex.error as error:
        return str(error)
    return None


def _cut(text: str) -> str:
    return f"{text[:200]}…" if len(text) > 200 else text
