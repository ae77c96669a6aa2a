"""Target resolution (spec: harness 1)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from greenrun.oracle.host import FunctionUntrusted
from greenrun.oracle.resolve import resolve
from greenrun.oracle.target import (
    TargetError,
    target_from_document,
    target_from_json,
    target_from_workflow_file,
)
from greenrun.workflows.functions import FunctionImportError, FunctionMissing, FunctionPorts
from simulated import MemoryHost, button, codes, document, form, graph, operation, play, widget


def bundle(**more: Any) -> dict[str, Any]:
    return {
        "schemaVersion": 1,
        "name": "Packed",
        "app": document(form()),
        "workflows": [{"key": "wf1", "name": "One", "graph": graph(answer="HI")}],
        **more,
    }


@pytest.mark.case("HA-1.2-1")
async def test_a_posted_bundle_is_resolved_as_a_bundle() -> None:
    target = target_from_document(bundle())
    assert (target.info.source, target.info.workflow_id, target.app_name) == ("bundle", None, "Packed")
    assert target.operations_reference_keys
    assert target_from_document({"app": document(form())}).info.source == "bundle"
    host = MemoryHost({})
    report = await play(target, host=host)
    assert report.verdict.ok
    assert host.loads == []
    assert host.specs[0].workflow_id is None


@pytest.mark.case("HA-6.1-6", "AR-9.3-1")
async def test_a_document_as_json_text_and_a_bundle_without_operations() -> None:
    assert target_from_document(json.dumps(document(form()))).document is not None
    broken = target_from_document("{")
    assert broken.document is None
    assert "not JSON" in str(broken.issue)
    packed = bundle(app=document(form(), []))
    assert [item.id for item in target_from_document(packed).operations] == ["main"]
    two = bundle(app=document(form(), []), workflows=[{"key": key, "name": key, "graph": graph()} for key in "ab"])
    assert target_from_document(two).operations == ()
    assert target_from_document(document(form(), [])).operations == ()


@pytest.mark.parametrize(
    ("value", "fact"),
    [
        (7, "no JSON object"),
        ({"schemaVersion": 99, "ui": {}}, "99"),
        ({"x": 1}, '"ui"'),
        ({"ui": {"root": {}}}, '"content"'),
    ],
)
def test_a_document_that_cannot_be_read_says_what_is_missing(value: Any, fact: str) -> None:
    target = target_from_document(value)
    assert target.document is None
    assert fact in str(target.issue)


async def test_a_bundle_that_cannot_be_read_is_red() -> None:
    report = await play(target_from_document({"app": {}, "schemaVersion": 1}))
    assert codes(report) == ["GR101"]


def test_a_workflow_file_carries_its_app() -> None:
    file = {"id": "wf-7", "name": "Seven", "graph": graph(), "app_doc": document(form(), []), "params": {"prompt": "x"}}
    target = target_from_json(file, "seven.json")
    assert (target.info.source, target.info.workflow_id, target.app_name) == ("json", "wf-7", "Seven")
    assert target.file_params == {"prompt": "x"}
    assert [item.workflow_id for item in target.operations] == ["wf-7"]
    text = target_from_json({**file, "app_doc": json.dumps(file["app_doc"])}, "seven.json")
    assert text.document is not None


@pytest.mark.parametrize(
    ("app_doc", "fact"), [(None, "no app yet"), ("", "no app yet"), ("{nope", "not JSON"), ({"x": 1}, '"ui"')]
)
def test_a_workflow_file_without_a_usable_app_says_why(app_doc: Any, fact: str) -> None:
    target = target_from_workflow_file({**graph(), "app_doc": app_doc}, "flow.json")
    assert target.document is None
    assert fact in str(target.issue)


@pytest.mark.parametrize("value", [[], {"nodes": []}, {"graph": {"edges": []}}, "text"])
def test_json_of_another_kind_is_wrong_use(value: Any) -> None:
    with pytest.raises(TargetError, match=r"thing\.json"):
        target_from_json(value, "thing.json")


async def test_the_params_of_a_workflow_file_are_used() -> None:
    host = MemoryHost({})
    file = {"id": "wf-7", "graph": graph(answer="HI"), "app_doc": document(form(), [operation(workflow="")])}
    target = target_from_json({**file, "params": {"prompt": "from file"}}, "seven.json")
    await play(target, host=host)
    await play(target, host=host, params={"prompt": "from caller"})
    assert [spec.params["prompt"] for spec in host.specs] == ["from file", "from caller"]
    assert host.specs[0].workflow_id == "wf-7"


@pytest.mark.case("HA-1.4-1")
async def test_a_bare_name_belongs_to_the_first_operation() -> None:
    stored = graph()
    stored["nodes"][2]["data"]["name"] = "outA"
    doc = document([widget("Text", "T", binding="outA")], [operation("draft"), operation("publish")])
    resolved = await resolve(target_from_document(doc), MemoryHost({"wf1": stored}))
    assert resolved.app is not None
    assert resolved.app.default_operation_id == "draft"
    assert resolved.app.widgets[0].state_key == "draft:out1"


@pytest.mark.case("HA-1.4-2")
async def test_a_missing_workflow_leaves_the_other_operations_their_io() -> None:
    doc = document(form(), [operation(), operation("lost", "nowhere")])
    resolved = await resolve(target_from_document(doc), MemoryHost({"wf1": graph()}))
    assert resolved.app is not None
    first, lost = resolved.app.operations
    assert first.surface is not None
    assert "nowhere" in str(lost.unavailable)
    assert "lost" in str(lost.unavailable)


@pytest.mark.case("HA-1.4-3")
async def test_an_error_beside_an_unknown_operation_is_red_and_the_reason_is_listed() -> None:
    content = form()
    content[2]["props"]["binding"] = "op:main/out:gone"
    doc = document(content, [operation(), operation("second", "wf2")])
    report = await play(doc, {"wf1": graph(answer="HI"), "wf2": OSError("disk gone")})
    assert report.verdict.status == "red"
    assert [reason.code for reason in report.verdict.reasons] == ["GR902"]
    assert "second" in report.verdict.reasons[0].message


class FunctionsHost(MemoryHost):
    """Answers for functions as its table says."""

    async def function_ports(self, function: str) -> FunctionPorts:
        answers: dict[str, Exception] = {
            "mod:f": FunctionImportError("mod:f", "mod.py raised ValueError at import"),
            "os:system": FunctionMissing("os:system", "there is no function os:system in this workspace"),
            "mod:later": FunctionUntrusted("trust it first"),
            "mod:odd": OSError("no worker"),
        }
        raise answers[function]

    def function_sources(self, function: str) -> dict[str, str]:
        return {}


@pytest.mark.case("HA-1.4-4")
@pytest.mark.parametrize(
    ("function", "status", "code"),
    [
        ("mod:f", "check_failed", "GR903"),
        ("mod:later", "check_failed", "GR904"),
        ("mod:odd", "check_failed", "GR902"),
        ("os:system", "red", "GR401"),
    ],
)
async def test_a_function_that_cannot_be_resolved(function: str, status: str, code: str) -> None:
    target = {"kind": "function", "function": function}
    doc = document([button("Go", "main")], [{**operation(workflow=""), "target": target}])
    report = await play(doc, host=FunctionsHost({}))
    assert report.verdict.status == status
    found = [reason.code for reason in report.verdict.reasons] + codes(report)
    assert code in found


@pytest.mark.case("HA-1.4-5")
async def test_each_pinned_version_is_loaded_once_and_is_the_one_that_runs() -> None:
    class Versions(MemoryHost):
        async def load_workflow(self, workflow_id: str, version: int | float | None) -> Any:
            self.loads.append((workflow_id, version))
            return graph(answer=f"version {version}")

    operations = [operation(f"op{version}", workflowVersion=version) for version in (1, 2)]
    content = [button("Go", "op1", "op2")]
    content += [widget("Text", f"T{version}", binding=f"op:op{version}/out:out1") for version in (1, 2)]
    host = Versions({})
    report = await play(document(content, operations), host=host)
    assert [version for _, version in host.loads] == [1, 2]
    assert (report.values["result"], report.values["op2.result"]) == ("version 1", "version 2")


async def test_a_failing_loader_is_asked_once_for_each_version() -> None:
    operations = [operation("a", "bad"), operation("b", "bad")]
    host = MemoryHost({"bad": OSError("down")})
    resolved = await resolve(target_from_document(document([], operations)), host)
    assert len(host.loads) == 1
    assert len(resolved.reasons) == 2


async def test_a_script_operation_is_unavailable_with_its_reason() -> None:
    target = {"kind": "script", "scriptId": "s1", "scriptVersion": 3}
    report = await play(document([button("Go", "main")], [{**operation(workflow=""), "target": target}]))
    assert "GR401" in codes(report)
    assert "JavaScript" in report.verdict.headline


async def test_the_closure_follows_the_graph_and_the_snapshot_does_not() -> None:
    first = await play(document(form()), {"wf1": graph(answer="HI")})
    second = await play(document(form()), {"wf1": graph(answer="HO")})
    assert first.snapshot == second.snapshot
    assert first.closure != second.closure
    assert (await play(document(form()), {"wf1": graph(answer="HI")})).closure == first.closure
