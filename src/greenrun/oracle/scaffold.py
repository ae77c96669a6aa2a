"""A first app for a workflow or a function: every input, a run button, progress, errors, every output (spec: app-runtime 17.7)."""

from __future__ import annotations

from typing import Any

from greenrun.document.model import BASE_VERSION, DEFAULT_OPERATION_ID, DEFAULT_OPERATION_NAME
from greenrun.document.readers import is_missing_required_media
from greenrun.document.refs import ExecutionRef, InputRef, OutputRef, encode
from greenrun.document.slugs import slug
from greenrun.document.surface import Port, Surface
from greenrun.oracle.rules.controls import display_of

STREAM_OUTPUT = "chunk"
"""The raw stream of a model node; its text output shows the same."""


def scaffold(
    title: str, surface: Surface, *, workflow_id: str | None = None, function: str | None = None
) -> dict[str, Any]:
    """An application document with one operation over that surface; exactly one of `workflow_id` and `function`.

    The app is green at birth: no finding is left, and a run starts from its button once required files are supplied.
    """
    operation: dict[str, Any] = {
        "id": DEFAULT_OPERATION_ID,
        "name": DEFAULT_OPERATION_NAME,
        "workflowId": workflow_id if function is None else f"function:{function}",
        "inputs": {},
        "outputs": {},
        "policy": "replace",
    }
    if function is not None:
        operation["target"] = {"kind": "function", "function": function}
    return {
        "schemaVersion": BASE_VERSION,
        "ui": {
            "root": {"props": {"title": title}},
            "content": [
                {
                    "type": "Columns",
                    "props": {
                        "id": "columns",
                        "gap": 24,
                        "left": [_panel("inputs", "Inputs", _inputs(surface))],
                        "right": [_panel("results", "Results", _results(surface))],
                    },
                }
            ],
            "zones": {},
        },
        "operations": [operation],
        "resources": [],
        "variables": [],
    }


def _component(type_: str, id_: str, **props: Any) -> dict[str, Any]:
    return {"type": type_, "props": {"id": id_, **props}}


def _panel(id_: str, title: str, content: list[dict[str, Any]]) -> dict[str, Any]:
    return _component("Container", f"panel-{id_}", title=title, content=content)


def _inputs(surface: Surface) -> list[dict[str, Any]]:
    ids = _Ids()
    widgets = [
        _component(
            "WorkflowInput",
            ids.free(f"in-{slug(port.name) or 'input'}"),
            binding=encode(InputRef(DEFAULT_OPERATION_ID, port.node_id)),
            label=_label(port),
            events=[],
        )
        for port in surface.inputs
    ]
    button: dict[str, Any] = {
        "label": "Run",
        "variant": "contained",
        "color": "primary",
        "events": [{"trigger": "click", "kind": "run", "operationId": DEFAULT_OPERATION_ID, "key": "", "value": ""}],
    }
    missing = [port for port in surface.inputs if is_missing_required_media(port, port.default)]
    if missing:
        button["disabledWhen"] = {"binding": encode(InputRef(DEFAULT_OPERATION_ID, missing[0].node_id)), "op": "empty"}
    return [*widgets, _component("Button", "btn-run", **button)]


def _results(surface: Surface) -> list[dict[str, Any]]:
    widgets = [
        _component("Progress", "progress-run", label="Working…", binding=_execution("progress")),
        _component(
            "Alert",
            "alert-run",
            title="The run failed",
            text="",
            severity="error",
            binding=_execution("error"),
            visibleWhen={"binding": _execution("error"), "op": "notEmpty"},
        ),
    ]
    ports = [port for port in surface.outputs if port.name != STREAM_OUTPUT] or list(surface.outputs)
    ids = _Ids()
    for port in ports:
        name = slug(port.name) or "output"
        if len(ports) > 1:
            widgets.append(_component("Heading", ids.free(f"heading-{name}"), text=_label(port), level="3"))
        widgets.append(
            _component(
                display_of(port), ids.free(f"out-{name}"), binding=encode(OutputRef(DEFAULT_OPERATION_ID, port.node_id))
            )
        )
    return widgets


def _execution(field: Any) -> str:
    return encode(ExecutionRef(DEFAULT_OPERATION_ID, field))


def _label(port: Port) -> str:
    text = (port.label or port.name).replace("_", " ").strip()
    return text[:1].upper() + text[1:]


class _Ids:
    def __init__(self) -> None:
        self._taken: set[str] = set()

    def free(self, wanted: str) -> str:
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}-{number}"
        self._taken.add(name)
        return name
