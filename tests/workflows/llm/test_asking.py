"""Limits, costs and failures of a question, with a scripted model."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="needs the model library")

from pydantic_ai.exceptions import ModelHTTPError, UserError
from pydantic_ai.messages import BinaryContent, FilePart, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import FunctionModel

from greenrun.workflows.llm.asking import answer, ask
from greenrun.workflows.llm.calls import MeteredModel
from greenrun.workflows.llm.forms import FormField, fields_form
from greenrun.workflows.llm.question import Answer, Event, File, Limits, Partial, Question, Text, Thinking, Turn
from greenrun.workflows.node import BudgetExceeded, NodeError
from greenrun.workflows.nodes.agents import Agent
from greenrun.workflows.providers.errors import ProviderError, ReplayMissing
from greenrun.workflows.type_meta import parse_type
from talking import CHOICE, UNPRICED_CHOICE, UNPRICED_NAME, Desk, Talker, Whole, call, fired, submit

FORM = fields_form([FormField("city", parse_type("str"))])


async def events(desk: Desk, question: Question, choice: Any = CHOICE) -> list[Event]:
    return [event async for event in ask(desk, choice, question)]  # type: ignore[arg-type]


async def test_events_come_turn_by_turn() -> None:
    talker = Talker(["One. ", *call("look")], ["<think>hm</think>", "Two."])
    desk = Desk(talker, functions={"m:look": "seen"})
    records = await fired(Agent, desk, prompt="?", tools=["m:look"])
    assert [record["text"] for record in records if "text" in record] == ["One. ", "Two."]


async def test_a_text_answer_ends_with_the_answer() -> None:
    assert await events(Desk(Talker(["a", "b"])), Question("?")) == [Text("a"), Text("b"), Turn("ab"), Answer("ab")]


async def test_values_are_told_while_they_come_in() -> None:
    found = await events(Desk(Talker(submit(pieces=2, city="Paris"))), Question("?", form=FORM, partial=True))
    assert found[0] == Partial({"city": "P"}) or found[0] == Partial({})
    assert found[-2:] == [Partial({"city": "Paris"}), Answer("", {"city": "Paris"})]


async def test_only_who_asks_for_partial_values_gets_them() -> None:
    found = await events(Desk(Talker(submit(city="Paris"))), Question("?", form=FORM))
    assert found == [Answer("", {"city": "Paris"})]


async def test_an_answer_that_needs_a_correction_is_two_turns() -> None:
    found = await events(Desk(Talker("Paris", submit(city="Paris"))), Question("?", form=FORM))
    assert found == [Text("Paris"), Turn("Paris"), Answer("Paris", {"city": "Paris"})]


async def test_an_empty_answer_is_an_error() -> None:
    talker = Talker([""])
    with pytest.raises(NodeError, match="gave no usable answer"):
        await events(Desk(talker), Question("?"))
    assert len(talker.asked) == 3


async def test_files_and_whole_arguments_are_taken_too() -> None:
    sound = FilePart(BinaryContent(b"RIFF0000WAVE", media_type="audio/wav"))
    response = ModelResponse([sound, TextPart("Listen."), ToolCallPart("submit_result", {"city": "Rome"})])
    found = await events(Desk(Whole(response)), Question("?", form=FORM, partial=True))
    assert isinstance(found[0], File)
    assert found[0].ref["type"] == "audio"
    assert found[1:] == [
        Text("Listen."),
        Partial({"city": "Rome"}),
        Turn("Listen."),
        Answer("Listen.", {"city": "Rome"}),
    ]


async def test_a_model_that_does_not_stream_gives_its_answer_at_once() -> None:
    found = await events(Desk(Whole(ModelResponse([TextPart("<think>hm</think>hi")]), silent=True)), Question("?"))
    assert found == [Thinking("hm"), Text("hi"), Turn("hi"), Answer("hi")]


async def test_agent_sends_sounds_as_stored_assets() -> None:
    sound = FilePart(BinaryContent(b"RIFF0000WAVE", media_type="audio/wav"))
    picture = FilePart(BinaryContent(b"\x89PNG\r\n\x1a\n", media_type="image/png"))
    records = await fired(Agent, Desk(Whole(ModelResponse([sound, picture, TextPart("hi")]))), prompt="?")
    [audio] = [record["audio"] for record in records if "audio" in record]
    assert (audio["type"], audio["asset_id"]) == ("audio", "a1")


async def test_an_answer_at_the_token_limit_is_said_to_be_cut() -> None:
    desk = Desk(Whole(ModelResponse([TextPart("half a")], finish_reason="length")))
    assert (await answer(desk, CHOICE, Question("?"))).cut  # type: ignore[arg-type]
    await fired(Agent, desk, prompt="?")
    assert desk.logs == ["warning: the answer was cut off at the token limit"]


async def test_values_cut_at_the_token_limit_are_an_error() -> None:
    desk = Desk(Whole(ModelResponse([ToolCallPart("submit_result", '{"city": "Par')], finish_reason="length")))
    with pytest.raises(NodeError, match="cut off at 7 tokens; raise max_tokens"):
        await events(desk, Question("?", form=FORM, limits=Limits(max_tokens=7)))
    with pytest.raises(NodeError, match="cut off at the model's own limit"):
        await events(desk, Question("?", form=FORM))


async def test_every_request_is_booked_and_told() -> None:
    desk = Desk(Talker(call("look"), "done"), functions={"m:look": 1})
    await fired(Agent, desk, prompt="?", tools=["m:look"])
    first, second = desk.of("llm_call")
    assert (first["node_id"], first["provider"], first["model"]) == ("node", "openai", "gpt-5-mini")
    assert first["input_tokens"] > 0
    assert first["output_tokens"] > 0
    assert first["duration_ms"] >= 0
    assert first["replayed"] is False
    assert desk.cost == pytest.approx(first["cost"] + second["cost"])
    assert desk.cost > 0


async def test_a_model_without_a_known_price_is_unpriced() -> None:
    desk = Desk(Talker("hi"), name=UNPRICED_NAME)
    await fired(Agent, desk, model=UNPRICED_CHOICE, prompt="?", cost_cap_usd=0.000001)
    assert [message["cost"] for message in desk.of("llm_call")] == ["unpriced"]
    assert desk.cost == 0


async def test_no_call_starts_when_the_budget_of_the_run_is_spent() -> None:
    talker = Talker(call("look"), "done")
    desk = Desk(talker, functions={"m:look": 1}, budget=0.000001)
    with pytest.raises(BudgetExceeded):
        await fired(Agent, desk, prompt="?", tools=["m:look"])
    assert len(talker.asked) == 1


async def test_a_cost_cap_ends_the_agent_before_the_next_call() -> None:
    talker = Talker(call("look"), "done")
    desk = Desk(talker, functions={"m:look": 1})
    with pytest.raises(NodeError, match=r"the model cost \S+ USD, more than cost_cap_usd allows"):
        await fired(Agent, desk, prompt="?", tools=["m:look"], cost_cap_usd=0.000001)
    assert len(talker.asked) == 1
    assert desk.called == []


async def test_limits_of_zero_are_none() -> None:
    talker = Talker("hi")
    await fired(Agent, Desk(talker), prompt="?", cost_cap_usd=0, max_turns=0, timeout_s=0, max_tokens=0)
    assert not talker.infos[0].model_settings


async def test_a_replayed_call_costs_nothing() -> None:
    response = ModelResponse([TextPart("hi")], provider_details={"replayed": True})
    desk = Desk(Whole(response))
    await fired(Agent, desk, prompt="?")
    [told] = desk.of("llm_call")
    assert (told["replayed"], told["cost"], desk.cost) == (True, 0, 0)


async def test_too_many_turns_end_the_agent() -> None:
    talker = Talker(call("look"))
    desk = Desk(talker, functions={"m:look": 1})
    with pytest.raises(NodeError, match="not done after 3 requests; raise max_turns"):
        await fired(Agent, desk, prompt="?", tools=["m:look"], max_turns=3)
    assert len(talker.asked) == 3


async def test_too_much_time_ends_the_agent() -> None:
    talker = Talker(["a", asyncio.Event()])
    desk = Desk(talker)
    with pytest.raises(NodeError, match=r"not done within 0\.05 s; raise timeout_s"):
        await fired(Agent, desk, prompt="?", timeout_s=0.05)
    assert talker.closed == 1
    assert desk.of("llm_call")[0]["interrupted"] is True
    assert [message["kind"] for message in desk.of("provider_call_failed")] == ["timeout"]


async def test_time_spent_in_tools_counts_and_is_no_failure_of_the_provider() -> None:
    class Slow(Desk):
        async def call_function(self, function: str, params: Any) -> Any:
            await asyncio.Event().wait()

    desk = Slow(Talker(call("look")), functions={"m:look": 1})
    with pytest.raises(NodeError, match="not done within"):
        await fired(Agent, desk, prompt="?", tools=["m:look"], timeout_s=0.05)
    assert desk.of("provider_call_failed") == []


@pytest.mark.parametrize(
    ("limits", "said"), [(Limits(turns=1), "after 1 requests$"), (Limits(seconds=0.02), "within 0.02 s$")]
)
async def test_limits_that_no_property_sets_have_no_advice(limits: Limits, said: str) -> None:
    desk = Desk(Talker(["a", asyncio.Event()] if limits.turns != 1 else "no call"))
    with pytest.raises(NodeError, match=said):
        await events(desk, Question("?", form=FORM, limits=limits))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ModelHTTPError(401, "gpt-5-mini"), "auth"),
        (ModelHTTPError(402, "gpt-5-mini"), "payment"),
        (ModelHTTPError(404, "gpt-5-mini"), "not_found"),
        (ModelHTTPError(429, "gpt-5-mini"), "rate_limit"),
        (ModelHTTPError(400, "gpt-5-mini"), "client"),
        (ModelHTTPError(500, "gpt-5-mini"), "server"),
        (TimeoutError(), "timeout"),
        (ConnectionResetError(), "network"),
        (json.JSONDecodeError("x", "y", 0), "server"),
        (ProviderError("ours", kind="auth", provider="openai"), "auth"),
    ],
)
async def test_a_failed_call_is_told_with_its_kind(error: Exception, kind: str) -> None:
    desk = Desk(Talker(["a", error]))
    with pytest.raises(ProviderError) as caught:
        await events(desk, Question("?"))
    assert caught.value.kind == kind
    assert caught.value.error_detail["code"] == f"provider_{kind}"
    [told] = desk.of("provider_call_failed")
    assert (told["kind"], told["provider"], told["model"], told["error"]) == (
        kind,
        "openai",
        "gpt-5-mini",
        str(caught.value),
    )
    assert desk.of("llm_call")[0]["interrupted"] is True


async def test_a_call_that_fails_before_an_answer_is_no_call_that_was_answered() -> None:
    desk = Desk(Talker([ModelHTTPError(401, "m")]))
    with pytest.raises(ProviderError):
        await events(desk, Question("?"))
    assert desk.of("llm_call") == []


@pytest.mark.parametrize("error", [ReplayMissing("not recorded"), NodeError("no")])
async def test_what_is_no_failure_of_the_provider_is_not_told_as_one(error: NodeError) -> None:
    desk = Desk(Talker([error]))
    with pytest.raises(type(error)):
        await events(desk, Question("?"))
    assert desk.of("provider_call_failed") == []


async def test_a_model_that_cannot_do_something_says_so() -> None:
    with pytest.raises(NodeError, match="the model gpt-5-mini cannot do this: no pictures"):
        await events(Desk(Talker([UserError("no pictures")])), Question("?"))


async def test_a_filtered_answer_is_an_error() -> None:
    desk = Desk(Whole(ModelResponse([], finish_reason="content_filter")))
    with pytest.raises(NodeError, match="content filter stopped the answer"):
        await events(desk, Question("?"))


async def test_a_fault_of_ours_stays_what_it_is() -> None:
    def broken(values: Any) -> Any:
        raise ZeroDivisionError

    form = type(FORM)(FORM.schema, broken, "x")
    with pytest.raises(ZeroDivisionError):
        await events(Desk(Talker(submit(city="x"))), Question("?", form=form))


async def test_leaving_early_ends_the_call() -> None:
    talker = Talker(["a", asyncio.Event()])
    desk = Desk(talker)
    async with contextlib.aclosing(ask(desk, CHOICE, Question("?"))) as found:  # type: ignore[arg-type]
        assert await anext(found) == Text("a")
    assert talker.closed == 1
    assert desk.of("llm_call")[0]["interrupted"] is True


async def test_a_call_that_is_left_before_its_answer_begins_is_told_as_unpriced() -> None:
    talker = Talker([asyncio.Event(), "a"])
    desk = Desk(talker)
    work = asyncio.create_task(events(desk, Question("?")))
    await asyncio.wait_for(talker.started.wait(), 5)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(work, 5)
    [told] = desk.of("llm_call")
    assert (told["input_tokens"], told["cost"], told["interrupted"]) == (None, "unpriced", True)


async def test_requests_that_are_not_streamed_are_metered_too() -> None:
    def reply(messages: Any, info: Any) -> ModelResponse:
        if len(messages) > 1:
            raise ConnectionResetError
        return ModelResponse([TextPart("hi")])

    desk = Desk()
    model: Model = MeteredModel(FunctionModel(reply), desk, "openai:gpt-5-mini", Limits())  # type: ignore[arg-type]
    from pydantic_ai import Agent as LibraryAgent

    result = await LibraryAgent(model).run("hi")
    assert result.output == "hi"
    assert len(desk.of("llm_call")) == 1
    with pytest.raises(ProviderError):
        await LibraryAgent(model).run("again", message_history=result.all_messages())
    assert [message["kind"] for message in desk.of("provider_call_failed")] == ["network"]


def test_the_model_library_is_not_imported_before_a_model_is_asked() -> None:
    code = (
        "import sys; import greenrun.workflows.nodes.agents, greenrun.workflows.nodes.generators; "
        "sys.exit('pydantic_ai' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
