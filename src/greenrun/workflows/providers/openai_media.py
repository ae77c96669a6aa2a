"""Images, speech, transcription and embeddings of servers that speak as OpenAI's does."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import httpx

from greenrun.document.errors import JsonReadError
from greenrun.document.json_text import read_json
from greenrun.workflows.media.sniff import UNKNOWN, canonical_mime, extension_of, sniff
from greenrun.workflows.node import NodeError
from greenrun.workflows.providers.errors import ProviderError, classify
from greenrun.workflows.providers.interface import (
    EmbeddingRequest,
    EmbeddingResult,
    ImageRequest,
    Media,
    MediaResult,
    SpeechRequest,
    TextResult,
    TranscriptionRequest,
)
from greenrun.workflows.providers.prices import token_price

MOST_BYTES: Final = 64 * 1024 * 1024
"""The largest answer that is read, and the most media that is sent with a request."""

MOST_IMAGES: Final = 16
MOST_TEXTS: Final = 2048

_SIZE: Final = re.compile(r"\d{2,5}x\d{2,5}")
_RATIO: Final = re.compile(r"(\d{1,5}(?:\.\d+)?)\s*[:x/]\s*(\d{1,5}(?:\.\d+)?)")
_NEARLY_SQUARE: Final = 1.15

_SIZES: Final[dict[str, tuple[str, str, str]]] = {
    "dall-e-2": ("1024x1024", "1024x1024", "1024x1024"),
    "dall-e-3": ("1024x1024", "1792x1024", "1024x1792"),
    "": ("1024x1024", "1536x1024", "1024x1536"),
}
"""Beginning of a model's name to its sizes: square, wide, high."""

_PROMPTS: Final[dict[str, str]] = {
    "remove_background": "Remove the background and leave the main subject unchanged.",
    "relight": "Relight the picture and leave everything else unchanged.",
    "image_to_image": "Make a variation of this picture.",
}
"""What is asked for where the node's prompt is empty."""


class _Refused(Exception):
    """An answer with an HTTP status that says no."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"HTTP {status}")
        self.status_code = status
        self.body = body


class Endpoint:
    """One server and the key for it; `client` gives the client that reaches it. No guard: the address is the user's own."""

    def __init__(self, provider: str, url: str, key: str | None, client: Callable[[], httpx.AsyncClient]) -> None:
        self.provider = provider
        self._url = url.rstrip("/")
        self._key = key
        self._client = client

    async def post(
        self,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        form: Mapping[str, str] | None = None,
        files: list[tuple[str, tuple[str, bytes, str]]] | None = None,
    ) -> tuple[bytes, str]:
        """The answer's bytes and MIME type.

        Raises:
            ProviderError: The server cannot be reached, refuses, or answers too much.
        """
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        address = f"{self._url}/{path}"
        try:
            async with self._client().stream(
                "POST", address, json=body, data=form, files=files, headers=headers
            ) as response:
                content = await self._read(response)
                if response.status_code >= 400:
                    raise _Refused(response.status_code, _json_or_none(content))
                return content, canonical_mime(response.headers.get("content-type", ""))
        except NodeError:
            raise
        except Exception as error:
            # Without the original, whose request holds the key.
            raise self._failure(error) from None

    async def post_json(self, path: str, **given: Any) -> dict[str, Any]:
        """The answer as a JSON object (see `post`)."""
        content, _ = await self.post(path, **given)
        answer = _json_or_none(content)
        if not isinstance(answer, dict):
            raise self.unusable("it is no JSON object")
        return answer

    def unusable(self, why: str) -> ProviderError:
        """An answer came, and it is not what was asked for."""
        return ProviderError(
            f"the answer of {self.provider} cannot be used: {why}", kind="server", provider=self.provider
        )

    def refused(self, why: str) -> ProviderError:
        """What is asked for is not sent, because the server cannot do it."""
        return ProviderError(f"{self.provider} {why}", kind="client", provider=self.provider)

    async def _read(self, response: httpx.Response) -> bytes:
        chunks: list[bytes] = []
        size = 0
        async for chunk in response.aiter_bytes():
            size += len(chunk)
            if size > MOST_BYTES:
                raise self.unusable(f"it is larger than {MOST_BYTES:,} bytes")
            chunks.append(chunk)
        return b"".join(chunks)

    def _failure(self, error: Exception) -> ProviderError:
        return classify(error, self.provider, secrets=(self._key,) if self._key else ())


class OpenAIImages:
    """Makes images, and changes given ones through the edits endpoint."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self._endpoint = endpoint
        self._model = model

    async def generate(self, request: ImageRequest) -> MediaResult:
        """One image (see `ImageProvider`)."""
        self._check(request)
        fields = self._fields(request)
        if request.images:
            form = {name: _form_text(value) for name, value in fields.items()}
            many = len(request.images) > 1
            files = [
                ("image[]" if many else "image", (f"image-{index}.{extension_of(item.mime)}", item.data, item.mime))
                for index, item in enumerate(request.images, 1)
            ]
            answer = await self._endpoint.post_json("images/edits", form=form, files=files)
        else:
            answer = await self._endpoint.post_json("images/generations", body=fields)
        return MediaResult(self._image(answer), self._cost(answer))

    def _check(self, request: ImageRequest) -> None:
        if request.task == "upscale":
            raise self._endpoint.refused("does not enlarge pictures; choose a model of a provider that does")
        if request.task != "text_to_image" and not request.images:
            raise self._endpoint.refused("needs a picture for this; connect one")
        if not request.prompt.strip() and request.task not in _PROMPTS:
            raise self._endpoint.refused("needs a prompt for this; write one")
        if len(request.images) > MOST_IMAGES:
            raise self._endpoint.refused(f"takes at most {MOST_IMAGES} pictures; give it fewer")
        if sum(len(image.data) for image in request.images) > MOST_BYTES:
            raise self._endpoint.refused(f"takes at most {MOST_BYTES:,} bytes of pictures; make them smaller")

    def _fields(self, request: ImageRequest) -> dict[str, Any]:
        prompt = request.prompt.strip() or _PROMPTS[request.task]
        if request.negative_prompt.strip():
            # There is no parameter for it.
            prompt = f"{prompt}\n\nAvoid: {request.negative_prompt.strip()}"
        fields: dict[str, Any] = {"model": self._model, "prompt": prompt, "n": 1}
        if size := self._size(request):
            fields["size"] = size
        if "gpt-image" not in self._model:
            # Newer models send the picture itself and do not know this parameter; older ones would send a link.
            fields["response_format"] = "b64_json"
        elif request.task == "remove_background":
            fields["background"] = "transparent"
        return fields | request.options

    def _size(self, request: ImageRequest) -> str:
        if _SIZE.fullmatch(request.resolution.strip()):
            return request.resolution.strip()
        ratio = _RATIO.fullmatch(request.aspect_ratio.strip())
        if ratio is None or not float(ratio[1]) or not float(ratio[2]):
            return ""
        shape = float(ratio[1]) / float(ratio[2])
        square, wide, high = next(sizes for name, sizes in _SIZES.items() if self._model.startswith(name))
        if shape > _NEARLY_SQUARE:
            return wide
        return high if shape < 1 / _NEARLY_SQUARE else square

    def _image(self, answer: dict[str, Any]) -> Media:
        items = answer.get("data")
        first = items[0] if isinstance(items, list) and items else None
        encoded = first.get("b64_json") if isinstance(first, dict) else None
        if not isinstance(encoded, str) or not encoded:
            raise self._endpoint.unusable("it holds no picture")
        try:
            data = base64.b64decode(encoded, validate=True)
        except binascii.Error:
            raise self._endpoint.unusable("the picture in it is damaged") from None
        kind = sniff(data) or UNKNOWN
        if not kind.startswith("image/"):
            raise self._endpoint.unusable("what should be a picture is none")
        return Media(data, kind)

    def _cost(self, answer: dict[str, Any]) -> float | None:
        return _token_cost(f"{self._endpoint.provider}:{self._model}", answer)


class OpenAISpeech:
    """Speaks."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self._endpoint = endpoint
        self._model = model

    async def speak(self, request: SpeechRequest) -> MediaResult:
        """The text as audio (see `SpeechProvider`)."""
        if not request.text.strip():
            raise self._endpoint.refused("has nothing to speak; the text is empty")
        fields: dict[str, Any] = {"model": self._model, "input": request.text, "voice": request.voice or "alloy"}
        if request.speed != 1:
            fields["speed"] = request.speed
        data, mime = await self._endpoint.post("audio/speech", body=fields | request.options)
        kind = sniff(data) or mime
        if not data or not kind.startswith(("audio/", UNKNOWN)):
            raise self._endpoint.unusable("it holds no sound")
        return MediaResult(Media(data, "audio/mpeg" if kind == UNKNOWN else kind))


class OpenAITranscription:
    """Writes down what is said."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self._endpoint = endpoint
        self._model = model

    async def transcribe(self, request: TranscriptionRequest) -> TextResult:
        """The text of the audio (see `TranscriptionProvider`)."""
        audio = request.audio
        if not audio.data:
            raise self._endpoint.refused("has nothing to write down; the audio is empty")
        if len(audio.data) > MOST_BYTES:
            raise self._endpoint.refused(f"takes at most {MOST_BYTES:,} bytes of audio; make it shorter")
        form = {"model": self._model, "response_format": "json"}
        given = {"language": request.language, "prompt": request.prompt}
        form |= {name: value for name, value in given.items() if value}
        if request.temperature:
            form["temperature"] = f"{request.temperature:g}"
        file = (f"audio.{extension_of(audio.mime)}", audio.data, audio.mime)
        answer = await self._endpoint.post_json("audio/transcriptions", form=form, files=[("file", file)])
        text = answer.get("text")
        if not isinstance(text, str):
            raise self._endpoint.unusable("it holds no text")
        return TextResult(text, _token_cost(f"{self._endpoint.provider}:{self._model}", answer))


class OpenAIEmbeddings:
    """Turns texts into vectors."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self._endpoint = endpoint
        self._model = model

    async def embed(self, request: EmbeddingRequest) -> EmbeddingResult:
        """One vector per text (see `EmbeddingProvider`)."""
        if not request.texts:
            return EmbeddingResult((), 0.0)
        if len(request.texts) > MOST_TEXTS:
            raise self._endpoint.refused(f"takes at most {MOST_TEXTS:,} texts at once; give it fewer")
        body = {"model": self._model, "input": list(request.texts), "encoding_format": "float"}
        answer = await self._endpoint.post_json("embeddings", body=body)
        rows = answer.get("data")
        vectors = [_vector(row) for row in _in_order(rows)] if isinstance(rows, list) else []
        if len(vectors) != len(request.texts) or any(vector is None for vector in vectors):
            raise self._endpoint.unusable(f"it does not hold {len(request.texts)} vectors")
        return EmbeddingResult(
            tuple(vector for vector in vectors if vector is not None),
            _token_cost(f"{self._endpoint.provider}:{self._model}", answer),
        )


Made = Callable[[Endpoint, str], Any]

MEDIA: Final[dict[str, dict[str, Made]]] = {
    "image_model": {"openai": OpenAIImages},
    "tts_model": {"openai": OpenAISpeech},
    "asr_model": {"openai": OpenAITranscription, "vllm": OpenAITranscription},
    "embedding_model": {"openai": OpenAIEmbeddings, "ollama": OpenAIEmbeddings, "vllm": OpenAIEmbeddings},
}
"""Kind of model to the services that have some, and what asks them."""


def new_client(read_timeout: float, connect_timeout: float) -> httpx.AsyncClient:
    """The client for such servers; it follows no redirects, which would carry the key elsewhere."""
    return httpx.AsyncClient(timeout=httpx.Timeout(read_timeout, connect=connect_timeout))


def _json_or_none(content: bytes) -> Any:
    try:
        return read_json(content, max_bytes=MOST_BYTES).value
    except JsonReadError:
        return None


def _form_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _in_order(rows: list[Any]) -> list[Any]:
    return sorted(rows, key=lambda row: row["index"]) if all(_has_index(row) for row in rows) else rows


def _has_index(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get("index"), int)


def _vector(row: Any) -> tuple[float, ...] | None:
    numbers = row.get("embedding") if isinstance(row, dict) else None
    if not isinstance(numbers, list) or not numbers or not all(_is_number(item) for item in numbers):
        return None
    return tuple(float(item) for item in numbers)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _token_cost(model: str, answer: Mapping[str, Any]) -> float | None:
    usage = answer.get("usage")
    if not isinstance(usage, dict):
        return None
    into = usage.get("input_tokens", usage.get("prompt_tokens"))
    out = usage.get("output_tokens", 0)
    return token_price(model, into, out) if isinstance(into, int) and isinstance(out, int) else None
