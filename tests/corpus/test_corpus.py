"""Apps that another builder ships, read from beside the project where they are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.corpus import NODE_MISSING, app_files, examine
from greenrun.oracle.summary import summarize
from greenrun.workspace.project import load

FOLDER = Path(__file__).parents[2].parent / "shared" / "corpus"
FILES = app_files(FOLDER)

HARMLESS = {"GR504", "GR505", "GR205"}
"""Infos: an error that no widget shows, progress that no widget shows, a binding in an older form."""

DEFECTS = {
    "ai-spokesperson.app.json": {"GR502"},
    "dataset-builder.app.json": {"GR506"},
    "scene-builder.app.json": {"GR503"},
    "upscale-image.app.json": {"GR502", "GR507"},
    "vertical-cut.app.json": {"GR502"},
}
"""What is really wrong with these apps: media that may be missing when a run starts, a range that the input cuts."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
async def test_a_foreign_app_survives_and_only_real_defects_are_found(path: Path) -> None:
    row = await examine(path)
    assert row.lossless
    others = {finding.code for finding in row.report.findings if finding.code != NODE_MISSING} - HARMLESS
    assert others == DEFECTS.get(path.name, set())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
async def test_a_foreign_app_whose_nodes_are_missing_is_never_green(path: Path) -> None:
    report = await load(path).asimulate()
    assert report.verdict.status == "red"
    assert NODE_MISSING in [finding.code for finding in report.findings]
    assert summarize(report)["verdict"]["ok"] is False


def test_a_folder_without_apps_gives_none(tmp_path: Path) -> None:
    assert app_files(tmp_path) == []
