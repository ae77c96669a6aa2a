"""What is wrong with a graph, found without running it (spec: harness appendix B)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, TypeAlias

from greenrun.document.findings import Finding, Fix, Place
from greenrun.workflows.code_rules import code
from greenrun.workflows.edge_rules import cycles, dangling, fan_in, missing_handles, scopes, types, unknown_handles
from greenrun.workflows.facts import GraphFacts
from greenrun.workflows.graph import Graph, Node, load_graph
from greenrun.workflows.graph_edits import apply_graph_edits
from greenrun.workflows.nesting import (
    MAX_DEPTH,
    NESTING,
    WORKFLOW,
    carried_graph,
    inner_graph,
    named_workflow,
    nesting_depth,
    too_deep,
    within_itself,
)
from greenrun.workflows.node_rules import (
    dynamic_mismatches,
    empty_slots,
    empty_values,
    identities,
    shape,
    slot_aliases,
    unknown_types,
    untyped_slots,
)
from greenrun.workflows.node_rules import (
    providers as provider_rule,
)
from greenrun.workflows.registry import Registry

Rule: TypeAlias = Callable[[GraphFacts], Iterator[Finding]]


def nested(facts: GraphFacts) -> Iterator[Finding]:
    """Every finding inside a graph that a node stands for, placed at that node; GR604, GR616 for a graph that cannot be run."""
    for node in facts.working:
        if node.type not in NESTING or node.id not in facts.types:
            continue
        named, inner = named_workflow(node.type, node.properties), facts.inner.get(node.id)
        place = Place(node=node.id)
        if named is not None and named in facts.above:
            text = within_itself((*facts.above, named))
            yield Finding("GR616", "error", f'Node "{node.id}": {text}.', place)
        elif inner is None:
            yield from _missing(facts, node, named)
        elif nesting_depth(inner) > MAX_DEPTH:
            yield Finding("GR616", "error", f'Node "{node.id}": {too_deep("a graph inside it")}.', place)
        else:
            where = f'In node "{node.id}"' + (f' (workflow "{named}")' if named is not None else "")
            for finding in _inside(facts, inner, named):
                if finding.severity != "info":
                    yield replace(finding, message=f"{where}: {finding.message}", place=place, fixes=())


def _missing(facts: GraphFacts, node: Node, named: str | None) -> Iterator[Finding]:
    """GR604: a node without the workflow that it is to run, as far as that is known."""
    if node.type != WORKFLOW or any(facts.is_fed(node, name) for name in ("workflow_id", "workflow_json")):
        return
    if named is None and carried_graph(node.type, node.properties) is None:
        text = "no workflow is selected. Choose one."
    elif named is not None and facts.workflows is not None:
        text = f'the workflow "{named}" is not here. Add it, or choose another one.'
    else:
        return
    yield Finding("GR604", "error", f'Node "{node.id}": {text}', Place(node=node.id, prop="workflow_id"))


def _inside(facts: GraphFacts, inner: Graph, named: str | None) -> Iterable[Finding]:
    if facts.workflows is None:
        return validate_graph(inner, facts.registry, providers=facts.providers).findings
    above = facts.above if named is None else (*facts.above, named)
    return _findings(replace(facts, graph=inner, above=above))


RULES: Final[tuple[Rule, ...]] = (
    shape,
    identities,
    unknown_types,
    empty_values,
    empty_slots,
    slot_aliases,
    code,
    provider_rule,
    fan_in,
    cycles,
    dangling,
    missing_handles,
    unknown_handles,
    untyped_slots,
    types,
    dynamic_mismatches,
    scopes,
    nested,
)

NAMES: Final[dict[str, str]] = {
    "GR601": "missing_id",
    "GR602": "duplicate_id",
    "GR603": "unknown_node",
    "GR604": "property",
    "GR605": "property",
    "GR606": "property",
    "GR607": "property",
    "GR608": "property",
    "GR609": "slot_type_alias",
    "GR610": "code",
    "GR612": "unknown_provider",
    "GR615": "fan_in",
    "GR616": "cycle",
    "GR617": "dangling_edge",
    "GR618": "missing_handle",
    "GR619": "unknown_handle",
    "GR620": "untyped_dynamic_slot",
    "GR621": "type_mismatch",
    "GR622": "type_mismatch",
    "GR623": "dynamic_type_mismatch",
    "GR624": "incomparable_scopes",
}
"""What upstream calls each finding."""

BLOCKING: Final = frozenset({"GR604", "GR605", "GR606", "GR607", "GR608", "GR616", "GR624"})
"""The findings with which a run does not start (spec: nodes A1.11)."""


@dataclass(frozen=True)
class GraphReport:
    """The findings of a graph, in the order of the rules."""

    graph: Graph
    findings: tuple[Finding, ...]
    node_count: int
    edge_count: int

    @cached_property
    def _types(self) -> dict[str, str]:
        """The type of the first node of each id."""
        return {node.id: node.type for node in reversed(self.graph.entries)}

    def count(self, severity: str) -> int:
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def ok(self) -> bool:
        """True without errors; warnings and information do not count."""
        return self.count("error") == 0

    @cached_property
    def counts(self) -> dict[str, int]:
        return {"errors": self.count("error"), "warnings": self.count("warning"), "info": self.count("info")}

    @property
    def headline(self) -> str:
        """The result in one line."""
        errors, warnings = (_counted(self.count(kind), kind) for kind in ("error", "warning"))
        if not self.ok:
            return f"{errors} and {warnings}" if self.counts["warnings"] else errors
        size = f"{_counted(self.node_count, 'node')}, {_counted(self.edge_count, 'edge')}"
        return f"valid with {warnings}: {size}" if self.counts["warnings"] else f"valid: {size}"

    def to_json(self) -> dict[str, Any]:
        """The report as upstream has it, with the fixes beside each issue."""
        return {
            "ok": self.ok,
            "headline": self.headline,
            "nodeCount": self.node_count,
            "edgeCount": self.edge_count,
            "counts": self.counts,
            "issues": [self._issue(finding) for finding in self.findings],
        }

    def _issue(self, finding: Finding) -> dict[str, Any]:
        issue: dict[str, Any] = {
            "severity": finding.severity,
            "code": NAMES[finding.code],
            "finding": finding.code,
            "message": finding.message,
            "fixes": [fix.to_json() for fix in finding.fixes],
        }
        if finding.place.node is not None:
            issue["nodeId"] = finding.place.node
            if finding.place.node in self._types:
                issue["nodeType"] = self._types[finding.place.node]
        if finding.place.edge is not None:
            issue["edgeId"] = finding.place.edge
        return issue


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def validate_graph(
    graph: Graph,
    registry: Registry,
    *,
    providers: Collection[str] = (),
    workflows: Mapping[str, Any] | None = None,
    workflow_id: str | None = None,
) -> GraphReport:
    """Check a graph, and the graphs inside it; computed once per graph, registry content and list of providers.

    `providers` are the model providers that are known; empty when nobody knows which there are. `workflows` are the stored graphs
    that nodes may name, by id, and `workflow_id` is the graph's own; without them such nodes are not looked into, and with them
    everything is looked at anew.
    """
    if workflows is not None:
        above = () if workflow_id is None else (workflow_id,)
        return _report(GraphFacts(graph, registry, tuple(providers), workflows, above))
    key = ("report", id(registry), registry.revision, frozenset(providers))
    kept = graph.memo.get(key)
    if kept is None:
        kept = graph.memo[key] = (registry, _report(GraphFacts(graph, registry, tuple(providers))))
    return kept[1]


def _report(facts: GraphFacts) -> GraphReport:
    graph = facts.graph
    return GraphReport(graph, tuple(_findings(facts)), len(graph.entries), len(graph.edge_entries))


def _findings(facts: GraphFacts) -> Iterator[Finding]:
    return (finding for rule in RULES for finding in rule(facts))


def verify_fixes(report: GraphReport, registry: Registry, *, providers: Collection[str] = ()) -> GraphReport:
    """The report with those fixes only that end their finding and bring no error that was not there (spec: harness 2.2)."""
    return replace(
        report,
        findings=tuple(
            replace(
                finding, fixes=tuple(fix for fix in finding.fixes if _holds(report, finding, fix, registry, providers))
            )
            for finding in report.findings
        ),
    )


def _holds(report: GraphReport, finding: Finding, fix: Fix, registry: Registry, providers: Collection[str]) -> bool:
    graph = load_graph(apply_graph_edits(report.graph.stored, fix.edits))
    after = Counter(_fault(item) for item in validate_graph(graph, registry, providers=providers).findings)
    before = Counter(_fault(item) for item in report.findings)
    return after[_fault(finding)] < before[_fault(finding)] and not any(
        severity == "error" for _, severity, _ in after - before
    )


def _fault(finding: Finding) -> tuple[str, str, Place]:
    return finding.code, finding.severity, finding.place


def run_issues(graph: Graph, registry: Registry, *, providers: Sequence[str] = ()) -> list[dict[str, Any]]:
    """What keeps a graph from running, as the ``validation_issues`` of a job (spec: nodes A1.11, A8).

    Nodes that are bypassed or left out for their unknown type do not count; nodes whose type exists but cannot run here do.
    """
    report = validate_graph(graph, registry, providers=providers)
    return [*_from_findings(graph, report.findings), *_unavailable(graph, registry)]


def _from_findings(graph: Graph, findings: Iterable[Finding]) -> Iterator[dict[str, Any]]:
    for finding in findings:
        node = graph.node(finding.place.node or "")
        if finding.code in BLOCKING:
            yield {
                "node_id": finding.place.node,
                "node_type": node.type if node is not None else None,
                "property": finding.place.prop,
                "message": finding.message,
            }


def _unavailable(graph: Graph, registry: Registry) -> Iterator[dict[str, Any]]:
    for node in graph.nodes:
        reason = registry.unavailable(node.type)
        if reason is not None and not node.bypassed:
            message = f'Node "{node.id}": type "{node.type}" is {reason}.'
            yield {"node_id": node.id, "node_type": node.type, "property": None, "message": message}
        inner = inner_graph(graph, node) if not node.bypassed else None
        for issue in _unavailable(inner, registry) if inner is not None else ():
            message = f'In node "{node.id}": {issue["message"]}'
            yield {"node_id": node.id, "node_type": node.type, "property": None, "message": message}
