"""What the oracle says about one mutated app, and whether its fixes mend it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

from bench.faults.seed import RECORDING, SERVER, Bed, Fault, SeedApp
from bench.faults.stage import Stage, script_of
from greenrun.document.findings import Finding, Reason
from greenrun.oracle.check_report import CheckReport, check_report
from greenrun.oracle.checked import rechecker
from greenrun.oracle.fix import fix_all
from greenrun.oracle.report import Report
from greenrun.oracle.resolve import resolve
from greenrun.oracle.simulate import simulate


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one fault fared. `seen` are the codes that betray it, `stage` says whether check or simulate was red first,
    or that the closure tells.

    `fixable` faults were seen by check at their place; `fixed` ones are green again after all fixes, nothing lost.
    """

    kind: str
    app: str
    where: str
    caught: bool
    stage: str
    seen: tuple[str, ...]
    headline: str
    fixable: bool = False
    fixed: bool = False
    after_fixes: str = ""

    def to_json(self) -> dict[str, Any]:
        shown = {"kind": self.kind, "app": self.app, "where": self.where, "headline": self.headline}
        return {**shown, "seen": list(self.seen), "after_fixes": self.after_fixes}


class Bench:
    """Judges apps that are mutations of one green app; `app` is that app, with a recording if models answer in it.

    `proved` are the closures of apps that had a green run here.
    """

    def __init__(self, app: SeedApp) -> None:
        self.app = app
        self.proved: set[str] = set()
        self._stage = Stage(app.name)

    async def __aenter__(self) -> Bench:
        await self._stage.__aenter__()
        if self.app.world.script and RECORDING not in self.app.others:
            self.app = await self._stage.rehearsed(self.app)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stage.__aexit__(kind, error, trace)

    async def bed(self) -> Bed:
        """The green app, opened."""
        async with self._stage.put(self.app) as (loaded, host):
            resolved = await resolve(loaded.target, host)
        assert resolved.app is not None, self.app.name
        return Bed(self.app, resolved.app)

    async def simulate(self, app: SeedApp) -> Report:
        """The app's own script, played."""
        async with self._stage.put(app) as (loaded, host):
            report = await simulate(loaded.target, host, script_of(loaded))
        if report.verdict.ok and report.verdict.proof == "run" and report.closure is not None:
            self.proved.add(report.closure)
        return report

    async def is_proved(self, app: SeedApp) -> bool:
        """Whether a verdict that is kept for what was proved counts for this app."""
        async with self._stage.put(app) as (loaded, host):
            return (await resolve(loaded.target, host)).closure in self.proved

    async def fixed(self, app: SeedApp) -> SeedApp:
        """The app with every fix applied that holds."""
        async with self._stage.put(app) as (loaded, host):
            resolved = await resolve(loaded.target, host)
            recheck = rechecker(resolved, host.registry)
            result = fix_all(recheck.draft, recheck)
        graphs = {key: self._portable(result.graphs.get(key, graph)) for key, graph in app.graphs.items()}
        return replace(app, document=self._portable(result.document.stored), graphs=graphs)

    def _portable(self, stored: Any) -> Any:
        """JSON without the address that the server has just now."""
        text = json.dumps(stored)
        return json.loads(text.replace(self._stage.server, SERVER)) if self._stage.server in text else stored

    async def judge(self, fault: Fault) -> Outcome:
        """Check, then play the script if check did not see it, then try the fixes."""
        if not fault.signs:
            return await self._edited(fault)
        async with self._stage.put(fault.app) as (loaded, host):
            checked = None if fault.needs_runs else await check_report(loaded.target, host, fixes=False)
            outcome = _outcome(fault, "check", checked) if checked is not None else None
            if outcome is None or not outcome.caught:
                outcome = _outcome(fault, "simulate", await simulate(loaded.target, host, script_of(loaded)))
        static = [item for item in fault.seen_in(checked.findings) if _counts(item)] if checked is not None else []
        return await self._with_fixes(fault, outcome) if static else outcome

    async def _edited(self, fault: Fault) -> Outcome:
        caught = bool(self.proved) and not await self.is_proved(fault.app)
        headline = "The closure is another one" if caught else "A verdict from before the edit still counts"
        return Outcome(fault.kind, fault.app.name, fault.where, caught, "closure", (), headline)

    async def _with_fixes(self, fault: Fault, outcome: Outcome) -> Outcome:
        app = await self.fixed(fault.app)
        gone = lost(fault.app, app)
        if gone:
            return replace(outcome, fixable=True, after_fixes=f"lost {', '.join(gone)}")
        if app == fault.app:
            return replace(outcome, fixable=True, after_fixes="no fix")
        report = await self.simulate(replace(app, script=self.app.script))
        is_left = any(map(_counts, fault.seen_in(report.findings)))
        fixed = report.verdict.ok and not is_left
        return replace(outcome, fixable=True, fixed=fixed, after_fixes=report.verdict.headline)


def _counts(item: Finding | Reason) -> bool:
    return isinstance(item, Finding) and item.severity in ("error", "warning")


def _outcome(fault: Fault, stage: str, report: CheckReport | Report) -> Outcome:
    said: Sequence[Finding | Reason] = (*report.findings, *report.verdict.reasons)
    seen = tuple(dict.fromkeys(item.code for item in fault.seen_in(said)))
    caught = report.verdict.status != "green" and bool(seen)
    return Outcome(fault.kind, fault.app.name, fault.where, caught, stage, seen, report.verdict.headline)


def lost(before: SeedApp, after: SeedApp) -> list[str]:
    """Widgets and operations that are there no more; ids are counted, because a duplicate may be renamed."""
    fewer = max(0, len(_widgets(before)) - len(_widgets(after)))
    found = [f"{fewer} widgets"] if fewer else []
    missing = len(before.document.get("operations") or []) - len(after.document.get("operations") or [])
    gone = set(_widgets(before)) - set(_widgets(after))
    return [*found, *sorted(gone), *([f"{missing} operations"] if missing > 0 else [])]


def _widgets(app: SeedApp) -> list[str]:
    """The ids of everything that looks like a component, wherever it stands."""
    found: list[str] = []
    pending: list[Any] = [app.document.get("ui")]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            props = value.get("props")
            if isinstance(value.get("type"), str) and isinstance(props, dict) and isinstance(props.get("id"), str):
                found.append(props["id"])
            pending += value.values()
        elif isinstance(value, list):
            pending += value
    return found
