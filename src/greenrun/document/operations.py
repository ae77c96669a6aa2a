"""Operations as stored: identity, target and mappings (spec: app-runtime 2.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, TypeGuard, TypeVar, get_args

from greenrun.document.diagnostics import one_of, shown
from greenrun.document.entries import Entry, Notes, open_entry
from greenrun.document.js import ordered_items
from greenrun.document.model import (
    FromConstant,
    FromResource,
    FromVariable,
    FromWidget,
    FunctionTarget,
    InputMapping,
    Operation,
    OutputMapping,
    Policy,
    ScriptTarget,
    ToDisplay,
    ToVariable,
)
from greenrun.document.values import ABSENT, is_integer, is_number, is_record, is_text

_Mapping = TypeVar("_Mapping")

POLICIES: Final[tuple[Policy, ...]] = get_args(Policy)
INPUT_FORMS: Final = {"widget": None, "variable": "variableId", "constant": None, "resource": "resourceBindingId"}
"""What an input mapping can come from, and the id that this form needs."""
OUTPUT_FORMS: Final = {"display": None, "variable": "variableId"}
"""Where an output mapping can go, and the id that this form needs."""
FUNCTION_PREFIX: Final = "function:"
"""What the workflow id of a function operation starts with."""


def parse_operation(stored: Any, index: int, host_workflow_id: str, notes: Notes) -> Operation | None:
    """One operation, or None when it is dropped; `host_workflow_id` is "" without a host."""
    entry = open_entry("operation", stored, index, notes)
    if entry is None:
        return None
    own = own_target(entry.stored.get("target"), entry.stored.get("workflowId"))
    identity = _workflow_identity(entry, host_workflow_id) if own is None else _own_identity(entry, own)
    if identity is None:
        target = entry.stored.get("target")
        fault = _bad_function(target)
        if fault is not None:
            lack = f"its function {fault}"
        else:
            lack = "it names no workflow" + ("" if target is None else " and its target is not complete")
        entry.dropped("workflow", f'{lack}; give it a "workflowId" or a complete "target"')
        return None
    workflow_id, version = identity
    return Operation(
        id=entry.id,
        name=entry.name(),
        workflow_id=workflow_id,
        workflow_version=version,
        inputs=_mappings(entry, "inputs", "from", INPUT_FORMS, input_mapping),
        outputs=_mappings(entry, "outputs", "to", OUTPUT_FORMS, output_mapping),
        policy=entry.choice("policy", POLICIES, "replace"),
        timeout_ms=entry.number("timeoutMs"),
        target=own,
    )


def own_target(target: Any, workflow_id: Any) -> ScriptTarget | FunctionTarget | None:
    """The script or function that an operation runs, from its target or from a ``function:`` workflow id."""
    if is_record(target):
        script_id, version, function = target.get("scriptId"), target.get("scriptVersion"), target.get("function")
        if target.get("kind") == "script" and is_text(script_id) and is_integer(version):
            return ScriptTarget(script_id, version)
        if target.get("kind") == "function" and is_function_name(function):
            return FunctionTarget(function)
    if isinstance(workflow_id, str) and workflow_id.startswith(FUNCTION_PREFIX):
        function = workflow_id.removeprefix(FUNCTION_PREFIX)
        return FunctionTarget(function) if is_function_name(function) else None
    return None


def is_function_name(value: Any) -> TypeGuard[str]:
    """True for ``module:name``: dotted Python identifiers, one colon, one identifier."""
    if not isinstance(value, str):
        return False
    module, _, name = value.partition(":")
    return name.isidentifier() and all(part.isidentifier() for part in module.split("."))


def _own_identity(entry: Entry, own: ScriptTarget | FunctionTarget) -> tuple[str, int | float | None]:
    """The workflow id that stands beside an own target, and the version as stored."""
    used = "" if isinstance(own, ScriptTarget) else FUNCTION_PREFIX + own.function
    stored, target = entry.stored.get("workflowId"), entry.stored.get("target")
    if stored is not None and stored != "" and stored != used:
        entry.changed("workflowId", stored, used, "The target decides what runs; change one of the two.")
    if target is not None and own_target(target, None) is None:
        entry.changed("target", target, None, "The workflow id names a function, which runs; change one of the two.")
    return used, entry.number("workflowVersion")


def _workflow_identity(entry: Entry, host_workflow_id: str) -> tuple[str, int | float | None] | None:
    """Workflow id and version, the version from the place that gives the id (spec: app-runtime O-27).

    None when there is neither a text workflow id nor a workflow target.
    """
    stored, target = entry.stored.get("workflowId"), entry.stored.get("target")
    explicit = target.get("workflowId") if is_record(target) and target.get("kind") == "workflow" else None
    explicit = explicit if isinstance(explicit, str) else None
    if not isinstance(stored, str) and explicit is None:
        return None
    workflow_id = (stored if is_text(stored) else explicit) or host_workflow_id
    if explicit is not None and (not isinstance(stored, str) or (explicit and not stored)):
        if stored is not None and not isinstance(stored, str):
            entry.changed("workflowId", stored, workflow_id, "Use a text.")
        return workflow_id, _target_version(entry, target)
    version = entry.number("workflowVersion")
    if target is not None and explicit != workflow_id and explicit != "":
        fault = _bad_function(target)
        named = f"Its function {fault}. " if fault is not None else ""
        advice = "The workflow id decides what runs; change one of the two, or complete the target."
        entry.changed("target", target, None, named + advice)
    elif version is None and explicit == workflow_id:
        version = _target_version(entry, target)
    return workflow_id, version


def _bad_function(target: Any) -> str | None:
    """A function target whose name is none, in words."""
    function = target.get("function") if is_record(target) and target.get("kind") == "function" else None
    if not is_text(function) or is_function_name(function):
        return None
    return f"{shown(function)} is no module:name, with a colon before the function"


def _target_version(entry: Entry, target: Any) -> int | float | None:
    version, beside = target.get("workflowVersion"), entry.stored.get("workflowVersion")
    used = version if is_number(version) else None
    if version is not None and used is None:
        entry.changed("target.workflowVersion", version, None, "Use a number.")
    if is_number(beside) and beside != used:
        advice = "The target gives the workflow, so the version belongs there too."
        entry.changed("workflowVersion", beside, used, advice)
    return used


def input_mapping(stored: Any) -> InputMapping | None:
    """One input mapping; None when it is of no accepted form."""
    if not is_record(stored):
        return None
    match stored.get("from"):
        case "widget":
            return FromWidget()
        case "constant":
            return FromConstant(stored.get("value", ABSENT))
        case "variable" if is_text(variable_id := stored.get("variableId")):
            return FromVariable(variable_id)
        case "resource" if is_text(resource_id := stored.get("resourceBindingId")):
            return FromResource(resource_id)
        case _:
            return None


def output_mapping(stored: Any) -> OutputMapping | None:
    """One output mapping; None when it is of no accepted form."""
    if not is_record(stored):
        return None
    match stored.get("to"):
        case "display":
            return ToDisplay()
        case "variable" if is_text(variable_id := stored.get("variableId")):
            return ToVariable(variable_id)
        case _:
            return None


def _mappings(
    entry: Entry,
    side: Literal["inputs", "outputs"],
    key: Literal["from", "to"],
    forms: dict[str, str | None],
    parse: Callable[[Any], _Mapping | None],
) -> dict[str, _Mapping]:
    """The usable mappings of one side by node id; a dropped one means the default of its side."""
    stored = entry.stored.get(side)
    if not is_record(stored):
        if stored is not None:
            entry.changed(side, stored, {}, "Use an object with one mapping for each node id.")
        return {}
    mappings: dict[str, _Mapping] = {}
    for node_id, raw in ordered_items(stored):
        mapping = parse(raw)
        if mapping is None:
            _note_mapping(entry, side, key, forms, node_id, raw)
        else:
            mappings[node_id] = mapping
    return mappings


def _note_mapping(entry: Entry, side: str, key: str, forms: dict[str, str | None], node_id: str, raw: Any) -> None:
    stored = raw.get(key) if is_record(raw) else None
    word = stored if isinstance(stored, str) else None
    missing = forms.get(word) if word is not None else None
    if not is_record(raw):
        fault = f"it is {shown(raw)}, not an object"
    elif missing is not None:
        fault = f'"{key}" is {shown(word)}, which needs a text "{missing}"'
    elif stored is None:
        fault = f'it has no "{key}"'
    else:
        fault = f'"{key}" is {shown(stored)}'
    default = "the input reads its widget" if side == "inputs" else "the output is only displayed"
    entry.notes.add(
        "mapping_dropped",
        f"{entry.label}: the mapping of {shown(node_id)} in {side} is left out, so {default}: {fault}. "
        f'"{key}" takes {one_of(list(forms))}.',
        entry.place(side, node_id),
        operation=entry.id,
        index=entry.index,
        side=side,
        node=node_id,
        stored=raw,
        key=key,
        word=word,
        choices=list(forms),
        missing=missing,
    )
