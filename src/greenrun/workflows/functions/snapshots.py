"""Temporary files as they are when a function yields them, since it goes on and may change or delete them.

Runs in the worker, next to the user's code; standard library only.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit


class Snapshots:
    """Copies files that JSON refers to and that lie below one of the `temporary` folders to a `folder` of its own."""

    def __init__(self, folder: str, temporary: tuple[str, ...]) -> None:
        self._folder = folder
        self._temporary = tuple(path.rstrip(os.sep) + os.sep for path in temporary)

    def of(self, value: Any) -> Any:
        """The value with its references to temporary files leading to copies; the same object where there are none."""
        if isinstance(value, dict):
            changed = {key: new for key, item in value.items() if (new := self.of(item)) is not item}
            uri = value.get("uri")
            copy = self._copy(uri) if isinstance(uri, str) and uri.startswith("file:") else None
            if copy is not None:
                changed["uri"] = copy
            return {**value, **changed} if changed else value
        if isinstance(value, list):
            items = [self.of(item) for item in value]
            return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
        return value

    def _copy(self, uri: str) -> str | None:
        """The uri of a copy; None for what is no temporary file, which the server will look at."""
        path = os.path.normpath(unquote(urlsplit(uri).path))
        if not path.startswith(self._temporary) or not os.path.isfile(path):
            return None
        os.makedirs(self._folder, exist_ok=True)
        copy = os.path.join(tempfile.mkdtemp(dir=self._folder), os.path.basename(path))
        shutil.copyfile(path, copy)
        return Path(copy).as_uri()
