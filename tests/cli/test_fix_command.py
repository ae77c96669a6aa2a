"""``greenrun fix``: shows the difference, writes it when told to."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from app_folders import SHOUT, Command, function_app, write_app
from simulated import document, form, graph, operation


def misspelt(folder: Path) -> Path:
    """An app with one error, which has a fix."""
    stored = function_app("loud:shout", "text")
    stored["ui"]["content"][1]["props"]["events"][0]["operationId"] = "mian"
    return write_app(folder, stored, functions={"loud": SHOUT})


def stored(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_without_write_the_difference_is_shown_and_nothing_changes(tmp_path: Path, greenrun: Command) -> None:
    path = misspelt(tmp_path / "app")
    before = (path / "app.json").read_bytes()
    outcome = greenrun("fix", path)
    assert outcome.code == 1
    assert "would fix" in outcome.out
    changed = [line.replace(" ", "") for line in outcome.out.splitlines() if line.startswith(("-  ", "+  "))]
    assert changed == ['-"operationId":"mian"', '+"operationId":"main"']
    assert f"Write it: greenrun fix {path} --write" in outcome.out
    assert (path / "app.json").read_bytes() == before


def test_with_write_the_app_is_green_afterwards(tmp_path: Path, greenrun: Command) -> None:
    path = misspelt(tmp_path / "app")
    outcome = greenrun("fix", path, "--write")
    assert outcome.code == 0
    assert outcome.out.startswith("fixed")
    assert f"Wrote {path / 'app.json'}." in outcome.out
    assert greenrun("debug", path).code == 0
    assert sorted(file.name for file in path.iterdir()) == ["app.json", "workflows"]


def test_what_cannot_be_fixed_is_listed_and_red(tmp_path: Path, greenrun: Command) -> None:
    path = misspelt(tmp_path / "app")
    (path / "workflows" / "loud.py").unlink()
    outcome = greenrun("fix", path, "--write")
    assert outcome.code == 1
    assert "GR401" in outcome.out


def test_a_clean_app_has_nothing_to_fix(tmp_path: Path, greenrun: Command) -> None:
    path = write_app(tmp_path / "app", function_app("loud:shout", "text"), functions={"loud": SHOUT})
    outcome = greenrun("fix", path)
    assert (outcome.code, outcome.out) == (0, "Nothing to fix.\n")


def test_an_operation_that_cannot_be_loaded_keeps_a_fix_from_green(tmp_path: Path, greenrun: Command) -> None:
    path = write_app(tmp_path / "app", document(form()), graphs={"wf1": "{"})
    outcome = greenrun("fix", path, "--json")
    assert outcome.code == 3
    assert [reason["code"] for reason in outcome.json["reasons"]] == ["GR902"]
    assert "GR902" in greenrun("fix", path).out


def test_infos_are_fixed_when_asked_for(tmp_path: Path, greenrun: Command) -> None:
    content = [item for item in form() if item["type"] != "Alert"]
    path = write_app(tmp_path / "app", document(content), graphs={"wf1": graph("nodetool.text.Concat")})
    said = "Nothing to fix. Informational findings with a fix: 1; add --info to apply them.\n"
    assert greenrun("fix", path).out == said
    asked = greenrun("fix", path, "--info")
    assert "GR504" in asked.out
    assert f"Write it: greenrun fix {path} --info --write" in asked.out
    greenrun("fix", path, "--info", "--write")
    assert any(item["type"] == "Alert" for item in stored(path / "app.json")["ui"]["content"])


def test_json_says_what_was_fixed_and_what_is_left(tmp_path: Path, greenrun: Command) -> None:
    path = misspelt(tmp_path / "app")
    data = greenrun("fix", path, "--json").json
    assert [item["code"] for item in data["applied"]] == ["GR301"]
    assert data["applied"][0]["place"]["widget"] == "go"
    assert data["remaining"] == []
    assert data["written"] is False
    assert [file["path"] for file in data["files"]] == [str(path / "app.json")]
    assert data["files"][0]["diff"].startswith("--- a/app.json")


def mistyped() -> dict[str, Any]:
    """A graph with a misspelt node type."""
    return graph("nodetool.text.Concta", a="x")


def fixed(made: dict[str, Any]) -> bool:
    return made["nodes"][1]["type"] == "nodetool.text.Concat"


def test_a_fix_of_a_graph_changes_the_file_of_the_graph(tmp_path: Path, greenrun: Command) -> None:
    path = write_app(tmp_path / "app", document(form()), graphs={"wf1": mistyped()})
    outcome = greenrun("fix", path, "--write", "--json")
    assert [file["path"] for file in outcome.json["files"]] == [str(path / "workflows" / "wf1.json")]
    assert outcome.code == 0
    assert fixed(stored(path / "workflows" / "wf1.json"))


def test_a_wrapped_graph_stays_wrapped(tmp_path: Path, greenrun: Command) -> None:
    wrapped = {"name": "Flow", "graph": mistyped()}
    path = write_app(tmp_path / "app", document(form()), graphs={"wf1": wrapped})
    greenrun("fix", path, "--write")
    after = stored(path / "workflows" / "wf1.json")
    assert after["name"] == "Flow"
    assert fixed(after["graph"])


def test_a_bundle_is_fixed_in_place(tmp_path: Path, greenrun: Command) -> None:
    app = document(form(), [operation(workflow="flow")])
    app["ui"]["content"][1]["props"]["events"][0]["operationId"] = "mian"
    bundle = {
        "schemaVersion": 1,
        "name": "B",
        "note": "kept",
        "app": app,
        "workflows": [{"key": "flow", "name": "Flow", "graph": mistyped()}],
    }
    (tmp_path / "b.json").write_text(json.dumps(bundle), encoding="utf-8")
    assert greenrun("fix", "b.json", "--write").code == 0
    after = stored(tmp_path / "b.json")
    assert after["note"] == "kept"
    assert after["app"]["ui"]["content"][1]["props"]["events"][0]["operationId"] == "main"
    assert fixed(after["workflows"][0]["graph"])


def filed(folder: Path, **parts: Any) -> Path:
    """A workflow file that carries its app."""
    app = document(form(), [operation(workflow="wf1")])
    app["ui"]["content"][1]["props"]["events"][0]["operationId"] = "mian"
    content = {"id": "wf1", "name": "Filed", **parts}
    content["app_doc"] = json.dumps(app) if parts.get("app_doc") == "text" else app
    path = folder / "flow.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_workflow_file_is_fixed_in_both_parts(tmp_path: Path, greenrun: Command) -> None:
    path = filed(tmp_path, graph=mistyped())
    assert greenrun("fix", path, "--write").code == 0
    after = stored(path)
    assert after["app_doc"]["ui"]["content"][1]["props"]["events"][0]["operationId"] == "main"
    assert fixed(after["graph"])


def test_a_bare_graph_with_its_app_as_text_keeps_both_shapes(tmp_path: Path, greenrun: Command) -> None:
    path = filed(tmp_path, app_doc="text", **mistyped())
    assert greenrun("fix", path, "--write").code == 0
    after = stored(path)
    assert isinstance(after["app_doc"], str)
    assert "mian" not in after["app_doc"]
    assert fixed(after)


def test_a_file_in_another_layout_is_said_to_be_laid_out_anew(tmp_path: Path, greenrun: Command) -> None:
    path = misspelt(tmp_path / "app")
    assert '\n\nBlanks and line ends are laid out anew, too: "app.json".\n' in greenrun("fix", path).out
    greenrun("fix", path, "--write")
    text = (path / "app.json").read_text(encoding="utf-8").replace('"main"\n', '"mian"\n', 1)
    (path / "app.json").write_text(text, encoding="utf-8")
    assert "laid out anew" not in greenrun("fix", path).out
    (path / "app.json").write_text(text.rstrip(), encoding="utf-8")  # an editor left the last line end out
    assert "laid out anew" not in greenrun("fix", path).out


def test_a_link_and_the_rights_of_a_file_stay(tmp_path: Path, greenrun: Command) -> None:
    path = misspelt(tmp_path / "app")
    real = tmp_path / "real.json"
    (path / "app.json").rename(real)
    real.chmod(0o640)
    (path / "app.json").symlink_to(real)
    assert greenrun("fix", path, "--write").code == 0
    assert (path / "app.json").is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert "mian" not in real.read_text(encoding="utf-8")


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path, greenrun: Command) -> None:
    path = misspelt(tmp_path / "app")
    before = (path / "app.json").read_bytes()
    os.mkdir(path / ".app.json.new")
    outcome = greenrun("fix", path, "--write")
    assert outcome.code == 2
    assert f'"{path / "app.json"}" cannot be written' in outcome.err
    assert (path / "app.json").read_bytes() == before


def test_a_file_without_an_app_is_wrong_use(tmp_path: Path, greenrun: Command) -> None:
    (tmp_path / "flow.json").write_text(json.dumps(graph()), encoding="utf-8")
    outcome = greenrun("fix", "flow.json")
    assert outcome.code == 2
    assert "Build the app first" in outcome.err
