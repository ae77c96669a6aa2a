"""An app as it is opened: the document with every operation resolved to what it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from greenrun.document.bindings import Scope, ScopeOperation, merge_variables
from greenrun.document.findings import Reason
from greenrun.document.model import Document, Operation, ToVariable
from greenrun.document.refs import NodePropertyRef
from greenrun.document.surface import Surface
from greenrun.document.tree import FlattenResult, Widget, flatten
from greenrun.document.values import ABSENT, Value
from greenrun.workflows.graph import Graph
from greenrun.workflows.registry import Registry


@dataclass(frozen=True, slots=True)
class AppOperation:
    """One operation and what its target turned out to be (spec: harness 1.4).

    `surface` is None when the operation is unavailable (`unavailable` says why) or unknown (`unknown` says why: a loader or
    an import raised, so nothing may be concluded about the app). `graph` is set for workflow targets; `graph_key` is the
    workflow id (in a bundle: the key) under which it was carried or loaded; `named` are the workflows that its nodes name, by id.
    """

    operation: Operation
    surface: Surface | None = None
    unavailable: str | None = None
    unknown: Reason | None = None
    graph: Graph | None = None
    graph_key: str | None = None
    named: Mapping[str, Graph] = field(default_factory=lambda: {})

    @property
    def id(self) -> str:
        return self.operation.id


@dataclass(frozen=True, slots=True)
class App:
    """A document with its operations resolved and its widgets flattened; everything that an open app and a check share."""

    document: Document
    operations: tuple[AppOperation, ...]
    default_operation_id: str | None
    scope: Scope
    widgets: tuple[Widget, ...]
    flattened: FlattenResult
    registry: Registry | None = None

    def operation(self, operation_id: str) -> AppOperation | None:
        """The first operation with that id."""
        return next((item for item in self.operations if item.operation.id == operation_id), None)

    def node_property(self, ref: NodePropertyRef) -> Value:
        """What a node property is before anyone sets it: the graph's value, else the type's default (17.3.5).

        Absent when there is neither, or when the app was built without the registry of node types.
        """
        operation = self.operation(ref.operation_id)
        node = operation.graph.by_id.get(ref.node_id) if operation is not None and operation.graph is not None else None
        if node is None:
            return ABSENT
        node_type = self.registry.get(node.type) if self.registry is not None else None
        spec = node_type.property(ref.property) if node_type is not None else None
        return node.properties.get(ref.property, spec.default if spec is not None else ABSENT)


def variable_writers(operations: Sequence[AppOperation]) -> dict[str, list[str]]:
    """Variable id to the operations that write it, by output mapping or channel, in the order of the operations."""
    writers: dict[str, list[str]] = {}
    for item in operations:
        for mapping in item.operation.outputs.values():
            if isinstance(mapping, ToVariable):
                writers.setdefault(mapping.variable_id, []).append(item.id)
        for channel in item.surface.channels if item.surface is not None else ():
            writers.setdefault(channel, []).append(item.id)
    return writers


def build_app(document: Document, operations: Sequence[AppOperation], registry: Registry | None = None) -> App:
    """Scope and widgets of a document over its resolved operations (spec: app-runtime 17.2).

    `registry` knows the defaults of node properties.
    """
    channels = list(dict.fromkeys(name for item in operations if item.surface for name in item.surface.channels))
    scope = Scope(
        operations=tuple(ScopeOperation(item.operation.id, item.surface) for item in operations),
        variables=merge_variables(document.variables, channels),
        default_operation_id=operations[0].operation.id if operations else None,
    )
    flattened = flatten(document.ui, scope)
    return App(document, tuple(operations), scope.default_operation_id, scope, flattened.widgets, flattened, registry)
