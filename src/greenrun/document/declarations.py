"""Variables and resources as stored (spec: app-runtime 2.4)."""

from __future__ import annotations

from typing import Any, Final, get_args

from greenrun.document.diagnostics import one_of, shown
from greenrun.document.entries import Entry, Notes, open_entry
from greenrun.document.js import is_list
from greenrun.document.model import Resource, ResourceKind, ResourceOperation, Variable, VariableScope
from greenrun.document.type_fit import fits, value_of_text
from greenrun.document.values import ABSENT, is_record

VARIABLE_SCOPES: Final[tuple[VariableScope, ...]] = get_args(VariableScope)
RESOURCE_KINDS: Final[tuple[ResourceKind, ...]] = get_args(ResourceKind)
RESOURCE_OPERATIONS: Final[tuple[ResourceOperation, ...]] = get_args(ResourceOperation)


def parse_variable(stored: Any, index: int, notes: Notes) -> Variable | None:
    """One variable declaration, or None when it is dropped."""
    entry = open_entry("variable", stored, index, notes, empty_id=False)
    if entry is None:
        return None
    name = entry.name()
    scope: VariableScope = entry.choice("scope", VARIABLE_SCOPES, "instance")
    type_ = _type(entry)
    default = entry.stored.get("default", ABSENT)
    if not fits(type_, default):
        _note_default(entry, type_, default)
    return Variable(entry.id, name, type_, default, scope, _persist(entry, name, scope))


def _type(entry: Entry) -> dict[str, Any] | None:
    stored = entry.stored.get("type")
    if is_record(stored) and isinstance(stored.get("type"), str):
        return {**stored, "optional": stored.get("optional") is True}
    if stored is not None:
        entry.changed("type", stored, None, 'Use an object such as {"type": "str"}.')
    return None


def _persist(entry: Entry, name: str, scope: VariableScope) -> bool:
    stored = entry.stored.get("persist")
    if stored is True and scope != "user":
        entry.notes.add(
            "persist_ignored",
            f'Variable {shown(name or entry.id)} asks to persist, but only variables of scope "user" do; its value is '
            'kept in memory only. Set its scope to "user", or drop "persist".',
            entry.place("persist"),
            variable=entry.id,
            index=entry.index,
        )
    elif stored is not None and not isinstance(stored, bool):
        entry.changed("persist", stored, False, "Use true or false.")
    return stored is True and scope == "user"


def _note_default(entry: Entry, type_: Any, default: Any) -> None:
    data: dict[str, Any] = {"variable": entry.id, "index": entry.index, "type": type_, "default": default}
    value = value_of_text(type_, default) if isinstance(default, str) else ABSENT
    advice = "Change the default or the type."
    if value is not ABSENT:
        data["value"] = value
        advice = f"Write it as {shown(value)}, without quotes."
    entry.notes.add(
        "default_mismatch",
        f'{entry.label}: its default {shown(default)} does not fit its type "{type_["type"]}". {advice}',
        entry.place("default"),
        **data,
    )


def parse_resource(stored: Any, index: int, notes: Notes) -> Resource | None:
    """One resource binding, or None when it is dropped."""
    entry = open_entry("resource", stored, index, notes)
    if entry is None:
        return None
    word = entry.stored.get("kind")
    kinds: list[ResourceKind] = [known for known in RESOURCE_KINDS if known == word]
    if not kinds:
        entry.dropped("kind", f'its "kind" is {shown(word)}; use {one_of(RESOURCE_KINDS)}', RESOURCE_KINDS)
        return None
    project_id, fixed_id = _resource_scope(entry)
    return Resource(entry.id, entry.name(), kinds[0], project_id, fixed_id, _resource_operations(entry))


def _resource_scope(entry: Entry) -> tuple[str | None, str | None]:
    scope = entry.stored.get("scope")
    if not is_record(scope):
        if scope is not None:
            entry.changed("scope", scope, {}, 'Use an object with a "projectId" or a "fixedId".')
        return None, None
    members: list[str | None] = []
    for name in ("projectId", "fixedId"):
        value = scope.get(name)
        if value is not None and not isinstance(value, str):
            entry.changed(f"scope.{name}", value, None, "Use a text.")
        members.append(value if isinstance(value, str) else None)
    return members[0], members[1]


def _resource_operations(entry: Entry) -> tuple[ResourceOperation, ...]:
    """The allowed members as stored; an empty list means no rights, a missing one means read."""
    stored = entry.stored.get("operations")
    advice = f"Use a list of {one_of(RESOURCE_OPERATIONS)}."
    if not is_list(stored):
        if stored is not None:
            entry.changed("operations", stored, ["read"], advice, RESOURCE_OPERATIONS)
        return ("read",)
    allowed: list[ResourceOperation] = [known for value in stored for known in RESOURCE_OPERATIONS if known == value]
    if len(allowed) != len(stored):
        entry.changed("operations", stored, allowed, advice, RESOURCE_OPERATIONS)
    return tuple(allowed)
