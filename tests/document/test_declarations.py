"""Variables and resources as stored (spec: app-runtime 2.4)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.diagnostics import Diagnostic
from greenrun.document.findings import Place
from greenrun.document.model import Resource, Variable
from greenrun.document.parse import parse_document
from greenrun.document.values import ABSENT


def _variable(stored: Any) -> tuple[Variable | None, tuple[Diagnostic, ...]]:
    result = parse_document({"ui": {"root": {}, "content": []}, "variables": [stored]})
    assert result.document is not None
    return next(iter(result.document.variables), None), result.diagnostics


def _resource(stored: Any) -> tuple[Resource | None, tuple[Diagnostic, ...]]:
    result = parse_document({"ui": {"root": {}, "content": []}, "resources": [stored]})
    assert result.document is not None
    return next(iter(result.document.resources), None), result.diagnostics


@pytest.mark.case("AR-2.4-10", "HA-2.2-31")
def test_an_instance_variable_does_not_persist_and_says_so() -> None:
    variable, (diagnostic,) = _variable({"id": "v1", "scope": "instance", "persist": True})

    assert variable == Variable("v1", "v1")
    assert diagnostic.code == "GR105"
    assert diagnostic.place == Place(variable="v1", prop="persist")
    assert diagnostic.data == {"variable": "v1", "index": 0}


@pytest.mark.parametrize(("name", "named"), [("Mood", '"Mood"'), ("", '"v1"'), (None, '"v1"')])
def test_a_variable_that_cannot_persist_is_named_by_its_name_or_id(name: str | None, named: str) -> None:
    _, (diagnostic,) = _variable({"id": "v1", "name": name, "persist": True})

    assert named in diagnostic.message


def test_a_user_variable_persists_when_asked() -> None:
    assert _variable({"id": "v", "scope": "user", "persist": True}) == (
        Variable("v", "v", None, ABSENT, "user", True),
        (),
    )
    assert _variable({"id": "v", "scope": "user", "persist": False}) == (Variable("v", "v", scope="user"), ())


@pytest.mark.parametrize("persist", ["true", 1, {}])
def test_persist_is_true_or_false(persist: Any) -> None:
    variable, (diagnostic,) = _variable({"id": "v", "scope": "user", "persist": persist})

    assert variable is not None
    assert not variable.persist
    assert (diagnostic.kind, diagnostic.place.prop) == ("value_changed", "persist")


@pytest.mark.parametrize("scope", ["app", "User", "", 5])
def test_any_other_scope_means_instance_and_is_reported(scope: Any) -> None:
    variable, (diagnostic,) = _variable({"id": "v", "scope": scope})

    assert variable == Variable("v", "v")
    assert (diagnostic.kind, diagnostic.data["choices"]) == ("value_changed", ["instance", "user"])


@pytest.mark.parametrize(
    ("stored", "type_"),
    [
        ({"type": "str"}, {"type": "str", "optional": False}),
        ({"type": "str", "optional": True}, {"type": "str", "optional": True}),
        ({"type": "str", "optional": "yes"}, {"type": "str", "optional": False}),
        (
            {"type": "list", "type_args": [{"type": "int"}], "x": 1},
            {"type": "list", "type_args": [{"type": "int"}], "x": 1, "optional": False},
        ),
    ],
)
def test_type_metadata_keeps_its_arguments(stored: Any, type_: Any) -> None:
    variable, diagnostics = _variable({"id": "v", "type": stored})

    assert variable is not None
    assert (variable.type, diagnostics) == (type_, ())


@pytest.mark.parametrize("stored", ["str", {}, {"type": 5}, []])
def test_a_type_that_is_no_metadata_is_unknown_and_reported(stored: Any) -> None:
    variable, (diagnostic,) = _variable({"id": "v", "type": stored})

    assert variable is not None
    assert variable.type is None
    assert (diagnostic.kind, diagnostic.place) == ("value_changed", Place(variable="v", prop="type"))


@pytest.mark.parametrize("default", [None, 0, "", [], {"a": 1}])
def test_a_default_is_carried_untouched(default: Any) -> None:
    variable, diagnostics = _variable({"id": "v", "default": default})

    assert variable is not None
    assert variable.default is default
    assert diagnostics == ()


def test_an_absent_default_stays_absent() -> None:
    variable, _ = _variable({"id": "v"})

    assert variable is not None
    assert variable.default is ABSENT


@pytest.mark.parametrize(
    ("type_", "default", "value"),
    [("int", "5", 5), ("float", "2.5", 2.5), ("bool", "True", True), ("number", " 7 ", 7)],
)
def test_a_number_or_boolean_written_as_text_is_reported_with_its_value(type_: str, default: str, value: Any) -> None:
    variable, (diagnostic,) = _variable({"id": "v", "type": {"type": type_}, "default": default})

    assert variable is not None
    assert variable.default == default
    assert (diagnostic.code, diagnostic.place) == ("GR113", Place(variable="v", prop="default"))
    assert diagnostic.data["value"] == value
    assert type(diagnostic.data["value"]) is type(value)
    assert (diagnostic.data["variable"], diagnostic.data["index"]) == ("v", 0)


@pytest.mark.parametrize(("type_", "default"), [("int", "many"), ("int", 2.5), ("str", 5), ("list", {}), ("bool", "1")])
def test_a_default_that_fits_in_no_way_is_reported_without_value(type_: str, default: Any) -> None:
    _, (diagnostic,) = _variable({"id": "v", "type": {"type": type_}, "default": default})

    assert diagnostic.kind == "default_mismatch"
    assert "value" not in diagnostic.data
    assert f'"{type_}"' in diagnostic.message


@pytest.mark.parametrize(
    ("stored", "words"),
    [(None, "not an object"), ({}, 'no text "id"'), ({"id": ""}, '"id" is empty'), ({"id": 1}, 'no text "id"')],
)
def test_a_variable_without_usable_id_is_dropped(stored: Any, words: str) -> None:
    variable, (diagnostic,) = _variable(stored)

    assert variable is None
    assert (diagnostic.kind, diagnostic.data["list"], diagnostic.data["index"]) == ("entry_dropped", "variables", 0)
    assert words in diagnostic.message


@pytest.mark.parametrize("kind", ["asset", "timeline", "storyboard", "sketch"])
def test_a_resource_is_one_of_four_kinds(kind: Any) -> None:
    resource, diagnostics = _resource({"id": "r", "name": "Shots", "kind": kind, "scope": {"projectId": "p"}})

    assert resource == Resource("r", "Shots", kind, "p", None, ("read",))
    assert diagnostics == ()


@pytest.mark.parametrize(("kind", "word"), [("assets", "assets"), (None, None), (5, None)])
def test_a_resource_of_another_kind_is_dropped_with_the_choices(kind: Any, word: str | None) -> None:
    resource, (diagnostic,) = _resource({"id": "r", "kind": kind})

    assert resource is None
    assert (diagnostic.kind, diagnostic.place) == ("entry_dropped", Place(resource="r"))
    assert (diagnostic.data["missing"], diagnostic.data["word"]) == ("kind", word)
    assert diagnostic.data["choices"] == ["asset", "timeline", "storyboard", "sketch"]


@pytest.mark.parametrize("stored", [3, {"kind": "asset"}, {"id": None, "kind": "asset"}])
def test_a_resource_without_usable_id_is_dropped(stored: Any) -> None:
    resource, (diagnostic,) = _resource(stored)

    assert resource is None
    assert diagnostic.data["list"] == "resources"


@pytest.mark.parametrize("scope", [None, {}, {"other": 1}])
def test_an_empty_resource_scope_is_accepted(scope: Any) -> None:
    resource, diagnostics = _resource({"id": "r", "kind": "asset", "scope": scope})

    assert resource is not None
    assert (resource.project_id, resource.fixed_id, diagnostics) == (None, None, ())


@pytest.mark.parametrize(
    ("scope", "prop"),
    [("p", "scope"), ([], "scope"), ({"projectId": 5}, "scope.projectId"), ({"fixedId": {}}, "scope.fixedId")],
)
def test_a_resource_scope_of_another_type_is_ignored_and_reported(scope: Any, prop: str) -> None:
    resource, (diagnostic,) = _resource({"id": "r", "kind": "asset", "scope": scope})

    assert resource is not None
    assert (resource.project_id, resource.fixed_id) == (None, None)
    assert diagnostic.place == Place(resource="r", prop=prop)


def test_resource_operations_keep_order_and_duplicates() -> None:
    resource, diagnostics = _resource({"id": "r", "kind": "asset", "operations": ["update", "read", "update"]})

    assert resource is not None
    assert resource.operations == ("update", "read", "update")
    assert diagnostics == ()


def test_an_empty_list_of_resource_operations_means_no_rights() -> None:
    resource, diagnostics = _resource({"id": "r", "kind": "asset", "operations": []})

    assert resource is not None
    assert (resource.operations, diagnostics) == ((), ())


@pytest.mark.parametrize(
    ("stored", "used"), [(["read", "wirte", 5], ("read",)), (["wirte"], ()), ("read", ("read",)), ({}, ("read",))]
)
def test_resource_operations_outside_the_four_are_left_out_and_reported(stored: Any, used: tuple[str, ...]) -> None:
    resource, (diagnostic,) = _resource({"id": "r", "kind": "asset", "operations": stored})

    assert resource is not None
    assert resource.operations == used
    assert (diagnostic.kind, diagnostic.data["used"]) == ("value_changed", list(used))
