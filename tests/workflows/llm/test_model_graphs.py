"""Graphs with language model nodes on the real engine."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="needs the model library")

from pydantic_ai.models.function import FunctionModel

from greenrun.workflows.engine import NoServices, RunResult, run_graph
from greenrun.workflows.graph import load_graph
from greenrun.workflows.node import NodeError
from greenrun.workflows.registry import default_registry
from talking import CHOICE, NAME, Talker, call, submit

BOUND = 10
AGENT = "nodetool.agents.Agent"
OUTPUT = "nodetool.output.Output"

Message = dict[str, Any]


class Host(NoServices):
    """The services of a host with one model."""

    def __init__(self, model: Any = None) -> None:
        self.model = getattr(model, "model", model)

    def provider(self, kind: str, name: str) -> Any:
        if self.model is None or (kind, name) != ("language_model", NAME):
            raise NodeError(f'the model provider of "{name}" has no key')
        return self.model


def graph(nodes: dict[str, tuple[str, dict[str, Any]]], edges: Sequence[str], **extra: dict[str, Any]) -> Any:
    """A graph of ``id: (type, data)`` and edges ``"a.x -> b.y"``; ``=>`` is a control edge."""
    stored = [
        {
            "id": key,
            "type": kind,
            "data": {"model": CHOICE, **data} if "agents" in kind or "generators" in kind else data,
        }
        | extra.get(key, {})
        for key, (kind, data) in nodes.items()
    ]
    lines: list[dict[str, Any]] = []
    for place, text in enumerate(edges):
        (source, out), (target, into) = (end.strip().rsplit(".", 1) for end in text.replace("=>", "->").split("->"))
        line = {"id": f"e{place}", "source": source, "sourceHandle": out, "target": target, "targetHandle": into}
        lines.append(line | ({"edge_type": "control"} if "=>" in text else {}))
    return load_graph({"nodes": stored, "edges": lines})


async def run(built: Any, host: Host, **options: Any) -> tuple[RunResult, list[Message]]:
    told: list[Message] = []
    work = run_graph(
        built, registry=default_registry(), params={}, job_id="job-1", emit=told.append, services=host, **options
    )
    return await asyncio.wait_for(work, BOUND), told


def values(told: list[Message], node: str) -> list[Any]:
    return [message["value"] for message in told if message["type"] == "output_update" and message["node_id"] == node]


async def test_agent_streams_into_an_output() -> None:
    built = graph(
        {"a": (AGENT, {"prompt": "hi"}), "c": (OUTPUT, {"name": "live"}), "t": (OUTPUT, {"name": "answer"})},
        ["a.chunk -> c.value", "a.text -> t.value"],
    )
    result, told = await run(built, Host(Talker(["Hel", "lo"])))
    assert result.status == "completed"
    assert values(told, "c") == ["Hel", "lo"]
    assert values(told, "t") == ["Hello"]


async def test_messages_come_in_the_order_of_what_happens() -> None:
    built = graph({"a": (AGENT, {"prompt": "hi"}), "t": (OUTPUT, {"name": "answer"})}, ["a.text -> t.value"])
    _, told = await run(built, Host(Talker(["Hel", "lo"])))
    mine = [(m["type"], m.get("status") or m.get("content")) for m in told if m.get("node_id") in (None, "a")]
    order = [entry for entry in mine if entry[0] in ("job_update", "node_update", "chunk", "llm_call")]
    assert order == [
        ("job_update", "running"),
        ("node_update", "running"),
        ("chunk", "Hel"),
        ("chunk", "lo"),
        ("llm_call", None),
        ("chunk", ""),
        ("node_update", "completed"),
        ("job_update", "completed"),
    ]
    assert all(message["job_id"] == "job-1" for message in told)


async def test_agent_asks_once_per_item_and_answers_stay_with_their_items() -> None:
    async def shout(messages: Any, info: Any) -> Any:
        said = messages[-1].parts[-1].content
        # The first item takes longest, so that order of arrival would mix them up.
        for _ in range(20 if said == "say a" else 1):
            await asyncio.sleep(0)
        yield said.removeprefix("say ").upper()

    built = graph(
        {
            "each": ("nodetool.control.ForEach", {"input_list": ["a", "b", "c"]}),
            "a": (AGENT, {"prompt": "say {{ item }}"}),
            "pair": ("nodetool.text.Concat", {}),
            "out": ("nodetool.control.Collect", {}),
        },
        ["each.output -> a.item", "each.output -> pair.x", "a.text -> pair.y", "pair.output -> out.input_item"],
    )
    result, told = await run(built, Host(FunctionModel(stream_function=shout)))
    assert result.status == "completed", result.error
    assert values(told, "out") == [["aA", "bB", "cC"]]


@pytest.mark.case("NO-B1-4")
async def test_declared_outputs_leave_on_handles_of_their_own() -> None:
    built = graph(
        {"a": (AGENT, {"prompt": "Where?"}), "t": (OUTPUT, {"name": "city"})},
        ["a.city -> t.value"],
        a={"dynamic_outputs": {"city": {"type": "str"}}},
    )
    _, told = await run(built, Host(Talker(submit(city="Paris"))))
    assert values(told, "t") == ["Paris"]


@pytest.mark.case("NO-B1-4")
async def test_a_run_without_a_model_is_refused_and_says_that_none_is_selected() -> None:
    built = graph({"a": (AGENT, {"prompt": "hi", "model": None})}, [])
    result, _ = await run(built, Host())
    assert result.status == "failed"
    assert "no model is selected" in str(result.error)


@pytest.mark.case("NO-B1-5")
async def test_a_table_without_a_provider_fails_its_node_without_rows() -> None:
    columns = {"type": "record_type", "columns": [{"name": "a", "data_type": "string"}]}
    built = graph(
        {
            "g": ("nodetool.generators.DataGenerator", {"prompt": "x", "columns": columns}),
            "r": (OUTPUT, {"name": "record"}),
            "t": (OUTPUT, {"name": "table"}),
        },
        ["g.record -> r.value", "g.dataframe -> t.value"],
    )
    result, told = await run(built, Host())
    assert result.status == "failed"
    assert "has no key" in str(result.error)
    assert values(told, "r") == values(told, "t") == []


async def test_rows_are_an_iteration_with_an_index() -> None:
    columns = {"type": "record_type", "columns": [{"name": "a", "data_type": "int"}]}
    built = graph(
        {
            "g": ("nodetool.generators.DataGenerator", {"prompt": "x", "columns": columns}),
            "i": ("nodetool.control.Collect", {}),
            "r": ("nodetool.control.Collect", {}),
        },
        ["g.index -> i.input_item", "g.record -> r.input_item"],
    )
    result, told = await run(built, Host(Talker(submit(rows=[{"a": 1}, {"a": 2}]))))
    assert result.status == "completed", result.error
    assert values(told, "i") == [[0, 1]]
    assert values(told, "r") == [[{"a": 1}, {"a": 2}]]
    [table] = values(told, "g")
    assert table["rows"] == [{"a": 1}, {"a": 2}]


async def test_a_controlled_node_runs_when_the_model_calls_it() -> None:
    built = graph(
        {
            "a": (AGENT, {"prompt": "Greet Ada"}),
            "t": ("nodetool.text.Template", {"string": "Hi {{ who }}"}),
            "o": (OUTPUT, {"name": "greeting"}),
        },
        ["a.__control__ => t.__control__", "t.output -> o.value"],
    )
    talker = Talker(call("Template", string="Hi Ada"), "Greeted.")
    result, told = await run(built, Host(talker))
    assert result.status == "completed", result.error
    assert values(told, "o") == ["Hi Ada"]
    assert talker.results == [{"output": "Hi Ada"}]


async def test_agents_share_a_thread_of_their_run() -> None:
    talker = Talker("Nice to meet you.", "Ada.")
    built = graph(
        {
            "id": ("nodetool.agents.CreateThread", {}),
            "a": (AGENT, {"prompt": "I am Ada."}),
            "b": (AGENT, {"prompt": "Who am I? {{ before }}"}),
        },
        ["id.thread_id -> a.thread_id", "id.thread_id -> b.thread_id", "a.text -> b.before"],
    )
    result, _ = await run(built, Host(talker))
    assert result.status == "completed", result.error
    assert talker.prompts == ["I am Ada.", "Who am I? Nice to meet you."]


async def test_the_cost_of_a_run_is_that_of_its_calls() -> None:
    built = graph({"a": (AGENT, {"prompt": "hi"}), "b": (AGENT, {"prompt": "ho"})}, [])
    result, told = await run(built, Host(Talker("hello there")))
    costs = [message["cost"] for message in told if message["type"] == "llm_call"]
    assert len(costs) == 2
    assert result.cost == pytest.approx(sum(costs))


async def test_a_spent_budget_ends_the_run_with_its_code() -> None:
    built = graph({"a": (AGENT, {"prompt": "hi"}), "b": (AGENT, {"prompt": "{{ x }}"})}, ["a.text -> b.x"])
    talker = Talker("hello")
    result, _ = await run(built, Host(talker), cost_cap=0.0000001)
    assert (result.status, result.error_code) == ("failed", "BUDGET_EXCEEDED")
    assert len(talker.asked) == 1


async def test_a_cancelled_run_ends_the_call_at_once() -> None:
    talker = Talker(["Hel", asyncio.Event(), "lo"])
    told: list[Message] = []
    built = graph({"a": (AGENT, {"prompt": "hi"}), "t": (OUTPUT, {"name": "answer"})}, ["a.text -> t.value"])
    work = asyncio.create_task(
        run_graph(
            built, registry=default_registry(), params={}, job_id="job-1", emit=told.append, services=Host(talker)
        )
    )
    await asyncio.wait_for(talker.started.wait(), BOUND)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(work, 1)
    assert talker.closed == 1
    [usage] = [message for message in told if message["type"] == "llm_call"]
    assert usage["interrupted"] is True
    assert told[-1]["status"] == "cancelled"
    assert values(told, "t") == []


async def test_a_run_out_of_time_ends_the_call_too() -> None:
    talker = Talker(["Hel", asyncio.Event()])
    result, _ = await run(graph({"a": (AGENT, {"prompt": "hi"})}, []), Host(talker), timeout_ms=50)
    assert result.error_code == "TIMED_OUT"
    assert talker.closed == 1


async def test_parallel_agents_under_a_cap_ask_one_by_one() -> None:
    built = graph({f"a{number}": (AGENT, {"prompt": "hi"}) for number in range(5)}, [])
    talker = Talker("an answer")
    result, _ = await run(built, Host(talker), cost_cap=0.0000001)
    assert (len(talker.asked), result.error_code) == (1, "BUDGET_EXCEEDED")


async def test_reader_of_an_answer_that_waits_for_its_own_turn_holds_nothing_up() -> None:
    rows = [{"n": number} for number in range(200)]
    talker = Talker(submit(pieces=400, rows=rows), submit(reason="so", decision=True))
    columns = {"type": "record_type", "columns": [{"name": "n", "data_type": "int"}]}
    built = graph(
        {
            "d": ("nodetool.generators.DataGenerator", {"prompt": "x", "columns": columns}),
            "s": ("nodetool.agents.Decision", {"prompt": "x"}),
        },
        ["d.record -> s.value"],
    )
    result, _ = await asyncio.wait_for(run(built, Host(talker), cost_cap=100), 30)
    assert (result.status, len(talker.asked)) == ("completed", 201)
