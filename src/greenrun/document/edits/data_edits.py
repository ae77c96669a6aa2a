"""Edits of variables and resources (spec: app-runtime 13.3, 13.4, O-29, O-31, O-32)."""

from __future__ import annotations

from typing import Any

from greenrun.document.edits.models import (
    AddResource,
    DeclareVariable,
    RemoveResource,
    RemoveVariable,
    ResourceScope,
    UpdateResource,
    UpdateVariable,
)
from greenrun.document.edits.outcome import Draft, Outcome
from greenrun.document.edits.paths import without
from greenrun.document.edits.stored_lists import (
    entries,
    find_entry,
    new_entry_id,
    remove_entries,
    with_entries,
    with_entry,
)
from greenrun.document.errors import EditError
from greenrun.document.values import is_record


def declare_variable(draft: Draft, edit: DeclareVariable) -> Outcome:
    """Append a variable; only one of scope `user` persists."""
    new_id = new_entry_id(draft, "variables", edit.id, edit.name or "variable")
    _check_type(edit.type, "type")
    entry: dict[str, Any] = {"id": new_id, "name": new_id if edit.name is None else edit.name, "type": edit.type}
    if edit.given("default"):
        entry["default"] = edit.default
    entry |= {"scope": edit.scope, "persist": edit.scope == "user" and edit.persist}
    return Outcome(with_entries(draft, "variables", [*entries(draft, "variables"), entry]), (new_id,))


def update_variable(draft: Draft, edit: UpdateVariable) -> Outcome:
    """Overlay the patch; whether the variable persists is decided anew when its scope or that changes."""
    index, stored = find_entry(draft, "variables", edit.id)
    patch = edit.patch
    entry = dict(stored)
    _check_type(patch.type, "patch.type")
    for name in ("name", "type", "default", "scope"):
        if patch.given(name):
            entry[name] = getattr(patch, name)
    if patch.clear_default:
        entry = without(entry, "default")
    if patch.given("scope") or patch.given("persist"):
        wanted = patch.persist if patch.given("persist") else stored.get("persist") is True
        entry["persist"] = entry.get("scope") == "user" and wanted
    return Outcome(with_entry(draft, "variables", index, entry), (edit.id,))


def _check_type(type_: dict[str, Any] | None, field: str) -> None:
    if type_ is not None and not isinstance(type_.get("type"), str):
        raise EditError(
            "invalid_arguments",
            'The type of a variable is an object with a text "type".',
            field=field,
            next_action='Write {"type": "str"}, with the type\'s own name, or null for any value.',
        )


def remove_variable(draft: Draft, edit: RemoveVariable) -> Outcome:
    """Remove every variable with that id."""
    return Outcome(remove_entries(draft, "variables", edit.id), (edit.id,), (("variable", edit.id),))


def add_resource(draft: Draft, edit: AddResource) -> Outcome:
    """Append a resource; it needs a project or a fixed entry."""
    scope = _scope_json(edit.scope, None, "scope")
    new_id = new_entry_id(draft, "resources", edit.id, edit.name or edit.kind)
    entry = {
        "id": new_id,
        "name": new_id if edit.name is None else edit.name,
        "kind": edit.kind,
        "scope": scope,
        "operations": edit.operations or ["read"],
    }
    return Outcome(with_entries(draft, "resources", [*entries(draft, "resources"), entry]), (new_id,))


def update_resource(draft: Draft, edit: UpdateResource) -> Outcome:
    """Overlay the patch; a scope and a list of operations are held to the rules of adding."""
    index, stored = find_entry(draft, "resources", edit.id)
    patch = edit.patch
    entry = dict(stored)
    for name in ("name", "kind"):
        if patch.given(name):
            entry[name] = getattr(patch, name)
    if patch.given("scope"):
        entry["scope"] = _scope_json(patch.scope, stored.get("scope"), "patch.scope")
    if patch.given("operations"):
        entry["operations"] = patch.operations or ["read"]
    return Outcome(with_entry(draft, "resources", index, entry), (edit.id,))


def _scope_json(scope: ResourceScope, stored: Any, field: str) -> dict[str, Any]:
    """A scope as it is stored, over the unknown keys of the one before."""
    if not scope.project_id and not scope.fixed_id:
        raise EditError(
            "scope_required",
            "A resource needs a project or one fixed entry to read from.",
            field=field,
            next_action="Give project_id or fixed_id.",
        )
    extras = without(stored, "projectId", "fixedId") if is_record(stored) else {}
    ids = {"projectId": scope.project_id, "fixedId": scope.fixed_id}
    return {**extras, **{name: value for name, value in ids.items() if value}}


def remove_resource(draft: Draft, edit: RemoveResource) -> Outcome:
    """Remove every resource with that id."""
    return Outcome(remove_entries(draft, "resources", edit.id), (edit.id,), (("resource", edit.id),))
