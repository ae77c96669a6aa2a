"""The form does the same on every side, and each side is a process that answers."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from bench.peers import quotes
from bench.peers.greenrun_forms import FunctionForm, GraphForm, GreenrunForm
from bench.peers.process import SideFailed, SideProcess
from bench.peers.run import MEASURES, OURS, PEERS, Peer, measure, show
from bench.peers.worker import Worker
from bench.sides import Side
from greenrun.workspace.project import load

ROUNDS = {"click": 2, "open": 1, "test": 1, "cold": 1}


@pytest.mark.parametrize("with_table", [False, True], ids=["text", "table"])
@pytest.mark.parametrize("form", [GraphForm, FunctionForm])
async def test_our_form_shows_what_the_function_gives(form: type[GreenrunForm], with_table: bool) -> None:
    app = form(with_table)
    await app.start()
    try:
        await app.open()
        assert await app.click("pear", 3) == quotes.quote("pear", 3)
        if with_table:
            assert app.client.widget("rows").value == quotes.table("pear", 3)["rows"]
        await app.close()
    finally:
        await app.stop()


@pytest.mark.parametrize("with_table", [False, True], ids=["text", "table"])
@pytest.mark.parametrize("form", [GraphForm, FunctionForm])
async def test_our_form_is_sound(form: type[GreenrunForm], with_table: bool, tmp_path: Path) -> None:
    (tmp_path / "workflows").mkdir()
    app = form(with_table)
    try:
        await app.start()
        report = await load(app.folder).acheck()
        assert report.verdict.status == "green", report.verdict.headline
    finally:
        await app.stop()


@pytest.mark.parametrize("with_table", [False, True], ids=["text", "table"])
@pytest.mark.parametrize("peer", PEERS[2:], ids=lambda peer: peer.name)
async def test_a_peer_shows_the_same(peer: Peer, with_table: bool) -> None:
    if not peer.side.installed:
        pytest.skip(f"{peer.name} is not installed")
    async with asyncio.timeout(60), peer.process(with_table=with_table) as side:
        for command in ("start", "open", "click", "click", "close", "test"):
            assert (await side.ask(command))["ms"] >= 0
        assert (await side.ask("memory"))["megabytes"] > 0


def test_the_result_has_a_row_for_each_measure_and_side() -> None:
    absent = Peer(Side("NiceGUI user simulation", "no-such-package", "no_such_package"), "none", "none", "nothing")
    result = measure(("text",), rounds=ROUNDS, seconds=5, peers=(PEERS[0], absent))
    assert {(row["form"], row["measure"], row["side"]) for row in result["rows"]} == {
        ("text", name, OURS) for name in MEASURES
    }
    assert all(row["p50_ms"] > 0 and row["ratio"] == 1.0 for row in result["rows"])
    assert [item["side"] for item in result["memory"]] == [OURS]
    assert "missing" in result["sides"][1]
    text = show(result)
    assert "NiceGUI user simulation: not installed; uv pip install --group bench" in text
    assert f"| {OURS} |" in text


async def test_a_side_that_fails_is_told_with_what_it_printed() -> None:
    with pytest.raises(SideFailed, match="no_such_module"):
        async with asyncio.timeout(30), SideProcess("no_such_module", "Form", with_table=False) as side:
            await side.ask("start")


class WrongForm:
    """A form that shows something else."""

    async def start(self) -> None: ...

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def stop(self) -> None: ...

    async def click(self, item: str, count: int) -> str:
        return "nothing"

    def rows(self) -> int:
        return 0


async def test_a_form_that_shows_something_else_gives_no_figure() -> None:
    with pytest.raises(AssertionError, match="nothing"):
        await Worker(WrongForm(), with_table=False).click()


def test_the_measured_function_needs_nothing_of_the_host() -> None:
    source = Path(str(sys.modules[quotes.__name__].__file__)).read_text(encoding="utf-8")
    assert "bench" not in source
    assert "greenrun" not in source
