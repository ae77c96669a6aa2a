"""Reading an app from disk: harness 1.2, 1.3."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from app_folders import SHOUT, function_app, shouting_app, write_app
from greenrun.oracle.target import target_from_document
from greenrun.workflows.functions import FunctionHost, Limits
from greenrun.workspace.errors import LoadError
from greenrun.workspace.folder import is_workflow_id, load_path, read_script, with_files
from greenrun.workspace.local import LocalHost
from greenrun.workspace.settings import WorkspaceSettings, read_settings
from simulated import document, form, graph, operation


def bundle(**more: Any) -> dict[str, Any]:
    return {
        "schemaVersion": 1,
        "name": "Bundled",
        "app": document(form(), [operation(workflow="flow")]),
        "workflows": [{"key": "flow", "name": "Flow", "graph": graph()}],
        **more,
    }


def saved(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_a_folder_is_an_app_with_its_workspace(tmp_path: Path) -> None:
    loaded = load_path(shouting_app(tmp_path / "app"))
    assert loaded.target.info.source == "application"
    assert loaded.target.app_name == "app"
    assert loaded.workspace == tmp_path / "app"
    assert loaded.workflows == tmp_path / "app" / "workflows"
    assert loaded.app_file == tmp_path / "app" / "app.json"
    assert (loaded.params, loaded.interact) == ({}, None)
    assert loaded.settings == WorkspaceSettings()


@pytest.mark.case("HA-1.2-1")
@pytest.mark.parametrize("value", [bundle(), {"app": document(form())}])
def test_a_document_that_holds_an_app_is_a_bundle(value: dict[str, Any]) -> None:
    target = target_from_document(value)
    assert target.info.source == "bundle"
    assert target.document is not None
    assert target.operations_reference_keys


@pytest.mark.case("HA-1.2-1")
@pytest.mark.parametrize("value", [bundle(), {"app": document(form())}])
@pytest.mark.parametrize("name", ["b.json", "app/app.json"])
def test_a_file_that_holds_an_app_is_a_bundle(name: str, value: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    path = saved(tmp_path / name, value)
    loaded = load_path(path.parent if name.startswith("app/") else path)
    assert loaded.target.info.source == "bundle"
    assert loaded.target.document is not None


def test_a_bundle_in_a_file_has_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "workflows").mkdir()
    loaded = load_path(saved(tmp_path / "b.json", bundle()))
    assert loaded.workspace is None
    assert loaded.workflows is None
    assert loaded.graph("flow") is None


def test_a_document_in_a_file_uses_the_workflows_beside_it(tmp_path: Path) -> None:
    shouting_app(tmp_path, settings="import_timeout_ms = 5\n")
    loaded = load_path(tmp_path / "app.json")
    assert loaded.workspace == tmp_path
    assert loaded.settings.import_timeout_ms == 5
    assert loaded.app_file == tmp_path / "app.json"


def test_a_document_alone_has_no_workspace(tmp_path: Path) -> None:
    assert load_path(saved(tmp_path / "a.json", document(form()))).workspace is None


def test_a_workflow_file_carries_its_app_and_its_params(tmp_path: Path) -> None:
    stored = {"id": "wf9", "graph": graph(), "app_doc": document(form()), "params": {"prompt": "x"}}
    target = load_path(saved(tmp_path / "flow.json", stored)).target
    assert (target.info.source, target.info.workflow_id) == ("json", "wf9")
    assert (target.info.node_count, target.info.edge_count) == (3, 2)
    assert target.file_params == {"prompt": "x"}
    assert target.document is not None


def test_a_graph_is_found_by_its_id_and_unwrapped(tmp_path: Path) -> None:
    graphs = {"plain": graph(), "wrapped": {"name": "W", "graph": graph()}}
    loaded = load_path(write_app(tmp_path / "app", document(form()), graphs=graphs))
    assert loaded.graph("plain") == loaded.graph("wrapped") == graph()
    assert loaded.graph("missing") is None


@pytest.mark.parametrize("name", ["../secret", "a/b", "", ".hidden", "/etc/passwd", "..", "a\\b", "a\nb", "ключ"])
def test_an_id_that_is_no_file_name_is_no_workflow(name: str, tmp_path: Path) -> None:
    saved(tmp_path / "secret.json", graph())
    loaded = load_path(write_app(tmp_path / "app", document(form())))
    assert not is_workflow_id(name)
    assert loaded.graph(name) is None


def test_a_link_out_of_the_workspace_is_no_workflow(tmp_path: Path) -> None:
    saved(tmp_path / "secret.json", graph())
    path = write_app(tmp_path / "app", document(form()))
    (path / "workflows" / "out.json").symlink_to(tmp_path / "secret.json")
    assert load_path(path).graph("out") is None


def test_without_a_workflows_folder_there_is_no_graph(tmp_path: Path) -> None:
    saved(tmp_path / "app.json", document(form()))
    loaded = load_path(tmp_path)
    assert (loaded.workspace, loaded.workflows) == (tmp_path, None)
    assert loaded.graph("wf1") is None


@pytest.mark.parametrize(
    ("script", "params", "interact"),
    [
        ({"params": {"a": 1}, "interact": [{"click": "b"}]}, {"a": 1}, [{"click": "b"}]),
        ({"params": {"a": 1}}, {"a": 1}, None),
        ({"interact": []}, {}, []),
        ({}, {}, None),
        ([{"click": "b"}], {}, [{"click": "b"}]),
    ],
)
def test_a_script_is_read(script: Any, params: Any, interact: Any, tmp_path: Path) -> None:
    assert read_script(saved(tmp_path / "script.json", script)) == (params, interact)


@pytest.mark.parametrize("script", ["click", 3, None, {"params": []}, {"interact": {}}])
def test_what_is_no_script_says_what_one_needs(script: Any, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r'is no script: it needs an object \{"params"'):
        read_script(saved(tmp_path / "script.json", script))


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("interacts", ' Did you mean "interact"?'),
        ("steps", ' Did you mean "interact"?'),
        ("parms", ' Did you mean "params"?'),
        ("title", ""),
    ],
)
def test_a_key_that_no_script_has_is_not_passed_over(key: str, hint: str, tmp_path: Path) -> None:
    path = saved(tmp_path / "script.json", {"params": {}, key: []})
    with pytest.raises(LoadError) as caught:
        read_script(path)
    assert (
        str(caught.value)
        == f'{path} has the key "{key}", which no script has.{hint} Known keys: "params" and "interact".'
    )


def test_an_app_without_a_script_has_none(tmp_path: Path) -> None:
    assert read_script(tmp_path / "script.json") == ({}, None)


def test_files_of_a_script_are_found_below_its_folder(tmp_path: Path) -> None:
    near = {"type": "image", "uri": "file:data/a b.png"}
    script = {"params": {"photo": near}, "interact": [{"change": "Photo", "value": {**near, "name": "a"}}]}
    params, interact = read_script(saved(tmp_path / "script.json", script))
    uri = (tmp_path / "data" / "a b.png").as_uri()
    assert params == {"photo": {"type": "image", "uri": uri}}
    assert interact == [{"change": "Photo", "value": {"type": "image", "uri": uri, "name": "a"}}]


@pytest.mark.parametrize(
    "value",
    [
        {"type": "image", "uri": "file:///a.png"},
        {"type": "image", "uri": "https://example.org/a.png"},
        {"uri": "file:a.png"},
        {"type": "image", "uri": 3},
        "file:a.png",
    ],
)
def test_what_names_no_file_beside_the_script_stays(value: Any) -> None:
    assert with_files(value, Path("/data")) == value


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pyhton = 'x'", ('"pyhton"', "Known settings: python, import_timeout_ms, isolation, environment, memory_mb")),
        ("import_timeout_ms = 0", ('"import_timeout_ms"', "greater than 0")),
        ("import_timeout_ms = 'soon'", ('"import_timeout_ms"',)),
        ("isolation = 'docker'", ('"isolation"', "'auto', 'bubblewrap' or 'none'")),
        ("environment = 'KEY'", ('"environment"',)),
        ("memory_mb = 0", ('"memory_mb"', "greater than 0")),
        ("open_files = 8", ('"open_files"', "greater than or equal to 32")),
        ("= 1", ("is not valid TOML",)),
        ("a = " + "[" * 5000, ("is not valid TOML",)),
    ],
)
def test_bad_settings_name_the_setting(text: str, words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "greenrun.toml").write_text(text, encoding="utf-8")
    with pytest.raises(LoadError) as caught:
        read_settings(tmp_path)
    for word in words:
        assert word in str(caught.value)


def test_settings_that_are_no_text_are_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / "greenrun.toml").write_bytes(b"\xff")
    with pytest.raises(LoadError, match="is not valid TOML"):
        read_settings(tmp_path)


def test_settings_are_read(tmp_path: Path) -> None:
    (tmp_path / "greenrun.toml").write_text('python = "py"\nimport_timeout_ms = 9\n', encoding="utf-8")
    assert read_settings(tmp_path) == WorkspaceSettings(python="py", import_timeout_ms=9)


def test_a_function_app_keeps_its_function_target(tmp_path: Path) -> None:
    loaded = load_path(write_app(tmp_path / "app", function_app("loud:shout"), functions={"loud": SHOUT}))
    assert [item.id for item in loaded.target.operations] == ["main"]


def test_limits_of_functions_are_settings(tmp_path: Path) -> None:
    lines = [f"{name} = {number}" for number, name in enumerate(asdict(Limits()), start=101)]
    (tmp_path / "greenrun.toml").write_text("\n".join(lines), encoding="utf-8")
    assert list(asdict(read_settings(tmp_path).limits).values()) == list(range(101, 101 + len(lines)))


def test_limits_without_settings_are_the_defaults(tmp_path: Path) -> None:
    assert read_settings(tmp_path).limits == Limits()


@pytest.mark.parametrize(("isolation", "known"), [("none", False), ("auto", True)])
async def test_the_setting_of_isolation_reaches_the_functions(isolation: str, known: bool, tmp_path: Path) -> None:
    app = load_path(shouting_app(tmp_path, settings=f'isolation = "{isolation}"\nenvironment = ["HI"]\n'))
    assert app.settings.environment == ("HI",)
    async with LocalHost(app) as host:
        assert (host.isolation == FunctionHost(None).isolation) is known
