"""The services whose language models can be asked, and the environment variables that hold their keys and addresses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Vendor:
    """One service. `prefix` is its name in the model library's strings, `extra` what brings its client.

    `keys` are the environment variables that may hold the key, `url_key` the one that may hold another address and `url` the
    address otherwise. `local`: it needs no key.
    """

    prefix: str
    keys: tuple[str, ...] = ()
    url_key: str | None = None
    url: str | None = None
    extra: str = "openai"
    local: bool = False

    @property
    def key(self) -> str | None:
        """The environment variable to name when the key is missing or refused."""
        return self.keys[0] if self.keys else None


VENDORS: Final[dict[str, Vendor]] = {
    "anthropic": Vendor(
        "anthropic", ("ANTHROPIC_API_KEY",), "ANTHROPIC_BASE_URL", "https://api.anthropic.com", extra="anthropic"
    ),
    "cerebras": Vendor("cerebras", ("CEREBRAS_API_KEY",)),
    "cohere": Vendor("cohere", ("CO_API_KEY",), extra="cohere"),
    "deepseek": Vendor("deepseek", ("DEEPSEEK_API_KEY",)),
    "fireworks": Vendor("fireworks", ("FIREWORKS_API_KEY",)),
    "google": Vendor(
        "google",
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        "GOOGLE_GEMINI_BASE_URL",
        "https://generativelanguage.googleapis.com",
        extra="google",
    ),
    "groq": Vendor("groq", ("GROQ_API_KEY",), extra="groq"),
    "mistral": Vendor("mistral", ("MISTRAL_API_KEY",), extra="mistral"),
    "moonshotai": Vendor("moonshotai", ("MOONSHOTAI_API_KEY",)),
    "ollama": Vendor("ollama", ("OLLAMA_API_KEY",), "OLLAMA_BASE_URL", "http://localhost:11434/v1", local=True),
    "openai": Vendor("openai", ("OPENAI_API_KEY",), "OPENAI_BASE_URL", "https://api.openai.com/v1"),
    "openai-chat": Vendor("openai-chat", ("OPENAI_API_KEY",), "OPENAI_BASE_URL", "https://api.openai.com/v1"),
    "openai-responses": Vendor("openai-responses", ("OPENAI_API_KEY",), "OPENAI_BASE_URL", "https://api.openai.com/v1"),
    "openrouter": Vendor("openrouter", ("OPENROUTER_API_KEY",)),
    "together": Vendor("together", ("TOGETHER_API_KEY",)),
    "vllm": Vendor("vllm", ("VLLM_API_KEY",), "VLLM_BASE_URL", local=True),
    "xai": Vendor("xai", ("XAI_API_KEY",), extra="xai"),
}
"""Name in a model string to the service."""

ALIASES: Final[dict[str, str]] = {"gemini": "google", "google-gla": "google"}
"""Other names of the same service; ``google-gla`` is the one of the specification (spec: nodes A9)."""


def vendor_of(name: str) -> Vendor | None:
    """The service of that name; None when it is not known."""
    return VENDORS.get(ALIASES.get(name, name))
