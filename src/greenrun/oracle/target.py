"""What is being checked: an inline document, a bundle, or a workflow file that carries its app (spec: harness 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from greenrun.document.bundles import parse_bundle
from greenrun.document.errors import JsonReadError
from greenrun.document.js import is_list
from greenrun.document.json_text import MAX_DEPTH, is_too_deep, read_json
from greenrun.document.model import Document, Operation, implicit_operation
from greenrun.document.parse import Diagnostic, lift_legacy, parse_document
from greenrun.document.values import is_record, is_text

Source: TypeAlias = Literal["application", "bundle", "id", "json"]

_NO_DOCUMENT = "The posted document is not a valid application document: "

SELF = "self"
"""Stands for the host's own workflow in a posted document."""


@dataclass(frozen=True, slots=True)
class TargetInfo:
    """Where the target came from; counts are those of the host graph."""

    ref: str
    source: Source
    workflow_id: str | None = None
    node_count: int = 0
    edge_count: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "ref": self.ref,
            "source": self.source,
            "workflowId": self.workflow_id,
            "nodeCount": self.node_count,
            "edgeCount": self.edge_count,
        }


@dataclass(frozen=True, slots=True)
class Target:
    """A resolved target (spec: harness 1.1).

    `graphs` are the carried graphs by key, `functions` carried sources by module. `host_graph` stands in where an operation
    names no workflow; `implicit` is the operation of a document that declares none. `issue` says why `document` is None.
    """

    info: TargetInfo
    document: Document | None
    issue: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    app_doc: Any = None
    host_graph: Any | None = None
    graphs: Mapping[str, Any] = field(default_factory=lambda: {})
    scripts: Mapping[str, Any] = field(default_factory=lambda: {})
    functions: Mapping[str, str] = field(default_factory=lambda: {})
    file_params: Mapping[str, Any] = field(default_factory=lambda: {})
    operations_reference_keys: bool = False
    implicit: Operation | None = None
    app_name: str | None = None

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The declared operations, or the implicit one (spec: app-runtime 17.2)."""
        if self.document is None:
            return ()
        if self.document.operations:
            return self.document.operations
        return (self.implicit,) if self.implicit is not None else ()


class TargetError(Exception):
    """The reference itself is unusable: wrong use, not a verdict (spec: harness 1.3)."""


def target_from_document(value: object, ref: str = "inline-document", name: str | None = None) -> Target:
    """An inline document, a bundle, or the JSON text of one (spec: harness 1.2.1)."""
    if isinstance(value, str):
        try:
            value = read_json(value, source="the text").value
        except JsonReadError as error:
            return Target(
                TargetInfo(ref, "application"), None, f"{_NO_DOCUMENT}it is not JSON that can be read ({error})."
            )
    if is_too_deep(value):
        issue = f"{_NO_DOCUMENT}it is nested more than {MAX_DEPTH} levels deep."
        return Target(TargetInfo(ref, "application"), None, issue)
    if is_record(value) and is_record(value.get("app")):
        return target_from_bundle(value, ref)
    parsed = parse_document(value, SELF)
    info = TargetInfo(ref, "application")
    if parsed.document is None:
        return Target(info, None, _document_issue(value), parsed.diagnostics, value, app_name=name)
    return Target(info, parsed.document, None, parsed.diagnostics, value, app_name=name)


def target_from_bundle(value: dict[str, Any], ref: str) -> Target:
    """A bundle; operations name their workflows by bundle-local keys (spec: harness 1.2.3)."""
    parsed = parse_bundle(value)
    bundle = parsed.bundle
    if bundle is None:
        reasons = "; ".join(item.message for item in parsed.diagnostics) or "its app is not an application document"
        issue = f'The bundle "{ref}" cannot be read: {reasons}'
        return Target(TargetInfo(ref, "bundle"), None, issue, app_doc=value.get("app"))
    document = bundle.app
    graphs = {entry.key: entry.graph for entry in bundle.workflows}
    only = bundle.workflows[0].key if len(bundle.workflows) == 1 else None
    implicit = implicit_operation(only) if only is not None and not document.operations else None
    first = next((item.workflow_id for item in document.operations if item.workflow_id in graphs), only)
    host_graph = graphs.get(first) if first is not None else None
    return Target(
        info=replace(TargetInfo(ref, "bundle"), **_counts(host_graph)),
        document=document,
        diagnostics=parsed.diagnostics,
        app_doc=value["app"],
        host_graph=host_graph,
        graphs=graphs,
        scripts={entry.key: entry.document for entry in bundle.scripts},
        functions={entry.module: entry.source for entry in bundle.functions},
        operations_reference_keys=True,
        implicit=implicit,
        app_name=bundle.name,
    )


def target_from_workflow_file(value: dict[str, Any], ref: str) -> Target:
    """A workflow file that may carry its app as ``app_doc`` (spec: harness 1.2.4, 1.3).

    Raises:
        TargetError: The file holds no graph.
    """
    graph = value["graph"] if is_record(value.get("graph")) else value
    missing = [name for name in ("nodes", "edges") if not isinstance(graph.get(name), list)]
    if missing:
        wanted = " and ".join(f'"{name}"' for name in missing)
        raise TargetError(
            f'"{ref}" is no application document ("ui"), no bundle ("app") and no workflow file: {wanted} missing.'
        )
    workflow_id = next((value[key] for key in ("workflow_id", "id") if is_text(value.get(key))), SELF)
    info = replace(TargetInfo(ref, "json", workflow_id), **_counts(graph))
    params = value.get("params")
    name = value.get("name")
    base = Target(
        info=info,
        document=None,
        app_doc=value.get("app_doc"),
        host_graph=graph,
        file_params=params if is_record(params) else {},
        implicit=implicit_operation(workflow_id),
        app_name=name if isinstance(name, str) else None,
    )
    if value.get("app_doc") in (None, ""):
        return replace(
            base, issue=f'The workflow "{ref}" has no app yet: it carries no "app_doc". Build the app first.'
        )
    parsed = lift_legacy({"id": workflow_id, "app_doc": value["app_doc"]})
    if parsed.document is None:
        return replace(base, issue=_lift_issue(value["app_doc"], ref), diagnostics=parsed.diagnostics)
    return replace(base, document=parsed.document, diagnostics=parsed.diagnostics)


def target_from_json(value: object, ref: str) -> Target:
    """A file's content: bundle, document or workflow file (spec: harness 1.3.1).

    Raises:
        TargetError: The value is none of them.
    """
    if not is_record(value):
        raise TargetError(f'"{ref}" holds no JSON object, so it is no app, bundle or workflow file.')
    if is_record(value.get("app")):
        return target_from_bundle(value, ref)
    if "ui" in value or ("data" in value and "nodes" not in value and "graph" not in value):
        return target_from_document(value, ref)
    return target_from_workflow_file(value, ref)


def _counts(graph: Any | None) -> dict[str, int]:
    if not is_record(graph):
        return {"node_count": 0, "edge_count": 0}
    nodes, edges = graph.get("nodes"), graph.get("edges")
    return {
        "node_count": len(nodes) if is_list(nodes) else 0,
        "edge_count": len(edges) if is_list(edges) else 0,
    }


def with_host_graph(target: Target, workflow_id: str | None, graph: Any | None) -> Target:
    """The target with the host graph that its first loadable operation gave it (spec: harness 1.2)."""
    info = replace(target.info, workflow_id=workflow_id, **_counts(graph))
    return replace(target, info=info, host_graph=graph)


def _document_issue(value: object) -> str:
    start = _NO_DOCUMENT
    if not is_record(value):
        return f"{start}it is no JSON object."
    version = value.get("schemaVersion")
    if isinstance(version, (int, float)) and not isinstance(version, bool) and version > 5:
        return f"{start}its schemaVersion {version} is newer than 5, the newest that this version reads."
    missing = 'it has neither "ui" nor the older "data"' if not ({"ui", "data"} & value.keys()) else None
    return start + (missing or 'its "ui" needs an object "root" and a list "content"') + "."


def _lift_issue(app_doc: object, ref: str) -> str:
    if isinstance(app_doc, str):
        try:
            read_json(app_doc, source="it")
        except JsonReadError as error:
            return f'The app_doc of "{ref}" is text that is not JSON ({error}).'
    return f'The app_doc of "{ref}" has neither "ui" nor the older "data" with an object "root" and a list "content".'
