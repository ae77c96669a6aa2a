"""Stored events as actions: cases of app-runtime 8.2."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.bindings import Scope, ScopeOperation, resolve_variable_id
from greenrun.document.model import Variable
from greenrun.document.surface import Port, Surface
from greenrun.document.tree import StoredEvent, flatten
from greenrun.runtime.actions import (
    Action,
    ActionContext,
    CancelAction,
    OpenResourceAction,
    ResourceCommandAction,
    RunAction,
    SetVariableAction,
    ToggleVariableAction,
    event_to_action,
)

RESOURCES = {"r1": ("read", "create", "update", "delete"), "r2": ("read",)}
CONTEXT = ActionContext("main", {"dark": "var-dark"}.get, "widget-1", RESOURCES.get)


def action(kind: str = "run", context: ActionContext = CONTEXT, **fields: Any) -> Action | None:
    return event_to_action(StoredEvent(0, "click", kind, **fields), context)


@pytest.mark.case("AR-8.2-1")
def test_run_takes_its_own_operation_or_the_default_one() -> None:
    assert action() == RunAction("main", "widget-1")
    assert action(operation_id="publish") == RunAction("publish", "widget-1")
    assert action(operation_id="") == RunAction("main", "widget-1")


@pytest.mark.case("AR-8.2-2")
def test_no_kind_means_run() -> None:
    assert action("", operation_id="publish") == RunAction("publish", "widget-1")
    assert action("") == RunAction("main", "widget-1")


@pytest.mark.case("AR-8.2-3")
def test_old_kinds_of_variable_actions_still_count() -> None:
    for kind in ("setVariable", "setState"):
        assert action(kind, key="dark", value="1") == SetVariableAction("var-dark", "1")
    for kind in ("toggleVariable", "toggleState"):
        assert action(kind, key="dark") == ToggleVariableAction("var-dark")


@pytest.mark.case("AR-8.2-4")
def test_a_missing_value_is_the_empty_text() -> None:
    assert action("setVariable", key="dark") == SetVariableAction("var-dark", "")
    assert action("setVariable", key="dark", value=None) == SetVariableAction("var-dark", "")
    assert action("setVariable", key="dark", value=0) == SetVariableAction("var-dark", 0)


@pytest.mark.case("AR-8.2-5")
def test_cancel_names_an_operation_and_perhaps_a_run() -> None:
    assert action("cancel") == CancelAction("main")
    assert action("cancel", operation_id="publish", invocation_id="j7") == CancelAction("publish", "j7")


@pytest.mark.case("AR-8.2-6")
@pytest.mark.parametrize("command", ["read", "create", "update", "delete", "upload"])
def test_resource_commands_pass_through(command: str) -> None:
    assert action("resourceCommand", resource_binding_id="r1", command=command) == ResourceCommandAction("r1", command)
    assert action("openResource", resource_binding_id="r1") == OpenResourceAction("r1")


@pytest.mark.case("AR-8.2-7")
@pytest.mark.parametrize("command", ["upload", "delete"])
def test_commands_that_a_binding_does_not_allow_are_no_action(command: str) -> None:
    assert action("resourceCommand", resource_binding_id="r2", command=command) is None


def test_a_command_on_an_undeclared_binding_is_no_action() -> None:
    assert action("resourceCommand", resource_binding_id="r3", command="read") is None


def test_commands_are_not_checked_without_known_bindings() -> None:
    context = ActionContext("main", {}.get)
    found = action("resourceCommand", context, resource_binding_id="r9", command="delete")
    assert found == ResourceCommandAction("r9", "delete")


@pytest.mark.case("AR-8.2-8")
@pytest.mark.parametrize("kind", ["runn", "RUN", "setVariabel", "navigate", " run"])
def test_unknown_kinds_are_no_action(kind: str) -> None:
    assert action(kind, key="dark") is None


@pytest.mark.case("AR-8.2-9")
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("setVariable", {"key": "ghost"}),
        ("toggleVariable", {}),
        ("resourceCommand", {"command": "read"}),
        ("resourceCommand", {"resource_binding_id": "r1"}),
        ("resourceCommand", {"resource_binding_id": "r1", "command": "rename"}),
        ("openResource", {}),
    ],
)
def test_incomplete_events_are_no_action(kind: str, fields: dict[str, Any]) -> None:
    assert action(kind, **fields) is None


@pytest.mark.parametrize("kind", ["run", "cancel"])
def test_an_app_without_operations_has_nothing_to_run(kind: str) -> None:
    assert action(kind, ActionContext(None, {}.get)) is None


SURFACE = Surface(outputs=(Port("n9", "nodetool.output.Output", "title", "Title"),))


def scope(*variables: Variable) -> Scope:
    return Scope((ScopeOperation("main", SURFACE),), variables, "main")


@pytest.mark.case("AR-8.2-10")
def test_a_list_of_events_yields_its_actions_in_order() -> None:
    known = scope(Variable("phase", "Phase"), Variable("restoreGate", "Gate"))
    events = [
        {"trigger": "change", "kind": "run", "operationId": "autofill"},
        {"trigger": "change", "kind": "setVariable", "key": "var:phase", "value": "autofilling"},
        {"trigger": "change", "kind": "setVariable", "key": "var:restoreGate", "value": "closed"},
    ]
    widget = {"type": "ImageInput", "props": {"id": "w", "events": events}}
    widgets = flatten({"root": {"props": {}}, "content": [widget]}, known).widgets
    context = ActionContext("main", lambda key: resolve_variable_id(key, known))
    assert [event_to_action(event, context) for event in widgets[0].events] == [
        RunAction("autofill"),
        SetVariableAction("phase", "autofilling"),
        SetVariableAction("restoreGate", "closed"),
    ]


@pytest.mark.case("AR-8.2-11")
def test_a_key_never_means_an_output() -> None:
    known = scope(Variable("title", "title"))
    context = ActionContext("main", lambda key: resolve_variable_id(key, known))
    assert action("setVariable", context, key="title", value="x") == SetVariableAction("title", "x")
