"""Fixed values (spec: nodes B2): property `value`, output `output`."""

from __future__ import annotations

from typing import Annotated, Any

from greenrun.workflows.node import Node, NodeContext, OutputSpec, declare
from greenrun.workflows.ports import NO_ITEMS, Anything, Flag, Items, Number, PortType, Text, TextItems, Whole


class Constant(Node):
    """Base of the constants."""

    value: Anything = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return {"output": self.value}


_ANY: Any = Annotated[Any, PortType("any")]

# name: annotation of the value, its type, its default
_TABLE: dict[str, tuple[Any, str, Any]] = {
    "Constant": (_ANY, "any", None),
    "Bool": (Flag, "bool", False),
    "Integer": (Whole, "int", 0),
    "Float": (Number, "float", 0.0),
    "String": (Text, "str", ""),
    "List": (Items, "list[any]", []),
    "TextList": (TextItems, "list[str]", []),
    "Dict": (None, "dict", {}),
    "JSON": (None, "json", None),
    "Date": (None, "date", None),
    "DateTime": (None, "datetime", None),
    "DataFrame": (None, "dataframe", None),
    "Image": (None, "image", None),
    "Audio": (None, "audio", None),
    "Video": (None, "video", None),
    "Document": (None, "document", None),
    "Model3D": (None, "model_3d", None),
    "ImageSize": (None, "image_size", None),
    "ImageList": (Items, "list[image]", []),
    "AudioList": (Items, "list[audio]", []),
    "VideoList": (Items, "list[video]", []),
    "LanguageModel": (None, "language_model", None),
    "ImageModel": (None, "image_model", None),
    "VideoModel": (None, "video_model", None),
    "TTSModel": (None, "tts_model", None),
    "ASRModel": (None, "asr_model", None),
    "EmbeddingModel": (None, "embedding_model", None),
    "Sketch": (None, "sketch", None),
    "Timeline": (None, "timeline", None),
}


def _constant(name: str, annotation: Any, type_text: str, default: Any) -> type[Node]:
    value = Annotated[Any if annotation is None else annotation, PortType(type_text)]
    return declare(
        f"nodetool.constant.{name}",
        base=Constant,
        fields={"value": (value, default)},
        outputs=(OutputSpec("output", type_text),),
        doc=f"A fixed value of type {type_text}.",
        module=__name__,
    )


class Select(Constant):
    """One of a list of texts."""

    node_type = "nodetool.constant.Select"
    outputs = (OutputSpec("output", "str"),)

    value: Text = ""
    options: TextItems = NO_ITEMS
    enum_type_name: Text = ""


NODES: tuple[type[Node], ...] = (*(_constant(name, *row) for name, row in _TABLE.items()), Select)
