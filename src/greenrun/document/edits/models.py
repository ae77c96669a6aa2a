"""The edits of a document as data: one model per verb, told apart by `edit` (spec: app-runtime 3.4, 13).

Argument names are snake_case; camelCase is understood too. Mappings and targets are written as they are stored
(``{"from": "variable", "variableId": "v1"}``, ``{"kind": "function", "function": "mod:f"}``).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AliasChoices, BeforeValidator, Field

from greenrun.document.edits.fields import Arguments, Json, JsonObject, Number, Path, Texts
from greenrun.document.model import Policy, ResourceKind, ResourceOperation, VariableScope
from greenrun.document.values import is_record

Id: TypeAlias = Annotated[str, Field(min_length=1)]
Timeout: TypeAlias = Annotated[Number, Field(gt=0)]
Side: TypeAlias = Literal["inputs", "outputs"]
ListName: TypeAlias = Literal["operations", "variables", "resources"]
OperationId: TypeAlias = Annotated[str, Field(validation_alias=AliasChoices("id", "operation"))]


class AddComponent(Arguments):
    """Add a widget at the end of the content, or of a slot of `parent_id` (its first one when `slot` is not given)."""

    edit: Literal["add_component"] = "add_component"
    type: str
    id: Id | None = None
    props: JsonObject = Field(default={})
    parent_id: str | None = None
    slot: str | None = None
    index: int | None = None


class UpdateComponent(Arguments):
    """Merge props into a widget, one level deep; `id` among them is ignored."""

    edit: Literal["update_component"] = "update_component"
    id: str
    props: JsonObject


class DeleteProps(Arguments):
    """Delete props of a widget by name; names that it does not have are passed over."""

    edit: Literal["delete_props"] = "delete_props"
    id: str
    props: Texts


class MoveComponent(Arguments):
    """Move a widget with everything inside it. `index` counts without the widget; the default is the end."""

    edit: Literal["move_component"] = "move_component"
    id: str
    parent_id: str | None = None
    slot: str | None = None
    index: int | None = None


class RemoveComponent(Arguments):
    """Remove a widget with everything inside it."""

    edit: Literal["remove_component"] = "remove_component"
    id: str


class SetTitle(Arguments):
    """Set the app's title; "" takes it away."""

    edit: Literal["set_title"] = "set_title"
    title: str


class SetComponentType(Arguments):
    """Give a widget another type; its props stay."""

    edit: Literal["set_component_type"] = "set_component_type"
    id: str
    type: str


class SetComponentId(Arguments):
    """Write an id into a widget that has none. `path` is its JSON path inside `ui`; without `id` a free one is made."""

    edit: Literal["set_component_id"] = "set_component_id"
    path: Path
    id: Id | None = None


class MoveZone(Arguments):
    """Move the widgets of a zone into the slot that its name gives (``<widget id>:<slot>``), or into `slot`."""

    edit: Literal["move_zone"] = "move_zone"
    zone: str
    slot: str | None = None


class MoveMisplaced(Arguments):
    """Move widgets out of a prop that is no slot: into `slot` (default the first), or behind a widget without slots."""

    edit: Literal["move_misplaced"] = "move_misplaced"
    id: str
    prop: str
    slot: str | None = None


class InsertEvent(Arguments):
    """Add an event to a widget, at the end by default."""

    edit: Literal["insert_event"] = "insert_event"
    id: str
    event: JsonObject
    index: int | None = None


class UpdateEvent(Arguments):
    """Merge members into the stored event at `index` and delete the members in `remove`."""

    edit: Literal["update_event"] = "update_event"
    id: str
    index: Annotated[int, Field(ge=0)]
    patch: JsonObject = Field(default={})
    remove: Texts = Field(default=[])


class RenameDuplicate(Arguments):
    """Give the `occurrence`-th entry with that id (2 = the second) another id. References keep meaning the first.

    Entries that the parser drops are not counted. Without `new_id` a free one is made: ``<id>-2`` for widgets,
    ``<id>_2`` for the rest.
    """

    edit: Literal["rename_duplicate"] = "rename_duplicate"
    kind: Literal["component", "operation", "variable", "resource"]
    id: str
    occurrence: Annotated[int, Field(ge=1)] = 2
    new_id: Id | None = None


class SetRaw(Arguments):
    """Repair a stored entry by its position, also one that the parser dropped. Its values are not checked."""

    edit: Literal["set_raw"] = "set_raw"
    list: ListName
    index: Annotated[int, Field(ge=0)]
    patch: JsonObject = Field(default={})
    remove: Texts = Field(default=[])


class AddOperation(Arguments):
    """Declare an operation over exactly one of `workflow_id` and `target`."""

    edit: Literal["add_operation"] = "add_operation"
    id: Id | None = None
    name: str | None = None
    workflow_id: str | None = None
    workflow_version: Number | None = None
    target: JsonObject | None = None
    policy: Policy = "replace"
    inputs: JsonObject = Field(default={})
    outputs: JsonObject = Field(default={})
    timeout_ms: Timeout | None = None


def _without_id(value: Any) -> Any:
    # The id of an entry is fixed; a patch that repeats it is no mistake.
    return {name: member for name, member in value.items() if name != "id"} if is_record(value) else value


class OperationPatch(Arguments):
    """Null deletes the timeout or the version; mappings are merged per node unless the target changes."""

    name: str = ""
    workflow_id: str = ""
    workflow_version: Number | None = None
    target: JsonObject | None = None
    policy: Policy = "replace"
    inputs: JsonObject = Field(default={})
    outputs: JsonObject = Field(default={})
    timeout_ms: Timeout | None = None


class UpdateOperation(Arguments):
    """Change an operation. Another workflow, script or function drops its mappings, except those in the patch."""

    edit: Literal["update_operation"] = "update_operation"
    id: str
    patch: Annotated[OperationPatch, BeforeValidator(_without_id)]


class SetMapping(Arguments):
    """Set one mapping of an operation."""

    edit: Literal["set_mapping"] = "set_mapping"
    id: OperationId
    side: Side
    node: Id
    mapping: Json


class ClearMapping(Arguments):
    """Remove one mapping of an operation, so that the default holds again."""

    edit: Literal["clear_mapping"] = "clear_mapping"
    id: OperationId
    side: Side
    node: str


class SetTarget(Arguments):
    """Let an operation run something else; null with `workflow_id` makes it a workflow operation again."""

    edit: Literal["set_target"] = "set_target"
    id: str
    target: JsonObject | None = None
    workflow_id: str | None = None
    workflow_version: Number | None = None


class RemoveOperation(Arguments):
    """Remove an operation."""

    edit: Literal["remove_operation"] = "remove_operation"
    id: str


class DeclareVariable(Arguments):
    """Declare a variable. Only one of scope `user` can persist."""

    edit: Literal["declare_variable"] = "declare_variable"
    id: Id | None = None
    name: str | None = None
    type: JsonObject | None = None
    default: Json = None
    scope: VariableScope = "instance"
    persist: bool = False


class VariablePatch(Arguments):
    """`clear_default` takes the default away; null is a default."""

    name: str = ""
    type: JsonObject | None = None
    default: Json = None
    clear_default: bool = False
    scope: VariableScope = "instance"
    persist: bool = False


class UpdateVariable(Arguments):
    """Change a variable."""

    edit: Literal["update_variable"] = "update_variable"
    id: str
    patch: Annotated[VariablePatch, BeforeValidator(_without_id)]


class RemoveVariable(Arguments):
    """Remove a variable."""

    edit: Literal["remove_variable"] = "remove_variable"
    id: str


class ResourceScope(Arguments):
    """Where the entries of a resource come from: a project, one fixed entry, or both."""

    project_id: str | None = None
    fixed_id: str | None = None


class AddResource(Arguments):
    """Declare a resource."""

    edit: Literal["add_resource"] = "add_resource"
    kind: ResourceKind
    scope: ResourceScope = ResourceScope()
    id: Id | None = None
    name: str | None = None
    operations: list[ResourceOperation] = Field(default=[])


class ResourcePatch(Arguments):
    """A scope replaces the stored one."""

    name: str = ""
    kind: ResourceKind = "asset"
    scope: ResourceScope = ResourceScope()
    operations: list[ResourceOperation] = Field(default=[])


class UpdateResource(Arguments):
    """Change a resource."""

    edit: Literal["update_resource"] = "update_resource"
    id: str
    patch: Annotated[ResourcePatch, BeforeValidator(_without_id)]


class RemoveResource(Arguments):
    """Remove a resource."""

    edit: Literal["remove_resource"] = "remove_resource"
    id: str


class Selector(Arguments):
    """The first entry of a list with that id (a widget's is in its props)."""

    id: str


class MemberChange(Arguments):
    """One member of the record at `path`. `was` is the hash of what stands there now, null when there is nothing.

    Without `value` the member is deleted.
    """

    change: Literal["member"] = "member"
    path: list[str | int | Selector]
    key: str
    was: str | None
    value: Json = None


class OrderChange(Arguments):
    """The order of the keys of the record at `path`."""

    change: Literal["order"] = "order"
    path: list[str | int | Selector]
    keys: list[str]


class ItemsChange(Arguments):
    """A run of items of the list at `path`, which now has `length` items. `was` holds the hashes of those replaced."""

    change: Literal["items"] = "items"
    path: list[str | int | Selector]
    length: int
    at: int
    was: list[str]
    items: list[Json]


class Restore(Arguments):
    """Put back what an earlier edit changed. Made by `apply`, not by hand; refused when the places changed since.

    `host_workflow_id` is the host with which the document was parsed; an envelope that comes back shows none.
    """

    edit: Literal["restore"] = "restore"
    host_workflow_id: str | None = None
    changes: list[Annotated[MemberChange | OrderChange | ItemsChange, Field(discriminator="change")]]


Edit: TypeAlias = Annotated[
    AddComponent
    | UpdateComponent
    | DeleteProps
    | MoveComponent
    | RemoveComponent
    | SetTitle
    | SetComponentType
    | SetComponentId
    | MoveZone
    | MoveMisplaced
    | InsertEvent
    | UpdateEvent
    | RenameDuplicate
    | SetRaw
    | AddOperation
    | UpdateOperation
    | SetMapping
    | ClearMapping
    | SetTarget
    | RemoveOperation
    | DeclareVariable
    | UpdateVariable
    | RemoveVariable
    | AddResource
    | UpdateResource
    | RemoveResource
    | Restore,
    Field(discriminator="edit"),
]
"""Any document edit."""
