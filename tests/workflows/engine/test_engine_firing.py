"""When nodes fire, and what leaves them (spec: nodes A3)."""

from __future__ import annotations

from typing import Any

import pytest

OUT = ("nodetool.output.Output", {"name": "out"})


def give(value: Any) -> tuple[str, dict[str, Any]]:
    return ("test.Give", {"value": value})


@pytest.mark.case("NO-A3-1")
async def test_independent_nodes_run_at_the_same_time(bench: Any) -> None:
    ran = await bench.run({"a": "test.Meet", "b": "test.Meet"})
    assert ran.result.outputs == {"a": ["a"], "b": ["b"]}


@pytest.mark.case("NO-A3-2")
async def test_partial_records_are_sent_at_once_and_nulls_in_them_are_not(bench: Any) -> None:
    records = [{"chunk": "a", "text": None}, {"chunk": "b"}, {"text": "ab"}]
    ran = await bench.run({"r": ("test.Records", {"records": records})})
    told = [(message["output_name"], message["value"]) for message in ran.of("output_update")]
    assert told == [("chunk", "a"), ("chunk", "b"), ("text", "ab")]
    assert ran.of("generation_complete")[0]["outputs"] == {"chunk": "b", "text": "ab"}


@pytest.mark.case("NO-A3-3")
async def test_edges_into_a_list_are_gathered_into_one_firing(bench: Any) -> None:
    nodes = {"a": give(1), "b": give([2, 3]), "c": give(None), "g": "test.Gather"}
    ran = await bench.run(nodes, ["a.output -> g.items", "b.output -> g.items", "c.output -> g.items"])
    assert ran.values("g") == [[1, 2, 3]]


@pytest.mark.case("NO-A3-3")
async def test_gathered_values_keep_the_order_of_their_edges(bench: Any) -> None:
    nodes = {"slow": ("test.Wait", {"value": "first"}), "fast": ("test.Give", {"value": "second"}), "g": "test.Gather"}
    bench.signals.event("go").set()
    ran = await bench.run(nodes, ["slow.output -> g.items", "fast.output -> g.items"])
    assert ran.values("g") == [["first", "second"]]


async def test_gathering_goes_on_without_an_edge_that_brings_nothing(bench: Any) -> None:
    nodes = {"a": give(1), "none": "nodetool.control.ForEach", "last": "nodetool.control.Last", "g": "test.Gather"}
    edges = ["none.output -> last.input_item", "a.output -> g.items", "last.output -> g.items"]
    assert (await bench.run(nodes, edges)).values("g") == [[1]]


@pytest.mark.case("NO-A3-3")
async def test_two_edges_into_a_text_make_two_firings(bench: Any) -> None:
    nodes = {"a": give("x"), "b": give("y"), "up": "nodetool.text.ToUppercase"}
    ran = await bench.run(nodes, ["a.output -> up.text", "b.output -> up.text"])
    assert sorted(ran.values("up")) == ["X", "Y"]


@pytest.mark.case("NO-A3-3")
async def test_merged_values_share_the_one_value_of_another_input(bench: Any) -> None:
    nodes = {"a": give("x"), "b": give("y"), "c": give("!"), "pair": "test.Pair"}
    ran = await bench.run(nodes, ["a.output -> pair.a", "b.output -> pair.a", "c.output -> pair.b"])
    assert sorted(ran.values("pair")) == [["x", "!"], ["y", "!"]]


@pytest.mark.case("NO-A3-4")
async def test_failure_lets_siblings_go_on_and_fails_the_job_at_the_end(bench: Any) -> None:
    nodes = {"bad": ("test.Boom", {"text": "no luck"}), "good": give(1)}
    ran = await bench.run(nodes)
    assert ran.result.status == "failed"
    assert ran.result.outputs == {"good": [1]}
    assert ran.last["error"] == 'node "bad": no luck'
    assert ran.statuses("bad") == ["running", "error"]
    assert ran.of("node_update", "bad")[-1]["error"] == "no luck"


@pytest.mark.case("NO-A3-4")
async def test_outputs_of_a_failed_node_close(bench: Any) -> None:
    ran = await bench.run({"bad": "test.Boom", "next": "test.Give"}, ["bad.output -> next.value"])
    assert ran.statuses("next") == []
    assert [m["status"] for m in ran.of("edge_update")] == ["drained"]


async def test_every_failed_node_is_named(bench: Any) -> None:
    nodes = {"a": ("test.Boom", {"text": "one"}), "b": ("test.Boom", {"text": "two"})}
    ran = await bench.run(nodes)
    assert ran.result.error == 'node "a": one; node "b": two'


async def test_value_that_does_not_fit_fails_the_node_and_names_the_property(bench: Any) -> None:
    nodes = {"g": give("many"), "r": "nodetool.control.RepeatCount"}
    ran = await bench.run(nodes, ["g.output -> r.count"])
    assert 'property "count"' in ran.result.error


@pytest.mark.case("NO-A3-5")
async def test_result_holds_every_value_of_every_sink_by_name(bench: Any) -> None:
    nodes = {
        "each": ("nodetool.control.ForEach", {"input_list": ["v1", "v2"]}),
        "a": ("nodetool.output.Output", {"name": "a"}),
        "none": ("nodetool.input.StringInput", {"name": "missing"}),
        "b": ("nodetool.output.Output", {"name": "b"}),
    }
    ran = await bench.run(nodes, ["each.output -> a.value", "none.output -> b.value"])
    assert ran.result.outputs == {"a": ["v1", "v2"]}
    assert ran.last["result"] == {"a": ["v1", "v2"]}


@pytest.mark.case("NO-B1-7")
async def test_branch_that_is_not_taken_delivers_null(bench: Any) -> None:
    nodes = {"if": ("nodetool.control.If", {"condition": False, "value": 1}), "t": OUT, "f": OUT, "g": "test.Gather"}
    edges = ["if.if_true -> t.value", "if.if_false -> f.value", "if.if_true -> g.items", "if.if_false -> g.items"]
    ran = await bench.run(nodes, edges)
    assert (ran.values("t"), ran.values("f"), ran.values("g")) == ([None], [1], [[1]])


async def test_input_that_brings_nothing_takes_its_default_when_another_brings_a_value(bench: Any) -> None:
    nodes = {"none": ("nodetool.control.FilterEqual", {"input_item": 1, "value": 2}), "b": give(2), "pair": "test.Pair"}
    ran = await bench.run(nodes, ["none.output -> pair.a", "b.output -> pair.b"])
    assert ran.values("pair") == [["-", 2]]


async def test_stream_node_sees_handle_and_value_in_order_of_arrival(bench: Any) -> None:
    nodes = {"each": ("nodetool.control.ForEach", {"input_list": [1, 2]}), "c": give("x"), "relay": "test.Relay"}
    ran = await bench.run(nodes, ["each.output -> relay.a", "c.output -> relay.b"])
    assert ran.values("relay") == [["b", "x"], ["a", 1], ["a", 2]]


async def test_bare_value_leaves_on_the_sole_output(bench: Any) -> None:
    ran = await bench.run({"t": ("nodetool.text.ToUppercase", {"text": "a"})})
    assert ran.result.outputs == {"t": ["A"]}
