"""Bundles: cases of app-runtime 14 and the implicit operation of 9.3."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from greenrun.document.bundles import (
    Bundle,
    BundledFunctions,
    CarriedScript,
    CarriedWorkflow,
    Export,
    apply_bundle,
    bundle_from_application,
    bundle_operations,
    parse_bundle,
    pin_script_versions,
    serialize_bundle,
)
from greenrun.document.model import Document, FunctionTarget, ScriptTarget
from greenrun.document.parse import create_empty_document, parse_document

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
GRAPH: dict[str, Any] = {"nodes": [{"id": "n", "type": "t"}], "edges": [], "own": 1}
SCRIPT = {"code": "x", "inputs": [{"name": "a", "type": "str"}], "outputs": [], "own": 2, "schemaVersion": 1}
WORKFLOWS = [
    CarriedWorkflow("wf-1", "Draft copy", GRAPH, version=3, graph_hash="hash-1"),
    CarriedWorkflow("wf-2", "Refine copy", GRAPH),
]


def parsed(value: dict[str, Any]) -> Document:
    document = parse_document(value).document
    assert document is not None
    return document


def document(*workflow_ids: str, **members: Any) -> Document:
    operations = [
        {"id": f"op{n}", "workflowId": id_, "inputs": {"n": {"from": "widget"}}, "own": n}
        for n, id_ in enumerate(workflow_ids)
    ]
    return parsed(create_empty_document("App") | {"operations": operations} | members)


def functions(*names: str) -> Document:
    operations = [{"id": name, "target": {"kind": "function", "function": name}} for name in names]
    return parsed(create_empty_document() | {"operations": operations})


def bundled(export: Export) -> Bundle:
    """The bundle after a round through text."""
    bundle = parse_bundle(json.loads(serialize_bundle(export.bundle))).bundle
    assert bundle is not None
    assert bundle.to_json() == export.bundle.to_json()
    return bundle


def workflow_ids(document: Document) -> list[str]:
    return [operation.workflow_id for operation in document.operations]


@pytest.mark.case("AR-14.3-1")
def test_export_names_workflows_by_keys_and_leaves_the_source_alone():
    source = document("wf-1", "wf-2")
    before = copy.deepcopy(source.stored)
    export = bundle_from_application("App", source, WORKFLOWS, description="about")
    entries = export.bundle.to_json()["workflows"]
    assert [entry["key"] for entry in entries] == ["draft-copy", "refine-copy"]
    assert workflow_ids(export.bundle.app) == ["draft-copy", "refine-copy"]
    assert [(entry["version"], entry["graphHash"]) for entry in entries] == [(3, "hash-1"), (None, None)]
    assert source.stored == before
    assert (export.bundle.name, export.bundle.description, export.unresolved) == ("App", "about", ())


@pytest.mark.case("AR-14.3-2")
def test_keys_are_given_once_per_id_in_order():
    again = [*WORKFLOWS, WORKFLOWS[0], CarriedWorkflow("wf-3", "Draft copy", GRAPH)]
    export = bundle_from_application("App", document(), again)
    assert [entry.key for entry in export.bundle.workflows] == ["draft-copy", "refine-copy", "draft-copy-2"]


@pytest.mark.case("AR-14.3-3")
def test_what_is_not_carried_is_left_and_listed():
    export = bundle_from_application("App", document("wf-1", "wf-2", "wf-2", ""), WORKFLOWS[:1])
    assert workflow_ids(export.bundle.app) == ["draft-copy", "wf-2", "wf-2", ""]
    assert [item.to_json() for item in export.unresolved] == [
        {"kind": "workflow", "id": "wf-2", "operationId": "op1"},
    ]


@pytest.mark.case("AR-14.3-4")
def test_source_id_survives_and_is_absent_or_dropped_otherwise():
    carried = [
        CarriedWorkflow("a", "A", GRAPH, source_id="nodetool-base/Image Enhance", description="d"),
        CarriedWorkflow("b", "B", GRAPH),
    ]
    bundle = bundled(bundle_from_application("App", document(), carried))
    first, second = bundle.to_json()["workflows"]
    assert (first["sourceId"], first["description"]) == ("nodetool-base/Image Enhance", "d")
    assert "sourceId" not in second
    assert "description" not in second
    raw = bundle.to_json()
    raw["workflows"][0]["sourceId"] = ""
    again = parse_bundle(raw).bundle
    assert again is not None
    assert "sourceId" not in again.to_json()["workflows"][0]


def script_document(version: int = 4) -> Document:
    target = {"kind": "script", "scriptId": "script-row-1", "scriptVersion": version, "own": 1}
    return parsed(create_empty_document() | {"operations": [{"id": "s", "workflowId": "", "target": target}]})


@pytest.mark.case("AR-14.3-5")
def test_script_is_named_by_its_key():
    scripts = [CarriedScript("script-row-1", "Shout", SCRIPT, version=4, source_id="x")]
    export = bundle_from_application("App", script_document(), scripts=scripts)
    assert export.bundle.scripts[0].key == "shout"
    assert export.bundle.app.operations[0].target == ScriptTarget("shout", 4)
    assert export.bundle.app.stored["operations"][0]["target"]["own"] == 1


def test_script_that_is_not_carried_is_listed():
    export = bundle_from_application("App", script_document())
    assert [(item.kind, item.id) for item in export.unresolved] == [("script", "script-row-1")]


@pytest.mark.case("AR-14.3-6")
def test_source_of_functions_is_carried_once():
    source = functions("mod:f", "mod:g")
    export = bundle_from_application("App", source, functions={"mod": "def f(): ...", "other": "x"})
    assert export.bundle.to_json()["functions"] == [{"module": "mod", "source": "def f(): ..."}]
    assert export.bundle.app is source
    assert export.unresolved == ()


@pytest.mark.case("AR-14.3-6")
def test_functions_without_source_are_listed():
    export = bundle_from_application("App", functions("mod:f", "mod:g"))
    assert export.bundle.functions == ()
    assert [(item.kind, item.id) for item in export.unresolved] == [("function", "mod:f"), ("function", "mod:g")]


def test_explicit_workflow_target_is_rewritten_with_its_version():
    target = {"kind": "workflow", "workflowId": "wf-1", "workflowVersion": 4, "own": 1}
    source = document(operations=[{"id": "m", "workflowId": "", "target": target}, "junk"])
    stored = bundle_from_application("App", source, WORKFLOWS).bundle.app.stored["operations"]
    assert stored == [
        {
            "id": "m",
            "workflowId": "draft-copy",
            "workflowVersion": 4,
            "target": {"kind": "workflow", "workflowId": "draft-copy", "own": 1},
        },
        "junk",
    ]


def test_exported_envelope_names_its_workflow_in_native_shape():
    legacy = parse_document({"version": 2, "data": create_empty_document()["ui"]}, "wf-1").document
    assert legacy is not None
    app = bundle_from_application("App", legacy, WORKFLOWS[:1]).bundle.app
    assert (app.stored["schemaVersion"], workflow_ids(app)) == (4, ["draft-copy"])


@pytest.mark.case("AR-14.4-1")
def test_export_and_import_give_the_same_app_on_new_ids():
    source = document("wf-1", "wf-2")
    bundle = bundled(bundle_from_application("App", source, WORKFLOWS))
    imported = apply_bundle(bundle, new_workflow_id=lambda entry, index: f"new-{index + 1}")
    assert workflow_ids(imported.document) == ["new-1", "new-2"]
    assert [(new_id, entry.name, entry.graph) for new_id, entry in imported.workflows] == [
        ("new-1", "Draft copy", GRAPH),
        ("new-2", "Refine copy", GRAPH),
    ]
    assert [item.inputs for item in imported.document.operations] == [item.inputs for item in source.operations]
    assert imported.document.ui == source.ui
    assert (imported.name, imported.description, imported.unresolved) == ("App", "", ())


@pytest.mark.case("AR-14.4-2")
def test_uncarried_workflow_stays_and_is_listed_on_import():
    bundle = bundled(bundle_from_application("App", document("wf-1", "wf-2"), WORKFLOWS[:1]))
    imported = apply_bundle(bundle, new_workflow_id=lambda entry, index: "new")
    assert workflow_ids(imported.document) == ["new", "wf-2"]
    assert [item.id for item in imported.unresolved] == ["wf-2"]


def test_ids_are_random_uuids_without_a_minter():
    scripts = [CarriedScript("script-row-1", "Shout", SCRIPT)]
    bundle = bundled(bundle_from_application("App", script_document(), WORKFLOWS, scripts))
    imported = apply_bundle(bundle)
    ids = {UUID(new_id) for new_id, _ in (*imported.workflows, *imported.scripts)}
    assert len(ids) == 3


@pytest.mark.case("AR-14.4-3")
def test_module_with_other_source_gets_a_free_name():
    bundle = bundled(bundle_from_application("App", functions("mod:f"), functions={"mod": "new"}))
    imported = apply_bundle(bundle, modules={"mod": "old"})
    (entry,) = imported.functions
    assert (entry.module, entry.source, entry.bundled_as, entry.reused) == ("mod_2", "new", "mod", False)
    stored = imported.document.stored["operations"][0]
    assert stored["target"] == {"kind": "function", "function": "mod_2:f"}
    assert stored["workflowId"] == "function:mod_2:f"
    assert imported.document.operations[0].target == FunctionTarget("mod_2:f")


def test_module_with_equal_source_is_reused():
    bundle = bundled(bundle_from_application("App", functions("mod:f"), functions={"mod": "same"}))
    imported = apply_bundle(bundle, modules={"mod": "same"})
    assert [(entry.module, entry.reused) for entry in imported.functions] == [("mod", True)]
    assert imported.document is bundle.app


def test_renamed_module_is_found_again_on_a_second_import():
    bundle = bundled(bundle_from_application("App", functions("mod:f"), functions={"mod": "new"}))
    imported = apply_bundle(bundle, modules={"mod": "old", "mod_2": "new"})
    assert [(entry.module, entry.reused) for entry in imported.functions] == [("mod_2", True)]


def test_renamed_module_never_takes_the_name_of_another_of_the_bundle():
    carried = (BundledFunctions("mod", "new"), BundledFunctions("mod_2", "two"))
    bundle = Bundle("App", "", functions("mod:f", "mod_2:g"), functions=carried)
    imported = apply_bundle(bundle, modules={"mod": "old"})
    assert [entry.module for entry in imported.functions] == ["mod_3", "mod_2"]


def test_function_named_by_its_sentinel_only_is_renamed_too():
    source = document("function:mod:f")
    bundle = Bundle("App", "", source, functions=(BundledFunctions("mod", "new"),))
    imported = apply_bundle(bundle, modules={"mod": "old"})
    assert imported.document.operations[0].target == FunctionTarget("mod_2:f")


@pytest.mark.case("AR-14.4-4")
def test_script_gets_a_new_id_and_its_version_can_be_pinned():
    scripts = [CarriedScript("script-row-1", "Shout", SCRIPT)]
    bundle = bundled(bundle_from_application("App", script_document(4), scripts=scripts))
    imported = apply_bundle(bundle, new_script_id=lambda entry, index: "new-script-id")
    assert imported.document.operations[0].target == ScriptTarget("new-script-id", 4)
    pinned = pin_script_versions(imported.document, {"new-script-id": 7})
    assert pinned.operations[0].target == ScriptTarget("new-script-id", 7)
    assert imported.document.operations[0].target == ScriptTarget("new-script-id", 4)


@pytest.mark.parametrize("versions", [{}, {"other": 9}, {"script-row-1": 4}])
def test_pinning_what_is_pinned_changes_nothing(versions: dict[str, int]):
    source = script_document(4)
    assert pin_script_versions(source, versions) is source


def test_pinning_without_a_list_of_operations_changes_nothing():
    source = document(operations="junk")
    assert pin_script_versions(source, {"s": 1}) is source
    assert bundle_from_application("App", source, WORKFLOWS).bundle.app is source


@pytest.mark.case("AR-14.5-1")
@pytest.mark.parametrize("value", [None, [], {"app": {}}, {"schemaVersion": 2, "app": create_empty_document()}])
def test_what_is_no_bundle_gives_none_and_a_reason(value: object):
    result = parse_bundle(value)
    assert result.bundle is None
    assert [item.kind for item in result.diagnostics] == ["no_document"]
    assert result.diagnostics[0].message


@pytest.mark.case("AR-14.5-1")
def test_defaults_of_a_bundle_and_dropped_entries():
    workflows = [
        {"key": "ok", "graph": GRAPH, "version": "1", "graphHash": 2, "description": 3},
        {"key": "", "graph": GRAPH},
        {"graph": GRAPH},
        {"key": "no-graph"},
        {"key": "no-edges", "graph": {"nodes": []}},
        {"key": "no-nodes", "graph": {"edges": []}},
        "junk",
    ]
    result = parse_bundle({"app": create_empty_document(), "workflows": workflows, "scripts": 7})
    assert result.bundle is not None
    assert result.bundle.to_json() == {
        "schemaVersion": 1,
        "name": "Untitled app",
        "description": "",
        "app": create_empty_document(),
        "workflows": [{"key": "ok", "name": "ok", "graph": GRAPH, "version": None, "graphHash": None}],
        "scripts": [],
        "functions": [],
    }
    assert [item.data["index"] for item in result.diagnostics] == [1, 2, 3, 4, 5, 6]
    assert {item.kind for item in result.diagnostics} == {"entry_dropped"}


@pytest.mark.case("AR-14.5-1", "AR-14.5-3")
def test_legacy_app_has_no_operations_and_version_4():
    result = parse_bundle({"app": {"version": 1, "data": create_empty_document()["ui"]}})
    assert result.bundle is not None
    assert (result.bundle.app.operations, result.bundle.app.schema_version) == ((), 4)


@pytest.mark.case("AR-14.5-2")
@pytest.mark.parametrize(
    "document",
    [
        {"code": ""},
        {"code": "", "inputs": [], "outputs": [{"name": "a"}]},
        {"code": "", "inputs": ["a"], "outputs": []},
        {"code": 1, "inputs": [], "outputs": []},
        {"code": "", "inputs": {}, "outputs": []},
        "junk",
    ],
)
def test_script_without_its_contract_is_dropped(document: object):
    result = parse_bundle({"app": create_empty_document(), "scripts": [{"key": "k", "document": document}]})
    assert result.bundle is not None
    assert result.bundle.scripts == ()
    assert len(result.diagnostics) == 1


def test_script_document_keeps_unknown_keys_and_gets_a_version():
    unversioned = {key: value for key, value in SCRIPT.items() if key != "schemaVersion"}
    raw = {"key": "k", "name": "N", "document": unversioned, "version": 2, "sourceId": "s", "own": 3}
    result = parse_bundle({"app": create_empty_document(), "scripts": [raw, {"document": SCRIPT}]})
    assert result.bundle is not None
    assert result.bundle.to_json()["scripts"] == [{**raw, "document": SCRIPT}]
    versioned = {**SCRIPT, "schemaVersion": 3}
    again = parse_bundle({"app": create_empty_document(), "scripts": [{"key": "k", "document": versioned}]}).bundle
    assert again is not None
    assert again.scripts[0].document is versioned


@pytest.mark.case("AR-14.5-2")
def test_functions_need_a_module_name_and_source():
    entries = [
        {"module": "a b"},
        {"module": "m", "source": "x=1", "own": 1},
        {"module": "a b", "source": ""},
        {"module": "../m", "source": ""},
        {"module": "", "source": ""},
        {"module": "m:f", "source": ""},
        {"module": 1, "source": ""},
        {"module": "pkg.mod", "source": ""},
    ]
    result = parse_bundle({"app": create_empty_document(), "functions": entries})
    assert result.bundle is not None
    assert [item.module for item in result.bundle.functions] == ["m", "pkg.mod"]
    assert result.bundle.to_json()["functions"][0] == {"module": "m", "source": "x=1", "own": 1}
    assert len(result.diagnostics) == 6


def test_no_scripts_key_gives_an_empty_list():
    result = parse_bundle({"app": create_empty_document()})
    assert result.bundle is not None
    assert (result.bundle.scripts, result.bundle.functions, result.diagnostics) == ((), (), ())


def test_unknown_keys_of_bundle_and_entries_survive():
    raw = {
        "schemaVersion": 1,
        "name": "N",
        "description": "D",
        "app": create_empty_document(),
        "workflows": [{"key": "k", "name": "n", "graph": GRAPH, "version": 1, "graphHash": "h", "own": {"a": 1}}],
        "scripts": [],
        "functions": [],
        "license": "MIT",
    }
    bundle = parse_bundle(raw).bundle
    assert bundle is not None
    assert bundle.to_json() == raw
    assert serialize_bundle(bundle).endswith("}\n")
    assert json.loads(serialize_bundle(bundle)) == raw


def one_workflow(*keys: str, **app: Any) -> Bundle:
    raw = {
        "app": create_empty_document() | app,
        "workflows": [{"key": key, "graph": GRAPH} for key in keys],
    }
    bundle = parse_bundle(raw).bundle
    assert bundle is not None
    return bundle


@pytest.mark.case("AR-9.3-1")
def test_bundle_without_operations_runs_the_one_workflow_that_it_carries():
    (operation,) = bundle_operations(one_workflow("only"))
    assert (operation.id, operation.name, operation.workflow_id, operation.policy) == ("main", "Run", "only", "replace")


@pytest.mark.case("AR-9.3-1")
def test_bundle_without_operations_and_two_workflows_runs_nothing():
    assert bundle_operations(one_workflow("a", "b")) == ()
    assert bundle_operations(one_workflow()) == ()
    declared = one_workflow("a", operations=[{"id": "x", "workflowId": "a"}])
    assert bundle_operations(declared) == declared.app.operations


@pytest.mark.parametrize("app", [{}, {"operations": "junk"}, {"schemaVersion": 3}])
def test_implicit_operation_is_written_down_on_import(app: dict[str, Any]):
    imported = apply_bundle(one_workflow("only", **app), new_workflow_id=lambda entry, index: "new")
    assert imported.document.stored["operations"] == [
        {"id": "main", "name": "Run", "workflowId": "new", "inputs": {}, "outputs": {}, "policy": "replace"}
    ]


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.app.json")), ids=lambda path: path.stem)
def test_bundles_from_elsewhere_are_written_as_they_were_read(path: Path):
    raw = json.loads(path.read_text(encoding="utf-8"))
    result = parse_bundle(raw)
    assert result.bundle is not None
    written = result.bundle.to_json()
    assert written == {"scripts": [], "functions": [], **raw, "workflows": written["workflows"]}
    defaults = {"version": None, "graphHash": None}
    assert written["workflows"] == [{**defaults, **entry} for entry in raw["workflows"]]
    assert json.loads(serialize_bundle(result.bundle)) == written
