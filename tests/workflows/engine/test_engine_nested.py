"""Graphs inside graphs (spec: nodes A1.9, B2)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from greenrun.workflows.engine import Answer
from greenrun.workflows.nesting import MAX_DEPTH, WORKFLOW

BOUND = 10


def text_input(name: str, **data: Any) -> tuple[str, dict[str, Any]]:
    return ("nodetool.input.StringInput", {"name": name, **data})


def out(name: str) -> tuple[str, dict[str, Any]]:
    return ("nodetool.output.Output", {"name": name})


SHOUT = (
    {"in": text_input("text", value="nobody"), "up": "nodetool.text.ToUppercase", "o": out("loud")},
    ["in.output -> up.text", "up.output -> o.value"],
)


def workflow(**data: Any) -> tuple[str, dict[str, Any]]:
    return (WORKFLOW, data)


async def test_dynamic_inputs_are_params_and_output_names_are_handles(bench: Any) -> None:
    nodes = {"c": ("test.Give", {"value": "hi"}), "sub": bench.nested(*SHOUT), "out": out("result")}
    ran = await bench.run(nodes, ["c.output -> sub.text", "sub.loud -> out.value"])
    assert ran.result.outputs == {"result": ["HI"]}


async def test_saved_dynamic_input_is_a_param_too(bench: Any) -> None:
    ran = await bench.run({"sub": bench.nested(*SHOUT, text="hi")})
    assert ran.values("sub") == ["HI"]


async def test_input_that_is_not_given_takes_its_stored_value(bench: Any) -> None:
    ran = await bench.run({"sub": bench.nested(*SHOUT)})
    assert ran.values("sub") == ["NOBODY"]


async def test_several_values_of_one_output_are_a_list_and_none_are_no_output(bench: Any) -> None:
    inner = {
        "each": ("nodetool.control.ForEach", {"input_list": [1, 2]}),
        "many": out("many"),
        "none": ("nodetool.control.FilterEqual", {"input_item": 1, "value": 2}),
        "never": out("never"),
        "dangling": "test.Give",
    }
    ran = await bench.run({"sub": bench.nested(inner, ["each.output -> many.value", "none.output -> never.value"])})
    assert [(m["output_name"], m["value"]) for m in ran.of("output_update", "sub")] == [("many", [1, 2])]


@pytest.mark.case("NO-B2-8")
@pytest.mark.parametrize(
    "node",
    [
        ("nodetool.workflows.subgraph.Subgraph", {}),
        ("nodetool.workflows.subgraph.Subgraph", {"graph": {"nodes": [], "edges": []}}),
        ("nodetool.workflows.subgraph.Subgraph", {"graph": None}),
        (WORKFLOW, {"workflow_json": {"graph": {"nodes": [], "edges": []}}}),
    ],
)
async def test_empty_graph_gives_nothing(bench: Any, node: Any) -> None:
    ran = await bench.run({"sub": node})
    assert ran.result.ok
    assert ran.of("generation_complete", "sub")[0]["outputs"] == {}


@pytest.mark.case("NO-B2-8")
async def test_failure_inside_names_the_outer_and_the_inner_node(bench: Any) -> None:
    ran = await bench.run({"sub": bench.nested({"bad": ("test.Boom", {"text": "no luck"})})})
    assert ran.result.error == 'node "sub": the graph inside "sub" failed: node "bad": no luck'
    assert ran.of("node_update", "sub")[-1]["error"] == 'the graph inside "sub" failed: node "bad": no luck'


async def test_graph_that_cannot_run_keeps_the_outer_run_from_starting(bench: Any) -> None:
    ran = await bench.run({"sub": bench.nested({"r": "test.Required"})})
    assert ran.of("node_update") == []
    issue = ran.result.validation_issues[0]
    assert (issue["node_id"], issue["message"].startswith('In node "sub": Node "r": text is required')) == ("sub", True)


async def test_type_that_cannot_run_here_is_found_inside_too(bench: Any) -> None:
    ran = await bench.run({"sub": bench.nested({"v": "vector.Collection"})})
    assert "vector.Collection" in ran.result.validation_issues[0]["message"]


async def test_graph_that_an_edge_brings_is_run(bench: Any) -> None:
    stored = bench.graph(*SHOUT).stored
    nodes = {"g": ("test.Give", {"value": stored}), "sub": ("nodetool.workflows.subgraph.Subgraph", {})}
    ran = await bench.run(nodes, ["g.output -> sub.graph"])
    assert [m["value"] for m in ran.of("output_update", "sub")] == ["NOBODY"]


async def test_faulty_graph_that_an_edge_brings_fails_the_node(bench: Any) -> None:
    stored = bench.graph({"r": "test.Required"}).stored
    nodes = {"g": ("test.Give", {"value": stored}), "sub": ("nodetool.workflows.subgraph.Subgraph", {})}
    ran = await bench.run(nodes, ["g.output -> sub.graph"])
    assert 'the graph inside "sub" failed: Node "r": text is required' in ran.result.error


async def test_input_that_refuses_its_value_fails_the_outer_node(bench: Any) -> None:
    inner = {"in": ("nodetool.input.SelectInput", {"name": "size", "options": ["s"]}), "o": out("o")}
    ran = await bench.run({"sub": bench.nested(inner, ["in.output -> o.value"], size="xl")})
    assert 'node "sub": the graph inside "sub" failed: input "size"' in ran.result.error


async def test_workflow_node_runs_the_graph_that_it_carries(bench: Any) -> None:
    node = workflow(workflow_id="gone", workflow_json={"graph": bench.graph(*SHOUT).stored})
    assert (await bench.run({"w": node})).values("w") == ["NOBODY"]


async def test_workflow_node_runs_the_workflow_that_it_names(bench: Any) -> None:
    bench.signals.workflows["shout"] = bench.graph(*SHOUT).stored
    ran = await bench.run({"w": (*workflow(workflow_id="shout"), {"dynamic_properties": {" text ": "hi"}})})
    assert ran.values("w") == ["HI"]


async def test_missing_workflow_is_named(bench: Any) -> None:
    ran = await bench.run({"w": workflow(workflow_id="gone")})
    assert ran.result.error == 'node "w": the workflow "gone" is not here; add it, or choose another one'


async def test_workflow_node_without_a_workflow_keeps_the_run_from_starting(bench: Any) -> None:
    ran = await bench.run({"w": workflow()})
    assert ran.result.validation_issues[0]["message"] == 'Node "w": no workflow is selected. Choose one.'


async def test_id_that_an_edge_leaves_empty_fails_the_node(bench: Any) -> None:
    nodes = {"c": ("test.Give", {"value": ""}), "w": workflow()}
    ran = await bench.run(nodes, ["c.output -> w.workflow_id"])
    assert ran.result.error == 'node "w": no workflow is selected; choose one'


async def test_workflow_that_contains_itself_is_an_error_and_no_recursion(bench: Any) -> None:
    bench.signals.workflows["a"] = bench.graph({"to-b": workflow(workflow_id="b")}).stored
    bench.signals.workflows["b"] = bench.graph({"to-a": workflow(workflow_id="a")}).stored
    ran = await bench.run({"w": workflow(workflow_id="a")}, workflow_id="outer")
    assert 'the workflow contains itself ("a" > "b" > "a")' in ran.result.error


async def test_workflow_that_names_itself_directly_is_an_error(bench: Any) -> None:
    bench.signals.workflows["me"] = {"nodes": [{"id": "x", "type": "test.Give"}]}
    ran = await bench.run({"w": workflow(workflow_id="me")}, workflow_id="me")
    assert 'contains itself ("me" > "me")' in ran.result.error


def towers(bench: Any, height: int) -> Any:
    node: Any = ("test.Give", {"value": 1})
    for _ in range(height):
        node = bench.nested({"x": node})
    return node


async def test_graphs_may_be_nested_so_deep_and_no_deeper(bench: Any) -> None:
    assert (await bench.run({"t": towers(bench, MAX_DEPTH)})).result.ok
    ran = await bench.run({"t": towers(bench, MAX_DEPTH + 1)})
    assert f"at most {MAX_DEPTH} may be nested" in ran.result.error
    assert ran.result.error_code == "INVALID"


async def test_workflows_that_name_each_other_too_deep_fail(bench: Any) -> None:
    for level in range(MAX_DEPTH + 1):
        bench.signals.workflows[f"w{level}"] = bench.graph({"n": workflow(workflow_id=f"w{level + 1}")}).stored
    ran = await bench.run({"n": workflow(workflow_id="w0")})
    assert f"at most {MAX_DEPTH} may be nested" in ran.result.error


async def test_inner_nodes_are_told_under_their_path_and_inner_values_are_not(bench: Any) -> None:
    deep = bench.nested({"talk": "test.Talk"})
    ran = await bench.run({"sub": bench.nested({"deep": deep})})
    assert ran.statuses("sub/deep/talk") == ["running", "completed"]
    assert ran.of("node_progress")[0]["node_id"] == "sub/deep/talk"
    assert {message["node_id"] for message in ran.of("chunk")} == {"sub"}
    assert [message["status"] for message in ran.of("job_update")] == ["running", "completed"]
    assert ran.of("output_update") == []
    assert ran.of("edge_update") == []
    assert {message["job_id"] for message in ran.messages} == {"job-1"}


async def test_cost_inside_is_the_outer_node_s_and_is_told_once(bench: Any) -> None:
    inner = {"a": ("test.Spend", {"dollars": 0.25}), "b": ("test.Spend", {"dollars": 0.5})}
    ran = await bench.run({"sub": bench.nested({"deep": bench.nested(inner)}), "c": ("test.Spend", {"dollars": 1})})
    assert ran.result.cost == 1.75
    told = {m["node_id"]: m["provider_cost"] for m in ran.of("node_update") if "provider_cost" in m}
    assert told == {"sub": 0.75, "c": 1}


async def test_variables_inside_are_their_own(bench: Any) -> None:
    nodes = {
        "set": ("nodetool.variable.SetVariable", {"name": "tone", "value": "outer"}),
        "sub": bench.nested({"get": ("nodetool.variable.GetVariable", {"name": "tone"}), "o": out("o")}),
    }
    ran = await bench.run(nodes)
    assert ran.values("sub") == []


async def test_node_that_fires_often_runs_its_graph_each_time(bench: Any) -> None:
    nodes = {"each": ("nodetool.control.ForEach", {"input_list": ["a", "b"]}), "sub": bench.nested(*SHOUT)}
    ran = await bench.run(nodes, ["each.output -> sub.text"])
    assert [message["value"] for message in ran.of("output_update", "sub")] == ["A", "B"]


async def test_cancel_reaches_the_inner_nodes(bench: Any) -> None:
    task = asyncio.ensure_future(bench.run({"sub": bench.nested({"hang": "test.Hang"})}))
    await asyncio.wait_for(bench.signals.event("hang started").wait(), BOUND)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, BOUND)
    assert bench.signals.event("hang stopped").is_set()
    told = [(m.get("node_id"), m["status"]) for m in bench.messages[-3:]]
    assert told == [("sub/hang", "cancelled"), ("sub", "cancelled"), (None, "cancelled")]


async def test_limit_of_the_run_stops_the_inner_nodes(bench: Any) -> None:
    ran = await bench.run({"sub": bench.nested({"hang": "test.Hang"})}, timeout_ms=5)
    assert ran.result.error_code == "TIMED_OUT"
    assert bench.signals.event("hang stopped").is_set()


async def test_failure_inside_is_asked_about_once_under_its_path(bench: Any) -> None:
    asked: list[str] = []

    async def host(failure: Any) -> Answer:
        asked.append(failure.node_id)
        return Answer("fail")

    ran = await bench.run({"sub": bench.nested({"bad": "test.Boom"})}, escalate=host)
    assert asked == ["sub/bad"]
    assert ran.result.status == "failed"
    assert [item["node_id"] for item in ran.result.interventions] == ["sub/bad"]


async def test_skip_inside_lets_the_graph_go_on(bench: Any) -> None:
    async def host(failure: Any) -> Answer:
        return Answer("skip")

    inner = {"bad": "test.Boom", "good": ("test.Give", {"value": 1}), "o": out("o")}
    ran = await bench.run({"sub": bench.nested(inner, ["good.output -> o.value"])}, escalate=host)
    assert ran.values("sub") == [1]


async def test_refused_input_inside_is_asked_about_at_the_outer_node(bench: Any) -> None:
    asked: list[str] = []

    async def host(failure: Any) -> Answer:
        asked.append(failure.node_id)
        return Answer("skip")

    inner = {"in": ("nodetool.input.SelectInput", {"name": "size", "options": ["s"]})}
    ran = await bench.run({"sub": bench.nested(inner, size="xl")}, escalate=host)
    assert asked == ["sub"]
    assert ran.result.ok


async def test_output_with_too_many_values_is_refused_rather_than_cut(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("greenrun.workflows.engine.result.OUTPUTS_KEPT", 3)
    inner = {"each": ("nodetool.control.RepeatCount", {"count": 4}), "o": out("many")}
    ran = await bench.run({"sub": bench.nested(inner, ["each.output -> o.value"])})
    assert 'output "many" of the graph inside "sub" has too many values' in ran.result.error


async def test_same_nested_graph_gives_the_same_sequence_of_messages(bench: Any) -> None:
    async def sequence() -> list[tuple[Any, ...]]:
        ran = await bench.run({"sub": bench.nested(*SHOUT), "o": out("o")}, ["sub.loud -> o.value"])
        return [(m["type"], m.get("node_id"), m.get("edge_id"), m.get("status")) for m in ran.messages]

    assert await sequence() == await sequence()


async def test_inner_node_that_holds_on_is_cut_off_from_the_run(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greenrun.workflows.engine.stage.GRACE", 0.01)
    task = asyncio.ensure_future(bench.run({"sub": bench.nested({"mule": "test.Stubborn"})}))
    await asyncio.wait_for(bench.signals.event("mule started").wait(), BOUND)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, BOUND)
    bench.signals.event("let go").set()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.wait_for(asyncio.gather(*others, return_exceptions=True), BOUND)
    assert bench.messages[-1]["status"] == "cancelled"


async def test_graphs_that_edges_bring_one_after_the_other_are_forgotten_again(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("greenrun.workflows.engine.frame.GRAPHS_KEPT", 1)
    graphs = [
        bench.graph({"g": ("test.Give", {"value": n}), "o": out("o")}, ["g.output -> o.value"]).stored for n in (1, 2)
    ]
    nodes = {
        "each": ("nodetool.control.ForEach", {"input_list": [*graphs, graphs[0]]}),
        "sub": ("nodetool.workflows.subgraph.Subgraph", {}),
    }
    assert (await bench.run(nodes, ["each.output -> sub.graph"])).values("sub") == [1, 2, 1]


async def test_node_may_run_a_graph_that_it_makes_itself(bench: Any) -> None:
    assert (await bench.run({"r": "test.Runner"})).values("r") == [[5]]
