"""A stored event as the action that it stands for (spec: app-runtime 8.2)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

from greenrun.document.tree import StoredEvent
from greenrun.document.values import Value, is_nullish

RESOURCE_COMMANDS: Final = ("read", "create", "update", "delete", "upload")


@dataclass(frozen=True, slots=True)
class RunAction:
    """Run an operation. `from_` is the canonical token of the widget's own write binding, if it has one."""

    operation_id: str
    from_: str | None = None
    kind: ClassVar[Literal["run"]] = "run"


@dataclass(frozen=True, slots=True)
class CancelAction:
    """Cancel one run, or every live run of the operation."""

    operation_id: str
    invocation_id: str | None = None
    kind: ClassVar[Literal["cancel"]] = "cancel"


@dataclass(frozen=True, slots=True)
class SetVariableAction:
    variable_id: str
    value: Value
    kind: ClassVar[Literal["setVariable"]] = "setVariable"


@dataclass(frozen=True, slots=True)
class ToggleVariableAction:
    variable_id: str
    kind: ClassVar[Literal["toggleVariable"]] = "toggleVariable"


@dataclass(frozen=True, slots=True)
class ResourceCommandAction:
    """A command on the selected item of a resource binding; one of `RESOURCE_COMMANDS`."""

    resource_binding_id: str
    command: str
    kind: ClassVar[Literal["resourceCommand"]] = "resourceCommand"


@dataclass(frozen=True, slots=True)
class OpenResourceAction:
    resource_binding_id: str
    kind: ClassVar[Literal["openResource"]] = "openResource"


Action: TypeAlias = (
    RunAction | CancelAction | SetVariableAction | ToggleVariableAction | ResourceCommandAction | OpenResourceAction
)


@dataclass(frozen=True, slots=True)
class ActionContext:
    """What an event is read against.

    `resolve_variable_id` resolves among variables only. `resource_operations` gives the operations that a resource
    binding allows, or None for a binding that is not declared; without it nothing is checked.
    """

    default_operation_id: str | None
    resolve_variable_id: Callable[[str | None], str | None]
    from_: str | None = None
    resource_operations: Callable[[str], Collection[str] | None] | None = None


def event_to_action(event: StoredEvent, context: ActionContext) -> Action | None:
    """The action of a stored event; None for an unknown kind and for an incomplete event."""
    build = _ACTIONS.get(event.kind or "run")
    return build(event, context) if build is not None else None


def _run(event: StoredEvent, context: ActionContext) -> Action | None:
    operation_id = event.operation_id or context.default_operation_id
    return RunAction(operation_id, context.from_) if operation_id else None


def _cancel(event: StoredEvent, context: ActionContext) -> Action | None:
    operation_id = event.operation_id or context.default_operation_id
    return CancelAction(operation_id, event.invocation_id or None) if operation_id else None


def _set_variable(event: StoredEvent, context: ActionContext) -> Action | None:
    variable_id = context.resolve_variable_id(event.key)
    if variable_id is None:
        return None
    return SetVariableAction(variable_id, "" if is_nullish(event.value) else event.value)


def _toggle_variable(event: StoredEvent, context: ActionContext) -> Action | None:
    variable_id = context.resolve_variable_id(event.key)
    return None if variable_id is None else ToggleVariableAction(variable_id)


def _resource_command(event: StoredEvent, context: ActionContext) -> Action | None:
    binding_id, command = event.resource_binding_id, event.command
    if not binding_id or command not in RESOURCE_COMMANDS:
        return None
    if context.resource_operations is not None:
        allowed = context.resource_operations(binding_id)
        if allowed is None or ("create" if command == "upload" else command) not in allowed:
            return None
    return ResourceCommandAction(binding_id, command)


def _open_resource(event: StoredEvent, context: ActionContext) -> Action | None:
    return OpenResourceAction(event.resource_binding_id) if event.resource_binding_id else None


_ACTIONS: Final[dict[str, Callable[[StoredEvent, ActionContext], Action | None]]] = {
    "run": _run,
    "cancel": _cancel,
    "setVariable": _set_variable,
    "setState": _set_variable,
    "toggleVariable": _toggle_variable,
    "toggleState": _toggle_variable,
    "resourceCommand": _resource_command,
    "openResource": _open_resource,
}
