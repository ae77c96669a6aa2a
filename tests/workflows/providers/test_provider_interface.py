from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from greenrun.workflows.providers.interface import (
    METHODS,
    EmbeddingRequest,
    EmbeddingResult,
    ImageRequest,
    Media,
    MediaResult,
    SpeechRequest,
    TextResult,
    TranscriptionRequest,
    VideoRequest,
)

PNG = Media(b"\x89PNG\xff\x00", "image/png")
VALUES: list[Any] = [
    PNG,
    ImageRequest("a cat", "dogs", "16:9", "1K", (PNG, PNG), "image_to_image", {"n": [1], "data": "AA==", "mime": "x"}),
    VideoRequest("lip_sync", "talk", video=PNG, audio=Media(b"", "audio/wav"), duration=2.5),
    SpeechRequest("hello", "alloy", 1.5, {"format": "mp3"}),
    TranscriptionRequest(Media(b"RIFF", "audio/wav"), "en", "names", 0.2),
    EmbeddingRequest(("a", "b")),
    MediaResult(PNG, 0.04),
    TextResult("said"),
    EmbeddingResult(((1.0, 0.5), (0.0, -1.0)), 0.1),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_survives_json(value: Any) -> None:
    assert type(value).from_json(value.to_json()) == value


def test_media_is_base64_in_json() -> None:
    assert Media(b"1", "image/png").to_json() == {"data": "MQ==", "mime": "image/png"}


def test_the_content_of_media_is_not_shown() -> None:
    assert "secret" not in repr(Media(b"secret", "text/plain"))


@pytest.mark.parametrize("data", [{"mime": "a"}, {"mime": "a", "data": "?"}, {"mime": 1, "data": ""}, [], None])
def test_something_else_is_no_media(data: Any) -> None:
    with pytest.raises(ValueError):
        Media.from_json(data)


def test_missing_fields_get_their_defaults_and_unknown_ones_are_ignored() -> None:
    assert SpeechRequest.from_json({"text": "hi", "later": 1}) == SpeechRequest("hi")


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(ValueError, match="task"):
        ImageRequest.from_json({"prompt": "x", "task": "juggle"})


@pytest.mark.parametrize("kind", METHODS)
def test_each_kind_names_a_method_and_the_types_of_its_values(kind: str) -> None:
    method, request, result = METHODS[kind]
    assert method in ("generate", "speak", "transcribe", "embed")
    assert hasattr(request, "to_json")
    assert hasattr(result, "from_json")


def test_importing_providers_loads_no_heavy_library() -> None:
    code = (
        "import sys, greenrun.workflows.providers.configured, greenrun.workflows.providers.scripted, "
        "greenrun.workflows.providers.recording\n"
        "print([name for name in ('pydantic_ai', 'openai', 'PIL', 'av', 'genai_prices') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
