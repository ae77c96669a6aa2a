from __future__ import annotations

import asyncio
from typing import Any, Literal

import pytest

from greenrun.workflows.node import NodeError
from greenrun.workflows.providers.errors import ProviderError
from greenrun.workflows.providers.scripted import ScriptedProviders

pytest.importorskip("pydantic_ai", reason="needs pydantic-ai")

from pydantic import BaseModel, Field
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.messages import ModelResponse, PartDeltaEvent, PartStartEvent, ThinkingPart
from pydantic_ai.output import NativeOutput, PromptedOutput, ToolOutput


class Place(BaseModel):
    city: str
    size: int = Field(ge=3, le=5)
    kind: Literal["port", "capital"]


def agent(script: Any = None, name: str = "openai:gpt-5-mini", **options: Any) -> Agent[Any, Any]:
    return Agent(ScriptedProviders(script).provider("language_model", name), **options)


async def pieces(asked: Agent[Any, Any], prompt: str) -> list[str]:
    async with asked.run_stream(prompt) as result:
        return [piece async for piece in result.stream_text(delta=True, debounce_by=None)]


async def test_a_plain_question_gets_text_about_it() -> None:
    assert "harbours" in (await agent().run("Tell me about old harbours")).output


async def test_text_is_streamed_word_by_word_and_adds_up() -> None:
    whole = (await agent().run("Tell me about old harbours")).output
    parts = await pieces(agent(), "Tell me about old harbours")
    assert len(parts) > 5
    assert "".join(parts) == whole


async def test_the_same_question_gets_the_same_answer() -> None:
    first, second = [(await agent().run("old harbours")).output for _ in range(2)]
    assert first == second


@pytest.mark.parametrize("form", [Place, ToolOutput(Place), NativeOutput(Place), PromptedOutput(Place)])
async def test_a_structured_answer_fits_its_form(form: Any) -> None:
    place = (await agent(output_type=form).run("Describe a port")).output
    assert isinstance(place, Place)
    assert place.kind == "port"


async def test_a_structured_answer_is_streamed_in_pieces() -> None:
    async with agent(output_type=Place).run_stream_events("Describe a port") as events:
        kinds = [type(event) async for event in events]
    assert kinds.count(PartStartEvent) == 1
    assert kinds.count(PartDeltaEvent) == 2


async def test_what_is_attached_does_not_get_into_the_text() -> None:
    said = (await agent().run(["old harbours", BinaryContent(b"png", media_type="image/png")])).output
    assert "harbours" in said


async def test_tools_are_called_once_with_fitting_arguments() -> None:
    called: list[int] = []
    asked = agent()

    @asked.tool_plain
    def note(number: int) -> str:
        called.append(number)
        return "noted"

    assert "harbours" in (await asked.run("old harbours")).output
    assert len(called) == 1


async def test_usage_is_counted_and_costs_nothing() -> None:
    usage = (await agent().run("old harbours of Genoa")).usage
    assert usage.input_tokens == 4
    assert usage.output_tokens > 5
    assert usage.cost == 0


async def test_a_script_may_give_an_answer_a_cost() -> None:
    assert float((await agent({"language_model": {"text": "x", "cost": 0.25}}).run("hi")).usage.cost or 0) == 0.25


@pytest.mark.parametrize(
    "match", ["language_model", "openai:gpt-5-mini", "language_model/openai:gpt-5-mini", "harbours", "Be brief", ""]
)
async def test_a_script_matches_kind_model_and_prompt(match: str) -> None:
    asked = agent({"image_model": "no", "elsewhere": "no", match: "scripted"}, instructions="Be brief")
    assert (await asked.run("old harbours")).output == "scripted"


async def test_replies_come_one_after_the_other_and_the_last_repeats() -> None:
    asked = agent({"language_model": ["one", "two"]})
    assert [(await asked.run("hi")).output for _ in range(3)] == ["one", "two", "two"]


async def test_entries_with_a_match_are_a_script_too() -> None:
    asked = agent([{"match": "hi", "text": "one"}, {"match": "hi", "text": "two"}, {"text": "rest"}])
    assert [(await asked.run(prompt)).output for prompt in ("hi", "hi", "what")] == ["one", "two", "rest"]


@pytest.mark.parametrize("form", [ToolOutput(Place), NativeOutput(Place)])
async def test_a_script_may_give_a_structured_answer(form: Any) -> None:
    place = {"city": "Rome", "size": 4, "kind": "capital"}
    asked = agent({"language_model": {"object": place}}, output_type=form)
    assert (await asked.run("hi")).output == Place(city="Rome", size=4, kind="capital")


async def test_a_script_may_call_tools_before_it_answers() -> None:
    called: list[dict[str, Any]] = []
    asked = agent({"language_model": [{"tool_calls": [{"name": "note", "args": {"text": "a"}}]}, "done"]})

    @asked.tool_plain
    def note(text: str) -> str:
        called.append({"text": text})
        return "noted"

    assert (await asked.run("hi")).output == "done"
    assert called == [{"text": "a"}]


async def test_tools_that_a_script_calls_last_are_called_once_a_run() -> None:
    called: list[str] = []
    asked = agent({"language_model": {"tool_calls": [{"name": "note"}]}})

    @asked.tool_plain
    def note() -> str:
        called.append("note")
        return "noted"

    assert (await asked.run("hi")).output
    assert called == ["note"]


async def test_a_script_may_show_what_the_model_thinks() -> None:
    result = await agent({"language_model": {"thinking": "hm", "text": "yes"}}).run("hi")
    response = result.all_messages()[-1]
    assert isinstance(response, ModelResponse)
    assert [part.content for part in response.parts if isinstance(part, ThinkingPart)] == ["hm"]


async def test_a_script_may_let_a_call_fail() -> None:
    error = {"error": {"kind": "rate_limit", "status": 429}}
    with pytest.raises(ProviderError, match=r"the script says that this call fails \(rate_limit\)") as caught:
        await agent({"language_model": error}).run("hi")
    assert (caught.value.kind, caught.value.status, caught.value.provider) == ("rate_limit", 429, "openai")


async def test_a_script_may_let_a_call_wait() -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(agent({"language_model": {"text": "late", "delay_ms": 60_000}}).run("hi"), 0.05)


async def test_calls_are_counted() -> None:
    providers = ScriptedProviders()
    await Agent(providers.provider("language_model", "a:b")).run("hi")
    assert providers.calls == 1


def test_without_the_extra_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greenrun.workflows.extras.is_installed", lambda extra: False)
    with pytest.raises(NodeError, match=r'pip install "greenrun\[llm\]"'):
        ScriptedProviders().provider("language_model", "a:b")


async def test_a_history_without_a_question_is_answered_too() -> None:
    assert (await agent(instructions="Say hello to harbours").run(message_history=[])).output
