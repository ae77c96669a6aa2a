"""The static check of a whole target: what the rules need, taken from the target and its host."""

from __future__ import annotations

from greenrun.document.findings import Finding
from greenrun.oracle.check import CheckOptions, check
from greenrun.oracle.fix import Checked, Rechecker, verify_fixes
from greenrun.oracle.resolve import ResolvedTarget
from greenrun.oracle.rules.graph_rules import findings_of
from greenrun.workflows.registry import Registry


def check_target(resolved: ResolvedTarget, registry: Registry, *, fixes: bool = True) -> list[Finding]:
    """All static findings of a resolved target, in order; fixes are candidates that were not tried yet."""
    target = resolved.target
    return check(
        resolved.app,
        issue=target.issue,
        diagnostics=target.diagnostics,
        options=check_options(resolved, registry, fixes),
    )


def check_options(resolved: ResolvedTarget, registry: Registry, fixes: bool = True) -> CheckOptions:
    """What the rules know beside the app."""
    return CheckOptions(graph_findings=findings_of(registry), workflow_keys=tuple(resolved.target.graphs), fixes=fixes)


def rechecker(resolved: ResolvedTarget, registry: Registry) -> Rechecker:
    """Checks changed drafts of the target without loading anything again.

    Raises:
        ValueError: The target has no document.
    """
    if resolved.app is None:
        raise ValueError("a target without a document cannot be checked again")
    target = resolved.target
    options = check_options(resolved, registry)
    return Rechecker(resolved.app, registry, graphs=target.graphs, diagnostics=target.diagnostics, options=options)


def verified(resolved: ResolvedTarget, findings: list[Finding], registry: Registry) -> list[Finding]:
    """The findings with only those fixes that hold when they are tried."""
    if resolved.app is None or not any(finding.fixes for finding in findings):
        return findings
    recheck = rechecker(resolved, registry)
    return verify_fixes(Checked(recheck.draft, resolved.app, tuple(findings)), recheck)
