"""Which control fills which port (spec: app-runtime 7.4)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.surface import Port
from greenrun.runtime.controls import control_of, list_kind, option_values


def node_port(kind: str) -> Port:
    return Port("n", f"nodetool.input.{kind}", "n", "n")


def parameter(type_: dict[str, Any] | None, **rest: Any) -> Port:
    return Port("n", "pyfunction.input.x", "n", "n", type=type_, **rest)


@pytest.mark.parametrize(
    ("kind", "control"),
    [
        ("StringInput", "TextInput"),
        ("IntegerInput", "NumberInput"),
        ("FloatInput", "NumberInput"),
        ("BooleanInput", "Switch"),
        ("SelectInput", "Select"),
        ("ColorInput", "ColorInput"),
        ("ImageInput", "ImageInput"),
        ("DocumentInput", "DocumentInput"),
        ("ImageSizeInput", "ImageSizeInput"),
        ("DataframeInput", "DataFrameInput"),
        ("VideoListInput", "MediaListInput"),
        ("FolderPathInput", "FolderPathInput"),
        ("LanguageModelInput", "ModelSelect"),
        ("MessageInput", "TextInput"),
    ],
)
def test_a_node_gets_the_control_of_its_kind(kind: str, control: str) -> None:
    assert control_of(node_port(kind)) == control


@pytest.mark.parametrize(
    ("port", "control"),
    [
        (parameter({"type": "str"}), "TextInput"),
        (parameter({"type": "str"}, options=("a",)), "Select"),
        (parameter({"type": "float"}), "NumberInput"),
        (parameter({"type": "bool"}), "Switch"),
        (parameter({"type": "image"}), "ImageInput"),
        (parameter({"type": "list", "type_args": [{"type": "image"}]}), "MediaListInput"),
        (parameter({"type": "list", "type_args": [{"type": "dict"}]}), "TextInput"),
        (parameter({"type": "list", "type_args": []}), "TextInput"),
        (parameter({"type": "list", "type_args": ["image"]}), "TextInput"),
        (parameter({"type": "list"}), "TextInput"),
        (parameter({"type": 7}), "TextInput"),
        (parameter(None), "TextInput"),
    ],
)
def test_a_parameter_gets_the_control_of_its_type(port: Port, control: str) -> None:
    assert control_of(port) == control


@pytest.mark.parametrize(
    ("port", "kind"),
    [
        (node_port("AudioListInput"), "audio_list"),
        (node_port("TextListInput"), "text_list"),
        (parameter({"type": "list", "type_args": [{"type": "video"}]}), "video_list"),
        (parameter({"type": "list", "type_args": [{"type": "str"}]}), "text_list"),
        (parameter(None), "text_list"),
    ],
)
def test_a_list_has_the_kind_of_its_items(port: Port, kind: str) -> None:
    assert list_kind(port) == kind


def test_only_usable_options_are_offered() -> None:
    assert option_values(parameter(None, options=("a", {"value": "b"}, "", 3, {"value": None}))) == ("a", "b")
    assert option_values(parameter(None)) == ()
