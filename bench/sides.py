"""Who takes part in a comparison, and what to install when somebody is missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from bench.machine import version

INSTALL = "uv pip install --group bench"


@dataclass(frozen=True, slots=True)
class Side:
    """One system: `package` is its distribution, None for what is always there, and `module` what it is imported as."""

    name: str
    package: str | None = None
    module: str | None = None

    @property
    def installed(self) -> bool:
        return self.module is None or find_spec(self.module) is not None

    def to_json(self) -> dict[str, Any]:
        """``{side, version}``, or ``{side, missing}`` with the command that installs it."""
        if not self.installed:
            return {"side": self.name, "missing": f"not installed; {INSTALL}"}
        return {"side": self.name, "version": version(self.package) if self.package else None}


def absent(sides: Iterable[dict[str, Any]]) -> list[str]:
    """A line for every side that could not be measured."""
    return [f"{side['side']}: {side['missing']}" for side in sides if "missing" in side]
