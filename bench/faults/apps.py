"""The apps that faults are put into: every example, and apps of our own for what no example has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from bench.faults import bulletin, front_desk, newsroom, order_desk, workshop
from bench.faults.seed import SeedApp, read_app

EXAMPLES: Final = Path(__file__).resolve().parent.parent.parent / "examples"

OURS: Final[dict[str, Callable[[], SeedApp]]] = {
    module.NAME: module.app for module in (order_desk, bulletin, workshop, newsroom, front_desk)
}
"""Name to app."""


def names() -> list[str]:
    """All apps by name."""
    return [*OURS, *sorted(path.parent.name for path in EXAMPLES.glob("*/app.json"))]


def load(name: str) -> SeedApp:
    return OURS[name]() if name in OURS else read_app(EXAMPLES / name)
