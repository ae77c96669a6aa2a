"""Ports that were read before, by the exact source they were read from; in memory and on disk."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import platformdirs

from greenrun.workflows.functions.ports import FunctionPorts

FORMAT = 1
MOST_FILES = 1_000


def default_cache_dir() -> Path:
    """Where ports are kept for this user."""
    return Path(platformdirs.user_cache_dir("greenrun", appauthor=False)) / "functions"


class PortsCache:
    """Ports by key. A file that is missing, damaged or of another format counts as not there; a full disk is fine."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = default_cache_dir() if folder is None else Path(folder)
        self._known: dict[str, FunctionPorts] = {}

    def get(self, key: str) -> FunctionPorts | None:
        """The ports kept under that key."""
        if key not in self._known:
            ports = self._read(key)
            if ports is None:
                return None
            self._known[key] = ports
        return self._known[key]

    def put(self, key: str, data: dict[str, Any]) -> FunctionPorts:
        """Keep what a worker said about a function.

        Raises:
            KeyError, TypeError, ValueError: It is no description of ports.
        """
        ports = FunctionPorts.from_json(data)
        self._known[key] = ports
        with contextlib.suppress(OSError):
            self._write(key, json.dumps({"format": FORMAT, "ports": data}, sort_keys=True))
        return ports

    def _read(self, key: str) -> FunctionPorts | None:
        try:
            stored = json.loads((self._folder / f"{key}.json").read_bytes())
            return FunctionPorts.from_json(stored["ports"]) if stored["format"] == FORMAT else None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def _write(self, key: str, text: str) -> None:
        """Write beside the final name and rename, so that a reader sees all of it or nothing."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._make_room()
        descriptor, path = tempfile.mkstemp(dir=self._folder, suffix=".part")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(path, self._folder / f"{key}.json")
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(path)
            raise

    def _make_room(self) -> None:
        files = list(self._folder.iterdir())
        if len(files) < MOST_FILES:
            return
        for file in sorted(files, key=lambda file: file.stat().st_mtime)[: MOST_FILES // 2]:
            file.unlink(missing_ok=True)
