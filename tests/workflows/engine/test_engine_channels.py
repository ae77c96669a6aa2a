"""Variable channels (spec: nodes A7)."""

from __future__ import annotations

from typing import Any

import pytest


def variable(name: str, value: Any = None) -> tuple[str, dict[str, Any]]:
    return ("nodetool.variable.SetVariable", {"name": name, "value": value})


def reader(name: str) -> tuple[str, dict[str, Any]]:
    return ("nodetool.variable.GetVariable", {"name": name})


@pytest.mark.case("NO-A7-1")
async def test_reader_gets_the_values_of_every_writer_then_ends(bench: Any) -> None:
    nodes = {"one": variable("tone", 1), "two": variable(" tone ", 2), "get": reader("tone")}
    ran = await bench.run(nodes)
    assert ran.values("get") == [1, 2]
    assert ran.result.status == "completed"


@pytest.mark.case("NO-A7-1")
async def test_reader_of_a_name_that_nobody_writes_ends_empty(bench: Any) -> None:
    ran = await bench.run({"get": reader("ghost"), "one": variable("tone", 1)})
    assert ran.values("get") == []
    assert ran.result.status == "completed"


async def test_reader_waits_for_a_writer_that_is_late(bench: Any) -> None:
    nodes = {"get": reader("tone"), "slow": ("test.Wait", {"value": "x"}), "set": variable("tone"), "go": "test.Signal"}
    nodes["go"] = ("test.Signal", {"signal": "go"})
    assert (await bench.run(nodes, ["slow.output -> set.value"])).values("get") == ["x"]


async def test_writer_whose_name_comes_over_an_edge_keeps_its_channel_open(bench: Any) -> None:
    nodes = {"get": reader("tone"), "name": ("test.Give", {"value": "tone"}), "set": variable("", "x")}
    assert (await bench.run(nodes, ["name.output -> set.name"])).values("get") == ["x"]


async def test_reader_ends_when_its_writer_fails(bench: Any) -> None:
    nodes = {"get": reader("tone"), "bad": "test.Boom", "set": variable("tone")}
    ran = await bench.run(nodes, ["bad.output -> set.value"])
    assert ran.values("get") == []


async def test_reader_in_front_of_its_own_writer_does_not_hang(bench: Any) -> None:
    ran = await bench.run({"get": reader("tone"), "set": variable("tone")}, ["get.output -> set.value"])
    assert ran.result.status == "completed"
    assert ran.statuses("set") == []
