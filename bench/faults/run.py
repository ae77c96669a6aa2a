"""How many seeded faults the oracle sees, how many its fixes mend, and whether it is ever wrong about a sound app."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from bench.faults import apps
from bench.faults.benign import SAME, variants
from bench.faults.judge import Bench, Outcome, lost
from bench.faults.kinds import COSTLY, FUNCTIONS, KINDS, RUN_TIME, UNDETECTABLE, WRITTEN
from bench.faults.seed import RECORDING, SeedApp, sampled

PER_KIND = 2
"""Faults of each kind in each app, at most."""
WORKERS = 2
LEAST_FIX_RATE = 0.6


@dataclass(frozen=True, slots=True)
class AppResult:
    """What was found with one app. `wrong` are sound apps that were judged red, before or after all fixes."""

    outcomes: tuple[Outcome, ...]
    sound: int
    wrong: tuple[dict[str, str], ...] = field(default=())


def most(app: SeedApp, kind: str) -> int:
    """How many faults of a kind are tried in an app: fewer where each takes long, or where our own apps have it too."""
    is_ours = app.name in apps.OURS
    if kind in COSTLY and not is_ours:
        return 0
    asks_models = bool(app.world.script) or RECORDING in app.others
    if (kind in WRITTEN and asks_models) or (kind in RUN_TIME | FUNCTIONS and not is_ours):
        return 1
    return PER_KIND


async def judge_app(app: SeedApp, per_kind: int | None = None, kinds: Iterable[str] = tuple(KINDS)) -> AppResult:
    """Every kind of fault in one app, and every benign change. `per_kind` None: as many of each as `most` says."""
    async with Bench(app) as bench:
        bed = await bench.bed()
        sound = [("as it is", bench.app), *variants(bed)]
        wrong = [fault for name, variant in sound for fault in await _false_reds(bench, name, variant)]
        if any(item["variant"] == "as it is" for item in wrong):
            return AppResult((), len(sound), tuple(wrong))
        counts = {kind: per_kind if per_kind is not None else most(app, kind) for kind in kinds}
        faults = [fault for kind, count in counts.items() for fault in sampled(bed, kind, KINDS[kind], count)]
        outcomes = [await bench.judge(fault) for fault in faults]
        return AppResult(tuple(outcomes), len(sound), tuple(wrong))


async def _false_reds(bench: Bench, variant: str, app: SeedApp) -> list[dict[str, str]]:
    """What is said against a sound app, as it is and after every fix that the oracle offers for it."""
    found: list[dict[str, str]] = []
    if variant in SAME and not await bench.is_proved(app):
        headline = "a verdict does not count for it any more, although it says the same"
        found.append({"app": app.name, "variant": variant, "headline": headline})
    report = await bench.simulate(app)
    if not report.verdict.ok:
        found.append({"app": app.name, "variant": variant, "headline": report.verdict.headline})
    fixed = await bench.fixed(app)
    if fixed != app:
        report = await bench.simulate(fixed)
        gone = lost(app, fixed)
        if not report.verdict.ok or gone:
            headline = f"lost {', '.join(gone)}" if gone else report.verdict.headline
            found.append({"app": app.name, "variant": f"{variant}, fixed", "headline": headline})
    return found


def judge_named(name: str) -> AppResult:
    """`judge_app` in a process of its own."""
    return asyncio.run(judge_app(apps.load(name)))


def measure() -> dict[str, Any]:
    """See `summarised`; `failed` when something was missed, a sound app was red, or too few faults could be mended."""
    started = time.perf_counter()
    names = apps.names()
    with ProcessPoolExecutor(WORKERS, mp_context=multiprocessing.get_context("spawn")) as pool:
        results = list(pool.map(judge_named, names))
    return {**summarised(results), "apps": names, "seconds": round(time.perf_counter() - started, 1)}


def summarised(results: Sequence[AppResult]) -> dict[str, Any]:
    """Counts over all apps, and one row for each kind."""
    by_kind: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in (outcome for result in results for outcome in result.outcomes):
        by_kind[outcome.kind].append(outcome)
    outcomes = [item for found in by_kind.values() for item in found]
    detectable = [item for item in outcomes if item.kind not in UNDETECTABLE]
    missed = [item for item in detectable if not item.caught]
    wrong = [item for result in results for item in result.wrong]
    fixable = [item for item in outcomes if item.fixable]
    fixed = sum(item.fixed for item in fixable)
    rate = round(fixed / len(fixable), 3) if fixable else 0.0
    return {
        "faults": len(outcomes),
        "kinds": len(by_kind),
        "caught": len(detectable) - len(missed),
        "missed": [item.to_json() for item in missed],
        "sound": sum(result.sound for result in results),
        "false_reds": wrong,
        "fixed": fixed,
        "fixable": len(fixable),
        "fix_rate": rate,
        "undetectable": [
            {"kind": kind, "reason": reason, "faults": len(found), "caught": _caught(found)}
            for kind, reason in UNDETECTABLE.items()
            if (found := by_kind.get(kind))
        ],
        "failed": bool(missed or wrong or rate < LEAST_FIX_RATE),
        "rows": [_row(kind, by_kind[kind]) for kind in KINDS if kind in by_kind],
    }


def _caught(outcomes: Iterable[Outcome]) -> int:
    return sum(item.caught for item in outcomes)


def _row(kind: str, outcomes: list[Outcome]) -> dict[str, Any]:
    fixable = [item for item in outcomes if item.fixable]
    return {
        "kind": kind,
        "apps": len({item.app for item in outcomes}),
        "faults": len(outcomes),
        "caught": _caught(outcomes),
        "by_check": sum(item.caught and item.stage == "check" for item in outcomes),
        "fixable": len(fixable),
        "fixed": sum(item.fixed for item in fixable),
        "codes": sorted({code for item in outcomes for code in item.seen}),
    }


def show(result: dict[str, Any]) -> str:
    """Two sentences and a Markdown table."""
    lines = [
        f"{result['faults']} faults of {result['kinds']} kinds in {len(result['apps'])} apps, {result['seconds']} s: "
        f"{result['caught']} seen, {len(result['missed'])} missed; {result['fixed']} of {result['fixable']} that check "
        f"sees are mended by fixes ({result['fix_rate']:.0%}).",
        f"{result['sound']} sound apps: {len(result['false_reds'])} judged red.",
        *(f"Not to be seen: {item['kind']} ({item['faults']}): {item['reason']}" for item in result["undetectable"]),
        *(f"MISSED {item['app']}: {item['kind']}, {item['where']}: {item['headline']}" for item in result["missed"]),
        *(f"FALSE RED {item['app']}, {item['variant']}: {item['headline']}" for item in result["false_reds"]),
        "",
        "| kind | apps | faults | seen | by check | fixable | fixed | codes |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    lines += [
        f"| {row['kind']} | {row['apps']} | {row['faults']} | {row['caught']} | {row['by_check']} | {row['fixable']} "
        f"| {row['fixed']} | {' '.join(row['codes'])} |"
        for row in result["rows"]
    ]
    return "\n".join(lines)
