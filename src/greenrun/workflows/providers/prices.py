"""What a call to a model cost, and whether it was made at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from greenrun.workflows.providers.vendors import vendor_of

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse

REPLAYED: Final = "replayed"
RECORDED_COST: Final = "recorded_cost"
"""Keys of `ModelResponse.provider_details` in a response that comes from a recording."""


def price(model: str, usage: Any) -> float | None:
    """What `usage` of a model (``openai:gpt-5-mini``) costs in US dollars; None when nobody knows its price.

    `usage` has `input_tokens` and `output_tokens`, as a pydantic-ai usage has. A cost that stands in it counts as it is.
    """
    known = getattr(usage, "cost", None)
    if known is not None:
        return float(known)
    provider, _, name = model.partition(":")
    vendor = vendor_of(provider)
    if vendor is None:
        return None
    if vendor.local:
        return 0.0
    try:
        from genai_prices import calc_price

        total = calc_price(usage, model_ref=name, provider_id=vendor.prefix.partition("-")[0]).total_price
    except (ImportError, LookupError, ValueError):
        return None
    # Models that are priced by the second or the picture come out as free, which they are not.
    return float(total) or None


def token_price(model: str, input_tokens: int, output_tokens: int = 0) -> float | None:
    """`price` of tokens that are only counted."""
    try:
        from genai_prices import Usage
    except ImportError:
        return None
    return price(model, Usage(input_tokens=input_tokens, output_tokens=output_tokens))


def cost_of(model: str, response: ModelResponse) -> float | None:
    """What a response cost in US dollars: nothing when it was replayed, None when nobody knows."""
    return 0.0 if was_replayed(response) else price(model, response.usage)


def was_replayed(response: ModelResponse) -> bool:
    """Whether the response comes from a recording."""
    return (response.provider_details or {}).get(REPLAYED) is True
