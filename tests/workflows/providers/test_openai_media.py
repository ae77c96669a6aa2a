from __future__ import annotations

import asyncio
import base64
import json
import traceback
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from greenrun.workflows.node import NodeError
from greenrun.workflows.providers import configured as configured_module
from greenrun.workflows.providers import openai_media
from greenrun.workflows.providers.configured import ConfiguredProviders
from greenrun.workflows.providers.errors import ProviderError
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
from openai_server import OpenAIServer, Reply, cut, failure, garbage, media, raw, stall, text, vectors

Configured = Callable[..., AbstractAsyncContextManager[ConfiguredProviders]]

PNG = Media(b"\x89PNG\r\n\x1a\nrest", "image/png")
WAV = Media(b"RIFF\0\0\0\0WAVEfmt ", "audio/wav")

CALLS: dict[str, tuple[str, str, Any]] = {
    "image": ("image_model", "openai:gpt-image-1", ImageRequest("a cat")),
    "speech": ("tts_model", "openai:tts-1", SpeechRequest("hello")),
    "transcription": ("asr_model", "openai:whisper-1", TranscriptionRequest(WAV)),
    "embedding": ("embedding_model", "openai:text-embedding-3-small", EmbeddingRequest(("a", "b"))),
}


async def ask(providers: ConfiguredProviders, kind: str, name: str, request: Any) -> Any:
    methods = {"image_model": "generate", "tts_model": "speak", "asr_model": "transcribe", "embedding_model": "embed"}
    return await getattr(providers.provider(kind, name), methods[kind])(request)


@pytest.fixture
def asking(server: OpenAIServer, configured: Configured) -> Callable[..., Any]:
    """Asks the server one thing."""

    async def once(kind: str, name: str, request: Any) -> Any:
        async with configured(server) as providers:
            return await ask(providers, kind, name, request)

    return once


async def test_a_picture_is_made(server: OpenAIServer, asking: Callable[..., Any], key: str) -> None:
    server.reply(media(PNG.data))
    assert await asking("image_model", "openai:gpt-image-1", ImageRequest("a cat")) == MediaResult(PNG)
    (request,) = server.requests
    assert request.path == "/v1/images/generations"
    assert request.headers["authorization"] == f"Bearer {key}"
    assert request.body == {"model": "gpt-image-1", "prompt": "a cat", "n": 1}


async def test_older_models_are_asked_for_the_picture_and_not_for_a_link(
    server: OpenAIServer, asking: Callable[..., Any]
) -> None:
    await asking("image_model", "openai:dall-e-3", ImageRequest("a cat"))
    assert server.requests[0].body["response_format"] == "b64_json"


@pytest.mark.parametrize(
    ("model", "aspect_ratio", "resolution", "size"),
    [
        ("gpt-image-1", "16:9", "", "1536x1024"),
        ("gpt-image-1", "9:16", "1K", "1024x1536"),
        ("gpt-image-1", "1:1", "", "1024x1024"),
        ("dall-e-3", "16:9", "", "1792x1024"),
        ("dall-e-2", "16:9", "", "1024x1024"),
        ("gpt-image-1", "16:9", "512x512", "512x512"),
        ("gpt-image-1", "wide", "1K", None),
        ("gpt-image-1", "0:9", "", None),
    ],
)
async def test_the_shape_becomes_a_size_that_the_model_knows(
    model: str, aspect_ratio: str, resolution: str, size: str | None, server: OpenAIServer, asking: Callable[..., Any]
) -> None:
    request = ImageRequest("a cat", aspect_ratio=aspect_ratio, resolution=resolution)
    await asking("image_model", f"openai:{model}", request)
    assert server.requests[0].body.get("size") == size


async def test_what_to_avoid_is_said_in_the_prompt(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    await asking("image_model", "openai:gpt-image-1", ImageRequest("a cat", negative_prompt="dogs"))
    assert server.requests[0].body["prompt"] == "a cat\n\nAvoid: dogs"


async def test_options_are_passed_on(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    await asking("image_model", "openai:gpt-image-1", ImageRequest("a cat", options={"quality": "low"}))
    assert server.requests[0].body["quality"] == "low"


async def test_given_pictures_go_to_the_edits_endpoint(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    request = ImageRequest("a hat", images=(PNG, PNG), task="image_to_image", options={"n": 1})
    await asking("image_model", "openai:gpt-image-1", request)
    (received,) = server.requests
    assert received.path == "/v1/images/edits"
    assert [(file.name, file.mime, file.data) for file in received.body["image[]"]] == [
        ("image-1.png", "image/png", PNG.data),
        ("image-2.png", "image/png", PNG.data),
    ]
    assert (received.body["prompt"], received.body["n"]) == ("a hat", "1")


async def test_a_background_is_removed_without_a_prompt(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    await asking("image_model", "openai:gpt-image-1", ImageRequest(images=(PNG,), task="remove_background"))
    body = server.requests[0].body
    assert body["background"] == "transparent"
    assert body["prompt"].startswith("Remove the background")
    assert body["image"].data == PNG.data


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (ImageRequest("x", images=(PNG,), task="upscale"), "does not enlarge pictures"),
        (ImageRequest("x", task="relight"), "needs a picture"),
        (ImageRequest(" "), "needs a prompt"),
        (ImageRequest("x", images=(PNG,) * 17, task="image_to_image"), "at most 16 pictures"),
    ],
)
async def test_a_picture_that_cannot_be_made_is_not_asked_for(
    request_: ImageRequest, said: str, server: OpenAIServer, asking: Callable[..., Any]
) -> None:
    with pytest.raises(ProviderError, match=said) as caught:
        await asking("image_model", "openai:gpt-image-1", request_)
    assert caught.value.kind == "client"
    assert server.requests == []


async def test_pictures_that_are_too_large_are_not_sent(
    server: OpenAIServer, asking: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_media, "MOST_BYTES", 5)
    with pytest.raises(ProviderError, match="at most 5 bytes of pictures"):
        await asking("image_model", "openai:gpt-image-1", ImageRequest("x", images=(PNG,), task="image_to_image"))
    with pytest.raises(ProviderError, match="at most 5 bytes of audio"):
        await asking("asr_model", "openai:whisper-1", TranscriptionRequest(WAV))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"data": []}, "it holds no picture"),
        ({"data": [{"url": "http://example.com/a.png"}]}, "it holds no picture"),
        ({"data": [{"b64_json": "?"}]}, "the picture in it is damaged"),
        ({"data": [{"b64_json": "bm90aGluZw=="}]}, "what should be a picture is none"),
        ([], "it is no JSON object"),
    ],
)
async def test_an_answer_without_a_picture_is_told(
    answer: Any, said: str, server: OpenAIServer, asking: Callable[..., Any]
) -> None:
    server.reply(raw(json.dumps(answer).encode()))
    with pytest.raises(ProviderError, match=f"the answer of openai cannot be used: {said}"):
        await asking("image_model", "openai:gpt-image-1", ImageRequest("a cat"))


async def test_the_tokens_of_a_picture_have_a_price(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    pytest.importorskip("genai_prices", reason="needs genai-prices")
    answer = {
        "data": [{"b64_json": base64.b64encode(PNG.data).decode()}],
        "usage": {"input_tokens": 1000, "output_tokens": 100},
    }
    server.reply(raw(json.dumps(answer).encode()))
    result = await asking("image_model", "openai:gpt-image-1", ImageRequest("a cat"))
    assert result.cost == pytest.approx(0.009)


async def test_a_text_is_spoken(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    server.reply(media(WAV.data))
    result = await asking("tts_model", "openai:tts-1", SpeechRequest("hello", "nova", 1.5, {"response_format": "wav"}))
    assert result == MediaResult(WAV)
    assert server.requests[0].body == {
        "model": "tts-1",
        "input": "hello",
        "voice": "nova",
        "speed": 1.5,
        "response_format": "wav",
    }


async def test_a_voice_is_chosen_where_none_is_given(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    await asking("tts_model", "openai:tts-1", SpeechRequest("hello"))
    assert server.requests[0].body["voice"] == "alloy"


async def test_an_empty_text_is_not_spoken(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    with pytest.raises(ProviderError, match="the text is empty"):
        await asking("tts_model", "openai:tts-1", SpeechRequest("  "))
    assert server.requests == []


@pytest.mark.parametrize("answer", [b"", b"<html>maintenance</html>"])
async def test_an_answer_without_a_sound_is_told(
    answer: bytes, server: OpenAIServer, asking: Callable[..., Any]
) -> None:
    server.reply(media(answer) if answer == b"" else Reply(media=answer))
    with pytest.raises(ProviderError, match="it holds no sound"):
        await asking("tts_model", "openai:tts-1", SpeechRequest("hello"))


async def test_speech_is_written_down(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    server.reply(text("good morning"))
    request = TranscriptionRequest(WAV, "en", "names: Ada", 0.2)
    assert await asking("asr_model", "openai:whisper-1", request) == TextResult("good morning")
    body = server.requests[0].body
    assert {name: body[name] for name in ("model", "language", "prompt", "temperature")} == {
        "model": "whisper-1",
        "language": "en",
        "prompt": "names: Ada",
        "temperature": "0.2",
    }
    assert (body["file"].name, body["file"].data) == ("audio.wav", WAV.data)


async def test_no_audio_is_not_sent(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    with pytest.raises(ProviderError, match="the audio is empty"):
        await asking("asr_model", "openai:whisper-1", TranscriptionRequest(Media(b"", "audio/wav")))
    assert server.requests == []


async def test_an_answer_without_a_text_is_told(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    server.reply(raw(b"{}"))
    with pytest.raises(ProviderError, match="it holds no text"):
        await asking("asr_model", "openai:whisper-1", TranscriptionRequest(WAV))


async def test_each_text_gets_its_vector(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    rows = [{"index": 1, "embedding": [3, 4]}, {"index": 0, "embedding": [1, 2]}]
    server.reply(raw(json.dumps({"data": rows}).encode()))
    result = await asking("embedding_model", "openai:text-embedding-3-small", EmbeddingRequest(("a", "b")))
    assert result == EmbeddingResult(((1.0, 2.0), (3.0, 4.0)))
    assert server.requests[0].body["input"] == ["a", "b"]


async def test_vectors_without_a_place_stay_in_order(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    server.reply(raw(json.dumps({"data": [{"embedding": [1]}, {"embedding": [2]}]}).encode()))
    result = await asking("embedding_model", "openai:text-embedding-3-small", EmbeddingRequest(("a", "b")))
    assert result.vectors == ((1.0,), (2.0,))


async def test_embeddings_have_a_price(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    pytest.importorskip("genai_prices", reason="needs genai-prices")
    server.reply(vectors([1.0]))
    result = await asking("embedding_model", "openai:text-embedding-3-small", EmbeddingRequest(("a b c",)))
    assert result.cost == pytest.approx(3 * 0.02 / 1_000_000)


@pytest.mark.parametrize(
    "data",
    [[[1.0]], [{"embedding": []}, {"embedding": [1]}], [{"embedding": ["x"]}, {"embedding": [1]}], None, [1, 2]],
)
async def test_an_answer_with_other_vectors_is_told(
    data: Any, server: OpenAIServer, asking: Callable[..., Any]
) -> None:
    server.reply(raw(json.dumps({"data": data}).encode()))
    with pytest.raises(ProviderError, match="it does not hold 2 vectors"):
        await asking("embedding_model", "openai:text-embedding-3-small", EmbeddingRequest(("a", "b")))


async def test_no_texts_need_no_call(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    assert (await asking("embedding_model", "openai:m", EmbeddingRequest(()))).vectors == ()
    assert server.requests == []


async def test_too_many_texts_are_not_sent(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    with pytest.raises(ProviderError, match="at most 2,048 texts"):
        await asking("embedding_model", "openai:m", EmbeddingRequest(("a",) * 2_049))


FAILURES: dict[str, tuple[Reply, str]] = {
    "auth": (failure(401), "auth"),
    "payment": (failure(402), "payment"),
    "not found": (failure(404), "not_found"),
    "rate limit": (failure(429), "rate_limit"),
    "server": (failure(500), "server"),
    "cut": (cut(), "network"),
    "garbage": (garbage(), "server"),
    "stall": (stall(), "timeout"),
}


@pytest.mark.parametrize("failing", FAILURES)
@pytest.mark.parametrize("call", CALLS)
async def test_a_failure_has_a_kind_and_no_key_in_it(
    call: str,
    failing: str,
    server: OpenAIServer,
    configured: Configured,
    key: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(configured_module, "MEDIA_TIMEOUT", 0.05)
    reply, kind = FAILURES[failing]
    server.reply(reply)
    async with configured(server, read_timeout=0.05 if failing == "stall" else 5.0) as providers:
        with pytest.raises(ProviderError) as caught:
            await ask(providers, *CALLS[call])
    assert caught.value.kind == kind
    assert key not in "".join(traceback.format_exception(caught.value))


async def test_an_answer_that_is_too_large_is_given_up(
    server: OpenAIServer, asking: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_media, "MOST_BYTES", 1_000)
    server.reply(media(WAV.data + b"\0" * 2_000))
    with pytest.raises(ProviderError, match="larger than 1,000 bytes"):
        await asking("tts_model", "openai:tts-1", SpeechRequest("hello"))


async def test_a_redirect_does_not_take_the_key_elsewhere(server: OpenAIServer, asking: Callable[..., Any]) -> None:
    server.reply(Reply(raw=b"", status=307, headers=(("location", "/v1/elsewhere"),)))
    with pytest.raises(ProviderError):
        await asking("embedding_model", "openai:m", EmbeddingRequest(("a",)))
    assert len(server.requests) == 1


async def test_cancelling_closes_the_connection(server: OpenAIServer, configured: Configured) -> None:
    server.reply(stall())
    async with configured(server) as providers:
        call = asyncio.create_task(ask(providers, *CALLS["image"]))
        await asyncio.to_thread(server.wait_for, 1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(call, 5)
        await asyncio.to_thread(server.wait_for, 1, hangups=1)


async def test_a_server_of_ones_own_is_asked_without_a_key(server: OpenAIServer) -> None:
    providers = ConfiguredProviders({"OLLAMA_BASE_URL": f"{server.base_url}/"})
    await ask(providers, "embedding_model", "ollama:nomic", EmbeddingRequest(("a",)))
    assert "authorization" not in server.requests[0].headers
    await providers.aclose()


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        (
            "image_model",
            "fal_ai:fal-ai/flux",
            'no provider "fal_ai" for images is available here; choose a model of: openai',
        ),
        ("image_model", "anthropic:claude", 'no provider "anthropic" for images'),
        (
            "video_model",
            "openai:sora",
            'no provider "openai" for videos is available here; no provider for videos comes',
        ),
        (
            "tts_model",
            "openai:tts-1",
            'the model provider "openai" has no key; set the environment variable OPENAI_API_KEY',
        ),
        ("fortune_model", "openai:x", '"fortune_model" is no kind of model; known: language_model, image_model'),
        ("image_model", "openai:", '"openai:" names no model'),
    ],
)
def test_what_is_not_available_says_what_is(kind: str, name: str, said: str) -> None:
    with pytest.raises(NodeError) as caught:
        ConfiguredProviders({}).provider(kind, name)
    assert said in str(caught.value)
