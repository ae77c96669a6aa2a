from __future__ import annotations

from typing import Any

import pytest
from samples import edge, graph, node

from greenrun.document.surface import Port, Surface
from greenrun.document.values import ABSENT
from greenrun.workflows.registry import default_registry
from greenrun.workflows.surface import extract_surface
from greenrun.workflows.type_meta import type_text

REGISTRY = default_registry(list)


def surface(nodes: list[Any], edges: list[Any] | None = None) -> Surface:
    return extract_surface(graph(nodes, edges), REGISTRY)


def port(entry: dict[str, Any]) -> Port:
    return surface([entry]).inputs[0]


@pytest.mark.case("HA-0.3-1")
def test_a_preview_without_a_name_is_called_by_its_id() -> None:
    found = surface([node("prev", "nodetool.workflows.base_node.Preview"), node("in", "text", value="hello")])
    assert [item.name for item in found.outputs] == ["prev"]
    assert found.inputs[0].default == "hello"


@pytest.mark.case("HA-0.3-2")
def test_input_names_are_trimmed_or_the_id() -> None:
    assert port(node("in", "text", name=" prompt ")).name == "prompt"
    assert port(node("in", "text", name="  ")).name == "in"


@pytest.mark.case("HA-0.3-3")
def test_fed_and_bypassed_inputs_are_none_and_keep_their_ids() -> None:
    found = surface(
        [node("a", "upper"), node("fed", "text"), node("off", "text", ui={"bypassed": True})], ["a.output -> fed.value"]
    )
    assert found.inputs == ()
    assert found.node_ids == ("a", "fed", "off")


def test_labels_are_those_of_the_data() -> None:
    assert port(node("in", "text", name="n", label="What")).label == "What"
    assert port(node("in", "text", name="n")).label == "n"
    assert surface([node("o", "out", name="n", label="Answer", description="d")]).outputs[0].label == "Answer"


def test_channels_are_sorted_names_of_variables() -> None:
    nodes = [
        node(f"v{place}", "nodetool.variable.SetVariable", name=name)
        for place, name in enumerate(["b", " a ", "b", "", 5])
    ]
    assert surface(nodes).channels == ("a", "b")


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (node("n", "nodetool.input.IntegerInput", value=8, min=3, max=30), (8, 3, 30)),
        (node("n", "nodetool.input.IntegerInput"), (ABSENT, 0, 99999)),
        (node("n", "nodetool.input.FloatInput", min="x", max=True), (ABSENT, None, None)),
        (node("n", "text"), (ABSENT, None, None)),
    ],
)
def test_ranges_of_number_inputs(entry: dict[str, Any], expected: tuple[Any, Any, Any]) -> None:
    found = port(entry)
    assert (found.default, found.minimum, found.maximum) == expected


def test_limits_of_text_inputs() -> None:
    found = port(node("n", "text", max_length=20, line_mode="multiline", description="Say it"))
    assert (found.max_length, found.multiline, found.description) == (20, True, "Say it")
    plain = port(node("n", "text", max_length=0, line_mode="single_line", description=5))
    assert (plain.max_length, plain.multiline, plain.description) == (None, False, "")


def test_options_of_select_inputs() -> None:
    assert port(node("n", "nodetool.input.SelectInput", options=["a", "b"])).options == ("a", "b")
    assert port(node("n", "nodetool.input.SelectInput")).options is None


@pytest.mark.parametrize(
    ("entry", "required"),
    [
        (node("n", "image"), True),
        (node("n", "image", value={"type": "image", "uri": ""}), True),
        (node("n", "image", value={"type": "image", "asset_id": "a"}), False),
        (node("n", "nodetool.input.ImageSizeInput"), True),
        (node("n", "nodetool.input.ImageSizeInput", value={"width": 1}), False),
        (node("n", "text"), False),
        (node("n", "nodetool.input.Unknown"), False),
    ],
)
def test_inputs_that_a_run_cannot_do_without(entry: dict[str, Any], required: bool) -> None:
    assert port(entry).required is required


def test_types_of_inputs() -> None:
    assert type_text(port(node("n", "image")).type) == "image"
    assert type_text(port(node("n", "nodetool.input.Unknown")).type) == "any"


@pytest.mark.parametrize(
    ("nodes", "edges", "expected"),
    [
        ([node("u", "upper")], ["u.output -> o.value"], "str"),
        (
            [node("u", "upper"), node("r", "nodetool.control.Reroute")],
            ["u.output -> r.input_value", "r.output -> o.value"],
            "str",
        ),
        ([node("r", "nodetool.control.Reroute")], ["r.output -> o.value"], "any"),
        ([node("r", "nodetool.control.Reroute")], ["r.output -> r.input_value", "r.output -> o.value"], "any"),
        ([node("g", "acme.Ghost", dynamic_outputs={"x": {"type": "image"}})], ["g.x -> o.value"], "image"),
        ([node("g", "acme.Ghost", dynamic_outputs={"x": 5})], ["g.x -> o.value"], "any"),
        ([node("g", "acme.Ghost")], [edge("g.x -> o.value", edge_type="control")], "any"),
        ([], [], "any"),
    ],
)
def test_the_type_of_an_output_is_that_of_its_source(nodes: list[Any], edges: list[Any], expected: str) -> None:
    assert type_text(surface([*nodes, node("o", "out")], edges).outputs[0].type) == expected


def test_properties_and_fed_handles_of_nodes() -> None:
    found = surface(
        [
            node("a", "text"),
            node("u", "upper"),
            node("t", "template"),
            node("g", "acme.Ghost"),
            node("c", "nodetool.workflows.base_node.Comment"),
        ],
        ["a.output -> u.text"],
    )
    assert found.properties["u"] == frozenset({"text"})
    assert found.properties["t"] is None
    assert found.properties["g"] is None
    assert found.properties["c"] is None
    assert found.fed["u"] == frozenset({"text"})
    assert found.fed["a"] == frozenset()


def test_a_surface_is_extracted_once() -> None:
    value = graph([node("a", "text")])
    assert extract_surface(value, REGISTRY) is extract_surface(value, REGISTRY)
