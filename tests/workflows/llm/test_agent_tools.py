from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="needs the model library")

from greenrun.document.surface import Port
from greenrun.workflows.engine.result import RunResult
from greenrun.workflows.functions.ports import FunctionPorts
from greenrun.workflows.node import BudgetExceeded, NodeError, NotAllowed
from greenrun.workflows.nodes.agents import Agent
from greenrun.workflows.nodes.text import Concat
from talking import Desk, Talker, call, fired


async def texts(desk: Desk, **values: Any) -> list[str]:
    return [record["text"] for record in await fired(Agent, desk, **values) if "text" in record]


async def test_agent_calls_functions_of_the_workspace() -> None:
    talker = Talker(["Let me look. ", *call("weather", city="Rome")], "It is sunny.")
    desk = Desk(talker, functions={"tools:weather": {"sky": "sunny"}})
    assert await texts(desk, prompt="Rome?", tools=["tools:weather"]) == ["Let me look. ", "It is sunny."]
    assert desk.called == [("tools:weather", {"city": "Rome"})]
    assert talker.results == [{"sky": "sunny"}]
    assert [tool.name for tool in talker.infos[0].function_tools] == ["weather"]


async def test_tool_calls_are_told_to_the_run() -> None:
    desk = Desk(Talker(call("weather", city="Rome"), "done"), functions={"tools:weather": "sunny"})
    await fired(Agent, desk, prompt="Rome?", tools=[{"type": "tool_name", "name": "tools:weather"}])
    [asked], [answered] = desk.of("tool_call_update"), desk.of("tool_result_update")
    assert (asked["name"], asked["args"], asked["node_id"]) == ("weather", {"city": "Rome"}, "node")
    assert (answered["name"], answered["result"], answered["is_error"]) == ("weather", "sunny", False)
    assert asked["tool_call_id"] == answered["tool_call_id"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (RunResult("failed", "no such city"), "no such city"),
        (RunResult("cancelled"), "the run was cancelled"),
        (NodeError("this host runs no functions"), "this host runs no functions"),
        (KeyError(), "KeyError"),
    ],
)
async def test_a_failing_tool_is_an_answer_to_the_model(answer: Any, said: str) -> None:
    talker = Talker(call("weather", city="?"), "I could not find out.")
    desk = Desk(talker, functions={"tools:weather": answer})
    assert await texts(desk, prompt="?", tools=["tools:weather"]) == ["I could not find out."]
    assert talker.results == [{"status": "error", "error": said}]
    assert desk.of("tool_result_update")[0]["is_error"] is True


@pytest.mark.parametrize("refusal", [BudgetExceeded("spent"), NotAllowed("not in a debug run")])
async def test_a_refusal_of_the_run_ends_the_agent(refusal: NodeError) -> None:
    talker = Talker(call("post"), "done")
    desk = Desk(talker, functions={"tools:post": refusal})
    with pytest.raises(type(refusal)):
        await fired(Agent, desk, prompt="?", tools=["tools:post"])
    assert len(talker.asked) == 1


async def test_a_function_with_several_outputs_answers_with_all_of_them() -> None:
    talker = Talker(call("both"), "done")
    result = RunResult("completed", outputs={"a": [1, 2], "b": ["x"], "c": []})
    await fired(Agent, Desk(talker, functions={"m:both": result}), prompt="?", tools=["m:both"])
    assert talker.results == [{"a": 2, "b": "x"}]


async def test_agent_uses_node_types_as_tools() -> None:
    talker = Talker(call("Concat", a="x", b="y"), "xy it is")
    await fired(Agent, Desk(talker), prompt="?", tools=[Concat.node_type])
    assert talker.results == [{"output": "xy"}]


async def test_a_node_type_that_yields_answers_with_all_of_it() -> None:
    talker = Talker(call("RepeatCount", count=2), "done")
    await fired(Agent, Desk(talker), prompt="?", tools=["nodetool.control.RepeatCount"])
    assert talker.results[0]["output"] == [0, 1]


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("google_search", 'there is no tool "google_search" here'),
        ("nodetool.control.Collect", '"nodetool.control.Collect" cannot be a tool'),
        ("lib.http.Post", '"lib.http.Post" cannot be a tool'),
    ],
)
async def test_a_tool_that_cannot_be_used_is_named(tool: str, said: str) -> None:
    with pytest.raises(NodeError, match=said):
        await fired(Agent, Desk(Talker("hi")), prompt="?", tools=[tool])


async def test_tools_of_one_name_are_told_apart() -> None:
    talker = Talker(call("run_2"), "done")
    desk = Desk(talker, functions={"a:run": 1, "b:run": 2})
    await fired(Agent, desk, prompt="?", tools=["a:run", "b:run", "", 3])
    assert [tool.name for tool in talker.infos[0].function_tools] == ["run", "run_2"]
    assert desk.called == [("b:run", {})]


async def test_the_model_is_told_what_a_function_takes() -> None:
    talker = Talker("done")
    city = Port(
        "city", "pyfunction.input.str", "city", "City", type={"type": "str"}, required=True, description="Where"
    )
    days = Port("days", "pyfunction.input.int", "days", "Days", default=3, type={"type": "int"}, minimum=1, maximum=9)
    unit = Port("unit", "pyfunction.input.enum", "unit", "Unit", type={"type": "str"}, options=("C", "F"))
    ports = {"m:forecast": FunctionPorts((city, days, unit), (), description="The weather to come.")}
    await fired(Agent, Desk(talker, functions={"m:forecast": 1}, ports=ports), prompt="?", tools=["m:forecast"])
    [tool] = talker.infos[0].function_tools
    assert tool.description == "The weather to come."
    assert tool.parameters_json_schema == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where"},
            "days": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
            "unit": {"type": "string", "enum": ["C", "F"]},
        },
        "required": ["city"],
        "additionalProperties": False,
    }


async def test_a_function_that_is_not_there_is_named_before_the_model_is_asked() -> None:
    talker = Talker("done")
    with pytest.raises(NodeError, match='no function "m:gone"'):
        await fired(Agent, Desk(talker), prompt="?", tools=["m:gone"])
    assert not talker.asked


CONTROLLED = {
    "t1": {
        "node_id": "t1",
        "node_type": "nodetool.text.Template",
        "node_title": "Fill in: form",
        "properties": {},
        "control_actions": {"run": {"properties": {"string": {"type": "string"}}}},
    },
    "t2": {"node_id": "t2"},
}


async def test_controlled_nodes_are_tools() -> None:
    talker = Talker([*call("Fill_in_form", string="x"), *call("t2", index=1)], "done")
    desk = Desk(talker, control=CONTROLLED)
    await fired(Agent, desk, prompt="?")
    assert sorted(desk.controlled) == [("t1", {"string": "x"}), ("t2", {})]
    assert talker.results == [{"output": "t1 ran"}, {"output": "t2 ran"}]
    first, second = talker.infos[0].function_tools
    assert first.parameters_json_schema["properties"] == {"string": {"type": "string"}}
    assert second.parameters_json_schema["additionalProperties"] is True


async def test_a_tool_shows_media_without_their_content_and_cuts_what_is_long() -> None:
    picture = {"type": "image", "uri": "asset://a.png", "data": "AAAA", "at": object}
    talker = Talker(call("make"), call("tell"), "done")
    desk = Desk(talker, functions={"m:make": [picture], "m:tell": "x" * 60_000})
    await fired(Agent, desk, prompt="?", tools=["m:make", "m:tell"])
    assert talker.results[0] == [{"type": "image", "uri": "asset://a.png", "at": str(object)}]
    assert len(json.dumps(talker.results[1])) < 51_000
    assert talker.results[1]["cut"] == "the first 50000 of 60002 characters"


async def test_lists_and_records_may_come_as_text_and_texts_stay_texts() -> None:
    json_text = '{"label": "Run"}'
    ports = [
        Port(name, f"pyfunction.input.{kind}", name, name, type={"type": kind})
        for name, kind in (("props", "dict"), ("rows", "list"), ("odd", "dict"), ("label", "str"))
    ]
    talker = Talker(call("f", props=json_text, rows="[1]", odd="no json", label=json_text), "done")
    desk = Desk(talker, functions={"m:f": 1}, ports={"m:f": FunctionPorts(tuple(ports), ())})
    await fired(Agent, desk, prompt="?", tools=["m:f"])
    assert desk.called == [("m:f", {"props": {"label": "Run"}, "rows": [1], "odd": "no json", "label": json_text})]


@pytest.mark.parametrize("arguments", ['{"city": [', "[1, 2]", '"Rome"'])
async def test_arguments_that_are_no_record_are_corrected_or_given_up(arguments: str) -> None:
    talker = Talker(call("f", arguments), call("f"), "done")
    desk = Desk(talker, functions={"m:f": 1})
    assert await texts(desk, prompt="?", tools=["m:f"]) == ["done"]
    assert desk.called == [("m:f", {})]
    talker = Talker(call("f", arguments))
    with pytest.raises(NodeError, match="gave no usable answer"):
        await fired(Agent, Desk(talker, functions={"m:f": 1}), prompt="?", tools=["m:f"])
    assert len(talker.asked) == 3


async def test_a_tool_that_does_not_exist_is_said_to_the_model() -> None:
    talker = Talker(call("imagined"), "done")
    assert await texts(Desk(talker, functions={"m:f": 1}), prompt="?", tools=["m:f"]) == ["done"]
