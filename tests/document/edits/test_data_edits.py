"""Variables and resources: cases of app-runtime 13.3 and 13.4."""

from __future__ import annotations

from typing import Any

import pytest
from editing import edit, edited, refused, stored

from greenrun.document.edits import EditResult

LANG = {"id": "lang", "name": "Language", "type": {"type": "str"}, "default": "en", "scope": "user", "persist": True}
SHOTS = {
    "id": "shots",
    "name": "Shots",
    "kind": "timeline",
    "scope": {"projectId": "proj-1", "own": 1},
    "operations": ["read"],
}


def variable(result: EditResult) -> dict[str, Any]:
    return result.document.stored["variables"][-1]


def resource(result: EditResult) -> dict[str, Any]:
    return result.document.stored["resources"][-1]


@pytest.mark.case("AR-13.3-1")
@pytest.mark.parametrize(("scope", "persist"), [("instance", False), ("user", True)])
def test_only_a_user_variable_persists(scope: str, persist: bool):
    result = edited(stored(), edit("declare_variable", name="Dark Mode", scope=scope, persist=True))
    assert variable(result) == {
        "id": "dark_mode",
        "name": "Dark Mode",
        "type": None,
        "scope": scope,
        "persist": persist,
    }


@pytest.mark.case("AR-13.3-1")
def test_narrowing_the_scope_clears_persist():
    result = edited(stored(variables=[LANG]), edit("update_variable", id="lang", patch={"scope": "instance"}))
    assert variable(result) == {**LANG, "scope": "instance", "persist": False}


@pytest.mark.case("AR-13.3-1")
def test_renaming_a_variable_keeps_id_default_and_scope():
    change = edit("update_variable", id="lang", patch={"name": "L", "id": "other"})
    assert variable(edited(stored(variables=[LANG]), change)) == {**LANG, "name": "L"}


@pytest.mark.case("AR-13.3-1")
@pytest.mark.parametrize(
    "change", [edit("update_variable", id="nope", patch={"name": "x"}), edit("remove_variable", id="nope")]
)
def test_unknown_variable_is_refused(change: dict[str, Any]):
    assert refused(stored(variables=[LANG]), change).code == "unknown_variable"


def test_remove_takes_the_variable_away():
    assert edited(stored(variables=[LANG]), edit("remove_variable", id="lang")).document.variables == ()


def test_variable_without_name_is_called_variable():
    twice = [edit("declare_variable")] * 2
    ids = [item.id for item in edited(stored(), *twice).document.variables]
    assert ids == ["variable", "variable_2"]


def test_null_is_a_default_and_absent_is_none():
    with_null = variable(edited(stored(), edit("declare_variable", id="v", default=None)))
    assert with_null["default"] is None
    assert "default" not in variable(edited(stored(), edit("declare_variable", id="v")))


def test_type_arguments_are_kept():
    type_ = {"type": "list", "type_args": [{"type": "str"}]}
    assert variable(edited(stored(), edit("declare_variable", id="v", type=type_)))["type"] == type_


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (edit("declare_variable", type={"name": "str"}), "type"),
        (edit("update_variable", id="lang", patch={"type": {}}), "patch.type"),
        (edit("declare_variable", id=""), "id"),
        (edit("declare_variable", scope="global"), "scope"),
        (edit("declare_variable", persist="yes"), "persist"),
    ],
)
def test_what_a_variable_cannot_be_is_refused_by_field(change: dict[str, Any], field: str):
    error = refused(stored(variables=[LANG]), change)
    assert (error.code, error.field) == ("invalid_arguments", field)


def test_variable_id_in_use_is_refused():
    assert refused(stored(variables=[LANG]), edit("declare_variable", id="lang")).code == "duplicate_id"


def test_type_and_default_are_replaced():
    change = edit("update_variable", id="lang", patch={"type": None, "default": 7, "persist": False})
    assert variable(edited(stored(variables=[LANG]), change)) == {**LANG, "type": None, "default": 7, "persist": False}


def test_clear_default_takes_the_default_away():
    change = edit("update_variable", id="lang", patch={"clear_default": True})
    assert "default" not in variable(edited(stored(variables=[LANG]), change))


def test_scope_user_lets_a_stored_persist_count():
    value = stored(variables=[{"id": "v", "scope": "instance", "persist": True}])
    result = edited(value, edit("update_variable", id="v", patch={"scope": "user"}))
    assert result.document.variables[0].persist


def test_a_change_of_the_name_leaves_a_useless_persist_alone():
    value = stored(variables=[{"id": "v", "scope": "instance", "persist": True}])
    assert variable(edited(value, edit("update_variable", id="v", patch={"name": "n"})))["persist"] is True


@pytest.mark.case("AR-13.4-1")
def test_resource_without_scope_is_refused():
    for scope in ({}, {"project_id": ""}, {"fixed_id": None}):
        error = refused(stored(), edit("add_resource", kind="asset", scope=scope))
        assert (error.code, error.field) == ("scope_required", "scope")


@pytest.mark.case("AR-13.4-1")
def test_resource_gets_id_and_read_only_operations():
    new = edit("add_resource", name="Shots", kind="timeline", scope={"project_id": "proj-1"})
    assert resource(edited(stored(), new)) == {**SHOTS, "scope": {"projectId": "proj-1"}}


def test_resource_without_name_is_called_by_its_kind():
    new = edit("add_resource", kind="sketch", scope={"fixedId": "x"}, operations=["create", "read"])
    assert resource(edited(stored(), new)) == {
        "id": "sketch",
        "name": "sketch",
        "kind": "sketch",
        "scope": {"fixedId": "x"},
        "operations": ["create", "read"],
    }


@pytest.mark.case("AR-13.4-1")
def test_remove_takes_the_resource_away():
    assert edited(stored(resources=[SHOTS]), edit("remove_resource", id="shots")).document.resources == ()


@pytest.mark.case("AR-13.4-1")
@pytest.mark.parametrize(
    "change", [edit("remove_resource", id="other"), edit("update_resource", id="other", patch={"name": "x"})]
)
def test_unknown_resource_is_refused(change: dict[str, Any]):
    assert refused(stored(resources=[SHOTS]), change).code == "unknown_resource"


@pytest.mark.case("AR-13.4-2")
def test_update_to_an_empty_scope_is_refused():
    error = refused(stored(resources=[SHOTS]), edit("update_resource", id="shots", patch={"scope": {}}))
    assert (error.code, error.field) == ("scope_required", "patch.scope")


def test_update_of_scope_and_operations():
    patch = {"scope": {"fixed_id": "f"}, "operations": [], "kind": "asset", "name": "N", "id": "no"}
    assert resource(edited(stored(resources=[SHOTS]), edit("update_resource", id="shots", patch=patch))) == {
        "id": "shots",
        "name": "N",
        "kind": "asset",
        "scope": {"own": 1, "fixedId": "f"},
        "operations": ["read"],
    }


def test_update_of_the_name_does_not_ask_for_a_scope():
    value = stored(resources=[{"id": "r", "kind": "asset"}])
    assert resource(edited(value, edit("update_resource", id="r", patch={"name": "N"}))) == {
        "id": "r",
        "kind": "asset",
        "name": "N",
    }


def test_scope_replaces_one_that_is_no_record():
    value = stored(resources=[{**SHOTS, "scope": "junk"}])
    change = edit("update_resource", id="shots", patch={"scope": {"project_id": "p"}})
    assert resource(edited(value, change))["scope"] == {"projectId": "p"}


def test_unknown_kind_or_operation_of_a_resource_is_refused():
    error = refused(stored(), edit("add_resource", kind="folder", scope={"fixed_id": "f"}))
    assert error.field == "kind"
    error = refused(stored(), edit("add_resource", kind="asset", scope={"fixed_id": "f"}, operations=["upload"]))
    assert error.field == "operations.0"
