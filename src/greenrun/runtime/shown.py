"""What one widget shows: the parts of a view model that its type decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from greenrun.document.bindings import NodePropertyRef, Ref
from greenrun.document.tree import Widget
from greenrun.document.values import ABSENT, Value, is_number
from greenrun.runtime.evaluator import Evaluator
from greenrun.runtime.queries import read
from greenrun.runtime.resources import ResourceItem
from greenrun.runtime.state import InstanceState

Option: TypeAlias = dict[str, Any]
"""``{value, label, disabled?, ...}``: something that can be picked."""


class ResourceSource(Protocol):
    """Where the items of resource bindings come from."""

    def items(self, binding_id: str) -> Sequence[ResourceItem]: ...

    def selected(self, binding_id: str) -> Value: ...


@dataclass(frozen=True, slots=True)
class ViewContext:
    """What views are made from: the app's evaluator, a state, and what the host knows beside that.

    `resources` has the items of resource bindings. `node_property` gives the value that a node property has in its
    graph, or by default; a control shows it until something is written (spec: app-runtime 17.3.5).
    """

    evaluator: Evaluator
    state: InstanceState
    resources: ResourceSource | None = None
    node_property: Callable[[NodePropertyRef], Value] | None = None

    def read(self, ref: Ref | None) -> Value:
        """The value of a ref; absent for none."""
        if ref is None:
            return ABSENT
        value = read(self.state, ref)
        if value is ABSENT and isinstance(ref, NodePropertyRef) and self.node_property is not None:
            return self.node_property(ref)
        return value


@dataclass(frozen=True, slots=True)
class Glance:
    """One widget with its bound value and its rendered format, as a type's function gets it."""

    widget: Widget
    value: Value
    display: str | None
    context: ViewContext

    def prop(self, name: str) -> Value:
        """A stored prop, absent when it is not there."""
        return self.widget.props.get(name, ABSENT)

    def text_prop(self, name: str) -> str | None:
        """A stored prop when it is a non-empty text."""
        value = self.widget.props.get(name)
        return value if isinstance(value, str) and value else None

    def number_prop(self, name: str, default: float) -> int | float:
        """A stored prop when it is a number."""
        value = self.widget.props.get(name)
        return value if is_number(value) else default

    def flag(self, name: str, *, default: bool = False) -> bool:
        """A yes-or-no prop; editors store booleans or the words true, false, yes, no."""
        return _FLAGS.get(str(self.widget.props.get(name)).lower(), default)


_FLAGS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True, slots=True)
class Shown:
    """What a type's function answers.

    `text` is what a person reads, None when there is nothing to read. `options` and `selected` are for widgets that
    offer a choice. `body` is what a renderer needs beside that, as JSON. `value` replaces the bound value where the
    type has one of its own (resource items, forms).
    """

    text: str | None = None
    options: tuple[Option, ...] | None = None
    selected: Value = ABSENT
    body: dict[str, Any] = field(default_factory=dict[str, Any])
    value: Value | None = None
