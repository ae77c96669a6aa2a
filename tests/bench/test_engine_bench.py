"""The engines do the same work, and the benchmark says what it found."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bench import sides
from bench.engine import graphs
from bench.engine.run import ANEW, ENGINES, FLOOR, OURS, PEERS, Engine, measure, show
from bench.engine.works import BY_NAME, WORKS, Work, same
from bench.sides import Side
from greenrun.workflows.graph import load_graph
from greenrun.workflows.validation import run_issues

SIZES = (2, 5)
SMALL = tuple(replace(work, sizes=SIZES) for work in WORKS)
ALWAYS = {OURS, ANEW, FLOOR}


async def once(engine: Engine, work: Work, size: int) -> object:
    return await engine.build(work)(size)()


@pytest.mark.parametrize("work", SMALL, ids=lambda work: work.name)
@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
async def test_an_engine_does_the_work(engine: Engine, work: Work) -> None:
    if not engine.side.installed:
        pytest.skip(f"{engine.name} is not installed")
    for size in (1, 7, 70):
        async with asyncio.timeout(30):
            assert same(await once(engine, work, size), work.expected(size))


async def test_a_graph_that_is_used_again_gives_the_same_result() -> None:
    run = graphs.BUILDS["correlation"](5)
    assert await run() == await run() == BY_NAME["correlation"].expected(5)


@pytest.mark.parametrize("name", graphs.STORED)
def test_measured_graphs_are_sound(name: str) -> None:
    assert run_issues(load_graph(graphs.STORED[name](5)), graphs.registry()) == []


async def test_a_run_that_fails_gives_no_figure() -> None:
    stored = graphs.STORED["chain"](1)
    stored["nodes"][0]["data"]["value"] = "no number"
    with pytest.raises(RuntimeError, match="the run failed"):
        await graphs.run_once(load_graph(stored), graphs.registry())


@pytest.fixture(scope="module")
def result() -> dict[str, object]:
    ours = [engine for engine in ENGINES if engine.name in ALWAYS]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bench.engine.run.ENGINES", (*ours, absent_engine("LangGraph")))
        return measure(SMALL, rounds=3, seconds=1)


def absent_engine(name: str) -> Engine:
    return Engine(Side(name, "no-such-package", "no_such_package"), "bench.engine.no_such_graphs")


def test_the_result_has_a_row_for_each_work_size_and_side(result: dict[str, list[dict[str, object]]]) -> None:
    rows = result["rows"]
    assert {(row["work"], row["size"], row["side"]) for row in rows} == {
        (work.name, size, side) for work in WORKS for size in SIZES for side in ALWAYS
    }
    names = {"work", "size", "steps", "side", "p50_ms", "p25_ms", "p75_ms", "best_ms", "rounds", "step_us", "ratio"}
    assert all(row.keys() == names | {"build_ms"} for row in rows)
    assert {row["ratio"] for row in rows if row["side"] == OURS} == {1.0}


def test_growth_is_told_for_the_works_that_are_compared(result: dict[str, list[dict[str, object]]]) -> None:
    works = {item["work"] for item in result["growth"]}
    assert works == {work.name for work in WORKS if work.compared}


def test_a_peer_that_is_not_installed_is_named_with_the_command(result: dict[str, list[dict[str, object]]]) -> None:
    missing = {side["side"]: side["missing"] for side in result["sides"] if "missing" in side}
    assert missing == {"LangGraph": f"not installed; {sides.INSTALL}"}
    assert show(result).startswith("LangGraph: not installed; uv pip install --group bench")


def test_the_table_has_a_line_a_side(result: dict[str, list[dict[str, object]]]) -> None:
    text = show(result)
    assert text.count(f"| {OURS} |") == len(WORKS)
    assert "chain: n steps in a row" in text


def test_a_side_with_another_result_ends_the_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.engine.run.ENGINES", tuple(item for item in ENGINES if item.name in ALWAYS))
    wrong = replace(BY_NAME["chain"], sizes=(2,), expected=lambda size: -1)
    with pytest.raises(AssertionError, match="chain of 2 wrongly"):
        measure((wrong,), rounds=1)


def test_lists_are_compared_without_order() -> None:
    assert same([3, 1, 2], [1, 2, 3])
    assert not same([1, 2], [1, 2, 3])
    assert not same([1, 1, 2], [1, 2, 2])


def test_all_four_systems_are_compared() -> None:
    assert {engine.name for engine in ENGINES} == {*ALWAYS, *PEERS}
