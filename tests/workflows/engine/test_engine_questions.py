"""Node failures that somebody is asked about (spec: harness 6.4)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from greenrun.workflows.engine import AnswerRefused, Question, Questions
from greenrun.workflows.engine.decisions import Decisions
from greenrun.workflows.engine.escalation import MAX_RETRIES, Answer, Failure

BOUND = 10


class Desk:
    """A session: its questions, and a queue of those that opened."""

    def __init__(self, **options: Any) -> None:
        self.opened: asyncio.Queue[Question] = asyncio.Queue()
        self.questions = Questions(self.opened.put_nowait, **options)

    async def next(self) -> Question:
        return await asyncio.wait_for(self.opened.get(), BOUND)


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
async def start(bench: Any) -> AsyncIterator[Any]:
    tasks: list[asyncio.Task[Any]] = []

    def run(nodes: dict[str, Any], edges: list[str] | None = None, **options: Any) -> asyncio.Task[Any]:
        tasks.append(asyncio.ensure_future(bench.run(nodes, edges or [], **options)))
        return tasks[-1]

    yield run
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


UNSAFE = {"bad": ("test.Unsafe", {"text": "boom 42"})}


@pytest.mark.case("HA-6.4-1")
async def test_failure_of_a_node_that_is_not_retry_safe_may_be_skipped(desk: Desk, start: Any) -> None:
    run = start(UNSAFE, escalate=desk.questions)
    question = await desk.next()
    told = question.to_json()
    assert told["allowedActions"] == ["skip", "fail"]
    assert "boom 42" in told["detail"]
    desk.questions.answer(question.escalation_id, {"action": "skip"})
    ran = await run
    assert ran.result.ok
    assert [(i["action"], i["decided_by"]) for i in ran.result.interventions] == [("skip", "agent")]


async def test_question_says_what_failed_and_what_may_be_answered(desk: Desk, start: Any) -> None:
    start({"bad": ("test.Boom", {"text": "no"})}, escalate=desk.questions.about(operationId="main"))
    question = await desk.next()
    assert question.escalation_id == "esc-1"
    assert question.to_json() == {
        "nodeId": "bad",
        "nodeType": "test.Boom",
        "detail": "no",
        "attempt": 1,
        "retrySafe": True,
        "declaredOutputs": {"output": "any"},
        "allowedActions": ["retry", "substitute", "skip", "fail"],
        "operationId": "main",
    }
    assert desk.questions.open == question


@pytest.mark.case("HA-6.4-2")
async def test_substitute_of_the_wrong_type_is_refused_and_a_good_one_is_taken(desk: Desk, start: Any) -> None:
    # A text into the step of a slice fails its node, whose output is a text.
    run = start(
        {"g": ("test.Give", {"value": "x"}), "s": "nodetool.text.Slice"},
        ["g.output -> s.step"],
        escalate=desk.questions,
    )
    question = await desk.next()
    assert question.failure.declared_outputs == {"output": "str"}
    with pytest.raises(AnswerRefused, match='output "output" takes str, not a number') as refused:
        desk.questions.answer(question.escalation_id, {"action": "substitute", "outputs": {"output": 5}})
    assert refused.value.code == "wrong_output"
    assert desk.questions.open == question
    desk.questions.answer(question.escalation_id, {"action": "substitute", "outputs": {"output": "five"}})
    ran = await run
    assert ran.values("s") == ["five"]
    assert len(ran.result.interventions) == 1


FAILURE = Failure(
    "n", "t", "boom", 1, True, {"text": "str", "rows": "list[int]"}, ("retry", "substitute", "skip", "fail")
)


@pytest.mark.parametrize(
    ("verdict", "code", "text"),
    [
        (None, "malformed", "a verdict is a record"),
        ([], "malformed", "a verdict is a record"),
        ({}, "malformed", "one of retry, substitute, skip, fail"),
        ({"action": 3}, "malformed", "a verdict is a record"),
        ({"action": "end_stream"}, "action_not_allowed", "choose one of retry"),
        ({"action": "explode"}, "action_not_allowed", '"explode" is not possible here'),
        ({"action": "skip", "reason": 3}, "malformed", '"reason" is a number'),
        ({"action": "skip", "apply_to": "some"}, "malformed", '"apply_to" is one of same_node, all'),
        ({"action": "skip", "apply_to": ["all"]}, "malformed", '"apply_to" is one of same_node, all'),
        ({"action": "retry", "apply_to": "all"}, "malformed", '"retry" takes no "apply_to"'),
        ({"action": "skip", "outputs": {"text": "x"}}, "malformed", '"skip" takes no "outputs"'),
        ({"action": "fail", "extra": 1}, "malformed", '"fail" takes no "extra"'),
        ({"action": "substitute"}, "malformed", '"substitute" needs "outputs"'),
        ({"action": "substitute", "outputs": {}}, "malformed", '"substitute" needs "outputs"'),
        ({"action": "substitute", "outputs": {"txt": "x"}}, "wrong_output", 'no output "txt"; it has: text, rows'),
        ({"action": "substitute", "outputs": {"rows": ["x"]}}, "wrong_output", '"rows" takes list[int], not a list'),
        ({"action": "substitute", "outputs": {"text": None}}, "wrong_output", '"text" takes str, not null'),
    ],
)
async def test_verdict_that_does_not_fit_is_refused_and_leaves_the_question_open(
    desk: Desk, verdict: Any, code: str, text: str
) -> None:
    asking = asyncio.ensure_future(desk.questions(FAILURE))
    question = await desk.next()
    with pytest.raises(AnswerRefused) as refused:
        desk.questions.answer(question.escalation_id, verdict)
    assert refused.value.code == code
    assert text in str(refused.value)
    assert desk.questions.open == question
    desk.questions.answer(question.escalation_id, {"action": "skip", "outputs": None})
    assert (await asking).action == "skip"


@pytest.mark.parametrize("wrong", ["esc-9", None, 1])
async def test_answer_to_another_question_is_refused(desk: Desk, wrong: Any) -> None:
    asking = asyncio.ensure_future(desk.questions(FAILURE))
    question = await desk.next()
    with pytest.raises(AnswerRefused, match='open is "esc-1"') as refused:
        desk.questions.answer(wrong, {"action": "skip"})
    assert refused.value.code == "unknown_escalation"
    desk.questions.answer(question.escalation_id, {"action": "fail", "reason": "no"})
    assert await asking == Answer("fail", reason="no")


async def test_question_can_be_answered_once(desk: Desk) -> None:
    asking = asyncio.ensure_future(desk.questions(FAILURE))
    question = await desk.next()
    desk.questions.answer(question.escalation_id, {"action": "skip"})
    with pytest.raises(AnswerRefused, match='"esc-1" is not open; none is'):
        desk.questions.answer(question.escalation_id, {"action": "fail"})
    assert (await asking).action == "skip"
    with pytest.raises(AnswerRefused, match="none is"):
        desk.questions.answer(question.escalation_id, {"action": "fail"})


async def test_question_that_nobody_answers_in_time_fails_by_default(start: Any) -> None:
    ran = await start(UNSAFE, escalate=Questions(seconds=0.001))
    assert ran.result.status == "failed"
    assert [(i["action"], i["decided_by"]) for i in ran.result.interventions] == [("fail", "default")]


async def test_closed_session_fails_the_open_question_and_all_later_ones(desk: Desk, start: Any) -> None:
    run = start(UNSAFE | {"worse": "test.Unsafe"}, escalate=desk.questions)
    await desk.next()
    desk.questions.close()
    desk.questions.close()
    ran = await run
    assert [(i["action"], i["decided_by"]) for i in ran.result.interventions] == [("fail", "default")] * 2
    assert desk.questions.open is None


async def test_cancelled_run_decides_its_open_question_by_default(bench: Any, desk: Desk, start: Any) -> None:
    run = start(UNSAFE, escalate=desk.questions)
    await desk.next()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(run, BOUND)
    told = next(message for message in bench.messages if message["type"] == "intervention")
    assert (told["action"], told["decided_by"]) == ("fail", "default")
    assert bench.messages[-1]["status"] == "cancelled"
    assert desk.questions.open is None


async def test_one_question_is_open_at_a_time(desk: Desk, start: Any) -> None:
    run = start({"a": "test.Unsafe", "b": "test.Unsafe"}, escalate=desk.questions)
    first = await desk.next()
    assert desk.opened.empty()
    desk.questions.answer(first.escalation_id, {"action": "skip"})
    second = await desk.next()
    desk.questions.answer(second.escalation_id, {"action": "skip"})
    assert (await run).result.ok
    assert [first.escalation_id, second.escalation_id] == ["esc-1", "esc-2"]
    assert {first.failure.node_id, second.failure.node_id} == {"a", "b"}


LOOP = {"each": ("nodetool.control.ForEach", {"input_list": ["x"] * 30}), "inc": "test.Inc", "also": "test.Unsafe"}
LOOP_EDGES = ["each.output -> inc.value"]


async def test_answer_for_all_goes_for_every_later_failure(desk: Desk, start: Any) -> None:
    run = start(LOOP, LOOP_EDGES, escalate=desk.questions)
    question = await desk.next()
    desk.questions.answer(question.escalation_id, {"action": "skip", "apply_to": "all"})
    ran = await run
    assert ran.result.ok
    assert desk.opened.empty()
    assert len(ran.result.interventions) == 31


async def test_answer_for_a_node_goes_for_that_node_only(desk: Desk, start: Any) -> None:
    run = start(LOOP, LOOP_EDGES, escalate=desk.questions)
    seen: list[str] = []
    for _ in range(2):
        question = await desk.next()
        seen.append(question.failure.node_id)
        desk.questions.answer(question.escalation_id, {"action": "skip", "apply_to": "same_node"})
    assert (await run).result.ok
    assert sorted(seen) == ["also", "inc"]


async def test_answer_for_all_goes_for_its_run_only(desk: Desk, start: Any) -> None:
    for _ in range(2):
        run = start(UNSAFE, escalate=desk.questions.about())
        question = await desk.next()
        desk.questions.answer(question.escalation_id, {"action": "skip", "apply_to": "all"})
        await run


async def test_questions_of_a_run_are_bounded(start: Any) -> None:
    desk = Desk(decisions=2)
    run = start(LOOP, LOOP_EDGES, escalate=desk.questions)
    for _ in range(2):
        question = await desk.next()
        desk.questions.answer(question.escalation_id, {"action": "skip"})
    ran = await run
    assert ran.result.status == "failed"
    assert desk.opened.empty()


async def test_retries_of_a_node_are_bounded_over_all_its_firings(desk: Desk, start: Any) -> None:
    nodes = {"each": ("nodetool.control.ForEach", {"input_list": ["x", "y"]}), "inc": "test.Inc"}
    start(nodes, ["each.output -> inc.value"], escalate=desk.questions)
    for _ in range(MAX_RETRIES):
        question = await desk.next()
        desk.questions.answer(question.escalation_id, {"action": "retry"})
    question = await desk.next()
    assert "retry" not in question.failure.allowed_actions
    desk.questions.answer(question.escalation_id, {"action": "skip"})
    question = await desk.next()
    assert (question.failure.attempt, "retry" in question.failure.allowed_actions) == (1, False)


async def test_stream_that_is_ended_keeps_what_it_sent_and_closes_its_text(desk: Desk, start: Any) -> None:
    run = start({"s": "test.Streamer", "next": "test.Give"}, ["s.output -> next.value"], escalate=desk.questions)
    question = await desk.next()
    assert question.failure.allowed_actions == ("skip", "end_stream", "fail")
    desk.questions.answer(question.escalation_id, {"action": "end_stream"})
    ran = await run
    assert ran.values("next") == ["a"]
    assert [(message["content"], message["done"]) for message in ran.of("chunk", "s")] == [("a", False), ("", True)]
    assert ran.statuses("s") == ["running", "completed"]


async def test_time_in_which_somebody_is_asked_does_not_count_for_the_limit(desk: Desk, start: Any) -> None:
    run = start(UNSAFE | {"after": "test.Give"}, escalate=desk.questions, timeout_ms=100)
    question = await desk.next()
    loop = asyncio.get_running_loop()
    later = loop.create_future()
    loop.call_later(0.12, later.set_result, None)
    await later
    desk.questions.answer(question.escalation_id, {"action": "skip"})
    assert (await run).result.ok


async def test_limit_goes_on_after_an_answer(desk: Desk, start: Any) -> None:
    run = start(UNSAFE | {"hang": "test.Hang"}, escalate=desk.questions, timeout_ms=100)
    question = await desk.next()
    desk.questions.answer(question.escalation_id, {"action": "skip"})
    assert (await run).result.error_code == "TIMED_OUT"


async def test_time_in_which_somebody_is_asked_is_none_of_the_node_s(desk: Desk, start: Any) -> None:
    run = start(UNSAFE, escalate=desk.questions)
    question = await desk.next()
    loop = asyncio.get_running_loop()
    later = loop.create_future()
    loop.call_later(0.03, later.set_result, None)
    await later
    desk.questions.answer(question.escalation_id, {"action": "skip"})
    assert (await run).result.nodes[0].duration_ms < 20


async def test_interventions_that_a_result_keeps_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greenrun.workflows.engine.decisions.KEPT", 2)
    told: list[Any] = []

    async def skip(failure: Failure) -> Answer:
        return Answer("skip", remembered=True)

    decisions = Decisions(skip, told.append)
    for _ in range(3):
        await decisions.answer(FAILURE)
    assert (len(decisions.interventions), len(told)) == (2, 3)


async def test_listener_that_fails_fails_the_node_and_leaves_nothing_open(start: Any) -> None:
    def broken(question: Question) -> None:
        raise RuntimeError("nobody listens")

    questions = Questions(broken)
    ran = await start(UNSAFE, escalate=questions)
    assert "nobody listens" in ran.result.error
    assert questions.open is None
