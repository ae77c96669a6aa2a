"""``greenrun debug``: what it says, what it leaves behind, how it ends: harness 10.1."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from app_folders import SHOUT, Command, function_app, shouting_app, write_app
from greenrun.workflows.functions import FunctionHost
from simulated import document, form, graph, widget


@pytest.mark.case("HA-10.1-1")
def test_a_green_app_ends_with_0(tmp_path: Path, greenrun: Command) -> None:
    outcome = greenrun("debug", shouting_app(tmp_path / "app"))
    assert outcome.code == 0
    assert outcome.out.startswith("✔  Green for main (1 run)\n")


@pytest.mark.case("HA-10.1-1")
def test_an_app_with_an_error_ends_with_1(tmp_path: Path, greenrun: Command) -> None:
    path = write_app(tmp_path / "app", function_app("loud:whisper", "text"), functions={"loud": SHOUT})
    outcome = greenrun("debug", path)
    assert outcome.code == 1
    assert "GR401" in outcome.out


@pytest.mark.case("HA-10.1-1")
def test_a_loader_that_raises_ends_with_3(tmp_path: Path, greenrun: Command) -> None:
    outcome = greenrun("debug", write_app(tmp_path / "app", document(form()), graphs={"wf1": "{"}))
    assert outcome.code == 3
    assert "GR902" in outcome.out


@pytest.mark.case("HA-10.1-1")
@pytest.mark.parametrize("arguments", [["app", "--params", "{"], ["elsewhere"]])
def test_bad_json_and_an_unknown_reference_end_with_2(arguments: list[str], tmp_path: Path, greenrun: Command) -> None:
    shouting_app(tmp_path / "app")
    assert greenrun("debug", *arguments).code == 2


def test_the_text_says_what_ran_and_what_was_shown(tmp_path: Path, greenrun: Command) -> None:
    stored = function_app("loud:shout", "text")
    stored["variables"] = [{"id": "mood", "name": "mood", "scope": "user", "persist": True, "default": {"a": [1]}}]
    outcome = greenrun("debug", write_app(tmp_path / "app", stored, functions={"loud": SHOUT}))
    facts = [re.split(r" {2,}", line.strip(), maxsplit=1) for line in outcome.out.splitlines()[2:]]
    found = {fact[0]: fact[1] for fact in facts if len(fact) == 2}
    assert found["app"] == "Test, 5 widgets"
    assert found["proof"] == "run"
    assert re.fullmatch(r"main completed in \d+ ms", found["runs"])
    assert found["variables"] == 'mood = {"a": [1]}'
    assert found["displays"] == "1 of 1 filled"
    assert found["exercised"] == "main"
    assert found["isolation"] == FunctionHost(None).isolation
    assert found["report"].startswith("greenrun-debug/app-test-")


def test_what_was_not_exercised_says_what_to_supply(tmp_path: Path, greenrun: Command) -> None:
    stored = graph("nodetool.text.Concat")
    stored["nodes"][0] = {"id": "in1", "type": "nodetool.input.ImageInput", "data": {"name": "photo"}}
    content = form()
    content[0] = widget("ImageInput", "Photo", binding="op:main/in:in1")
    outcome = greenrun("debug", write_app(tmp_path / "app", document(content), graphs={"wf1": stored}))
    assert outcome.code == 3
    assert "main (media_missing, supply photo)" in outcome.out
    assert "GR907" in outcome.out


def test_without_runs_nothing_runs_and_the_proof_is_static(tmp_path: Path, greenrun: Command) -> None:
    outcome = greenrun("debug", shouting_app(tmp_path / "app"), "--no-run")
    assert outcome.code == 0
    assert "proof          static" in outcome.out
    assert "not exercised  main (runs_off)" in outcome.out
    assert "isolation" not in outcome.out


def test_many_runs_are_cut(tmp_path: Path, greenrun: Command) -> None:
    steps = [{"click": "go"}] * 15
    outcome = greenrun("debug", shouting_app(tmp_path / "app"), "--interact", json.dumps(steps))
    assert outcome.code == 0
    assert outcome.out.count("main completed") == 12
    assert "and 3 more" in outcome.out


def test_params_and_steps_replace_the_apps_own_script(tmp_path: Path, greenrun: Command) -> None:
    script = {"params": {"text": "from the script"}, "interact": [{"click": "go"}]}
    path = shouting_app(tmp_path / "app", script=script)

    def shown(*options: str) -> Any:
        return greenrun("debug", path, "--json", "--full", *options).json["values"]["result"]

    assert shown() == "FROM THE SCRIPT"
    assert shown("--params", '{"text": "given"}') == "GIVEN"
    steps = json.dumps([{"change": "text", "value": "typed"}, {"click": "Run"}])
    assert shown("--interact", steps) == "TYPED"


def test_params_and_steps_may_stand_in_files(tmp_path: Path, greenrun: Command) -> None:
    (tmp_path / "p.json").write_text('{"text": "filed"}', encoding="utf-8")
    (tmp_path / "s.json").write_text('[{"click": "go"}]', encoding="utf-8")
    path = shouting_app(tmp_path / "app")
    data = greenrun("debug", path, "--json", "--full", "--params", "@p.json", "--interact", "@s.json").json
    assert data["values"]["result"] == "FILED"
    assert [item["step"] for item in data["interactions"]] == ["click go"]


def test_the_steps_may_be_a_script_file_with_params_of_its_own(tmp_path: Path, greenrun: Command) -> None:
    script = {"params": {"text": "scripted"}, "interact": [{"click": "go"}]}
    (tmp_path / "s.json").write_text(json.dumps(script), encoding="utf-8")
    path = shouting_app(tmp_path / "app")

    def shown(*options: str) -> Any:
        return greenrun("debug", path, "--json", "--full", "--interact", "@s.json", *options).json["values"]["result"]

    assert shown() == "SCRIPTED"
    assert shown("--params", '{"text": "given"}') == "GIVEN"
    (tmp_path / "s.json").write_text('{"params": {}}', encoding="utf-8")
    outcome = greenrun("debug", path, "--interact", "@s.json")
    assert (outcome.code, outcome.out) == (2, "")
    assert 's.json holds no "interact"' in outcome.err


FAILING = "def f(text: str = '') -> str:\n    raise ValueError('on purpose')\n"


def test_one_failure_is_told_once_and_names_the_codes_that_say_the_same(tmp_path: Path, greenrun: Command) -> None:
    path = write_app(tmp_path / "app", function_app("mod:f", "text"), functions={"mod": FAILING})
    steps = json.dumps([{"click": "go"}, {"click": "go"}])
    outcome = greenrun("debug", path, "--interact", steps)
    assert outcome.code == 1
    findings = outcome.out.splitlines()[1:]
    assert "\n".join(findings).count("on purpose") == 1
    assert any("also GR717 (steps 1, 2), GR720" in line for line in findings)
    assert [line.split()[1] for line in findings if line.strip().startswith("error")] == ["GR721"]
    codes = {item["code"] for item in greenrun("debug", path, "--interact", steps, "--json", "--full").json["findings"]}
    assert {"GR717", "GR720", "GR721"} <= codes


def test_only_what_is_visible_counts_as_filled(tmp_path: Path, greenrun: Command) -> None:
    stored = function_app("loud:shout", "text")
    shown = stored["ui"]["content"][-1]["props"]
    hidden = {**shown, "id": "hidden", "visibleWhen": {"binding": "op:main/in:text", "op": "eq", "value": "never"}}
    stored["ui"]["content"].append({"type": "Text", "props": hidden})
    outcome = greenrun("debug", write_app(tmp_path / "app", stored, functions={"loud": SHOUT}))
    assert re.search(r"displays +1 of 1 filled", outcome.out)


def test_a_file_on_the_command_line_is_found_from_where_it_is_named(tmp_path: Path, greenrun: Command) -> None:
    source = "from greenrun import File\n\ndef f(text: File) -> str:\n    return text.read_bytes().decode()\n"
    stored = function_app("mod:f", "text")
    stored["ui"]["content"][0] = widget("DocumentInput", "in-text", binding="op:main/in:text")
    path = write_app(tmp_path / "app", stored, functions={"mod": source})
    (tmp_path / "note.txt").write_text("read me", encoding="utf-8")
    params = json.dumps({"text": {"type": "document", "uri": "file:note.txt"}})
    data = greenrun("debug", path, "--json", "--full", "--params", params).json
    assert data["values"]["result"] == "read me"


def test_json_is_the_summary_and_full_the_report(tmp_path: Path, greenrun: Command) -> None:
    path = shouting_app(tmp_path / "app")
    summary = greenrun("debug", path, "--json").json
    assert "runs" not in summary
    assert summary["cut"] == {}
    full = greenrun("debug", path, "--json", "--full").json
    assert full["runs"][0]["status"] == "completed"
    assert full["verdict"] == {**summary["verdict"], "warnings": full["verdict"]["warnings"]}
    assert (full["snapshot"], full["closure"]) == (summary["snapshot"], summary["closure"])


def test_the_report_folder_holds_everything(tmp_path: Path, greenrun: Command) -> None:
    graphs = {"wf1": graph("nodetool.text.Concat", a="x")}
    path = write_app(tmp_path / "app", document(form()), graphs=graphs)
    outcome = greenrun("debug", path, "--json", "--full")
    folder = Path(outcome.json["bundleDir"])
    assert re.fullmatch(r"greenrun-debug/app-test-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}-00-00", str(folder))
    files = sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())
    assert files == ["app.json", "report.json", "report.md", "server/run-0.messages.jsonl", "workflow.json"]
    assert json.loads((folder / "report.json").read_text(encoding="utf-8")) == outcome.json
    assert json.loads((folder / "workflow.json").read_text(encoding="utf-8")) == graphs["wf1"]
    assert json.loads((folder / "app.json").read_text(encoding="utf-8")) == document(form())
    assert (folder / "report.md").read_text(encoding="utf-8").startswith("# Test\n")
    lines = (folder / "server" / "run-0.messages.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["type"] for line in lines][-1] == "job_update"


def test_a_named_report_folder_is_overwritten(tmp_path: Path, greenrun: Command) -> None:
    path = shouting_app(tmp_path / "app")
    greenrun("debug", path, "--out", "kept", "--interact", json.dumps([{"click": "go"}] * 2))
    assert len(list(Path("kept/server").iterdir())) == 2
    outcome = greenrun("debug", path, "--out", "kept")
    assert len(list(Path("kept/server").iterdir())) == 1
    assert "report     kept" in outcome.out


def test_a_report_that_cannot_be_written_is_said_beside_the_verdict(tmp_path: Path, greenrun: Command) -> None:
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    outcome = greenrun("debug", shouting_app(tmp_path / "app"), "--out", "taken")
    assert outcome.code == 2
    assert outcome.out.startswith("✔  Green for main")
    assert 'The report cannot be written to "taken"' in outcome.err
    assert "--out" in outcome.err


def test_an_app_without_a_document_still_leaves_a_report(tmp_path: Path, greenrun: Command) -> None:
    outcome = greenrun("debug", write_app(tmp_path / "odd name!", {"name": "x"}))
    assert outcome.code == 1
    folder = next(Path("greenrun-debug").iterdir())
    assert folder.name.startswith("app-odd_name-")
    assert sorted(file.name for file in folder.iterdir()) == ["report.json", "report.md", "server"]


def test_a_long_title_gives_a_short_folder_name(tmp_path: Path, greenrun: Command) -> None:
    stored = function_app("loud:shout", "text")
    stored["ui"]["root"]["props"]["title"] = "Ünïcode " + "word " * 30
    greenrun("debug", write_app(tmp_path / "app", stored, functions={"loud": SHOUT}))
    name = next(Path("greenrun-debug").iterdir()).name
    slug = name.removeprefix("app-").partition("-2")[0]
    assert 0 < len(slug) <= 40
    assert re.fullmatch(r"[a-z0-9_]+", slug)
