"""Controllers that wait for what their targets answer (spec: nodes A6.36, A6.37)."""

from __future__ import annotations

from typing import Any

import pytest

CONTROL = "boss.__control__ => tool.__control__"


def boss(*calls: Any, **data: Any) -> tuple[str, dict[str, Any]]:
    return ("test.Boss", {"calls": list(calls), **data})


async def test_controller_gets_what_each_firing_gave(bench: Any) -> None:
    nodes = {"boss": boss(["tool", {"value": 1}], ["tool", {"value": 2}]), "tool": "test.Inc"}
    ran = await bench.run(nodes, [CONTROL])
    assert ran.values("boss") == [[{"output": 2}, {"output": 3}]]
    assert ran.values("tool") == [2, 3]
    assert [m["status"] for m in ran.of("edge_update")] == ["active", "active", "completed"]


async def test_controller_of_several_nodes_says_which_it_means(bench: Any) -> None:
    nodes = {"boss": boss(["b", {"value": 1}], ["a", {"value": 5}]), "a": "test.Inc", "b": "test.Give"}
    ran = await bench.run(nodes, ["boss.__control__ => a.__control__", "boss.__control__ => b.__control__"])
    assert ran.values("boss") == [[{"output": 1}, {"output": 6}]]


async def test_properties_of_an_event_come_before_what_edges_bring(bench: Any) -> None:
    nodes = {"boss": boss(["tool", {"a": 1}]), "c": ("test.Give", {"value": "b"}), "tool": "test.Pair"}
    ran = await bench.run(nodes, [CONTROL, "c.output -> tool.b"])
    assert ran.values("boss") == [[{"output": [1, "b"]}]]


async def test_failed_firing_is_told_to_the_controller_and_the_node_takes_the_next_event(bench: Any) -> None:
    nodes = {"boss": boss(["tool", {"value": "many"}], ["tool", {"value": 1}]), "tool": "test.Inc"}
    ran = await bench.run(nodes, [CONTROL])
    refused, answered = ran.values("boss")[0]
    assert refused.startswith('node "tool": property "value"')
    assert answered == {"output": 2}
    assert ran.result.ok
    assert ran.of("log_update", "tool")[0]["severity"] == "warning"


async def test_node_that_no_control_edge_leads_to_cannot_be_called(bench: Any) -> None:
    nodes = {"boss": boss(["other", {}]), "tool": "test.Inc", "other": "test.Give"}
    ran = await bench.run(nodes, [CONTROL])
    assert ran.values("boss") == [['no control edge leads to a node "other"; it leads to: tool']]


async def test_controller_of_nothing_knows_nothing(bench: Any) -> None:
    ran = await bench.run({"m": "test.Map", "boss": boss(["x", {}])})
    assert ran.values("m") == [{}]
    assert ran.values("boss") == [['no control edge leads to a node "x"; it leads to: no node']]


async def test_node_whose_input_failed_cannot_be_called(bench: Any) -> None:
    nodes = {"boss": boss(["tool", {}]), "bad": "test.Boom", "tool": "test.Pair"}
    ran = await bench.run(nodes, [CONTROL, "bad.output -> tool.a"])
    assert ran.values("boss") == [['node "tool" cannot fire: what feeds its input "a" failed']]
    assert ran.statuses("tool") == []


@pytest.mark.parametrize("aside", [False, True])
async def test_node_that_waits_for_its_own_controller_is_refused_instead_of_hanging(bench: Any, aside: bool) -> None:
    nodes = {"boss": boss(["tool", {}], aside=aside), "tool": "test.Pair"}
    ran = await bench.run(nodes, [CONTROL, "boss.answers -> tool.a"])
    text = 'node "tool" waits for its input "a", which does not come before this call ends'
    assert ran.of("node_update", "boss")[-1]["result"] == {"answers": [text]}


async def test_value_that_the_controller_sent_before_reaches_the_firing(bench: Any) -> None:
    nodes = {"boss": boss(["tool", {}], early="x"), "tool": "test.Pair"}
    ran = await bench.run(nodes, [CONTROL, "boss.early -> tool.a"])
    assert ran.of("node_update", "boss")[-1]["result"]["answers"] == [{"output": ["x", "-"]}]


async def test_event_that_a_failed_node_never_took_fails_the_run(bench: Any) -> None:
    nodes = {"cmd": ("test.Command", {"events": ["go"]}), "tool": "test.Inc", "boss": boss(["tool", {"value": 1}])}
    ran = await bench.run(nodes, ["cmd.__control__ => tool.__control__", CONTROL])
    assert 'node "tool": a control event must be a record' in ran.result.error
    (answer,) = ran.of("node_update", "boss")[-1]["result"]["answers"]
    assert answer in ({"output": 2}, 'node "tool" has ended and cannot fire any more')


async def test_call_after_the_end_of_a_node_is_refused(bench: Any) -> None:
    nodes = {
        "cmd": ("test.Command", {"events": [{"event_type": "stop"}]}),
        "tool": "test.Inc",
        "wait": "test.Wait",
        "boss": boss(["tool", {}]),
    }
    bench.signals.event("go").set()
    edges = ["cmd.__control__ => tool.__control__", CONTROL, "wait.output -> boss.early"]
    ran = await bench.run(nodes, edges)
    assert ran.of("node_update", "boss")[-1]["result"]["answers"] == ['node "tool" has ended and cannot fire any more']


async def test_controller_may_stop_waiting_for_an_answer(bench: Any) -> None:
    nodes = {"boss": "test.Impatient", "tool": ("test.Wait", {"value": 1})}
    ran = await bench.run(nodes, [CONTROL])
    assert ran.values("boss") == ["left"]
    assert ran.values("tool") == [1]


async def test_denied_firing_fails_the_run_whatever_the_controller_makes_of_it(bench: Any) -> None:
    ran = await bench.run({"boss": boss(["tool", {}]), "tool": "test.Post"}, [CONTROL], allow_external=False)
    assert ran.result.error_code == "NOT_ALLOWED"
    assert "--allow-external" in ran.of("node_update", "boss")[-1]["result"]["answers"][0]


async def test_controlled_node_is_lost_with_a_controller_that_failed(bench: Any) -> None:
    nodes = {"bad": "test.Boom", "tool": "test.Give", "pair": "test.Pair", "c": "test.Give"}
    ran = await bench.run(nodes, ["bad.x => tool.__control__", "tool.output -> pair.a", "c.output -> pair.b"])
    assert ran.statuses("pair") == []


async def test_controller_knows_its_targets(bench: Any) -> None:
    slots = {"x": {"type": "int", "default": 3, "min": 0, "description": "how many"}, "y": "str"}
    extra = {"dynamic_inputs": slots, "dynamic_properties": {"y": "hi", "z": 1}, "ui_properties": {"title": "Counter"}}
    nodes = {
        "m": "test.Map",
        "range": ("nodetool.control.RepeatCount", {"count": 4}),
        "t": ("nodetool.text.Template", {"string": "{x}"}, extra),
    }
    ran = await bench.run(nodes, ["m.__control__ => range.__control__", "m.__control__ => t.__control__"])
    known = ran.of("node_update", "m")[-1]["result"]["known"]
    assert (known["range"]["node_id"], known["range"]["node_type"]) == ("range", "nodetool.control.RepeatCount")
    assert known["range"]["properties"]["count"]["value"] == 4
    assert known["range"]["properties"]["count"]["type"] == "int"
    assert known["range"]["control_actions"]["run"]["properties"]["count"]["type"] == "integer"
    template = known["t"]
    assert template["node_title"] == "Counter"
    assert template["properties"]["x"] == {"value": 3, "type": "int", "description": "how many", "min": 0, "max": None}
    assert template["properties"]["y"]["value"] == "hi"
    assert template["properties"]["z"]["type"] == "any"
    assert template["control_actions"]["run"]["properties"]["x"] == {
        "type": "integer",
        "description": "how many",
        "minimum": 0,
    }
