"""Temporary files as they are when they are yielded."""

from __future__ import annotations

from pathlib import Path

from greenrun.workflows.functions.snapshots import Snapshots


def test_a_temporary_file_is_copied(tmp_path: Path):
    file = tmp_path / "a b.txt"
    file.write_text("now", encoding="utf-8")
    value = {"x": [{"type": "file", "uri": file.as_uri(), "metadata": {"name": "a b.txt"}}, 3]}
    copied = Snapshots(str(tmp_path / "out"), (str(tmp_path),)).of(value)
    file.write_text("later", encoding="utf-8")
    uri = copied["x"][0]["uri"]
    assert uri.endswith("/a%20b.txt")
    assert next((tmp_path / "out").glob("*/*")).read_text(encoding="utf-8") == "now"
    assert copied["x"][0]["metadata"] == {"name": "a b.txt"}
    assert value["x"][0]["uri"] == file.as_uri()  # type: ignore[index]


def test_other_values_stay_the_same_objects(tmp_path: Path):
    outside = tmp_path / "outside.txt"
    outside.touch()
    value = [{"uri": outside.as_uri()}, {"uri": (tmp_path / "in" / "missing").as_uri()}, {"uri": 3}, "text"]
    assert Snapshots(str(tmp_path / "out"), (str(tmp_path / "in"),)).of(value) is value
    assert not (tmp_path / "out").exists()
