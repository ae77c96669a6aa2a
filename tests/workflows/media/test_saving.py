from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

import pytest

from greenrun.workflows.files import WorkspaceFiles
from greenrun.workflows.media import saving
from greenrun.workflows.media.content import Content
from greenrun.workflows.media.saving import dated, save_picture
from greenrun.workflows.media.sniff import sniff
from greenrun.workflows.node import NodeError
from media_samples import needs_pictures, picture

pytestmark = needs_pictures


@pytest.fixture
def files(tmp_path: Path) -> WorkspaceFiles:
    return WorkspaceFiles(tmp_path)


def png() -> Content:
    return Content(picture(), "image/png")


def test_the_time_stands_in_a_name() -> None:
    now = datetime(2026, 2, 3, 4, 5, 6)
    assert dated("p_%Y-%m-%d_%H-%M-%S_100%.png%%", now) == "p_2026-02-03_04-05-06_100%.png%%"


def test_a_picture_is_written_as_it_is(files: WorkspaceFiles, tmp_path: Path) -> None:
    data, mime, path = save_picture(files, png(), "out/%Y", "a.png", overwrite=False)
    assert re.fullmatch(r"out/\d{4}/a\.png", path)
    assert (tmp_path / path).read_bytes() == data == picture()
    assert mime == "image/png"


@pytest.mark.parametrize(("name", "path"), [("", "image.png"), ("a", "a.png"), ("v1.2", "v1.2.png")])
def test_a_name_without_an_ending_gets_that_of_the_picture(files: WorkspaceFiles, name: str, path: str) -> None:
    assert save_picture(files, png(), "", name, overwrite=False)[2] == path


def test_the_ending_of_the_name_decides_the_format(files: WorkspaceFiles) -> None:
    data, mime, _ = save_picture(files, png(), "", "a.JPG", overwrite=False)
    assert (mime, sniff(data)) == ("image/jpeg", "image/jpeg")


def test_a_taken_name_gets_a_number(files: WorkspaceFiles) -> None:
    paths = [save_picture(files, png(), "o", "a.b.png", overwrite=False)[2] for _ in range(3)]
    assert paths == ["o/a.b.png", "o/a.b_1.png", "o/a.b_2.png"]


def test_a_taken_name_may_be_overwritten(files: WorkspaceFiles, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"old")
    save_picture(files, png(), "", "a.png", overwrite=True)
    assert (tmp_path / "a.png").read_bytes() == picture()


def test_pictures_that_are_saved_at_once_get_names_of_their_own(files: WorkspaceFiles) -> None:
    with ThreadPoolExecutor(8) as pool:
        saved = list(pool.map(lambda _: save_picture(files, png(), "", "a.png", overwrite=False)[2], range(16)))
    assert len(set(saved)) == 16


def test_names_that_are_all_taken_are_an_error(files: WorkspaceFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "_MOST_TRIES", 2)
    for _ in range(2):
        save_picture(files, png(), "", "a.png", overwrite=False)
    with pytest.raises(NodeError, match="are taken; choose another name"):
        save_picture(files, png(), "", "a.png", overwrite=False)


@pytest.mark.parametrize("name", ["../a.png", "/etc/a.png"])
def test_a_name_that_leads_out_of_the_workspace_is_refused(files: WorkspaceFiles, name: str) -> None:
    with pytest.raises(NodeError, match="outside the workspace"):
        save_picture(files, png(), "", name, overwrite=True)


def test_a_picture_is_not_saved_as_something_else(files: WorkspaceFiles) -> None:
    with pytest.raises(NodeError, match=r"not saved as audio/wav; end the name with \.png"):
        save_picture(files, png(), "", "a.wav", overwrite=False)


def test_a_conversion_needs_pillow(files: WorkspaceFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        saving, "missing_extra", lambda extra: 'needs Pillow; add it with: pip install "greenrun[images]"'
    )
    with pytest.raises(NodeError, match="to save image/png as image/webp it needs Pillow"):
        save_picture(files, png(), "", "a.webp", overwrite=False)
    assert save_picture(files, png(), "", "a.png", overwrite=False)[2] == "a.png"
