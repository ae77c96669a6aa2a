"""A first app for a workflow or a function: every input, a run button, progress, errors, every output (spec: app-runtime 17.7)."""

from __future__ import annotations

from typing import Any

from greenrun.document.model import BASE_VERSION, DEFAULT_OPERATION_ID, DEFAULT_OPERATION_NAME
from greenrun.document.readers import is_missing_required_media
from greenrun.document.refs import ExecutionRef, InputRef, OutputRef, encode
from greenrun.document.slugs import numbered, slug
from greenrun.document.surface import Port, Surface
from greenrun.document.values import ABSENT, is_number
from greenrun.oracle.rules.controls import display_of
from greenrun.runtime.controls import control_of, list_kind, type_name
from greenrun.runtime.parameters import input_seeds

STREAM_OUTPUT = "chunk"
"""The raw stream of a model node; its text output shows the same."""


def scaffold(
    title: str, surface: Surface, *, workflow_id: str | None = None, function: str | None = None
) -> dict[str, Any]:
    """An application document with one operation over that surface; exactly one of `workflow_id` and `function`.

    The app is green at birth: its check has no finding. The run button is disabled until the files that a run needs are
    there, or, where it needs none, until the first input without a value is filled.
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


def sample_params(surface: Surface) -> tuple[dict[str, Any], list[Port]]:
    """Example values by name for the inputs that a run needs and that have none; and those that nobody can make up."""
    params: dict[str, Any] = {}
    left: list[Port] = []
    for port in _needed(surface):
        sample = _sample(port)
        if sample is ABSENT:
            left.append(port)
        else:
            params[port.name] = sample
    return params, left


def _needed(surface: Surface) -> list[Port]:
    """The inputs without a value that a run cannot do without, those that take a file first."""
    seeds = input_seeds(surface)
    media = [port for port in surface.inputs if is_missing_required_media(port, seeds.get(port.node_id, ABSENT))]
    others = [port for port in surface.inputs if port.required and port.node_id not in seeds and port not in media]
    return [*media, *others]


def _sample(port: Port) -> Any:
    control = control_of(port)
    if control == "NumberInput":
        low = port.minimum if is_number(port.minimum) else 1
        return min(max(1, low), port.maximum if is_number(port.maximum) else max(1, low))
    if control == "TextInput":
        return _BY_TYPE.get(type_name(port), EXAMPLE_TEXT)
    if control == "MediaListInput":
        return [EXAMPLE_TEXT] if list_kind(port) == "text_list" else ABSENT
    return _BY_CONTROL.get(control, ABSENT)


EXAMPLE_TEXT = "example"
_BY_TYPE: dict[str, Any] = {"list": [], "dict": {}, "tuple": [], "set": []}
_BY_CONTROL: dict[str, Any] = {
    "DateInput": "2026-01-31",
    "ColorInput": {"type": "color", "value": "#3366cc"},
    "ImageSizeInput": {"width": 512, "height": 512},
    "DataFrameInput": {"type": "dataframe", "columns": [{"name": "name"}], "data": [[EXAMPLE_TEXT]]},
}


def _inputs(surface: Surface) -> list[dict[str, Any]]:
    taken: set[str] = set()
    widgets = [
        _component(
            "WorkflowInput",
            _free(f"in-{slug(port.name) or 'input'}", taken),
            binding=_input(port),
            label=_label(port),
            events=[],
        )
        for port in surface.inputs
    ]
    button = _component(
        "Button",
        "btn-run",
        label="Run",
        variant="contained",
        color="primary",
        events=[{"trigger": "click", "kind": "run", "operationId": DEFAULT_OPERATION_ID, "key": "", "value": ""}],
    )
    return [*widgets, _guarded(button, surface)]


def _guarded(button: dict[str, Any], surface: Surface) -> dict[str, Any]:
    """The button, disabled while something is missing; a widget has one condition, so each further file is a container."""
    needed = _needed(surface)
    media = [port for port in needed if is_missing_required_media(port, ABSENT)]
    for number, port in enumerate(media or needed[:1]):
        if number:
            button = _component("Container", f"panel-run-{number + 1}", title="", content=[button])
        button["props"]["disabledWhen"] = {"binding": _input(port), "op": "empty"}
    return button


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
    taken: set[str] = set()
    for port in ports:
        name = slug(port.name) or "output"
        if len(ports) > 1:
            widgets.append(_component("Heading", _free(f"heading-{name}", taken), text=_label(port), level="3"))
        widgets.append(
            _component(
                display_of(port),
                _free(f"out-{name}", taken),
                binding=encode(OutputRef(DEFAULT_OPERATION_ID, port.node_id)),
            )
        )
    return widgets


def _execution(field: Any) -> str:
    return encode(ExecutionRef(DEFAULT_OPERATION_ID, field))


def _input(port: Port) -> str:
    return encode(InputRef(DEFAULT_OPERATION_ID, port.node_id))


def _label(port: Port) -> str:
    text = (port.label or port.name).replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def _free(wanted: str, taken: set[str]) -> str:
    name = numbered(wanted, taken, "-")
    taken.add(name)
    return name
