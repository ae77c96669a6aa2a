"""The client that tests drive an app with, blocking and awaited."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from app_folders import SHOUT, function_app, function_operation, shouting_app, write_app
from greenrun import testing
from greenrun.testing import AppClient, AppFailure, AsyncAppClient
from greenrun.testing.client import MEDIA_TYPES
from greenrun.workspace.errors import LoadError
from simulated import document, widget

READ = "from greenrun import File\n\ndef f(text: File) -> str:\n    return text.read_bytes().decode()\n"
FOREVER = "def f(text: str = '') -> str:\n    while True:\n        pass\n"


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No process outlives a test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield
    assert psutil.Process().children(recursive=True) == []


def rich_app(folder: Path) -> Path:
    """A choice, a hidden widget, a variable, two texts with one label, an event that fails."""
    stored = function_app("loud:shout", "text")
    stored["variables"] = [
        {"id": "mood", "name": "Mood", "scope": "user", "persist": True, "default": "calm"},
        {"id": "own", "name": "own", "scope": "instance", "persist": False},
    ]
    options = [{"value": "calm", "label": "Calm"}, {"value": "wild", "label": "Wild"}]
    stored["ui"]["content"] += [
        widget("Select", "mood", label="Mood", binding="var:mood", options=options),
        widget("Text", "secret", visibleWhen={"binding": "var:mood", "op": "eq", "value": "wild"}, text="!"),
        widget("Text", "twin-1", label="Twin", binding="var:mood"),
        widget("Text", "twin-2", label="Twin", binding="var:mood"),
        widget("Button", "broken", label="Broken", events=[{"trigger": "click", "kind": "run", "operationId": "bad"}]),
        widget("Stat", "formatted", label="Formatted", binding="var:mood", format="Mood: {mood|upper}"),
    ]
    stored["operations"].append(function_operation("loud:fail", "bad"))
    source = SHOUT + "\ndef fail() -> None:\n    raise ValueError('on purpose')\n"
    return write_app(folder, stored, functions={"loud": source})


@pytest.fixture
def app(tmp_path: Path) -> Iterator[AppClient]:
    with AppClient(rich_app(tmp_path / "app")) as client:
        yield client


def test_a_click_waits_for_its_run(app: AppClient) -> None:
    app.change("text", "hello")
    record = app.click("Run")
    assert record.actions == ["run main"]
    assert app.widget("Result").value == "HELLO"


def test_widgets_are_found_by_id_type_and_label(app: AppClient) -> None:
    assert {app.widget(name).id for name in ("mood", "Select", "Mood")} == {"mood"}


@pytest.mark.parametrize(
    ("name", "message"),
    [("Twin", "name one of them by its id"), ("nope", 'No widget has the id, type or label "nope"')],
)
def test_a_name_that_fits_none_or_several_is_a_failure(name: str, message: str, app: AppClient) -> None:
    with pytest.raises(AppFailure, match=message):
        app.widget(name)
    with pytest.raises(AppFailure, match=message):
        app.click(name)


def test_a_handle_shows_what_is_true_now(app: AppClient) -> None:
    secret, mood = app.widget("secret"), app.widget("Mood")
    assert (secret.visible, mood.value, mood.options) == (False, "calm", ["calm", "wild"])
    app.change("Mood", "wild")
    assert (secret.visible, mood.value) == (True, "wild")
    assert app.widget("Formatted").text == "Mood: WILD"
    assert app.widget("Result").value is None
    assert app.widget("text").options == []
    assert repr(mood) == "<Select 'mood' value='wild'>"
    assert mood.type == "Select"


def test_a_disabled_widget_says_so(tmp_path: Path) -> None:
    stored = document([widget("Button", "b", disabledWhen={"binding": "var:x", "op": "empty"})], [])
    stored["variables"] = [{"id": "x", "name": "x", "scope": "instance", "persist": False}]
    with AppClient(write_app(tmp_path / "app", stored)) as app:
        assert app.widget("b").disabled
        with pytest.raises(AppFailure, match="is disabled: disabledWhen is `var:x empty`"):
            app.click("b")


def test_a_run_that_fails_is_a_failure_unless_the_test_looks_itself(app: AppClient) -> None:
    with pytest.raises(AppFailure, match=r'click Broken: The run of operation "bad" failed: .*on purpose'):
        app.click("Broken")
    record = app.click("Broken", check=False)
    assert record.code == "GR717"
    assert "on purpose" in str(record.error)


def test_a_value_that_cannot_be_entered_is_a_failure(app: AppClient) -> None:
    with pytest.raises(AppFailure, match='it offers "calm", "wild"'):
        app.change("Mood", "sad")
    assert app.change("Mood", "sad", check=False).code == "GR713"


def test_a_change_without_a_value_only_fires(app: AppClient) -> None:
    with pytest.raises(AppFailure, match="has no change event"):
        app.change("Mood")
    assert app.variable("mood") == "calm"


def test_null_clears(app: AppClient) -> None:
    app.change("Mood", None)
    assert app.variable("mood") is None
    assert app.variable("never set") is None


def test_any_step_of_a_script_can_be_taken(app: AppClient) -> None:
    app.step({"set": {"key": "own", "value": 7}})
    assert app.variable("own") == 7
    app.step({"expect": {"widget": "Mood", "check": "equals", "value": "calm"}})
    with pytest.raises(AppFailure, match='should equal "wild"'):
        app.step({"expect": {"widget": "Mood", "check": "equals", "value": "wild"}})
    with pytest.raises(AppFailure, match="seedResource"):
        app.step({"press": "Run"})


def test_what_is_persisted_can_be_restored(app: AppClient, tmp_path: Path) -> None:
    app.change("Mood", "wild")
    app.step({"set": {"key": "own", "value": 7}})
    kept = app.persisted()
    assert kept == {"mood": "wild"}
    with AppClient(tmp_path / "app", restored=kept) as again:
        assert again.widget("Mood").value == "wild"


def reading_app(folder: Path, type_: str = "DocumentInput") -> Path:
    stored = function_app("mod:f", "text")
    stored["ui"]["content"][0] = widget(type_, "in", label="File", binding="op:main/in:text")
    return write_app(folder, stored, functions={"mod": READ})


@pytest.mark.parametrize("type_", ["DocumentInput", "WorkflowInput"])
def test_an_uploaded_file_reaches_the_function(type_: str, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("read me", encoding="utf-8")
    with AppClient(reading_app(tmp_path / "app", type_)) as app:
        app.upload("File", tmp_path / "note.txt")
        app.click("Run")
        assert app.widget("Result").value == "read me"


def test_a_file_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    with AppClient(reading_app(tmp_path / "app")) as app, pytest.raises(AppFailure, match="There is no file"):
        app.upload("File", tmp_path / "nope.txt")


@pytest.mark.parametrize(
    ("type_", "name", "kind"),
    [*((type_, "a.bin", kind) for type_, kind in MEDIA_TYPES.items()), ("MediaInput", "a.mp3", "audio")],
)
def test_an_upload_has_the_type_of_its_widget(type_: str, name: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"x")
    shown = type_ if type_ in MEDIA_TYPES else "WorkflowInput"
    stored = document([widget(shown, "w", binding="var:x")], [])
    stored["variables"] = [{"id": "x", "name": "x", "scope": "instance", "persist": False}]
    with AppClient(write_app(tmp_path / "app", stored)) as app:
        if shown == "WorkflowInput":
            with pytest.raises(AppFailure, match="it produces text"):
                app.upload("w", tmp_path / name)
            return
        app.upload("w", tmp_path / name)
        assert app.variable("x") == {"type": kind, "uri": (tmp_path / name).as_uri(), "name": name}


def test_a_run_that_never_ends_is_stopped(tmp_path: Path) -> None:
    path = write_app(tmp_path / "app", function_app("mod:f", "text"), functions={"mod": FOREVER})
    with AppClient(path, timeout_ms=200) as app, pytest.raises(AppFailure, match="did not finish within 200 ms"):
        app.click("Run")


def test_there_is_no_app_without_a_document(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="neither an app folder nor a file"):
        AppClient(tmp_path / "nope")
    with pytest.raises(LoadError, match='neither "ui" nor'):
        AppClient(write_app(tmp_path / "app", {"name": "x"}))


def test_a_closed_app_says_so(tmp_path: Path) -> None:
    client = AppClient(shouting_app(tmp_path / "app"))
    client.close()
    client.close()
    with pytest.raises(RuntimeError, match="closed"):
        client.click("Run")


def test_a_bundles_code_runs_when_it_is_trusted(tmp_path: Path) -> None:
    bundle = {
        "schemaVersion": 1,
        "name": "B",
        "app": function_app("loud:shout", "text"),
        "workflows": [],
        "functions": [{"module": "loud", "source": SHOUT}],
    }
    path = tmp_path / "b.json"
    path.write_text(json.dumps(bundle), encoding="utf-8")
    with AppClient(path) as app, pytest.raises(AppFailure, match="trust"):
        app.click("Run")
    with AppClient(path, trust=True) as app:
        app.click("Run")
        assert app.widget("Result").value == "HI"


async def test_the_same_can_be_awaited(tmp_path: Path) -> None:
    async with await AsyncAppClient.open(rich_app(tmp_path / "app")) as app:
        await app.change("text", "hello")
        await app.click("Run")
        assert app.widget("Result").value == "HELLO"
        assert (await app.step({"set": {"key": "own", "value": 1}})).error is None
        assert app.variable("own") == 1
        with pytest.raises(AppFailure):
            await app.upload("text", tmp_path / "nope")


async def test_closing_cancels_a_run(tmp_path: Path) -> None:
    path = write_app(tmp_path / "app", function_app("mod:f", "text"), functions={"mod": FOREVER})
    app = await AsyncAppClient.open(path, timeout_ms=None)
    app._instance.run("main")  # what a click would start, without waiting for it
    await app.aclose()
    assert [run.status for run in app._instance.state.invocations.values()] == ["cancelled"]


def test_the_public_names_are_importable() -> None:
    assert sorted(testing.__all__) == ["AppClient", "AppFailure", "AsyncAppClient", "TIMEOUT_MS", "WidgetHandle"]
    found: dict[str, Any] = {name: getattr(testing, name) for name in testing.__all__}
    assert found["AppClient"] is AppClient
    with pytest.raises(AttributeError, match="nope"):
        testing.nope  # noqa: B018  # type: ignore[attr-defined]
