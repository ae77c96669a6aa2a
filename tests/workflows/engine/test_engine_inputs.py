from __future__ import annotations

from typing import Any

import pytest

OUT = ("nodetool.output.Output", {"name": "out"})
EDGE = ["in.output -> out.value"]


def text_input(**data: Any) -> dict[str, Any]:
    return {"in": ("nodetool.input.StringInput", data), "out": OUT}


@pytest.mark.case("NO-A2-1")
async def test_param_is_found_by_the_trimmed_name(bench: Any) -> None:
    ran = await bench.run(text_input(name=" prompt "), EDGE, params={"prompt": "hi"})
    assert ran.result.outputs == {"out": ["hi"]}


@pytest.mark.case("NO-A2-1")
async def test_stored_value_stands_in_for_a_param(bench: Any) -> None:
    ran = await bench.run(text_input(name="prompt", value="x"), EDGE)
    assert ran.result.outputs == {"out": ["x"]}


async def test_input_without_a_name_takes_the_param_of_its_id(bench: Any) -> None:
    ran = await bench.run(text_input(), EDGE, params={"in": "hi"})
    assert ran.result.outputs == {"out": ["hi"]}


@pytest.mark.case("NO-A2-2")
async def test_input_without_any_value_ends_its_consumers(bench: Any) -> None:
    ran = await bench.run(text_input(name="prompt"), EDGE)
    assert ran.result.status == "completed"
    assert ran.result.outputs == {}
    assert ran.statuses("out") == []


@pytest.mark.case("NO-A2-3")
async def test_input_bounds_its_value(bench: Any) -> None:
    nodes = {"in": ("nodetool.input.IntegerInput", {"name": "n", "min": 0, "max": 10}), "out": OUT}
    ran = await bench.run(nodes, EDGE, params={"n": 25})
    assert ran.result.outputs == {"out": [10]}


@pytest.mark.case("NO-A2-3")
async def test_refused_value_fails_the_run_and_names_the_input(bench: Any) -> None:
    nodes = {"in": ("nodetool.input.SelectInput", {"name": "size", "options": ["s", "m"]}), "out": OUT}
    ran = await bench.run(nodes, EDGE, params={"size": "xl"})
    assert ran.result.status == "failed"
    for part in ('"size"', "nodetool.input.SelectInput", '"in"'):
        assert part in ran.result.error
    assert ran.statuses("in") == ["running", "error"]
    assert ran.statuses("out") == []


async def test_bypassed_input_feeds_nobody(bench: Any) -> None:
    nodes = {"in": ("nodetool.input.StringInput", {"value": "x"}, {"ui_properties": {"bypassed": True}}), "out": OUT}
    ran = await bench.run(nodes, EDGE)
    assert ran.result.outputs == {}
    assert ran.of("edge_update") == []


async def test_input_with_an_incoming_edge_is_an_ordinary_node(bench: Any) -> None:
    nodes = {
        "c": ("nodetool.constant.String", {"value": "fed"}),
        "in": ("nodetool.input.StringInput", {"name": "prompt"}),
        "out": OUT,
    }
    ran = await bench.run(nodes, ["c.output -> in.value", *EDGE], params={"prompt": "hi"})
    assert ran.result.outputs == {"out": ["fed"]}


async def test_input_may_send_several_values(bench: Any) -> None:
    nodes = {"in": ("nodetool.input.TestMany", {"value": [1, 2]}), "out": OUT}
    assert (await bench.run(nodes, EDGE)).result.outputs == {"out": [1, 2]}


async def test_input_that_yields_nothing_hands_on_the_value_as_it_is(bench: Any) -> None:
    nodes = {"in": "nodetool.input.TestQuiet", "out": OUT}
    assert (await bench.run(nodes, EDGE, params={"in": "raw"})).result.outputs == {"out": ["raw"]}
