from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from samples import edge, graph, node, stored

from greenrun.workflows.graph import load_graph, overlay_properties

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"

ODD = {
    "edges": [
        edge("a.output -> b.value"),
        edge("a.output -> gone.text"),
        "no edge",
        {"source": "a"},
        {"id": None, "source": "a", "sourceHandle": "output", "target": "b", "targetHandle": "text"},
    ],
    "extra": {"kept": [1.0]},
    "nodes": [
        node("a", "text", value="x", unknown_key={"k": 1}),
        node("b", "out"),
        node("g", "acme.Ghost", value=1),
        {"type": "nodetool.text.Join"},
        {"id": "untyped"},
        7,
    ],
}


@pytest.mark.case("NO-A1-1")
def test_what_is_stored_stays_as_it_is() -> None:
    before = copy.deepcopy(ODD)
    loaded = load_graph(ODD)
    assert loaded.stored == before
    assert [found.id for found in loaded.nodes] == ["a", "b", "g"]
    assert [found.id for found in loaded.edges] == ["a.output -> b.value", "a:output->b:text"]


@pytest.mark.parametrize("value", [None, [], "x", {}, {"nodes": {}, "edges": 5}, {"nodes": [None]}])
def test_anything_loads(value: Any) -> None:
    loaded = load_graph(value)
    assert (loaded.nodes, loaded.edges) == ((), ())
    assert loaded.stored is value


@pytest.mark.case("NO-A1-2")
@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"data": {"value": 1}, "properties": {"value": 2}}, 2),
        ({"data": {"properties": {"value": 3}, "value": 1}}, 3),
        ({"data": {"value": 1}}, 1),
        ({"data": {"value": 1}, "dynamic_properties": {"value": 4}}, 4),
    ],
)
def test_where_property_values_are_kept(parts: dict[str, Any], expected: int) -> None:
    loaded = load_graph({"nodes": [{"id": "a", "type": "t", **parts}], "edges": []})
    assert loaded.nodes[0].properties["value"] == expected


@pytest.mark.case("NO-A1-4")
def test_an_edge_without_id_gets_one() -> None:
    loaded = graph(
        [node("a", "text"), node("b", "upper")],
        [{"source": "a", "sourceHandle": "output", "target": "b", "targetHandle": "text"}],
    )
    assert loaded.edges[0].id == "a:output->b:text"


def test_the_shape_of_the_editor_is_read_too() -> None:
    data = {
        "title": "Greeting",
        "label": "Text",
        "bypassed": True,
        "properties": {"string": "Hi {{ who }}"},
        "dynamic_properties": {"who": "Ada"},
        "dynamic_inputs": {"who": {"type": "str"}},
        "dynamic_outputs": {"who": {"type": "str"}},
    }
    found = load_graph({"nodes": [{"id": "a", "type": "t", "parentId": "g", "data": data}], "edges": []}).nodes[0]
    assert found.properties == {"string": "Hi {{ who }}", "who": "Ada"}
    assert (found.title, found.label, found.bypassed, found.parent_id) == ("Greeting", "Text", True, "g")
    assert found.dynamic_inputs == {"who": {"type": "str"}}


def test_title_and_bypass_of_the_kernel_shape() -> None:
    found = graph([node("a", "text", ui={"bypassed": True, "title": "T"}, title="a property")]).nodes[0]
    assert (found.title, found.bypassed) == ("T", True)
    assert not graph([node("a", "text", bypassed=True)]).nodes[0].bypassed


@pytest.mark.parametrize("parts", [{"edge_type": "control"}, {"type": "control"}, {"data": {"edge_type": "control"}}])
def test_control_edges_and_either_spelling_of_handles(parts: dict[str, Any]) -> None:
    entry = {"source": "a", "source_handle": "__control__", "target": "b", "target_handle": "__control__", **parts}
    loaded = graph([node("a", "text"), node("b", "upper")], [entry])
    assert loaded.edges[0].control
    assert loaded.fed("b") == frozenset()
    assert loaded.incoming["b"] == loaded.outgoing["a"] == loaded.edges


def test_the_first_node_of_an_id_counts() -> None:
    loaded = graph([node("a", "text", value=1), node("a", "upper")])
    assert [found.type for found in loaded.nodes] == ["nodetool.input.StringInput"]
    assert loaded.node("a") is loaded.nodes[0]


def test_bindable_inputs_and_outputs() -> None:
    loaded = graph(
        [
            node("a", "text"),
            node("fed", "text"),
            node("off", "text", ui={"bypassed": True}),
            node("m", "nodetool.input.MessageDeconstructor"),
            node("o", "out"),
            node("p", "nodetool.workflows.base_node.Preview"),
            node("q", "out", ui={"bypassed": True}),
        ],
        ["a.output -> fed.value"],
    )
    assert [found.id for found in loaded.inputs] == ["a"]
    assert [found.id for found in loaded.outputs] == ["o", "p"]


@pytest.mark.case("HA-0.3-2")
@pytest.mark.parametrize(("name", "expected"), [(" prompt ", "prompt"), ("  ", "a"), (None, "a")])
def test_names_are_trimmed(name: Any, expected: str) -> None:
    assert graph([node("a", "text", name=name)]).nodes[0].name == expected


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        (node("a", "text", value=1, keep=2), ("data",)),
        ({"id": "a", "type": "t", "properties": {"value": 1, "keep": 2}}, ("properties",)),
        ({"id": "a", "type": "t", "data": {"properties": {"value": 1, "keep": 2}}}, ("data", "properties")),
        ({"id": "a", "type": "t", "dynamic_properties": {"value": 1, "keep": 2}}, ("dynamic_properties",)),
    ],
)
def test_overlaid_values_are_written_where_the_node_keeps_them(entry: dict[str, Any], place: tuple[str, ...]) -> None:
    before = load_graph({"nodes": ["odd", entry], "edges": []})
    after = overlay_properties(before, {"a": {"value": 9}})
    record = after.stored["nodes"][1]
    for key in place:
        record = record[key]
    assert record == {"value": 9, "keep": 2}
    assert before.nodes[0].properties["value"] == 1


def test_an_overlay_makes_the_place_that_is_missing() -> None:
    after = overlay_properties(load_graph({"nodes": [{"id": "a", "type": "t"}], "edges": []}), {"a": {"value": 9}})
    assert after.stored["nodes"][0]["data"] == {"value": 9}


def test_an_overlay_without_effect_is_the_same_graph() -> None:
    before = graph([node("a", "text")])
    assert overlay_properties(before, {"gone": {"value": 1}, "a": {}}) is before


@pytest.mark.case("NO-A1-1")
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not part of this checkout")
def test_graphs_from_elsewhere_load_whole() -> None:
    bundles = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(CORPUS.glob("*.app.json"))]
    graphs = [workflow["graph"] for bundle in bundles for workflow in bundle["workflows"]]
    assert graphs
    for value in graphs:
        before = json.dumps(value)
        loaded = load_graph(value)
        assert len(loaded.nodes) == len(value["nodes"])
        assert len(loaded.edges) == len(value["edges"])
        assert json.dumps(loaded.stored) == before


def test_samples_are_stored_graphs() -> None:
    assert stored([node("a", "text")], ["a.output -> a.value"])["edges"][0]["sourceHandle"] == "output"
