"""Seeded faults: the oracle sees every kind where it was put, and says nothing against sound apps."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from bench.faults import apps, order_desk
from bench.faults.judge import Bench, lost
from bench.faults.kinds import COSTLY, KINDS, UNDETECTABLE
from bench.faults.run import AppResult, judge_app, show, summarised
from bench.faults.seed import Draft, Fault, SeedApp, sign, typo
from greenrun.document.findings import Finding, Place, Reason
from greenrun.oracle.report import NOT_SIMULATED

SHARED = ("swapped binding", "wrong operation of a binding", "dropped mapping", "swapped outputs", "misspelt binding")
"""Kinds that depend most on how an app is wired; they are tried in an example too."""


@pytest.fixture(scope="module")
def desk() -> SeedApp:
    return order_desk.app()


@pytest.fixture(scope="module")
def judged(desk: SeedApp) -> AppResult:
    return asyncio.run(judge_app(desk, per_kind=1, kinds=[kind for kind in KINDS if kind not in COSTLY]))


def test_every_kind_is_seen_in_the_order_desk(judged: AppResult) -> None:
    summary = summarised([judged])
    assert summary["missed"] == []
    assert summary["false_reds"] == []
    assert summary["kinds"] >= 70
    assert summary["sound"] >= 15
    assert summary["fix_rate"] >= 0.5


async def test_kinds_of_wiring_are_seen_in_an_example() -> None:
    result = await judge_app(apps.load("expense-splitter"), per_kind=2, kinds=SHARED)
    assert [item.to_json() for item in result.outcomes if not item.caught] == []
    assert len(result.outcomes) >= 8


def test_the_full_run_covers_the_examples() -> None:
    assert len(apps.names()) >= 10


def test_at_most_three_kinds_cannot_be_seen_and_every_report_says_so() -> None:
    assert UNDETECTABLE.keys() <= KINDS.keys()
    assert len(UNDETECTABLE) <= 3
    told = " ".join(NOT_SIMULATED)
    assert "policy" in told
    assert "state that a run never reaches" in told


async def test_a_fault_outside_what_the_script_looks_at_counts_as_missed(desk: SeedApp) -> None:
    draft = Draft(desk)
    draft.props("subject")["binding"] = "op:letter/out:text"
    blind = replace(draft.done(), script={"params": {}, "interact": [{"change": "count", "value": 2}]})
    fault = Fault("swapped binding", blind, "subject", (sign("GR718", widget="subject"),))
    async with Bench(desk) as bench:
        outcome = await bench.judge(fault)
    assert (outcome.caught, outcome.stage, outcome.seen) == (False, "simulate", ())
    assert summarised([AppResult((outcome,), 0)])["failed"] is True


async def test_an_app_that_is_red_before_any_fault_is_a_false_red(desk: SeedApp) -> None:
    script = {"params": {}, "interact": [{"expect": {"widget": "total", "check": "equals", "value": "1"}}]}
    result = await judge_app(replace(desk, script=script), kinds=())
    assert result.outcomes == ()
    assert {item["variant"] for item in result.wrong} >= {"as it is", "reordered keys"}
    assert summarised([result])["failed"] is True


def test_a_sign_needs_its_code_and_every_member_of_its_place() -> None:
    wanted = sign("GR215 GR216", widget="a", node="n")
    assert wanted.fits(Finding("GR215", "error", "", Place(widget="a", node="n", prop="binding")))
    assert not wanted.fits(Finding("GR215", "error", "", Place(widget="a")))
    assert not wanted.fits(Finding("GR410", "error", "", Place(widget="a", node="n")))
    assert sign("GR903", operation="main").fits(Reason("GR903", "", "main"))
    assert not sign("GR903").fits(Reason("GR903", "", None))


def test_lost_widgets_and_operations_are_named(desk: SeedApp) -> None:
    draft = Draft(desk)
    component, siblings, _, _ = draft.find("subject")
    siblings.remove(component)
    del draft.document["operations"][2]
    assert lost(desk, draft.done()) == ["1 widgets", "subject", "1 operations"]
    assert lost(desk, desk) == []


@pytest.mark.parametrize("word", ["in", "name", "total", "letter", "aabb"])
def test_a_slip_of_the_pen_changes_a_word_a_little(word: str) -> None:
    assert typo(word) != word
    assert abs(len(typo(word)) - len(word)) <= 1


def test_the_table_has_a_line_for_each_kind(judged: AppResult) -> None:
    text = show({**summarised([judged]), "apps": [order_desk.NAME], "seconds": 1.0})
    assert "| misspelt binding | 1 | 1 | 1 | 1 | 1 | 1 |" in text
    assert "Not to be seen: wrong policy text" in text
