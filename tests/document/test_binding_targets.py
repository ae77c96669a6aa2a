"""What a binding can name: cases of app-runtime 13.5."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.binding_targets import BindingTargets, binding_targets
from greenrun.document.model import Document
from greenrun.document.parse import create_empty_document, parse_document
from greenrun.document.surface import Port, Surface

HOST = Surface(
    inputs=(Port("in-1", "nodetool.input.StringInput", "prompt", "Prompt"),),
    outputs=(Port("out-1", "nodetool.output.Output", "result", "Result"),),
    channels=("channel",),
)
CALC = Surface(
    inputs=(Port("in-9", "nodetool.input.ListInput", "numbers", "Numbers"),),
    outputs=(Port("out-9", "nodetool.output.Output", "sum", "Sum"),),
    channels=("calc_channel",),
)


def document(**members: Any) -> Document:
    parsed = parse_document(create_empty_document() | members).document
    assert parsed is not None
    return parsed


def tokens(targets: BindingTargets, index: int = 0) -> tuple[list[str], list[str]]:
    operation = targets.operations[index]
    return [port.binding for port in operation.inputs], [port.binding for port in operation.outputs]


@pytest.mark.case("AR-13.5-1")
def test_app_without_operations_offers_the_implicit_one():
    targets = binding_targets(document(), "wf-1", HOST)
    assert targets.to_json()["operations"] == [
        {
            "operationId": "main",
            "name": "Run",
            "workflowId": "wf-1",
            "ioAvailable": True,
            "inputs": [{"nodeId": "in-1", "name": "prompt", "label": "Prompt", "binding": "op:main/in:in-1"}],
            "outputs": [{"nodeId": "out-1", "name": "result", "label": "Result", "binding": "op:main/out:out-1"}],
            "execution": [
                {"field": field, "binding": f"op:main/exec#{field}"}
                for field in ("running", "progress", "error", "activity", "transcript")
            ],
        }
    ]


def test_app_without_operations_and_host_offers_none():
    assert binding_targets(document()).operations == ()


OPERATIONS = [
    {"id": "second", "workflowId": "wf-1"},
    {"id": "calc_op", "name": "Calc", "workflowId": "wf-9"},
]


@pytest.mark.case("AR-13.5-2")
def test_operation_without_a_surface_offers_its_execution_state_only():
    targets = binding_targets(document(operations=OPERATIONS), "wf-1", HOST)
    assert tokens(targets) == (["op:second/in:in-1"], ["op:second/out:out-1"])
    assert (targets.operations[1].io_available, tokens(targets, 1)) == (False, ([], []))
    assert len(targets.operations[1].execution) == 5


@pytest.mark.case("AR-13.5-2")
def test_operation_on_another_workflow_offers_its_surface():
    targets = binding_targets(document(operations=OPERATIONS), "wf-1", HOST, workflows={"wf-9": CALC})
    assert all(operation.io_available for operation in targets.operations)
    assert targets.operations[1].inputs[0].to_json() == {
        "nodeId": "in-9",
        "name": "numbers",
        "label": "Numbers",
        "binding": "op:calc_op/in:in-9",
    }
    assert tokens(targets, 1)[1] == ["op:calc_op/out:out-9"]
    assert [variable.id for variable in targets.variables] == ["channel", "calc_channel"]


@pytest.mark.case("AR-13.5-3")
def test_surfaces_of_scripts_are_looked_up_by_operation():
    operations = [
        {"id": f"version-{n}", "target": {"kind": "script", "scriptId": "s", "scriptVersion": n}} for n in (1, 2)
    ]
    own = {
        "version-1": Surface(inputs=(Port("oldInput", "jsscript.input.str", "oldInput", "oldInput"),)),
        "version-2": Surface(outputs=(Port("newOutput", "jsscript.output.str", "newOutput", "newOutput"),)),
    }
    targets = binding_targets(document(operations=operations), own=own)
    assert tokens(targets, 0) == (["op:version-1/in:oldInput"], [])
    assert tokens(targets, 1) == ([], ["op:version-2/out:newOutput"])


def test_function_operation_is_never_taken_for_the_host():
    operations = [{"id": "f", "target": {"kind": "function", "function": "mod:f"}}]
    targets = binding_targets(document(operations=operations), "function:mod:f", HOST)
    assert not targets.operations[0].io_available


@pytest.mark.case("AR-13.5-4")
def test_variables_are_the_declared_ones_and_the_channels():
    targets = binding_targets(document(variables=[{"id": "lang", "name": "Language"}]), "wf-1", HOST)
    assert targets.to_json()["variables"] == [
        {"id": "lang", "name": "Language", "scope": "instance", "persist": False, "binding": "var:lang"},
        {"id": "channel", "name": "channel", "scope": "instance", "persist": False, "binding": "var:channel"},
    ]


def test_resources_come_with_their_operations():
    resource = {"id": "r", "name": "R", "kind": "asset", "scope": {"projectId": "p"}, "operations": ["read", "create"]}
    assert binding_targets(document(resources=[resource])).to_json()["resources"] == [
        {"id": "r", "name": "R", "kind": "asset", "operations": ["read", "create"]}
    ]
