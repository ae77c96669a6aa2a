from __future__ import annotations

import sys
from decimal import Decimal

import pytest

from greenrun.workflows.providers.prices import cost_of, price, token_price, was_replayed

pytest.importorskip("pydantic_ai", reason="needs pydantic-ai")

from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.usage import RequestUsage

TOKENS = RequestUsage(input_tokens=1_000_000, output_tokens=0)


def response(cost: float | None = None, **details: object) -> ModelResponse:
    usage = RequestUsage(input_tokens=10, output_tokens=5)
    usage.cost = None if cost is None else Decimal(str(cost))
    return ModelResponse(parts=[TextPart("x")], usage=usage, provider_details=dict(details) or None)


def test_a_known_model_has_a_price() -> None:
    assert price("openai:gpt-5-mini", TOKENS) == pytest.approx(0.25)


def test_the_name_of_the_specification_finds_the_price_too() -> None:
    assert price("google-gla:gemini-2.5-flash", TOKENS) == pytest.approx(0.3)


@pytest.mark.parametrize("model", ["openai:my-own", "elsewhere:gpt-5-mini", "openai:whisper-1"])
def test_an_unknown_price_is_none_and_not_nothing(model: str) -> None:
    assert price(model, TOKENS) is None


def test_a_server_of_ones_own_costs_nothing() -> None:
    assert price("ollama:llama3", TOKENS) == 0.0


def test_a_cost_that_the_provider_reports_counts() -> None:
    assert cost_of("openai:gpt-5-mini", response(0.5)) == 0.5


def test_counted_tokens_have_a_price() -> None:
    assert token_price("openai:text-embedding-3-small", 1_000_000) == pytest.approx(0.02)


def test_a_replayed_response_costs_nothing() -> None:
    replayed = response(0.5, replayed=True, recorded_cost=0.25)
    assert was_replayed(replayed)
    assert cost_of("openai:gpt-5-mini", replayed) == 0.0


def test_a_response_of_a_service_is_not_replayed() -> None:
    assert not was_replayed(response())


def test_without_a_list_of_prices_there_is_no_price(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert token_price("openai:gpt-5-mini", 10) is None
    assert price("openai:gpt-5-mini", TOKENS) is None
