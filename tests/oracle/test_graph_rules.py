from __future__ import annotations

from typing import Any

import pytest
from check_samples import open_app, quiet

from greenrun.document.findings import Finding
from greenrun.instances.app import AppOperation, build_app
from greenrun.oracle.check import CheckOptions, check
from greenrun.oracle.rules.graph_rules import findings_of
from greenrun.workflows.graph import load_graph
from greenrun.workflows.registry import default_registry
from greenrun.workflows.surface import extract_surface
from greenrun.workflows.validation import validate_graph

REGISTRY = default_registry()
NODES = [
    {"id": "in1", "type": "nodetool.input.StringInput", "data": {"name": "prompt", "value": ""}},
    {"id": "out1", "type": "nodetool.output.Output", "data": {"name": "result"}},
]
EDGE = {"id": "e", "source": "in1", "sourceHandle": "output", "target": "out1", "targetHandle": "value"}


def graph_findings(nodes: list[Any], edges: list[Any], *, fixes: bool = True) -> list[Finding]:
    graph = load_graph({"nodes": nodes, "edges": edges})
    app, diagnostics = open_app(quiet())
    surface = extract_surface(graph, REGISTRY)
    item = AppOperation(app.operations[0].operation, surface, graph=graph, graph_key="wf")
    options = CheckOptions(graph_findings=findings_of(REGISTRY), fixes=fixes)
    found = check(build_app(app.document, [item]), diagnostics=diagnostics, options=options)
    return [finding for finding in found if finding.code.startswith("GR6")]


def test_sound_graph_has_no_finding() -> None:
    assert graph_findings(NODES, [EDGE]) == []


@pytest.mark.parametrize(
    ("nodes", "edges", "code"),
    [
        ([*NODES, {"type": "nodetool.constant.String", "data": {"value": "x"}}], [EDGE], "GR601"),
        ([*NODES, NODES[0]], [EDGE], "GR602"),
        ([*NODES, {"id": "x", "type": "no.such.Node", "data": {}}], [EDGE], "GR603"),
        (NODES, [EDGE, {**EDGE, "id": "f", "target": "gone"}], "GR617"),
        (NODES, [{**EDGE, "sourceHandle": None}], "GR618"),
        (NODES, [{**EDGE, "targetHandle": "valeu"}], "GR619"),
    ],
)
def test_structural_fault_names_the_operation_and_keeps_its_place(nodes: Any, edges: Any, code: str) -> None:
    found = [item for item in graph_findings(nodes, edges) if item.code == code]
    assert len(found) == 1
    assert found[0].place.operation == "main"
    assert 'operation "main"' in found[0].message


def test_graph_fix_names_its_workflow() -> None:
    (found,) = graph_findings(NODES, [{**EDGE, "targetHandle": "valeu"}])
    assert [fix.graph for fix in found.fixes] == ["wf"]
    (found,) = graph_findings(NODES, [{**EDGE, "targetHandle": "valeu"}], fixes=False)
    assert found.fixes == ()


def test_other_faults_are_left_to_the_validation_of_the_graph() -> None:
    edges = [EDGE, {**EDGE, "id": "f"}]
    report = validate_graph(load_graph({"nodes": NODES, "edges": edges}), REGISTRY)
    assert [item.code for item in report.findings] == ["GR615"]
    assert graph_findings(NODES, edges) == []
