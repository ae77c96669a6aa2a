"""Language model nodes over a real connection, to a scripted server that speaks like OpenAI."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

import openai_server as wire

pytest.importorskip("pydantic_ai", reason="needs the model library")

from greenrun.workflows.engine import NoServices, run_graph
from greenrun.workflows.graph import load_graph
from greenrun.workflows.node import NodeError
from greenrun.workflows.nodes.agents import Agent, Extractor
from greenrun.workflows.nodes.generators import DataGenerator
from greenrun.workflows.providers.configured import ConfiguredProviders
from greenrun.workflows.providers.errors import ProviderError
from greenrun.workflows.registry import default_registry
from openai_server import OpenAIServer
from talking import CHOICE, Desk, contents, fired

BOUND = 5


class WiredDesk(Desk):
    """A node's host whose models are those of the environment."""

    def __init__(self, providers: ConfiguredProviders, **given: Any) -> None:
        super().__init__(**given)
        self.providers = providers

    def provider(self, kind: str, name: str) -> Any:
        return self.providers.provider(kind, name)


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


@contextlib.asynccontextmanager
async def providers_at(url: str) -> AsyncIterator[ConfiguredProviders]:
    providers = ConfiguredProviders({"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-secret-key-1"}, read_timeout=BOUND)
    yield providers
    await providers.aclose()


@pytest.fixture
async def desk(server: OpenAIServer) -> AsyncIterator[WiredDesk]:
    async with providers_at(server.base_url) as providers:
        yield WiredDesk(providers, functions={"m:look": {"sky": "blue"}})


async def test_an_agent_streams_and_is_billed(server: OpenAIServer, desk: WiredDesk) -> None:
    server.reply(wire.text("", pieces=["Hel", "lo"], thinking="hm", usage=(1000, 500)))
    records = await fired(Agent, desk, system="Be brief.", prompt="hi")
    assert contents(records) == ["Hel", "lo"]
    assert contents(records, "thinking") == ["hm"]
    assert {"text": "Hello"} in records
    [told] = desk.of("llm_call")
    assert (told["input_tokens"], told["output_tokens"]) == (1000, 500)
    assert told["cost"] == pytest.approx(desk.cost)
    assert desk.cost > 0
    [request] = server.requests
    assert request.stream
    assert request.texts == ["Be brief.", "hi"]


async def test_an_agent_works_with_tools(server: OpenAIServer, desk: WiredDesk) -> None:
    server.reply(wire.calls(("look", {})), wire.text("It is blue."))
    records = await fired(Agent, desk, prompt="?", tools=["m:look"])
    assert {"text": "It is blue."} in records
    assert server.requests[0].tools == ["look"]
    assert '{"sky":"blue"}' in str(server.requests[1].body["messages"])


async def test_values_are_asked_for_as_a_tool_call(server: OpenAIServer, desk: WiredDesk) -> None:
    server.reply(wire.value({"city": "Paris"}))
    assert await fired(Extractor, desk, {"city": "str"}, text="In Paris.") == [{"city": "Paris"}]
    [tool] = server.requests[0].body["tools"]
    assert tool["function"]["name"] == "submit_result"


async def test_rows_come_over_the_wire(server: OpenAIServer, desk: WiredDesk) -> None:
    server.reply(wire.value({"rows": [{"a": 1}, {"a": 2}]}))
    columns = {"columns": [{"name": "a", "data_type": "int"}]}
    records = await fired(DataGenerator, desk, prompt="x", columns=columns)
    assert [record["record"] for record in records[:-1]] == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (wire.failure(401), "auth"),
        (wire.failure(402), "payment"),
        (wire.failure(404), "not_found"),
        (wire.failure(429, headers={"retry-after": "60"}), "rate_limit"),
        (wire.failure(400), "client"),
        (wire.failure(503, headers={"retry-after-ms": "1"}), "server"),
        (wire.garbage(), "server"),
        (wire.cut("a long answer that never ends"), "network"),
    ],
    ids=["401", "402", "404", "429", "400", "503", "garbage", "cut"],
)
async def test_each_failure_is_a_clear_error_in_bounded_time(
    server: OpenAIServer, desk: WiredDesk, reply: wire.Reply, kind: str
) -> None:
    server.reply(reply)
    with pytest.raises(ProviderError) as caught:
        await asyncio.wait_for(fired(Agent, desk, prompt="hi"), BOUND)
    assert caught.value.kind == kind
    assert "openai" in str(caught.value)
    assert "sk-secret" not in str(caught.value)
    assert [message["kind"] for message in desk.of("provider_call_failed")] == [kind]
    assert len(server.requests) <= 2


async def test_a_refused_key_names_the_variable_that_holds_it(server: OpenAIServer, desk: WiredDesk) -> None:
    server.reply(wire.failure(401))
    with pytest.raises(ProviderError) as caught:
        await fired(Agent, desk, prompt="hi")
    assert caught.value.error_detail == {
        "code": "provider_auth",
        "provider": "openai",
        "secret_key": "OPENAI_API_KEY",
    }


async def test_a_broken_tool_call_is_corrected_or_given_up(server: OpenAIServer, desk: WiredDesk) -> None:
    server.reply(wire.calls(("submit_result", '{"city": [')), wire.value({"city": "Rome"}))
    assert await fired(Extractor, desk, {"city": "str"}, text="x") == [{"city": "Rome"}]
    server.reply(wire.calls(("submit_result", '{"city": [')))
    with pytest.raises(NodeError, match="no structured data for city"):
        await fired(Extractor, desk, {"city": "str"}, text="x")


async def test_a_server_that_says_nothing_is_left_at_the_time_limit(server: OpenAIServer, desk: WiredDesk) -> None:
    server.reply(wire.stall())
    with pytest.raises(NodeError, match=r"not done within 0\.2 s"):
        await asyncio.wait_for(fired(Agent, desk, prompt="hi", timeout_s=0.2), BOUND)
    await asyncio.to_thread(server.wait_for, 1, hangups=1)
    assert [message["kind"] for message in desk.of("provider_call_failed")] == ["timeout"]


class Wired(NoServices):
    def __init__(self, providers: ConfiguredProviders) -> None:
        self.providers = providers

    def provider(self, kind: str, name: str) -> Any:
        return self.providers.provider(kind, name)


def agent_run(providers: ConfiguredProviders, emit: Any) -> asyncio.Task[Any]:
    """A run of one agent."""
    node = {"id": "a", "type": Agent.node_type, "data": {"model": CHOICE, "prompt": "hi"}}
    return asyncio.create_task(
        run_graph(
            load_graph({"nodes": [node], "edges": []}),
            registry=default_registry(),
            params={},
            job_id="job-1",
            emit=emit,
            services=Wired(providers),
        )
    )


async def test_the_error_of_a_node_carries_what_to_set(server: OpenAIServer, desk: WiredDesk) -> None:
    server.reply(wire.failure(401))
    told: list[dict[str, Any]] = []
    result = await asyncio.wait_for(agent_run(desk.providers, told.append), BOUND)
    assert result.status == "failed"
    [failed] = [m for m in told if m["type"] == "node_update" and m["status"] == "error"]
    assert failed["error_detail"] == {"code": "provider_auth", "provider": "openai", "secret_key": "OPENAI_API_KEY"}


async def test_cancelling_before_the_first_token_closes_the_connection(server: OpenAIServer, desk: WiredDesk) -> None:
    server.reply(wire.stall())
    run = agent_run(desk.providers, lambda message: None)
    await asyncio.to_thread(server.wait_for, 1)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(run, 1)
    await asyncio.to_thread(server.wait_for, 1, hangups=1)


async def test_cancelling_while_tokens_stream_closes_the_connection() -> None:
    closed = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        chunk = b'{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":'
        writer.write(b"data: " + chunk + b'{"role":"assistant","content":"Hel"}}]}\n\n')
        await writer.drain()
        # Nothing more comes from a client but the end of its connection.
        while await reader.read(1000):
            pass
        closed.set()
        writer.close()

    told: list[dict[str, Any]] = []
    first = asyncio.Event()

    def emit(message: dict[str, Any]) -> None:
        told.append(message)
        if message["type"] == "chunk":
            first.set()

    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    async with listener, providers_at(f"http://127.0.0.1:{port}/v1") as providers:
        run = agent_run(providers, emit)
        await asyncio.wait_for(first.wait(), BOUND)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(run, 1)
        await asyncio.wait_for(closed.wait(), 1)
    assert [m["content"] for m in told if m["type"] == "chunk"] in (["Hel"], ["Hel", ""])
    assert [m["interrupted"] for m in told if m["type"] == "llm_call"] == [True]
    assert told[-1]["status"] == "cancelled"
