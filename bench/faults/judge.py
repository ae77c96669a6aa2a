"""What the oracle says about one mutated app, and whether its fixes mend it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from bench.faults.seed import RECORDING, SERVER, Bed, Fault, SeedApp, World
from bench.faults.server import Server
from greenrun.document.findings import Finding, Reason
from greenrun.oracle.check_report import CheckReport, check_report
from greenrun.oracle.checked import rechecker
from greenrun.oracle.fix import fix_all
from greenrun.oracle.options import SimulateOptions
from greenrun.oracle.report import Report
from greenrun.oracle.resolve import resolve
from greenrun.oracle.simulate import simulate
from greenrun.workflows.providers.configured import ConfiguredProviders
from greenrun.workflows.providers.interface import Providers
from greenrun.workflows.providers.recording import RecordedProviders, Recording
from greenrun.workflows.providers.scripted import ScriptedProviders
from greenrun.workspace.folder import LoadedApp, load_path
from greenrun.workspace.local import LocalHost


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one fault fared. `seen` are the codes that betray it, `stage` says whether check or simulate was red first.

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
    """Judges apps that are mutations of one green app; workers are shared as long as the code and the world stay the same.

    `proved` are the closures of apps that had a green run here.
    """

    def __init__(self, app: SeedApp) -> None:
        self.app = app
        self.proved: set[str] = set()
        self._scratch = tempfile.TemporaryDirectory(prefix="greenrun-faults-")
        self._count = 0
        self._server = Server()
        self._host: LocalHost | None = None
        self._to_close: list[ConfiguredProviders] = []

    async def __aenter__(self) -> Bench:
        await self._server.start()
        self._host = self._new_host(self.app, self._laid_out(self.app))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._host is not None
        await self._host.aclose()
        await self._server.aclose()
        self._scratch.cleanup()

    async def bed(self) -> Bed:
        """The green app, opened."""
        assert self._host is not None
        resolved = await resolve(self._laid_out(self.app).target, self._host)
        assert resolved.app is not None, self.app.name
        return Bed(self.app, resolved.app)

    def _laid_out(self, app: SeedApp) -> LoadedApp:
        """The app in a folder of its own, or in that of the host that it shares."""
        self._count += 0 if app.same_host(self.app) else 1
        place = "0" if app.same_host(self.app) else str(self._count)
        folder = Path(self._scratch.name) / place / app.name
        app.write(folder, self._server.url)
        return load_path(folder)

    async def simulate(self, app: SeedApp) -> Report:
        """The app's own script, played."""
        loaded = self._laid_out(app)
        host = self._host_for(app, loaded)
        try:
            report = await simulate(loaded.target, host, _script(loaded))
        finally:
            await self._leave(host)
        if report.verdict.ok and report.verdict.proof == "run" and report.closure is not None:
            self.proved.add(report.closure)
        return report

    async def closure(self, app: SeedApp) -> str | None:
        """What a verdict about the app counts for."""
        loaded = self._laid_out(app)
        host = self._host_for(app, loaded)
        try:
            return (await resolve(loaded.target, host)).closure
        finally:
            await self._leave(host)

    async def fixed(self, app: SeedApp) -> SeedApp:
        """The app with every fix applied that holds."""
        loaded = self._laid_out(app)
        host = self._host_for(app, loaded)
        try:
            resolved = await resolve(loaded.target, host)
            recheck = rechecker(resolved, host.registry)
            result = fix_all(recheck.draft, recheck)
        finally:
            await self._leave(host)
        graphs = {key: self._portable(result.graphs.get(key, graph)) for key, graph in app.graphs.items()}
        return replace(app, document=self._portable(result.document.stored), graphs=graphs)

    def _portable(self, stored: Any) -> Any:
        """JSON without the address that the server has just now."""
        text = json.dumps(stored)
        return json.loads(text.replace(self._server.url, SERVER)) if self._server.url in text else stored

    async def judge(self, fault: Fault) -> Outcome:
        """Check, then play the script if check did not see it, then try the fixes."""
        if not fault.signs:
            return await self._edited(fault)
        loaded = self._laid_out(fault.app)
        host = self._host_for(fault.app, loaded)
        try:
            checked = await check_report(loaded.target, host, fixes=False)
            outcome = _outcome(fault, "check", checked)
            if not outcome.caught:
                report = await simulate(loaded.target, host, _script(loaded))
                outcome = _outcome(fault, "simulate", report)
        finally:
            await self._leave(host)
        static = [item for item in fault.seen_in(checked.findings) if _counts(item)]
        return await self._with_fixes(fault, outcome) if static else outcome

    async def _edited(self, fault: Fault) -> Outcome:
        """Whether a verdict that is kept for what was proved no longer counts."""
        closure = await self.closure(fault.app)
        caught = bool(self.proved) and closure not in self.proved
        headline = "The closure is another one" if caught else "A verdict of before the edit still counts"
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

    def _host_for(self, app: SeedApp, loaded: LoadedApp) -> LocalHost:
        self._server.answers = app.world.answers
        if app.same_host(self.app):
            assert self._host is not None
            return self._host
        return self._new_host(app, loaded)

    def _new_host(self, app: SeedApp, loaded: LoadedApp) -> LocalHost:
        """A host in the world of the app. No model that costs anything is ever asked."""
        return LocalHost(
            loaded,
            providers=self._providers(app.world, loaded.path),
            allow=[self._server.address],
            cost_cap=app.world.cost_cap,
            allow_external=app.world.allow_external,
        )

    def _providers(self, world: World, folder: Path) -> Providers:
        if world.models == "recorded":
            return RecordedProviders(None, Recording.load(folder / RECORDING))
        if world.models == "scripted":
            return ScriptedProviders(world.script)
        served = {"OPENAI_BASE_URL": f"{self._server.url}/v1", "OPENAI_API_KEY": "none of anybody"}
        providers = ConfiguredProviders(served if world.models == "served" else {})
        self._to_close.append(providers)
        return providers

    async def _leave(self, host: LocalHost) -> None:
        if host is not self._host:
            await host.aclose()
            while self._to_close:
                await self._to_close.pop().aclose()


def _script(loaded: LoadedApp) -> SimulateOptions:
    return SimulateOptions(params=loaded.params, interact=loaded.interact)


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
