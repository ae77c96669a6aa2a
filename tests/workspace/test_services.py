"""What nodes may read on this machine: the app's folder, and files that a person named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app_folders import function_app, write_app
from greenrun.workflows.node import NodeError
from greenrun.workspace.folder import load_path, named_files
from greenrun.workspace.local import LocalHost
from greenrun.workspace.project import load
from greenrun.workspace.services import LocalServices
from simulated import document, form

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452")


def host(folder: Path, **options: Any) -> LocalHost:
    return LocalHost(load_path(write_app(folder, document(form()))), **options)


def services(made: LocalHost) -> LocalServices:
    found = made.services
    assert isinstance(found, LocalServices)
    return found


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "elsewhere" / "a.png"
    path.parent.mkdir()
    path.write_bytes(PNG)
    return path


def ref(path: Path) -> dict[str, Any]:
    return {"type": "image", "uri": path.as_uri()}


async def test_a_file_outside_is_read_when_a_person_named_it(tmp_path: Path, picture: Path) -> None:
    async with host(tmp_path / "app", files=[picture]) as local:
        assert await services(local).read_media(ref(picture)) == PNG
        stored = await services(local).store_asset(ref(picture))
        assert stored["uri"].startswith("asset://")
        assert await services(local).read_media(stored) == PNG


async def test_a_file_outside_that_nobody_named_is_refused(tmp_path: Path, picture: Path) -> None:
    async with host(tmp_path / "app", files=[tmp_path / "other.png"]) as local:
        with pytest.raises(NodeError, match="outside the workspace"):
            await services(local).read_media(ref(picture))


async def test_a_file_of_the_app_is_read(tmp_path: Path) -> None:
    async with host(tmp_path / "app", files=[]) as local:
        (tmp_path / "app" / "b.png").write_bytes(PNG)
        assert await services(local).read_media(ref(tmp_path / "app" / "b.png")) == PNG


async def test_a_named_file_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    gone = tmp_path / "gone.png"
    async with host(tmp_path / "app", files=[gone]) as local:
        with pytest.raises(NodeError, match="cannot be read"):
            await services(local).read_media(ref(gone))


def test_a_link_does_not_make_another_file_a_named_one(tmp_path: Path, picture: Path) -> None:
    source = "from greenrun import Image\n\n\ndef size(photo: Image) -> int:\n    return len(photo.read_bytes())\n"
    app = write_app(tmp_path / "app", function_app("mod:size"), functions={"mod": source})
    project = load(app)
    run = [{"set": {"key": "photo", "value": ref(picture)}}, {"click": "Run"}]
    report = project.simulate(run)
    assert report.values["result"] == len(PNG)
    stored = function_app("mod:size")
    stored["operations"][0]["inputs"] = {"photo": {"from": "constant", "value": ref(picture)}}
    foreign = load(write_app(tmp_path / "foreign", stored, functions={"mod": source})).simulate([{"click": "Run"}])
    assert foreign.verdict.status == "red"
    assert "outside" in foreign.verdict.headline


def test_files_are_found_wherever_a_script_names_them() -> None:
    value = [
        {"change": "x", "value": [{"type": "image", "uri": "file:///a%20b.png"}]},
        {"type": "image", "uri": "http://x"},
    ]
    assert list(named_files(value)) == [Path("/a b.png")]


async def test_an_app_without_a_folder_gets_files_that_go_with_it(tmp_path: Path) -> None:
    bundle = tmp_path / "b.json"
    bundle.write_text(
        '{"schemaVersion": 4, "ui": {"root": {"props": {}}, "content": [], "zones": {}}}', encoding="utf-8"
    )
    async with LocalHost(load_path(bundle)) as local:
        files = services(local).files()
        files.write_text("note.txt", "hello")
        root = files.root
        assert (root / "note.txt").read_text(encoding="utf-8") == "hello"
    assert not root.exists()
