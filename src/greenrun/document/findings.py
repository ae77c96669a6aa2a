"""Findings: what check or simulate has to say, as data (spec: harness 2.2, 4).

A finding has a stable code, a severity, a place, a message, and, where a mechanical repair exists, fixes. The catalogue of
all codes with their explanations is `greenrun.document.codes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a finding points: any combination of these; all None means the app as a whole."""

    widget: str | None = None
    operation: str | None = None
    variable: str | None = None
    resource: str | None = None
    node: str | None = None
    edge: str | None = None
    prop: str | None = None
    step: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Only the members that are set."""
        members = ("widget", "operation", "variable", "resource", "node", "edge", "prop", "step")
        return {name: value for name in members if (value := getattr(self, name)) is not None}


@dataclass(frozen=True, slots=True)
class Fix:
    """A mechanical repair: `edits` are document edits (or graph edits, for GR6xx) in their JSON form.

    `graph` names the workflow id whose graph the edits change; None means that they edit the document.
    """

    title: str
    edits: tuple[dict[str, Any], ...]
    graph: str | None = None

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"title": self.title, "edits": list(self.edits)}
        if self.graph is not None:
            data["graph"] = self.graph
        return data


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to say about an app. `code` is ``GR`` and three digits."""

    code: str
    severity: Severity
    message: str
    place: Place = Place()
    fixes: tuple[Fix, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "severity": self.severity,
            "place": self.place.to_json(),
            "message": self.message,
            "fixes": [fix.to_json() for fix in self.fixes],
        }


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a verdict cannot be green although nothing is wrong with the app (spec: harness 4, GR9xx)."""

    code: str
    message: str
    operation: str | None = None
    supply: str | None = None

    def to_json(self) -> dict[str, Any]:
        data = {"code": self.code, "message": self.message, "operation": self.operation, "supply": self.supply}
        return {name: value for name, value in data.items() if value is not None}
