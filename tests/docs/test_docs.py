"""The documentation says what is: generated pages are current, snippets run, links lead somewhere."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from docs_src import generate, picture, snippets
from docs_src.snippets import APPS, PLUGIN, ROOT, SNIPPETS
from greenrun.workspace.project import load


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLE_PAGES = sorted((ROOT / "examples").rglob("*.md"))
PLAYED = set().union(*(snippets.played(page.read_text(encoding="utf-8")) for page in PAGES))
"""Snippets that run when their page is compared with what they print."""

TEST_FILES = [*sorted(SNIPPETS.glob("test_*.py")), PLUGIN / "test_word_nodes.py"]
DRAWN = SNIPPETS / "demo.sh"
RUNNABLE = [
    path
    for path in sorted(SNIPPETS.iterdir())
    if path.suffix in (".py", ".sh") and path not in (*TEST_FILES, DRAWN) and name_of(path) not in PLAYED
]
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#([^)]*))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
MAKE_TARGET = re.compile(r"^make (\w+)$")


@pytest.mark.parametrize("path", [*generate.GENERATED, *generate.written_pages()], ids=name_of)
def test_page_is_current(path: Path):
    assert generate.is_current(path), "write the generated pages anew with: make docs"


def test_check_says_which_page_is_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    stale = tmp_path / "page.md"
    stale.write_text("old\n", encoding="utf-8")
    monkeypatch.setattr(generate, "GENERATED", {stale: lambda: "new\n"})
    monkeypatch.setattr(generate, "written_pages", list)
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    assert generate.main(["--check"]) == 1
    assert "stale: page.md" in capsys.readouterr().out
    assert stale.read_text(encoding="utf-8") == "old\n"
    assert generate.main([]) == 0
    assert stale.read_text(encoding="utf-8") == "new\n"
    assert generate.main(["--check"]) == 0


@pytest.mark.parametrize("path", RUNNABLE, ids=name_of)
def test_snippet_runs(path: Path):
    snippets.run(path)


def test_test_files_of_the_documentation_pass():
    snippets.run_tests(*TEST_FILES)


def test_every_snippet_is_shown_somewhere():
    shown = set().union(*(snippets.marked(page.read_text(encoding="utf-8")) for page in PAGES))
    assert {name_of(path) for path in SNIPPETS.iterdir()} - shown == {name_of(DRAWN)}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_of_a_page_comes_from_a_file(page: Path):
    for fence in snippets.fences(page.read_text(encoding="utf-8")):
        if fence.language in ("python", "bash", "console", "json", "toml") and not fence.marked:
            assert all(MAKE_TARGET.match(line) for line in fence.body.splitlines()), fence.body


def test_make_targets_of_the_readme_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    fences = snippets.fences((ROOT / "README.md").read_text(encoding="utf-8"))
    targets = [found[1] for fence in fences for line in fence.body.splitlines() if (found := MAKE_TARGET.match(line))]
    assert targets == ["run", "test"]
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


@pytest.mark.parametrize("page", [*PAGES, *EXAMPLE_PAGES], ids=name_of)
def test_links_lead_somewhere(page: Path):
    for found in LINK.finditer(page.read_text(encoding="utf-8")):
        target = page.parent / found[1]
        assert target.exists(), found[1]
        if found[2]:
            headings = [anchor(text) for text in HEADING.findall(target.read_text(encoding="utf-8"))]
            assert found[2] in headings


def anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("folder", sorted(APPS.iterdir()), ids=lambda folder: folder.name)
async def test_app_of_the_documentation_is_green(folder: Path):
    report = await load(folder).asimulate()
    assert (report.verdict.status, report.verdict.proof) == ("green", "run"), report.verdict.headline
    assert report.findings == ()


def test_picture_loads_nothing():
    svg = (ROOT / "docs" / "images" / "demo.svg").read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^\"\s]+", svg)) == {"http://www.w3.org/2000/svg"}
    assert "@font-face" not in svg
    assert "greenrun demo" in picture.words(svg)


def test_step_schema_lists_the_shapes_that_a_step_may_have():
    schema = json.loads((ROOT / "docs" / "step.schema.json").read_text(encoding="utf-8"))
    shapes = [schema["$defs"][item["$ref"].rpartition("/")[2]] for item in schema["oneOf"]]
    assert len(shapes) == 7
    assert all(shape["additionalProperties"] is False for shape in shapes)


def test_settings_snippet_names_every_setting():
    from greenrun.workspace.settings import WorkspaceSettings

    given = tomllib.loads((SNIPPETS / "greenrun.toml").read_text(encoding="utf-8"))
    assert WorkspaceSettings.model_validate(given).model_fields_set == set(WorkspaceSettings.model_fields)


def test_plugin_of_the_documentation_is_found_once_installed(tmp_path: Path):
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    group = project["entry-points"]["greenrun.nodes"]
    information = tmp_path / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8")
    lines = "".join(f"{name} = {value}\n" for name, value in group.items())
    (information / "entry_points.txt").write_text(f"[greenrun.nodes]\n{lines}", encoding="utf-8")
    (tmp_path / "word_nodes.py").write_text((PLUGIN / "word_nodes.py").read_text(encoding="utf-8"), encoding="utf-8")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nfrom greenrun.cli.main import run; sys.exit(run(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, "nodes", "words.", "--json"],
        capture_output=True,
        timeout=60,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    assert [node for node in ("words.Count", "words.Each", "words.Longest") if node not in done.stdout] == []
