"""Nodes that ask a video model (spec: nodes B1)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from greenrun.workflows.media.content import AudioValue, ImageItems, VideoValue, content_of
from greenrun.workflows.media.predictions import media_of, predicted, stored
from greenrun.workflows.node import Node, NodeContext, NodeError, OutputSpec
from greenrun.workflows.nodes.model_images import tell_unused
from greenrun.workflows.ports import NO_ITEMS, Items, Number, PortType, Text
from greenrun.workflows.providers.interface import VideoRequest

VideoModel = Annotated[Any, PortType("video_model")]


class VideoModelNode(Node):
    """Base of the nodes with one video as their result."""

    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "video"),)

    model: VideoModel = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        request = await self.request(context)
        limit = float(getattr(self, "timeout_seconds", 0))
        result = await predicted(
            context, "video_model", self.model, lambda provider: provider.generate(request), timeout=limit
        )
        return {"output": await stored(context, "video", result.media, self.model)}

    async def request(self, context: NodeContext) -> VideoRequest:
        """What the model is asked."""
        raise NotImplementedError


class TextToVideo(VideoModelNode):
    """Makes a video from a text."""

    node_type: ClassVar[str] = "nodetool.video.TextToVideo"

    prompt: Text = ""
    negative_prompt: Text = ""
    entities: Items = NO_ITEMS
    aspect_ratio: Text = "16:9"
    resolution: Text = "720p"
    duration: Number = 4
    timeout_seconds: Number = 0

    async def request(self, context: NodeContext) -> VideoRequest:
        if not self.prompt.strip():
            raise NodeError("the prompt is empty; say what the video is to show")
        tell_unused(context, self.entities)
        return VideoRequest(
            task="text_to_video",
            prompt=self.prompt,
            duration=_seconds(self.duration),
            resolution=self.resolution,
            aspect_ratio=self.aspect_ratio,
            options=_options(self.negative_prompt),
        )


class ImageToVideo(VideoModelNode):
    """Brings a picture to life as a text says."""

    node_type: ClassVar[str] = "nodetool.video.ImageToVideo"

    image: ImageItems = NO_ITEMS
    prompt: Text = ""
    negative_prompt: Text = ""
    entities: Items = NO_ITEMS
    aspect_ratio: Text = "16:9"
    resolution: Text = "720p"
    duration: Number = 4
    timeout_seconds: Number = 0

    async def request(self, context: NodeContext) -> VideoRequest:
        if not self.image:
            raise NodeError('there is no image on "image"; connect one')
        tell_unused(context, self.entities)
        if len(self.image) > 1:
            context.log(
                f"the video starts with the first of {len(self.image)} images; the others are not used", "warning"
            )
        content = await content_of(context, self.image[0], "image", "image")
        return VideoRequest(
            task="image_to_video",
            prompt=self.prompt,
            image=media_of(content),
            duration=_seconds(self.duration),
            resolution=self.resolution,
            aspect_ratio=self.aspect_ratio,
            options=_options(self.negative_prompt),
        )


class VideoToVideo(VideoModelNode):
    """Changes a video as a text says; `strength` from 0 to 1 is how much."""

    node_type: ClassVar[str] = "nodetool.video.VideoToVideo"

    video: VideoValue = None
    prompt: Text = ""
    negative_prompt: Text = ""
    strength: Number = 0.6
    timeout_seconds: Number = 0

    async def request(self, context: NodeContext) -> VideoRequest:
        content = await content_of(context, self.video, "video", "video")
        return VideoRequest(
            task="video_to_video",
            prompt=self.prompt,
            video=media_of(content),
            options=_options(self.negative_prompt, strength=self.strength),
        )


class LipSync(VideoModelNode):
    """Moves the mouth in a video to a voice."""

    node_type: ClassVar[str] = "nodetool.video.LipSync"

    video: VideoValue = None
    audio: AudioValue = None
    timeout_seconds: Number = 0

    async def request(self, context: NodeContext) -> VideoRequest:
        video = await content_of(context, self.video, "video", "video")
        audio = await content_of(context, self.audio, "audio", "audio")
        return VideoRequest(task="lip_sync", video=media_of(video), audio=media_of(audio))


def _seconds(duration: float) -> float | None:
    return float(duration) if duration > 0 else None


def _options(negative_prompt: str, **others: Any) -> dict[str, Any]:
    return {"negative_prompt": negative_prompt, **others} if negative_prompt.strip() else others


NODES: tuple[type[Node], ...] = (TextToVideo, ImageToVideo, VideoToVideo, LipSync)
