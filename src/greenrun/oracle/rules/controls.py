"""Which widgets suit a port: what can fill an input, what shows an output (spec: app-runtime 7.4, 17.7)."""

from __future__ import annotations

from typing import Final

from greenrun.document.surface import Port
from greenrun.runtime.controls import control_of

_ALSO: Final[dict[str, frozenset[str]]] = {
    "NumberInput": frozenset({"Slider"}),
    "Select": frozenset({"RadioGroup", "ChoiceCards"}),
    "ImageInput": frozenset({"SketchPad", "CameraCapture"}),
    "AudioInput": frozenset({"AudioRecorder"}),
}
"""Other widgets that write the same kind of value as the usual one."""

_DISPLAYS: Final[tuple[tuple[tuple[str, ...], str], ...]] = (
    (("image",), "Image"),
    (("audio",), "Audio"),
    (("video",), "Video"),
    (("dataframe", "json", "dict", "list", "record", "table"), "Json"),
    (("string", "text", "markdown"), "Markdown"),
)
_EXACT: Final = {
    "output": "Output",
    "preview": "Output",
    "any": "Output",
    "str": "Markdown",
    "int": "Output",
    "float": "Output",
    "bool": "Output",
}
"""The last segment of a node type as a whole; the types of function outputs are among them."""

_FUNCTION_OUTPUT: Final = "pyfunction.output."
_TABLES: Final = ("dataframe", "list[dict")
"""Outputs of a function that are rows; those of a graph are shown as app-runtime 17.7 has it."""


def controls_for(port: Port) -> frozenset[str]:
    """All widget types that write the kind of value that an input takes."""
    usual = control_of(port)
    return frozenset({usual, "WorkflowInput"}) | _ALSO.get(usual, frozenset())


def display_of(port: Port) -> str:
    """The widget type that shows an output; Json where nothing better is known."""
    segment = port.node_type.rpartition(".")[2].lower()
    if port.node_type.startswith(_FUNCTION_OUTPUT) and segment.startswith(_TABLES):
        return "Table"
    if segment in _EXACT:
        return _EXACT[segment]
    return next((type_ for words, type_ in _DISPLAYS if any(word in segment for word in words)), "Json")
