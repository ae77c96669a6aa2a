"""Bad input: one clear error that names place and next step, the right exit code, and nothing left running."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app_folders import SHOUT, Command, function_app, function_operation, shouting_app, write_app
from simulated import document, form, graph, operation, widget

SECONDS = 10

Prepare = Callable[[Path], Path]


def text_file(text: str, name: str = "app.json") -> Prepare:
    def prepare(folder: Path) -> Path:
        (folder / name).write_text(text, encoding="utf-8")
        return folder / name

    return prepare


def huge(folder: Path) -> Path:
    path = folder / "huge.json"
    with path.open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    return path


def as_folder(app: Any, **parts: Any) -> Prepare:
    return lambda folder: write_app(folder / "app", app, **parts)


def over_graph(stored: Any) -> Prepare:
    return as_folder(document(form()), graphs={"wf1": stored})


def over_function(source: str, function: str = "mod:f", **parts: Any) -> Prepare:
    return as_folder(function_app(function, "text"), functions={"mod": source}, **parts)


def circle() -> dict[str, Any]:
    stored = graph("nodetool.text.Concat")
    back = {"id": "e3", "source": "t2", "sourceHandle": "output", "target": "t1", "targetHandle": "b"}
    there = {"id": "e4", "source": "t1", "sourceHandle": "output", "target": "t2", "targetHandle": "a"}
    stored["nodes"].append({"id": "t2", "type": "nodetool.text.Concat", "data": {}})
    stored["edges"] += [back, there]
    return stored


def dangling() -> dict[str, Any]:
    stored = graph("nodetool.text.Concat")
    stored["edges"].append(
        {"id": "e9", "source": "t1", "sourceHandle": "output", "target": "ghost", "targetHandle": "a"}
    )
    return stored


QUICK = "import_timeout_ms = 400\n"

CASES: dict[str, tuple[Prepare, int, tuple[str, ...]]] = {
    "nothing there": (lambda folder: folder / "nope", 2, ("neither an app folder nor a file", "Name a folder")),
    "empty folder": (lambda folder: folder, 2, ("holds no app.json", "greenrun new")),
    "name too long": (lambda folder: folder / ("x" * 5000), 2, ("cannot be read",)),
    "empty file": (text_file(""), 2, ("app.json",)),
    "not JSON": (text_file('{"ui": {'), 2, ("app.json", "line 1, column 9")),
    "not text": (lambda folder: _bytes(folder, b"\xff\x00\xfe"), 2, ("app.json",)),
    "a list": (text_file("[1, 2]"), 2, ("holds no JSON object",)),
    "JSON of another kind": (text_file('{"name": "x", "version": 2}'), 2, ('"nodes" and "edges" missing',)),
    "JSON of another kind in an app folder": (as_folder({"name": "x"}), 1, ("GR101", 'neither "ui" nor')),
    "a newer schema": (as_folder({"schemaVersion": 99, "ui": {}}), 1, ("GR101", "schemaVersion 99 is newer")),
    "50 MB": (huge, 2, ("huge.json is too large: 52,428,800 bytes",)),
    "depth bomb": (text_file("[" * 100_000), 2, ("app.json", "deep")),
    "depth bomb in an object": (text_file('{"ui":' * 50_000), 2, ("app.json", "deep")),
    "duplicate keys": (text_file('{"ui": {}, "ui": {}}'), 2, ("names a key twice", "Keep one")),
    "NaN": (text_file('{"ui": {"a": NaN}}'), 2, ("app.json", "NaN")),
    "an integer beyond all numbers": (text_file('{"ui": ' + "9" * 400 + "}"), 2, ("app.json",)),
    "a script of another kind": (
        as_folder(document(form()), script={"interact": 3}),
        2,
        ("script.json", "is no script"),
    ),
    "settings of another kind": (as_folder(document(form()), settings="pyhton = 1\n"), 2, ("pyhton", "Known settings")),
    "settings that are not TOML": (as_folder(document(form()), settings="= ="), 2, ("greenrun.toml", "TOML")),
    "circle": (over_graph(circle()), 1, ("GR616", "t1")),
    "dangling edge": (over_graph(dangling()), 1, ("GR617", "ghost")),
    "a graph that is not JSON": (over_graph("{"), 3, ("GR902", "wf1.json")),
    "a graph with a key twice": (over_graph('{"nodes": [], "nodes": [], "edges": []}'), 3, ("GR902", "twice")),
    "no such workflow": (as_folder(document(form())), 1, ("GR401", '"wf1"')),
    "a path as workflow": (as_folder(document(form(), [operation(workflow="../secret")])), 1, ("GR401", "../secret")),
    "os:system": (over_function(SHOUT, "os:system"), 1, ("GR401", '"os:system"')),
    "a dotted way out": (over_function("import os\n", "mod:os.system"), 1, ("GR401",)),
    "an imported name": (over_function("from os import system\n", "mod:system"), 1, ("GR401", "system")),
    "no such function": (over_function("def g(): ...\n"), 1, ("GR401", 'defines no "f"')),
    "a function that does not compile": (over_function("def f(:\n"), 3, ("GR903", "mod.py, line 1")),
    "a function that does not import": (over_function("import nowhere\n\ndef f(): ...\n"), 3, ("GR903", "nowhere")),
    "a function that loops at import": (
        over_function("while True:\n    pass\n\ndef f(): ...\n", settings=QUICK),
        3,
        ("GR903", "within 0.4 s"),
    ),
    "a function that exits at import": (
        over_function("import os\nos._exit(7)\n\ndef f(): ...\n"),
        3,
        ("GR903", "status 7"),
    ),
    "a function that raises SystemExit at import": (
        over_function("raise SystemExit(0)\n\ndef f(): ...\n"),
        3,
        ("GR903", "sys.exit(0)"),
    ),
    "no such interpreter": (over_function(SHOUT, "mod:shout", settings='python = "/no/such/python"\n'), 3, ("GR903",)),
}


def _bytes(folder: Path, data: bytes) -> Path:
    (folder / "app.json").write_bytes(data)
    return folder / "app.json"


@pytest.mark.parametrize("command", ["check", "debug"])
@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_one_clear_error(case: str, command: str, tmp_path: Path, greenrun: Command) -> None:
    prepare, code, words = CASES[case]
    path = prepare(tmp_path)
    began = time.monotonic()
    outcome = greenrun(command, path)
    assert time.monotonic() - began < SECONDS
    assert outcome.code == code
    for word in words:
        assert word in outcome.text
    if code == 2:
        assert outcome.out == ""
        assert outcome.err.startswith("error: ")
        assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("case", [name for name, (_, code, _) in CASES.items() if code == 2])
def test_wrong_use_is_an_object_under_json(case: str, tmp_path: Path, greenrun: Command) -> None:
    outcome = greenrun("check", CASES[case][0](tmp_path), "--json")
    assert outcome.code == 2
    assert outcome.json["error"]["exitCode"] == 2
    assert outcome.json["error"]["message"] in outcome.err


AT_RUN: dict[str, tuple[str, int, tuple[str, ...]]] = {
    "raises": ('raise ValueError("no such city")', 1, ("GR720", "no such city")),
    "exits": ("import os; os._exit(3)", 1, ("GR720", "status 3")),
    "raises SystemExit": ("raise SystemExit(0)", 1, ("GR720", "sys.exit(0)")),
    "returns what cannot be sent": ("return object()", 1, ("GR720", "object")),
    "returns itself inside": ("x = []; x.append(x); return x", 1, ("GR720",)),
    "returns NaN": ('return float("nan")', 1, ("GR72",)),
    "kills itself": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 1, ("GR720", "SIGKILL")),
}


@pytest.mark.parametrize("case", AT_RUN)
def test_a_function_that_misbehaves_at_its_run_is_red(case: str, tmp_path: Path, greenrun: Command) -> None:
    body, code, words = AT_RUN[case]
    source = f'from typing import Any\n\ndef f(text: str = "") -> Any:\n    {body}\n'
    path = write_app(tmp_path / "app", function_app("mod:f", "text"), functions={"mod": source})
    outcome = greenrun("debug", path)
    assert outcome.code == code, outcome.text
    for word in words:
        assert word in outcome.text


def test_a_function_that_never_returns_is_stopped_by_the_limits(tmp_path: Path, greenrun: Command) -> None:
    source = "def f(text: str = '') -> str:\n    while True:\n        pass\n"
    path = write_app(tmp_path / "app", function_app("mod:f", "text"), functions={"mod": source})
    outcome = greenrun("debug", path, "--timeout", 300)
    assert outcome.code == 3
    assert "GR905" in outcome.out
    outcome = greenrun("debug", path, "--deadline", 400)
    assert outcome.code == 3
    assert "GR906" in outcome.out


NOISY = """
import sys
print("said-at-import")
sys.stdout.write("{}")

def f(text: str = "hi") -> str:
    print("said-at-run")
    print("in error", file=sys.stderr)
    return text
"""


@pytest.mark.parametrize("command", ["check", "debug"])
def test_what_a_function_prints_is_not_mixed_into_the_result(command: str, tmp_path: Path, greenrun: Command) -> None:
    path = write_app(tmp_path / "app", function_app("mod:f", "text"), functions={"mod": NOISY})
    outcome = greenrun(command, path, "--json")
    assert outcome.code == 0
    assert outcome.json["verdict"]["status"] == "green"
    assert "said-at-import" not in outcome.err
    assert "said-at-run" not in outcome.text


def odd_ids(id_: str) -> dict[str, Any]:
    """An app in which everything that can be named has that name."""
    stored = document(
        [
            widget("TextInput", id_, label=id_, binding=f"var:{id_}"),
            widget("Button", f"{id_}-b", events=[{"trigger": "click", "kind": "run", "operationId": id_}]),
            widget(id_, f"{id_}-w", **{id_: id_}),
            widget("Text", f"{id_}-t", text=f"{{{id_}|{id_}}}", format=f"{{{id_}|{id_}}}"),
        ],
        [operation(id_, inputs={id_: {"from": "variable", "variableId": id_}})],
        [{"id": id_, "name": id_, "scope": "user", "persist": True}],
        [{"id": id_, "kind": id_, "scope": {"kind": "workspace"}, "operations": [id_], "autosave": id_}],
    )
    stored[id_] = {id_: id_}
    return stored


NAMES = (
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "__class__",
    "a/b",
    "a:b",
    "a#b",
    "op:main/in:x",
    " ",
    "\ud800",
    "\u202e\u0007[red]",
    "\x1b[2J",
    "ключ",
    "x" * 10_000,
)


@pytest.mark.parametrize("name", NAMES, ids=[ascii(name)[:20] for name in NAMES])
@pytest.mark.parametrize("command", ["check", "debug", "fix"])
def test_any_name_is_survived(name: str, command: str, tmp_path: Path, greenrun: Command) -> None:
    path = write_app(tmp_path / "app", odd_ids(name), graphs={"wf1": graph("nodetool.text.Concat")})
    outcome = greenrun(command, path)
    assert outcome.code in (0, 1), outcome.text
    assert "GR9" not in outcome.text
    assert "\x1b" not in outcome.text
    assert "\x07" not in outcome.text


@pytest.mark.parametrize("number", [2**53 + 1, -(2**63), 10**300, 1e308, -0.0, 5e-324])
def test_any_number_is_survived(number: float, tmp_path: Path, greenrun: Command) -> None:
    content = [
        widget("Slider", "s", binding="op:main/in:in1", min=number, max=number, step=number),
        widget("Text", "t", text=number, format=number),
        *form(),
    ]
    stored = document(content, [operation(timeoutMs=number)])
    path = write_app(tmp_path / "app", stored, graphs={"wf1": graph("nodetool.text.Concat", a=number)})
    outcome = greenrun("debug", path, "--json", "--full")
    assert outcome.code in (0, 1), outcome.text
    assert outcome.json["app"]["widgetCount"] == 7


def test_a_lone_surrogate_is_printed_as_an_escape(tmp_path: Path, greenrun: Command) -> None:
    stored = function_app("loud:shout", "text")
    stored["ui"]["root"]["props"]["title"] = "half \ud83d"
    path = write_app(tmp_path / "app", stored, functions={"loud": SHOUT})
    shown = greenrun("debug", path)
    assert "half \\ud83d" in shown.out
    as_json = greenrun("debug", path, "--json", "--full")
    assert as_json.json["app"]["title"] == "half \ud83d"
    report = json.loads((Path(as_json.json["bundleDir"]) / "report.json").read_text(encoding="utf-8"))
    assert report["app"]["title"] == "half \ud83d"


OPTIONS: list[tuple[tuple[str, ...], str]] = [
    (("--params", "{"), "--params"),
    (("--params", "[1]"), "--params needs a JSON object"),
    (("--params", "null"), "--params needs a JSON object"),
    (("--params", '{"a": 1, "a": 2}'), "--params names a key twice"),
    (("--params", '{"a": NaN}'), "--params"),
    (("--interact", "{}"), "--interact needs a JSON list"),
    (("--interact", "click"), "--interact"),
    (("--interact", "@nowhere.json"), "nowhere.json cannot be read"),
    (("--timeout", "soon"), "--timeout"),
    (("--timeout", "-1"), "--timeout"),
    (("--deadline", "1.5"), "--deadline"),
    (("--bogus",), "--bogus"),
    (("--out",), "--out"),
    (("another",), "another"),
]


@pytest.mark.case("HA-10.1-1")
@pytest.mark.parametrize(("options", "word"), OPTIONS)
def test_a_bad_flag_is_wrong_use(options: tuple[str, ...], word: str, tmp_path: Path, greenrun: Command) -> None:
    outcome = greenrun("debug", shouting_app(tmp_path / "app"), *options)
    assert outcome.code == 2
    assert word in outcome.err
    assert outcome.out == ""


def test_a_step_of_an_unknown_shape_is_red_and_lists_the_shapes(tmp_path: Path, greenrun: Command) -> None:
    steps = json.dumps([{"press": "Run"}, {"click": "a", "set": {}}])
    outcome = greenrun("debug", shouting_app(tmp_path / "app"), "--interact", steps)
    assert outcome.code == 1
    assert "GR710" in outcome.out
    assert "seedResource" in outcome.out


def test_a_bundles_code_is_not_run_before_it_is_trusted(tmp_path: Path, greenrun: Command) -> None:
    source = "raise RuntimeError('was imported')\n\ndef shout(text: str = 'hi') -> str:\n    return text\n"
    bundle = {
        "schemaVersion": 1,
        "name": "B",
        "app": function_app("loud:shout", "text"),
        "workflows": [],
        "functions": [{"module": "loud", "source": source}],
    }
    (tmp_path / "b.json").write_text(json.dumps(bundle), encoding="utf-8")
    refused = greenrun("debug", "b.json")
    assert refused.code == 3
    assert "GR904" in refused.out
    assert "--trust" in refused.out
    assert "was imported" not in refused.out
    trusted = greenrun("debug", "b.json", "--trust")
    assert "GR903" in trusted.out
    assert "was imported" in trusted.out


def test_two_operations_of_which_one_cannot_be_loaded_name_it(tmp_path: Path, greenrun: Command) -> None:
    stored = function_app("mod:f", "text")
    stored["operations"].append(function_operation("broken:f", "second"))
    go = stored["ui"]["content"][1]["props"]["events"]
    go.append({"trigger": "click", "kind": "run", "operationId": "second"})
    sources = {"mod": "def f(text: str = 'a') -> str:\n    return text\n", "broken": "1 / 0\n"}
    outcome = greenrun("check", write_app(tmp_path / "app", stored, functions=sources))
    assert outcome.code == 3
    assert 'Operation "second"' in outcome.out
    assert "ZeroDivisionError" in outcome.out
