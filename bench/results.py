"""Writes what all benchmarks found: bench/results.md, the picture, and the table in docs/performance.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

from bench import bars
from bench.machine import machine
from bench.picture import picture

ROOT = Path(__file__).parents[1]
COMMAND = "python -m bench results"
PICTURE = Path("docs/images/engine.svg")
SUMMARY = Path("docs/performance.md")
PAGE = Path("bench/results.md")

_BLOCK = re.compile(r"(<!-- measured -->\n).*?(<!-- /measured -->)", re.DOTALL)


def report(results: Mapping[str, Any]) -> dict[str, Any]:
    """The results with the date and the machine on which they were taken."""
    return {"date": datetime.now(UTC).date().isoformat(), "machine": machine(), "results": dict(results)}


def page(taken: Mapping[str, Any], modules: Mapping[str, ModuleType]) -> str:
    """bench/results.md; `modules` show the result of each benchmark."""
    results = taken["results"]
    lines = [
        "# Measured",
        "",
        f"Written by `{COMMAND}` (`make bench`) on {taken['date']}; how each figure is taken and what it includes is in",
        "[docs/performance.md](../docs/performance.md). Figures in brackets are quartiles, or how many times as long as Greenrun.",
        "",
        *_machine(taken["machine"]),
        "",
        "## Bars",
        "",
        bars.table(results),
        "",
        f"Bars that are not measured here: {bars.NOT_HERE}.",
        "",
        "## Where somebody else is faster",
        "",
        "Plain asyncio always is: it does no more than the work itself.",
        "",
        *_bullets(bars.ahead(results)),
    ]
    for name, result in results.items():
        lines += ["", f"## {name}", "", *_about(modules[name]), "", modules[name].show(result)]
    return "\n".join(lines) + "\n"


def _about(module: ModuleType) -> list[str]:
    return [" ".join((module.__doc__ or "").split("\n\n")[0].split())]


def _machine(facts: Mapping[str, Any]) -> list[str]:
    libraries = ", ".join(f"{name} {version or 'not installed'}" for name, version in facts["libraries"].items())
    return [
        "| | |",
        "| --- | --- |",
        f"| processor | {facts['processor']}, {facts['cores']} cores |",
        f"| memory | {facts['memory_gb']} GB |",
        f"| system | {facts['system']}, load {facts['load']} when the measurements ended |",
        f"| Python | {facts['python']} |",
        f"| libraries | {libraries} |",
    ]


def _bullets(sentences: Any) -> list[str]:
    return [f"- {sentence[:1].upper()}{sentence[1:]}" for sentence in sentences] or ["Nobody else is, in any figure."]


def write(taken: Mapping[str, Any], modules: Mapping[str, ModuleType], root: Path = ROOT) -> list[Path]:
    """Write the page, the picture and the table; the files written."""
    results = taken["results"]
    written = {root / PAGE: page(taken, modules)}
    if "engine" in results:
        written[root / PICTURE] = picture(results["engine"])
    summary = root / SUMMARY
    if summary.is_file():
        block = f"Measured on {taken['date']}, {taken['machine']['processor']}, {taken['machine']['cores']} cores.\n\n"
        block += bars.table(results) + "\n"
        text = summary.read_text(encoding="utf-8")
        written[summary] = _BLOCK.sub(lambda found: f"{found[1]}{block}{found[2]}", text)
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(written)
