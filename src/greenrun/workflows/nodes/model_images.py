"""Nodes that ask an image model (spec: nodes B1)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from greenrun.workflows.media.content import ImageItems, ImageValue, content_of
from greenrun.workflows.media.predictions import media_of, predicted, stored
from greenrun.workflows.node import Node, NodeContext, NodeError, OutputSpec
from greenrun.workflows.ports import NO_ITEMS, Items, Number, PortType, Text, Whole
from greenrun.workflows.providers.interface import ImageRequest

_STRENGTH = 0.65

ImageModel = Annotated[Any, PortType("image_model")]


class ImageModelNode(Node):
    """Base of the nodes with one picture as their result."""

    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "image"),)

    model: ImageModel = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        request = await self.request(context)
        result = await predicted(context, "image_model", self.model, lambda provider: provider.generate(request))
        return {"output": await stored(context, "image", result.media, self.model)}

    async def request(self, context: NodeContext) -> ImageRequest:
        """What the model is asked."""
        raise NotImplementedError


class TextToImage(ImageModelNode):
    """Makes a picture from a text."""

    node_type: ClassVar[str] = "nodetool.image.TextToImage"

    prompt: Text = ""
    negative_prompt: Text = ""
    entities: Items = NO_ITEMS
    aspect_ratio: Text = "1:1"
    resolution: Text = "1K"

    async def request(self, context: NodeContext) -> ImageRequest:
        if not self.prompt.strip():
            raise NodeError("the prompt is empty; say what the picture is to show")
        tell_unused(context, self.entities)
        return ImageRequest(
            prompt=self.prompt,
            negative_prompt=self.negative_prompt,
            aspect_ratio=self.aspect_ratio,
            resolution=self.resolution,
        )


class ImageToImage(ImageModelNode):
    """Makes a picture from one or more pictures and a text."""

    node_type: ClassVar[str] = "nodetool.image.ImageToImage"

    image: ImageItems = NO_ITEMS
    prompt: Text = ""
    negative_prompt: Text = ""
    entities: Items = NO_ITEMS
    strength: Number = _STRENGTH
    aspect_ratio: Text = ""
    resolution: Text = ""

    async def request(self, context: NodeContext) -> ImageRequest:
        if not self.image:
            raise NodeError('there is no image on "image"; connect one')
        tell_unused(context, self.entities)
        images = [await content_of(context, item, "image", "image") for item in self.image]
        return ImageRequest(
            prompt=self.prompt,
            negative_prompt=self.negative_prompt,
            aspect_ratio=self.aspect_ratio,
            resolution=self.resolution,
            images=tuple(media_of(content) for content in images),
            task="image_to_image",
            # Many models know no strength, so it is sent only when somebody chose one.
            options={} if self.strength == _STRENGTH else {"strength": self.strength},
        )


class Upscale(ImageModelNode):
    """Enlarges a picture and adds detail."""

    node_type: ClassVar[str] = "nodetool.image.Upscale"

    image: ImageValue = None
    scale: Whole = 2
    prompt: Text = ""

    async def request(self, context: NodeContext) -> ImageRequest:
        if self.scale < 1:
            raise NodeError(f"a picture is not enlarged {self.scale} times; choose a scale of 1 or more")
        content = await content_of(context, self.image, "image", "image")
        return ImageRequest(
            prompt=self.prompt, images=(media_of(content),), task="upscale", options={"scale": self.scale}
        )


class RemoveBackground(ImageModelNode):
    """Leaves only what is in front; the rest becomes see-through."""

    node_type: ClassVar[str] = "nodetool.image.RemoveBackground"

    image: ImageValue = None

    async def request(self, context: NodeContext) -> ImageRequest:
        content = await content_of(context, self.image, "image", "image")
        return ImageRequest(prompt="", images=(media_of(content),), task="remove_background")


class Relight(ImageModelNode):
    """Changes the light in a picture as a text says."""

    node_type: ClassVar[str] = "nodetool.image.Relight"

    image: ImageValue = None
    prompt: Text = ""
    negative_prompt: Text = ""

    async def request(self, context: NodeContext) -> ImageRequest:
        content = await content_of(context, self.image, "image", "image")
        return ImageRequest(
            prompt=self.prompt, negative_prompt=self.negative_prompt, images=(media_of(content),), task="relight"
        )


def tell_unused(context: NodeContext, entities: list[Any]) -> None:
    """Say that the people and things which a graph describes for a series of pictures do not reach the model."""
    if entities:
        context.log("entities are not passed on to the model; describe them in the prompt", "warning")


NODES: tuple[type[Node], ...] = (TextToImage, ImageToImage, Upscale, RemoveBackground, Relight)
