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
        ("a{0,99999999999999999999}", "too big"),
        ("(" * 4000 + ")" * 4000, "recursion"),
        ("a" * (MAX_LENGTH + 1), "longer than 10,000 characters"),
        ("(?R)?a", "calls itself"),
        ("(?P<x>a(?&x)?)", "calls itself"),
        ("(a(?1)?)", "calls itself"),
        ("((a{1000}){1000}){1000}", "more than 100,000 pieces"),
        ("(?:(?:a{10,}){1000}){1000}b", "more than 100,000 pieces"),
        ("(" + "abcdefghij" * 20 + "){1000}", "more than 100,000 pieces"),
        (r"(?x)#[\n((a{1000}){1000}){1000}", "more than 100,000 pieces"),
        ("(?V1:[[a]((a{1000}){1000}){1000}]", "more than 100,000 pieces"),
        ("(?#[)((a{1000}){1000}){1000}", "more than 100,000 pieces"),
        (r"\\[]]((a{1000}){1000}){1000}", "more than 100,000 pieces"),
        ("a{" + "9" * 5000 + "}", "more than 100,000 pieces"),
    ],
)
def test_what_is_no_usable_pattern_is_refused(pattern: str, says: str) -> None:
    with pytest.raises(PatternError, match=says.replace(")", "\\)")):
        compiled(pattern)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(\d{1,3}\.){3}\d{1,3}", "10.0.0.1"),
        (r"(a{0,1000}){0,1000}", "aa"),
        (r"[{}()]{3}\({2}", "{)}(("),
        (r"([(]{1000}|x){50}", "x" * 50),
        (r"(?i)\p{L}{2}\{9999999\}", "äB{9999999}"),
        (r"a{,2}b{x}", "aab{x}"),
        ("(?x) a{2} # two", "aa"),
        (r"([a-z]{2}[0-9]{4}-?){100}", "ab1234-" * 100),
        ("(?P<year>[0-9]{4})-[0-9]{2}", "2026-01"),
    ],
)
def test_repeats_within_bounds_are_fine(pattern: str, text: str) -> None:
    assert compiled(pattern).fullmatch(text) is not None


def test_pattern_that_takes_all_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(patterns.regex, "compile", full)
    with pytest.raises(PatternError, match="too much memory"):
        compiled("a")


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
