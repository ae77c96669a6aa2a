"""Nodes that ask a model to speak, to listen, or to place texts in a space of meaning (spec: nodes B1, B2)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from greenrun.workflows.media.content import AudioValue, content_of
from greenrun.workflows.media.predictions import media_of, predicted, stored, voice_of
from greenrun.workflows.node import Node, NodeContext, NodeError, OutputSpec
from greenrun.workflows.ports import Number, PortType, Text, Whole
from greenrun.workflows.providers.errors import ProviderError
from greenrun.workflows.providers.interface import EmbeddingRequest, SpeechRequest, TranscriptionRequest

_MOST_CHUNKS = 1_000


class TextToSpeech(Node):
    """Speaks a text with the selected voice; `speed` 1 is normal."""

    node_type: ClassVar[str] = "nodetool.audio.TextToSpeech"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("audio", "audio"),)

    model: Annotated[Any, PortType("tts_model")] = None
    text: Text = ""
    speed: Number = 1

    async def process(self, context: NodeContext) -> dict[str, Any]:
        if not self.text.strip():
            raise NodeError("there is no text to speak; give one")
        speed = float(max(0.25, min(self.speed, 4)))
        request = SpeechRequest(text=self.text, voice=voice_of(self.model), speed=speed)
        result = await predicted(context, "tts_model", self.model, lambda provider: provider.speak(request))
        return {"audio": await stored(context, "audio", result.media, self.model)}


class AutomaticSpeechRecognition(Node):
    """Writes down what is said."""

    node_type: ClassVar[str] = "nodetool.text.AutomaticSpeechRecognition"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("text", "str"),)

    model: Annotated[Any, PortType("asr_model")] = None
    audio: AudioValue = None
    language: Text = ""
    prompt: Text = ""
    temperature: Number = 0

    async def process(self, context: NodeContext) -> dict[str, Any]:
        content = await content_of(context, self.audio, "audio", "audio")
        request = TranscriptionRequest(
            audio=media_of(content),
            language=self.language.strip(),
            prompt=self.prompt,
            temperature=float(self.temperature),
        )
        result = await predicted(context, "asr_model", self.model, lambda provider: provider.transcribe(request))
        return {"text": result.text}


class Embedding(Node):
    """The place of a text in a model's space of meaning; of a long text the mean of its parts, longer ones counting more."""

    node_type: ClassVar[str] = "nodetool.text.Embedding"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "list[float]"),)

    model: Annotated[Any, PortType("embedding_model")] = None
    input: Text = ""
    chunk_size: Whole = 4096

    async def process(self, context: NodeContext) -> dict[str, Any]:
        if not self.input.strip():
            raise NodeError("there is no text to embed; give one")
        if self.chunk_size < 1:
            raise NodeError(f"a text is not cut into parts of {self.chunk_size} characters; choose 1 or more")
        parts = [self.input[at : at + self.chunk_size] for at in range(0, len(self.input), self.chunk_size)]
        if len(parts) > _MOST_CHUNKS:
            raise NodeError(
                f"the text has {len(parts)} parts; at most {_MOST_CHUNKS} are embedded, so choose larger ones"
            )
        texts = tuple(part for part in parts if part.strip())
        request = EmbeddingRequest(texts)
        result = await predicted(context, "embedding_model", self.model, lambda provider: provider.embed(request))
        return {"output": _mean(result.vectors, [len(text) for text in texts])}


def _mean(vectors: tuple[tuple[float, ...], ...], weights: list[int]) -> list[float]:
    if len(vectors) != len(weights) or not vectors[0] or len({len(vector) for vector in vectors}) != 1:
        raise ProviderError("the model sent vectors that do not belong to the texts; run again", kind="server")
    if len(vectors) == 1:
        return list(vectors[0])
    total = sum(weights)
    columns = zip(*vectors, strict=True)
    return [sum(number * weight for number, weight in zip(column, weights, strict=True)) / total for column in columns]


NODES: tuple[type[Node], ...] = (TextToSpeech, AutomaticSpeechRecognition, Embedding)
