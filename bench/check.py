"""How long a check takes, by the size of the app. Parsing, resolving and all rules count; fixes are left out."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from bench.apps import bundle
from bench.timing import milliseconds, p50, p95
from greenrun.oracle.checked import check_target
from greenrun.oracle.resolve import resolve
from greenrun.oracle.target import target_from_document
from greenrun.workspace.folder import LoadedApp
from greenrun.workspace.local import LocalHost
from greenrun.workspace.settings import WorkspaceSettings

SIZES = (15, 100, 400, 1600)
REPEATS = {15: 200, 100: 60, 400: 30, 1600: 10}


def measure() -> dict[str, Any]:
    """`rows` of ``{components, p50_ms, p95_ms}``."""
    return {"rows": [_row(size) for size in SIZES]}


def _row(size: int) -> dict[str, Any]:
    value = bundle(size)
    loop = asyncio.new_event_loop()
    host = local_host(value)

    def once() -> None:
        resolved = loop.run_until_complete(resolve(target_from_document(value), host))
        findings = check_target(resolved, host.registry, fixes=False)
        assert not [finding for finding in findings if finding.severity == "error"], findings

    try:
        times = milliseconds(once, REPEATS[size])
    finally:
        loop.run_until_complete(host.aclose())
        loop.close()
    return {"components": size, "p50_ms": p50(times), "p95_ms": p95(times)}


def local_host(value: dict[str, Any]) -> LocalHost:
    """A host for an app that is only in memory."""
    return LocalHost(LoadedApp(Path("measured.json"), target_from_document(value), None, WorkspaceSettings()))


def show(result: dict[str, Any]) -> str:
    """A Markdown table."""
    lines = ["| components | p50 ms | p95 ms |", "| ---: | ---: | ---: |"]
    lines += [f"| {row['components']} | {row['p50_ms']} | {row['p95_ms']} |" for row in result["rows"]]
    return "\n".join(lines)
