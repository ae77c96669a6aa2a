"""A small app for the tests of this room: built from content, driven by events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from greenrun.document.bindings import Scope, ScopeOperation
from greenrun.document.model import Variable
from greenrun.document.surface import Port, Surface
from greenrun.document.tree import flatten
from greenrun.runtime.evaluator import Evaluator
from greenrun.runtime.events import Event, InvocationStatus, RunStarted
from greenrun.runtime.reduce import reduce
from greenrun.runtime.resources import MemoryResources
from greenrun.runtime.state import InstanceState, Invocation, empty_state
from greenrun.runtime.view import ViewContext, WidgetView, view_of, views_of

SURFACE = Surface(
    inputs=(
        Port("n1", "nodetool.input.StringInput", "prompt", "Prompt", type={"type": "str"}),
        Port("n2", "nodetool.input.IntegerInput", "count", "Count", type={"type": "int"}, minimum=3, maximum=30),
    ),
    outputs=(
        Port("n9", "nodetool.output.Output", "result", "Result"),
        Port("n8", "nodetool.output.Output", "extra", "Extra"),
    ),
    node_ids=("n1", "n2", "n5", "n9", "n8"),
)


class Screen:
    """Widgets over one state."""

    def __init__(self, content: Sequence[dict[str, Any]], scope: Scope, resources: MemoryResources | None) -> None:
        ui = {"root": {"props": {}}, "content": list(content)}
        self.scope = scope
        self.evaluator = Evaluator(flatten(ui, scope).widgets, scope)
        self.resources = resources
        self.state: InstanceState = empty_state()

    def dispatch(self, *events: Event) -> Screen:
        for event in events:
            self.state = reduce(self.state, event)
        return self

    def start(self, run: str, operation_id: str = "main", **keys: Any) -> Screen:
        return self.dispatch(RunStarted(Invocation(run, operation_id, "running"), **keys))

    def end(self, run: str, status: Any = "completed", error: str | None = None) -> Screen:
        return self.dispatch(InvocationStatus(run, status, error))

    @property
    def context(self) -> ViewContext:
        return ViewContext(self.evaluator, self.state, self.resources)

    def view(self, widget_id: str) -> WidgetView:
        return view_of(self.evaluator.by_id[widget_id], self.context)

    def views(self) -> dict[str, WidgetView]:
        return views_of(self.context)


MakeScreen = Callable[..., Screen]


@pytest.fixture
def make_screen() -> MakeScreen:
    """Content, operation ids (first is the default), variables, surfaces by operation id -> a screen."""

    def make(
        content: Sequence[dict[str, Any]],
        operations: Sequence[str] = ("main",),
        variables: Sequence[Variable] = (),
        surfaces: dict[str, Surface] | None = None,
        resources: MemoryResources | None = None,
    ) -> Screen:
        known = dict.fromkeys(operations, SURFACE) | (surfaces or {})
        scope = Scope(
            tuple(ScopeOperation(operation_id, known[operation_id]) for operation_id in operations),
            tuple(variables),
            operations[0] if operations else None,
        )
        return Screen(content, scope, resources)

    return make
