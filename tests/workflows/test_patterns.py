from __future__ import annotations

import asyncio
import time

import pytest

from greenrun.workflows import patterns
from greenrun.workflows.node import NodeError
from greenrun.workflows.patterns import MAX_LENGTH, PatternError, compiled, matched
from simulated import button, document, play, widget

ENDLESS = "(a|aa)+$"
TEXT = "a" * 80 + "b"


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("(", "missing )"),
        ("a{99999999999999999999}", "too big"),
        ("(" * 4000 + ")" * 4000, "recursion"),
        ("a" * (MAX_LENGTH + 1), "longer than 10,000 characters"),
        ("(?R)?a", "calls itself"),
        ("(?P<x>a(?&x)?)", "calls itself"),
        ("(a(?1)?)", "calls itself"),
    ],
)
def test_what_is_no_usable_pattern_is_refused(pattern: str, says: str) -> None:
    with pytest.raises(PatternError, match=says.replace(")", "\\)")):
        compiled(pattern)


@pytest.mark.parametrize(
    ("flag", "pattern", "text"), [("dotall", "a.b", "a\nb"), ("ignorecase", "A", "a"), ("multiline", "^b", "a\nb")]
)
def test_flags_change_what_matches(flag: str, pattern: str, text: str) -> None:
    assert compiled(pattern).search(text) is None
    assert compiled(pattern, **{flag: True}).search(text) is not None


async def test_a_pattern_that_backtracks_for_ever_fails_and_lets_others_work_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(patterns, "MATCH_SECONDS", 0.1)
    pattern = compiled(ENDLESS)
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    working = asyncio.create_task(others())
    with pytest.raises(NodeError, match=r"takes longer than 0\.1 s"):
        await matched(lambda **limits: pattern.search(TEXT, **limits))
    working.cancel()
    assert turns > 100


async def test_a_hostile_pattern_does_not_outlive_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "MATCH_SECONDS", 0.3)
    node = {"id": "t1", "type": "nodetool.text.RegexMatch", "data": {"pattern": ENDLESS, "text": TEXT}}
    graph = {
        "nodes": [node, {"id": "out1", "type": "nodetool.output.Output", "data": {"name": "result"}}],
        "edges": [{"id": "e", "source": "t1", "sourceHandle": "output", "target": "out1", "targetHandle": "value"}],
    }
    app = document([button("go", "main"), widget("Text", "shown", binding="op:main/out:out1")])
    start = time.perf_counter()
    report = await play(app, {"wf1": graph}, deadline_ms=100)
    assert (report.verdict.status, report.verdict.reasons[0].code) == ("check_failed", "GR906")
    assert time.perf_counter() - start < 0.6
