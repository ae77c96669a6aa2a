"""What a provider of models is asked and what it answers, as plain data that a recording can hold.

Language models are pydantic-ai models and not described here: `Providers.provider("language_model", name)` returns one.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, Final, Literal, Protocol, Self, TypeAlias, get_args

from pydantic import BeforeValidator, PlainSerializer, TypeAdapter

from greenrun.workflows.providers.errors import ProviderError as ProviderError
from greenrun.workflows.providers.errors import classify as classify

Kind: TypeAlias = Literal["language_model", "image_model", "video_model", "tts_model", "asr_model", "embedding_model"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

NOUNS: Final[dict[str, str]] = {
    "language_model": "language models",
    "image_model": "images",
    "video_model": "videos",
    "tts_model": "speech",
    "asr_model": "transcription",
    "embedding_model": "embeddings",
}
"""Kind of model in words, as in ``no provider "fal_ai" for images``."""

ImageTask: TypeAlias = Literal["text_to_image", "image_to_image", "upscale", "remove_background", "relight"]
VideoTask: TypeAlias = Literal["text_to_video", "image_to_video", "video_to_video", "lip_sync"]


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _decoded(data: Any) -> Any:
    return base64.b64decode(data, validate=True) if isinstance(data, str) else data


Content: TypeAlias = Annotated[
    bytes, BeforeValidator(_decoded), PlainSerializer(_encoded, return_type=str, when_used="json")
]
"""Bytes, in JSON as base64."""


class Jsonable:
    """A dataclass that is also a JSON record."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        """The fields by name; bytes in base64."""
        return _adapter(type(self)).dump_python(self, mode="json")

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`. Fields that are missing get their defaults, unknown ones are ignored.

        Raises:
            ValueError: It is no such record.
        """
        return _adapter(cls).validate_python(data)


@cache
def _adapter(cls: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(cls)


@dataclass(frozen=True, slots=True)
class Media(Jsonable):
    """Bytes and what they are: ``image/png``, ``audio/wav``, ``video/mp4``."""

    data: Content = field(repr=False)
    mime: str


@dataclass(frozen=True, slots=True)
class ImageRequest(Jsonable):
    """An image from a text, or from `images` and a text. `options` are passed on as the provider names them.

    `aspect_ratio` such as ``16:9``, `resolution` such as ``1K``; empty means the provider's own choice.
    """

    prompt: str = ""
    negative_prompt: str = ""
    aspect_ratio: str = ""
    resolution: str = ""
    images: tuple[Media, ...] = ()
    task: ImageTask = "text_to_image"
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VideoRequest(Jsonable):
    """A video from a text, an image, a video, or a video and a voice. `duration` in seconds."""

    task: VideoTask = "image_to_video"
    prompt: str = ""
    image: Media | None = None
    video: Media | None = None
    audio: Media | None = None
    duration: float | None = None
    resolution: str = ""
    aspect_ratio: str = ""
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SpeechRequest(Jsonable):
    """A text to be spoken. An empty `voice` is the provider's own; `speed` 1 is normal."""

    text: str
    voice: str = ""
    speed: float = 1.0
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TranscriptionRequest(Jsonable):
    """Speech to be written down. `language` is a code such as ``en``, empty to detect it."""

    audio: Media
    language: str = ""
    prompt: str = ""
    temperature: float = 0.0


@dataclass(frozen=True, slots=True)
class EmbeddingRequest(Jsonable):
    """Texts to be embedded, one vector each."""

    texts: tuple[str, ...]


Request: TypeAlias = ImageRequest | VideoRequest | SpeechRequest | TranscriptionRequest | EmbeddingRequest


@dataclass(frozen=True, slots=True)
class MediaResult(Jsonable):
    """An image, a video or speech. `cost` in US dollars, None when it is not known."""

    media: Media
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class TextResult(Jsonable):
    """What was said. `cost` in US dollars, None when it is not known."""

    text: str
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class EmbeddingResult(Jsonable):
    """One vector per text, in their order. `cost` in US dollars, None when it is not known."""

    vectors: tuple[tuple[float, ...], ...]
    cost: float | None = None


Result: TypeAlias = MediaResult | TextResult | EmbeddingResult


class ImageProvider(Protocol):
    """Makes and changes images."""

    async def generate(self, request: ImageRequest) -> MediaResult:
        """One image.

        Raises:
            ProviderError: The provider did not make one; the text says why.
        """
        ...


class VideoProvider(Protocol):
    """Makes and changes videos."""

    async def generate(self, request: VideoRequest) -> MediaResult:
        """One video.

        Raises:
            ProviderError: The provider did not make one; the text says why.
        """
        ...


class SpeechProvider(Protocol):
    """Speaks."""

    async def speak(self, request: SpeechRequest) -> MediaResult:
        """The text as audio.

        Raises:
            ProviderError: The provider did not speak; the text says why.
        """
        ...


class TranscriptionProvider(Protocol):
    """Writes down what is said."""

    async def transcribe(self, request: TranscriptionRequest) -> TextResult:
        """The text of the audio.

        Raises:
            ProviderError: The provider did not answer; the text says why.
        """
        ...


class EmbeddingProvider(Protocol):
    """Turns texts into vectors."""

    async def embed(self, request: EmbeddingRequest) -> EmbeddingResult:
        """One vector per text.

        Raises:
            ProviderError: The provider did not answer; the text says why.
        """
        ...


class Providers(Protocol):
    """Finds a model by kind and name."""

    def provider(self, kind: str, name: str) -> Any:
        """The model that a node chose: ``provider("image_model", "openai:gpt-image-1")``.

        It is a pydantic-ai `Model` for the kind ``language_model``, and one of the provider protocols above otherwise.

        Raises:
            NodeError: It is not known or not configured; the text names it and says what to set or to install.
        """
        ...


METHODS: Final[dict[str, tuple[str, type[Any], type[Any]]]] = {
    "image_model": ("generate", ImageRequest, MediaResult),
    "video_model": ("generate", VideoRequest, MediaResult),
    "tts_model": ("speak", SpeechRequest, MediaResult),
    "asr_model": ("transcribe", TranscriptionRequest, TextResult),
    "embedding_model": ("embed", EmbeddingRequest, EmbeddingResult),
}
"""Kind of a model that is not a language model: its method, and the types of its request and its result."""
