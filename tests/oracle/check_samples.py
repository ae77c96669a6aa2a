"""Small apps for the tests of the static check: an app without findings, and parts to change in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from greenrun.document.findings import Finding, Reason
from greenrun.document.parse import parse_document
from greenrun.document.surface import Port, Surface
from greenrun.instances.app import App, AppOperation, build_app
from greenrun.oracle.check import CheckOptions, check

INPUT = "nodetool.input."
OUTPUT = "nodetool.output.Output"


def port(node: str, type_: str, name: str, **more: Any) -> Port:
    return Port(node, type_, name, name.capitalize(), **more)


TEXT = Surface(
    inputs=(port("in1", f"{INPUT}StringInput", "prompt", default=""),),
    outputs=(port("out1", OUTPUT, "result"),),
    node_ids=("in1", "t1", "out1"),
    properties={"t1": frozenset({"prompt", "strength"}), "in1": frozenset({"name", "value"}), "out1": None},
    fed={"t1": frozenset({"prompt"}), "out1": frozenset({"value"})},
)
IMAGE = Surface(
    inputs=(port("pic", f"{INPUT}ImageInput", "picture"),),
    outputs=(port("out1", OUTPUT, "result"),),
    node_ids=("pic", "out1"),
)
NUMBER = Surface(
    inputs=(port("n1", f"{INPUT}IntegerInput", "count", default=5, minimum=3, maximum=30),),
    outputs=(port("out1", OUTPUT, "result"),),
    node_ids=("n1", "out1"),
)


def with_default(surface: Surface, value: Any) -> Surface:
    return replace(surface, inputs=(replace(surface.inputs[0], default=value), *surface.inputs[1:]))


def widget(type_: str, id_: str | None, **props: Any) -> dict[str, Any]:
    own = {} if id_ is None else {"id": id_}
    return {"type": type_, "props": {**own, **props}}


def run_event(operation: str | None = "main", trigger: str = "click", **more: Any) -> dict[str, Any]:
    target = {} if operation is None else {"operationId": operation}
    return {"trigger": trigger, "kind": "run", **target, **more}


def when(binding: str, op: str | None = None, **more: Any) -> dict[str, Any]:
    return {"binding": binding, **({} if op is None else {"op": op}), **more}


def operation(id_: str = "main", workflow: str = "wf", **more: Any) -> dict[str, Any]:
    return {"id": id_, "name": id_, "workflowId": workflow, "inputs": {}, "outputs": {}, "policy": "replace", **more}


def feedback(operation_id: str = "main") -> list[dict[str, Any]]:
    """The Progress and the Alert that keep rules 14 and 15 silent."""
    return [
        widget("Progress", f"progress-{operation_id}", binding=f"op:{operation_id}/exec#progress"),
        widget("Alert", f"alert-{operation_id}", binding=f"op:{operation_id}/exec#error"),
    ]


def field(**props: Any) -> dict[str, Any]:
    return widget("TextInput", "field", **{"label": "Prompt", "binding": "op:main/in:in1", **props})


def button(**props: Any) -> dict[str, Any]:
    return widget("Button", "go", **{"label": "Go", "events": [run_event()], **props})


def answer(**props: Any) -> dict[str, Any]:
    return widget("Markdown", "answer", **{"binding": "op:main/out:out1", **props})


def document(*content: Any, operations: Sequence[Any] | None = None, **more: Any) -> dict[str, Any]:
    zones = more.pop("zones", {})
    return {
        "schemaVersion": 4,
        "ui": {"root": {"props": {"title": "Demo"}}, "content": list(content), "zones": zones},
        "operations": [operation()] if operations is None else list(operations),
        "resources": more.pop("resources", []),
        "variables": more.pop("variables", []),
        **more,
    }


def quiet(*extra: Any, without: Sequence[str] = (), **more: Any) -> dict[str, Any]:
    """An app without any finding, with widgets added, replaced by id, or left out."""
    parts = {part["props"]["id"]: part for part in (field(), button(), answer(), *feedback())}
    added = []
    for part in extra:
        id_ = part["props"].get("id") if isinstance(part, dict) and isinstance(part.get("props"), dict) else None
        if id_ in parts:
            parts[id_] = part
        else:
            added.append(part)
    kept = [part for id_, part in parts.items() if id_ not in without]
    return document(*kept, *added, **more)


def open_app(
    stored: dict[str, Any],
    surfaces: Mapping[str, Surface | str | Reason] | Surface = TEXT,
    host: str | None = None,
) -> tuple[App, tuple[Any, ...]]:
    """The app over the given surfaces by operation id; a text makes an operation unavailable, a reason unknown."""
    parsed = parse_document(deepcopy(stored), host)
    assert parsed.document is not None
    items = []
    for each in parsed.document.operations:
        found = surfaces if isinstance(surfaces, Surface) else surfaces.get(each.id, TEXT)
        if isinstance(found, str):
            items.append(AppOperation(each, unavailable=found))
        elif isinstance(found, Reason):
            items.append(AppOperation(each, unknown=found))
        else:
            items.append(AppOperation(each, found))
    return build_app(parsed.document, items), parsed.diagnostics


def findings(
    stored: dict[str, Any],
    surfaces: Mapping[str, Surface | str | Reason] | Surface = TEXT,
    options: CheckOptions | None = None,
) -> list[Finding]:
    app, diagnostics = open_app(stored, surfaces)
    return check(app, diagnostics=diagnostics, options=options or CheckOptions())


def codes(
    stored: dict[str, Any],
    surfaces: Mapping[str, Surface | str | Reason] | Surface = TEXT,
    options: CheckOptions | None = None,
) -> list[str]:
    return [finding.code for finding in findings(stored, surfaces, options)]
