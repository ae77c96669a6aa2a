"""An app as it is opened: the document with every operation resolved to what it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from greenrun.document.bindings import Scope, ScopeOperation, merge_variables
from greenrun.document.findings import Reason
from greenrun.document.model import Document, Operation
from greenrun.document.surface import Surface
from greenrun.document.tree import FlattenResult, Widget, flatten
from greenrun.workflows.graph import Graph


@dataclass(frozen=True, slots=True)
class AppOperation:
    """One operation and what its target turned out to be (spec: harness 1.4).

    `surface` is None when the operation is unavailable (`unavailable` says why) or unknown (`unknown` says why: a loader or
    an import raised, so nothing may be concluded about the app). `graph` is set for workflow targets; `graph_key` is the
    workflow id (in a bundle: the key) under which it was carried or loaded.
    """

    operation: Operation
    surface: Surface | None = None
    unavailable: str | None = None
    unknown: Reason | None = None
    graph: Graph | None = None
    graph_key: str | None = None

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

    def operation(self, operation_id: str) -> AppOperation | None:
        """The first operation with that id."""
        return next((item for item in self.operations if item.operation.id == operation_id), None)


def build_app(document: Document, operations: Sequence[AppOperation]) -> App:
    """Scope and widgets of a document over its resolved operations (spec: app-runtime 17.2)."""
    channels = list(dict.fromkeys(name for item in operations if item.surface for name in item.surface.channels))
    scope = Scope(
        operations=tuple(ScopeOperation(item.operation.id, item.surface) for item in operations),
        variables=merge_variables(document.variables, channels),
        default_operation_id=operations[0].operation.id if operations else None,
    )
    flattened = flatten(document.ui, scope)
    return App(document, tuple(operations), scope.default_operation_id, scope, flattened.widgets, flattened)
