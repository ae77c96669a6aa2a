"""Operations, their targets and mappings: cases of app-runtime 13.2."""

from __future__ import annotations

from typing import Any

import pytest
from editing import content, edit, edited, node, operation, refused, stored

from greenrun.document.edits import EditResult
from greenrun.document.model import FunctionTarget, ScriptTarget, operation_target

FUNCTION = {"kind": "function", "function": "mod:f"}
SCRIPT = {"kind": "script", "scriptId": "s1", "scriptVersion": 3}


def entry(result: EditResult, index: int = -1) -> dict[str, Any]:
    """A stored operation after an edit."""
    return result.document.stored["operations"][index]


def update(id_: str = "main", **patch: Any) -> dict[str, Any]:
    return edit("update_operation", id=id_, patch=patch)


@pytest.mark.case("AR-13.2-1")
@pytest.mark.parametrize(
    ("name", "new_id"),
    [
        ("Translate Title", "translate_title"),
        ("  Hello -- World!  ", "hello_world"),
        ("***", "item"),
        ("Ünïcode", "n_code"),
        ("日本", "item"),
    ],
)
def test_id_is_made_from_the_name(name: str, new_id: str):
    result = edited(stored(), edit("add_operation", name=name, workflow_id="wf1"))
    assert entry(result) == {
        "id": new_id,
        "name": name,
        "workflowId": "wf1",
        "inputs": {},
        "outputs": {},
        "policy": "replace",
    }
    assert result.changed == (new_id,)


@pytest.mark.case("AR-13.2-1")
def test_second_operation_of_one_name_gets_a_number():
    twice = [edit("add_operation", name="Run", workflow_id="wf1")] * 3
    result = edited(stored(), *twice)
    assert [item.id for item in result.document.operations] == ["run", "run_2", "run_3"]


def test_without_a_name_id_and_name_come_from_the_workflow():
    added = entry(edited(stored(), edit("add_operation", workflow_id="Wf One")))
    assert (added["id"], added["name"]) == ("wf_one", "wf_one")


@pytest.mark.case("AR-13.2-1")
def test_id_in_use_is_refused_by_name():
    error = refused(stored(operations=[operation()]), edit("add_operation", id="main", workflow_id="wf1"))
    assert (error.code, error.field) == ("duplicate_id", "id")
    assert '"main"' in error.message


def test_all_members_of_a_new_operation_are_stored():
    new = edit(
        "add_operation",
        id="op",
        name="",
        workflow_id="wf1",
        workflow_version=2,
        policy="queue",
        inputs={"in": {"from": "constant", "value": None, "junk": 1}},
        outputs={"out": {"to": "variable", "variableId": "v"}},
        timeout_ms=5,
    )
    assert entry(edited(stored(), new)) == {
        "id": "op",
        "name": "",
        "workflowId": "wf1",
        "workflowVersion": 2,
        "inputs": {"in": {"from": "constant", "value": None}},
        "outputs": {"out": {"to": "variable", "variableId": "v"}},
        "policy": "queue",
        "timeoutMs": 5,
    }


@pytest.mark.case("AR-13.2-2")
def test_patch_mappings_are_merged_node_by_node():
    before = operation(inputs={"in-1": {"from": "constant", "value": 1}, "in-2": {"from": "widget"}})
    change = update(inputs={"in-1": {"from": "variable", "variableId": "lang"}})
    assert entry(edited(stored(operations=[before]), change))["inputs"] == {
        "in-1": {"from": "variable", "variableId": "lang"},
        "in-2": {"from": "widget"},
    }


@pytest.mark.case("AR-13.2-3")
@pytest.mark.parametrize("change", [update("nope", name="x"), edit("remove_operation", id="nope")])
def test_unknown_operation_is_refused(change: dict[str, Any]):
    error = refused(stored(operations=[operation()]), change)
    assert error.code == "unknown_operation"
    assert '"nope"' in error.message
    assert '"main"' in error.message


@pytest.mark.case("AR-13.2-3")
def test_remove_takes_every_operation_with_the_id():
    value = stored(operations=[operation(), operation("other"), operation()])
    result = edited(value, edit("remove_operation", id="main"))
    assert [item.id for item in result.document.operations] == ["other"]


MAPPED = operation(inputs={"in-1": {"from": "widget"}}, outputs={"out": {"to": "display"}}, workflowVersion=1, own=7)


@pytest.mark.case("AR-13.2-4")
def test_rename_keeps_mappings():
    result = edited(stored(operations=[MAPPED]), update(name="New", id="ignored"))
    assert entry(result) == {**MAPPED, "name": "New"}


@pytest.mark.case("AR-13.2-4")
def test_another_workflow_drops_mappings_and_the_version():
    changed = entry(edited(stored(operations=[MAPPED]), update(workflow_id="wf-2")))
    assert (changed["workflowId"], changed["inputs"], changed["outputs"]) == ("wf-2", {}, {})
    assert "workflowVersion" not in changed
    assert changed["own"] == 7


@pytest.mark.case("AR-13.2-4")
def test_a_script_target_drops_mappings_except_those_of_the_patch():
    change = update(workflow_id="", target=SCRIPT, inputs={"a": {"from": "widget"}})
    changed = entry(edited(stored(operations=[MAPPED]), change))
    assert (changed["workflowId"], changed["target"]) == ("", SCRIPT)
    assert (changed["inputs"], changed["outputs"]) == ({"a": {"from": "widget"}}, {})


@pytest.mark.case("AR-13.2-4")
def test_a_version_keeps_mappings():
    changed = entry(edited(stored(operations=[MAPPED]), update(workflow_version=7)))
    assert changed == {**MAPPED, "workflowVersion": 7}


def test_null_takes_version_and_timeout_away():
    value = stored(operations=[{**MAPPED, "timeoutMs": 9}])
    changed = entry(edited(value, update(workflow_version=None, timeout_ms=None)))
    assert "timeoutMs" not in changed
    assert "workflowVersion" not in changed


def test_policy_and_timeout_are_written():
    changed = entry(edited(stored(operations=[operation()]), update(policy="parallel", timeoutMs=1.5)))
    assert (changed["policy"], changed["timeoutMs"]) == ("parallel", 1.5)


@pytest.mark.case("AR-13.2-5")
def test_add_with_a_function_target_stores_the_sentinel_too():
    added = edited(stored(), edit("add_operation", id="m", target=FUNCTION))
    assert entry(added)["target"] == FUNCTION
    assert entry(added)["workflowId"] == "function:mod:f"
    assert added.document.operations[0].target == FunctionTarget("mod:f")


@pytest.mark.case("AR-13.2-5")
def test_set_target_to_another_function_drops_the_mappings():
    before = operation(target=FUNCTION, workflow_id="function:mod:f", inputs={"x": {"from": "widget"}})
    target = {"kind": "function", "function": "mod:g"}
    changed = entry(edited(stored(operations=[before]), edit("set_target", id="main", target=target)))
    assert (changed["target"], changed["workflowId"], changed["inputs"]) == (target, "function:mod:g", {})


@pytest.mark.case("AR-13.2-5")
def test_set_target_null_goes_back_to_a_workflow():
    before = operation(target=SCRIPT, workflow_id="")
    change = edit("set_target", id="main", target=None, workflow_id="wf1", workflow_version=3)
    changed = entry(edited(stored(operations=[before]), change))
    assert "target" not in changed
    assert (changed["workflowId"], changed["workflowVersion"]) == ("wf1", 3)


def test_update_with_a_workflow_id_takes_a_function_operation_back_to_a_workflow():
    before = operation(target=FUNCTION, workflow_id="function:mod:f")
    result = edited(stored(operations=[before]), update(workflow_id="wf1"))
    assert operation_target(result.document.operations[0]).kind == "workflow"


def test_a_workflow_id_that_names_a_function_becomes_a_target():
    result = edited(stored(operations=[operation()]), update(workflow_id="function:mod:f"))
    assert entry(result)["target"] == FUNCTION


def test_a_new_version_of_the_same_script_keeps_mappings_and_unknown_keys():
    before = operation(target={**SCRIPT, "own": 1}, workflow_id="", inputs={"x": {"from": "widget"}})
    change = edit("set_target", id="main", target={**SCRIPT, "scriptVersion": 4})
    changed = entry(edited(stored(operations=[before]), change))
    assert changed["target"] == {**SCRIPT, "scriptVersion": 4, "own": 1}
    assert changed["inputs"] == {"x": {"from": "widget"}}


def test_a_workflow_target_is_folded_into_the_workflow_id():
    target = {"kind": "workflow", "workflowId": "wf2", "workflowVersion": 4}
    added = entry(edited(stored(), edit("add_operation", id="m", target=target)))
    assert (added["workflowId"], added["workflowVersion"]) == ("wf2", 4)
    assert "target" not in added


def test_version_of_an_explicit_workflow_target_moves_beside_the_id_when_it_changes():
    target = {"kind": "workflow", "workflowId": "wf2", "workflowVersion": 4, "own": 1}
    before = operation(workflow_id="", target=target)
    result = edited(stored(operations=[before]), update(workflow_version=5))
    assert result.document.operations[0].workflow_version == 5
    assert entry(result)["target"] == {"kind": "workflow", "workflowId": "wf2", "own": 1}


@pytest.mark.parametrize("target", [None, {"kind": "workflow"}, {"kind": "workflow", "workflowId": ""}, "junk"])
def test_version_of_a_plain_workflow_operation_needs_no_folding(target: object):
    before = operation(target=target)
    assert entry(edited(stored(operations=[before]), update(workflow_version=5)))["workflowVersion"] == 5


def test_the_hosts_own_workflow_stays_it_when_written_as_empty_id():
    before = operation(workflow_id="", inputs={"x": {"from": "widget"}})
    result = edited(stored(operations=[before]), update(workflow_id=""), host="wf-host")
    assert result.unchanged


def test_the_hosts_id_written_out_keeps_mappings():
    before = operation(workflow_id="", inputs={"x": {"from": "widget"}})
    result = edited(stored(operations=[before]), update(workflow_id="wf-host"), host="wf-host")
    assert entry(result)["inputs"] == {"x": {"from": "widget"}}


@pytest.mark.case("AR-13.2-6")
@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        ({"id": ""}, "invalid_arguments", "id"),
        ({"id": "a/b"}, "invalid_arguments", "id"),
        ({"id": "a:b"}, "invalid_arguments", "id"),
        ({"policy": "paralel"}, "invalid_arguments", "policy"),
        ({"timeout_ms": -1}, "invalid_arguments", "timeout_ms"),
        ({"timeout_ms": 0}, "invalid_arguments", "timeout_ms"),
        ({"timeout_ms": True}, "invalid_arguments", "timeout_ms"),
        ({"inputs": {"n1": {"from": "widgt"}}}, "invalid_mapping", "inputs"),
        ({"target": FUNCTION}, "invalid_arguments", "target"),
        ({"workflow_id": ""}, "invalid_arguments", "workflow_id"),
    ],
)
def test_what_an_operation_cannot_be_is_refused_by_field(arguments: dict[str, Any], code: str, field: str):
    error = refused(stored(), edit("add_operation", **{"workflow_id": "wf1", **arguments}))
    assert (error.code, error.field) == (code, field)


@pytest.mark.parametrize(
    "target",
    [
        {"kind": "function", "function": "mod"},
        {"kind": "script", "scriptId": "s"},
        {"kind": "workflow", "workflowId": ""},
        {"kind": "workflow", "workflowId": "w", "workflowVersion": "1"},
        {"kind": "other"},
    ],
)
def test_a_target_of_no_accepted_form_is_refused(target: dict[str, Any]):
    error = refused(stored(operations=[operation()]), edit("set_target", id="main", target=target))
    assert (error.code, error.field) == ("invalid_arguments", "target")


@pytest.mark.parametrize(
    ("change", "field"),
    [(edit("set_target", id="main", target=None), "workflow_id"), (update(target=None), "patch.workflow_id")],
)
def test_no_target_needs_a_workflow_id(change: dict[str, Any], field: str):
    error = refused(stored(operations=[operation(target=SCRIPT, workflow_id="")]), change)
    assert (error.code, error.field) == ("invalid_arguments", field)


def test_a_target_may_repeat_its_own_workflow_id():
    target = {"kind": "workflow", "workflowId": "wf2"}
    assert entry(edited(stored(), edit("add_operation", id="m", workflow_id="wf2", target=target)))
    assert entry(edited(stored(), edit("add_operation", id="m", workflow_id="function:mod:f", target=FUNCTION)))


@pytest.mark.parametrize(
    ("side", "mapping", "words"),
    [
        ("inputs", {"from": "widgt"}, ['inputs["n1"]', '"widgt"', '{"from": "resource"', '{"from": "widget"}']),
        ("inputs", {"from": "variable"}, ['inputs["n1"]', '"variableId"', "variables"]),
        ("inputs", {"from": "resource", "resourceBindingId": ""}, ['"resourceBindingId"', "resources"]),
        ("inputs", {"from": "constant"}, ['"value"']),
        ("inputs", {"from": 1}, ['inputs["n1"]']),
        ("inputs", "widget", ['inputs["n1"] is "widget"']),
        ("outputs", {"to": "widget"}, ['outputs["n1"]', '{"to": "display"}']),
        ("outputs", {"to": "variable"}, ['"variableId"']),
    ],
)
def test_refused_mapping_names_place_value_and_accepted_forms(side: str, mapping: object, words: list[str]):
    value = stored(operations=[operation()])
    error = refused(value, edit("set_mapping", operation="main", side=side, node="n1", mapping=mapping))
    assert (error.code, error.field) == ("invalid_mapping", "mapping")
    assert all(word in error.message for word in words)


def test_set_mapping_repairs_a_mapping_that_was_dropped_and_keeps_its_unknown_keys():
    before = operation(inputs={"n1": {"from": "widgt", "own": 1}, "n2": "junk"})
    result = edited(
        stored(operations=[before]),
        edit("set_mapping", id="main", side="inputs", node="n1", mapping={"from": "widget", "own": 1, "new": 2}),
        edit("set_mapping", id="main", side="inputs", node="n2", mapping={"from": "constant", "value": [1]}),
    )
    assert entry(result)["inputs"] == {"n1": {"from": "widget", "own": 1}, "n2": {"from": "constant", "value": [1]}}


def test_set_mapping_of_the_same_form_keeps_unknown_keys():
    before = operation(outputs={"o": {"to": "variable", "variableId": "a", "own": 1}})
    change = edit("set_mapping", id="main", side="outputs", node="o", mapping={"to": "variable", "variableId": "b"})
    changed = entry(edited(stored(operations=[before]), change))
    assert changed["outputs"] == {"o": {"to": "variable", "variableId": "b", "own": 1}}


def test_set_mapping_replaces_what_is_no_record():
    change = edit("set_mapping", id="main", side="inputs", node="n", mapping={"from": "widget"})
    value = stored(operations=[operation(inputs="junk")])
    assert entry(edited(value, change))["inputs"] == {"n": {"from": "widget"}}


@pytest.mark.case("AR-13.2-7")
def test_clear_mapping_removes_that_mapping_alone():
    before = operation(inputs={"in-1": {"from": "widget"}, "in-2": {"from": "widget"}})
    change = edit("clear_mapping", id="main", side="inputs", node="in-1")
    assert entry(edited(stored(operations=[before]), change))["inputs"] == {"in-2": {"from": "widget"}}


@pytest.mark.parametrize("inputs", [{"other": {"from": "widget"}}, "junk"])
def test_clear_mapping_of_a_node_without_one_is_refused(inputs: object):
    value = stored(operations=[operation(inputs=inputs)])
    error = refused(value, edit("clear_mapping", operation="main", side="inputs", node="in-1"))
    assert (error.code, error.field) == ("invalid_arguments", "node")


@pytest.mark.case("AR-13.2-7")
@pytest.mark.parametrize("operation_id", [{}, {"operationId": "main"}])
def test_removed_operation_lists_the_button_that_runs_it(operation_id: dict[str, str]):
    button = node("Button", "b", events=[{"trigger": "click", "kind": "run", **operation_id}])
    result = edited(stored([button], operations=[operation()]), edit("remove_operation", id="main"))
    assert result.document.operations == ()
    assert content(result) == [button]
    (dependant,) = result.dependants
    assert (dependant.kind, dependant.id) == ("operation", "main")
    assert dependant.place.to_json() == {"widget": "b", "prop": "events[0]"}
    assert '"b"' in dependant.text
    assert '"main"' in dependant.text


def test_among_duplicates_the_first_that_the_parser_keeps_is_changed():
    dropped = {"id": "main", "name": "no target"}
    value = stored(operations=[dropped, operation(), operation(name="second")])
    result = edited(value, update(name="x"))
    assert [item["name"] for item in result.document.stored["operations"]] == ["no target", "x", "second"]


def test_an_operation_dropped_for_lack_of_a_workflow_keeps_its_mappings_when_it_gets_one():
    dropped = {"id": "main", "inputs": {"n": {"from": "widget"}}, "workflowVersion": 2}
    changed = entry(edited(stored(operations=[dropped]), update(workflow_id="wf1")))
    assert changed == {**dropped, "workflowId": "wf1"}


def test_a_list_of_the_wrong_type_gives_way_to_the_new_entry():
    result = edited(stored(operations="junk"), edit("add_operation", id="m", workflow_id="wf"))
    assert len(result.document.stored["operations"]) == 1


def test_script_target_is_parsed_back():
    result = edited(stored(), edit("add_operation", id="m", target=SCRIPT))
    assert result.document.operations[0].target == ScriptTarget("s1", 3)
