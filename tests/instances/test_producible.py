"""Which values a widget could produce: harness 3.4.3."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.catalog import WIDGETS
from greenrun.instances.producible import objection

OPTIONS = ({"value": "a", "label": "A"}, {"value": "b", "label": "B", "disabled": True})

FITTING: list[tuple[str, Any]] = [
    ("TextInput", ""),
    ("NumberInput", 2.5),
    ("Slider", 3),
    ("Switch", False),
    ("Select", "a"),
    ("RadioGroup", "a"),
    ("ChoiceCards", "a"),
    ("Stepper", "a"),
    ("CheckboxGroup", []),
    ("CheckboxGroup", ["a", "b"]),
    ("Approval", "rejected"),
    ("ImageSizeInput", {"width": 1, "height": 2.5}),
    ("ImageInput", {"type": "image", "uri": "file:///a.png"}),
    ("AudioInput", {"type": "audio", "asset_id": "x"}),
    ("ColorInput", {"type": "color", "value": "#fff"}),
    ("DataFrameInput", {"type": "dataframe", "columns": []}),
    ("ModelSelect", {"type": "language_model", "id": "m"}),
    ("MediaListInput", []),
    ("Markdown", object()),
]

IMPOSSIBLE: list[tuple[str, Any, str]] = [
    ("TextInput", 1, "it produces text"),
    ("Slider", "x", "it produces a number"),
    ("NumberInput", True, "it produces a number"),
    ("Switch", 1, "it produces true or false"),
    ("Select", "c", 'it offers "a", "b"'),
    ("Select", 1, "it produces the text of one of its options"),
    ("ChoiceCards", "b", 'its option "b" is disabled'),
    ("CheckboxGroup", "a", "it produces a list of its checked options"),
    ("CheckboxGroup", ["a", "c"], 'it offers "a", "b"'),
    ("Approval", "maybe", 'it produces "approved" or "rejected"'),
    ("ImageSizeInput", {"width": 1}, "it produces an object with numbers width and height"),
    ("ImageSizeInput", [1, 2], "it produces an object with numbers width and height"),
    ("ImageInput", "a.png", "it produces a file: an object with type and uri or asset_id"),
    ("AudioInput", {"asset_id": "x"}, "it produces a file: an object with type and uri or asset_id"),
    ("VideoInput", {"type": "video", "uri": ""}, "it produces a file: an object with type and uri or asset_id"),
    ("ColorInput", "#fff", "it produces a colour: an object with type, value"),
    ("DataFrameInput", {"columns": []}, "it produces a table: an object with type, columns"),
    ("MediaListInput", {}, "it produces a list"),
]


@pytest.mark.parametrize(("type_", "value"), FITTING)
def test_a_value_that_the_widget_could_produce_is_let_through(type_: str, value: Any) -> None:
    assert objection(type_, value, OPTIONS) is None


@pytest.mark.parametrize(("type_", "value", "why"), IMPOSSIBLE)
def test_any_other_value_is_refused_with_what_would_fit(type_: str, value: Any, why: str) -> None:
    assert objection(type_, value, OPTIONS) == why


def test_a_choice_without_options_says_that_it_offers_nothing() -> None:
    assert objection("Select", "a") == "it offers nothing"


@pytest.mark.parametrize("type_", sorted(WIDGETS))
def test_null_clears_any_widget(type_: str) -> None:
    assert objection(type_, None, OPTIONS) is None
