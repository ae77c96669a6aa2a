"""What a single edit is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from greenrun.document.values import Absent

Kind: TypeAlias = Literal["component", "operation", "variable", "resource"]

WORDS: dict[Kind, str] = {
    "component": "widget",
    "operation": "operation",
    "variable": "variable",
    "resource": "resource",
}
"""What a person calls them."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A stored document in native shape on its way through a batch; `host` is the host workflow of its operations."""

    stored: dict[str, Any]
    host: str | Absent

    @property
    def ui(self) -> dict[str, Any]:
        return self.stored["ui"]

    def with_ui(self, ui: dict[str, Any]) -> dict[str, Any]:
        """The stored document with another `ui`."""
        return {**self.stored, "ui": ui}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The stored document after an edit, the ids that it touched, and what it removed."""

    stored: dict[str, Any]
    changed: tuple[str, ...] = ()
    removed: tuple[tuple[Kind, str], ...] = ()


Handler: TypeAlias = Callable[[Draft, Any], Outcome]
