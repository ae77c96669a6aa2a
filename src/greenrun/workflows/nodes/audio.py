"""Nodes that work on sounds on this machine."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, ClassVar

from greenrun.workflows.media import sounds
from greenrun.workflows.media.content import AudioValue, content_of, contents_of, make_ref, span
from greenrun.workflows.media.sniff import extension_of
from greenrun.workflows.media.work import Work, in_thread
from greenrun.workflows.node import Node, NodeContext, OutputSpec
from greenrun.workflows.ports import NO_ITEMS, Items, Number, PortType

_AUDIO = (OutputSpec("output", "audio"),)


class Info(Node):
    """Duration in seconds, samples per second, channels, format, and the size of the file."""

    node_type: ClassVar[str] = "greenrun.audio.Info"
    title: ClassVar[str] = "Audio Info"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("duration", "float"),
        OutputSpec("sample_rate", "int"),
        OutputSpec("channels", "int"),
        OutputSpec("format", "str"),
        OutputSpec("size_bytes", "int"),
    )

    audio: AudioValue = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        content = await content_of(context, self.audio, "audio", "audio")
        return asdict(await in_thread(context, lambda work: sounds.sound_facts(content)))


class Trim(Node):
    """A part of the sound, between two times in seconds; an end below 0 is the end of the sound."""

    node_type: ClassVar[str] = "greenrun.audio.Trim"
    outputs: ClassVar[tuple[OutputSpec, ...]] = _AUDIO

    audio: AudioValue = None
    start: Number = 0
    end: Number = -1

    async def process(self, context: NodeContext) -> dict[str, Any]:
        start, end = span(self.start, self.end)
        content = await content_of(context, self.audio, "audio", "audio")
        return await _joined(context, [sounds.Cut(content, start, end)])


class Concat(Node):
    """Sounds one after the other, in the order of the inputs; lists are spread."""

    node_type: ClassVar[str] = "greenrun.audio.Concat"
    outputs: ClassVar[tuple[OutputSpec, ...]] = _AUDIO
    dynamic_inputs: ClassVar[bool] = True

    audios: Annotated[Items, PortType("list[audio]")] = NO_ITEMS

    async def process(self, context: NodeContext) -> dict[str, Any]:
        contents = await contents_of(context, self.audios, self.dynamic, "audio")
        return await _joined(context, [sounds.Cut(content) for content in contents])


async def _joined(context: NodeContext, cuts: list[sounds.Cut]) -> dict[str, Any]:
    def made(work: Work) -> dict[str, Any]:
        result = sounds.joined(cuts, work)
        return make_ref("audio", result.data, result.mime, f"audio.{extension_of(result.mime)}")

    return {"output": await context.store_asset(await in_thread(context, made))}


NODES: tuple[type[Node], ...] = (Info, Trim, Concat)
