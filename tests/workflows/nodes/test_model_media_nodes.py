from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from firing import MemoryContext, builtin, fire

from greenrun.workflows.engine import run_graph
from greenrun.workflows.files import WorkspaceFiles
from greenrun.workflows.graph import load_graph
from greenrun.workflows.media.assets import AssetFolder
from greenrun.workflows.media.sniff import sniff
from greenrun.workflows.node import BudgetExceeded, NodeError
from greenrun.workflows.providers.errors import ProviderError, ReplayMissing
from greenrun.workflows.providers.interface import (
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
from greenrun.workflows.providers.scripted import ScriptedProviders
from greenrun.workflows.registry import default_registry
from media_samples import content_of_ref, film, needs_films, needs_pictures, picture, ref_of, sound

PNG = b"\x89PNG\r\n\x1a\n" + bytes(30)
MP4 = b"\x00\x00\x00\x20ftypisom" + bytes(30)
WAV = sound(0.1)


class Model:
    """A model of any kind that gives one answer, or fails, and keeps what it was asked."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[Any] = []

    async def ask(self, request: Any) -> Any:
        self.asked.append(request)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer(request) if callable(self.answer) else self.answer

    generate = speak = transcribe = embed = ask


class PlainContext(MemoryContext):
    """Stores nothing, as a host without assets; notes progress."""

    def __init__(self, kind: str, model: Any) -> None:
        super().__init__(providers={(kind, "fal_ai:some/model"): model})
        self.steps: list[tuple[float, float]] = []

    async def store_asset(self, ref: dict[str, Any]) -> dict[str, Any]:
        return ref

    def progress(self, done: float, total: float = 1) -> None:
        self.steps.append((done, total))


def choice(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "provider": "fal_ai", "id": "some/model", **more}


def image_answer(cost: float | None = 0.04) -> MediaResult:
    return MediaResult(Media(PNG, "image/png"), cost)


def video_answer() -> MediaResult:
    return MediaResult(Media(MP4, "video/mp4"), 0.5)


async def ask(name: str, kind: str, answer: Any, **values: Any) -> tuple[dict[str, Any], Any, PlainContext]:
    """The record of one firing, the only request, and the context."""
    model = Model(answer)
    context = PlainContext(kind, model)
    record = await fire(name, context, model=choice(kind), **values)
    return record, model.asked[0], context


# What is asked


async def test_a_picture_is_made_from_a_text() -> None:
    record, request, _ = await ask(
        "nodetool.image.TextToImage",
        "image_model",
        image_answer(),
        prompt="a lighthouse",
        negative_prompt="text",
        aspect_ratio="16:9",
        resolution="2K",
    )
    assert request == ImageRequest("a lighthouse", "text", "16:9", "2K")
    assert content_of_ref(record["output"]) == PNG
    assert record["output"]["metadata"] == {"mime": "image/png", "name": "image.png"}


async def test_a_picture_is_made_from_pictures() -> None:
    images = [ref_of("image", PNG), ref_of("image", PNG + b"2")]
    _, request, _ = await ask(
        "nodetool.image.ImageToImage", "image_model", image_answer(), image=images, prompt="at night"
    )
    assert request == ImageRequest(
        "at night", task="image_to_image", images=(Media(PNG, "image/png"), Media(PNG + b"2", "image/png"))
    )


async def test_a_single_picture_need_not_be_a_list() -> None:
    _, request, _ = await ask(
        "nodetool.image.ImageToImage", "image_model", image_answer(), image=ref_of("image", PNG), strength=0.3
    )
    assert (len(request.images), request.options) == (1, {"strength": 0.3})


async def test_a_picture_is_enlarged() -> None:
    _, request, _ = await ask(
        "nodetool.image.Upscale", "image_model", image_answer(), image=ref_of("image", PNG), scale=4
    )
    assert request == ImageRequest("", images=(Media(PNG, "image/png"),), task="upscale", options={"scale": 4})


async def test_a_background_is_removed() -> None:
    _, request, _ = await ask(
        "nodetool.image.RemoveBackground", "image_model", image_answer(), image=ref_of("image", PNG)
    )
    assert request == ImageRequest("", images=(Media(PNG, "image/png"),), task="remove_background")


async def test_light_is_changed() -> None:
    _, request, _ = await ask(
        "nodetool.image.Relight", "image_model", image_answer(), image=ref_of("image", PNG), prompt="dusk"
    )
    assert (request.task, request.prompt) == ("relight", "dusk")


async def test_a_video_is_made_from_a_text() -> None:
    record, request, _ = await ask(
        "nodetool.video.TextToVideo",
        "video_model",
        video_answer(),
        prompt="waves",
        duration=0,
        negative_prompt="people",
    )
    assert (request.task, request.duration, request.options) == ("text_to_video", None, {"negative_prompt": "people"})
    assert record["output"]["type"] == "video"


async def test_a_picture_is_brought_to_life() -> None:
    _, request, _ = await ask(
        "nodetool.video.ImageToVideo",
        "video_model",
        video_answer(),
        image=ref_of("image", PNG),
        prompt="push in",
        negative_prompt="warping",
        aspect_ratio="16:9",
        resolution="1080p",
        duration=6,
        timeout_seconds=0,
    )
    assert request == VideoRequest(
        task="image_to_video",
        prompt="push in",
        image=Media(PNG, "image/png"),
        duration=6.0,
        resolution="1080p",
        aspect_ratio="16:9",
        options={"negative_prompt": "warping"},
    )


async def test_of_several_pictures_the_first_one_is_brought_to_life() -> None:
    images = [ref_of("image", PNG), ref_of("image", PNG + b"2")]
    _, request, context = await ask("nodetool.video.ImageToVideo", "video_model", video_answer(), image=images)
    assert request.image == Media(PNG, "image/png")
    assert context.logs == [("warning", "the video starts with the first of 2 images; the others are not used")]


async def test_a_video_is_changed() -> None:
    _, request, _ = await ask(
        "nodetool.video.VideoToVideo", "video_model", video_answer(), video=ref_of("video", MP4), prompt="as a sketch"
    )
    assert request == VideoRequest(
        task="video_to_video", prompt="as a sketch", video=Media(MP4, "video/mp4"), options={"strength": 0.6}
    )


async def test_a_mouth_is_moved_to_a_voice() -> None:
    _, request, _ = await ask(
        "nodetool.video.LipSync", "video_model", video_answer(), video=ref_of("video", MP4), audio=ref_of("audio", WAV)
    )
    assert request == VideoRequest(task="lip_sync", video=Media(MP4, "video/mp4"), audio=Media(WAV, "audio/wav"))


@pytest.mark.parametrize(
    ("more", "voice"),
    [
        ({"selected_voice": "nova", "voices": ["alloy"]}, "nova"),
        ({"selected_voice": "", "voices": ["alloy", "echo"]}, "alloy"),
        ({"voices": []}, ""),
        ({"voices": None}, ""),
    ],
)
async def test_a_text_is_spoken_with_the_voice_of_the_model(more: dict[str, Any], voice: str) -> None:
    model = Model(MediaResult(Media(WAV, "audio/wav")))
    record = await fire(
        "nodetool.audio.TextToSpeech",
        PlainContext("tts_model", model),
        model=choice("tts_model", **more),
        text="hello",
        speed=9,
    )
    assert model.asked == [SpeechRequest("hello", voice, 4.0)]
    assert content_of_ref(record["audio"]) == WAV


async def test_speech_is_written_down() -> None:
    record, request, _ = await ask(
        "nodetool.text.AutomaticSpeechRecognition",
        "asr_model",
        TextResult("hello"),
        audio=ref_of("audio", WAV),
        language=" en ",
        prompt="names",
        temperature=0.2,
    )
    assert record == {"text": "hello"}
    assert request == TranscriptionRequest(Media(WAV, "audio/wav"), "en", "names", 0.2)


async def test_a_text_gets_its_vector() -> None:
    record, request, _ = await ask(
        "nodetool.text.Embedding", "embedding_model", EmbeddingResult(((0.5, 1.0),)), input="hello"
    )
    assert (record, request) == ({"output": [0.5, 1.0]}, EmbeddingRequest(("hello",)))


async def test_a_long_text_gets_the_mean_of_its_parts() -> None:
    answer = EmbeddingResult(((1.0, 0.0), (0.0, 1.0)))
    record, request, _ = await ask("nodetool.text.Embedding", "embedding_model", answer, input="abcd", chunk_size=3)
    assert (record, request) == ({"output": [0.75, 0.25]}, EmbeddingRequest(("abc", "d")))


async def test_blank_parts_of_a_text_are_not_embedded() -> None:
    _, request, _ = await ask(
        "nodetool.text.Embedding", "embedding_model", EmbeddingResult(((1.0,),)), input="ab   ", chunk_size=2
    )
    assert request == EmbeddingRequest(("ab",))


# What the run is told


async def test_a_call_is_told_with_its_cost() -> None:
    _, _, context = await ask("nodetool.image.TextToImage", "image_model", image_answer(0.04), prompt="x")
    (message,) = context.messages
    assert message.pop("duration_ms") >= 0
    assert message == {
        "type": "prediction",
        "node_id": "node",
        "provider": "fal_ai",
        "model": "some/model",
        "cost": 0.04,
    }
    assert (context.cost, context.steps) == (0.04, [(0, 1), (1, 1)])


async def test_a_call_whose_price_is_not_known_is_unpriced() -> None:
    _, _, context = await ask("nodetool.image.TextToImage", "image_model", image_answer(None), prompt="x")
    assert (context.messages[0]["cost"], context.cost) == ("unpriced", 0.0)


async def test_entities_that_do_not_reach_the_model_are_told() -> None:
    for name, kind in (("nodetool.image.TextToImage", "image_model"), ("nodetool.video.TextToVideo", "video_model")):
        answer = image_answer() if kind == "image_model" else video_answer()
        _, _, context = await ask(name, kind, answer, prompt="x", entities=[{"name": "Ada"}])
        assert context.logs == [("warning", "entities are not passed on to the model; describe them in the prompt")]


async def failing(error: BaseException, name: str = "nodetool.image.TextToImage", **values: Any) -> PlainContext:
    kind = "video_model" if ".video." in name else "image_model"
    context = PlainContext(kind, Model(error))
    with pytest.raises(type(error) if isinstance(error, NodeError) else NodeError):
        await fire(name, context, model=choice(kind), prompt="x", **values)
    return context


async def test_a_failed_call_is_told_with_its_kind() -> None:
    context = await failing(ProviderError("no credit left", kind="payment", provider="fal_ai"))
    (message,) = context.messages
    assert message.pop("duration_ms") >= 0
    assert message == {
        "type": "provider_call_failed",
        "node_id": "node",
        "provider": "fal_ai",
        "model": "some/model",
        "kind": "payment",
        "error": "no credit left",
    }


async def test_an_error_that_a_provider_did_not_classify_is_classified() -> None:
    context = await failing(ConnectionResetError("reset"))
    assert context.messages[0]["kind"] == "network"


async def test_an_answer_that_is_not_recorded_is_no_failure_of_a_provider() -> None:
    assert (await failing(ReplayMissing("not recorded"))).messages == []


async def test_a_call_over_its_time_is_a_failure() -> None:
    class Sleeper:
        async def generate(self, request: Any) -> Any:
            await asyncio.Event().wait()

    context = PlainContext("video_model", Sleeper())
    with pytest.raises(ProviderError, match=r"did not answer within 0\.01 s") as caught:
        await fire("nodetool.video.TextToVideo", context, model=choice("video_model"), prompt="x", timeout_seconds=0.01)
    assert (caught.value.kind, context.messages[0]["kind"]) == ("timeout", "timeout")


async def test_a_call_that_is_cancelled_in_flight_is_told() -> None:
    started = asyncio.Event()

    class Sleeper:
        async def generate(self, request: Any) -> Any:
            started.set()
            await asyncio.Event().wait()

    context = PlainContext("image_model", Sleeper())
    node = builtin("nodetool.image.TextToImage").create({"model": choice("image_model"), "prompt": "x"})
    task = asyncio.create_task(node.process(context))
    await asyncio.wait_for(started.wait(), 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [(item["type"], item["interrupted"]) for item in context.messages] == [("prediction", True)]


async def test_a_run_without_money_asks_nobody() -> None:
    class Poor(PlainContext):
        def check_budget(self) -> None:
            raise BudgetExceeded("spent")

    model = Model(image_answer())
    with pytest.raises(BudgetExceeded):
        await fire("nodetool.image.TextToImage", Poor("image_model", model), model=choice("image_model"), prompt="x")
    assert model.asked == []


@pytest.mark.parametrize(
    ("name", "kind", "answer", "text"),
    [
        ("TextToImage", "image", MediaResult(Media(b"", "image/png")), "answered with nothing instead of a picture"),
        ("TextToImage", "image", MediaResult(Media(b"<html>", "image/png")), "answered with text/html instead"),
        ("TextToImage", "image", MediaResult(Media(MP4, "image/png")), "answered with video/mp4 instead of a picture"),
        ("TextToVideo", "video", MediaResult(Media(PNG, "video/mp4")), "answered with image/png instead of a video"),
    ],
)
async def test_an_answer_of_another_kind_is_a_failure(name: str, kind: str, answer: MediaResult, text: str) -> None:
    context = PlainContext(f"{kind}_model", Model(answer))
    with pytest.raises(ProviderError, match=text):
        await fire(f"nodetool.{kind}.{name}", context, model=choice(f"{kind}_model"), prompt="x")


async def test_what_shows_no_type_is_what_the_provider_says() -> None:
    record, _, _ = await ask(
        "nodetool.video.TextToVideo", "video_model", MediaResult(Media(b"?", "Video/MP4; x")), prompt="x"
    )
    assert record["output"]["metadata"]["mime"] == "video/mp4"


async def test_vectors_that_do_not_belong_to_the_texts_are_a_failure() -> None:
    for vectors in ((), ((1.0,), (2.0,)), ((),)):
        with pytest.raises(ProviderError, match="do not belong to the texts"):
            await ask("nodetool.text.Embedding", "embedding_model", EmbeddingResult(vectors), input="hello")


# What cannot be asked


NAMES = [
    ("nodetool.image.TextToImage", {"prompt": "x"}),
    ("nodetool.image.Upscale", {"image": ref_of("image", PNG)}),
    ("nodetool.video.TextToVideo", {"prompt": "x"}),
    ("nodetool.audio.TextToSpeech", {"text": "x"}),
    ("nodetool.text.AutomaticSpeechRecognition", {"audio": ref_of("audio", WAV)}),
    ("nodetool.text.Embedding", {"input": "x"}),
]


@pytest.mark.parametrize(("name", "values"), NAMES)
@pytest.mark.parametrize("model", [None, {"provider": "empty", "id": "x"}, {"provider": "fal_ai", "id": ""}])
async def test_without_a_model_nothing_is_asked(name: str, values: dict[str, Any], model: Any) -> None:
    with pytest.raises(NodeError, match="no model is selected"):
        await fire(name, MemoryContext(), model=model, **values)


@pytest.mark.parametrize(("name", "values"), NAMES)
async def test_a_model_that_is_not_there_is_named(name: str, values: dict[str, Any]) -> None:
    with pytest.raises(NodeError, match='provider "fal_ai:some/model"'):
        await fire(name, MemoryContext(), model=choice("image_model"), **values)


@pytest.mark.parametrize(
    ("name", "values", "text"),
    [
        ("nodetool.image.TextToImage", {"prompt": " "}, "the prompt is empty"),
        ("nodetool.video.TextToVideo", {}, "the prompt is empty"),
        ("nodetool.image.ImageToImage", {"image": None}, 'no image on "image"'),
        ("nodetool.video.ImageToVideo", {"image": []}, 'no image on "image"'),
        ("nodetool.image.Upscale", {}, 'no image on "image"'),
        ("nodetool.image.Upscale", {"image": ref_of("image", PNG), "scale": 0}, "not enlarged 0 times"),
        ("nodetool.image.Relight", {"image": ref_of("image", MP4)}, "holds video/mp4, which is not a picture"),
        ("nodetool.video.VideoToVideo", {}, 'no video on "video"'),
        ("nodetool.video.LipSync", {"video": ref_of("video", MP4)}, 'no audio on "audio"'),
        ("nodetool.audio.TextToSpeech", {"text": ""}, "no text to speak"),
        ("nodetool.text.AutomaticSpeechRecognition", {}, 'no audio on "audio"'),
        ("nodetool.text.Embedding", {"input": ""}, "no text to embed"),
        ("nodetool.text.Embedding", {"input": "x", "chunk_size": 0}, "parts of 0 characters"),
        ("nodetool.text.Embedding", {"input": "x" * 5_000, "chunk_size": 1}, "has 5000 parts"),
    ],
)
async def test_what_is_missing_is_said_before_anybody_is_asked(name: str, values: dict[str, Any], text: str) -> None:
    with pytest.raises(NodeError, match=text):
        await fire(name, MemoryContext(), model=choice("image_model"), **values)


async def test_what_a_model_made_is_stored_where_the_host_stores(tmp_path: Path) -> None:
    assets = AssetFolder(tmp_path)

    class Storing(PlainContext):
        async def store_asset(self, ref: dict[str, Any]) -> dict[str, Any]:
            return await assets.store(ref)

    context = Storing("image_model", Model(image_answer()))
    record = await fire("nodetool.image.TextToImage", context, model=choice("image_model"), prompt="x")
    assert record["output"]["data"] is None
    assert record["output"]["uri"].startswith("asset://")
    assert await assets.read(record["output"]) == PNG


# Graphs of apps that are published elsewhere


CORPUS = Path(__file__).parents[3].parent / "shared" / "corpus"


class Services:
    """A host with assets, workspace files and made-up models."""

    def __init__(self, folder: Path) -> None:
        self.assets = AssetFolder(folder / "assets", roots=(folder,))
        self._files = WorkspaceFiles(folder)
        self.store_asset = self.assets.store
        self.read_media = self.assets.read
        self.provider = ScriptedProviders().provider

    def files(self) -> Any:
        return self._files


def graphs(name: str) -> list[dict[str, Any]]:
    path = CORPUS / name
    if not path.exists():
        pytest.skip("the published apps are not beside the project")
    return [found["graph"] for found in json.loads(path.read_text("utf-8"))["workflows"]]


async def run(graph: dict[str, Any], params: dict[str, Any], folder: Path) -> tuple[Any, Services]:
    services: Any = Services(folder)
    result = await run_graph(
        load_graph(graph),
        registry=default_registry(),
        params=params,
        job_id="1",
        emit=lambda message: None,
        services=services,
        timeout_ms=30_000,
    )
    return result, services


def graph_of(name: str, output: str) -> dict[str, Any]:
    """The graph of an app that has that output."""
    return next(found for found in graphs(name) if any(node["data"].get("name") == output for node in found["nodes"]))


@needs_pictures
@needs_films
@pytest.mark.case("NO-B1-1")
@pytest.mark.parametrize(
    ("name", "output", "kind"),
    [
        ("upscale-image.app.json", "enlarged", "image"),
        ("upscale-image.app.json", "print_ready", "image"),
        ("scene-builder.app.json", "picture", "image"),
        ("scene-builder.app.json", "animated", "video"),
        ("ai-spokesperson.app.json", "revoiced_clip", "video"),
        ("vertical-cut.app.json", "vertical", "video"),
        ("vertical-cut.app.json", "still", "image"),
    ],
)
async def test_published_apps_of_media_run(name: str, output: str, kind: str, tmp_path: Path) -> None:
    photo, clip = ref_of("image", picture()), ref_of("video", film(2.4, rate=5))
    params = {"picture": photo, "photo": photo, "still": photo, "clip": clip, "presenter_clip": clip, "sharpness": 0.5}
    result, services = await run(graph_of(name, output), params, tmp_path)
    assert (result.status, result.error) == ("completed", None)
    (made,) = result.outputs[output]
    assert (made["type"], made["uri"], made["data"]) == (kind, f"asset://{made['uri'][8:]}", None)
    assert (sniff(await services.assets.read(made)) or "").startswith(f"{kind}/")


def saved(folder: Path) -> list[Path]:
    return list(folder.glob("product_2*"))


@needs_pictures
async def test_the_saved_file_of_a_published_app_lies_in_the_workspace(tmp_path: Path) -> None:
    await run(graph_of("upscale-image.app.json", "print_ready"), {"photo": ref_of("image", picture())}, tmp_path)
    assert [path.suffix for path in saved(tmp_path)] == [".png"]
