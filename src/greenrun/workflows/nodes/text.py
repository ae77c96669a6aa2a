"""Texts (spec: nodes B1, B2, B4)."""

from __future__ import annotations

from typing import Any, ClassVar

from greenrun.document.js import utf16_length
from greenrun.workflows import prompt_template
from greenrun.workflows.node import Inbox, InputMode, Node, NodeContext, OutputSpec
from greenrun.workflows.patterns import PatternError, compiled, matched
from greenrun.workflows.ports import Anything, Flag, Text, to_plain_text

_TEXT = (OutputSpec("output", "str"),)


class Prompt(Node):
    """Fills placeholders with inputs, and with variables where no input has the name. Inputs also leave as they are."""

    node_type: ClassVar[str] = "nodetool.text.Prompt"
    outputs: ClassVar[tuple[OutputSpec, ...]] = _TEXT
    dynamic_inputs: ClassVar[bool] = True
    dynamic_outputs: ClassVar[bool] = True

    prompt: Text = ""

    async def process(self, context: NodeContext) -> dict[str, Any]:
        values = dict(self.dynamic)
        for name in prompt_template.names(self.prompt):
            if name not in values:
                async for value in context.get_variable(name):
                    values[name] = value
                    break
        return {**self.dynamic, "output": prompt_template.render(self.prompt, values)}


class Template(Node):
    """Fills placeholders with the given inputs; no filters, no variables."""

    node_type: ClassVar[str] = "nodetool.text.Template"
    outputs: ClassVar[tuple[OutputSpec, ...]] = _TEXT
    dynamic_inputs: ClassVar[bool] = True

    string: Text = ""
    values: Anything = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": prompt_template.render(self.string, self.dynamic, filters=False)}


class Collect(Node):
    """Appends each text to those before, and sends what there is so far."""

    node_type: ClassVar[str] = "nodetool.text.Collect"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "str", "forward", source="input_item"),)
    input_mode: ClassVar[InputMode] = "stream"

    input_item: Text = ""
    separator: Text = ""

    async def run_stream(self, inbox: Inbox, context: NodeContext) -> None:
        parts: list[str] = []
        async for value in inbox.values("input_item"):
            parts.append(to_plain_text(value))
            await context.emit("output", self.separator.join(parts))


class Concat(Node):
    """Joins its inputs without a separator, in the order of their declaration; lists are spread."""

    node_type: ClassVar[str] = "nodetool.text.Concat"
    outputs: ClassVar[tuple[OutputSpec, ...]] = _TEXT
    dynamic_inputs: ClassVar[bool] = True

    async def process(self, context: NodeContext) -> dict[str, Any]:
        parts = [part for value in self.dynamic.values() for part in (value if isinstance(value, list) else [value])]
        return {"output": "".join(to_plain_text(part) for part in parts)}


def _by_length(compare: Any) -> Any:
    def holds(text: str, criteria: str) -> bool:
        return criteria.strip().isdecimal() and compare(utf16_length(text), int(criteria))

    return holds


_TESTS: dict[str, Any] = {
    "contains": lambda text, criteria: criteria in text,
    "starts_with": str.startswith,
    "ends_with": str.endswith,
    "length_greater": _by_length(lambda length, limit: length > limit),
    "length_less": _by_length(lambda length, limit: length < limit),
    "exact_length": _by_length(lambda length, limit: length == limit),
}


class FilterString(Node):
    """Lets a text through that meets a criterion."""

    node_type: ClassVar[str] = "nodetool.text.FilterString"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "str"),)

    value: Text = ""
    filter_type: Text = "contains"
    criteria: Text = ""

    async def process(self, context: NodeContext) -> dict[str, Any] | None:
        test = _TESTS.get(self.filter_type)
        return {"output": self.value} if test is not None and test(self.value, self.criteria) else None


class FilterRegexString(Node):
    """Lets a text through that matches a pattern; a pattern that is no regular expression lets nothing through."""

    node_type: ClassVar[str] = "nodetool.text.FilterRegexString"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "str"),)

    value: Text = ""
    pattern: Text = ""
    full_match: Flag = False

    async def process(self, context: NodeContext) -> dict[str, Any] | None:
        try:
            pattern = compiled(self.pattern)
        except PatternError:
            return None
        match = pattern.fullmatch if self.full_match else pattern.search
        found = await matched(lambda **limits: match(self.value, **limits))
        return {"output": self.value} if found is not None else None


NODES: tuple[type[Node], ...] = (Prompt, Template, Collect, Concat, FilterString, FilterRegexString)
