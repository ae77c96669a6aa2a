"""The Python API: load, check, simulate, open."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import greenrun
from app_folders import SHOUT, function_app, shouting_app, write_app
from greenrun.oracle.host import FunctionUntrusted, Host
from greenrun.oracle.options import SimulateOptions
from greenrun.workflows.functions import FunctionHost, FunctionMissing
from greenrun.workspace.errors import LoadError
from greenrun.workspace.local import LocalHost
from greenrun.workspace.project import Project
from simulated import document, form, graph, operation


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_an_app_is_loaded_checked_and_simulated(tmp_path: Path) -> None:
    project = greenrun.load(shouting_app(tmp_path / "app"))
    checked = project.check()
    assert (checked.verdict.status, checked.verdict.proof) == ("green", "static")
    report = project.simulate()
    assert (report.verdict.status, report.verdict.proof) == ("green", "run")
    assert report.values["result"] == "HI"
    assert report.isolation == FunctionHost(None).isolation
    assert report.closure == checked.closure


def test_params_are_laid_over_those_of_the_script(tmp_path: Path) -> None:
    stored = function_app("mod:f", "a", "b")
    source = "def f(a: str = '', b: str = '') -> str:\n    return a + b\n"
    script = {"params": {"a": "1", "b": "2"}, "interact": [{"click": "Run"}]}
    project = greenrun.load(write_app(tmp_path / "app", stored, functions={"mod": source}, script=script))
    assert project.simulate().values["result"] == "12"
    assert project.simulate(params={"b": "3"}).values["result"] == "13"
    assert project.simulate([], params={"b": "3"}).runs == ()


def test_the_limits_reach_the_simulation(tmp_path: Path) -> None:
    source = "def f(text: str = '') -> str:\n    while True:\n        pass\n"
    project = greenrun.load(write_app(tmp_path / "app", function_app("mod:f", "text"), functions={"mod": source}))
    assert [reason.code for reason in project.simulate(timeout_ms=150).verdict.reasons] == ["GR905"]
    assert [reason.code for reason in project.simulate(deadline_ms=300).verdict.reasons] == ["GR906"]


def test_runs_can_be_left_out(tmp_path: Path) -> None:
    report = greenrun.load(shouting_app(tmp_path / "app")).simulate(run=False)
    assert (report.verdict.status, report.verdict.proof, report.runs) == ("green", "static", ())


def test_a_check_without_fixes_tries_none(tmp_path: Path) -> None:
    stored = function_app("loud:shout", "text")
    stored["ui"]["content"][1]["props"]["events"][0]["operationId"] = "mian"
    project = greenrun.load(write_app(tmp_path / "app", stored, functions={"loud": SHOUT}))
    assert [bool(item.fixes) for item in project.check().findings if item.code == "GR301"] == [True]
    assert not any(item.fixes for item in project.check(fixes=False).findings)


async def test_inside_an_event_loop_the_twins_are_awaited(tmp_path: Path) -> None:
    project = greenrun.load(shouting_app(tmp_path / "app"))
    assert (await project.acheck()).verdict.ok
    assert (await project.asimulate(SimulateOptions())).verdict.ok
    for call in (project.check, project.simulate):
        with pytest.raises(RuntimeError, match="await the async twin"):
            call()


async def test_an_app_is_opened_over_a_host(tmp_path: Path) -> None:
    project = greenrun.load(shouting_app(tmp_path / "app"))
    async with project.host() as host:
        assert isinstance(host, Host)
        instance = await project.aopen(host)
        instance.run("main")
        await instance.settle()
        assert instance.view("shown").value == "HI"
        await instance.aclose()


async def test_without_a_document_there_is_nothing_to_open(tmp_path: Path) -> None:
    (tmp_path / "flow.json").write_text(json.dumps(graph()), encoding="utf-8")
    project = greenrun.load(tmp_path / "flow.json")
    async with project.host() as host:
        with pytest.raises(LoadError, match="Build the app first"):
            await project.aopen(host)


async def test_a_graph_may_be_pinned_to_a_version(tmp_path: Path) -> None:
    stored = document(form(), [operation(workflowVersion=3)])
    path = write_app(tmp_path / "app", stored, graphs={"wf1": graph("nodetool.text.Concat")})
    assert (await greenrun.load(path).acheck()).verdict.ok


def bundled(tmp_path: Path, functions: dict[str, str], target: str = "loud:shout") -> Path:
    bundle = {
        "schemaVersion": 1,
        "name": "B",
        "app": function_app(target, "text"),
        "workflows": [],
        "functions": [{"module": module, "source": source} for module, source in functions.items()],
    }
    path = tmp_path / "b.json"
    path.write_text(json.dumps(bundle), encoding="utf-8")
    return path


async def test_carried_code_is_refused_until_it_is_trusted(tmp_path: Path) -> None:
    path = bundled(tmp_path, {"loud": SHOUT})
    async with greenrun.load(path).host() as host:
        with pytest.raises(FunctionUntrusted, match=r"its own code \(loud\).*--trust"):
            await host.function_ports("loud:shout")
    async with greenrun.load(path, trust=True).host() as host:
        ports = await host.function_ports("loud:shout")
        assert [port.name for port in ports.inputs] == ["text"]
        assert host.function_sources("loud:shout") == {"loud": SHOUT}


async def test_carried_code_that_own_code_imports_is_refused_too(tmp_path: Path) -> None:
    bundle = json.loads(bundled(tmp_path, {"helper": "X = 1\n"}, "own:f").read_text(encoding="utf-8"))
    own = "import helper\n\ndef f(text: str = '') -> int:\n    return helper.X\n"
    project = greenrun.load(write_app(tmp_path / "app", bundle, functions={"own": own, "alone": SHOUT}))
    async with project.host() as host:
        with pytest.raises(FunctionUntrusted, match="helper"):
            await host.function_ports("own:f")
        assert (await host.function_ports("alone:shout")).outputs


async def test_a_function_that_is_not_there_is_missing_not_untrusted(tmp_path: Path) -> None:
    async with greenrun.load(bundled(tmp_path, {"loud": SHOUT})).host() as host:
        with pytest.raises(FunctionMissing, match='"os:system"'):
            await host.function_ports("os:system")


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        (None, sys.executable),
        ("python3.11", "python3.11"),
        ("/usr/bin/python3", "/usr/bin/python3"),
        (".venv/bin/python", "{app}/.venv/bin/python"),
    ],
)
def test_the_interpreter_is_the_one_that_the_workspace_names(
    setting: str | None, expected: str, tmp_path: Path
) -> None:
    settings = None if setting is None else f'python = "{setting}"\n'
    loaded = greenrun.load(shouting_app(tmp_path / "app", settings=settings)).loaded
    assert LocalHost(loaded)._functions.python == expected.replace("{app}", str(tmp_path / "app"))


def test_a_project_takes_a_registry_of_its_own(tmp_path: Path) -> None:
    from simulated import registry

    path = write_app(tmp_path / "app", document(form()), graphs={"wf1": graph(answer="own")})
    loaded = greenrun.load(path).loaded
    assert not Project(loaded).check().verdict.ok
    assert Project(loaded, registry=registry()).simulate().values["result"] == "own"


def test_the_public_names_of_the_package_are_importable() -> None:
    assert dir(greenrun) == greenrun.__all__
    assert all(getattr(greenrun, name) is not None for name in greenrun.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        greenrun.nope  # noqa: B018
