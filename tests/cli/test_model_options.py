"""Options about models: where answers come from, what is recorded, what may be spent and sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app_folders import Command, write_app
from openai_server import OpenAIServer, text
from simulated import document, form, graph

pytest.importorskip("pydantic_ai")

MODEL = {"type": "language_model", "provider": "openai", "id": "gpt-5-mini"}


def asking(**more: Any) -> dict[str, Any]:
    made = graph("nodetool.agents.Agent", model=MODEL, system="Be brief.", **more)
    made["edges"][0]["targetHandle"] = "prompt"
    made["edges"][1]["sourceHandle"] = "text"
    return made


SCRIPT = {
    "params": {"prompt": "Say hello"},
    "interact": [{"click": "Go"}, {"expect": {"widget": "Answer", "check": "nonEmpty"}}],
}


@pytest.fixture
def app(tmp_path: Path) -> Path:
    return write_app(tmp_path / "app", document(form()), graphs={"wf1": asking()}, script=SCRIPT)


def test_a_recorded_answer_is_replayed_without_a_key(
    app: Path, greenrun: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OpenAIServer(text("Hello there")) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        first = greenrun("debug", "app", "--record", "--json")
        assert first.code == 0
        assert len(server.requests) == 1
    recording = (app / "recording.json").read_text(encoding="utf-8")
    assert "not-a-key" not in recording
    monkeypatch.delenv("OPENAI_API_KEY")
    for options in (["--replay"], ["--record"], []):
        again = greenrun("debug", "app", "--json", "--full", *options)
        assert again.code == 0, again.out
        report = json.loads(again.out)
        assert report["models"] == {"source": "configured", "calls": 0, "replayed": 1, "missing": 0}
        assert report["values"]["result"] == "Hello there"
    assert (app / "recording.json").read_text(encoding="utf-8") == recording


def test_a_call_that_is_not_recorded_fails_or_is_made(
    app: Path, greenrun: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OpenAIServer(text("Hello there")) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert greenrun("debug", "app", "--record").code == 0
        (app / "workflows" / "wf1.json").write_text(json.dumps(asking(max_tokens=50)), encoding="utf-8")
        refused = greenrun("debug", "app", "--replay")
        assert refused.code == 1
        assert "--replay-missing=call" in refused.out
        assert len(server.requests) == 1
        assert greenrun("debug", "app", "--replay", "--replay-missing", "call").code == 0
        assert len(server.requests) == 2


def test_made_up_answers_need_no_key_and_are_said_to_be_made_up(app: Path, greenrun: Command) -> None:
    outcome = greenrun("debug", "app", "--models", "scripted")
    assert outcome.code == 0
    assert "1 scripted answers" in outcome.out


def test_a_missing_key_is_named(app: Path, greenrun: Command) -> None:
    outcome = greenrun("debug", "app")
    assert outcome.code == 1
    assert "OPENAI_API_KEY" in outcome.out


def test_a_spent_cap_decides_nothing(app: Path, greenrun: Command) -> None:
    outcome = greenrun("debug", "app", "--models", "scripted", "--max-cost", "0")
    assert outcome.code == 3
    assert "GR908" in outcome.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--replay", "--record"], "exclude each other"),
        (["--models", "scripted", "--record"], "nothing to replay or record"),
        (["--replay"], "here is no recording"),
        (["--replay", "--recording", "elsewhere.json"], "elsewhere.json"),
    ],
)
def test_options_that_make_no_sense_are_wrong_use(app: Path, greenrun: Command, options: list[str], said: str) -> None:
    outcome = greenrun("debug", "app", *options)
    assert outcome.code == 2
    assert said in outcome.err.replace("\n", " ")


def test_a_damaged_recording_is_named_and_kept(app: Path, greenrun: Command) -> None:
    (app / "recording.json").write_text("{", encoding="utf-8")
    outcome = greenrun("debug", "app")
    assert outcome.code == 2
    assert "recording.json" in outcome.err.replace("\n", "")
    assert (app / "recording.json").read_text(encoding="utf-8") == "{"


def test_a_bundle_has_nowhere_to_keep_a_recording(tmp_path: Path, greenrun: Command) -> None:
    bundle = {
        "schemaVersion": 1,
        "name": "B",
        "app": document(form()),
        "workflows": [{"key": "wf1", "graph": asking()}],
    }
    (tmp_path / "b.json").write_text(json.dumps(bundle), encoding="utf-8")
    refused = greenrun("debug", "b.json", "--record")
    assert refused.code == 2
    assert "--recording" in refused.err.replace("\n", " ")
    assert greenrun("debug", "b.json", "--models", "scripted").code in (0, 1)


def test_effects_outside_need_a_permission(tmp_path: Path, greenrun: Command) -> None:
    made = graph("lib.http.Post", url="http://127.0.0.1:9/x")
    made["edges"][0]["targetHandle"] = "body"
    write_app(tmp_path / "app", document(form()), graphs={"wf1": made}, script={"interact": [{"click": "Go"}]})
    refused = greenrun("debug", "app")
    assert refused.code == 3
    assert "GR908" in refused.out
    assert "--allow-external" in refused.out.replace("\n", " ")
    assert greenrun("debug", "app", "--allow-external").code == 1


def test_media_that_a_run_made_lies_beside_the_report(tmp_path: Path, greenrun: Command) -> None:
    model = {"type": "image_model", "provider": "fal_ai", "id": "x"}
    made = graph("nodetool.image.TextToImage", model=model)
    made["edges"][0]["targetHandle"] = "prompt"
    write_app(tmp_path / "app", document(form()), graphs={"wf1": made}, script=SCRIPT)
    greenrun("debug", "app", "--models", "scripted", "--out", "out")
    (picture,) = (tmp_path / "out" / "assets").iterdir()
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_recording_that_cannot_be_written_does_not_lose_the_report(
    app: Path, greenrun: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OpenAIServer(text("Hello there")) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        outcome = greenrun("debug", "app", "--record", "--recording", "/proc/none/recording.json")
    assert outcome.code == 0
    assert "cannot be written" in outcome.out.replace("\n", " ")


def test_a_damaged_recording_does_not_matter_to_a_check(app: Path, greenrun: Command) -> None:
    (app / "recording.json").write_text("{", encoding="utf-8")
    assert greenrun("check", "app").code == 0


def test_without_a_recording_a_forbidden_call_fails(app: Path, greenrun: Command) -> None:
    outcome = greenrun("debug", "app", "--replay-missing", "fail")
    assert outcome.code == 1
    assert "--replay-missing=call" in outcome.out.replace("\n", " ")
