from pathlib import Path

import pytest

import greenrun

APPS = [file.parent for file in sorted(Path().glob("*/app.json"))]


@pytest.mark.parametrize("folder", APPS, ids=lambda folder: folder.name)
def test_app_is_green(folder):
    report = greenrun.load(folder).simulate(deadline_ms=30_000)
    assert report.verdict.ok, report.verdict.headline
    assert not report.verdict.not_exercised
