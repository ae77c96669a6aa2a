"""Which code that came from elsewhere a person has trusted, by its exact text (DESIGN 5)."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from platformdirs import user_data_path

from greenrun.workflows.functions.sources import text_hash

FOLDER_NAME = "trusted"


def default_folder() -> Path:
    """Where this user's decisions are kept."""
    return user_data_path("greenrun", appauthor=False) / FOLDER_NAME


class TrustStore:
    """What a person trusted, one file for each decision; sources are text by module.

    Only the exact text of all modules together counts: one changed character makes it code that nobody has read.
    `folder` keeps the decisions (None: the user's data folder).
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = default_folder() if folder is None else Path(folder)

    def is_trusted(self, sources: Mapping[str, str]) -> bool:
        """Whether exactly this code was trusted. A record that cannot be read, or is not ours, trusts nothing."""
        key = text_hash(sources)
        try:
            stored = json.loads((self._folder / f"{key}.json").read_bytes())
            return stored["sources"] == key
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return False

    def trust(self, sources: Mapping[str, str]) -> None:
        """Remember that a person trusts this code.

        Raises:
            OSError: It cannot be kept, as on a full or read-only disk.
        """
        key = text_hash(sources)
        record = {"sources": key, "modules": sorted(sources), "at": datetime.now(UTC).isoformat(timespec="seconds")}
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, path = tempfile.mkstemp(dir=self._folder, suffix=".part")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(record, file)
            os.replace(path, self._folder / f"{key}.json")
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(path)
            raise

    def forget(self, sources: Mapping[str, str] | None = None) -> None:
        """Trust this code no longer; without an argument, none at all."""
        pattern = "*.json" if sources is None else f"{text_hash(sources)}.json"
        for file in self._folder.glob(pattern):
            file.unlink(missing_ok=True)
