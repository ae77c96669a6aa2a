"""What an operation offers to bindings: the inputs, outputs, nodes and channels of its target."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from greenrun.document.values import ABSENT, Value


@dataclass(frozen=True, slots=True)
class Port:
    """One bindable input or output (spec: app-runtime 12, 17.1).

    `node_id` is a graph node's id, or the parameter or output name of a function. `node_type` is the node's type,
    ``pyfunction.input.<type>`` or ``pyfunction.output.<type>``. `type` is type metadata ``{"type": "str", ...}``.
    `default` is the node's stored value or the parameter's default, absent when there is none. `required` says that a
    run cannot do without a value. `options`, `minimum`, `maximum` and `max_length` bound what may be typed.
    """

    node_id: str
    node_type: str
    name: str
    label: str
    default: Value = ABSENT
    type: dict[str, Any] | None = None
    required: bool = False
    options: tuple[Any, ...] | None = None
    minimum: float | None = None
    maximum: float | None = None
    max_length: int | None = None
    multiline: bool = False
    description: str = ""


@dataclass(frozen=True, slots=True)
class Surface:
    """The bindable surface of one operation's target (spec: harness 0.3).

    `node_ids` holds every node of the graph (all ports of a function). `channels` are the names that Set-Variable nodes
    publish. `properties` maps a node id to the property names that its registered type knows (None: type unknown or open),
    `fed` maps a node id to the handles that an edge feeds.
    """

    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    node_ids: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    properties: dict[str, frozenset[str] | None] = field(default_factory=lambda: {})
    fed: dict[str, frozenset[str]] = field(default_factory=lambda: {})

    def input(self, node_id: str) -> Port | None:
        """The bindable input with that node id."""
        return next((port for port in self.inputs if port.node_id == node_id), None)

    def output(self, node_id: str) -> Port | None:
        """The bindable output with that node id."""
        return next((port for port in self.outputs if port.node_id == node_id), None)
