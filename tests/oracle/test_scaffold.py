"""An app made from a workflow: app-runtime 17.7."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenrun.document.surface import Port, Surface
from greenrun.document.values import ABSENT
from greenrun.oracle.check_report import CheckReport, check_report
from greenrun.oracle.rules.controls import display_of
from greenrun.oracle.scaffold import sample_params, scaffold
from greenrun.oracle.target import target_from_document
from greenrun.workflows.graph import load_graph
from greenrun.workflows.registry import default_registry
from greenrun.workflows.surface import extract_surface
from simulated import MemoryHost, play

REGISTRY = default_registry(lambda: [])


def flow(inputs: list[tuple[str, dict[str, Any]]], outputs: list[tuple[str, str]]) -> dict[str, Any]:
    """A graph of input nodes (type, data) and output nodes (type, name); everything flows into every output."""
    nodes = [
        {"id": f"in{index}", "type": f"nodetool.input.{type_}", "data": data}
        for index, (type_, data) in enumerate(inputs)
    ]
    nodes += [
        {"id": f"out{index}", "type": f"nodetool.output.{type_}", "data": {"name": name}}
        for index, (type_, name) in enumerate(outputs)
    ]
    edges = [
        {"id": f"e{index}", "source": "in0", "sourceHandle": "output", "target": f"out{index}", "targetHandle": "value"}
        for index in range(len(outputs))
    ]
    return {"nodes": nodes, "edges": edges}


TEXT = ("StringInput", {"name": "prompt", "value": ""})


def scaffolded(graph: dict[str, Any]) -> dict[str, Any]:
    return scaffold("Made", extract_surface(load_graph(graph), REGISTRY), workflow_id="wf1")


def components(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every component, parents before children."""

    def walk(items: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for item in items:
            yield item
            for prop in ("left", "right", "content"):
                yield from walk(item["props"].get(prop, []))

    yield from walk(document["ui"]["content"])


def by_id(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {item["props"]["id"]: item for item in components(document)}


async def checked(document: dict[str, Any], graph: dict[str, Any]) -> CheckReport:
    async with MemoryHost({"wf1": graph}) as host:
        return await check_report(target_from_document(document), host)


def test_inputs_stand_left_with_the_button_and_results_right() -> None:
    made = scaffolded(flow([TEXT, ("IntegerInput", {"name": "How many", "value": 1})], [("Output", "result")]))
    (columns,) = made["ui"]["content"]
    assert (columns["type"], columns["props"]["gap"]) == ("Columns", 24)
    (left,), (right,) = columns["props"]["left"], columns["props"]["right"]
    assert [item["props"]["id"] for item in left["props"]["content"]] == ["in-prompt", "in-how_many", "btn-run"]
    assert [item["type"] for item in left["props"]["content"]] == ["WorkflowInput", "WorkflowInput", "Button"]
    assert [item["type"] for item in right["props"]["content"]] == ["Progress", "Alert", "Output"]
    assert made["ui"]["root"]["props"]["title"] == "Made"


def test_bindings_are_canonical_tokens() -> None:
    found = by_id(scaffolded(flow([TEXT], [("Output", "result")])))
    assert found["in-prompt"]["props"]["binding"] == "op:main/in:in0"
    assert found["in-prompt"]["props"]["events"] == []
    assert found["out-result"]["props"]["binding"] == "op:main/out:out0"
    assert found["progress-run"]["props"]["binding"] == "op:main/exec#progress"
    assert found["alert-run"]["props"]["binding"] == "op:main/exec#error"


def test_several_outputs_get_a_heading_each_and_equal_names_a_number() -> None:
    made = scaffolded(flow([TEXT, TEXT], [("Output", "result"), ("Output", "result"), ("Output", "other")]))
    assert list(by_id(made))[-6:] == [
        "heading-result",
        "out-result",
        "heading-result-2",
        "out-result-2",
        "heading-other",
        "out-other",
    ]
    assert {"in-prompt", "in-prompt-2"} < by_id(made).keys()
    assert by_id(made)["heading-other"]["props"]["level"] == "3"


def test_the_raw_stream_is_left_out_where_there_is_something_else() -> None:
    assert "out-chunk" not in by_id(scaffolded(flow([TEXT], [("Output", "chunk"), ("Output", "text")])))
    assert "out-chunk" in by_id(scaffolded(flow([TEXT], [("Output", "chunk")])))


def test_names_without_letters_get_ids_all_the_same() -> None:
    found = by_id(scaffolded(flow([("StringInput", {"name": "日本", "value": ""})], [("Output", "世界")])))
    assert {"in-input", "out-output"} < found.keys()


async def test_an_app_is_green_at_birth_and_runs() -> None:
    graph = flow([TEXT], [("Output", "result")])
    made = scaffolded(graph)
    report = await checked(made, graph)
    assert (report.verdict.status, report.findings) == ("green", ())
    ran = await play(made, {"wf1": graph})
    assert (ran.verdict.status, ran.verdict.proof) == ("green", "run")


IMAGE = ("ImageInput", {"name": "photo"})
SOUND = ("AudioInput", {"name": "sound"})


async def test_the_button_waits_for_every_file() -> None:
    graph = flow([IMAGE, SOUND, TEXT], [("Output", "result")])
    made = scaffolded(graph)
    report = await checked(made, graph)
    assert (report.verdict.status, report.findings) == ("green", ())
    params = {"photo": {"type": "image", "uri": "data:,a"}, "sound": {"type": "audio", "uri": "data:,b"}}
    for some in ({}, {"photo": params["photo"]}, {"sound": params["sound"]}):
        ran = await play(made, {"wf1": graph}, params=some)
        assert [item.reason for item in ran.verdict.not_exercised] == ["disabled"]
    assert (await play(made, {"wf1": graph}, params=params)).verdict.ok


def port(type_: str, name: str = "x", **more: Any) -> Port:
    return Port(name, f"pyfunction.input.{type_}", name, name, type={"type": type_, **more.pop("meta", {})}, **more)


@pytest.mark.parametrize(
    ("node_type", "shown"),
    [
        ("pyfunction.output.list[dict]", "Table"),
        ("pyfunction.output.list[dict[str, any]]", "Table"),
        ("pyfunction.output.dataframe", "Table"),
        ("pyfunction.output.list[str]", "Json"),
        ("nodetool.output.DataframeOutput", "Json"),
    ],
)
def test_rows_of_a_function_are_shown_as_a_table(node_type: str, shown: str) -> None:
    assert display_of(Port("x", node_type, "x", "x")) == shown


def test_a_function_is_the_target_of_its_operation() -> None:
    surface = Surface((port("str", default="a"),), (port("str", "result"),))
    (operation,) = scaffold("Made", surface, function="mod:f")["operations"]
    assert operation["target"] == {"kind": "function", "function": "mod:f"}
    assert operation["workflowId"] == "function:mod:f"


def test_without_files_the_button_waits_for_the_first_input_that_has_no_value() -> None:
    surface = Surface((port("str", "a", default="x"), port("str", "b", required=True), port("int", "c", required=True)))
    made = scaffold("Made", surface, function="mod:f")
    assert by_id(made)["btn-run"]["props"]["disabledWhen"] == {"binding": "op:main/in:b", "op": "empty"}
    free = scaffold("Made", Surface((port("str", "a", default="x"),)), function="mod:f")
    assert "disabledWhen" not in by_id(free)["btn-run"]["props"]


@pytest.mark.parametrize(
    ("needed", "sample"),
    [
        (port("str", required=True), "example"),
        (port("any", required=True), "example"),
        (port("int", required=True), 1),
        (port("int", required=True, minimum=5, maximum=9), 5),
        (port("float", required=True, maximum=0.5), 0.5),
        (port("float", required=True, minimum=-3, maximum=-2), -2),
        (port("dict", required=True), {}),
        (port("list", required=True), []),
        (port("list", required=True, meta={"type_args": [{"type": "str"}]}), ["example"]),
        (port("date", required=True), "2026-01-31"),
        (port("color", required=True), {"type": "color", "value": "#3366cc"}),
    ],
)
def test_inputs_that_a_run_needs_get_an_example(needed: Port, sample: Any) -> None:
    assert sample_params(Surface((needed,))) == ({"x": sample}, [])


@pytest.mark.parametrize(
    "port",
    [
        port("str", default="a", required=False),
        port("str"),
        port("bool", required=True),
        port("str", required=True, options=("a", "b")),
    ],
)
def test_inputs_that_have_a_value_or_need_none_get_no_example(port: Port) -> None:
    assert sample_params(Surface((port,))) == ({}, [])


@pytest.mark.parametrize(
    "needed",
    [
        port("image"),
        port("language_model", required=True),
        port("folder_path", required=True),
        port("list", required=True, meta={"type_args": [{"type": "image"}]}),
    ],
)
def test_what_nobody_can_make_up_is_left_to_the_person(needed: Port) -> None:
    params, left = sample_params(Surface((needed,)))
    assert (params, left) == ({}, [needed])


_names = st.text(min_size=1, max_size=8)
_ports = st.builds(
    lambda name, type_, required, default: port(type_, name, required=required, default=default),
    _names,
    st.sampled_from(("str", "int", "bool", "image", "dict", "any", "date", "list", "audio")),
    st.booleans(),
    st.sampled_from((ABSENT, None, "a", 1)),
)


@given(st.lists(_ports, max_size=5), st.lists(_ports, max_size=4))
def test_any_surface_gives_a_document_with_unique_ids_and_a_widget_for_every_port(
    inputs: list[Port], outputs: list[Port]
) -> None:
    made = scaffold("Made", Surface(tuple(inputs), tuple(outputs)), function="mod:f")
    ids = [item["props"]["id"] for item in components(made)]
    assert len(ids) == len(set(ids))
    bound = [item["props"]["binding"] for item in components(made) if item["type"] == "WorkflowInput"]
    assert len(bound) == len(inputs)
    assert "btn-run" in ids
