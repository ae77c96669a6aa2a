"""Where values enter a run (spec: nodes A2, B1, B2). The engine calls `process` with the param, or with the saved value."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar

from greenrun.document.js import utf16_length, utf16_slice
from greenrun.document.values import is_record
from greenrun.workflows.elsewhere import NOT_YET
from greenrun.workflows.node import Node, NodeContext, NodeError, OutputSpec, declare
from greenrun.workflows.ports import NO_ITEMS, Anything, Flag, Number, PortType, Text, TextItems
from greenrun.workflows.type_meta import TypeMeta, parse_type

_PREFIX = "nodetool.input."


class Input(Node):
    """Base of the inputs that hand their value on as it is."""

    name: Text = ""
    value: Anything = None
    description: Text = ""

    async def process(self, context: NodeContext) -> dict[str, Any] | None:
        return {"output": self.value}


class ReferenceInput(Input):
    """Base of the inputs whose empty value, null or {}, is no value."""

    async def process(self, context: NodeContext) -> dict[str, Any] | None:
        return None if self.value is None or self.value == {} else {"output": self.value}


class StringInput(Input):
    """A text, cut to its maximal length."""

    node_type: ClassVar[str] = f"{_PREFIX}StringInput"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "str"),)

    value: Text = ""
    max_length: Annotated[Any, PortType("int")] = 0
    line_mode: Annotated[str, PortType("enum", options=("single_line", "multi_line"))] = "single_line"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        limit = self.max_length
        if isinstance(limit, (int, float)) and limit > 0 and utf16_length(self.value) > limit:
            return {"output": utf16_slice(self.value, int(limit))}
        return {"output": self.value}


class NumberInput(Input):
    """Base of the number inputs: the value is moved into the range."""

    value: Number = 0
    min: Number = 0
    max: Number = 99999

    def clamped(self) -> int | float:
        return max(self.min, min(self.value, self.max))


class IntegerInput(NumberInput):
    """A whole number in a range."""

    node_type: ClassVar[str] = f"{_PREFIX}IntegerInput"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "int"),)

    # Numbers, not whole ones: the range is applied first, then the fraction is cut off.
    value: Annotated[Number, PortType("int")] = 0
    min: Annotated[Number, PortType("int")] = 0
    max: Annotated[Number, PortType("int")] = 99999

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": int(self.clamped())}


class FloatInput(NumberInput):
    """A number in a range."""

    node_type: ClassVar[str] = f"{_PREFIX}FloatInput"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "float"),)

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": self.clamped()}


class BooleanInput(Input):
    """True or false."""

    node_type: ClassVar[str] = f"{_PREFIX}BooleanInput"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "bool"),)

    value: Flag = False


class SelectInput(Input):
    """One of a list of texts."""

    node_type: ClassVar[str] = f"{_PREFIX}SelectInput"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "str"),)

    value: Text = ""
    options: TextItems = NO_ITEMS
    enum_type_name: Text = ""

    async def process(self, context: NodeContext) -> dict[str, Any]:
        if self.value and self.options and self.value not in self.options:
            allowed = ", ".join(f'"{option}"' for option in self.options[:10])
            raise NodeError(f'"{self.value[:80]}" is not one of the options: {allowed}')
        return {"output": self.value}


class DocumentFileInput(Input):
    """A document by its path on this machine."""

    node_type: ClassVar[str] = f"{_PREFIX}DocumentFileInput"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("document", "document"), OutputSpec("path", "str"))

    value: Text = ""

    async def process(self, context: NodeContext) -> dict[str, Any] | None:
        if not self.value:
            return None
        return {"document": {"type": "document", "uri": _file_uri(self.value)}, "path": self.value}


def _file_uri(path: str) -> str:
    return Path(path).absolute().as_uri()


class MessageDeconstructor(Node):
    """Takes a chat message apart."""

    node_type: ClassVar[str] = f"{_PREFIX}MessageDeconstructor"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("id", "str"),
        OutputSpec("thread_id", "str"),
        OutputSpec("role", "str"),
        OutputSpec("text", "str"),
        OutputSpec("image", "image"),
        OutputSpec("audio", "audio"),
        OutputSpec("model", "language_model"),
    )

    value: Annotated[Any, PortType("message")] = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        message = self.value if is_record(self.value) else {}
        content = message.get("content")
        parts = [part for part in content if is_record(part)] if isinstance(content, list) else []
        texts = [part.get("text") for part in parts if isinstance(part.get("text"), str)]
        return {
            "id": message.get("id"),
            "thread_id": message.get("thread_id"),
            "role": message.get("role"),
            "text": content if isinstance(content, str) else "".join(str(text) for text in texts),
            "image": next((part["image"] for part in parts if is_record(part.get("image"))), None),
            "audio": next((part["audio"] for part in parts if is_record(part.get("audio"))), None),
            "model": {"type": "language_model", "provider": message.get("provider"), "id": message.get("model")},
        }


class RealtimeAudioInput(Input):
    """Audio as it is spoken."""

    node_type: ClassVar[str] = f"{_PREFIX}RealtimeAudioInput"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("chunk", "chunk", "chunk"),)
    unavailable: ClassVar[str | None] = NOT_YET

    value: Annotated[Any, PortType("audio")] = None


# name: type, whether a run needs a value, the default
_REFERENCES: dict[str, tuple[str, bool, Any]] = {
    "ImageInput": ("image", False, None),
    "VideoInput": ("video", False, None),
    "AudioInput": ("audio", False, None),
    "DocumentInput": ("document", False, None),
    "Model3DInput": ("model_3d", False, None),
    "ColorInput": ("color", False, None),
    "ImageSizeInput": ("image_size", True, None),
    "DataframeInput": ("dataframe", False, None),
    "AssetFolderInput": ("folder", False, None),
    "LanguageModelInput": ("language_model", False, None),
    "ImageModelInput": ("image_model", False, None),
    "VideoModelInput": ("video_model", False, None),
    "TTSModelInput": ("tts_model", False, None),
    "ASRModelInput": ("asr_model", False, None),
    "EmbeddingModelInput": ("embedding_model", False, None),
    "HuggingFaceModelInput": ("hf.model", False, None),
    "MessageInput": ("message", False, None),
}
_PLAIN: dict[str, tuple[str, Any]] = {
    "FolderPathInput": ("str", ""),
    "FilePathInput": ("str", ""),
    "StringListInput": ("list[str]", []),
    "TextListInput": ("list[str]", []),
    "ImageListInput": ("list[image]", []),
    "AudioListInput": ("list[audio]", []),
    "VideoListInput": ("list[video]", []),
    "MessageListInput": ("list[message]", []),
}


def _described(meta: TypeMeta) -> str:
    kind = meta["type_args"][0]["type"] if meta["type_args"] else meta["type"]
    words = kind.replace("_", " ").replace("hf.", "Hugging Face ")
    return f"A list of {words} values." if meta["type_args"] else f"A value of type {words}."


def _reference(name: str, type_text: str, required: bool, default: Any) -> type[Node]:
    return declare(
        f"{_PREFIX}{name}",
        base=ReferenceInput,
        fields={"value": (Annotated[Any, PortType(type_text, required=required)], default)},
        outputs=(OutputSpec("output", type_text),),
        doc=_described(parse_type(type_text)),
        module=__name__,
    )


def _plain(name: str, type_text: str, default: Any) -> type[Node]:
    field: Any = Text if type_text == "str" else Annotated[TextItems, PortType(type_text)]
    return declare(
        f"{_PREFIX}{name}",
        base=Input,
        fields={"value": (field, default)},
        outputs=(OutputSpec("output", type_text),),
        doc=_described(parse_type(type_text)),
        module=__name__,
    )


NODES: tuple[type[Node], ...] = (
    StringInput,
    IntegerInput,
    FloatInput,
    BooleanInput,
    SelectInput,
    DocumentFileInput,
    MessageDeconstructor,
    RealtimeAudioInput,
    *(_reference(name, *row) for name, row in _REFERENCES.items()),
    *(_plain(name, *row) for name, row in _PLAIN.items()),
)
