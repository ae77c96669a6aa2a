"""Functions that never stop talking do not keep the server from listening to anything else."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from greenrun.workflows.functions import FunctionHost

SOURCE = """
from greenrun.sdk import Chunk, Progress

def chunks():
    while True:
        yield Chunk("abc")

def progress():
    while True:
        yield Progress(0.5, "still here")

def prints() -> str:
    while True:
        print("x" * 1000)
"""


@pytest.mark.parametrize("name", ["chunks", "progress", "prints"])
async def test_a_flood_is_stopped_at_its_limit(name: str, tmp_path: Path) -> None:
    (tmp_path / "flood.py").write_text(SOURCE, encoding="utf-8")
    host = FunctionHost(tmp_path, cache_dir=tmp_path / "cache")
    try:
        async with asyncio.timeout(10):
            result = await host.run(f"flood:{name}", {}, job_id="1", emit=lambda message: None, timeout_ms=200)
    finally:
        await host.aclose()
    assert (result.status, result.timed_out_ms) == ("failed", 200)
