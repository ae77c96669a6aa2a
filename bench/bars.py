"""What the project wants of itself, beside what was measured, and where somebody else is faster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from bench.engine import run as engine
from bench.engine.works import WORKS
from bench.peers import run as peers
from bench.timing import growth

Results: TypeAlias = Mapping[str, Any]
"""The results of the benchmarks by their names."""

NOTHING: Mapping[str, Any] = {"rows": ()}

LINEAR = 1.15
"""The largest exponent between two sizes that counts as linear growth."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What was measured, in words, and whether it is within the bar; None when it could not be measured."""

    measured: str
    met: bool | None


@dataclass(frozen=True, slots=True)
class Bar:
    """One limit. `read` takes the results of the benchmark that it is judged by."""

    name: str
    limit: str
    benchmark: str
    read: Callable[[Any], Reading]


def _row(result: Any, **wanted: Any) -> dict[str, Any] | None:
    return next((row for row in result["rows"] if all(row.get(key) == value for key, value in wanted.items())), None)


def _at_most(limit: float, column: str, **wanted: Any) -> Callable[[Any], Reading]:
    def read(result: Any) -> Reading:
        row = _row(result, **wanted)
        if row is None:
            return Reading("this size was not measured", None)
        return Reading(f"{row[column]} ms", row[column] <= limit)

    return read


def _linear_check(result: Any) -> Reading:
    rows = result["rows"]
    if len(rows) < 2:
        return Reading("one size was measured", None)
    exponent = growth([row["components"] for row in rows], [row["p50_ms"] for row in rows])
    return Reading(f"n^{exponent}", exponent <= LINEAR)


def _linear_engine(result: Any) -> Reading:
    own = [item for item in result["growth"] if item["side"] == engine.OURS]
    if not own:
        return Reading("one size was measured", None)
    worst = max(own, key=lambda item: item["exponent"])
    return Reading(f"n^{worst['exponent']} at most ({worst['work']})", worst["exponent"] <= LINEAR)


def _below(peer: str) -> Callable[[Any], Reading]:
    """Greenrun is faster than a peer for every work and size that is compared, with its graph planned before."""
    compared = {work.name for work in WORKS if work.compared}

    def read(result: Any) -> Reading:
        rows = [row for row in result["rows"] if row["side"] == peer and row["work"] in compared]
        if not rows:
            return Reading(f"{peer} was not measured", None)
        least, most = min(rows, key=_ratio), max(rows, key=_ratio)
        told = f"{peer} takes {least['ratio']} times as long ({_what(least)}) to {most['ratio']} times ({_what(most)})"
        return Reading(told, least["ratio"] > 1)

    return read


def _ratio(row: Mapping[str, Any]) -> float:
    return row["ratio"]


def _what(row: Mapping[str, Any]) -> str:
    return f"{row['work']}, n = {row['size']}"


def _patch(result: Any) -> Reading:
    row = _row(result, components=400)
    if row is None:
        return Reading("this size was not measured", None)
    slowest = max(row["change_p95_ms"], row["click_ms"])
    told = f"change {row['change_ms']} ms (p95 {row['change_p95_ms']} ms), click {row['click_ms']} ms"
    return Reading(told, slowest <= 10)


def _click_and_run(measure: str) -> Callable[[Any], Reading]:
    """Greenrun's slower way, graph or function, against Streamlit's, on each form."""

    def read(result: Any) -> Reading:
        told: list[str] = []
        met = True
        for form in dict.fromkeys(row["form"] for row in result["rows"]):
            theirs = _row(result, form=form, measure=measure, side=peers.STREAMLIT)
            if theirs is None:
                return Reading("Streamlit was not measured", None)
            for side in (peers.OURS, peers.FUNCTION):
                ours = _row(result, form=form, measure=measure, side=side)
                if ours is not None:
                    told.append(f"{form}, {side.partition(', ')[2]}: {ours['p50_ms']} to {theirs['p50_ms']} ms")
                    met = met and ours["p50_ms"] <= theirs["p50_ms"]
        return Reading("; ".join(told), met)

    return read


def _no_misses(result: Any) -> Reading:
    detectable = result["caught"] + len(result["missed"])
    return Reading(f"{len(result['missed'])} of {detectable} seeded faults", not result["missed"])


def _no_false_reds(result: Any) -> Reading:
    return Reading(f"{len(result['false_reds'])} of {result['sound']} sound apps", not result["false_reds"])


BARS: tuple[Bar, ...] = (
    Bar("Check of 15 components, p95", "5 ms", "check", _at_most(5, "p95_ms", components=15)),
    Bar("Check of 400 components", "60 ms", "check", _at_most(60, "p50_ms", components=400)),
    Bar("Growth of check", f"linear, n^{LINEAR} at most", "check", _linear_check),
    Bar("Simulate, beside its nodes", "15 ms", "simulate", _at_most(15, "overhead_ms", components=15)),
    Bar("Engine, a step", "below LangGraph", "engine", _below(engine.PEERS[0])),
    Bar("Engine, a step", "below pydantic-graph", "engine", _below(engine.PEERS[1])),
    Bar("Growth of the engine", f"linear, n^{LINEAR} at most", "engine", _linear_engine),
    Bar("An event to its patch, 400 components", "10 ms", "open_app", _patch),
    Bar("Click and run in an open app", "Streamlit's AppTest", "peers", _click_and_run("click")),
    Bar("Open, click and run", "Streamlit's AppTest", "peers", _click_and_run("test")),
    Bar("Missed faults", "0", "faults", _no_misses),
    Bar("Sound apps judged red", "0", "faults", _no_false_reds),
)

NOT_HERE = (
    "paint after a click (needs a browser), the harness around a model's calls, the size of summaries, and the duration of the "
    "test suite"
)
"""What the project has a bar for and these benchmarks do not measure."""

UNKNOWN = "not known yet"

WHY: Mapping[str, str] = {
    "chain": UNKNOWN,
    "fan-out": "a join waits for each of its edges by itself, and n edges are as many streams to keep in order",
    "streaming": UNKNOWN,
    "correlation": UNKNOWN,
    "waiting": "a node takes the items of a stream one after another, so that results, messages and costs come in the same "
    "order each time; the others start all items at once. Branches of a graph do wait side by side",
    "click": "the simulation calls the page's handler directly, in the same process: there is no run with limits, messages and "
    "a record, and nothing is folded or sent before the figure is taken",
    "open": "a page function is called, no document is read from files and resolved",
    "test": "as for a click; with a function, the start of its worker process counts as well",
    "cold": "most of this is the import of modules, and fewer are imported",
}
"""Why somebody may be faster, by work or measure."""


def judged(results: Results) -> Iterator[tuple[Bar, Reading]]:
    """Every bar with what was measured."""
    for bar in BARS:
        result = results.get(bar.benchmark)
        yield bar, bar.read(result) if result is not None else Reading("not measured", None)


def ahead(results: Results) -> Iterator[str]:
    """A sentence for each work and measure in which a peer is faster than Greenrun's own way, and why that is so."""
    for work, told in _grouped(_faster_engines(results)).items():
        yield f"{work}: {'; '.join(told)}. Why: {WHY[work]}."
    for measure, told in _grouped(_faster_forms(results)).items():
        yield f"{measure}: {'; '.join(told)}. Why: {WHY[measure]}."


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name, told in pairs:
        groups.setdefault(name, []).append(told)
    return groups


def _faster_engines(results: Results) -> Iterator[tuple[str, str]]:
    for row in results.get("engine", NOTHING)["rows"]:
        if row["ratio"] < 1 and row["side"] in engine.PEERS:
            yield row["work"], f"{row['side']} takes {row['ratio']} of Greenrun's time at n = {row['size']}"


def _faster_forms(results: Results) -> Iterator[tuple[str, str]]:
    found = results.get("peers", NOTHING)
    for row in found["rows"]:
        if row["side"] not in (peers.STREAMLIT, peers.NICEGUI):
            continue
        slower: list[str] = []
        for side in (peers.OURS, peers.FUNCTION):
            ours = _row(found, form=row["form"], measure=row["measure"], side=side)
            if ours is not None and row["p50_ms"] < ours["p50_ms"]:
                slower.append(f"{ours['p50_ms']} ({side.partition(', ')[2]})")
        if slower:
            told = f"{row['side']} takes {row['p50_ms']} ms and Greenrun {' and '.join(slower)}"
            yield row["measure"], f"{told} with the {row['form']} form"


def table(results: Results) -> str:
    """The bars as a Markdown table."""
    words = {True: "met", False: "**not met**", None: "not measured"}
    lines = ["| bar | limit | measured | |", "| --- | --- | --- | --- |"]
    lines += [f"| {bar.name} | {bar.limit} | {found.measured} | {words[found.met]} |" for bar, found in judged(results)]
    return "\n".join(lines)
