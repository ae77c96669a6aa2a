"""A worker's channel is within reach of the user's code: what it forges breaks its own run and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from greenrun.workflows.functions import FunctionHost, FunctionImportError

from .conftest import Call

FORGER = """
import json, os, stat

def _forge(event):
    for descriptor in range(3, 64):
        try:
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                body = event.encode()
                os.write(descriptor, len(body).to_bytes(4, "big") + body)
        except OSError:
            pass

def f(event: str) -> str:
    for number in range(9):
        _forge(json.dumps({**json.loads(event), "id": number}))
    return "forged"
"""


@pytest.fixture
def host(tmp_path: Path) -> FunctionHost:
    (tmp_path / "m.py").write_text(FORGER, encoding="utf-8")
    return FunctionHost(tmp_path, cache_dir=tmp_path / "cache")


@pytest.mark.parametrize(
    "event",
    [
        {"event": "progress", "fraction": "half", "text": "x"},
        {"event": "progress"},
        {"event": "chunk", "output": 3, "text": "x"},
        {"event": "value", "output": "result", "type": "any"},
        {"event": "log", "text": None},
        {"event": "done"},
        {"event": "done", "answer": []},
        {"event": "done", "answer": {"outputs": {"a": 1}, "types": {}}},
        {"event": "done", "answer": {"outputs": {"a": 1}, "types": {"a": 3}}},
    ],
)
async def test_a_forged_event_breaks_the_run_off(event: dict[str, Any], host: FunctionHost, call: Call):
    async with host:
        result, messages = await call("m:f", on=host, event=json.dumps(event))
        assert "the worker broke the protocol" in (result.error or "")
        assert [message["status"] for message in messages] == ["running", "failed"]


@pytest.mark.parametrize("event", [{"event": "dance"}, {"event": ["log"]}, {"none": 1}])
async def test_an_unknown_event_is_passed_over(event: dict[str, Any], host: FunctionHost, call: Call):
    async with host:
        assert (await call("m:f", on=host, event=json.dumps(event)))[0].outputs == {"result": ["forged"]}


@pytest.mark.parametrize("failure", [None, 3, {"message": ["x"], "kind": "raised"}, {"kind": "raised", "limit": "all"}])
async def test_a_forged_failure_fails_the_run(failure: Any, host: FunctionHost, call: Call):
    async with host:
        result, messages = await call("m:f", on=host, event=json.dumps({"event": "failed", "failure": failure}))
        assert result.error == "it failed without saying why"
        assert messages[-1]["status"] == "failed"


async def test_a_text_without_end_is_cut(host: FunctionHost, call: Call):
    failure = {"kind": "raised", "message": "x" * 100_000}
    async with host:
        result, _ = await call("m:f", on=host, event=json.dumps({"event": "failed", "failure": failure}))
        assert len(result.error or "") == 20_000


async def test_forged_ports_are_an_import_error(tmp_path: Path):
    forged = json.dumps({"event": "done", "id": 2, "answer": {"inputs": 3}})
    (tmp_path / "m.py").write_text(f"{FORGER}\ndef __getattr__(name):\n    _forge({forged!r})\n", encoding="utf-8")
    async with FunctionHost(tmp_path, cache_dir=tmp_path / "cache") as host:
        with pytest.raises(FunctionImportError, match="its account of the ports is damaged") as caught:
            await host.inspect("m:g")
    assert caught.value.kind == "exited"
