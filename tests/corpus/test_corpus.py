"""Apps that another builder ships, read from beside the project where they are there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench import corpus
from bench.corpus import Row, app_files, examine, feed_server

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

NEEDS_NO_MODEL = {"vertical-cut.app.json"}
"""Everything that it runs is done here."""


@pytest.fixture(scope="module")
def feed() -> Iterator[tuple[str, int]]:
    with feed_server() as address:
        yield address


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
async def test_a_foreign_app_is_green_with_made_up_answers_and_not_without_models(
    path: Path, feed: tuple[str, int]
) -> None:
    row: Row = await examine(path, feed)
    assert row.lossless
    assert row.missing_nodes == ()
    found = {text.partition(" ")[0] for text in row.findings.split(", ") if text}
    assert found - HARMLESS == DEFECTS.get(path.name, set())
    assert (row.scripted, row.proof, row.exercised) == ("green", "run", row.operations), row.headline
    if path.name in NEEDS_NO_MODEL:
        assert row.bare == "green"
    else:
        assert row.bare == "red"
        assert "provider" in row.bare_headline


def test_a_folder_without_apps_gives_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert app_files(tmp_path) == []
    corpus.main([str(tmp_path), "--json"])
    assert json.loads(capsys.readouterr().out) == []
