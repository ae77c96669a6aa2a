"""A model choice of a graph as the name under which its provider is asked for (spec: nodes A9)."""

from __future__ import annotations

from typing import Any, Final

from greenrun.workflows.node import NodeError
from greenrun.workflows.type_meta import is_selected_model

PREFIXES: Final[dict[str, str]] = {
    "anthropic": "anthropic",
    "cerebras": "cerebras",
    "cohere": "cohere",
    "deepseek": "deepseek",
    "fireworks": "fireworks",
    "gemini": "google-gla",
    "groq": "groq",
    "mistral": "mistral",
    "moonshotai": "moonshotai",
    "ollama": "ollama",
    "openai": "openai",
    "openrouter": "openrouter",
    "together": "together",
    "vllm": "vllm",
    "xai": "xai",
}
"""Providers of language models: their name in a graph and in a model string."""


def model_name(choice: Any) -> str:
    """``{"provider": "openai", "id": "gpt-5-mini"}`` as ``openai:gpt-5-mini``.

    Raises:
        NodeError: No model is selected, or its provider is not known; the text names it.
    """
    if not is_selected_model(choice):
        raise NodeError("no model is selected; choose a provider and a model")
    provider: str = choice["provider"]
    prefix = PREFIXES.get(provider)
    if prefix is None:
        raise NodeError(f'the model provider "{provider}" is not known here; known: {", ".join(PREFIXES)}')
    return f"{prefix}:{choice['id']}"


def media_model_name(choice: Any) -> str:
    """``{"provider": "fal_ai", "id": "fal-ai/flux"}`` as ``fal_ai:fal-ai/flux``, for models of images, video and sound.

    Any provider may be named; whether it is available shows when it is asked for.

    Raises:
        NodeError: No model is selected.
    """
    if not is_selected_model(choice):
        raise NodeError("no model is selected; choose a provider and a model")
    return f"{choice['provider']}:{choice['id']}"
