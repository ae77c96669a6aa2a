"""Nodes that work on videos on this machine (spec: nodes B1)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, ClassVar

from greenrun.workflows.extras import missing_extra
from greenrun.workflows.media import films
from greenrun.workflows.media.content import VideoValue, content_of, contents_of, make_ref, span
from greenrun.workflows.media.edits import FITS
from greenrun.workflows.media.work import Work, in_thread
from greenrun.workflows.node import Node, NodeContext, NodeError, OutputSpec
from greenrun.workflows.ports import NO_ITEMS, Items, Number, PortType, Text, Whole

_VIDEO = (OutputSpec("output", "video"),)
_NEEDS = missing_extra("video")


class VideoNode(Node):
    """Base of the nodes that make one video."""

    outputs: ClassVar[tuple[OutputSpec, ...]] = _VIDEO
    unavailable: ClassVar[str | None] = _NEEDS

    async def rendered(
        self, context: NodeContext, clips: list[films.Clip], size: tuple[int, int, str] | None = None
    ) -> dict[str, Any]:
        """The clips as one video; width or height of 0 or less follow the shape of the first clip."""

        def made(work: Work) -> dict[str, Any]:
            frame = None if size is None else films.frame_for(clips[0], work, *size)
            return make_ref("video", films.render(clips, work, frame), "video/mp4", "video.mp4")

        return {"output": await context.store_asset(await in_thread(context, made))}


class Resize(VideoNode):
    """A new size in pixels, stretched to it; -1 follows the shape of the video. Odd sizes become even."""

    node_type: ClassVar[str] = "nodetool.video.Resize"
    title: ClassVar[str] = "Resize Video"

    video: VideoValue = None
    width: Whole = -1
    height: Whole = -1

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return await self.rendered(context, [await _clip(context, self.video)], (self.width, self.height, "exact"))


class FittedResize(VideoNode):
    """A new size that keeps the shapes: fit adds black bars, cover cuts edges off; exact stretches. Odd sizes become even."""

    node_type: ClassVar[str] = "greenrun.video.Resize"
    title: ClassVar[str] = "Fit Video"

    video: VideoValue = None
    width: Whole = 0
    height: Whole = 0
    fit: Annotated[Text, PortType("enum", options=FITS)] = "fit"

    async def process(self, context: NodeContext) -> dict[str, Any]:
        if self.fit not in FITS:
            raise NodeError(f'"{self.fit[:40]}" is no way to fit a video; choose one of: {", ".join(FITS)}')
        return await self.rendered(context, [await _clip(context, self.video)], (self.width, self.height, self.fit))


class Concat(VideoNode):
    """Videos one after the other, in the order of the inputs; lists are spread. The first one decides on the size."""

    node_type: ClassVar[str] = "nodetool.video.Concat"
    title: ClassVar[str] = "Concatenate Videos"
    dynamic_inputs: ClassVar[bool] = True

    videos: Annotated[Items, PortType("list[video]")] = NO_ITEMS

    async def process(self, context: NodeContext) -> dict[str, Any]:
        contents = await contents_of(context, self.videos, self.dynamic, "video")
        return await self.rendered(context, [films.Clip(content) for content in contents])


class Trim(VideoNode):
    """A part of the video, between two times in seconds; an end below 0 is the end of the video."""

    node_type: ClassVar[str] = "greenrun.video.Trim"
    title: ClassVar[str] = "Trim Video"

    video: VideoValue = None
    start: Number = 0
    end: Number = -1

    async def process(self, context: NodeContext) -> dict[str, Any]:
        start, end = span(self.start, self.end)
        return await self.rendered(context, [await _clip(context, self.video, start, end)])


class ExtractFrame(Node):
    """The picture that is seen at a time in seconds."""

    node_type: ClassVar[str] = "nodetool.video.ExtractFrame"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "image"),)
    unavailable: ClassVar[str | None] = _NEEDS

    video: VideoValue = None
    time: Number = 0

    async def process(self, context: NodeContext) -> dict[str, Any]:
        content = await content_of(context, self.video, "video", "video")
        at = max(0.0, float(self.time))
        made = await in_thread(
            context, lambda work: make_ref("image", films.frame_at(content, at, work), "image/png", "frame.png")
        )
        return {"output": await context.store_asset(made)}


class Info(Node):
    """Duration in seconds, width and height as they are seen, frames per second and in all, codec, whether there is sound."""

    node_type: ClassVar[str] = "greenrun.video.Info"
    title: ClassVar[str] = "Video Info"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("duration", "float"),
        OutputSpec("width", "int"),
        OutputSpec("height", "int"),
        OutputSpec("fps", "float"),
        OutputSpec("frame_count", "int"),
        OutputSpec("codec", "str"),
        OutputSpec("has_audio", "bool"),
    )
    unavailable: ClassVar[str | None] = _NEEDS

    video: VideoValue = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        content = await content_of(context, self.video, "video", "video")
        return asdict(await in_thread(context, lambda work: films.film_facts(content, work)))


async def _clip(context: NodeContext, value: Any, start: float = 0.0, end: float | None = None) -> films.Clip:
    content = await content_of(context, value, "video", "video")
    return films.Clip(content, start) if end is None else films.Clip(content, start, end)


NODES: tuple[type[Node], ...] = (Resize, FittedResize, Concat, Trim, ExtractFrame, Info)
