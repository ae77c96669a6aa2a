"""Folding a finished reply into the history: app-runtime 15.3."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from greenrun.document.model import Variable
from greenrun.runtime.chat import Reply, finished_reply
from greenrun.runtime.events import OutputValue, SetVariable

HISTORY = [{"role": "user", "content": "hi"}]


def thread(**props: Any) -> dict[str, Any]:
    bound = {"binding": "var:x", "streamBinding": "op:main/out:n9", **props}
    return {"type": "ChatThread", "props": {"id": "w", **bound}}


def reply(screen: Any) -> Reply | None:
    return finished_reply(screen.evaluator.by_id["w"], screen.state)


@pytest.fixture
def streaming(make_screen: Any) -> Any:
    screen = make_screen([thread()], variables=[Variable("x", "X")]).dispatch(SetVariable("x", HISTORY))
    return screen.start("j", output_keys=("main:n9",)).dispatch(OutputValue("main:n9", "j", "hello"))


def test_a_completed_reply_joins_the_history(streaming: Any) -> None:
    assert reply(streaming) is None
    turn = {"type": "message", "role": "assistant", "content": "hello"}
    assert reply(streaming.end("j")) == Reply("j", SetVariable("x", [*HISTORY, turn]))


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_reply_that_did_not_complete_is_not_folded(streaming: Any, status: str) -> None:
    assert reply(streaming.end("j", status)) is None


def test_an_empty_reply_is_not_folded(make_screen: Any) -> None:
    screen = make_screen([thread()], variables=[Variable("x", "X")])
    assert reply(screen) is None
    assert reply(screen.start("j", output_keys=("main:n9",)).end("j")) is None


def test_a_slot_that_no_run_owns_is_not_folded(streaming: Any) -> None:
    forgotten = replace(streaming.end("j").state, invocations={})
    assert finished_reply(streaming.evaluator.by_id["w"], forgotten) is None


@pytest.mark.parametrize("props", [{"binding": "op:main/out:n8"}, {"streamBinding": "var:x"}, {"streamBinding": ""}])
def test_only_a_variable_takes_the_reply_of_an_output(make_screen: Any, props: dict[str, str]) -> None:
    screen = make_screen([thread(**props)], variables=[Variable("x", "X")])
    screen.start("j", output_keys=("main:n9",)).dispatch(OutputValue("main:n9", "j", "hello")).end("j")
    assert reply(screen) is None
