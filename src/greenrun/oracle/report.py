"""The full report of one simulation, and the verdict in it (spec: harness 4, 5.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from greenrun.document.findings import Finding, Reason
from greenrun.oracle.target import TargetInfo

Status: TypeAlias = Literal["green", "red", "check_failed"]
Proof: TypeAlias = Literal["none", "static", "run"]
NotExercisedReason: TypeAlias = Literal[
    "runs_off",
    "no_trigger",
    "not_in_script",
    "hidden",
    "disabled",
    "media_missing",
    "resource_missing",
    "unavailable",
    "unknown",
    "direct",
    "cancelled",
    "not_settled",
    "not_allowed",
]


@dataclass(frozen=True, slots=True)
class NotExercised:
    """An operation of which no run was started through a widget and settled, why, and what to supply."""

    operation: str
    reason: NotExercisedReason
    supply: str | None = None

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"operation": self.operation, "reason": self.reason}
        if self.supply is not None:
            data["supply"] = self.supply
        return data


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is true of the app, and how far that was proved (DESIGN 3.3)."""

    status: Status
    proof: Proof
    headline: str
    issues: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    exercised: tuple[str, ...] = ()
    not_exercised: tuple[NotExercised, ...] = ()
    reasons: tuple[Reason, ...] = ()

    @property
    def ok(self) -> bool:
        return self.status == "green"

    def to_json(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "status": self.status,
            "proof": self.proof,
            "headline": self.headline,
            "issues": list(self.issues),
            "warnings": list(self.warnings),
            "exercised": list(self.exercised),
            "not_exercised": [item.to_json() for item in self.not_exercised],
            "reasons": [item.to_json() for item in self.reasons],
        }


@dataclass(slots=True)
class Interaction:
    """What one step did. An error never stops later steps.

    `judgeable` is false where something that the step may depend on is missing through no fault of the app: an
    operation could not be looked into, or a limit of the check stopped a run before.
    """

    step: str
    number: int
    actions: list[str] = field(default_factory=lambda: [])
    run_index: int | None = None
    error: str | None = None
    code: str | None = None
    widget: str | None = None
    judgeable: bool = True

    def fail(self, code: str, message: str) -> None:
        """The first error of a step stands."""
        if self.error is None:
            self.error = message
            self.code = code

    def to_json(self) -> dict[str, Any]:
        return {
            "step": self.step,
            "actions": self.actions,
            "runIndex": self.run_index,
            "error": self.error,
            "code": self.code,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a simulation found; `to_json` has upstream's camelCase keys and ours in snake_case."""

    generated_at: str
    target: TargetInfo
    snapshot: str | None
    closure: str | None
    app: dict[str, Any] | None
    spec: dict[str, Any] | None
    io: dict[str, list[str]]
    validation_errors: tuple[str, ...]
    validation_warnings: tuple[str, ...]
    findings: tuple[Finding, ...]
    verdict: Verdict
    interactions: tuple[Interaction, ...] = ()
    runs: tuple[dict[str, Any], ...] = ()
    run_ids: tuple[str, ...] = ()
    values: dict[str, Any] = field(default_factory=lambda: {})
    variables: dict[str, Any] = field(default_factory=lambda: {})
    invocations: tuple[dict[str, Any], ...] = ()
    activity: tuple[dict[str, Any], ...] = ()
    widgets: tuple[dict[str, Any], ...] = ()
    resources: tuple[dict[str, Any], ...] = ()
    not_simulated: tuple[str, ...] = ()
    isolation: str | None = None
    models: dict[str, Any] | None = None
    bundle_dir: str | None = None
    messages: tuple[list[dict[str, Any]], ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "generatedAt": self.generated_at,
            "target": self.target.to_json(),
            "snapshot": self.snapshot,
            "closure": self.closure,
            "app": self.app,
            "spec": self.spec,
            "io": self.io,
            "validation": {"errors": list(self.validation_errors), "warnings": list(self.validation_warnings)},
            "findings": [item.to_json() for item in self.findings],
            "interactions": [item.to_json() for item in self.interactions],
            "runs": list(self.runs),
            "run_ids": list(self.run_ids),
            "values": self.values,
            "variables": self.variables,
            "invocations": list(self.invocations),
            "activity": list(self.activity),
            "widgets": list(self.widgets),
            "resources": list(self.resources),
            "notSimulated": list(self.not_simulated),
            "isolation": self.isolation,
            "models": self.models,
            "verdict": self.verdict.to_json(),
            "bundleDir": self.bundle_dir,
        }


NOT_SIMULATED = (
    "layout, styling, focus and scrolling: there is no page",
    "stored resource collections: only seeded ones are seen, and openResource opens no editor",
    "reactive runs of a part of a graph: the whole workflow is run instead",
    "run policies: steps are taken one after the other, so a wrong policy shows in nothing",
    "state that a run never reaches: whether an error shows where it should is seen only when that run fails",
)
"""What no simulation sees (spec: harness 4)."""
