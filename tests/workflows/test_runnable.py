from __future__ import annotations

from typing import Any

import pytest
from samples import edge, graph, node
from test_graph import ODD

from greenrun.document.values import ABSENT
from greenrun.workflows.graph import Graph, load_graph
from greenrun.workflows.node import NodeError
from greenrun.workflows.registry import default_registry
from greenrun.workflows.runnable import RunnableGraph, prepare
from greenrun.workflows.type_meta import type_text

REGISTRY = default_registry(list)


def run_of(value: Graph) -> RunnableGraph:
    return prepare(value, REGISTRY)


def paths(run: RunnableGraph) -> list[str]:
    return [f"{item.source}.{item.source_handle} -> {item.target}.{item.target_handle}" for item in run.edges]


@pytest.mark.case("NO-A1-1")
def test_what_cannot_run_is_dropped_with_a_reason() -> None:
    run = run_of(load_graph(ODD))
    assert [item.id for item in run.nodes] == ["a", "b"]
    assert [(item.kind, item.id, item.reason) for item in run.dropped] == [
        ("node", "", "it has no id"),
        ("node", "untyped", "it has no type"),
        ("edge", "a.output -> gone.text", "an endpoint does not exist"),
        ("edge", "a:->:", "an endpoint or handle is not named"),
        ("node", "g", 'type "acme.Ghost" is unknown'),
    ]


def test_a_second_node_of_an_id_is_dropped() -> None:
    run = run_of(graph([node("a", "text"), node("a", "text"), node("b", "acme.Ghost")], ["a.output -> b.x"]))
    assert [item.reason for item in run.dropped] == [
        "its id is taken",
        'type "acme.Ghost" is unknown',
        "an endpoint takes no part in the run",
    ]


def test_editor_notes_are_left_out_and_types_from_elsewhere_named() -> None:
    run = run_of(graph([node("n", "nodetool.workflows.base_node.Comment"), node("g", "vector.Collection")]))
    assert run.nodes == ()
    assert [(found.id, reason) for found, reason in run.unavailable] == [("g", "not available here yet")]
    assert [item.id for item in run.dropped] == ["g"]


@pytest.mark.case("NO-A1-3")
def test_a_saved_value_never_shadows_an_edge() -> None:
    run = run_of(graph([node("a", "text"), node("p", "prompt", prompt="old", x="kept")], ["a.output -> p.prompt"]))
    assert run.by_id["p"].properties == {"x": "kept"}
    assert run.by_id["p"].create({}).prompt == ""  # type: ignore[attr-defined]


def test_a_dropped_edge_leaves_the_saved_value() -> None:
    run = run_of(graph([node("g", "acme.Ghost"), node("p", "prompt", prompt="old")], ["g.output -> p.prompt"]))
    assert run.by_id["p"].properties == {"prompt": "old"}


def test_a_control_edge_leaves_the_saved_value() -> None:
    control = edge("a.__control__ -> p.prompt", edge_type="control")
    run = run_of(graph([node("a", "text"), node("p", "prompt", prompt="old")], [control]))
    assert run.by_id["p"].properties == {"prompt": "old"}
    assert run.incoming["p"] == run.outgoing["a"] == run.edges


@pytest.mark.case("NO-A1-5")
def test_a_bypassed_node_is_cut_out() -> None:
    nodes = [node("a", "text"), node("u", "upper", ui={"bypassed": True}), node("o", "out"), node("p", "out")]
    run = run_of(graph(nodes, ["a.output -> u.text", "u.output -> o.value", "a.output -> p.value"]))
    assert paths(run) == ["a.output -> o.value", "a.output -> p.value"]
    assert [item.id for item in run.nodes] == ["a", "o", "p"]


@pytest.mark.case("NO-A1-5")
def test_a_bypassed_node_without_a_compatible_input_takes_its_edges_along() -> None:
    bypassed = node("l", "nodetool.text.Length", ui={"bypassed": True})
    run = run_of(graph([node("a", "text"), bypassed, node("o", "out")], ["a.output -> l.text", "l.output -> o.value"]))
    assert paths(run) == []
    assert "nothing compatible" in run.dropped[0].reason


def test_bypassed_nodes_in_a_row_are_looked_through() -> None:
    off = {"bypassed": True}
    nodes = [node("a", "text"), node("u", "upper", ui=off), node("v", "upper", ui=off), node("o", "out")]
    run = run_of(graph(nodes, ["a.output -> u.text", "u.output -> v.text", "v.output -> o.value"]))
    assert paths(run) == ["a.output -> o.value"]


def test_bypassed_nodes_in_a_circle_lead_nowhere() -> None:
    off = {"bypassed": True}
    nodes = [node("u", "upper", ui=off), node("v", "upper", ui=off), node("o", "out")]
    assert paths(run_of(graph(nodes, ["v.output -> u.text", "u.output -> v.text", "v.output -> o.value"]))) == []


def test_a_bypassed_node_prefers_the_input_of_the_same_type() -> None:
    nodes = [
        node("n", "nodetool.constant.Integer"),
        node("t", "nodetool.constant.String"),
        node("x", "nodetool.text.Split", ui={"bypassed": True}),
        node("g", "nodetool.control.Switch", ui={"bypassed": True}),
        node("o", "out"),
    ]
    edges = ["n.output -> g.value", "t.output -> g.cases", "g.matched -> o.value"]
    assert paths(run_of(graph(nodes, edges))) == ["n.output -> o.value"]
    # A list is no stand-in for a text.
    assert paths(run_of(graph(nodes, ["t.output -> x.text", "x.output -> o.value"]))) == []


def test_a_bypassed_unknown_node_lets_anything_through() -> None:
    nodes = [node("a", "text"), node("g", "acme.Ghost", ui={"bypassed": True}), node("o", "out")]
    assert paths(run_of(graph(nodes, ["a.output -> g.x", "g.y -> o.value"]))) == ["a.output -> o.value"]


def test_control_edges_of_a_bypassed_node_are_dropped() -> None:
    nodes = [node("a", "text"), node("u", "upper", ui={"bypassed": True}), node("o", "out")]
    edges = [
        edge("a.x -> u.text", edge_type="control"),
        edge("u.x -> o.value", edge_type="control"),
        "u.output -> o.value",
    ]
    assert paths(run_of(graph(nodes, edges))) == []


@pytest.mark.case("NO-A1-6")
def test_format_text_runs_as_prompt() -> None:
    value = graph(
        [node("a", "text"), node("f", "nodetool.text.FormatText", template="{{ x }}")],
        ["a.output -> f.template", "a.output -> f.x"],
    )
    run = run_of(value)
    assert run.by_id["f"].type == "nodetool.text.Prompt"
    assert paths(run) == ["a.output -> f.prompt", "a.output -> f.x"]
    assert value.stored["nodes"][1]["type"] == "nodetool.text.FormatText"


@pytest.mark.case("NO-A1-6")
def test_the_template_of_format_text_becomes_the_prompt() -> None:
    run = run_of(graph([node("f", "nodetool.text.FormatText", template="{{ x }}", x=1)]))
    assert run.nodes[0].properties == {"prompt": "{{ x }}", "x": 1}


@pytest.mark.case("NO-A3-3")
def test_list_handles_collect() -> None:
    run = run_of(graph([node("j", "join"), node("p", "prompt", dynamic_inputs={"l": {"type": "list[str]"}})]))
    join, prompt = run.nodes
    assert join.collects("strings")
    assert not join.collects("separator")
    assert prompt.collects("l")
    assert not prompt.collects("other")


@pytest.mark.case("NO-A2-1", "NO-A2-2")
@pytest.mark.parametrize(
    ("data", "expected"),
    [({"value": "x"}, "x"), ({"value": ""}, ""), ({}, ABSENT), ({"value": None}, ABSENT), ({"value": {}}, ABSENT)],
)
def test_the_saved_value_of_an_input(data: dict[str, Any], expected: Any) -> None:
    assert run_of(graph([node("a", "text", **data)])).nodes[0].stored_value() == expected


def test_names_titles_and_types_of_a_runnable_node() -> None:
    outputs = {"city": {"type": "str"}}
    run = run_of(
        graph([node("a", "text", name=" n "), node("p", "prompt", ui={"title": "T"}, dynamic_outputs=outputs)])
    )
    first, second = run.nodes
    assert (first.name, first.title, first.is_input) == ("n", "String Input", True)
    assert (second.name, second.title, second.is_input) == ("p", "T", False)
    assert type_text(second.output_type("city")) == "str"
    assert type_text(second.output_type("output")) == "str"
    assert second.output_type("other") is None


def test_a_firing_gets_saved_values_then_what_arrived() -> None:
    run = run_of(graph([node("t", "template", string="{a}{b}", dynamic_properties={"a": 1, "b": 2})]))
    assert run.nodes[0].create({"b": 3}).dynamic == {"a": 1, "b": 3}


def test_a_value_that_does_not_fit_is_an_error() -> None:
    run = run_of(graph([node("t", "nodetool.text.Extract", start="x")]))
    with pytest.raises(NodeError, match='"start": "x" is not a number'):
        run.nodes[0].create({})


def test_preparing_is_done_once_per_registry_content() -> None:
    value = graph([node("a", "text")])
    registry = default_registry(list)
    first = prepare(value, registry)
    assert prepare(value, registry) is first
    registry.register(REGISTRY.types()[0])
    assert prepare(value, registry) is not first
