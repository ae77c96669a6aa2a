from __future__ import annotations

from typing import Any

import pytest

from greenrun.workflows.model_choice import media_model_name, model_name
from greenrun.workflows.node import NodeError


@pytest.mark.case("NO-A9-1")
@pytest.mark.parametrize(
    ("provider", "model", "expected"),
    [
        ("gemini", "gemini-2.5-flash", "google-gla:gemini-2.5-flash"),
        ("openai", "gpt-5-mini", "openai:gpt-5-mini"),
        ("ollama", "llama3:8b", "ollama:llama3:8b"),
    ],
)
def test_a_choice_becomes_a_model_string(provider: str, model: str, expected: str) -> None:
    assert model_name({"type": "language_model", "provider": provider, "id": model}) == expected


@pytest.mark.case("NO-A9-1")
def test_an_unknown_provider_is_named() -> None:
    with pytest.raises(NodeError, match='provider "nope" is not known'):
        model_name({"type": "language_model", "provider": "nope", "id": "m"})


@pytest.mark.case("NO-A9-1")
@pytest.mark.parametrize(
    "choice",
    [{"provider": "empty", "id": "m"}, {"provider": "", "id": "m"}, {"provider": "openai", "id": ""}, {}, None],
)
def test_an_empty_choice_is_not_selected(choice: Any) -> None:
    for name in (model_name, media_model_name):
        with pytest.raises(NodeError, match="no model is selected"):
            name(choice)


def test_a_choice_of_another_kind_names_any_provider() -> None:
    choice = {"type": "image_model", "provider": "fal_ai", "id": "fal-ai/flux"}
    assert media_model_name(choice) == "fal_ai:fal-ai/flux"
