"""Operations as stored (spec: app-runtime 2.4)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.diagnostics import Diagnostic
from greenrun.document.findings import Place
from greenrun.document.model import (
    FromConstant,
    FromResource,
    FromVariable,
    FromWidget,
    FunctionTarget,
    Operation,
    ScriptTarget,
    ToDisplay,
    ToVariable,
    WorkflowTarget,
    operation_target,
)
from greenrun.document.operations import is_function_name
from greenrun.document.parse import parse_document
from greenrun.document.values import ABSENT


def _parse(stored: Any, host: str = "") -> tuple[Operation | None, tuple[Diagnostic, ...]]:
    result = parse_document({"ui": {"root": {}, "content": []}, "operations": [stored]}, host)
    assert result.document is not None
    return next(iter(result.document.operations), None), result.diagnostics


def _kept(stored: Any, host: str = "") -> Operation:
    operation, diagnostics = _parse(stored, host)
    assert operation is not None
    assert diagnostics == ()
    return operation


def _noted(stored: Any, host: str = "") -> tuple[Operation, Diagnostic]:
    operation, (diagnostic,) = _parse(stored, host)
    assert operation is not None
    return operation, diagnostic


def _dropped(stored: Any) -> Diagnostic:
    operation, (diagnostic,) = _parse(stored)
    assert operation is None
    assert diagnostic.kind == "entry_dropped"
    return diagnostic


@pytest.mark.case("AR-2.4-1")
def test_an_empty_workflow_id_takes_the_host() -> None:
    assert _kept({"id": "m", "workflowId": ""}, "wf-installed").workflow_id == "wf-installed"


def test_an_empty_workflow_id_without_host_stays_empty() -> None:
    assert _kept({"id": "m", "workflowId": ""}).workflow_id == ""


@pytest.mark.case("AR-2.4-2")
def test_a_workflow_id_gives_a_workflow_target() -> None:
    operation = _kept({"id": "main", "workflowId": "wf1", "workflowVersion": 2})

    assert operation_target(operation) == WorkflowTarget("wf1", 2)
    assert (operation.target, operation.workflow_id) == (None, "wf1")


@pytest.mark.case("AR-2.4-3")
def test_a_script_target_makes_a_script_operation() -> None:
    target = {"kind": "script", "scriptId": "s1", "scriptVersion": 3}

    operation = _kept({"id": "m", "workflowId": "", "target": target})

    assert (operation.target, operation.workflow_id) == (ScriptTarget("s1", 3), "")


@pytest.mark.parametrize("version", [0, -1, 3.0])
def test_any_whole_number_is_a_script_version(version: float) -> None:
    target = {"kind": "script", "scriptId": "s1", "scriptVersion": version}

    assert _kept({"id": "m", "target": target}).target == ScriptTarget("s1", version)


@pytest.mark.case("AR-2.4-4")
@pytest.mark.parametrize(
    "target",
    [
        {"kind": "script", "scriptId": "s1"},
        {"kind": "script", "scriptId": "s1", "scriptVersion": 1.5},
        {"kind": "script", "scriptId": "s1", "scriptVersion": True},
        {"kind": "script", "scriptId": "", "scriptVersion": 1},
        {"kind": "Script", "scriptId": "s1", "scriptVersion": 1},
    ],
)
def test_an_incomplete_script_target_without_workflow_id_drops_the_operation(target: Any) -> None:
    diagnostic = _dropped({"id": "m", "target": target})

    assert (diagnostic.place, diagnostic.data["missing"]) == (Place(operation="m"), "workflow")
    assert "target is not complete" in diagnostic.message


@pytest.mark.case("AR-2.4-5")
def test_a_script_operation_is_never_bound_to_the_host() -> None:
    target = {"kind": "script", "scriptId": "s1", "scriptVersion": 3}

    assert _kept({"id": "m", "target": target}, "host").workflow_id == ""


@pytest.mark.case("AR-2.4-6")
def test_a_function_operation_carries_its_sentinel_and_is_never_bound_to_the_host() -> None:
    operation = _kept({"id": "m", "target": {"kind": "function", "function": "mod:f"}}, "host")

    assert (operation.target, operation.workflow_id) == (FunctionTarget("mod:f"), "function:mod:f")


@pytest.mark.case("AR-2.4-7")
def test_a_function_workflow_id_without_target_makes_a_function_operation() -> None:
    operation = _kept({"id": "m", "workflowId": "function:pkg.mod:f"})

    assert operation.target == FunctionTarget("pkg.mod:f")
    assert operation.workflow_id == "function:pkg.mod:f"


@pytest.mark.case("AR-2.4-8")
def test_a_function_target_without_name_drops_the_operation() -> None:
    diagnostic = _dropped({"id": "m", "target": {"kind": "function", "function": "mod"}})

    assert diagnostic.data["missing"] == "workflow"


@pytest.mark.case("AR-2.4-8")
def test_a_function_target_without_name_beside_a_workflow_id_is_ignored() -> None:
    target = {"kind": "function", "function": "mod"}

    operation, diagnostic = _noted({"id": "m", "workflowId": "wf1", "target": target})

    assert operation_target(operation) == WorkflowTarget("wf1")
    assert (diagnostic.kind, diagnostic.data["prop"], diagnostic.data["stored"]) == ("value_changed", "target", target)


@pytest.mark.case("AR-2.4-9")
def test_a_workflow_target_gives_id_and_version_when_the_workflow_id_is_empty() -> None:
    target = {"kind": "workflow", "workflowId": "wf2", "workflowVersion": 4}

    operation = _kept({"id": "m", "workflowId": "", "target": target}, "h")

    assert (operation.workflow_id, operation.workflow_version) == ("wf2", 4)


@pytest.mark.case("AR-2.4-9")
def test_a_workflow_id_beats_a_workflow_target_and_does_not_take_its_version() -> None:
    target = {"kind": "workflow", "workflowId": "wf2", "workflowVersion": 4}

    operation, diagnostic = _noted({"id": "m", "workflowId": "wf1", "target": target}, "h")

    assert (operation.workflow_id, operation.workflow_version) == ("wf1", None)
    assert diagnostic.data["prop"] == "target"


def test_a_workflow_target_that_agrees_with_the_workflow_id_may_give_the_version() -> None:
    target = {"kind": "workflow", "workflowId": "wf", "workflowVersion": 4}

    assert _kept({"id": "m", "workflowId": "wf", "target": target}).workflow_version == 4
    assert _kept({"id": "m", "workflowId": "wf", "workflowVersion": 2, "target": target}).workflow_version == 2


def test_a_version_beside_a_target_that_gives_the_id_is_reported() -> None:
    stored = {"id": "m", "workflowVersion": 2, "target": {"kind": "workflow", "workflowId": "wf"}}

    operation, diagnostic = _noted(stored)

    assert (operation.workflow_id, operation.workflow_version) == ("wf", None)
    assert diagnostic.data["prop"] == "workflowVersion"


def test_a_target_version_that_is_no_number_is_reported() -> None:
    target = {"kind": "workflow", "workflowId": "wf", "workflowVersion": "4"}

    operation, diagnostic = _noted({"id": "m", "target": target})

    assert operation.workflow_version is None
    assert diagnostic.place == Place(operation="m", prop="target.workflowVersion")


def test_an_empty_workflow_target_means_the_host() -> None:
    target = {"kind": "workflow", "workflowId": ""}

    assert _kept({"id": "m", "target": target}, "h").workflow_id == "h"
    assert _kept({"id": "m", "workflowId": "", "target": target}, "h").workflow_id == "h"
    assert _kept({"id": "m", "workflowId": "wf", "target": target}, "h").workflow_id == "wf"


def test_a_workflow_id_of_another_type_is_reported_when_a_target_gives_the_id() -> None:
    operation, diagnostic = _noted({"id": "m", "workflowId": 5, "target": {"kind": "workflow", "workflowId": "wf"}})

    assert operation.workflow_id == "wf"
    assert (diagnostic.data["prop"], diagnostic.data["used"]) == ("workflowId", "wf")


@pytest.mark.parametrize("target", ["wf2", [], {"kind": "workflow"}, {"kind": "workflow", "workflowId": 5}, {}])
def test_a_target_that_says_nothing_is_ignored_beside_a_workflow_id(target: Any) -> None:
    operation, diagnostic = _noted({"id": "m", "workflowId": "wf1", "target": target})

    assert operation_target(operation) == WorkflowTarget("wf1")
    assert diagnostic.data["prop"] == "target"


def test_an_own_target_beats_a_workflow_id_which_is_reported() -> None:
    target = {"kind": "script", "scriptId": "s1", "scriptVersion": 1}

    operation, diagnostic = _noted({"id": "m", "workflowId": "wf", "workflowVersion": 3, "target": target})

    assert (operation.workflow_id, operation.workflow_version) == ("", 3)
    assert (diagnostic.data["prop"], diagnostic.data["used"]) == ("workflowId", "")


def test_a_function_target_beats_another_function_workflow_id() -> None:
    target = {"kind": "function", "function": "m:f"}

    operation, diagnostic = _noted({"id": "m", "workflowId": "function:m:g", "target": target})

    assert operation.target == FunctionTarget("m:f")
    assert diagnostic.data["used"] == "function:m:f"


def test_a_function_operation_reads_back_as_it_is_written() -> None:
    target = {"kind": "function", "function": "m:f"}

    assert _kept({"id": "m", "workflowId": "function:m:f", "target": target}).target == FunctionTarget("m:f")


def test_a_workflow_target_beside_a_function_workflow_id_is_ignored() -> None:
    target = {"kind": "workflow", "workflowId": "wf"}

    operation, diagnostic = _noted({"id": "m", "workflowId": "function:m:f", "target": target})

    assert operation.target == FunctionTarget("m:f")
    assert diagnostic.data["prop"] == "target"


def test_a_malformed_function_workflow_id_is_an_ordinary_workflow_id() -> None:
    operation = _kept({"id": "m", "workflowId": "function:m"})

    assert operation_target(operation) == WorkflowTarget("function:m")


@pytest.mark.parametrize("name", ["m:f", "a.b.c:run_it", "_m:_f", "módulo:función"])
def test_function_names(name: str) -> None:
    assert is_function_name(name)


@pytest.mark.parametrize(
    "name", ["m", "m:", ":f", "m:f:g", "m.:f", ".m:f", "a..b:f", "m:1f", "m f:g", "m:f ", "", None, 5]
)
def test_no_function_names(name: Any) -> None:
    assert not is_function_name(name)


@pytest.mark.parametrize(
    ("stored", "missing", "word"),
    [
        (None, "object", "not an object"),
        ("main", "object", "not an object"),
        ([], "object", "not an object"),
        ({}, "id", 'no text "id"'),
        ({"id": 5, "workflowId": "wf"}, "id", 'no text "id"'),
    ],
)
def test_an_operation_without_usable_id_is_dropped_by_number(stored: Any, missing: str, word: str) -> None:
    diagnostic = _dropped(stored)

    assert (diagnostic.place, diagnostic.data["index"], diagnostic.data["id"]) == (Place(), 0, None)
    assert diagnostic.data["missing"] == missing
    assert diagnostic.message.startswith("Operation number 1 is left out")
    assert word in diagnostic.message


@pytest.mark.case("HA-2.2-23")
def test_an_operation_without_workflow_and_target_is_dropped_with_what_a_fix_needs() -> None:
    stored = {"id": "main", "name": "Run"}

    diagnostic = _dropped(stored)

    assert diagnostic.code == "GR102"
    assert diagnostic.place == Place(operation="main")
    assert {key: diagnostic.data[key] for key in ("list", "entry", "index", "id", "missing", "stored")} == {
        "list": "operations",
        "entry": "operation",
        "index": 0,
        "id": "main",
        "missing": "workflow",
        "stored": stored,
    }


def test_the_name_defaults_to_the_id_and_may_be_empty() -> None:
    assert _kept({"id": "m", "workflowId": "wf"}).name == "m"
    assert _kept({"id": "m", "name": "", "workflowId": "wf"}).name == ""


def test_a_name_that_is_no_text_is_reported() -> None:
    operation, diagnostic = _noted({"id": "m", "name": 5, "workflowId": "wf"})

    assert operation.name == "m"
    assert (diagnostic.data["prop"], diagnostic.data["stored"], diagnostic.data["used"]) == ("name", 5, "m")


@pytest.mark.parametrize("policy", ["parallel", "queue", "replace"])
def test_known_policies(policy: str) -> None:
    assert _kept({"id": "m", "workflowId": "wf", "policy": policy}).policy == policy


@pytest.mark.case("HA-2.2-23")
@pytest.mark.parametrize("policy", ["paralel", "Queue", "", 5, []])
def test_any_other_policy_means_replace_and_is_reported_with_the_choices(policy: Any) -> None:
    operation, diagnostic = _noted({"id": "m", "workflowId": "wf", "policy": policy})

    assert operation.policy == "replace"
    assert (diagnostic.code, diagnostic.place) == ("GR104", Place(operation="m", prop="policy"))
    assert diagnostic.data["choices"] == ["parallel", "replace", "queue"]
    assert (diagnostic.data["index"], diagnostic.data["stored"]) == (0, policy)


@pytest.mark.parametrize("timeout", [0, -5, 1.5, 60000])
def test_any_number_is_a_timeout(timeout: float) -> None:
    assert _kept({"id": "m", "workflowId": "wf", "timeoutMs": timeout}).timeout_ms == timeout


@pytest.mark.parametrize("prop", ["timeoutMs", "workflowVersion"])
@pytest.mark.parametrize("value", ["5", True, {}])
def test_numbers_of_another_type_are_ignored_and_reported(prop: str, value: Any) -> None:
    operation, diagnostic = _noted({"id": "m", "workflowId": "wf", prop: value})

    assert (operation.timeout_ms, operation.workflow_version) == (None, None)
    assert (diagnostic.place.prop, diagnostic.data["used"]) == (prop, None)


def test_null_members_say_nothing() -> None:
    names = ("name", "policy", "timeoutMs", "workflowVersion", "target", "inputs", "outputs")

    assert _kept({"id": "m", "workflowId": "wf", **dict.fromkeys(names)}) == Operation("m", "m", "wf", {}, {})


def test_input_mappings_of_every_form() -> None:
    inputs = {
        "a": {"from": "widget", "extra": 1},
        "b": {"from": "variable", "variableId": "v"},
        "c": {"from": "constant", "value": None},
        "d": {"from": "constant"},
        "e": {"from": "resource", "resourceBindingId": "r"},
    }

    assert _kept({"id": "m", "workflowId": "wf", "inputs": inputs}).inputs == {
        "a": FromWidget(),
        "b": FromVariable("v"),
        "c": FromConstant(None),
        "d": FromConstant(ABSENT),
        "e": FromResource("r"),
    }


def test_output_mappings_of_every_form() -> None:
    outputs = {"a": {"to": "display"}, "b": {"to": "variable", "variableId": "v"}}

    assert _kept({"id": "m", "workflowId": "wf", "outputs": outputs}).outputs == {
        "a": ToDisplay(),
        "b": ToVariable("v"),
    }


def test_mappings_are_in_javascript_key_order() -> None:
    outputs = {key: {"to": "display"} for key in ("b", "10", "2", "a")}

    assert list(_kept({"id": "m", "workflowId": "wf", "outputs": outputs}).outputs) == ["2", "10", "b", "a"]


@pytest.mark.case("HA-2.2-23")
@pytest.mark.parametrize(
    ("raw", "word", "missing", "words"),
    [
        ({"from": "widgt"}, "widgt", None, '"from" is "widgt"'),
        ({"from": "variable"}, "variable", "variableId", 'needs a text "variableId"'),
        ({"from": "variable", "variableId": ""}, "variable", "variableId", 'needs a text "variableId"'),
        ({"from": "resource", "resourceBindingId": 5}, "resource", "resourceBindingId", 'text "resourceBindingId"'),
        ({"from": 5}, None, None, '"from" is 5'),
        ({"to": "display"}, None, None, 'it has no "from"'),
        ("widget", None, None, "not an object"),
        (None, None, None, "not an object"),
    ],
)
def test_a_dropped_input_mapping_is_reported_with_what_a_fix_needs(
    raw: Any, word: str | None, missing: str | None, words: str
) -> None:
    operation, diagnostic = _noted({"id": "m", "workflowId": "wf", "inputs": {"n1": raw, "n2": {"from": "widget"}}})

    assert operation.inputs == {"n2": FromWidget()}
    assert diagnostic.code == "GR103"
    assert diagnostic.place == Place(operation="m", node="n1", prop="inputs")
    assert words in diagnostic.message
    assert '"widget", "variable", "constant" or "resource"' in diagnostic.message
    assert diagnostic.data == {
        "operation": "m",
        "index": 0,
        "side": "inputs",
        "node": "n1",
        "stored": raw,
        "key": "from",
        "word": word,
        "choices": ["widget", "variable", "constant", "resource"],
        "missing": missing,
    }


@pytest.mark.parametrize(
    "raw", [{"to": "dispaly"}, {"to": "variable"}, {"to": "variable", "variableId": 1}, {"to": ["display"]}, [], 5]
)
def test_a_dropped_output_mapping_is_reported(raw: Any) -> None:
    operation, diagnostic = _noted({"id": "m", "workflowId": "wf", "outputs": {"o": raw}})

    assert operation.outputs == {}
    assert (diagnostic.kind, diagnostic.data["side"], diagnostic.data["key"]) == ("mapping_dropped", "outputs", "to")
    assert "only displayed" in diagnostic.message


@pytest.mark.parametrize("side", ["inputs", "outputs"])
@pytest.mark.parametrize("value", [[], "x", 5])
def test_a_mapping_table_of_another_type_counts_as_empty_and_is_reported(side: str, value: Any) -> None:
    operation, diagnostic = _noted({"id": "m", "workflowId": "wf", side: value})

    assert (operation.inputs, operation.outputs) == ({}, {})
    assert (diagnostic.kind, diagnostic.place) == ("value_changed", Place(operation="m", prop=side))


@pytest.mark.parametrize("node_id", ["__proto__", "constructor", "toString"])
def test_mapping_keys_that_objects_inherit_elsewhere_are_ordinary(node_id: str) -> None:
    assert _kept({"id": "m", "workflowId": "wf", "inputs": {node_id: {"from": "widget"}}}).inputs == {
        node_id: FromWidget()
    }
    assert _kept({"id": "m", "workflowId": "wf", "inputs": {}}).inputs == {}


@pytest.mark.parametrize("word", ["constructor", "__proto__", "toString"])
def test_mapping_forms_that_objects_inherit_elsewhere_are_none(word: str) -> None:
    _, diagnostic = _noted({"id": "m", "workflowId": "wf", "inputs": {"n": {"from": word}}})

    assert diagnostic.data["missing"] is None


def test_a_function_with_a_dot_for_the_colon_is_told_the_form() -> None:
    target = {"kind": "function", "function": "ledger.advice"}
    _, beside = _noted({"id": "m", "workflowId": "wf1", "target": target})
    assert 'Its function "ledger.advice" is no module:name' in beside.message
