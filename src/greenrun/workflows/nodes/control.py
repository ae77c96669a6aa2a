"""Branches and sources of iterations (spec: nodes B1, B2)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, ClassVar

from greenrun.document.js import display_text
from greenrun.workflows.node import Node, NodeContext, OutputSpec, declare
from greenrun.workflows.ports import NO_ITEMS, Anything, Flag, Items, Text, Whole

_ITEMS = (OutputSpec("output", "any", "iteration", "items"), OutputSpec("index", "int", "iteration", "items"))


class If(Node):
    """Sends the value on one branch and null on the other."""

    node_type: ClassVar[str] = "nodetool.control.If"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("if_true"), OutputSpec("if_false"))

    condition: Flag = False
    value: Anything = NO_ITEMS

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {
            "if_true": self.value if self.condition else None,
            "if_false": None if self.condition else self.value,
        }


class Switch(Node):
    """Sends the input on `matched` when a case equals the value as text, else on `default`."""

    node_type: ClassVar[str] = "nodetool.control.Switch"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("matched"),
        OutputSpec("default"),
        OutputSpec("index", "int"),
    )

    value: Anything = None
    cases: Items = NO_ITEMS
    input: Anything = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        wanted = display_text(self.value)
        index = next((place for place, case in enumerate(self.cases) if display_text(case) == wanted), -1)
        found = index >= 0
        return {
            "matched": self.input if found else None,
            "default": None if found else self.input,
            "index": index,
        }


class TryCatch(Node):
    """Replaces null by a fallback. It does not catch errors."""

    node_type: ClassVar[str] = "nodetool.control.TryCatch"
    title: ClassVar[str] = "Fallback"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("output"),
        OutputSpec("error", "str"),
        OutputSpec("has_error", "bool"),
    )

    value: Anything = None
    fallback: Anything = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        missing = self.value is None
        return {
            "output": self.fallback if missing else self.value,
            "error": "the value is null" if missing else "",
            "has_error": missing,
        }


class Reroute(Node):
    """Hands its input on; a bend in an edge."""

    node_type: ClassVar[str] = "nodetool.control.Reroute"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "any", "forward", source="input_value"),)

    input_value: Anything = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": self.input_value}


class Tap(Node):
    """Logs what passes, and hands it on."""

    node_type: ClassVar[str] = "nodetool.control.Tap"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "any", "forward", source="input_item"),)

    input_item: Anything = None
    label: Text = "tap"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        context.log(f"{self.label}: {display_text(self.input_item)[:1000]}")
        return {"output": self.input_item}


class ForEach(Node):
    """Sends the items of a list one at a time; a single value is a list of one, null is the empty list."""

    node_type: ClassVar[str] = "nodetool.control.ForEach"
    outputs: ClassVar[tuple[OutputSpec, ...]] = _ITEMS

    input_list: Items = NO_ITEMS
    limit: Whole = -1

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        items = self.input_list if self.limit < 0 else self.input_list[: self.limit]
        for index, item in enumerate(items):
            yield {"output": item, "index": index}


class Collection(Node):
    """Sends the items of a fixed list one at a time."""

    node_type: ClassVar[str] = "nodetool.control.Collection"
    outputs: ClassVar[tuple[OutputSpec, ...]] = _ITEMS

    items: Items = NO_ITEMS

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        for index, item in enumerate(self.items):
            yield {"output": item, "index": index}


class RepeatCount(Node):
    """Counts from 0 to one less than the count."""

    node_type: ClassVar[str] = "nodetool.control.RepeatCount"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("output", "int", "iteration", "items"),
        OutputSpec("index", "int", "iteration", "items"),
    )

    count: Whole = 1

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        for index in range(self.count):
            yield {"output": index, "index": index}


class RepeatValue(Node):
    """Sends the same value several times."""

    node_type: ClassVar[str] = "nodetool.control.RepeatValue"
    outputs: ClassVar[tuple[OutputSpec, ...]] = _ITEMS

    value: Anything = None
    count: Whole = 1

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        for index in range(self.count):
            yield {"output": self.value, "index": index}


_EDITOR_REROUTE = declare(
    "nodetool.workflows.base_node.Reroute",
    base=Reroute,
    fields={},
    outputs=Reroute.outputs,
    doc=Reroute.__doc__ or "",
    module=__name__,
)

NODES: tuple[type[Node], ...] = (
    If,
    Switch,
    TryCatch,
    Reroute,
    _EDITOR_REROUTE,
    Tap,
    ForEach,
    Collection,
    RepeatCount,
    RepeatValue,
)
