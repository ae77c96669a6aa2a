from __future__ import annotations

import io
import math
import wave
from typing import Any

import pytest

from greenrun.workflows.media.sniff import sniff
from greenrun.workflows.node import NodeError
from greenrun.workflows.providers.errors import ProviderError
from greenrun.workflows.providers.interface import (
    EmbeddingRequest,
    ImageRequest,
    Media,
    SpeechRequest,
    TranscriptionRequest,
    VideoRequest,
)
from greenrun.workflows.providers.scripted import ScriptedProviders


def size(media: Media) -> tuple[int, int]:
    return int.from_bytes(media.data[16:20], "big"), int.from_bytes(media.data[20:24], "big")


async def image(request: ImageRequest, script: Any = None) -> Media:
    return (await ScriptedProviders(script).provider("image_model", "any:model").generate(request)).media


async def picture() -> Media:
    return await image(ImageRequest("a cat", resolution="64x32"))


def likeness(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("pillow", [True, False])
async def test_a_picture_is_a_png_of_the_asked_shape(pillow: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if pillow:
        pytest.importorskip("PIL", reason="needs Pillow")
    else:
        monkeypatch.setattr("greenrun.workflows.providers.made_up_media.is_installed", lambda extra: False)
    made = await image(ImageRequest("a cat in a hat", aspect_ratio="16:9"))
    assert (sniff(made.data), made.mime, size(made)) == ("image/png", "image/png", (512, 288))


@pytest.mark.parametrize(
    ("aspect_ratio", "resolution", "expected"),
    [
        ("", "", (512, 512)),
        ("9:16", "1K", (288, 512)),
        ("0:1", "", (512, 512)),
        ("1:99", "", (128, 512)),
        ("", "100x50", (100, 50)),
        ("", "9999x9999", (2048, 2048)),
    ],
)
async def test_the_size_follows_ratio_and_resolution(
    aspect_ratio: str, resolution: str, expected: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("greenrun.workflows.providers.made_up_media.is_installed", lambda extra: False)
    request = ImageRequest("a cat", aspect_ratio=aspect_ratio, resolution=resolution)
    assert size(await image(request)) == expected


async def test_the_prompt_is_on_the_picture() -> None:
    pytest.importorskip("PIL", reason="needs Pillow")
    from PIL import Image

    with Image.open(io.BytesIO((await image(ImageRequest("a cat in a very tall hat " * 20))).data)) as opened:
        colours = opened.getcolors(1_000)
    assert colours is not None
    assert (255, 255, 255) in [colour for _, colour in colours]


async def test_the_same_request_makes_the_same_picture_and_another_one_another() -> None:
    assert await picture() == await picture()
    assert await picture() != await image(ImageRequest("a dog", resolution="64x32"))


@pytest.mark.parametrize(
    ("task", "options", "expected"),
    [
        ("image_to_image", {}, (64, 32)),
        ("relight", {}, (64, 32)),
        ("remove_background", {}, (64, 32)),
        ("upscale", {}, (128, 64)),
        ("upscale", {"scale": 3}, (192, 96)),
    ],
)
async def test_a_given_picture_is_changed(task: Any, options: dict[str, Any], expected: tuple[int, int]) -> None:
    pytest.importorskip("PIL", reason="needs Pillow")
    given = await picture()
    made = await image(ImageRequest("hat", images=(given,), task=task, options=options))
    assert size(made) == expected
    assert made != given


async def test_transparency_of_a_given_picture_stays() -> None:
    pytest.importorskip("PIL", reason="needs Pillow")
    clear = await image(ImageRequest(images=(await picture(),), task="remove_background"))
    made = await image(ImageRequest("hat", images=(clear,), task="image_to_image"))
    assert made.data[25] == 6


async def test_a_given_picture_that_is_none_is_told() -> None:
    pytest.importorskip("PIL", reason="needs Pillow")
    with pytest.raises(ProviderError, match="the given picture cannot be read"):
        await image(ImageRequest("x", images=(Media(b"no", "image/png"),), task="relight"))


async def test_a_video_is_a_short_film() -> None:
    av = pytest.importorskip("av", reason="needs PyAV")
    model = ScriptedProviders().provider("video_model", "any:model")
    made = (await model.generate(VideoRequest("text_to_video", "a cat", duration=2))).media
    assert made.mime == "video/mp4"
    with av.open(io.BytesIO(made.data)) as film:
        assert float(film.duration / av.time_base) == pytest.approx(2.0, abs=0.2)


async def test_a_video_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greenrun.workflows.extras.is_installed", lambda extra: False)
    with pytest.raises(NodeError, match=r'needs PyAV; add it with: pip install "greenrun\[video\]"'):
        await ScriptedProviders().provider("video_model", "any:model").generate(VideoRequest("text_to_video", "x"))


async def test_a_longer_text_is_spoken_longer() -> None:
    model = ScriptedProviders().provider("tts_model", "any:model")
    lengths = []
    for text in ("hi", "hi there you " * 3):
        with wave.open(io.BytesIO((await model.speak(SpeechRequest(text))).media.data)) as sound:
            lengths.append(sound.getnframes() / sound.getframerate())
    assert lengths[0] < lengths[1] <= 3.0


async def test_a_transcript_says_what_was_there_to_hear() -> None:
    model = ScriptedProviders().provider("asr_model", "any:model")
    sound = Media(b"0" * 1_500, "audio/wav")
    assert "1,500 bytes" in (await model.transcribe(TranscriptionRequest(sound))).text
    assert "harbours" in (await model.transcribe(TranscriptionRequest(sound, prompt="old harbours"))).text


async def test_texts_that_share_words_lie_near_each_other() -> None:
    model = ScriptedProviders().provider("embedding_model", "any:model")
    texts = ("ships in the harbour", "the harbour has ships", "algebra exam grades", "")
    near, nearer, far, empty = (await model.embed(EmbeddingRequest(texts))).vectors
    assert likeness(near, nearer) > likeness(near, far)
    assert math.hypot(*empty) == pytest.approx(1, abs=1e-4)


async def test_a_script_decides_the_answer_of_each_kind() -> None:
    png = Media(b"png", "image/png")
    providers = ScriptedProviders(
        {
            "image_model": {"media": png.to_json(), "cost": 0.04},
            "video_model/any:model": {"media": {"mime": "video/mp4", "data": "AA=="}},
            "tts_model": {"media": Media(b"wav", "audio/wav")},
            "asr_model": "good morning",
            "embedding_model": {"vectors": [[1, 0]]},
        }
    )
    image_result = await providers.provider("image_model", "any:model").generate(ImageRequest("x"))
    assert (image_result.media, image_result.cost) == (png, 0.04)
    video = await providers.provider("video_model", "any:model").generate(VideoRequest("text_to_video"))
    assert video.media == Media(b"\0", "video/mp4")
    assert (await providers.provider("tts_model", "a:b").speak(SpeechRequest("x"))).media.data == b"wav"
    sound = TranscriptionRequest(Media(b"", "audio/wav"))
    assert (await providers.provider("asr_model", "a:b").transcribe(sound)).text == "good morning"
    assert (await providers.provider("embedding_model", "a:b").embed(EmbeddingRequest(("x",)))).vectors == ((1.0, 0.0),)
    assert providers.calls == 5


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(NodeError, match='"fortune_model" is no kind of model'):
        ScriptedProviders().provider("fortune_model", "a:b")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ({"image_model": 5}, "a reply is a text or a record"),
        ({"image_model": []}, "a list of replies is empty"),
        ({"image_model": {"txt": "x"}}, '"txt" is not known in a reply; known: match, text'),
        ({"image_model": {"text": 5}}, '"text" is no text'),
        ({"image_model": {"media": {"mime": "x"}}}, "does not have the right form"),
        ({"image_model": {"tool_calls": [{}]}}, "does not have the right form"),
        ({"image_model": {"error": {"kind": "bored"}}}, 'the error kind "bored" is not known'),
        ({"image_model": {"error": "bad"}}, "does not have the right form"),
        ([5], 'an entry is a record whose "match" is a text'),
        ([{"match": 5}], 'an entry is a record whose "match" is a text'),
    ],
)
def test_a_script_that_cannot_be_read_says_why(script: Any, said: str) -> None:
    with pytest.raises(NodeError) as caught:
        ScriptedProviders(script)
    assert str(caught.value).startswith("the script of made-up answers cannot be used: ")
    assert said in str(caught.value)
