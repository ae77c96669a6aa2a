"""What a run is given, and what an app starts with (spec: app-runtime 9, 17.3, harness 3.6)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TypeAlias

from greenrun.document.bindings import NodePropertyRef, parse_input_state_key
from greenrun.document.js import ordered_items, utf16_length, utf16_slice
from greenrun.document.model import (
    FromConstant,
    FromResource,
    FromVariable,
    FromWidget,
    InputMapping,
    Operation,
    ToVariable,
    Variable,
)
from greenrun.document.readers import is_missing_required_media
from greenrun.document.surface import Port, Surface
from greenrun.document.values import ABSENT, Value, is_number
from greenrun.runtime.controls import control_of, is_whole, option_values
from greenrun.runtime.state import InstanceState

ResourceRef: TypeAlias = Callable[[str], Value]


def no_resource(resource_binding_id: str) -> Value:
    """The resolver of a host without resources: nothing is ever selected."""
    return ABSENT


def resolve_params(
    operation: Operation, state: InstanceState, surface: Surface, resource_ref: ResourceRef | None = None
) -> dict[str, Value]:
    """The parameters of a run by input name, in graph order; an absent value is left out, null is sent (9.1).

    `resource_ref` gives ``{kind, id, revision?}`` for a resource binding, or absent when nothing is selected.
    """
    params: dict[str, Value] = {}
    for port in surface.inputs:
        if not port.name:
            continue
        mapping = operation.inputs.get(port.node_id, FromWidget())
        value = _mapped_value(mapping, f"{operation.id}:{port.node_id}", state, resource_ref or no_resource)
        if value is not ABSENT:
            params[port.name] = value
    return params


def _mapped_value(mapping: InputMapping, key: str, state: InstanceState, resource_ref: ResourceRef) -> Value:
    match mapping:
        case FromVariable(variable_id=variable_id):
            return state.variables.get(variable_id, ABSENT)
        case FromConstant(value=value):
            return value
        case FromResource(resource_binding_id=binding_id):
            return resource_ref(binding_id)
        case FromWidget():
            slot = state.inputs.get(key)
            return ABSENT if slot is None else slot.value


def output_variable_targets(operation: Operation) -> list[tuple[str, str]]:
    """(node id, variable id) of every output that is mapped to a variable, in key order (9.2)."""
    return [
        (node_id, mapping.variable_id)
        for node_id, mapping in ordered_items(operation.outputs)
        if isinstance(mapping, ToVariable)
    ]


def initial_variable_values(variables: Iterable[Variable]) -> dict[str, Value]:
    """The declared defaults by variable id; null counts as a default, a duplicate id takes the later one (9.3)."""
    return {variable.id: variable.default for variable in variables if variable.default is not ABSENT}


def node_property_overlay(operation_id: str, state: InstanceState) -> dict[str, dict[str, Value]]:
    """Node id -> property -> value for every node property of the operation that was set (harness 3.6)."""
    overlay: dict[str, dict[str, Value]] = {}
    for key, slot in state.inputs.items():
        if "#" not in key or slot.value is ABSENT:
            continue
        ref = parse_input_state_key(key)
        if isinstance(ref, NodePropertyRef) and ref.operation_id == operation_id:
            overlay.setdefault(ref.node_id, {})[ref.property] = slot.value
    return overlay


def normalise(port: Port, value: Value) -> Value:
    """A typed value as its input takes it: rounded, clamped, cut to length (17.3.4). Others come back as they are."""
    if is_number(value) and control_of(port) == "NumberInput":
        return _clamp(_rounded(value) if is_whole(port) else value, port)
    if isinstance(value, str) and port.max_length and port.max_length > 0 and utf16_length(value) > port.max_length:
        return utf16_slice(value, port.max_length)
    return value


def _rounded(value: int | float) -> int | float:
    # Half up, as JavaScript rounds; the half is not added to an integer, where it would cost precision.
    return value if isinstance(value, int) or not math.isfinite(value) else math.floor(value + 0.5)


def _clamp(value: int | float, port: Port) -> int | float:
    if port.minimum is not None and value < port.minimum:
        value = port.minimum
    if port.maximum is not None and value > port.maximum:
        value = port.maximum
    return int(value) if is_whole(port) and isinstance(value, float) and value.is_integer() else value


def input_seeds(surface: Surface) -> dict[str, Value]:
    """First values by node id: the stored one, else false for a boolean, else the first option of a select (17.3.1)."""
    return {port.node_id: value for port in surface.inputs if (value := _seed(port)) is not ABSENT}


def _seed(port: Port) -> Value:
    if port.default is not ABSENT:
        return port.default
    control = control_of(port)
    if control == "Switch":
        return False
    return next(iter(option_values(port)), ABSENT) if control == "Select" else ABSENT


def missing_media(surface: Surface, params: dict[str, Value]) -> Port | None:
    """The first input that needs media and would get none (17.4.6); one that is not sent falls back to its default."""
    return next(
        (port for port in surface.inputs if is_missing_required_media(port, params.get(port.name, port.default))),
        None,
    )


def persistent_variables(variables: Iterable[Variable]) -> tuple[Variable, ...]:
    """The variables that outlive an open app: scope user and persist (17.3.3)."""
    return tuple(variable for variable in variables if variable.scope == "user" and variable.persist)


def persistent_values(state: InstanceState, variables: Iterable[Variable]) -> dict[str, Value]:
    """What to store for the next time: the persistent variables that have a value."""
    return {
        variable.id: state.variables[variable.id]
        for variable in persistent_variables(variables)
        if variable.id in state.variables
    }


def restored_values(stored: object, variables: Iterable[Variable]) -> dict[str, Value]:
    """What of a stored record still counts; anything unreadable is treated as empty (17.3.3)."""
    if not isinstance(stored, dict):
        return {}
    return {variable.id: stored[variable.id] for variable in persistent_variables(variables) if variable.id in stored}
