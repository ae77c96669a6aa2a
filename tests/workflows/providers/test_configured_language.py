from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from greenrun.workflows.node import NodeError
from greenrun.workflows.providers.configured import ConfiguredProviders
from greenrun.workflows.providers.errors import ProviderError
from openai_server import OpenAIServer, Reply, calls, cut, failure, garbage, raw, slow, stall, text, value

pytest.importorskip("openai", reason="needs pydantic-ai with its OpenAI client")

from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model
from pydantic_ai.output import NativeOutput

from greenrun.workflows.providers import language

Configured = Callable[..., AbstractAsyncContextManager[ConfiguredProviders]]


@pytest.fixture
def no_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client's pause before it tries again is not what is looked at."""
    monkeypatch.setattr(language, "RETRIES", 0)


class City(BaseModel):
    city: str


def model(providers: ConfiguredProviders, name: str = "openai:gpt-5-mini") -> Model:
    return providers.provider("language_model", name)


async def streamed(asked: Model) -> list[str]:
    async with Agent(asked).run_stream("hello") as result:
        return [piece async for piece in result.stream_text(delta=True, debounce_by=None)]


async def whole(asked: Model) -> str:
    return (await Agent(asked).run("hello")).output


async def failed(asked: Model, how: Callable[[Model], Any]) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await how(asked)
    return caught.value


async def test_a_model_answers_with_the_key_and_address_of_the_environment(
    server: OpenAIServer, configured: Configured, key: str
) -> None:
    server.reply(text("Hello there"))
    async with configured(server) as providers:
        assert await whole(model(providers)) == "Hello there"
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {key}"
    assert request.body["model"] == "gpt-5-mini"


async def test_the_environment_of_the_process_does_not_count(
    server: OpenAIServer, configured: Configured, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    async with configured(server) as providers:
        await whole(model(providers))
    assert server.requests[0].headers["authorization"] == f"Bearer {key}"


async def test_an_answer_is_streamed_in_pieces(server: OpenAIServer, configured: Configured) -> None:
    server.reply(text("", pieces=["He", "llo", " there"]))
    async with configured(server) as providers:
        assert await streamed(model(providers)) == ["He", "llo", " there"]


async def test_structured_answers_and_tools_work(server: OpenAIServer, configured: Configured) -> None:
    server.reply(calls(("double", {"number": 2})), value({"city": "Rome"}))
    async with configured(server) as providers:
        agent = Agent(model(providers), output_type=City)

        @agent.tool_plain
        def double(number: int) -> int:
            return number * 2

        assert (await agent.run("go")).output == City(city="Rome")
    assert server.requests[1].body["messages"][-1]["content"] == "4"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("openai:gpt-5-mini", "OpenAIResponsesModel"),
        ("openai-chat:gpt-5-mini", "OpenAIChatModel"),
        ("anthropic:claude-sonnet-5", "AnthropicModel"),
        ("google-gla:gemini-2.5-flash", "GoogleModel"),
        ("gemini:gemini-2.5-flash", "GoogleModel"),
        ("openrouter:openai/gpt-5-mini", "OpenRouterModel"),
        ("ollama:llama3:8b", "OllamaModel"),
        ("deepseek:deepseek-chat", "OpenAIChatModel"),
    ],
)
async def test_a_model_string_becomes_the_model_of_its_service(name: str, expected: str, key: str) -> None:
    clients = {"AnthropicModel": "anthropic", "GoogleModel": "google.genai"}
    pytest.importorskip(clients.get(expected, "openai"), reason="needs the client of that service")
    names = ("OPENAI", "ANTHROPIC", "GOOGLE", "OPENROUTER", "DEEPSEEK")
    providers = ConfiguredProviders({f"{name}_API_KEY": key for name in names})
    asked: Any = model(providers, name)
    assert type(asked.wrapped).__name__ == expected
    assert asked.model_name == name.partition(":")[2]
    await providers.aclose()


async def test_a_server_of_ones_own_needs_no_key(server: OpenAIServer) -> None:
    providers = ConfiguredProviders({"OLLAMA_BASE_URL": server.base_url})
    assert await whole(model(providers, "ollama:llama3")) == "Hello from the model."
    await providers.aclose()


async def test_a_server_that_speaks_as_openai_does_needs_no_key(server: OpenAIServer) -> None:
    providers = ConfiguredProviders({"OPENAI_BASE_URL": server.base_url})
    assert await whole(model(providers, "openai:local")) == "Hello from the model."
    await providers.aclose()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("openai:gpt-5-mini", 'the model provider "openai" has no key; set the environment variable OPENAI_API_KEY'),
        (
            "google-gla:gemini-2.5-flash",
            'provider "google-gla" has no key; set the environment variable GOOGLE_API_KEY',
        ),
        ("vllm:m", 'the model provider "vllm" has no address; set VLLM_BASE_URL'),
        ("nope:m", 'the model provider "nope" is not known here; known: anthropic, '),
        ("gpt-5-mini", '"gpt-5-mini" names no model; a provider and a model are needed'),
    ],
)
@pytest.mark.case("NO-A9-1")
def test_a_model_that_is_not_configured_says_what_to_set(name: str, said: str) -> None:
    with pytest.raises(NodeError) as caught:
        ConfiguredProviders({"OPENAI_API_KEY": " "}).provider("language_model", name)
    assert said in str(caught.value)


def test_a_second_variable_of_a_service_counts_too(key: str) -> None:
    pytest.importorskip("google.genai", reason="needs the client of that service")
    assert model(ConfiguredProviders({"GEMINI_API_KEY": key}), "gemini:gemini-2.5-flash")


def test_a_client_that_is_missing_says_how_to_install_it(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(provider: str) -> Any:
        raise ImportError(provider)

    monkeypatch.setattr(language, "infer_provider_class", absent)
    with pytest.raises(NodeError, match=r'pip install "pydantic-ai-slim\[groq\]"'):
        model(ConfiguredProviders({"GROQ_API_KEY": key}), "groq:llama")


def test_what_a_service_wants_besides_a_key_is_told(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def wants_more(provider: str) -> Any:
        raise UserError("a region is missing")

    monkeypatch.setattr(language, "infer_provider_class", wants_more)
    with pytest.raises(NodeError, match='provider "groq" cannot be used as it is set up: a region is missing'):
        model(ConfiguredProviders({"GROQ_API_KEY": key}), "groq:llama")


def test_without_the_extra_the_command_is_named(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greenrun.workflows.extras.is_installed", lambda extra: False)
    with pytest.raises(NodeError, match=r'needs pydantic-ai; add it with: pip install "greenrun\[llm\]"'):
        model(ConfiguredProviders({"OPENAI_API_KEY": key}))


FAILURES: list[tuple[Reply, str]] = [
    (failure(401), "auth"),
    (failure(402), "payment"),
    (failure(404), "not_found"),
    (failure(429, headers={"retry-after": "30"}), "rate_limit"),
    (failure(500), "server"),
    (garbage(), "server"),
    (cut("one two three four five six seven"), "network"),
]


@pytest.mark.usefixtures("no_retries")
@pytest.mark.parametrize(("reply", "kind"), FAILURES, ids=[kind for _, kind in FAILURES[:5]] + ["garbage", "cut"])
@pytest.mark.parametrize("how", [whole, streamed])
async def test_a_failure_has_a_kind_and_a_short_text_without_the_key(
    how: Callable[[Model], Any], reply: Reply, kind: str, server: OpenAIServer, configured: Configured, key: str
) -> None:
    server.reply(reply)
    async with configured(server) as providers:
        error = await failed(model(providers), how)
    assert error.kind == kind
    assert error.provider == "openai"
    assert len(str(error)) < 500
    assert key not in "".join(traceback.format_exception(error))


async def test_an_empty_answer_is_a_failure_of_the_server(server: OpenAIServer, configured: Configured) -> None:
    server.reply(raw(b""))
    async with configured(server) as providers:
        assert (await failed(model(providers), whole)).kind == "server"


@pytest.mark.usefixtures("no_retries")
@pytest.mark.parametrize("how", [whole, streamed])
async def test_a_server_that_never_answers_is_a_timeout(
    how: Callable[[Model], Any], server: OpenAIServer, configured: Configured
) -> None:
    server.reply(stall())
    async with configured(server, read_timeout=0.05) as providers:
        assert (await failed(model(providers), how)).kind == "timeout"


@pytest.mark.usefixtures("no_retries")
async def test_nobody_at_the_address_is_a_network_error(server: OpenAIServer, configured: Configured) -> None:
    server.close()
    async with configured(server) as providers:
        assert (await failed(model(providers), whole)).kind == "network"


async def test_a_long_rate_limit_is_told_at_once(server: OpenAIServer, configured: Configured) -> None:
    server.reply(failure(429, headers={"retry-after": "30"}))
    async with configured(server) as providers:
        await failed(model(providers), whole)
    assert len(server.requests) == 1


async def test_a_rate_limit_until_a_date_is_told_at_once(server: OpenAIServer, configured: Configured) -> None:
    server.reply(failure(429, headers={"retry-after": "Wed, 21 Oct 2037 07:28:00 GMT"}))
    async with configured(server) as providers:
        await failed(model(providers), whole)
    assert len(server.requests) == 1


async def test_a_short_hitch_is_tried_once_more(server: OpenAIServer, configured: Configured) -> None:
    server.reply(failure(429, headers={"retry-after-ms": "1"}), text("now it works"))
    async with configured(server) as providers:
        assert await whole(model(providers)) == "now it works"


async def test_an_answer_without_end_is_given_up(
    server: OpenAIServer, configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language, "MOST_BYTES", 2_000)
    server.reply(text("word " * 2_000))
    async with configured(server) as providers:
        error = await failed(model(providers), streamed)
    assert "larger than 2,000 bytes" in str(error)


async def test_cancelling_closes_the_connection(server: OpenAIServer, configured: Configured) -> None:
    server.reply(stall())
    async with configured(server) as providers:
        call = asyncio.create_task(streamed(model(providers)))
        await asyncio.to_thread(server.wait_for, 1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(call, 5)
        await asyncio.to_thread(server.wait_for, 1, hangups=1)


async def test_a_stream_that_is_cancelled_in_the_middle_raises_nothing_else(
    server: OpenAIServer, configured: Configured
) -> None:
    server.reply(slow("one two three four five", per_byte=0.0002))
    async with configured(server) as providers:
        async with Agent(model(providers)).run_stream("hello") as result:
            async for _ in result.stream_text(delta=True, debounce_by=None):
                await result.cancel()
                break
        assert result.cancelled


async def test_an_error_of_the_consumer_stays_what_it_is(server: OpenAIServer, configured: Configured) -> None:
    class OwnError(Exception):
        pass

    async with configured(server) as providers:
        with pytest.raises(OwnError):
            async with Agent(model(providers)).run_stream("hello"):
                raise OwnError


async def test_what_a_model_cannot_do_is_no_failure_of_the_provider(key: str) -> None:
    providers = ConfiguredProviders({"DEEPSEEK_API_KEY": key})
    agent = Agent(model(providers, "deepseek:deepseek-chat"), output_type=NativeOutput(City))
    with pytest.raises(UserError):
        await agent.run("hello")
    await providers.aclose()


async def test_nothing_is_logged_with_the_key(
    server: OpenAIServer, configured: Configured, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.reply(failure(401, f"Incorrect API key provided: {key}"))
    async with configured(server) as providers:
        error = await failed(model(providers), whole)
    assert key not in caplog.text
    assert key not in str(error)


def test_each_event_loop_has_connections_of_its_own(server: OpenAIServer, key: str) -> None:
    providers = ConfiguredProviders({"OPENAI_API_KEY": key, "OPENAI_BASE_URL": server.base_url})

    async def ask(close: bool) -> str:
        said = await whole(model(providers))
        if close:
            await providers.aclose()
        return said

    assert asyncio.run(ask(False)) == asyncio.run(ask(True)) == "Hello from the model."


async def test_a_model_that_is_asked_for_again_is_the_same(key: str) -> None:
    providers = ConfiguredProviders({"OPENAI_API_KEY": key})
    assert model(providers) is model(providers)
    assert model(providers) is not model(providers, "openai:gpt-5")
    await providers.aclose()


async def test_closing_unused_providers_is_fine() -> None:
    providers = ConfiguredProviders({})
    await providers.aclose()
    await providers.aclose()
