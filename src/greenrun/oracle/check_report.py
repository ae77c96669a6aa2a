"""The static check as a result of its own: findings and a verdict of proof static (spec: harness 2, 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from greenrun.document.findings import Finding, Reason
from greenrun.document.identity import snapshot
from greenrun.oracle.checked import check_target, verified
from greenrun.oracle.exercise import Exercise
from greenrun.oracle.host import Host
from greenrun.oracle.report import NotExercised, Verdict
from greenrun.oracle.resolve import ResolvedTarget, resolve
from greenrun.oracle.target import Target, TargetInfo
from greenrun.oracle.verdict import make_verdict


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found. Nothing was run, so the proof is static at best."""

    target: TargetInfo
    title: str | None
    snapshot: str | None
    closure: str | None
    widget_count: int
    findings: tuple[Finding, ...]
    verdict: Verdict

    def to_json(self) -> dict[str, Any]:
        return {
            "target": self.target.to_json(),
            "app": {"title": self.title, "widgetCount": self.widget_count},
            "snapshot": self.snapshot,
            "closure": self.closure,
            "verdict": self.verdict.to_json(),
            "findings": [finding.to_json() for finding in self.findings],
        }


async def check_report(target: Target, host: Host, *, fixes: bool = True) -> CheckReport:
    """Check a target; with `fixes` each finding carries those fixes that were tried out and hold."""
    resolved = ResolvedTarget(target, None)
    try:
        resolved = await resolve(target, host)
        findings = check_target(resolved, host.registry, fixes=fixes)
        if fixes:
            findings = verified(resolved, findings, host.registry)
    except Exception as error:  # a fault of the checker is a third outcome, never a finding about the app
        text = str(error) or type(error).__name__
        return _report(resolved, [], [Reason("GR901", f"The checker failed: {text}")], whole=False)
    return _report(resolved, findings, resolved.reasons, whole=resolved.app is not None and not resolved.reasons)


def _report(
    resolved: ResolvedTarget, findings: list[Finding], reasons: list[Reason] | tuple[Reason, ...], *, whole: bool
) -> CheckReport:
    app = resolved.app
    document = resolved.target.document
    operations = app.operations if app is not None else ()
    exercise = Exercise((), tuple(NotExercised(item.id, "runs_off") for item in operations))
    verdict = make_verdict(findings, [], reasons, exercise=exercise, whole_app_checked=whole)
    return CheckReport(
        target=resolved.target.info,
        title=(document.title if document is not None else None) or resolved.target.app_name,
        snapshot=snapshot(document) if document is not None else None,
        closure=resolved.closure,
        widget_count=len(app.widgets) if app is not None else 0,
        findings=tuple(findings),
        verdict=verdict,
    )
