"""Resource collections in memory: seeded, selected, commanded (spec: harness 3.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from greenrun.document.errors import GreenrunError
from greenrun.document.js import is_list
from greenrun.document.model import Resource
from greenrun.document.values import ABSENT, Value, is_integer, is_record, is_text

CREATING: Final = frozenset({"create", "upload"})


class ResourceError(GreenrunError):
    """A collection that cannot be seeded, or a command that cannot be carried out; nothing changed."""

    code = "resource"


@dataclass(frozen=True, slots=True)
class ResourceItem:
    """One item of a collection. `updated_at` is an ISO time that counts the changes of all collections, in seconds."""

    kind: str
    id: str
    revision: int | float = 1
    name: str = ""
    project_id: str | None = None
    content_type: str | None = None
    updated_at: str = ""
    document: Value = None

    @property
    def ref(self) -> dict[str, Any]:
        """``{kind, id, revision}``: what an operation is given."""
        return {"kind": self.kind, "id": self.id, "revision": self.revision}

    def to_json(self) -> dict[str, Any]:
        return {
            "ref": self.ref,
            "name": self.name,
            "projectId": self.project_id,
            "contentType": self.content_type,
            "updatedAt": self.updated_at,
            "document": self.document,
        }


@dataclass(frozen=True, slots=True)
class LoggedCommand:
    """A command as it was given: ``open`` for an item that was opened."""

    resource_binding_id: str
    command: str
    item_id: str | None

    def to_json(self) -> dict[str, Any]:
        return {"command": self.command, "id": self.item_id}


@dataclass(slots=True)
class _Collection:
    items: list[ResourceItem] = field(default_factory=list[ResourceItem])
    chosen: str | None = None


class MemoryResources:
    """The resource provider of a host without stored collections: only what was seeded is there."""

    def __init__(self, resources: Sequence[Resource]) -> None:
        self._resources: dict[str, Resource] = {item.id: item for item in reversed(resources)}
        self._declared = list(dict.fromkeys(item.id for item in resources))
        self._collections: dict[str, _Collection] = {}
        self._changes = 0
        self._log: list[LoggedCommand] = []

    @property
    def log(self) -> tuple[LoggedCommand, ...]:
        """Every command, in order."""
        return tuple(self._log)

    def seed(self, binding_id: str, items: object) -> int:
        """Replace the collection of a binding; returns the number of items.

        Raises:
            ResourceError: The binding is not declared, or `items` is no list of objects with a text ``id``.
        """
        resource = self._resource(binding_id)
        if not is_list(items):
            raise ResourceError(f'Resource "{binding_id}" is seeded with a list of items, each an object with an id.')
        collection = _Collection([self._seeded(resource, item, index) for index, item in enumerate(items)])
        self._collections[binding_id] = collection
        return len(collection.items)

    def is_seeded(self, binding_id: str) -> bool:
        """True when the binding has a collection, an empty one included."""
        return binding_id in self._collections

    def items(self, binding_id: str) -> tuple[ResourceItem, ...]:
        """The items of a binding; none when nothing is seeded."""
        collection = self._collections.get(binding_id)
        return tuple(collection.items) if collection else ()

    def select(self, binding_id: str, item_id: str) -> None:
        """Choose an item of a seeded collection.

        Raises:
            ResourceError: Nothing is seeded, or there is no such item.
        """
        collection = self._seeded_collection(binding_id)
        collection.chosen = self._item(collection, binding_id, item_id).id

    def selected(self, binding_id: str) -> Value:
        """The ref of the selected item: the fixed one, else the last chosen, else the first; absent when there is none.

        A fixed id that is not in the collection gives a bare ``{kind, id}``.
        """
        resource = self._resources.get(binding_id)
        if resource is None:
            return ABSENT
        items = self.items(binding_id)
        collection = self._collections.get(binding_id)
        wanted = resource.fixed_id or (collection.chosen if collection else None)
        if wanted is None:
            return items[0].ref if items else ABSENT
        return next((item.ref for item in items if item.id == wanted), {"kind": resource.kind, "id": wanted})

    def command(self, binding_id: str, command: str, args: Mapping[str, Any] | None = None) -> Value:
        """Carry out read, create, upload, update or delete, and log it; returns the ref that is selected then.

        `args` may name the item (``id``, else the selected one), its ``revision``, ``name`` and ``document``.

        Raises:
            ResourceError: Nothing is seeded, there is no such item or command, or the revision is an old one.
        """
        args = args or {}
        collection = self._seeded_collection(binding_id)
        if command in CREATING:
            item_id = self._create(binding_id, collection, args)
        else:
            item_id = self._on_item(binding_id, collection, command, args)
        self._log.append(LoggedCommand(binding_id, command, item_id))
        return self.selected(binding_id)

    def open(self, binding_id: str) -> None:
        """Log that the selected item was opened; there is no editor here to open it in."""
        selected = self.selected(binding_id)
        self._log.append(LoggedCommand(binding_id, "open", selected["id"] if is_record(selected) else None))

    def _resource(self, binding_id: str) -> Resource:
        resource = self._resources.get(binding_id)
        if resource is None:
            declared = ", ".join(f'"{known}"' for known in self._declared) or "none"
            raise ResourceError(f'There is no resource "{binding_id}"; declared: {declared}.')
        return resource

    def _seeded_collection(self, binding_id: str) -> _Collection:
        self._resource(binding_id)
        collection = self._collections.get(binding_id)
        if collection is None:
            raise ResourceError(
                f'Resource "{binding_id}" has no items here; seed it with a seedResource step '
                f'or a param "resource:{binding_id}".'
            )
        return collection

    def _item(self, collection: _Collection, binding_id: str, item_id: str | None) -> ResourceItem:
        found = next((item for item in collection.items if item.id == item_id), None)
        if found is None:
            known = ", ".join(f'"{item.id}"' for item in collection.items) or "none"
            named = f'item "{item_id}"' if item_id else "selected item"
            raise ResourceError(f'Resource "{binding_id}" has no {named}; its items: {known}.')
        return found

    def _seeded(self, resource: Resource, item: object, index: int) -> ResourceItem:
        if not is_record(item) or not is_text(item.get("id")):
            raise ResourceError(f'Item {index} for resource "{resource.id}" has no id; give it a non-empty text.')
        revision = item.get("revision")
        return self._stamped(
            ResourceItem(
                resource.kind,
                item["id"],
                revision if is_integer(revision) else 1,
                _text(item.get("name")) or item["id"],
                _text(item.get("projectId")),
                _text(item.get("contentType")),
                document=item.get("document"),
            )
        )

    def _stamped(self, item: ResourceItem) -> ResourceItem:
        self._changes += 1
        moment = datetime.fromtimestamp(self._changes, UTC)
        return replace(item, updated_at=moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"))

    def _create(self, binding_id: str, collection: _Collection, args: Mapping[str, Any]) -> str:
        resource = self._resource(binding_id)
        taken = {item.id for item in collection.items}
        item_id = _text(args.get("id")) or _free_id(resource.kind, taken)
        if item_id in taken:
            raise ResourceError(f'Resource "{binding_id}" already has an item "{item_id}".')
        collection.items.append(self._seeded(resource, {**args, "id": item_id}, len(collection.items)))
        collection.chosen = item_id
        return item_id

    def _on_item(self, binding_id: str, collection: _Collection, command: str, args: Mapping[str, Any]) -> str:
        selected = self.selected(binding_id)
        item_id = _text(args.get("id")) or (selected["id"] if is_record(selected) else None)
        item = self._item(collection, binding_id, item_id)
        if command == "update":
            self._update(binding_id, collection, item, args)
        elif command == "delete":
            collection.items.remove(item)
            collection.chosen = None
        elif command != "read":
            raise ResourceError(
                f'There is no resource command "{command}"; use read, create, update, delete or upload.'
            )
        return item.id

    def _update(self, binding_id: str, collection: _Collection, item: ResourceItem, args: Mapping[str, Any]) -> None:
        revision = args.get("revision")
        if is_integer(revision) and revision < item.revision:
            raise ResourceError(
                f'Item "{item.id}" of resource "{binding_id}" is at revision {item.revision}, '
                f"the update was made from revision {revision}; read it again."
            )
        changed = replace(
            item,
            revision=item.revision + 1,
            name=_text(args.get("name")) or item.name,
            document=args.get("document", item.document),
        )
        collection.items[collection.items.index(item)] = self._stamped(changed)


def _free_id(kind: str, taken: set[str]) -> str:
    number = len(taken) + 1
    while f"{kind}-{number}" in taken:
        number += 1
    return f"{kind}-{number}"


def _text(value: object) -> str | None:
    return value if is_text(value) else None
