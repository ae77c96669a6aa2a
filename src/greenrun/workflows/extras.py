"""What optional parts of Greenrun need, and the command that adds it."""

from __future__ import annotations

import importlib.util
from typing import Final

_NEEDS: Final[dict[str, tuple[str, str]]] = {
    "code": ("pydantic_monty", "pydantic-monty"),
    "images": ("PIL", "Pillow"),
    "llm": ("pydantic_ai", "pydantic-ai"),
    "video": ("av", "PyAV"),
}
"""Extra to the module that it brings, and the name of what brings it."""


def is_installed(extra: str) -> bool:
    """Whether what the extra brings is there; nothing is imported."""
    return importlib.util.find_spec(_NEEDS[extra][0]) is not None


def missing_extra(extra: str) -> str | None:
    """Why a node type that needs the extra cannot run, and what adds it; None when it is there."""
    return None if is_installed(extra) else f'needs {_NEEDS[extra][1]}; add it with: pip install "greenrun[{extra}]"'
