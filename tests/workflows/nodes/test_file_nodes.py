from __future__ import annotations

import base64
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from greenrun.workflows.files import FileRefused, WorkspaceFiles
from greenrun.workflows.node import NodeError
from greenrun.workflows.nodes.files import dated, media_ref
from tests.workflows.nodes.firing import MemoryContext, builtin, fire, generate


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def context(root: Path) -> MemoryContext:
    return MemoryContext(workspace=WorkspaceFiles(root))


async def result(name: str, context: MemoryContext, /, **values: Any) -> Any:
    return (await fire(name, context, **values))["output"]


async def test_text_is_written_and_read(context: MemoryContext, root: Path) -> None:
    assert await result("greenrun.file.WriteText", context, path="out/a.txt", text="häß") == "out/a.txt"
    assert await result("greenrun.file.ReadText", context, path="out/a.txt") == "häß"
    assert (root / "out" / "a.txt").read_text(encoding="utf-8") == "häß"


async def test_text_is_added_to_a_file(context: MemoryContext) -> None:
    for text in ("a", "b"):
        await result("greenrun.file.AppendText", context, path="log.txt", text=text)
    assert await result("greenrun.file.ReadText", context, path="log.txt") == "ab"


@pytest.mark.parametrize("value", [{"type": "file_path", "path": "a.txt"}, {"uri": "a.txt"}, {"uri": "file://a.txt"}])
async def test_path_may_come_in_a_record(context: MemoryContext, root: Path, value: Any) -> None:
    (root / "a.txt").write_text("a", encoding="utf-8")
    assert await result("greenrun.file.ReadText", context, path=value) == "a"


@pytest.mark.parametrize("path", ["", {}, {"path": 5}])
async def test_path_must_be_given(context: MemoryContext, path: Any) -> None:
    with pytest.raises(NodeError, match="the path is empty"):
        await result("greenrun.file.ReadText", context, path=path)


@pytest.mark.parametrize(
    "name",
    ["ReadText", "ReadBytes", "ReadCSV", "ReadJSON", "Exists", "WriteText", "AppendText", "WriteCSV", "WriteJSON"],
)
async def test_no_node_leaves_the_workspace(context: MemoryContext, name: str) -> None:
    with pytest.raises(FileRefused):
        await fire(f"greenrun.file.{name}", context, path="../outside.txt")


async def test_bytes_come_as_what_they_are(context: MemoryContext, root: Path) -> None:
    (root / "a.pdf").write_bytes(b"%PDF-1.7\n")
    ref = await result("greenrun.file.ReadBytes", context, path="a.pdf")
    assert (ref["type"], ref["metadata"]) == ("document", {"mime": "application/pdf", "name": "a.pdf"})
    assert base64.b64decode(ref["data"]) == b"%PDF-1.7\n"
    assert ref["asset_id"] == "a1"


@pytest.mark.parametrize(
    ("data", "mime", "name", "expected"),
    [
        (b"GIF89a" + bytes(20), "", None, ("image", "image/gif")),
        (b"\0\1", "audio/x-own", None, ("audio", "audio/x-own")),
        (b"a,b", "", "a.csv", ("document", "text/csv")),
        (b"\0\1", "", None, ("document", "application/octet-stream")),
    ],
)
def test_kind_of_media_is_that_of_the_content(
    data: bytes, mime: str, name: str | None, expected: tuple[str, str]
) -> None:
    ref = media_ref(data, mime=mime, name=name)
    assert (ref["type"], ref["metadata"]["mime"]) == expected


async def test_files_are_listed(context: MemoryContext, root: Path) -> None:
    for path in ("a.txt", "data/b.csv", "data/deep/c.csv"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x", encoding="utf-8")
    assert await result("greenrun.file.List", context) == ["a.txt"]
    assert await result("greenrun.file.List", context, folder="data", pattern="**/*.csv") == [
        "data/b.csv",
        "data/deep/c.csv",
    ]


async def test_file_exists_or_not(context: MemoryContext, root: Path) -> None:
    (root / "a.txt").write_text("x", encoding="utf-8")
    assert await result("greenrun.file.Exists", context, path="a.txt") is True
    assert await result("greenrun.file.Exists", context, path="b.txt") is False


async def test_table_is_written_and_read(context: MemoryContext) -> None:
    rows = [{"city": "Bonn", "n": 1}, {"city": "a,b", "n": 2}]
    assert await result("greenrun.file.WriteCSV", context, path="t.csv", table=rows, delimiter=";") == "t.csv"
    table = await result("greenrun.file.ReadCSV", context, path="t.csv")
    assert table["rows"] == rows
    assert (await result("greenrun.file.ReadCSV", context, path="t.csv", convert=False))["rows"][0]["n"] == "1"


async def test_json_is_written_and_read(context: MemoryContext) -> None:
    value = {"a": [1, None, "ä"]}
    assert await result("greenrun.file.WriteJSON", context, path="v.json", value=value) == "v.json"
    assert await result("greenrun.file.ReadJSON", context, path="v.json") == value


async def test_null_in_a_json_file_is_a_value(context: MemoryContext, root: Path) -> None:
    (root / "v.json").write_text("null", encoding="utf-8")
    assert await fire("greenrun.file.ReadJSON", context, path="v.json") == {"output": None}


async def test_file_that_is_no_json_is_named(context: MemoryContext, root: Path) -> None:
    (root / "v.json").write_text("{", encoding="utf-8")
    with pytest.raises(NodeError, match=r'"v\.json"'):
        await result("greenrun.file.ReadJSON", context, path="v.json")


async def test_value_that_is_no_json_is_not_written(context: MemoryContext) -> None:
    with pytest.raises(NodeError, match="cannot be written as JSON"):
        await result("greenrun.file.WriteJSON", context, path="v.json", value={"a": {1}})
    assert context.workspace.find() == []


async def test_saved_text_has_the_time_in_its_name(context: MemoryContext, root: Path) -> None:
    saved = await result("nodetool.text.SaveText", context, text="hello", folder={"type": "folder", "uri": "notes/"})
    assert saved["data"] == "hello"
    assert re.fullmatch(r"notes/\d{4}(-\d\d){5}\.txt", saved["uri"])
    assert (root / saved["uri"]).read_text(encoding="utf-8") == "hello"


async def test_text_is_saved_under_its_name(context: MemoryContext) -> None:
    assert await result("nodetool.text.SaveText", context, text="a", name="a.txt") == {"uri": "a.txt", "data": "a"}
    assert await result("nodetool.text.SaveTextFile", context, text="b", folder="x", name="b.txt") == {
        "uri": "x/b.txt",
        "data": "b",
    }
    assert (await result("nodetool.text.SaveTextFile", context, text="c", name="c.txt"))["uri"] == "c.txt"


async def test_text_without_a_destination_is_not_saved(context: MemoryContext) -> None:
    with pytest.raises(NodeError, match="no place to save to"):
        await result("nodetool.text.SaveTextFile", context, text="b", save_to_workspace=False)
    with pytest.raises(NodeError, match="the name of the file is empty"):
        await result("nodetool.text.SaveText", context, text="b", name=" ")


def test_only_known_tokens_of_a_name_are_filled_in() -> None:
    now = datetime(2026, 1, 31, 5, 6, 7, tzinfo=UTC)
    assert dated("%Y%m%d-%H%M%S %q 100%", now) == "20260131-050607 %q 100%"


@pytest.fixture
def texts(root: Path) -> Path:
    for path, data in {
        "in/b.md": b"B",
        "in/a.TXT": b"A",
        "in/c.py": b"C",
        "in/bad.pdf": b"\xff\xfe\xfd",
        "in/deep/d.txt": b"D",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return root


async def test_texts_of_a_folder_come_one_by_one_and_then_all(context: MemoryContext, texts: Path) -> None:
    records = await generate("nodetool.text.LoadTextFolder", context, folder="in")
    assert records == [
        {"text": "A", "path": "in/a.TXT"},
        {"text": "B", "path": "in/b.md"},
        {"texts": ["A", "B"], "paths": ["in/a.TXT", "in/b.md"]},
    ]
    assert [severity for severity, _ in context.logs] == ["warning"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"include_subdirectories": True}, ["in/a.TXT", "in/b.md", "in/deep/d.txt"]),
        ({"include_subdirectories": True, "pattern": "d*"}, ["in/deep/d.txt"]),
        ({"pattern": "b*"}, ["in/b.md"]),
        ({"extensions": ["PY", ".md"]}, ["in/b.md", "in/c.py"]),
        ({"extensions": [], "pattern": "*.py"}, ["in/c.py"]),
        ({"extensions": [".none"]}, []),
    ],
)
async def test_texts_are_chosen(
    context: MemoryContext, texts: Path, values: dict[str, Any], expected: list[str]
) -> None:
    records = await generate("nodetool.text.LoadTextFolder", context, folder="in", **values)
    assert records[-1]["paths"] == expected


async def test_texts_of_no_folder_are_an_error(context: MemoryContext) -> None:
    with pytest.raises(NodeError, match="the folder is empty"):
        await generate("nodetool.text.LoadTextFolder", context)
    with pytest.raises(NodeError, match='there is no "missing"'):
        await generate("nodetool.text.LoadTextFolder", context, folder="missing")


def test_asset_library_is_said_to_be_missing() -> None:
    assert "LoadTextFolder" in (builtin("nodetool.text.LoadTextAssets").unavailable or "")


def test_writers_change_the_workspace_and_readers_do_not() -> None:
    writers = (
        "greenrun.file.WriteText",
        "greenrun.file.WriteCSV",
        "greenrun.file.WriteJSON",
        "nodetool.text.SaveText",
        "SaveTextFile",
    )
    readers = ("greenrun.file.ReadText", "greenrun.file.ReadBytes", "greenrun.file.List", "LoadTextFolder")
    assert {builtin(name).effects for name in writers} == {"local"}
    assert {builtin(name).effects for name in readers} == {"none"}
