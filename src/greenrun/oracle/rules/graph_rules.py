"""Rule 16b: faults in the structure of a graph that an operation runs (spec: harness 2.2, appendix B)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from greenrun.document.findings import Finding
from greenrun.oracle.context import Context
from greenrun.oracle.usage import OperationFacts
from greenrun.oracle.wording import quoted
from greenrun.workflows.graph import Graph
from greenrun.workflows.registry import Registry
from greenrun.workflows.validation import validate_graph

GraphFindings: TypeAlias = Callable[[Graph], Sequence[Finding]]

STRUCTURAL: Final = frozenset({"GR601", "GR602", "GR603", "GR610", "GR616", "GR617", "GR618", "GR619", "GR624"})
"""What no value typed into the app can mend; the rest of appendix B depends on what a run is given."""


def findings_of(registry: Registry) -> GraphFindings:
    """The findings of a graph under a registry; validation keeps them with the graph."""
    return lambda graph: validate_graph(graph, registry).findings


def graph_faults(ctx: Context, findings: GraphFindings, listed: set[int], facts: OperationFacts) -> Iterator[Finding]:
    """The structural errors of the operation's graph; `listed` holds the graphs that were listed before."""
    graph = facts.item.graph
    if graph is None or id(graph.stored) in listed:
        return
    listed.add(id(graph.stored))
    users = [other.id for other in ctx.operations.values() if _runs(other, graph)]
    noun = "operation" if len(users) == 1 else "operations"
    for finding in findings(graph):
        if finding.code in STRUCTURAL and finding.severity == "error":
            fixes = tuple(replace(fix, graph=facts.item.graph_key) for fix in finding.fixes) if ctx.with_fixes else ()
            yield replace(
                finding,
                message=f"{finding.message} (workflow of {noun} {quoted(users)})",
                place=replace(finding.place, operation=facts.id),
                fixes=fixes,
            )


def _runs(facts: OperationFacts, graph: Graph) -> bool:
    return facts.item.graph is not None and facts.item.graph.stored is graph.stored
