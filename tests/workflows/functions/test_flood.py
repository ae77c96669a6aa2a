"""Functions that never stop talking do not keep the server from listening to anything else."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from greenrun.workflows.functions import FunctionHost, Limits

SOURCE = """
from greenrun.sdk import Chunk, Progress

def chunks():
    while True:
        yield Chunk("abc")

def progress():
    while True:
        yield Progress(0.5, "still here")

def _forge(event):
    import os, stat
    frame = len(event).to_bytes(4, "big") + event
    for descriptor in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                while True:
                    os.write(descriptor, frame * 1000)
        except OSError:
            pass

def forges() -> str:
    _forge(b"{}")

def misleads() -> str:
    import os, time
    while True:
        os.write(2, b'  File "a", line ' + b"9" * 5000 + b" in f\\n")
        time.sleep(0.005)

def prints() -> str:
    while True:
        print("x" * 1000)
"""


@pytest.mark.parametrize("name", ["chunks", "progress", "prints", "forges", "misleads"])
async def test_a_flood_is_stopped_at_its_limit(name: str, tmp_path: Path) -> None:
    (tmp_path / "flood.py").write_text(SOURCE, encoding="utf-8")
    host = FunctionHost(tmp_path, cache_dir=tmp_path / "cache")
    try:
        async with asyncio.timeout(10):
            result = await host.run(f"flood:{name}", {}, job_id="1", emit=lambda message: None, timeout_ms=200)
    finally:
        await host.aclose()
    assert (result.status, result.timed_out_ms) == ("failed", 200)


async def test_frames_of_no_request_count_as_output(tmp_path: Path) -> None:
    (tmp_path / "flood.py").write_text(SOURCE, encoding="utf-8")
    async with FunctionHost(tmp_path, cache_dir=tmp_path / "cache", limits=Limits(output_mb=1)) as host:
        async with asyncio.timeout(10):
            result = await host.run("flood:forges", {}, job_id="1", emit=lambda message: None)
    assert "returned more than 1 MB" in (result.error or "")
