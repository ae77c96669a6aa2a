from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from greenrun.workflows.node import NodeError
from greenrun.workflows.providers.configured import ConfiguredProviders
from greenrun.workflows.providers.errors import ProviderError, RecordingError, ReplayMissing
from greenrun.workflows.providers.interface import Providers
from greenrun.workflows.providers.prices import was_replayed
from greenrun.workflows.providers.recording import RecordedProviders, Recording
from greenrun.workflows.providers.scripted import ScriptedProviders
from openai_server import OpenAIServer, Reply, calls, cut, stall, text, value

pytest.importorskip("openai", reason="needs pydantic-ai with its OpenAI client")

from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.messages import (
    FilePart,
    ImageUrl,
    ModelMessage,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.output import NativeOutput, ToolOutput
from pydantic_ai.settings import ModelSettings

NAME = "openai:gpt-5-mini"


class City(BaseModel):
    city: str


class Given:
    """Providers that hand out one model."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def provider(self, kind: str, name: str) -> Any:
        return self.model


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "recording.json"


def content(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def rewrite(path: Path, data: Any) -> None:
    path.write_text(json.dumps(data), encoding="utf-8")


def recorder(inner: Providers, path: Path) -> RecordedProviders:
    return RecordedProviders(inner, Recording.load(path), "call", True)


def replayer(path: Path, inner: Providers | None = None) -> RecordedProviders:
    return RecordedProviders(inner, Recording.load(path))


def model(providers: RecordedProviders, name: str = NAME) -> Model:
    return providers.provider("language_model", name)


async def streamed(asked: Agent[Any, Any], prompt: Any = "hello") -> list[str]:
    async with asked.run_stream(prompt) as result:
        return [piece async for piece in result.stream_text(delta=True, debounce_by=None)]


async def events(asked: Agent[Any, Any], prompt: Any = "hello") -> list[tuple[str, Any]]:
    """What is told of an answer while it comes."""
    told: list[tuple[str, Any]] = []
    async with asked.run_stream_events(prompt) as stream:
        async for event in stream:
            if isinstance(event, PartStartEvent):
                told.append(("start", getattr(event.part, "content", None) or getattr(event.part, "args", None)))
            elif isinstance(event, PartDeltaEvent):
                told.append(
                    ("delta", getattr(event.delta, "content_delta", None) or getattr(event.delta, "args_delta", None))
                )
    return told


def doubling(asked: Model, **options: Any) -> Agent[Any, Any]:
    agent = Agent(asked, **options)

    @agent.tool_plain
    def double(number: int) -> int:
        """Twice a number."""
        return number * 2

    return agent


async def test_what_was_recorded_from_a_server_replays_without_it(server: OpenAIServer, key: str, path: Path) -> None:
    server.reply(
        text("", pieces=["Old ", "stones, ", "new ships"], thinking="Harbours…"),
        calls(("double", {"number": 21})),
        value({"city": "Rome"}),
    )
    configured = ConfiguredProviders({"OPENAI_API_KEY": key, "OPENAI_BASE_URL": server.base_url})

    async def run(providers: RecordedProviders) -> tuple[Any, Any]:
        told = await events(Agent(model(providers)), "Tell me about harbours")
        return told, (await doubling(model(providers), output_type=City).run("Which city?")).output

    first = recorder(configured, path)
    recorded = await run(first)
    assert first.save()
    await configured.aclose()
    server.close()
    again = RecordedProviders(ConfiguredProviders({}), Recording.load(path))
    assert await run(again) == recorded
    assert recorded[0][-2:] == [("delta", "stones, "), ("delta", "new ships")]
    assert (first.log.calls, first.log.replayed) == (3, 0)
    assert (again.log.calls, again.log.replayed, again.log.missing) == (0, 3, 0)
    assert key not in content(path)


async def test_arguments_of_tools_are_streamed_in_the_same_pieces(server: OpenAIServer, key: str, path: Path) -> None:
    server.reply(calls(("double", {"number": 21}), content="Let me see"), text("42"))
    configured = ConfiguredProviders({"OPENAI_API_KEY": key, "OPENAI_BASE_URL": server.base_url})
    first = recorder(configured, path)
    recorded = await events(doubling(model(first)))
    first.save()
    await configured.aclose()
    assert await events(doubling(model(replayer(path)))) == recorded


async def test_a_streamed_answer_replays_whole_and_a_whole_one_streamed(path: Path) -> None:
    first = recorder(ScriptedProviders({"language_model": ["one two", "three four"]}), path)
    pieces = await streamed(Agent(model(first)), "a")
    whole = (await Agent(model(first)).run("b")).output
    first.save()
    again = replayer(path)
    assert (await Agent(model(again)).run("a")).output == "".join(pieces) == "one two"
    assert await streamed(Agent(model(again)), "b") == [whole] == ["three four"]


async def test_a_replayed_answer_costs_nothing(path: Path) -> None:
    script = {"language_model": {"text": "x", "cost": 0.25}}
    first = recorder(ScriptedProviders(script), path)
    assert float((await Agent(model(first)).run("hello")).usage.cost or 0) == 0.25
    first.save()
    result = await Agent(model(replayer(path))).run("hello")
    response = result.all_messages()[-1]
    assert isinstance(response, ModelResponse)
    assert was_replayed(response)
    assert result.usage.cost == 0
    assert result.usage.input_tokens == 1


async def test_equal_questions_replay_in_order(path: Path) -> None:
    first = recorder(ScriptedProviders({"language_model": ["one", "two"]}), path)
    for _ in range(2):
        await Agent(model(first)).run("hello")
    first.save()
    again = replayer(path)
    assert [(await Agent(model(again)).run("hello")).output for _ in range(2)] == ["one", "two"]


async def test_questions_asked_at_once_are_recorded_in_a_stable_order(tmp_path: Path) -> None:
    files = [tmp_path / "one.json", tmp_path / "other.json"]
    for file, order in zip(files, (("a", "b", "c"), ("c", "a", "b")), strict=True):
        first = recorder(ScriptedProviders(), file)
        await asyncio.gather(*(Agent(model(first)).run(prompt) for prompt in order))
        first.save()
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"prompt": "goodbye"}, 'prompt (user: "goodbye" here, "hello" recorded)'),
        ({"name": "openai:gpt-5"}, 'model ("openai:gpt-5" here, "openai:gpt-5-mini" recorded)'),
        ({"settings": ModelSettings(max_tokens=9)}, "settings (max_tokens: 9 here, 5 recorded)"),
        ({"instructions": "Be long."}, 'system prompt ("Be long." here, "Be short." recorded)'),
        ({"output_type": City}, "form of the answer ("),
        ({"tools": True}, "tools ("),
    ],
)
async def test_a_question_that_was_not_recorded_says_what_differs(
    change: dict[str, Any], said: str, path: Path
) -> None:
    def agent(providers: RecordedProviders, change: dict[str, Any]) -> Agent[Any, Any]:
        make = doubling if change.get("tools") else Agent
        asked = model(providers, change.get("name", NAME))
        instructions = change.get("instructions", "Be short.")
        return make(asked, instructions=instructions, output_type=change.get("output_type", str))

    first = recorder(ScriptedProviders(), path)
    await agent(first, {}).run("hello", model_settings=ModelSettings(max_tokens=5))
    first.save()
    settings = change.get("settings", ModelSettings(max_tokens=5))
    with pytest.raises(ReplayMissing) as caught:
        await agent(replayer(path), change).run(change.get("prompt", "hello"), model_settings=settings)
    assert f"differs in: {said}" in str(caught.value)
    assert "--replay-missing=call" in str(caught.value)


async def test_a_streamed_question_that_was_not_recorded_is_missing_too(path: Path) -> None:
    with pytest.raises(ReplayMissing, match="it holds no call for language models"):
        await streamed(Agent(model(replayer(path))))


async def test_settings_that_ask_for_nothing_else_make_no_difference(path: Path) -> None:
    first = recorder(ScriptedProviders(), path)
    await Agent(model(first)).run("hello")
    first.save()
    settings = ModelSettings(timeout=5, extra_headers={"x-secret": "hush"})
    assert (await Agent(model(replayer(path))).run("hello", model_settings=settings)).output


async def test_headers_are_not_recorded(path: Path) -> None:
    first = recorder(ScriptedProviders(), path)
    await Agent(model(first)).run("hello", model_settings=ModelSettings(extra_headers={"x-secret": "hush"}))
    first.save()
    assert "hush" not in content(path)


@pytest.mark.parametrize("other", [b"other", b""])
async def test_a_picture_counts_by_its_content_and_is_not_stored(other: bytes, path: Path) -> None:
    def prompt(data: bytes) -> list[Any]:
        return ["what is it?", BinaryContent(data, media_type="image/png"), ImageUrl("https://example.com/a.png")]

    first = recorder(ScriptedProviders(), path)
    await Agent(model(first)).run(prompt(b"picture" * 50))
    first.save()
    assert "cGljdHVyZ" not in content(path)
    assert (await Agent(model(replayer(path))).run(prompt(b"picture" * 50))).output
    with pytest.raises(ReplayMissing, match="sha256"):
        await Agent(model(replayer(path))).run(prompt(other))


async def test_a_conversation_replays_whatever_ids_and_times_it_has(path: Path) -> None:
    async def talk(providers: RecordedProviders) -> list[str]:
        agent = doubling(model(providers), instructions="Be short.", system_prompt="You count.")
        one = await agent.run("double 4")
        two = await agent.run("and again", message_history=one.all_messages())
        return [one.output, two.output]

    script = {
        "language_model": [{"thinking": "hm", "tool_calls": [{"name": "double", "args": {"number": 4}}]}, "8", "16"]
    }
    first = recorder(ScriptedProviders(script), path)
    recorded = await talk(first)
    first.save()
    again = replayer(path)
    assert await talk(again) == recorded == ["8", "16"]
    assert again.log.replayed == 3


async def test_a_correction_of_the_model_replays(path: Path) -> None:
    script = {"language_model": [{"object": {"town": "Rome"}}, {"object": {"city": "Rome"}}]}
    first = recorder(ScriptedProviders(script), path)
    await Agent(model(first), output_type=City).run("hello")
    first.save()
    again = replayer(path)
    assert (await Agent(model(again), output_type=City).run("hello")).output == City(city="Rome")
    assert again.log.replayed == 2


@pytest.mark.parametrize(
    ("form", "replies"),
    [
        (ToolOutput(City), [text("no tool"), calls(("final_result", '{"ci')), value({"city": "Rome"})]),
        (NativeOutput(City), [text("no json"), text("{}"), value({"city": "Rome"})]),
    ],
)
async def test_corrections_replay_without_the_service_that_they_were_recorded_from(
    form: Any, replies: list[Reply], server: OpenAIServer, key: str, path: Path
) -> None:
    server.reply(*replies)
    configured = ConfiguredProviders({"OPENAI_API_KEY": key, "OPENAI_BASE_URL": server.base_url})
    first = recorder(configured, path)
    retries = {"output": 5, "tools": 5}
    recorded = (await Agent(model(first), output_type=form, retries=retries).run("hello")).output
    first.save()
    await configured.aclose()
    again = RecordedProviders(ConfiguredProviders({}), Recording.load(path))
    assert (await Agent(model(again), output_type=form, retries=retries).run("hello")).output == recorded
    assert again.log.replayed == len(replies)


async def test_a_recorded_call_is_sent_as_one_that_is_not_recorded(key: str, path: Path) -> None:
    sent: list[Any] = []
    for recorded in (False, True):
        with OpenAIServer(text("no tool"), value({"city": "Rome"})) as server:
            configured = ConfiguredProviders({"OPENAI_API_KEY": key, "OPENAI_BASE_URL": server.base_url})
            providers: Any = recorder(configured, path) if recorded else configured
            await Agent(model(providers), output_type=City).run("hello")
            await configured.aclose()
            sent.append([request.body for request in server.requests])
    assert sent[0] == sent[1]


async def test_a_form_that_is_no_tool_replays(path: Path) -> None:
    first = recorder(ScriptedProviders(), path)
    recorded = (await Agent(model(first), output_type=NativeOutput(City)).run("hello")).output
    first.save()
    assert (await Agent(model(replayer(path)), output_type=NativeOutput(City)).run("hello")).output == recorded


async def test_answers_with_files_and_broken_arguments_replay(path: Path) -> None:
    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            picture = BinaryContent(b"\x89PNG", media_type="image/png")
            return ModelResponse(
                parts=[
                    ThinkingPart("hm", signature="sig", id="rs_1"),
                    FilePart(picture),
                    ToolCallPart("double", '{"number": '),
                ]
            )
        return ModelResponse(parts=[TextPart("done")])

    inner = Given(FunctionModel(answer, model_name="gpt-5-mini"))
    first = recorder(inner, path)
    await doubling(model(first)).run("hello")
    first.save()
    again = replayer(path)
    result = await doubling(model(again)).run("hello")
    assert result.output == "done"
    (file,) = [part for message in result.all_messages() for part in message.parts if isinstance(part, FilePart)]
    assert file.content.data == b"\x89PNG"
    stored = content(path)
    assert "rs_1" not in stored
    assert '"sig"' not in stored


async def test_values_that_a_tool_returns_count_too(path: Path) -> None:
    def agent(providers: RecordedProviders, result: Any) -> Agent[Any, Any]:
        made = Agent(model(providers))

        @made.tool_plain
        def look(number: int) -> Any:
            return result

        return made

    returned = {"city": City(city="Rome"), "raw": BinaryContent(b"x", media_type="image/png"), "rows": [1, (2, 3)]}
    first = recorder(ScriptedProviders(), path)
    await agent(first, returned).run("hello")
    first.save()
    assert (await agent(replayer(path), returned).run("hello")).output
    with pytest.raises(ReplayMissing, match="Oslo"):
        await agent(replayer(path), {**returned, "city": City(city="Oslo")}).run("hello")


async def test_a_call_without_an_agent_counts_its_instructions(path: Path) -> None:
    from pydantic_ai.messages import ModelRequest
    from pydantic_ai.models import ModelRequestParameters

    async def ask(providers: RecordedProviders, instructions: str | None) -> ModelResponse:
        messages: list[ModelMessage] = [ModelRequest.user_text_prompt("hello", instructions=instructions)]
        return await model(providers).request(messages, None, ModelRequestParameters())

    first = recorder(ScriptedProviders(), path)
    await ask(first, "Be short.")
    first.save()
    assert (await ask(replayer(path), "Be short.")).parts
    with pytest.raises(ReplayMissing, match="system prompt"):
        await ask(replayer(path), None)


async def test_parts_of_messages_that_are_rarely_seen_count_too(path: Path) -> None:
    from pydantic_ai.messages import ModelRequest, NativeToolCallPart, ToolAvailabilityDeltaPart
    from pydantic_ai.models import ModelRequestParameters

    async def ask(providers: RecordedProviders, query: str) -> ModelResponse:
        messages: list[ModelMessage] = [
            ModelRequest.user_text_prompt("hello"),
            ModelResponse(parts=[NativeToolCallPart("web_search", {"query": query}, tool_call_id="c1")]),
            ModelRequest(parts=[ToolAvailabilityDeltaPart(tools_added=[query])]),
        ]
        return await model(providers).request(messages, None, ModelRequestParameters())

    first = recorder(ScriptedProviders(), path)
    await ask(first, "harbours")
    first.save()
    assert (await ask(replayer(path), "harbours")).parts
    with pytest.raises(ReplayMissing, match="castles"):
        await ask(replayer(path), "castles")


async def test_a_missing_call_is_made_where_that_is_allowed(path: Path) -> None:
    first = recorder(ScriptedProviders(), path)
    await Agent(model(first)).run("hello")
    first.save()
    inner = ScriptedProviders()
    again = RecordedProviders(inner, Recording.load(path), "call")
    for prompt in ("hello", "goodbye"):
        await Agent(model(again)).run(prompt)
    assert (again.log.calls, again.log.replayed, again.log.missing) == (1, 1, 1)
    assert inner.calls == 1


@pytest.mark.parametrize("how", ["whole", "streamed"])
async def test_a_missing_call_of_a_model_that_is_not_configured_says_what_to_set(how: str, path: Path) -> None:
    again = RecordedProviders(ConfiguredProviders({}), Recording.load(path), "call")
    agent = Agent(model(again))
    with pytest.raises(NodeError, match="set the environment variable OPENAI_API_KEY"):
        await (agent.run("hello") if how == "whole" else streamed(agent))
    assert again.log.calls == 0


async def test_an_answer_that_breaks_off_is_not_recorded(server: OpenAIServer, key: str, path: Path) -> None:
    server.reply(cut("one two three four five six"))
    configured = ConfiguredProviders({"OPENAI_API_KEY": key, "OPENAI_BASE_URL": server.base_url})
    first = recorder(configured, path)
    with pytest.raises(ProviderError):
        await streamed(Agent(model(first)))
    assert first.save() is False
    await configured.aclose()


async def test_an_answer_that_nobody_waited_for_is_not_recorded(path: Path) -> None:
    first = recorder(ScriptedProviders({"language_model": "one two three"}), path)
    async with Agent(model(first)).run_stream("hello") as result:
        async for _ in result.stream_text(delta=True, debounce_by=None):
            await result.cancel()
            break
    assert first.save() is False


async def test_a_cancelled_call_is_not_recorded(server: OpenAIServer, key: str, path: Path) -> None:
    server.reply(stall())
    configured = ConfiguredProviders({"OPENAI_API_KEY": key, "OPENAI_BASE_URL": server.base_url})
    first = recorder(configured, path)
    call = asyncio.create_task(streamed(Agent(model(first))))
    await asyncio.to_thread(server.wait_for, 1)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(call, 5)
    assert first.save() is False
    await configured.aclose()


async def recorded_file(path: Path) -> dict[str, Any]:
    first = recorder(ScriptedProviders({"language_model": "one two three"}), path)
    await streamed(Agent(model(first)))
    first.save()
    return json.loads(content(path))


async def test_pieces_are_lengths_in_the_file(path: Path) -> None:
    (call,) = (await recorded_file(path))["calls"]
    assert call["response"]["pieces"] == "0:3,4,6"


async def test_an_answer_that_was_edited_by_hand_comes_whole(path: Path) -> None:
    data = await recorded_file(path)
    data["calls"][0]["response"]["parts"][0]["content"] = "edited"
    rewrite(path, data)
    assert await streamed(Agent(model(replayer(path)))) == ["edited"]


@pytest.mark.parametrize(
    "change",
    [{"parts": None}, {"parts": [{"part_kind": "nonsense"}]}, {"pieces": "7:1"}, {"pieces": "x"}, {"usage": "much"}],
)
async def test_a_damaged_answer_is_told_when_it_is_needed(change: dict[str, Any], path: Path) -> None:
    data = await recorded_file(path)
    data["calls"][0]["response"] |= change
    rewrite(path, data)
    with pytest.raises(RecordingError, match=r'"response" of the call with key .* is no answer of a language_model'):
        await streamed(Agent(model(replayer(path))))


async def test_a_copy_of_a_recording_replays_elsewhere(path: Path, tmp_path: Path) -> None:
    await recorded_file(path)
    copy = tmp_path / "copy.json"
    shutil.copy(path, copy)
    assert await streamed(Agent(model(replayer(copy)))) == ["one", " two", " three"]
