from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from greenrun.document.model import FunctionTarget, WorkflowTarget
from greenrun.workflows.engine import Answer, RunResult
from greenrun.workflows.functions.errors import FunctionMissing
from greenrun.workflows.functions.ports import FunctionPorts
from greenrun.workflows.graph import Graph, load_graph
from greenrun.workflows.messages import Emit, job_update, output_update
from greenrun.workflows.node import Effects, Node, NodeContext
from greenrun.workflows.registry import Registry
from greenrun.workflows.run import RunSpec, execute

Message = dict[str, Any]


class Level(Node):
    """Sends its strength."""

    node_type = "run.Level"
    strength: float = 0.1

    async def process(self, context: NodeContext) -> float:
        return self.strength


class Post(Node):
    """Sends a request."""

    node_type = "run.Post"
    effects: ClassVar[Effects] = "external"

    async def process(self, context: NodeContext) -> str:
        return "sent"


class Spend(Node):
    """Makes a call that costs money."""

    node_type = "run.Spend"

    async def process(self, context: NodeContext) -> str:
        context.check_budget()
        context.add_cost(0.5)
        return "asked"


class Boom(Node):
    """Fails."""

    node_type = "run.Boom"

    async def process(self, context: NodeContext) -> Any:
        raise ValueError("boom")


class Hang(Node):
    """Never ends."""

    node_type = "run.Hang"

    async def process(self, context: NodeContext) -> Any:
        await asyncio.Event().wait()


class EchoFunctions:
    """Stands in for the worker processes: says what it was asked to run."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.effects: Any = "none"
        self.broken = False

    async def inspect(self, function: str) -> FunctionPorts:
        if self.broken:
            raise FunctionMissing(function, "it is gone")
        return FunctionPorts((), (), effects=self.effects)

    async def run(
        self, function: str, params: dict[str, Any], *, job_id: str, emit: Emit, timeout_ms: float | None = None
    ) -> RunResult:
        self.calls.append((function, params, job_id, timeout_ms))
        emit(job_update("running"))
        emit(output_update("result", "result", "result", params, disposition="replace", done=True))
        emit(job_update("completed"))
        return RunResult("completed", outputs={"result": [params]})


@pytest.fixture
def registry() -> Registry:
    known = Registry()
    for node in (Level, Post, Spend, Boom, Hang):
        known.register(node)
    return known


def one_node(kind: str, **data: Any) -> Graph:
    return load_graph({"nodes": [{"id": "n1", "type": kind, "data": data}], "edges": []})


async def test_graph_runs_under_the_id_of_its_spec(registry: Registry) -> None:
    said: list[Message] = []
    spec = RunSpec("job-7", WorkflowTarget("w"), one_node("run.Level", strength=0.2), workflow_id="w")
    result = await execute(spec, said.append, registry=registry, functions=None)
    assert result.outputs == {"n1": [0.2]}
    assert {(message["job_id"], message["workflow_id"]) for message in said} == {("job-7", "w")}


@pytest.mark.case("HA-3.6-1")
async def test_node_properties_change_this_run_only(registry: Registry) -> None:
    graph = one_node("run.Level", strength=0.2)
    overlaid = RunSpec("a", graph=graph, node_properties={"n1": {"strength": 0.9}, "ghost": {"x": 1}})
    plain = RunSpec("b", graph=graph)
    outputs = [
        (await execute(spec, lambda message: None, registry=registry, functions=None)).outputs["n1"]
        for spec in (overlaid, plain)
    ]
    assert outputs == [[0.9], [0.2]]
    assert graph.stored["nodes"][0]["data"] == {"strength": 0.2}


async def test_function_target_runs_through_the_function_host(registry: Registry) -> None:
    said: list[Message] = []
    functions = EchoFunctions()
    spec = RunSpec("j", FunctionTarget("tools:sum"), params={"a": 1}, timeout_ms=50)
    result = await execute(spec, said.append, registry=registry, functions=functions)
    assert functions.calls == [("tools:sum", {"a": 1}, "j", 50)]
    assert result.outputs == {"result": [{"a": 1}]}
    assert [(message["type"], message["job_id"]) for message in said] == [
        ("job_update", "j"),
        ("output_update", "j"),
        ("job_update", "j"),
    ]


async def test_function_named_in_the_spec_needs_no_target(registry: Registry) -> None:
    functions = EchoFunctions()
    spec = RunSpec("j", function="tools:sum")
    await execute(spec, lambda message: None, registry=registry, functions=functions)
    assert functions.calls[0][0] == "tools:sum"


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (RunSpec("j", FunctionTarget("tools:sum")), "this host runs no functions"),
        (RunSpec("j", WorkflowTarget("w")), "no graph was given"),
    ],
)
async def test_run_without_anything_to_run_fails_and_says_why(registry: Registry, spec: RunSpec, reason: str) -> None:
    said: list[Message] = []
    result = await execute(spec, said.append, registry=registry, functions=None)
    assert result.status == "failed"
    assert reason in str(result.error)
    assert [message["status"] for message in said] == ["running", "failed"]


@pytest.mark.case("HA-3.5-4")
async def test_limit_of_the_spec_stops_the_run_and_nothing_arrives_afterwards(registry: Registry) -> None:
    said: list[Message] = []
    spec = RunSpec("j", graph=one_node("run.Hang"), timeout_ms=5)
    result = await execute(spec, said.append, registry=registry, functions=None)
    assert (result.status, result.timed_out_ms) == ("failed", 5)
    assert "5 ms" in str(result.error)
    assert said[-1]["type"] == "job_update"


async def test_host_is_asked_about_failures(registry: Registry) -> None:
    async def skip(failure: Any) -> Answer:
        return Answer("skip")

    spec = RunSpec("j", graph=one_node("run.Boom"))
    result = await execute(spec, lambda message: None, registry=registry, functions=None, escalate=skip)
    assert result.ok


async def test_two_executions_of_one_spec_say_the_same(registry: Registry) -> None:
    spec = RunSpec("j", graph=one_node("run.Level"))

    async def told() -> list[Message]:
        said: list[Message] = []
        await execute(spec, said.append, registry=registry, functions=None)
        return [
            {key: value for key, value in message.items() if key not in ("duration", "duration_ms")} for message in said
        ]

    assert await told() == await told()


@pytest.mark.parametrize("fault", [RuntimeError, TimeoutError])
async def test_emit_that_raises_is_no_failure_of_the_graph(registry: Registry, fault: type[Exception]) -> None:
    said: list[Message] = []

    def emit(message: Message) -> None:
        said.append(message)
        if message["type"] == "node_update":
            raise fault("disk full")

    with pytest.raises(fault, match="disk full"):
        await execute(RunSpec("j", graph=one_node("run.Level")), emit, registry=registry, functions=None)
    assert (said[-1]["status"], said[-1]["error"]) == ("failed", "the engine failed: disk full")


async def test_graph_that_acts_outside_needs_the_permission_of_its_spec(registry: Registry) -> None:
    spec = RunSpec("j", graph=one_node("run.Post"), allow_external=False)
    result = await execute(spec, lambda message: None, registry=registry, functions=None)
    assert (result.status, result.error_code) == ("failed", "NOT_ALLOWED")
    permitted = await execute(
        replace(spec, allow_external=True), lambda message: None, registry=registry, functions=None
    )
    assert permitted.outputs == {"n1": ["sent"]}


@pytest.mark.parametrize(("cap", "code"), [(0.0, "BUDGET_EXCEEDED"), (None, None)])
async def test_cap_of_the_spec_bounds_what_a_graph_spends(
    registry: Registry, cap: float | None, code: str | None
) -> None:
    spec = RunSpec("j", graph=one_node("run.Spend"), cost_cap=cap)
    assert (await execute(spec, lambda message: None, registry=registry, functions=None)).error_code == code


async def test_function_that_acts_outside_is_not_run_without_permission(registry: Registry) -> None:
    said: list[Message] = []
    functions = EchoFunctions()
    functions.effects = "external"
    spec = RunSpec("j", FunctionTarget("tools:post"), allow_external=False)
    result = await execute(spec, said.append, registry=registry, functions=functions)
    assert functions.calls == []
    assert (result.status, result.error_code, said[-1]["error_code"]) == ("failed", "NOT_ALLOWED", "NOT_ALLOWED")
    assert 'the function "tools:post" would be run' in str(result.error)
    assert "--allow-external" in str(result.error)


@pytest.mark.parametrize(("effects", "broken"), [("local", False), ("none", True)])
async def test_other_functions_are_run_without_permission(registry: Registry, effects: str, broken: bool) -> None:
    functions = EchoFunctions()
    functions.effects, functions.broken = effects, broken
    spec = RunSpec("j", FunctionTarget("tools:sum"), allow_external=False)
    assert (await execute(spec, lambda message: None, registry=registry, functions=functions)).ok
