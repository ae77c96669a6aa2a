"""What a graph's nodes run besides: it has to be there, and it counts for the closure."""

from __future__ import annotations

from typing import Any

from app_folders import write_app
from greenrun.oracle.dependencies import Dependency, dependencies
from greenrun.workflows.graph import load_graph
from greenrun.workspace.project import Project, load
from simulated import document, form, graph

SOURCE = "from shared import LOUD\n\n\ndef shout(text: str) -> str:\n    return text.upper() + LOUD\n"


def calling(function: str = "mod:shout") -> dict[str, Any]:
    made = graph("greenrun.workflows.Function", function=function)
    made["nodes"][1] |= {"dynamic_properties": {"text": ""}, "dynamic_outputs": {"result": {"type": "str"}}}
    made["edges"][1]["sourceHandle"] = "result"
    return made


def nesting(workflow_id: str = "inner") -> dict[str, Any]:
    made = graph("nodetool.workflows.workflow_node.Workflow", workflow_id=workflow_id)
    made["nodes"][1] |= {"dynamic_properties": {"prompt": ""}, "dynamic_outputs": {"result": {"type": "str"}}}
    made["edges"][0]["targetHandle"] = "prompt"
    made["edges"][1]["sourceHandle"] = "result"
    return made


def project(tmp_path: Any, graphs: dict[str, Any], loud: str = "!") -> Project:
    functions = {"mod": SOURCE, "shared": f"LOUD = {loud!r}\n"}
    script = {"params": {"prompt": "hi"}, "interact": [{"click": "Go"}]}
    return load(write_app(tmp_path, document(form()), functions=functions, graphs=graphs, script=script))


def test_functions_and_workflows_are_found_at_every_depth() -> None:
    inner = calling()
    inner["nodes"].append(
        {"id": "w", "type": "nodetool.workflows.workflow_node.Workflow", "data": {"workflow_id": "x"}}
    )
    outer = graph("nodetool.workflows.subgraph.Subgraph", graph=inner)
    assert list(dependencies(load_graph(outer))) == [
        Dependency("t1/t1", function="mod:shout"),
        Dependency("t1/w", workflow_id="x"),
    ]


def test_a_bypassed_node_needs_nothing() -> None:
    made = calling()
    made["nodes"][1]["ui_properties"] = {"bypassed": True}
    assert list(dependencies(load_graph(made))) == []


def test_a_function_runs_as_a_node_and_its_source_counts_for_the_closure(tmp_path: Any) -> None:
    first = project(tmp_path / "a", {"wf1": calling()}).simulate()
    assert first.verdict.ok, first.verdict.headline
    assert first.values["result"] == "HI!"
    other = project(tmp_path / "b", {"wf1": calling()}, loud="?").simulate()
    assert other.values["result"] == "HI?"
    assert first.closure != other.closure


def test_a_workflow_runs_as_a_node_and_its_graph_counts_for_the_closure(tmp_path: Any) -> None:
    first = project(tmp_path / "a", {"wf1": nesting(), "inner": calling()}).simulate()
    assert first.verdict.ok, first.verdict.headline
    assert first.values["result"] == "HI!"
    plain = graph("nodetool.text.Template", string="{{ text }}?")
    plain["nodes"][1]["dynamic_properties"] = {"text": ""}
    other = project(tmp_path / "b", {"wf1": nesting(), "inner": plain}).simulate()
    assert other.values["result"] == "hi?"
    assert first.closure != other.closure


def test_what_a_node_names_and_is_not_there_makes_the_operation_unavailable(tmp_path: Any) -> None:
    missing = project(tmp_path / "a", {"wf1": calling("mod:whisper")}).check()
    assert missing.verdict.status == "red"
    assert 'node "t1"' in missing.verdict.headline
    assert "whisper" in missing.verdict.headline
    lost = project(tmp_path / "b", {"wf1": nesting("lost")}).check()
    assert lost.verdict.status == "red"
    assert '"lost"' in lost.verdict.headline


def test_a_node_whose_function_does_not_import_leaves_the_verdict_open(tmp_path: Any) -> None:
    broken = project(tmp_path, {"wf1": calling(), "other": graph()})
    (tmp_path / "workflows" / "shared.py").write_text("1 / 0\n", encoding="utf-8")
    report = broken.check()
    assert report.verdict.status == "check_failed"
    assert [reason.code for reason in report.verdict.reasons] == ["GR903"]


def test_a_workflow_inside_itself_is_looked_up_once(tmp_path: Any) -> None:
    report = project(tmp_path, {"wf1": nesting("wf1")}).simulate()
    assert report.verdict.status == "red"


def test_a_damaged_inner_workflow_leaves_the_verdict_open(tmp_path: Any) -> None:
    report = project(tmp_path, {"wf1": nesting(), "inner": "{"}).check()
    assert [reason.code for reason in report.verdict.reasons] == ["GR902"]


def test_functions_that_an_agent_may_call_count_too() -> None:
    made = graph("nodetool.agents.Agent", tools=["mod:shout", {"name": "other:f"}, "nodetool.text.Join"])
    assert [item.function for item in dependencies(load_graph(made))] == ["mod:shout", "other:f"]


def test_a_name_that_a_constant_brings_counts_too() -> None:
    made = graph("greenrun.workflows.Function")
    made["nodes"].append({"id": "c", "type": "nodetool.constant.String", "data": {"value": " mod:shout "}})
    made["edges"].append({"source": "c", "sourceHandle": "output", "target": "t1", "targetHandle": "function"})
    assert list(dependencies(load_graph(made))) == [Dependency("t1", function="mod:shout")]


def test_workflows_that_name_each_other_twice_are_looked_up_once_each(tmp_path: Any) -> None:
    def naming(other: str) -> dict[str, Any]:
        kind = "nodetool.workflows.workflow_node.Workflow"
        return {"nodes": [{"id": n, "type": kind, "data": {"workflow_id": other}} for n in "ab"], "edges": []}

    graphs = {"wf1": naming("w0"), **{f"w{n}": naming(f"w{n + 1}") for n in range(40)}, "w40": graph()}
    report = project(tmp_path, graphs).check(fixes=False)
    assert report.verdict.status in ("green", "red")
