from __future__ import annotations

from greenrun.workflows.functions.logs import CUT, LineLog


def test_lines_come_when_they_are_complete():
    log = LineLog()
    assert log.feed("a\nb") == ["a"]
    assert log.feed("c\r\n\n") == ["bc", ""]
    assert log.feed("rest") == []
    assert log.finish() == ["rest"]
    assert log.finish() == []


def test_long_line_is_cut():
    log = LineLog(line=5)
    assert log.feed("x" * 9 + "\n") == ["xxxxx…"]


def test_endless_line_is_handed_out_in_pieces():
    log = LineLog(line=5)
    assert log.feed("x" * 9) == ["xxxxx…"]
    assert log.finish() == []


def test_budget_ends_with_a_note_once():
    log = LineLog(total=5)
    assert log.feed("abc\ndef\nghi\n") == ["abc", "def", CUT]
    assert log.feed("more\n") == []
    assert log.finish() == []


def test_unfinished_line_counts_too():
    log = LineLog(total=4)
    assert log.feed("abc\nd") == ["abc", CUT]
    assert log.finish() == []
