"""What is known of graphs inside graphs without running them (spec: harness appendix B, nodes B2)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.findings import Finding
from greenrun.workflows.graph import Graph, load_graph
from greenrun.workflows.nesting import MAX_DEPTH, SUBGRAPH, WORKFLOW, carried_graph, inner_graph, named_workflow
from greenrun.workflows.nodes.nested import Subgraph
from greenrun.workflows.registry import Registry, default_registry
from greenrun.workflows.surface import extract_surface
from greenrun.workflows.type_meta import make_type
from greenrun.workflows.validation import run_issues, validate_graph, verify_fixes

REGISTRY = default_registry(list)


def node(node_id: str, kind: str, data: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"id": node_id, "type": kind, "data": data or {}, **more}


def edge(source: str, target: str) -> dict[str, Any]:
    (source, left), (target, right) = source.split("."), target.split(".")
    return {"source": source, "sourceHandle": left, "target": target, "targetHandle": right}


def stored(nodes: list[dict[str, Any]], *edges: dict[str, Any]) -> dict[str, Any]:
    return {"nodes": nodes, "edges": list(edges)}


def graph(nodes: list[dict[str, Any]], *edges: dict[str, Any]) -> Graph:
    return load_graph(stored(nodes, *edges))


COUNTER = stored(
    [
        node("in", "nodetool.input.IntegerInput", {"name": "n"}),
        node("range", "nodetool.list.Range"),
        node("out", "nodetool.output.Output", {"name": "numbers"}),
    ],
    edge("in.output", "range.count"),
    edge("range.output", "out.value"),
)
TEXT = node("t", "nodetool.constant.String", {"value": "x"})
INT = node("i", "nodetool.constant.Integer", {"value": 3})


def sub(inner: Any = COUNTER, **more: Any) -> dict[str, Any]:
    return node("sub", SUBGRAPH, {"graph": inner}, **more)


def seen(value: Graph, **options: Any) -> list[tuple[str, str, str | None]]:
    findings: tuple[Finding, ...] = validate_graph(value, REGISTRY, **options).findings
    return [(item.code, item.severity, item.place.node) for item in findings]


def only(value: Graph, **options: Any) -> Finding:
    (finding,) = validate_graph(value, REGISTRY, **options).findings
    return finding


def test_nested_graph_without_faults_has_no_findings() -> None:
    assert seen(graph([INT, sub()], edge("i.output", "sub.n"))) == []


def test_fault_inside_is_placed_at_the_outer_node_and_names_the_inner_one() -> None:
    inner = stored([node("bad", "acme.Nothing")])
    finding = only(graph([sub(inner)]))
    assert (finding.code, finding.place.node, finding.place.edge, finding.fixes) == ("GR603", "sub", None, ())
    assert finding.message == 'In node "sub": Node "bad" has type "acme.Nothing", which does not exist here.'


def test_fault_two_graphs_down_names_every_node_on_the_way() -> None:
    inner = stored([node("deep", SUBGRAPH, {"graph": stored([node("bad", "acme.Nothing")])})])
    assert only(graph([sub(inner)])).message.startswith('In node "sub": In node "deep": Node "bad"')


def test_hints_inside_are_not_repeated_outside() -> None:
    inner = stored([node("t", "nodetool.text.Template", dynamic_properties={"x": 1})])
    assert seen(load_graph(inner)) == [("GR620", "info", "t")]
    assert seen(graph([sub(inner)])) == []


def test_bypassed_node_is_not_looked_into() -> None:
    inner = stored([node("bad", "acme.Nothing")])
    assert seen(graph([sub(inner, ui_properties={"bypassed": True})])) == []


@pytest.mark.parametrize(
    ("link", "text"),
    [
        (edge("i.output", "sub.m"), 'node "sub" has no input "m". It has: n.'),
        (edge("sub.letters", "o.value"), 'node "sub" has no output "letters". It has: numbers.'),
    ],
)
def test_handle_that_the_inner_graph_does_not_have_is_unknown(link: dict[str, Any], text: str) -> None:
    slots = {"dynamic_inputs": {"m": "int"}, "dynamic_outputs": {"letters": "str"}}
    value = graph([INT, sub(**slots), node("o", "nodetool.output.Output", {"name": "o"})], link)
    finding = only(value)
    assert finding.code == "GR619"
    assert text in finding.message


def test_fix_of_a_misspelt_handle_is_the_nearest_of_the_inner_graph() -> None:
    value = graph([sub(), node("o", "nodetool.output.Output", {"name": "o"})], edge("sub.number", "o.value"))
    report = verify_fixes(validate_graph(value, REGISTRY), REGISTRY)
    assert report.findings[0].fixes[0].edits[0]["handle"] == "numbers"


def test_handle_of_an_input_has_the_type_that_the_inner_graph_takes() -> None:
    assert seen(graph([TEXT, sub()], edge("t.output", "sub.n"))) == [("GR621", "warning", "sub")]


def test_handle_of_an_output_has_the_type_that_the_inner_graph_gives() -> None:
    inner = stored([TEXT, node("out", "nodetool.output.Output", {"name": "text"})], edge("t.output", "out.value"))
    cut = node("cut", "nodetool.text.Slice", {"text": "x"})
    assert seen(graph([sub(inner), cut], edge("sub.text", "cut.start"))) == [("GR621", "warning", "cut")]


def test_declared_slot_of_another_type_is_an_error() -> None:
    value = graph([TEXT, sub(dynamic_inputs={"n": "int"})], edge("t.output", "sub.n"))
    assert seen(value) == [("GR622", "error", "sub")]


def test_surface_shows_the_type_of_what_comes_out_of_an_inner_graph() -> None:
    value = graph([sub(), node("o", "nodetool.output.Output", {"name": "o"})], edge("sub.numbers", "o.value"))
    assert (
        extract_surface(value, REGISTRY).outputs[0].type
        == extract_surface(load_graph(COUNTER), REGISTRY).outputs[0].type
    )


def test_surface_shows_any_for_an_output_that_the_inner_graph_does_not_have() -> None:
    value = graph([sub(), node("o", "nodetool.output.Output", {"name": "o"})], edge("sub.gone", "o.value"))
    assert extract_surface(value, REGISTRY).outputs[0].type == make_type("any")


SIZED = stored(
    [
        node("in", "nodetool.input.ImageSizeInput", {"name": "size"}),
        node("out", "nodetool.output.Output", {"name": "out"}),
    ],
    edge("in.output", "out.value"),
)


def test_required_input_of_the_inner_graph_needs_a_value() -> None:
    finding = only(graph([sub(SIZED)]))
    assert (finding.code, finding.place.prop) == ("GR607", "size")
    assert [issue["property"] for issue in run_issues(graph([sub(SIZED)]), REGISTRY)] == ["size"]


@pytest.mark.parametrize("given", ["edge", "slot"])
def test_required_input_that_is_given_is_fine(given: str) -> None:
    size = {"type": "image_size", "width": 1, "height": 1}
    if given == "slot":
        assert seen(graph([sub(SIZED, dynamic_properties={"size": size})])) == []
    else:
        source = node("s", "nodetool.constant.ImageSize", {"value": size})
        assert seen(graph([source, sub(SIZED)], edge("s.output", "sub.size"))) == []


def test_workflow_without_a_graph_and_an_id_is_not_selected() -> None:
    finding = only(graph([node("w", WORKFLOW)]))
    assert (finding.code, finding.place.prop) == ("GR604", "workflow_id")
    assert finding.message == 'Node "w": no workflow is selected. Choose one.'


def test_workflow_that_an_edge_chooses_is_not_judged() -> None:
    assert seen(graph([TEXT, node("w", WORKFLOW)], edge("t.output", "w.workflow_id"))) == []


def test_named_workflow_is_looked_into_when_the_workflows_are_known() -> None:
    value = graph([node("w", WORKFLOW, {"workflow_id": "count"})])
    assert seen(value) == []
    finding = only(value, workflows={"count": stored([node("bad", "acme.Nothing")])})
    assert finding.message.startswith('In node "w" (workflow "count"): Node "bad"')


def test_missing_workflow_is_named() -> None:
    finding = only(graph([node("w", WORKFLOW, {"workflow_id": "gone"})]), workflows={})
    assert (finding.code, finding.place.node) == ("GR604", "w")
    assert finding.message == 'Node "w": the workflow "gone" is not here. Add it, or choose another one.'


def test_workflow_that_contains_itself_is_a_cycle() -> None:
    workflows = {
        "a": stored([node("to-b", WORKFLOW, {"workflow_id": "b"})]),
        "b": stored([node("to-a", WORKFLOW, {"workflow_id": "a"})]),
    }
    finding = only(load_graph(workflows["a"]), workflows=workflows, workflow_id="a")
    assert finding.code == "GR616"
    assert 'Node "to-a": the workflow contains itself ("a" > "b" > "a")' in finding.message


def test_carried_graph_stands_before_the_named_workflow() -> None:
    properties = {"workflow_id": "other", "workflow_json": {"graph": COUNTER}}
    assert named_workflow(WORKFLOW, properties) is None
    assert carried_graph(WORKFLOW, properties) is COUNTER
    assert named_workflow(WORKFLOW, {"workflow_id": "other", "workflow_json": {"graph": {"nodes": []}}}) == "other"
    assert carried_graph(WORKFLOW, {"workflow_json": {"graph": 3}}) is None


def test_graph_that_an_edge_brings_is_not_known() -> None:
    value = graph([TEXT, sub()], edge("t.output", "sub.graph"))
    assert inner_graph(value, value.nodes[1]) is None
    assert inner_graph(value, value.nodes[0]) is None


def test_inner_graph_is_read_once() -> None:
    value = graph([sub()])
    assert inner_graph(value, value.nodes[0]) is inner_graph(value, value.nodes[0])


@pytest.mark.parametrize(("height", "codes"), [(MAX_DEPTH, []), (MAX_DEPTH + 1, ["GR616"])])
def test_graphs_that_are_nested_too_deep_are_found(height: int, codes: list[str]) -> None:
    inner = stored([TEXT])
    for _ in range(height):
        inner = stored([node("x", SUBGRAPH, {"graph": inner})])
    assert [item[0] for item in seen(load_graph(inner))] == codes


def test_nested_types_are_not_looked_into_where_they_are_not_known() -> None:
    bare = Registry()
    value = graph([node("w", WORKFLOW)])
    assert [item.code for item in validate_graph(value, bare).findings] == ["GR603"]
    bare.register(Subgraph)
    assert [item.code for item in validate_graph(graph([sub()]), bare).findings] == ["GR603"] * 3
