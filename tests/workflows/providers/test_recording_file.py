from __future__ import annotations

import asyncio
import json
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from greenrun.document.json_text import pretty_json
from greenrun.workflows.node import NodeError
from greenrun.workflows.providers.calls import Call
from greenrun.workflows.providers.errors import RecordingError, ReplayMissing
from greenrun.workflows.providers.interface import (
    EmbeddingRequest,
    EmbeddingResult,
    ImageRequest,
    Media,
    MediaResult,
    SpeechRequest,
    TranscriptionRequest,
    VideoRequest,
)
from greenrun.workflows.providers.recording import Entry, RecordedProviders, Recording
from greenrun.workflows.providers.scripted import ScriptedProviders

WAV = Media(b"RIFF", "audio/wav")

CALLS: list[tuple[str, str, Any]] = [
    ("image_model", "generate", ImageRequest("a cat", resolution="8x8", images=())),
    ("tts_model", "speak", SpeechRequest("hello")),
    ("asr_model", "transcribe", TranscriptionRequest(WAV)),
    ("embedding_model", "embed", EmbeddingRequest(("a b", "c"))),
]
SCRIPT = {
    "image_model": {"media": {"mime": "image/png", "data": "AAAA"}, "cost": 0.04},
    "video_model": {"media": {"mime": "video/mp4", "data": "AAAA"}},
    "embedding_model": {"vectors": [[0.1, 1e-9], [-2, 3]]},
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "recording.json"


async def ask(providers: RecordedProviders, kind: str, method: str, request: Any) -> Any:
    return await getattr(providers.provider(kind, "any:model"), method)(request)


async def ask_image(providers: RecordedProviders, prompt: str = "a cat", **options: Any) -> MediaResult:
    return await ask(providers, "image_model", "generate", ImageRequest(prompt, options=options))


def recorder(path: Path, script: Any = None, **options: Any) -> RecordedProviders:
    return RecordedProviders(
        ScriptedProviders(SCRIPT if script is None else script), Recording.load(path), "call", True, **options
    )


def replayer(path: Path) -> RecordedProviders:
    return RecordedProviders(None, Recording.load(path))


def content(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def made(name: str) -> dict[str, Any]:
    return {"media": {"mime": name, "data": ""}}


def entry(key: str = "a" * 64, **changes: Any) -> dict[str, Any]:
    response = {"media": {"mime": "image/png", "data": ""}}
    return {"key": key, "kind": "image_model", "name": "a:b", "request": {}, "response": response, **changes}


def written(path: Path, *calls: Any, **changes: Any) -> Path:
    path.write_text(json.dumps({"format": "greenrun-recording", "version": 1, "calls": list(calls), **changes}))
    return path


@pytest.mark.parametrize(("kind", "method", "request_"), CALLS, ids=[kind for kind, _, _ in CALLS])
async def test_a_recorded_answer_is_replayed_for_nothing(kind: str, method: str, request_: Any, path: Path) -> None:
    providers = recorder(path)
    first = await ask(providers, kind, method, request_)
    assert providers.save()
    again = replayer(path)
    second = await ask(again, kind, method, request_)
    assert {**second.to_json(), "cost": None} == {**first.to_json(), "cost": None}
    assert second.cost == 0
    assert (again.log.calls, again.log.replayed, again.log.missing) == (0, 1, 0)


async def test_a_video_is_replayed_too(path: Path) -> None:
    providers = recorder(path)
    request = VideoRequest("text_to_video", "a cat")
    await ask(providers, "video_model", "generate", request)
    providers.save()
    assert (await ask(replayer(path), "video_model", "generate", request)).media.mime == "video/mp4"


async def test_what_a_call_cost_is_in_the_file(path: Path) -> None:
    providers = recorder(path)
    await ask_image(providers)
    providers.save()
    assert Recording.load(path).entries[0].cost == 0.04


async def test_media_of_a_request_is_not_in_the_file(path: Path) -> None:
    providers = recorder(path)
    await ask(providers, "asr_model", "transcribe", TranscriptionRequest(Media(b"voice" * 100, "audio/wav")))
    providers.save()
    assert "dm9pY2" not in content(path)
    assert Recording.load(path).entries[0].request["audio"].keys() == {"mime", "sha256"}


async def test_the_file_is_pretty_json_in_a_stable_order(path: Path) -> None:
    one, other = path, path.with_name("other.json")
    for target, calls in ((one, CALLS), (other, CALLS[::-1])):
        providers = recorder(target)
        for kind, method, request in calls:
            await ask(providers, kind, method, request)
        providers.save()
    assert one.read_bytes() == other.read_bytes()
    assert one.read_text() == pretty_json(json.loads(one.read_text()))


async def test_equal_calls_replay_in_the_order_in_which_they_were_made(path: Path) -> None:
    providers = recorder(path, {"image_model": [made("a"), made("b")]})
    for _ in range(2):
        await ask_image(providers)
    providers.save()
    again = replayer(path)
    assert [(await ask_image(again)).media.mime for _ in range(3)] == ["a", "b", "a"]


async def test_equal_parallel_calls_replay_in_the_order_of_asking(path: Path) -> None:
    go = asyncio.Event()
    asked = 0

    class Painter:
        async def generate(self, request: Any) -> MediaResult:
            nonlocal asked
            asked += 1
            if asked == 1:
                await go.wait()
                return MediaResult(Media(b"first", "first"))
            go.set()
            return MediaResult(Media(b"second", "second"))

    class Painters:
        def provider(self, kind: str, name: str) -> Painter:
            return painter

    painter = Painter()
    providers = RecordedProviders(Painters(), Recording(path), "call", True)
    await asyncio.wait_for(asyncio.gather(ask_image(providers), ask_image(providers)), 5)
    providers.save()
    again = replayer(path)
    assert [(await ask_image(again)).media.mime for _ in range(2)] == ["first", "second"]


def test_recordings_that_are_saved_at_one_time_lose_nothing(path: Path) -> None:
    recordings = [Recording.load(path) for _ in range(4)]
    for number, recording in enumerate(recordings):
        recording.keep(Entry(f"{number:064x}", "language_model", "m", {}, {}))
    threads = [threading.Thread(target=recording.save) for recording in recordings]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(Recording.load(path).entries) == 4


def test_a_recording_is_saved_where_nothing_can_be_locked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greenrun.workflows.providers.recording.fcntl", None)
    recording = Recording(path)
    recording.keep(Entry("0" * 64, "language_model", "m", {}, {}))
    assert recording.save()
    assert len(Recording.load(path).entries) == 1


async def test_equal_calls_of_one_recording_run_are_all_made(path: Path) -> None:
    providers = recorder(path)
    for _ in range(2):
        await ask_image(providers)
    assert providers.log.calls == 2


async def test_recording_again_makes_only_calls_that_are_not_recorded(path: Path) -> None:
    providers = recorder(path)
    await ask_image(providers, "a cat")
    providers.save()
    again = recorder(path)
    await ask_image(again, "a cat")
    await ask_image(again, "a dog")
    assert (again.log.calls, again.log.replayed, again.log.missing) == (1, 1, 1)
    again.save()
    assert len(Recording.load(path).entries) == 2


async def test_recording_anew_replaces_what_was_recorded_for_those_calls(path: Path) -> None:
    providers = recorder(path, {"image_model": [made("a"), made("b"), made("dog")]})
    for prompt in ("a cat", "a cat", "a dog"):
        await ask_image(providers, prompt)
    providers.save()
    anew = recorder(path, {"image_model": made("new")}, replay=False)
    await ask_image(anew, "a cat")
    assert (anew.log.calls, anew.log.replayed, anew.log.missing) == (1, 0, 0)
    anew.save()
    mimes = [entry.response["media"]["mime"] for entry in Recording.load(path).entries]
    assert sorted(mimes) == ["dog", "new"]


async def test_a_run_without_calls_writes_nothing(path: Path) -> None:
    providers = recorder(path)
    assert providers.save() is False
    assert names(path.parent) == []


async def test_saving_twice_writes_once(path: Path) -> None:
    providers = recorder(path)
    await ask_image(providers)
    assert providers.save() is True
    assert providers.save() is False


async def test_without_recording_nothing_is_kept(path: Path) -> None:
    providers = RecordedProviders(ScriptedProviders(SCRIPT), Recording.load(path), "call")
    await ask_image(providers)
    assert providers.save() is False


async def test_a_recording_in_memory_is_not_written() -> None:
    providers = RecordedProviders(ScriptedProviders(SCRIPT), Recording(), "call", True)
    await ask_image(providers)
    assert providers.save() is False
    assert len(providers.recording.entries) == 1


async def test_calls_that_came_into_the_file_meanwhile_stay(path: Path) -> None:
    one, other = recorder(path), recorder(path)
    await ask_image(one, "a cat")
    await ask_image(other, "a dog")
    one.save()
    other.save()
    assert len(Recording.load(path).entries) == 2


async def test_a_call_that_fails_is_not_recorded(path: Path) -> None:
    providers = recorder(path, {"image_model": {"error": {"kind": "server"}}})
    with pytest.raises(NodeError):
        await ask_image(providers)
    assert providers.save() is False
    assert providers.log.calls == 1


async def test_the_file_keeps_its_permissions_and_leaves_nothing_beside_it(path: Path) -> None:
    written(path).chmod(0o640)
    providers = recorder(path)
    await ask_image(providers)
    providers.save()
    assert mode(path) == 0o640
    assert names(path.parent) == ["recording.json"]


async def test_a_file_that_cannot_be_written_is_told_and_the_old_one_stays(path: Path) -> None:
    target = path.parent / "file" / "recording.json"
    target.parent.write_text("in the way")
    providers = RecordedProviders(ScriptedProviders(SCRIPT), Recording(target), "call", True)
    await ask_image(providers)
    with pytest.raises(RecordingError, match=r"the recording .* cannot be"):
        providers.save()


async def test_a_failed_write_leaves_nothing_behind(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(path)
    providers = recorder(path)
    await ask_image(providers)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(RecordingError, match="cannot be written: No space left on device"):
        providers.save()
    assert names(path.parent) == ["recording.json"]


async def test_a_missing_call_says_how_the_nearest_one_differs(path: Path) -> None:
    providers = recorder(path)
    await ask_image(providers, "a cat", quality="low")
    await ask_image(providers, "something else entirely", quality="high")
    providers.save()
    again = replayer(path)
    with pytest.raises(ReplayMissing) as caught:
        await ask_image(again, "a bat", quality="low")
    said = str(caught.value)
    assert said.startswith(f"the recording {path} has no answer to this call of any:model: ")
    assert 'differs in: prompt ("a bat" here, "a cat" recorded). ' in said
    assert "--record" in said
    assert "--replay-missing=call" in said
    assert again.log.missing == 1


async def test_a_missing_call_of_another_model_names_the_model(path: Path) -> None:
    providers = recorder(path)
    await ask_image(providers)
    providers.save()
    with pytest.raises(ReplayMissing, match='model \\("other:model" here, "any:model" recorded\\)'):
        await replayer(path).provider("image_model", "other:model").generate(ImageRequest("a cat"))


async def test_an_empty_recording_says_so() -> None:
    with pytest.raises(ReplayMissing, match=r"the recording has no answer .*: it holds no call for images"):
        await ask_image(RecordedProviders(None, Recording()))


async def test_where_nothing_is_recorded_nothing_is_missing() -> None:
    providers = RecordedProviders(ScriptedProviders(SCRIPT), Recording(), "call")
    await ask_image(providers)
    assert (providers.log.calls, providers.log.missing) == (1, 0)


async def test_a_missing_call_without_anybody_to_ask_says_so() -> None:
    with pytest.raises(NodeError, match="there is nobody to ask for any:model"):
        await ask_image(RecordedProviders(None, Recording(), "call"))


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(NodeError, match='"fortune_model" is no kind of model'):
        RecordedProviders(None, Recording()).provider("fortune_model", "a:b")


def test_without_the_extra_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greenrun.workflows.extras.is_installed", lambda extra: False)
    with pytest.raises(NodeError, match=r'pip install "greenrun\[llm\]"'):
        RecordedProviders(None, Recording()).provider("language_model", "a:b")


def test_a_file_that_is_not_there_is_an_empty_recording(path: Path) -> None:
    assert Recording.load(path).entries == []


def test_a_file_that_must_be_there_is_missed(path: Path) -> None:
    with pytest.raises(RecordingError, match=r"there is no recording at .*; make one with --record"):
        Recording.load(path, must_exist=True)


def test_a_folder_is_no_recording(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="cannot be read: Is a directory"):
        Recording.load(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ('{"format": ', "is not valid JSON: a value is missing at line 1"),
        ("[]", 'is no recording: it needs "format": "greenrun-recording"'),
        ('{"format": "other", "calls": []}', "is no recording"),
        ('{"format": "greenrun-recording", "version": 1}', "is no recording"),
        ('{"format": "greenrun-recording", "version": 99, "calls": []}', "has version 99, and version 1 is read here"),
    ],
)
def test_another_file_is_no_recording(content: str, said: str, path: Path) -> None:
    path.write_text(content)
    with pytest.raises(RecordingError) as caught:
        Recording.load(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)
    assert "--record" in str(caught.value)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (5, "a call is a JSON object"),
        (entry("short"), '"key" must be 64 hex digits'),
        (
            entry(kind="x"),
            '"kind" must be one of language_model, image_model, video_model, tts_model, asr_model, embedding_model',
        ),
        (entry(name=None), '"name" must be the name of a model'),
        (entry(request=None), '"request" and "response" must be JSON objects'),
        (entry(response=[]), '"request" and "response" must be JSON objects'),
        (entry(cost="much"), '"cost" must be a number'),
    ],
)
def test_a_damaged_call_is_named_with_its_place(call: Any, said: str, path: Path) -> None:
    with pytest.raises(RecordingError) as caught:
        Recording.load(written(path, entry(), call))
    assert f"damaged at {path}, calls[1]: {said}; restore it" in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "method", "request_", "response"),
    [
        ("image_model", "generate", ImageRequest("x"), {"media": {"mime": "image/png", "data": "?"}}),
        ("image_model", "generate", ImageRequest("x"), {}),
        ("asr_model", "transcribe", TranscriptionRequest(WAV), {"text": 5}),
        ("embedding_model", "embed", EmbeddingRequest(("x",)), {"vectors": ["a b"]}),
        ("embedding_model", "embed", EmbeddingRequest(("x",)), {"vectors": [5]}),
    ],
)
async def test_a_damaged_answer_is_told_when_it_is_needed(
    kind: str, method: str, request_: Any, response: dict[str, Any], path: Path
) -> None:
    providers = recorder(path)
    await ask(providers, kind, method, request_)
    recorded = providers.recording.entries[0]
    written(path, {**recorded.to_json(), "response": response})
    with pytest.raises(
        RecordingError, match=f'"response" of the call with key {recorded.key[:12]} is no answer of a {kind}'
    ):
        await ask(replayer(path), kind, method, request_)


async def test_vectors_keep_every_digit(path: Path) -> None:
    rows = ((0.1 + 0.2, 1e-300), (-0.0, 123456789.123456789))
    providers = recorder(path, {"embedding_model": {"vectors": rows}})
    request = EmbeddingRequest(("a", "b"))
    await ask(providers, "embedding_model", "embed", request)
    providers.save()
    assert await ask(replayer(path), "embedding_model", "embed", request) == EmbeddingResult(rows, 0.0)


def test_the_nearest_call_is_one_of_the_same_model() -> None:
    call = Call("image_model", "a:b", {"prompt": "a cat"})
    entries = [
        Entry("a" * 64, "image_model", "a:c", {"prompt": "a cat"}, {}),
        Entry("b" * 64, "image_model", "a:b", {"prompt": "a dog"}, {}),
        Entry("c" * 64, "image_model", "a:b", {"prompt": "the sea"}, {}),
        Entry("d" * 64, "tts_model", "a:b", {"prompt": "a cat"}, {}),
    ]
    nearest = Recording(None, entries).nearest(call)
    assert nearest is not None
    assert nearest.request == {"prompt": "a dog"}
