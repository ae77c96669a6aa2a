"""``greenrun new``, ``nodes``, ``demo``, ``doctor``, and the command as a whole."""

from __future__ import annotations

import io
import json
import re
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from app_folders import SHOUT, Command, shouting_app, write_app
from greenrun import __version__
from greenrun.cli import demo, doctor
from greenrun.cli.console import plain, print_json, print_rows
from greenrun.cli.doctor import Diagnosis
from greenrun.cli.main import run
from greenrun.workflows.registry import default_registry
from greenrun.workflows.runnable import OLD_TYPES
from simulated import document, graph


def sources(folder: Path, **modules: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


NEEDY = """
from greenrun import Image, workflow

@workflow(title="Frame a picture")
def frame(photo: Image, caption: str, width: int, tags: list[str], loud: bool) -> dict[str, str]:
    return {"caption": caption * width}
"""


def test_a_new_app_for_a_function_is_green_and_runs(tmp_path: Path, greenrun: Command) -> None:
    sources(tmp_path / "code", loud=SHOUT)
    made = greenrun("new", "code/loud.py:shout")
    assert made.code == 0
    assert made.out.splitlines() == [
        "Made shout/app.json: 8 widgets, green.",
        "Copied to shout/workflows/loud.py; that is what the app runs.",
        "See it run: greenrun debug shout",
    ]
    assert not (tmp_path / "shout" / "script.json").exists()
    assert greenrun("debug", "shout").code == 0


def test_a_new_app_whose_inputs_have_no_values_brings_examples(tmp_path: Path, greenrun: Command) -> None:
    sources(tmp_path, mod="def greet(name: str, times: int) -> str:\n    return name * times\n")
    made = greenrun("new", "mod.py:greet")
    assert "Its example values are in greet/script.json" in made.out
    script = json.loads((tmp_path / "greet" / "script.json").read_text(encoding="utf-8"))
    assert script == {"params": {"name": "example", "times": 1}}
    assert greenrun("debug", "greet").code == 0


def test_a_new_app_that_needs_a_file_says_how_to_supply_it(tmp_path: Path, greenrun: Command) -> None:
    sources(tmp_path, mod=NEEDY)
    made = greenrun("new", "mod.py:frame")
    assert made.code == 0
    assert 'It needs a file of yours for "photo"' in made.out
    assert "Copied to frame/workflows/mod.py" in made.out
    command = made.out.splitlines()[-1]
    assert command.startswith('See it run: greenrun debug frame --params \'{"photo": ')
    assert greenrun("debug", "frame").code == 3
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    params = json.dumps({"photo": {"type": "image", "uri": "file:a.png"}})
    ran = greenrun("debug", "frame", "--params", params)
    assert ran.code == 0
    assert "Frame a picture" in ran.out


def test_a_new_app_takes_along_what_its_function_imports(tmp_path: Path, greenrun: Command) -> None:
    code = sources(tmp_path / "code", main="from kit.words import loud\n\ndef f() -> str:\n    return loud('a')\n")
    sources(code / "kit", __init__="", words="def loud(text):\n    return text.upper()\n", unused="")
    assert greenrun("new", code / "main.py:f", "--out", "made").code == 0
    copied = sorted(str(file.relative_to(tmp_path / "made")) for file in (tmp_path / "made").rglob("*.py"))
    assert copied == ["workflows/kit/__init__.py", "workflows/kit/words.py", "workflows/main.py"]
    assert greenrun("debug", "made").code == 0


def test_a_new_app_beside_its_function_copies_nothing(tmp_path: Path, greenrun: Command) -> None:
    (tmp_path / "app").mkdir()
    sources(tmp_path / "app" / "workflows", loud=SHOUT)
    assert greenrun("new", "app/workflows/loud.py:shout", "--out", "app", "--title", "Mine").code == 0
    assert greenrun("debug", "app", "--json").json["app"]["title"] == "Mine"


@pytest.mark.parametrize(
    ("stored", "title"),
    [
        (graph("nodetool.text.Concat"), "Größe 2"),
        ({"name": "My flow", "graph": graph("nodetool.text.Concat")}, "My flow"),
    ],
)
def test_a_new_app_for_a_graph_is_green_and_runs(
    stored: dict[str, Any], title: str, tmp_path: Path, greenrun: Command
) -> None:
    (tmp_path / "größe_2.json").write_text(json.dumps(stored), encoding="utf-8")
    made = greenrun("new", "größe_2.json", "--out", "made", "--json")
    assert made.code == 0
    assert made.json["folder"] == "made"
    assert made.json["supply"] == []
    assert made.json["app"]["title"] == title
    assert (tmp_path / "made" / "workflows" / "gr-e-2.json").is_file()
    assert greenrun("debug", "made").code == 0


def test_a_new_app_over_a_broken_graph_says_what_is_wrong(tmp_path: Path, greenrun: Command) -> None:
    (tmp_path / "flow.json").write_text(json.dumps(graph("nodetool.text.Concta")), encoding="utf-8")
    made = greenrun("new", "flow.json")
    assert made.code == 1
    assert "GR603" in made.out


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("nope.json", 'There is no file "nope.json"'),
        ("mod.py", 'Name the function too: "mod.py:<function>"'),
        ("mod.py:nope", 'defines no "nope"'),
        ("bad.py:f", "line 1"),
        ("my-mod.py:f", "my-mod"),
        ("other.json", "is no workflow"),
        ("text.json", "is no workflow"),
        ("broken.json", "broken.json"),
    ],
)
def test_what_no_app_can_be_made_of(argument: str, message: str, tmp_path: Path, greenrun: Command) -> None:
    sources(tmp_path, mod=SHOUT, bad="def f(:\n", **{"my-mod": SHOUT})
    (tmp_path / "other.json").write_text('{"a": 1}', encoding="utf-8")
    (tmp_path / "text.json").write_text('"text"', encoding="utf-8")
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    outcome = greenrun("new", argument)
    assert outcome.code == 2
    assert message in outcome.err
    assert not [item for item in tmp_path.iterdir() if item.is_dir()]


def test_an_existing_app_is_not_overwritten(tmp_path: Path, greenrun: Command) -> None:
    sources(tmp_path, loud=SHOUT)
    path = shouting_app(tmp_path / "shout")
    before = (path / "app.json").read_bytes()
    outcome = greenrun("new", "loud.py:shout")
    assert outcome.code == 2
    assert "exists already" in outcome.err
    assert (path / "app.json").read_bytes() == before


def test_a_folder_that_cannot_be_made_is_wrong_use(tmp_path: Path, greenrun: Command) -> None:
    sources(tmp_path, loud=SHOUT)
    outcome = greenrun("new", "loud.py:shout", "--out", "loud.py/inside")
    assert outcome.code == 2
    assert '"loud.py/inside" cannot be written' in outcome.err


def test_nodes_are_listed_a_line_each(greenrun: Command) -> None:
    outcome = greenrun("nodes")
    assert outcome.code == 0
    assert len(outcome.out.splitlines()) == len(default_registry().types()) - len(OLD_TYPES)
    line = next(line for line in outcome.out.splitlines() if line.startswith("nodetool.text.Join "))
    assert line.split() == ["nodetool.text.Join", "strings,", "separator", "→", "output"]


def test_nodes_are_searched_in_name_and_description(greenrun: Command) -> None:
    outcome = greenrun("nodes", "TEXTS OF A LIST")
    assert outcome.out.splitlines()[0] == "nodetool.text.Join"
    several = greenrun("nodes", "nodetool.text")
    assert all(line.startswith("nodetool.") for line in several.out.splitlines())


def test_a_full_name_describes_one_type(greenrun: Command) -> None:
    outcome = greenrun("nodes", "greenrun.math.Formula")
    lines = outcome.out.splitlines()
    assert lines[0] == "greenrun.math.Formula"
    assert "  in   expression  str" in lines
    assert any("more inputs" in line for line in lines)


def test_types_of_every_family_can_be_described(capsys: pytest.CaptureFixture[str]) -> None:
    families = {node.namespace: node for node in default_registry().types()}
    for node in families.values():
        assert run(["nodes", node.type]) == 0
        assert capsys.readouterr().out.splitlines()[0] == node.type


def test_a_type_that_runs_as_another_one_is_listed_only_under_its_full_name(greenrun: Command) -> None:
    assert "nodetool.text.Prompt" in greenrun("nodes", "text").out
    assert "FormatText" not in greenrun("nodes", "text").out
    assert "The old name of Prompt" in greenrun("nodes", "nodetool.text.FormatText").out


def test_nodes_as_json_are_schemas(greenrun: Command) -> None:
    found = greenrun("nodes", "nodetool.text.Join", "--json").json["nodes"]
    assert [node["type"] for node in found] == ["nodetool.text.Join"]
    assert found[0]["properties"]["type"] == "object"


@pytest.mark.parametrize(
    ("text", "hint"), [("nodetool.text.Joinn", 'Did you mean "nodetool.text.Join"?'), ("qqq", "greenrun nodes")]
)
def test_a_node_that_does_not_exist_gets_a_hint(text: str, hint: str, greenrun: Command) -> None:
    outcome = greenrun("nodes", text)
    assert outcome.code == 2
    assert hint in outcome.err


def test_a_broken_plugin_is_said_and_does_no_harm(greenrun: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("broken", "no.such.module:Node", "greenrun.nodes")
    monkeypatch.setattr("greenrun.cli.nodes.default_registry", lambda: default_registry(lambda: [entry]))
    outcome = greenrun("nodes", "nodetool.text.Join")
    assert outcome.code == 0
    assert outcome.err.startswith("plugin: ")
    assert "no.such.module" in outcome.err


def test_the_demo_shows_a_line_for_each_app(tmp_path: Path, greenrun: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    apps = [shouting_app(tmp_path / "fine"), write_app(tmp_path / "wrong", document([]))]
    monkeypatch.setattr(demo, "example_folders", lambda: apps)
    outcome = greenrun("demo")
    assert outcome.code == 1
    lines = outcome.out.splitlines()
    assert [line.split()[:2] for line in lines[1:3]] == [["✔", "fine"], ["✘", "wrong"]]
    assert lines[-1] == "1 of 2 apps green"
    rows = greenrun("demo", "--json").json["apps"]
    assert [(row["name"], row["status"], row["proof"]) for row in rows] == [
        ("fine", "green", "run"),
        ("wrong", "red", "static"),
    ]


@pytest.mark.parametrize(("apps", "code"), [(["fine"], 0), (["unread"], 3), (["fine", "unread"], 3)])
def test_the_demo_ends_as_its_worst_app(
    apps: list[str], code: int, tmp_path: Path, greenrun: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    shouting_app(tmp_path / "fine")
    unread = shouting_app(tmp_path / "unread")
    (unread / "workflows" / "loud.py").write_text("1 / 0\n", encoding="utf-8")
    monkeypatch.setattr(demo, "example_folders", lambda: [tmp_path / name for name in apps])
    assert greenrun("demo").code == code


def test_the_demo_without_examples_says_where_they_are(greenrun: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "example_folders", list)
    outcome = greenrun("demo")
    assert outcome.code == 2
    assert "source tree" in outcome.err


def test_the_examples_are_found_beside_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {folder.name for folder in demo.example_folders()} >= {"text-redactor", "csv-cleaner"}
    package = tmp_path / "src" / "greenrun"
    monkeypatch.setattr("greenrun.__file__", str(package / "__init__.py"))
    assert demo.example_folders() == []
    shouting_app(package / "examples" / "one")
    assert [folder.name for folder in demo.example_folders()] == ["one"]


def test_the_doctor_is_content_here(greenrun: Command) -> None:
    outcome = greenrun("doctor")
    assert outcome.code == 0
    assert outcome.out.splitlines()[0].split() == ["greenrun", __version__]
    assert max(len(line) for line in outcome.out.splitlines()) < 200
    data = greenrun("doctor", "--json").json
    assert data["version"] == __version__
    assert all(check["ok"] for check in data["checks"] if check["required"])


@pytest.mark.parametrize(
    ("script", "reason", "add"),
    [
        (None, "bubblewrap is not installed", "apt-get install bubblewrap"),
        ("echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1", "uid map", "sysctl -w kernel.apparmor"),
    ],
)
def test_the_doctor_says_how_functions_are_isolated_and_what_adds_to_it(
    script: str | None, reason: str, add: str, greenrun: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if script is not None:
        (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    checks = {check["name"]: check for check in greenrun("doctor", "--json").json["checks"]}
    assert reason in checks["function workers"]["found"]
    assert "not isolated" in checks["function workers"]["found"]
    found = checks["bubblewrap"]
    assert (found["ok"], found["required"]) == (False, False)
    assert reason in found["neededFor"]
    assert add in found["add"]


def test_the_doctor_says_what_an_older_bubblewrap_does_without(
    greenrun: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = 'case "$*" in *--size*) echo "bwrap: Unknown option --size" >&2; exit 1;; esac'
    (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    checks = {check["name"]: check for check in greenrun("doctor", "--json").json["checks"]}
    assert checks["bubblewrap"]["found"] == f"{tmp_path / 'bwrap'} (without --size)"


def test_the_doctor_names_what_is_missing_and_what_adds_it(greenrun: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = (
        Diagnosis("Pillow", None, "images", 'pip install "greenrun[images]"'),
        Diagnosis("node types", None, "graphs", required=True),
        Diagnosis("examples", "12", "greenrun demo", "clone the source tree"),
    )
    monkeypatch.setattr(doctor, "PROBES", tuple(lambda item=item: item for item in missing))
    outcome = greenrun("doctor")
    assert outcome.code == 1
    assert outcome.out.splitlines()[1:] == [
        "-  Pillow      missing; needed for images",
        '               add it: pip install "greenrun[images]"',
        "✘  node types  missing; needed for graphs",
        "✔  examples    12",
    ]
    checks = greenrun("doctor", "--json").json["checks"]
    assert [(check["ok"], check["add"]) for check in checks] == [
        (False, 'pip install "greenrun[images]"'),
        (False, None),
        (True, None),
    ]


def test_the_version_is_printed(greenrun: Command) -> None:
    outcome = greenrun("--version")
    assert (outcome.code, outcome.out) == (0, f"greenrun {__version__}\n")


def test_without_a_command_the_help_is_shown(greenrun: Command) -> None:
    outcome = greenrun()
    assert outcome.code == 2
    for command in ("check", "debug", "fix", "new", "nodes", "demo", "doctor"):
        assert re.search(rf"^  {command} ", outcome.err, re.MULTILINE)
    assert "..." not in outcome.err.partition("Commands:")[2]


def test_the_help_of_a_command_ends_with_0(greenrun: Command) -> None:
    outcome = greenrun("debug", "--help")
    assert outcome.code == 0
    assert "--interact" in outcome.out


@pytest.mark.parametrize("arguments", [["chek"], ["check"], ["check", "a", "b"], ["--bogus"]])
def test_a_mistyped_command_names_the_help(arguments: list[str], greenrun: Command) -> None:
    outcome = greenrun(*arguments)
    assert outcome.code == 2
    assert outcome.err.startswith("error: ")
    assert "--help" in outcome.err


def test_a_fault_of_the_command_itself_is_said_to_be_one(
    tmp_path: Path, greenrun: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*arguments: Any, **options: Any) -> None:
        raise KeyError("inside")

    monkeypatch.setattr("greenrun.cli.check.load", broken)
    outcome = greenrun("check", "app")
    assert outcome.code == 3
    assert "the command itself failed: KeyError: 'inside'" in outcome.err
    assert "not of your app" in outcome.err
    monkeypatch.setenv("GREENRUN_DEBUG", "1")
    assert run(["check", "app"]) == 3
    assert "Traceback" in capsys.readouterr().err


def test_a_system_that_refuses_is_no_fault_of_the_command(greenrun: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: Any, **options: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("greenrun.cli.check.load", refused)
    outcome = greenrun("check", "app")
    assert outcome.code == 3
    assert outcome.err == "error: the system refused: [Errno 28] No space left on device\n"


def test_json_for_an_output_without_unicode_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    print_json({"name": "Größe"})
    sys.stdout.flush()
    assert raw.getvalue() == b'{\n  "name": "Gr\\u00f6\\u00dfe"\n}\n'


def test_text_for_an_output_without_unicode_is_escaped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shouting_app(tmp_path / "app")
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert run(["check", str(path)]) == 0
    assert raw.getvalue().startswith(b"\\u2714  Green")


def test_text_of_others_cannot_steer_a_terminal() -> None:
    assert plain("a\x1b[2Jb\x07[red]\n\tc\x9b") == "a\\x1b[2Jb\\x07\\[red]\n\tc\\x9b"


def test_rows_are_aligned_by_what_is_seen() -> None:
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, color_system=None, width=40, soft_wrap=True)
    print_rows(
        console, [("[red]ab[/]", "世界", "one two three four five six seven"), ("", "x", ""), ("c", "d", "e\nf")]
    )
    assert stream.getvalue().splitlines() == [
        "  ab  世界  one two three four five six",
        "            seven",
        "      x",
        "  c   d     e",
        "            f",
    ]


def test_rows_of_nothing_print_nothing() -> None:
    stream = io.StringIO()
    print_rows(Console(file=stream), [])
    assert stream.getvalue() == ""
