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
    "nodetool.agents": "Agent Classifier CreateThread Decision EnhancePrompt Extractor Summarizer",
    "nodetool.audio": "TextToSpeech",
    "nodetool.code": "Code",
    "nodetool.creative": "Director ScreenplayShots",
    "nodetool.generators": "ChartGenerator DataGenerator ListGenerator SVGGenerator StructuredOutputGenerator",
    "nodetool.image": "ImageToImage Relight RemoveBackground SaveImageFile TextToImage Upscale",
    "nodetool.list": (
        "Average Chunk Dedupe Difference Extend Filter Flatten GetElement Intersection MapField Maximum Minimum "
        "Product Randomize SelectElements Transform Union"
    ),
    "nodetool.text": "AutomaticSpeechRecognition Embedding LoadTextAssets LoadTextFolder SaveText SaveTextFile",
    "nodetool.video": "Concat ExtractFrame ImageToVideo LipSync Resize VideoToVideo",
    "nodetool.workflows.subgraph": "Subgraph",
    "nodetool.workflows.workflow_node": "Workflow",
    "lib.datetime": "Add Diff Format Now StartEnd",
    "lib.http": "Delete GetBytes GetJSON GetText Patch Post Put",
    "lib.image.color": "BrightnessContrast",
    "lib.image.filter": "UnsharpMask",
    "lib.rss": "FetchRSSFeed",
    "vector": "Collection IndexTextChunk QueryText",
}

TYPES: Final = frozenset(f"{space}.{name}" for space, names in _BY_NAMESPACE.items() for name in names.split())
