"""Files that go into a call and come out of it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from greenrun.workflows.functions import FunctionHost, Limits
from greenrun.workflows.functions.handover import FileRefused, Handover, mentions_files
from greenrun.workflows.functions.sandbox.scratch import Scratch, ScratchFolders

from .conftest import Call
from .processes import TIERS, needs_bubblewrap

FILES = """
import os
import tempfile
from pathlib import Path

from greenrun import File, Image, workflow

def read(photo: Image) -> str:
    return photo.read_bytes().decode()

def read_all(photos: list[Image]) -> list[str]:
    return [photo.read_bytes().decode() for photo in photos]

def same(photo: Image) -> Image:
    return photo

def changed(photo: Image) -> Image:
    os.chmod(photo.path, 0o600)
    photo.path.write_text("painted over")
    return photo

def made(name: str = "made.txt") -> File:
    path = Path(tempfile.mkdtemp()) / name
    path.write_text("made here")
    return File.from_path(path)

def made_in_tmp() -> File:
    path = Path("/tmp/made.txt")
    path.write_text("made in tmp")
    return File.from_path(path)

def made_twice() -> dict[str, list[File]]:
    file = made()
    return {"files": [file, file]}

def made_on_the_way():
    file = made("first.txt")
    yield {"result": file}
    file.path.write_text("changed later")
    file.path.unlink()

def bad_on_the_way():
    yield {"result": File(uri="file:///etc/shadow")}

def own(name: str) -> File:
    return File.from_path(Path(__file__).parent / name)

def elsewhere(uri: str) -> File:
    return File(uri=uri)

@workflow(effects="local")
def link(name: str, target: str) -> File:
    path = Path(__file__).parent / name
    path.symlink_to(target)
    return File.from_path(path)

def inputs() -> list[str]:
    return os.listdir(Path(tempfile.gettempdir()).parent / "in")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "workflows"
    folder.mkdir()
    (folder / "files.py").write_text(FILES, encoding="utf-8")
    (folder / "own.txt").write_text("the app's own", encoding="utf-8")
    return folder


@pytest.fixture
def photo(tmp_path: Path) -> dict[str, Any]:
    file = tmp_path / "a photo.png"
    file.write_text("pixels", encoding="utf-8")
    return {"type": "image", "uri": file.as_uri(), "metadata": {"name": "a photo.png"}}


@pytest.fixture(params=TIERS)
def isolation(request: pytest.FixtureRequest) -> Any:
    return request.param


def hosted(folder: Path, isolation: Any, **options: Any) -> FunctionHost:
    return FunctionHost(folder, cache_dir=folder.parent / "cache", isolation=isolation, **options)


def path_of(value: Any) -> Path:
    return Path(unquote(value["uri"].removeprefix("file://")))


async def result_of(call: Call, host: FunctionHost, function: str, **params: Any) -> Any:
    result, _ = await call(f"files:{function}", on=host, **params)
    assert result.error is None
    return result.outputs["result"][0]


async def test_a_file_from_elsewhere_can_be_read(folder: Path, photo: dict[str, Any], isolation: Any, call: Call):
    async with hosted(folder, isolation) as host:
        assert await result_of(call, host, "read", photo=photo) == "pixels"
        assert await result_of(call, host, "read", photo=photo["uri"]) == "pixels"
        assert await result_of(call, host, "read_all", photos=[photo, photo]) == ["pixels", "pixels"]
        assert await result_of(call, host, "inputs") == []


async def test_a_file_that_is_passed_through_keeps_its_uri(
    folder: Path, photo: dict[str, Any], isolation: Any, call: Call
):
    async with hosted(folder, isolation) as host:
        assert (await result_of(call, host, "same", photo=photo))["uri"] == photo["uri"]


@needs_bubblewrap
async def test_a_copy_that_was_changed_is_a_file_of_its_own(folder: Path, photo: dict[str, Any], call: Call):
    async with hosted(folder, "bubblewrap") as host:
        changed = path_of(await result_of(call, host, "changed", photo=photo))
        assert changed.read_text(encoding="utf-8") == "painted over"
        assert path_of(photo).read_text(encoding="utf-8") == "pixels"


async def test_a_file_that_was_made_outlives_its_worker(folder: Path, isolation: Any, call: Call):
    async with hosted(folder, isolation, workers=1) as host:
        made = path_of(await result_of(call, host, "made"))
        await call("files:own", on=host, name="own.txt")
        assert made.read_text(encoding="utf-8") == "made here"
        assert (made.name, made.parent.parent) == ("made.txt", host.artifacts)
    assert not made.exists()


async def test_artifacts_may_be_kept_by_the_caller(folder: Path, tmp_path: Path, isolation: Any, call: Call):
    async with hosted(folder, isolation, artifacts=tmp_path / "kept" / "here") as host:
        made = path_of(await result_of(call, host, "made"))
    assert made.is_relative_to(tmp_path / "kept" / "here")
    assert made.read_text(encoding="utf-8") == "made here"


async def test_a_file_that_is_returned_twice_is_moved_once(folder: Path, isolation: Any, call: Call):
    async with hosted(folder, isolation) as host:
        first, second = (await result_of(call, host, "made_twice"))["files"]
        assert first["uri"] == second["uri"]
        assert path_of(first).exists()


async def test_a_yielded_file_is_what_it_was_then(folder: Path, isolation: Any, call: Call):
    async with hosted(folder, isolation) as host:
        result, _ = await call("files:made_on_the_way", on=host)
        assert path_of(result.outputs["result"][0]).read_text(encoding="utf-8") == "made here"


@needs_bubblewrap
async def test_a_yielded_file_that_cannot_be_seen_ends_the_run(folder: Path, call: Call):
    async with hosted(folder, "bubblewrap") as host:
        result, messages = await call("files:bad_on_the_way", on=host)
        assert 'output "result" names the file "/etc/shadow", which the function cannot see' in (result.error or "")
        assert [message.get("status") for message in messages] == ["running", "failed"]
        assert (await call("files:own", on=host, name="own.txt"))[0].ok


@needs_bubblewrap
async def test_a_file_in_tmp_is_found_too(folder: Path, call: Call):
    async with hosted(folder, "bubblewrap") as host:
        made = path_of(await result_of(call, host, "made_in_tmp"))
        assert made.read_text(encoding="utf-8") == "made in tmp"
        assert made.parent.parent == host.artifacts


async def test_a_file_of_the_workspace_stays_where_it_is(folder: Path, isolation: Any, call: Call):
    async with hosted(folder, isolation) as host:
        assert path_of(await result_of(call, host, "own", name="own.txt")) == folder / "own.txt"


@needs_bubblewrap
@pytest.mark.parametrize(
    ("uri", "error"),
    [
        ("file:///etc/passwd", "which the function cannot see"),
        ("FILE:///proc/self/environ", "which the function cannot see"),
        ("file:///usr/../etc/passwd", "which the function cannot see"),
        ("file://other/etc/passwd", "which names no file of this machine"),
        ("file:etc/passwd", "which names no file of this machine"),
        ("file://[", "which is none"),
        ("file:///tmp/none.txt", "which is no file that can be read"),
        ("file:///tmp", "which is no file that can be read"),
        ("file:///usr/bin", "which is not there"),
    ],
)
async def test_a_file_that_the_function_cannot_see_is_refused(folder: Path, uri: str, error: str, call: Call):
    async with hosted(folder, "bubblewrap") as host:
        result, _ = await call("files:elsewhere", on=host, uri=uri)
        assert error in (result.error or "")


@needs_bubblewrap
async def test_a_link_that_leaves_the_workspace_is_refused(folder: Path, photo: dict[str, Any], call: Call):
    async with hosted(folder, "bubblewrap", workspace=folder.parent / "workspace", cwd=folder) as host:
        (folder.parent / "workspace").mkdir()
        result, _ = await call("files:link", on=host, name="out", target=str(path_of(photo)))
        assert "Read-only" in (result.error or "")  # the code itself
    (folder / "out").symlink_to(folder.parent / "a photo.png")
    async with hosted(folder, "bubblewrap") as host:
        result, _ = await call("files:own", on=host, name="out")
        assert "which the function cannot see" in (result.error or "")
    (folder / "in").symlink_to("own.txt")
    async with hosted(folder, "bubblewrap") as host:
        assert path_of(await result_of(call, host, "own", name="in")) == folder / "own.txt"


@needs_bubblewrap
async def test_files_come_from_the_folders_that_were_named(
    folder: Path, photo: dict[str, Any], tmp_path: Path, call: Call
):
    async with hosted(folder, "bubblewrap", media=[tmp_path / "uploads"]) as host:
        result, _ = await call("files:read", on=host, photo=photo)
        assert 'parameter "photo" names the file' in (result.error or "")
        assert "outside of the folders that files come from" in (result.error or "")
        made = await result_of(call, host, "made")
        assert await result_of(call, host, "read", photo={**made, "type": "image"}) == "made here"
    async with hosted(folder, "bubblewrap", media=[tmp_path]) as host:
        assert await result_of(call, host, "read", photo=photo) == "pixels"


@needs_bubblewrap
async def test_a_file_that_is_too_large_is_not_copied(folder: Path, tmp_path: Path, call: Call):
    large = tmp_path / "large.png"
    with large.open("wb") as file:
        file.truncate(2 * 1024 * 1024)
    async with hosted(folder, "bubblewrap", limits=Limits(scratch_mb=1)) as host:
        result, _ = await call("files:read", on=host, photo={"type": "image", "uri": large.as_uri()})
        assert "at most 1,048,576 are handed over" in (result.error or "")
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        result, _ = await call("files:read", on=host, photo={"type": "image", "uri": pipe.as_uri()})
        assert "is no file that can be read" in (result.error or "")


def test_text_that_names_no_file_needs_no_copying():
    assert not mentions_files({"a": ["asset://1", 3, None, {"uri": "https://x/file:"}]})
    assert mentions_files({"a": [{"uri": " FILE:///x"}]})


@pytest.fixture
def scratch() -> Any:
    folders = ScratchFolders()
    yield folders.new()
    folders.close()


def handover(scratch: Scratch, kept: Path, **options: Any) -> Handover:
    return Handover(
        scratch=scratch, readable=options.pop("readable", ()), kept=lambda: kept, sources=None, limit=1 << 20, **options
    )


def test_a_file_with_two_names_is_copied_and_not_moved(scratch: Scratch, tmp_path: Path):
    made = scratch.temporary / "a.txt"
    made.write_text("x", encoding="utf-8")
    os.link(made, scratch.temporary / "b.txt")
    taken = handover(scratch, tmp_path).take({"uri": made.as_uri()}, "output")
    (scratch.temporary / "b.txt").write_text("changed", encoding="utf-8")
    assert path_of(taken).read_text(encoding="utf-8") == "x"


def test_a_file_on_another_disk_is_copied(scratch: Scratch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*arguments: Any, **options: Any) -> None:
        raise OSError("another disk")

    monkeypatch.setattr(os, "rename", refuse)
    monkeypatch.setattr(os, "copy_file_range", refuse, raising=False)
    made = scratch.temporary / "a.txt"
    made.write_text("x" * 3_000_000, encoding="utf-8")
    with pytest.raises(FileRefused, match="3,000,000 bytes"):
        handover(scratch, tmp_path).take({"uri": made.as_uri()}, "output")
    made.write_text("x" * 1_000_000, encoding="utf-8")
    taken = handover(scratch, tmp_path).take({"uri": made.as_uri()}, "output")
    assert path_of(taken).stat().st_size == 1_000_000
    assert made.exists()


def test_a_hidden_file_is_not_given_back(scratch: Scratch, tmp_path: Path):
    secret = tmp_path / ".env"
    secret.write_text("KEY=1", encoding="utf-8")
    files = handover(scratch, tmp_path, readable=[str(tmp_path)], hidden=[str(secret)])
    with pytest.raises(FileRefused, match="cannot see"):
        files.take({"uri": secret.as_uri()}, "output")


def test_a_link_in_place_of_the_folder_of_inputs_is_not_followed(
    scratch: Scratch, photo: dict[str, Any], tmp_path: Path
):
    outside = tmp_path / "outside"
    outside.mkdir()
    scratch.inputs.rmdir()
    scratch.inputs.symlink_to(outside)
    with pytest.raises(FileRefused, match="cannot be handed over"):
        handover(scratch, tmp_path).lend({"photo": photo}, ())
    assert os.listdir(outside) == []


def test_a_link_in_place_of_the_folder_of_inputs_is_not_followed_at_the_end(
    scratch: Scratch, photo: dict[str, Any], tmp_path: Path
):
    files = handover(scratch, tmp_path)
    lent = path_of(files.lend({"photo": photo}, ())["photo"])
    scratch.inputs.rename(tmp_path / "outside")
    scratch.inputs.symlink_to(tmp_path / "outside")
    files.end()
    assert (tmp_path / "outside" / lent.parent.name / lent.name).exists()


def test_files_of_one_run_count_together(scratch: Scratch, tmp_path: Path):
    files = handover(scratch, tmp_path)
    for name in "ab":
        (scratch.temporary / name).write_bytes(b"x" * 600_000)
    files.take({"uri": (scratch.temporary / "a").as_uri()}, "output")
    with pytest.raises(FileRefused, match="too much with those before it"):
        files.take({"uri": (scratch.temporary / "b").as_uri()}, "output")


def test_values_without_files_stay_the_same_objects(scratch: Scratch, tmp_path: Path):
    value = {"a": [1, {"uri": "asset://x"}], "b": "file:///etc/passwd"}
    assert handover(scratch, tmp_path).take(value, "output") is value


def test_the_whole_scratch_folder_is_no_file(scratch: Scratch, tmp_path: Path):
    with pytest.raises(FileRefused, match="no file that can be read"):
        handover(scratch, tmp_path).take({"uri": scratch.folder.as_uri()}, "output")


def test_a_value_that_is_nested_too_deeply_is_refused(scratch: Scratch, tmp_path: Path):
    value: Any = {"uri": "file:///x"}
    for _ in range(300):
        value = [value]
    with pytest.raises(FileRefused, match="nested deeper than 250 levels"):
        handover(scratch, tmp_path).take(value, "output")


def test_a_file_that_cannot_be_kept_is_refused_with_the_reason(scratch: Scratch, tmp_path: Path):
    made = scratch.temporary / "a.txt"
    made.touch()
    with pytest.raises(FileRefused, match="cannot be handed over: No such file"):
        handover(scratch, tmp_path / "missing").take({"uri": made.as_uri()}, "output")


def test_a_file_that_cannot_be_copied_is_refused_with_the_reason(
    scratch: Scratch, photo: dict[str, Any], tmp_path: Path
):
    scratch.inputs.rmdir()
    with pytest.raises(FileRefused, match=r'parameter "photo" names the file ".*", which cannot be handed over'):
        handover(scratch, tmp_path).lend({"photo": photo}, ())


async def test_copies_do_not_hold_up_other_work(folder: Path, photo: dict[str, Any], call: Call):
    async with hosted(folder, "none") as host:
        results = await asyncio.gather(*(result_of(call, host, "made", name=f"{n}.txt") for n in range(3)))
    assert len({path_of(result) for result in results}) == 3
