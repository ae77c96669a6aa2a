"""What is wrong with code in a graph, found without running it (spec: harness appendix B, GR610)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from greenrun.document.findings import Finding, Place
from greenrun.workflows.code.source import problems
from greenrun.workflows.facts import GraphFacts

PYTHON_CODE: Final = "greenrun.code.Python"
_CODE: Final = "code"


def code(facts: GraphFacts) -> Iterator[Finding]:
    """GR610: code that does not parse, uses names that are not there, or leaves out a declared output."""
    for node in facts.working:
        if node.type != PYTHON_CODE or facts.is_fed(node, _CODE):
            continue
        text = node.properties.get(_CODE)
        fed = [edge.target_handle for edge in facts.graph.edges if edge.target == node.id and not edge.control]
        inputs = {*node.dynamic_inputs, *node.dynamic_properties, *fed} - {_CODE}
        for line, message in problems(text if isinstance(text, str) else "", inputs, tuple(node.dynamic_outputs)):
            yield Finding(
                "GR610", "error", f'Node "{node.id}", line {line}: {message}.', Place(node=node.id, prop=_CODE)
            )
