"""Which control fills a port: its widget type, by node type or by parameter type (spec: app-runtime 7.4)."""

from __future__ import annotations

from typing import Final

from greenrun.document.js import is_list
from greenrun.document.surface import Port
from greenrun.document.values import is_record

DEFAULT_CONTROL: Final = "TextInput"

_BY_NODE: Final = {
    "StringInput": "TextInput",
    "IntegerInput": "NumberInput",
    "FloatInput": "NumberInput",
    "BooleanInput": "Switch",
    "SelectInput": "Select",
    "ColorInput": "ColorInput",
    "ImageInput": "ImageInput",
    "AudioInput": "AudioInput",
    "RealtimeAudioInput": "AudioInput",
    "VideoInput": "VideoInput",
    "DocumentInput": "DocumentInput",
    "Model3DInput": "Model3DInput",
    "ImageSizeInput": "ImageSizeInput",
    "DataframeInput": "DataFrameInput",
    "StringListInput": "MediaListInput",
    "TextListInput": "MediaListInput",
    "ImageListInput": "MediaListInput",
    "AudioListInput": "MediaListInput",
    "VideoListInput": "MediaListInput",
    "FilePathInput": "FilePathInput",
    "DocumentFileInput": "FilePathInput",
    "FolderPathInput": "FolderPathInput",
    "AssetFolderInput": "FolderPathInput",
    "LanguageModelInput": "ModelSelect",
    "ImageModelInput": "ModelSelect",
    "VideoModelInput": "ModelSelect",
    "TTSModelInput": "ModelSelect",
    "ASRModelInput": "ModelSelect",
    "EmbeddingModelInput": "ModelSelect",
    "HuggingFaceModelInput": "ModelSelect",
}

_BY_TYPE: Final = {
    "str": "TextInput",
    "text": "TextInput",
    "int": "NumberInput",
    "float": "NumberInput",
    "bool": "Switch",
    "enum": "Select",
    "color": "ColorInput",
    "image": "ImageInput",
    "audio": "AudioInput",
    "video": "VideoInput",
    "document": "DocumentInput",
    "file": "DocumentInput",
    "model_3d": "Model3DInput",
    "image_size": "ImageSizeInput",
    "dataframe": "DataFrameInput",
    "date": "DateInput",
    "datetime": "DateInput",
    "file_path": "FilePathInput",
    "folder_path": "FolderPathInput",
    "language_model": "ModelSelect",
    "image_model": "ModelSelect",
    "video_model": "ModelSelect",
    "tts_model": "ModelSelect",
    "asr_model": "ModelSelect",
    "embedding_model": "ModelSelect",
    "huggingface_model": "ModelSelect",
}

_LIST_KINDS: Final = {
    "image": "image_list",
    "video": "video_list",
    "audio": "audio_list",
    "str": "text_list",
    "text": "text_list",
}

_LIST_KIND_BY_NODE: Final = {
    "ImageListInput": "image_list",
    "VideoListInput": "video_list",
    "AudioListInput": "audio_list",
}

GRAPH_INPUT_PREFIX: Final = "nodetool.input."


def type_name(port: Port) -> str:
    """The name of the port's type; "" when nothing is known about it."""
    name = port.type.get("type") if port.type is not None else None
    return name if isinstance(name, str) else ""


def item_type_name(port: Port) -> str:
    """The name of the item type of a list port; "" when there is none."""
    arguments = port.type.get("type_args") if port.type is not None else None
    first = arguments[0] if is_list(arguments) and arguments else None
    name = first.get("type") if is_record(first) else None
    return name if isinstance(name, str) else ""


def control_of(port: Port) -> str:
    """The widget type that fills the port; anything unknown is a text input."""
    if port.node_type.startswith(GRAPH_INPUT_PREFIX):
        return _BY_NODE.get(port.node_type.removeprefix(GRAPH_INPUT_PREFIX), DEFAULT_CONTROL)
    if port.options is not None:
        return "Select"
    if type_name(port) == "list":
        return "MediaListInput" if item_type_name(port) in _LIST_KINDS else DEFAULT_CONTROL
    return _BY_TYPE.get(type_name(port), DEFAULT_CONTROL)


def list_kind(port: Port) -> str:
    """The list kind of a port that a media list fills; ``text_list`` where the items are no media."""
    node = port.node_type.removeprefix(GRAPH_INPUT_PREFIX)
    return _LIST_KIND_BY_NODE.get(node) or _LIST_KINDS.get(item_type_name(port), "text_list")


def is_whole(port: Port) -> bool:
    """True for a port that takes whole numbers only."""
    return type_name(port) == "int" or port.node_type == f"{GRAPH_INPUT_PREFIX}IntegerInput"


def option_values(port: Port) -> tuple[str, ...]:
    """The values that a select port offers; entries are texts or records with a text ``value``, others are left out."""
    return tuple(text for option in port.options or () if (text := option_value(option)) is not None)


def option_value(option: object) -> str | None:
    """The value of a stored option; None for an empty one and for what is no option."""
    value = option.get("value") if is_record(option) else option
    return value if isinstance(value, str) and value else None
