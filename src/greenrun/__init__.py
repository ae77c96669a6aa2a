"""Greenrun: a self-hosted AI app builder for Python people whose assistant has to prove that what it built works.

``greenrun.load(path)`` checks and simulates an app. The names of `greenrun.sdk` (``workflow``, ``Progress``, ``Chunk``,
``Image``, ...) are for the Python functions that an app runs. Everything is imported when it is first used, so that a
function's worker process stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from greenrun.sdk import Audio, Chunk, Document, File, Image, Progress, Video, workflow

    load: Any

__version__ = "0.1.0"

_NAMES = {
    "Audio": "greenrun.sdk",
    "Chunk": "greenrun.sdk",
    "Document": "greenrun.sdk",
    "File": "greenrun.sdk",
    "Image": "greenrun.sdk",
    "Progress": "greenrun.sdk",
    "Video": "greenrun.sdk",
    "load": "greenrun.workspace.project",
    "workflow": "greenrun.sdk",
}

__all__ = [
    "Audio",
    "Chunk",
    "Document",
    "File",
    "Image",
    "Progress",
    "Video",
    "__version__",
    "load",
    "workflow",
]


def __getattr__(name: str) -> Any:
    module = _NAMES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return list(__all__)
