"""The apps in ``examples/``: each is loaded, checked and simulated once, with its own script."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import greenrun
from greenrun.document.tree import Widget
from greenrun.instances.app import App
from greenrun.oracle.check_report import CheckReport
from greenrun.oracle.report import Report
from greenrun.oracle.resolve import ResolvedTarget, resolve
from greenrun.workspace.folder import APP_FILE
from greenrun.workspace.project import Project

FOLDER = Path(__file__).parents[2] / "examples"
NAMES = sorted(path.parent.name for path in FOLDER.glob(f"*/{APP_FILE}"))


@dataclass(frozen=True)
class Example:
    """One app: what was loaded, what the check said, and the report of its script."""

    name: str
    project: Project
    resolved: ResolvedTarget
    checked: CheckReport
    report: Report

    @property
    def app(self) -> App:
        assert self.resolved.app is not None
        return self.resolved.app

    @property
    def widgets(self) -> tuple[Widget, ...]:
        return self.app.widgets

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The script; a step names its widget by id."""
        assert self.project.loaded.interact is not None
        return self.project.loaded.interact

    def shown(self, widget_id: str) -> dict[str, Any]:
        """How the widget stood at the end of the script."""
        return next(item for item in self.report.widgets if item["id"] == widget_id)

    def expected(self, widget_id: str, check: str) -> bool:
        """Whether the script states this about the widget."""
        bodies = [step["expect"] for step in self.steps if "expect" in step]
        return any(body["widget"] == widget_id and body["check"] == check for body in bodies)

    def clicked(self, widget_id: str) -> bool:
        """Whether the script clicks the widget."""
        return any(step.get("click") == widget_id for step in self.steps)

    def entered(self, widget_id: str) -> bool:
        """Whether the script enters a value into the widget."""
        return any(step.get("change") == widget_id and step.get("value") is not None for step in self.steps)


@cache
def example_named(name: str) -> Example:
    project = greenrun.load(FOLDER / name)
    return Example(name, project, _resolved(project), project.check(), project.simulate())


def _resolved(project: Project) -> ResolvedTarget:
    async def load() -> ResolvedTarget:
        async with project.host() as host:
            return await resolve(project.loaded.target, host)

    return asyncio.run(load())
