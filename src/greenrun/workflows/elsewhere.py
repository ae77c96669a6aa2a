"""Node types that exist upstream under these names and not here, so that none is taken for a typing error."""

from __future__ import annotations

from typing import Final

NOT_YET: Final = "not available here yet"

NAMESPACES: Final = (
    "nodetool.",
    "lib.",
    "vector.",
    "anthropic.",
    "comfy.",
    "elevenlabs.",
    "fal.",
    "gemini.",
    "huggingface.",
    "kie.",
    "messaging.",
    "minimax.",
    "mistral.",
    "mlx.",
    "ollama.",
    "openai.",
    "replicate.",
    "search.",
    "skills.",
    "together.",
    "topaz.",
    "transformers.",
)

_BY_NAMESPACE: Final[dict[str, str]] = {
    "nodetool.creative": "Director ScreenplayShots",
    "nodetool.list": "Filter MapField Randomize Transform",
    "vector": "Collection IndexTextChunk QueryText",
}

TYPES: Final = frozenset(f"{space}.{name}" for space, names in _BY_NAMESPACE.items() for name in names.split())
