"""What of a stored graph reaches a run (spec: nodes A1)."""

from __future__ import annotations

from typing import Any

import pytest

OUT = ("nodetool.output.Output", {"name": "out"})
BYPASSED: dict[str, Any] = {"ui_properties": {"bypassed": True}}


@pytest.mark.case("NO-A1-1")
async def test_unknown_types_and_dangling_edges_are_left_out_of_the_run(bench: Any) -> None:
    nodes = {"c": ("test.Give", {"value": 1}), "ghost": "acme.Nothing", "out": OUT}
    ran = await bench.run(nodes, ["c.output -> out.value", "c.output -> ghost.x", "c.output -> gone.x"])
    assert ran.result.outputs == {"out": [1]}
    assert "ghost" not in {report.node_id for report in ran.result.nodes}


@pytest.mark.case("NO-A1-2")
@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"data": {"value": 1}, "properties": {"value": 2}}, 2),
        ({"data": {"properties": {"value": 3}, "value": 1}}, 3),
        ({"data": {"value": 1}}, 1),
    ],
)
async def test_saved_values_are_found_in_any_of_three_places(bench: Any, entry: dict[str, Any], expected: int) -> None:
    ran = await bench.run({"g": ("test.Give", {}, entry)})
    assert ran.values("g") == [expected]


@pytest.mark.case("NO-A1-3")
async def test_fed_handle_never_sees_its_saved_value(bench: Any) -> None:
    nodes = {
        "filter": ("nodetool.text.FilterString", {"value": "abc", "criteria": "zzz"}),
        "b": ("test.Give", {"value": 1}),
        "pair": ("test.Pair", {"a": "old", "b": "old"}),
    }
    ran = await bench.run(nodes, ["filter.output -> pair.a", "b.output -> pair.b"])
    assert ran.values("pair") == [["-", 1]]


@pytest.mark.case("NO-A1-4")
async def test_edge_without_an_id_is_called_by_its_ends(bench: Any) -> None:
    ran = await bench.run({"a": ("test.Give", {"value": 1}), "b": "nodetool.text.ToString"}, ["a.output -> b.value"])
    assert {message["edge_id"] for message in ran.of("edge_update")} == {"a:output->b:value"}


@pytest.mark.case("NO-A1-5")
async def test_bypassed_node_is_cut_out(bench: Any) -> None:
    nodes = {
        "in": ("nodetool.input.StringInput", {"name": "text", "value": "Hi"}),
        "up": ("nodetool.text.ToUppercase", {}, BYPASSED),
        "out": OUT,
    }
    ran = await bench.run(nodes, ["in.output -> up.text", "up.output -> out.value"])
    assert ran.result.outputs == {"out": ["Hi"]}
    assert ran.statuses("up") == []


@pytest.mark.case("NO-A1-5")
async def test_edges_of_a_bypassed_node_without_compatible_input_are_dropped(bench: Any) -> None:
    nodes = {
        "in": ("nodetool.input.IntegerInput", {"name": "n", "value": 3}),
        "length": ("nodetool.text.ToUppercase", {}, BYPASSED),
        "out": OUT,
    }
    ran = await bench.run(nodes, ["length.output -> out.value"])
    assert ran.result.outputs == {}


async def test_an_output_that_nothing_feeds_emits_nothing(bench: Any) -> None:
    ran = await bench.run({"out": OUT, "seen": ("nodetool.workflows.base_node.Preview", {})}, [])
    assert ran.of("output_update") == []
    assert ran.result.status == "completed"


async def test_an_output_with_a_stored_value_emits_it(bench: Any) -> None:
    ran = await bench.run({"out": ("nodetool.output.Output", {"name": "out", "value": 3})}, [])
    assert ran.result.outputs == {"out": [3]}


@pytest.mark.case("NO-A1-6")
async def test_format_text_runs_as_prompt(bench: Any) -> None:
    nodes = {
        "t": ("test.Give", {"value": "Hello {{ x }}"}),
        "f": ("nodetool.text.FormatText", {"template": "{{ x }}"}, {"dynamic_properties": {"x": "Ada"}}),
    }
    graph = bench.graph(nodes, ["t.output -> f.template"])
    ran = await bench.run_graph(graph)
    assert [m["value"] for m in ran.of("output_update", "f") if m["output_name"] == "output"] == ["Hello Ada"]
    assert ran.of("node_update", "f")[0]["node_type"] == "nodetool.text.Prompt"
    assert graph.stored["nodes"][1]["type"] == "nodetool.text.FormatText"


@pytest.mark.case("NO-A1-7")
async def test_missing_required_property_fails_the_job_before_any_node(bench: Any) -> None:
    ran = await bench.run({"r": "test.Required", "g": ("test.Give", {"value": 1})})
    assert [(message["type"], message["status"]) for message in ran.messages] == [
        ("job_update", "running"),
        ("job_update", "failed"),
    ]
    issue = ran.last["validation_issues"][0]
    assert (issue["node_id"], issue["node_type"], issue["property"]) == ("r", "test.Required", "text")
    assert ran.last["error_code"] == "INVALID"


@pytest.mark.case("NO-A1-7")
async def test_required_property_that_an_edge_feeds_is_not_missing(bench: Any) -> None:
    ran = await bench.run({"r": "test.Required", "g": ("test.Give", {"value": "x"})}, ["g.output -> r.text"])
    assert ran.values("r") == ["x"]


async def test_type_that_exists_elsewhere_only_keeps_the_run_from_starting(bench: Any) -> None:
    ran = await bench.run({"code": ("nodetool.code.Code", {"code": "return 1"}), "g": "test.Give"})
    assert ran.result.status == "failed"
    assert ran.result.validation_issues[0]["node_id"] == "code"
    assert ran.statuses("g") == []


async def test_cycle_keeps_the_run_from_starting(bench: Any) -> None:
    nodes = {"a": "nodetool.text.ToUppercase", "b": "nodetool.text.ToLowercase"}
    ran = await bench.run(nodes, ["a.output -> b.text", "b.output -> a.text"])
    assert ran.result.error_code == "INVALID"
    assert {issue["node_id"] for issue in ran.result.validation_issues} & {"a", "b"}


@pytest.mark.case("NO-A4-3")
async def test_two_iterations_into_one_node_are_refused_before_a_node_starts(bench: Any) -> None:
    nodes = {
        "one": ("nodetool.control.ForEach", {"input_list": [1]}),
        "two": ("nodetool.control.ForEach", {"input_list": [2]}),
        "pair": "test.Pair",
    }
    ran = await bench.run(nodes, ["one.output -> pair.a", "two.output -> pair.b"])
    assert ran.of("node_update") == []
    issue = ran.last["validation_issues"][0]
    assert issue["node_id"] == "pair"
    for part in ("one:items", "two:items", "Zip", "Cross"):
        assert part in issue["message"]


async def test_problem_of_a_bypassed_node_is_none_of_the_run(bench: Any) -> None:
    ran = await bench.run({"r": ("test.Required", {}, BYPASSED), "g": ("test.Give", {"value": 1})})
    assert ran.result.outputs == {"g": [1]}
