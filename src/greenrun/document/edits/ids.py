"""Ids of widgets: free ones for new nodes, and no second use of one (spec: app-runtime 3.4, O-3)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from greenrun.document.edits.nodes import components, require_type
from greenrun.document.edits.paths import replaced
from greenrun.document.errors import EditError
from greenrun.document.slugs import numbered


def component_id(type_: str, source: str | int) -> str:
    """The form of a generated widget id: ``<type>-<source>``."""
    return f"{type_}-{source}"


def free_component_id(type_: str, used: Collection[str]) -> str:
    """A free id for a widget of that type. Counting starts behind the number of ids in use, over all types."""
    number = len(used) + 1
    while component_id(type_, number) in used:
        number += 1
    return component_id(type_, number)


def used_ids(ui: dict[str, Any]) -> set[str]:
    """The ids of all widgets, positional ones included."""
    return {found.id for found in components(ui)}


def refuse_duplicate(kind: str, new_id: str, used: Collection[str], field: str = "id") -> None:
    """Refuse an id that is taken.

    Raises:
        EditError: It is.
    """
    if new_id in used:
        raise EditError(
            "duplicate_id",
            f'There is already a {kind} with the id "{new_id}".',
            field=field,
            next_action="Choose another id, or leave it out to get a free one.",
        )


def admit(node: dict[str, Any], used: Collection[str]) -> dict[str, Any]:
    """A new node as it may enter the document: known types, ids that are free, and an id for each node without one.

    Raises:
        EditError: A type is unknown or an id is in use.
    """
    taken = set(used)
    for found in components({"content": [node]}):
        require_type(found.type)
        new_id = found.props.get("id") or None
        if isinstance(new_id, str):
            refuse_duplicate("widget", new_id, taken)
        else:
            new_id = free_component_id(found.type, taken)
            node = replaced(node, (*found.path[2:], "props", "id"), new_id)
        taken.add(new_id)
    return node


def admit_hidden(nodes: list[dict[str, Any]], used: Collection[str]) -> list[dict[str, Any]]:
    """Nodes that were stored where nobody saw them, with other ids where theirs are in use by now."""
    taken = set(used)
    admitted: list[dict[str, Any]] = []
    for node in nodes:
        for found in components({"content": [node]}):
            own = found.props.get("id")
            new_id = numbered(own, taken, "-") if isinstance(own, str) and own else free_component_id(found.type, taken)
            if new_id != own:
                node = replaced(node, (*found.path[2:], "props", "id"), new_id)
            taken.add(new_id)
        admitted.append(node)
    return admitted
