"""The verdict: findings and reasons in order, status, proof, headline (spec: harness 4)."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from greenrun.document.findings import Finding, Reason
from greenrun.oracle.evidence import Evidence
from greenrun.oracle.exercise import Exercise
from greenrun.oracle.judge_runs import (
    judge_direct_runs,
    judge_limits,
    judge_provider_calls,
    judge_reach,
    judge_requests,
    judge_runs,
    judge_steps,
)
from greenrun.oracle.judge_widgets import judge_nothing_ran, judge_resources, judge_shown
from greenrun.oracle.report import NotExercised, NotExercisedReason, Proof, Verdict

NOTHING_EXERCISED = Exercise((), ())

_IN_WORDS: Mapping[NotExercisedReason, str] = {
    "runs_off": "runs are off",
    "no_trigger": "no widget starts it",
    "not_in_script": "not in the script",
    "hidden": "hidden",
    "disabled": "disabled",
    "media_missing": "a file is missing",
    "resource_missing": "its resource is not seeded",
    "unavailable": "not available",
    "unknown": "could not be looked into",
    "direct": "started by a run step only",
    "cancelled": "cancelled",
    "not_settled": "did not finish",
    "not_allowed": "not allowed",
}


def judge(evidence: Evidence) -> list[Finding]:
    """Everything after the static rules, in the order of the verdict steps."""
    steps = (judge_reach, judge_steps, judge_runs, judge_limits, judge_requests, judge_resources, judge_shown)
    findings = [finding for step in steps for finding in step(evidence)]
    if not _explained(evidence):
        findings += judge_nothing_ran(evidence)
    return findings + judge_provider_calls(evidence) + judge_direct_runs(evidence)


def _explained(evidence: Evidence) -> bool:
    """A reason, or a default step that could not be taken, says already why nothing ran."""
    return evidence.is_blind or evidence.session.deadline_passed or bool(missed_default_steps(evidence))


def missed_default_steps(evidence: Evidence) -> list[NotExercised]:
    """Operations whose default step could not be taken, runs being on."""
    if not evidence.default_script or not evidence.session.runs_on:
        return []
    reasons = ("hidden", "disabled", "media_missing", "resource_missing")
    return [item for item in evidence.exercise.not_exercised if item.reason in reasons]


def default_step_reasons(missed: Sequence[NotExercised], operations: Container[str] = ()) -> list[Reason]:
    """GR907, one for each operation that the default script could not start. `operations` are the ids of all."""
    texts = {
        "hidden": "the widget that runs it is hidden",
        "disabled": "the widget that runs it is disabled",
        "media_missing": "a file that it needs is missing",
        "resource_missing": "the resource that it reads is not seeded",
    }
    return [
        Reason(
            "GR907",
            f'Operation "{item.operation}" could not be tried: {texts[item.reason]}. {_way_on(item, operations)}',
            item.operation,
            item.supply,
        )
        for item in missed
    ]


def _way_on(item: NotExercised, operations: Container[str]) -> str:
    """What to supply: a param, or an operation that has to run first."""
    if item.supply is None:
        return "Give a script that reaches it."
    if item.reason in ("hidden", "disabled") and item.supply in operations:
        return f'Give a script that runs the operation "{item.supply}" first.'
    return f'Supply "{item.supply}".'


def make_verdict(
    static: Sequence[Finding],
    later: Sequence[Finding],
    reasons: Sequence[Reason],
    *,
    exercise: Exercise = NOTHING_EXERCISED,
    run_count: int = 0,
    whole_app_checked: bool = True,
    missed: Sequence[NotExercised] = (),
) -> Verdict:
    """Status, proof and headline of findings and reasons. `missed` counts only where the verdict would be green."""
    issues = tuple(finding.message for finding in (*static, *later) if finding.severity == "error")
    all_reasons = tuple(reasons)
    if not issues:
        known = {*exercise.exercised, *(item.operation for item in exercise.not_exercised)}
        all_reasons += tuple(default_step_reasons(missed, known))
    proof: Proof = "run" if exercise.exercised else "static"
    if not whole_app_checked:
        proof = "none"
    status = "red" if issues else "check_failed" if all_reasons else "green"
    verdict = Verdict(
        status=status,
        proof=proof,
        headline="",
        issues=issues,
        warnings=tuple(finding.message for finding in later if finding.severity == "warning"),
        exercised=exercise.exercised,
        not_exercised=exercise.not_exercised,
        reasons=all_reasons,
    )
    return with_headline(verdict, run_count)


def with_headline(verdict: Verdict, run_count: int) -> Verdict:
    """The verdict with its one line in words."""
    return Verdict(
        verdict.status,
        verdict.proof,
        _headline(verdict, run_count),
        verdict.issues,
        verdict.warnings,
        verdict.exercised,
        verdict.not_exercised,
        verdict.reasons,
    )


def _headline(verdict: Verdict, run_count: int) -> str:
    if verdict.status == "red":
        more = len(verdict.issues) - 1
        return verdict.issues[0] + (f" (+{more} more)" if more else "")
    if verdict.status == "check_failed":
        return f"Not decided: {verdict.reasons[0].message}"
    left = ", ".join(f"{item.operation} ({_IN_WORDS[item.reason]})" for item in verdict.not_exercised)
    tail = f"; not exercised: {left}" if left else ""
    if verdict.proof == "run":
        runs = f"{run_count} run{'s' if run_count != 1 else ''}"
        return f"Green for {', '.join(verdict.exercised)} ({runs}){tail}"
    is_off = all(item.reason == "runs_off" for item in verdict.not_exercised)
    return f"Green by its wiring; nothing was run{'' if is_off else tail}"
