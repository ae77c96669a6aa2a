from __future__ import annotations

import ast
import base64
import sys
from pathlib import Path

import pytest

import greenrun
from greenrun import sdk
from greenrun.sdk import (
    Audio,
    Chunk,
    Document,
    File,
    Image,
    Progress,
    Ref,
    Video,
    WorkflowOptions,
    options_of,
    workflow,
)


def test_imports_nothing_outside_the_standard_library():
    tree = ast.parse(Path(sdk.__file__).read_text(encoding="utf-8"))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= set(sys.stdlib_module_names)


def test_public_names_are_sorted_and_exist():
    assert sdk.__all__ == sorted(sdk.__all__)
    assert all(hasattr(sdk, name) for name in sdk.__all__)


@pytest.mark.parametrize("name", ["Audio", "Chunk", "Document", "File", "Image", "Progress", "Video", "workflow"])
def test_names_for_authors_are_importable_from_the_package(name: str):
    assert getattr(greenrun, name) is getattr(sdk, name)


def test_chunk_goes_to_the_output_result_by_default():
    assert (Chunk("a").output, Progress(0.5).text) == ("result", "")


def test_workflow_declares_effects_and_title():
    @workflow(effects="external", retry_safe=False, title="Send")
    def send() -> None: ...

    assert options_of(send) == WorkflowOptions("external", False, "Send")


def test_workflow_works_without_parentheses_and_returns_the_function():
    def plain() -> int:
        return 3

    assert workflow(plain) is plain
    assert plain() == 3
    assert options_of(plain) == WorkflowOptions()


def test_undecorated_function_has_the_default_options():
    assert options_of(len) == WorkflowOptions("none", True, None)


def test_unknown_effect_is_refused_by_name():
    with pytest.raises(ValueError, match='effects is "world"'):
        workflow(effects="world")  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("ref", "kind"),
    [(Image, "image"), (Audio, "audio"), (Video, "video"), (Document, "document"), (File, "file"), (Ref, "file")],
)
def test_reference_is_stored_with_its_kind(ref: type[Ref], kind: str):
    assert ref(uri="https://x/y").to_json() == {"type": kind, "uri": "https://x/y"}


def test_reference_from_a_path_knows_name_and_mime_and_the_path(tmp_path: Path):
    file = tmp_path / "a b.png"
    file.write_bytes(b"x")
    image = Image.from_path(file)
    assert (image.name, image.mime, image.path, image.read_bytes()) == ("a b.png", "image/png", file, b"x")


def test_reference_from_bytes_survives_the_stored_form():
    image = Image.from_bytes(b"\x00\xff", name="a.jpg")
    stored = image.to_json()
    assert stored["data"] == base64.b64encode(b"\x00\xff").decode()
    assert stored["metadata"] == {"name": "a.jpg", "mime": "image/jpeg"}
    assert Image.from_json(stored) == image
    assert image.read_bytes() == b"\x00\xff"


def test_given_mime_is_kept():
    assert Image.from_bytes(b"", name="a.bin", mime="image/webp").mime == "image/webp"
    assert Image.from_bytes(b"").mime is None


def test_name_and_mime_are_read_beside_the_uri_too():
    ref = File.from_json({"uri": "asset://1", "asset_id": "1", "name": "a.txt", "mime": "text/plain"})
    assert (ref.asset_id, ref.name, ref.mime) == ("1", "a.txt", "text/plain")
    assert ref.to_json()["asset_id"] == "1"


@pytest.mark.parametrize(
    ("uri", "content"),
    [
        ("data:image/png;base64,eHl6", b"xyz"),
        ("data:text/plain,a%20b", b"a b"),
    ],
)
def test_data_uri_is_content(uri: str, content: bytes):
    assert Image(uri=uri).read_bytes() == content


def test_data_may_be_a_data_uri():
    assert Image.from_json({"data": "data:;base64,eHl6"}).data == b"xyz"


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        (Image(uri="https://x/y.png"), 'uri "https://x/y.png"'),
        (Image(asset_id="a1"), 'asset "a1"'),
        (Image(), "empty reference"),
        (Image(uri="data:nothing"), "no content"),
        (Image(uri="data/a.png"), 'uri "data/a.png"; a file is named with file: before its path'),
    ],
)
def test_content_that_is_elsewhere_is_named(ref: Image, message: str):
    with pytest.raises(ValueError, match=message):
        ref.read_bytes()


@pytest.mark.parametrize("uri", ["https://x/y.png", "", "file://other-host/x"])
def test_path_of_what_is_no_local_file_is_refused(uri: str):
    with pytest.raises(ValueError, match="no local file"):
        _ = Image(uri=uri).path


@pytest.mark.parametrize(
    ("stored", "message"),
    [({"uri": 3}, '"uri" is int'), ({"data": "%%"}, "not base64"), ({"metadata": {"name": []}}, '"name" is list')],
)
def test_malformed_reference_is_refused(stored: dict[str, object], message: str):
    with pytest.raises(ValueError, match=message):
        Image.from_json(stored)
