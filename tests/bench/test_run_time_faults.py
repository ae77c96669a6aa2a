"""Seeded faults that show when an app runs: in streams, graphs in graphs, servers, models, limits, and stale proofs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest

from bench.faults import apps, front_desk, newsroom
from bench.faults.benign import BENIGN, SAME
from bench.faults.function_code import all_begin_with
from bench.faults.judge import Bench
from bench.faults.kinds import COSTLY, KINDS
from bench.faults.model_kinds import FAILURES
from bench.faults.run import judge_app, summarised
from bench.faults.seed import RECORDING, SERVER, Bed, Draft, Fault, SeedApp, sign
from bench.faults.server import Answer, Server, json_answer

STREAMS = (
    "node that raises in a stream",
    "stream cut short",
    "stream without its first piece",
    "last piece in place of the whole",
    "output that is never fed",
    "iteration over an empty list",
    "limit of a node reached",
    "list with a failed branch",
    "list with an untaken branch",
    "function over its open files",
    "imported module edited after proof",
)
NESTED = (
    "nested node that raises",
    "nested run that is stopped",
    "nested node that returns empty",
    "missing nested output",
    "renamed nested input",
    "renamed nested output",
    "broken nested edge",
    "unknown nested node type",
    "empty nested graph",
    "missing nested workflow",
    "workflow that runs itself",
    "function node that fails",
    "function node without its function",
    "misspelt function of a node",
    "nested graph edited after proof",
)
REQUESTS = (
    "server that fails",
    "server that refuses",
    "server that hangs up",
    "server that never answers",
    "answer that is no JSON",
    "answer of another shape",
    "request to a private address",
    "effect that is not permitted",
)
MODELS = (
    *FAILURES,
    "model provider that sends garbage",
    "model provider that hangs up",
    "missing key of a model provider",
    "node without a usable model",
    "model that is too slow",
    "model that says nothing",
    "model that answers with an error text",
    "model answer of another shape",
    "model that calls an unknown tool",
    "cost over the cap",
    "effect that is not permitted",
    "prompt changed after recording",
    "model changed after recording",
    "node changed after recording",
    "lost recording",
    "recorded answer of another shape",
    "function edited after proof",
)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [("bulletin", STREAMS), ("workshop", NESTED), ("front-desk", REQUESTS), ("newsroom", MODELS)],
)
async def test_faults_of_an_app_are_seen_where_they_are(name: str, kinds: tuple[str, ...]) -> None:
    summary = summarised([await judge_app(apps.load(name), per_kind=1, kinds=kinds)])
    assert summary["missed"] == []
    assert summary["false_reds"] == []
    assert {row["kind"] for row in summary["rows"]} == set(kinds)


def test_kinds_that_take_long_are_kinds() -> None:
    assert KINDS.keys() >= COSTLY
    assert set(SAME) <= BENIGN.keys()


# What an edit does to a proof


@pytest.fixture
async def workshop() -> AsyncIterator[Bench]:
    async with Bench(apps.load("workshop")) as bench:
        report = await bench.simulate(bench.app)
        assert report.verdict.ok
        yield bench


async def test_a_proof_counts_for_the_same_app_only(workshop: Bench) -> None:
    edited = Draft(workshop.app)
    edited.functions["rates"] += "\n# Checked in spring.\n"
    assert await workshop.is_proved(workshop.app)
    assert not await workshop.is_proved(edited.done())


async def test_an_edit_that_a_proof_outlives_counts_as_missed(workshop: Bench) -> None:
    fault = Fault("document edited after proof", workshop.app, "nowhere", ())
    assert not (await workshop.judge(fault)).caught


async def test_nothing_is_seen_of_an_edit_before_anything_was_proved() -> None:
    async with Bench(apps.load("workshop")) as bench:
        outcome = await bench.judge(Fault("document edited after proof", bench.app, "nowhere", ()))
    assert not outcome.caught


# Models


async def test_what_the_models_of_an_app_said_is_recorded_and_said_to_nothing_else() -> None:
    async with Bench(newsroom.app()) as bench:
        assert RECORDING in bench.app.others
        draft = Draft(bench.app)
        draft.graph("draft")["nodes"][2]["data"]["system"] = "You write novels."
        report = await bench.simulate(draft.done())
    assert "writer" in {finding.place.node for finding in report.findings if finding.code == "GR721"}
    assert "has no answer to this call" in report.verdict.headline


async def test_no_key_of_this_machine_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "somebody's")
    async with Bench(newsroom.app()) as bench:
        draft = Draft(bench.app)
        draft.live_in(models="configured")
        report = await bench.simulate(draft.done())
    assert "OPENAI_API_KEY" in report.verdict.headline


# The server


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    server = Server()
    await server.start()
    yield server
    await server.aclose()


async def test_the_server_answers_as_it_is_told(server: Server) -> None:
    server.answers = {"/a": json_answer({"n": 1}, 201)}
    async with httpx.AsyncClient(base_url=server.url) as client:
        told, unknown = await client.get("/a?x=1"), await client.get("/b")
    assert (told.status_code, told.json()) == (201, {"n": 1})
    assert unknown.status_code == 404


async def test_the_server_refuses_what_it_does_not_want(server: Server) -> None:
    server.answers = {"/a": Answer(wants="tea")}
    async with httpx.AsyncClient(base_url=server.url) as client:
        statuses = [(await client.post("/a", content=body)).status_code for body in ("tea at six", "coffee")]
    assert statuses == [200, 422]


@pytest.mark.parametrize("answer", [Answer(ending="close"), Answer(body="never all of it", ending="cut")])
async def test_the_server_hangs_up_when_it_is_told_to(server: Server, answer: Answer) -> None:
    server.answers = {"/a": answer}
    async with httpx.AsyncClient(base_url=server.url) as client:
        with pytest.raises(httpx.RemoteProtocolError):
            await client.get("/a")


async def test_a_server_that_keeps_silent_lets_go_when_it_is_closed() -> None:
    server = Server()
    await server.start()
    server.answers = {"/a": Answer(ending="never")}
    async with httpx.AsyncClient(base_url=server.url) as client:
        waiting = asyncio.create_task(client.get("/a"))
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.shield(waiting), 0.05)
        await server.aclose()
        with pytest.raises(httpx.RemoteProtocolError):
            await asyncio.wait_for(waiting, 5)


async def test_a_request_that_fails_inside_a_nested_graph_is_seen_at_its_node() -> None:
    async with Bench(front_desk.app()) as bench:
        draft = Draft(bench.app)
        draft.answer("/bell", Answer(500))
        report = await bench.simulate(draft.done())
    assert [(finding.code, finding.place.node) for finding in report.findings] == [("GR733", "call/ring")]


async def test_fixes_do_not_keep_the_address_of_the_server() -> None:
    async with Bench(front_desk.app()) as bench:
        draft = Draft(bench.app)
        draft.props("saved")["binding"] = "op:save/oout:saved"
        fixed = await bench.fixed(draft.done())
    assert fixed.document != draft.document
    assert fixed.graphs == bench.app.graphs
    assert SERVER in repr(fixed.graphs)


# Faults


async def test_a_fault_that_only_a_run_can_show_is_not_looked_for_by_check(workshop: Bench) -> None:
    app = workshop.app
    assert Fault("k", app, "", (sign("GR720 GR722", operation="order"), sign("GR908", operation="order"))).needs_runs
    assert not Fault("k", app, "", (sign("GR720", operation="order"), sign("GR619", node="n"))).needs_runs
    assert not Fault("k", app, "", (sign("GR903", operation="order"),)).needs_runs


async def test_every_function_of_a_module_gets_its_first_line(workshop: Bench) -> None:
    source = 'def one():\n    """Says."""\n    return 1\n\n\ndef two():\n    return 2\n'
    operations = [{"id": name, "target": {"kind": "function", "function": f"m:{name}"}} for name in ("one", "two")]
    document = {"schemaVersion": 4, "ui": {"root": {"props": {}}, "content": []}, "operations": operations}
    app = SeedApp("two", document, {"interact": []}, functions={"m": source})
    async with Bench(app) as bench:
        changed = all_begin_with(await bench.bed(), "x = 0")
    assert changed["m"] == source.replace("    return", "    x = 0\n    return")


async def test_keys_in_another_order_are_another_app(workshop: Bench) -> None:
    bed: Bed = await workshop.bed()
    turned = list(bed.fault("turned", "document", lambda draft: setattr(draft, "document", _turned(draft.document))))
    same = list(bed.fault("same", "nothing", lambda draft: None))
    assert (len(turned), len(same)) == (1, 0)
    assert replace(turned[0].app, document=bed.app.document) == bed.app


def _turned(value: dict[str, object]) -> dict[str, object]:
    return dict(reversed(value.items()))
