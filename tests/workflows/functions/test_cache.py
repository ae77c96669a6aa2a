from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from greenrun.workflows.functions import cache
from greenrun.workflows.functions.cache import PortsCache, default_cache_dir
from greenrun.workflows.functions.signature import ports


def f(text: str, n: int = 3) -> str: ...  # type: ignore[empty-body]


def data() -> dict[str, Any]:
    return ports(f)


def test_ports_survive_the_process(tmp_path: Path):
    kept = PortsCache(tmp_path).put("k", data())
    assert PortsCache(tmp_path).get("k") == kept


def test_ports_are_kept_in_memory(tmp_path: Path):
    ports_cache = PortsCache(tmp_path)
    kept = ports_cache.put("k", data())
    (tmp_path / "k.json").unlink()
    assert ports_cache.get("k") is kept


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"format": 0, "ports": {}}', '{"format": 1, "ports": {"effects": "none"}}', "null"],
)
def test_damaged_file_counts_as_not_there(tmp_path: Path, text: str):
    (tmp_path / "k.json").write_text(text, encoding="utf-8")
    assert PortsCache(tmp_path).get("k") is None


def test_other_format_counts_as_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    PortsCache(tmp_path).put("k", data())
    monkeypatch.setattr(cache, "FORMAT", 99)
    assert PortsCache(tmp_path).get("k") is None


def test_folder_that_cannot_be_written_is_no_error(tmp_path: Path):
    (tmp_path / "file").touch()
    ports_cache = PortsCache(tmp_path / "file" / "below")
    kept = ports_cache.put("k", data())
    assert ports_cache.get("k") is kept


def test_failed_write_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(source: str, target: object) -> None:
        raise OSError("full")

    monkeypatch.setattr(os, "replace", refuse)
    PortsCache(tmp_path).put("k", data())
    assert list(tmp_path.iterdir()) == []


def test_oldest_files_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cache, "MOST_FILES", 4)
    for position, name in enumerate("abcd"):
        (tmp_path / f"{name}.json").touch()
        os.utime(tmp_path / f"{name}.json", (position, position))
    PortsCache(tmp_path).put("k", data())
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["c", "d", "k"]


def test_what_is_no_ports_is_refused(tmp_path: Path):
    with pytest.raises(KeyError):
        PortsCache(tmp_path).put("k", {})


def test_default_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_dir().name == "functions"
    assert PortsCache(None).get("nothing") is None
