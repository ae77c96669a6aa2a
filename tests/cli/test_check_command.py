"""``greenrun check``: what it says and how it ends."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from app_folders import SHOUT, Command, function_app, function_operation, shouting_app, write_app
from simulated import document, form, graph, operation, widget


def unguarded(folder: Path) -> Path:
    """An app with errors, one of which has no fix, a warning and an info."""
    stored = function_app("loud:shout", "text")
    stored["operations"].append(function_operation("loud:whisper", "lost"))
    content = stored["ui"]["content"]
    content[0]["props"]["binding"] = " op:main/in:text"
    content[3]["props"]["binding"] = "var:mood"
    content.append(widget("Text", "shown", text="twice"))
    return write_app(folder, stored, functions={"loud": SHOUT})


def test_a_green_app_says_so_and_what_to_do_next(tmp_path: Path, greenrun: Command) -> None:
    shouting_app(tmp_path / "my app")
    outcome = greenrun("check", "my app")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0] == "✔  Green by its wiring; nothing was run"
    assert lines[2] == "  app      Test, 5 widgets"
    assert lines[3].startswith("  closure  ")
    assert lines[-1] == "see it run: greenrun debug 'my app'"
    assert outcome.err == ""


def test_a_red_app_says_what_is_wrong_where_and_what_to_do(tmp_path: Path, greenrun: Command) -> None:
    outcome = greenrun("check", unguarded(tmp_path / "app"))
    assert outcome.code == 1
    lines = outcome.out.splitlines()
    assert lines[0].startswith("✘  ")
    assert lines[0].endswith("more)")
    severities = [line.split()[0] for line in lines if line.strip().startswith(("error", "warning", "info"))]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    assert set(severities) == {"error", "warning", "info"}
    assert any("GR108" in line for line in lines)
    assert any(line.strip().startswith("fix: ") for line in lines)
    assert any(line.strip().startswith("do: ") for line in lines)
    assert lines[-1].endswith(f"can be fixed: greenrun fix {tmp_path / 'app'} --info")


def test_what_the_message_leaves_out_of_the_place_is_said_below_it(tmp_path: Path, greenrun: Command) -> None:
    stored = document([widget("Slider", "s", binding="op:main/in:in1 ")])
    outcome = greenrun("check", write_app(tmp_path / "app", stored, graphs={"wf1": graph()}))
    assert 'at: prop "binding"' in outcome.out


def test_infos_alone_are_fixed_with_the_flag_for_them(tmp_path: Path, greenrun: Command) -> None:
    content = [item for item in form() if item["type"] != "Alert"]
    path = write_app(tmp_path / "app", document(content), graphs={"wf1": graph("nodetool.text.Concat")})
    outcome = greenrun("check", path)
    assert outcome.code == 0
    assert f"1 finding can be fixed: greenrun fix {path} --info" in outcome.out


def test_the_remedy_of_several_findings_of_one_code_is_said_once(tmp_path: Path, greenrun: Command) -> None:
    operations = [operation("a", "missing"), operation("b", "missing")]
    outcome = greenrun("check", write_app(tmp_path / "app", document([], operations)))
    assert outcome.out.count("GR401") == 2
    assert outcome.out.count("Create the workflow or function") == 1


def test_a_reason_is_listed_with_its_remedy(tmp_path: Path, greenrun: Command) -> None:
    path = write_app(tmp_path / "app", function_app("mod:f"), functions={"mod": "1 / 0\n"})
    outcome = greenrun("check", path)
    assert outcome.code == 3
    assert outcome.out.startswith('?  Not decided: Operation "main":')
    assert "reason  GR903" in outcome.out
    assert "do: Correct the module and check again." in outcome.out


def test_on_a_terminal_long_lines_wrap_under_themselves(
    tmp_path: Path, greenrun: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = unguarded(tmp_path / "app")
    piped = greenrun("check", path).out
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "60")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", greenrun("check", path).out)
    finding = next(line for line in piped.splitlines() if "GR108" in line)
    wrapped = shown.splitlines()
    first = next(number for number, line in enumerate(wrapped) if "GR108" in line)
    start = wrapped[first].index("GR108") + len("GR108  ")
    assert len(finding) > 60
    assert all(len(line) <= 60 for line in wrapped if "can be fixed" not in line)
    assert wrapped[first + 1][:start].strip() == ""
    assert " ".join(shown.split()) == " ".join(piped.split())


def test_json_has_the_verdict_and_the_titles_of_fixes(tmp_path: Path, greenrun: Command) -> None:
    data = greenrun("check", unguarded(tmp_path / "app"), "--json").json
    assert data["verdict"]["status"] == "red"
    assert data["verdict"]["proof"] == "static"
    fixes = [fix for finding in data["findings"] for fix in finding["fixes"]]
    assert fixes
    assert all(list(fix) == ["title"] for fix in fixes)


def test_full_json_has_the_edits_of_fixes(tmp_path: Path, greenrun: Command) -> None:
    data = greenrun("check", unguarded(tmp_path / "app"), "--json", "--full").json
    fixes = [fix for finding in data["findings"] for fix in finding["fixes"]]
    assert all(fix["edits"] for fix in fixes)


def test_a_workflow_file_with_its_app_is_an_app(tmp_path: Path, greenrun: Command) -> None:
    stored = {"id": "wf1", "name": "Filed", "graph": graph("nodetool.text.Concat"), "app_doc": document(form())}
    (tmp_path / "flow.json").write_text(json.dumps(stored), encoding="utf-8")
    outcome = greenrun("check", "flow.json")
    assert outcome.code == 0
    assert "Test, 5 widgets" in outcome.out


def test_a_check_runs_nothing(tmp_path: Path, greenrun: Command) -> None:
    marker = tmp_path / "ran"
    source = f"def f(text: str = '') -> str:\n    open({str(marker)!r}, 'w').close()\n    return text\n"
    path = write_app(tmp_path / "app", function_app("mod:f", "text"), functions={"mod": source})
    assert greenrun("check", path).code == 0
    assert not marker.exists()


def test_two_checks_of_one_app_say_the_same(tmp_path: Path, greenrun: Command) -> None:
    path = shouting_app(tmp_path / "app")
    first = greenrun("check", path, "--json", "--full")
    assert greenrun("check", path, "--json", "--full").out == first.out


def test_the_closure_follows_the_code_of_a_function(tmp_path: Path, greenrun: Command) -> None:
    path = shouting_app(tmp_path / "app")
    before = greenrun("check", path, "--json").json
    (path / "workflows" / "loud.py").write_text(SHOUT.replace("upper", "lower"), encoding="utf-8")
    after = greenrun("check", path, "--json").json
    assert before["snapshot"] == after["snapshot"]
    assert before["closure"] != after["closure"]
    shutil.rmtree(path / "workflows")
    assert greenrun("check", path).code == 1


def test_an_app_with_two_operations_lists_both(tmp_path: Path, greenrun: Command) -> None:
    stored = function_app("loud:shout", "text")
    stored["operations"].append(function_operation("loud:shout", "again"))
    stored["ui"]["content"][1]["props"]["events"].append({"trigger": "click", "kind": "run", "operationId": "again"})
    data = greenrun("check", write_app(tmp_path / "app", stored, functions={"loud": SHOUT}), "--json").json
    left = [(item["operation"], item["reason"]) for item in data["verdict"]["not_exercised"]]
    assert left == [("main", "runs_off"), ("again", "runs_off")]
