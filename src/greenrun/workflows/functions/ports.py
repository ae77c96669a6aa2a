"""The ports of a function as the server knows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from greenrun.document.surface import Port, Surface
from greenrun.document.values import ABSENT
from greenrun.workflows.functions.type_metadata import type_name

Effects = Literal["none", "local", "external"]


@dataclass(frozen=True, slots=True)
class FunctionPorts:
    """What a typed Python function takes and gives (spec: app-runtime 12).

    `effects` and `retry_safe` are what `workflow` declared. `streaming` says that values come while it runs.
    """

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    effects: Effects = "none"
    retry_safe: bool = True
    streaming: bool = False
    title: str | None = None
    description: str = ""

    @property
    def surface(self) -> Surface:
        """The bindable surface: node ids are the names of parameters, then of outputs."""
        names = tuple(dict.fromkeys(port.node_id for port in (*self.inputs, *self.outputs)))
        return Surface(self.inputs, self.outputs, names, properties={name: frozenset() for name in names})

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> FunctionPorts:
        """Ports from what a worker or the cache wrote.

        Raises:
            KeyError, TypeError, ValueError: The data has another shape.
        """
        if data["effects"] not in ("none", "local", "external"):
            raise ValueError(f'"effects" is {data["effects"]!r}')
        return cls(
            inputs=tuple(_input(port) for port in data["inputs"]),
            outputs=tuple(_output(port) for port in data["outputs"]),
            effects=cast("Effects", data["effects"]),
            retry_safe=bool(data["retry_safe"]),
            streaming=bool(data["streaming"]),
            title=data["title"],
            description=str(data["description"]),
        )


def _input(port: Mapping[str, Any]) -> Port:
    options = port["options"]
    return Port(
        node_id=port["name"],
        node_type=f"pyfunction.input.{type_name(port['type'])}",
        name=port["name"],
        label=port["label"],
        default=port.get("default", ABSENT),
        type=dict(port["type"]),
        required=bool(port["required"]),
        options=None if options is None else tuple(options),
        minimum=port["minimum"],
        maximum=port["maximum"],
        max_length=port["max_length"],
        multiline=bool(port["multiline"]),
        description=port["description"],
    )


def _output(port: Mapping[str, Any]) -> Port:
    return Port(
        node_id=port["name"],
        node_type=f"pyfunction.output.{type_name(port['type'])}",
        name=port["name"],
        label=port["label"],
        type=dict(port["type"]),
    )
