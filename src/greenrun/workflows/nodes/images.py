"""Nodes that change pictures on this machine (spec: nodes B1)."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from greenrun.workflows.extras import missing_extra
from greenrun.workflows.media import edits, pictures
from greenrun.workflows.media.content import ImageValue, OptionalImage, content_of, make_ref, to_ref
from greenrun.workflows.media.saving import save_picture
from greenrun.workflows.media.work import in_thread
from greenrun.workflows.node import Effects, Node, NodeContext, NodeError, OutputSpec
from greenrun.workflows.ports import NO_ITEMS, Flag, Items, Number, PortType, Text, TextItems, Whole, to_items
from greenrun.workflows.type_meta import refers_to_media

if TYPE_CHECKING:
    from PIL.Image import Image

_IMAGE = (OutputSpec("output", "image"),)
_NEEDS = missing_extra("images")


def _choice(*options: str) -> PortType:
    return PortType("enum", options=options)


def _chosen(value: str, options: Any, name: str) -> str:
    """The choice in small letters.

    Raises:
        NodeError: It is none of the options.
    """
    plain = value.strip().lower().replace("_", "-")
    if plain not in options:
        raise NodeError(f'"{value[:40]}" is no {name}; choose one of: {", ".join(options)}')
    return plain


Colour = Annotated[Any, PortType("color")]
Position = Annotated[Text, _choice(*edits.POSITIONS)]
Fit = Annotated[Text, _choice(*edits.FITS)]


class PictureNode(Node):
    """Base of the nodes that make one picture from one; subclasses say how in `edit`."""

    outputs: ClassVar[tuple[OutputSpec, ...]] = _IMAGE
    unavailable: ClassVar[str | None] = _NEEDS

    image: ImageValue = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        content = await content_of(context, self.image, "image", "image")
        others = await self.others(context)
        made = await in_thread(context, lambda work: self._made(content.data, others))
        return {"output": await context.store_asset(made)}

    def _made(self, data: bytes, others: dict[str, bytes]) -> dict[str, Any]:
        picture = pictures.read_picture(data)
        return self.written(self.edit(picture.image, **others), picture)

    async def others(self, context: NodeContext) -> dict[str, bytes]:
        """The content of further files that `edit` takes, by the names of its parameters."""
        return {}

    def edit(self, image: Image) -> Image:
        """The new picture; runs in a thread."""
        raise NotImplementedError

    def written(self, image: Image, picture: pictures.Picture) -> dict[str, Any]:
        """The new picture as a reference, in the format of the old one where that is usual."""
        return pictures.picture_ref(image, picture.written_format)


class MaskedNode(PictureNode):
    """Base of the nodes whose change can be limited by a mask: white changes, black stays."""

    mask: OptionalImage = None

    async def others(self, context: NodeContext) -> dict[str, bytes]:
        if not refers_to_media(self.mask):
            return {}
        return {"mask": (await content_of(context, self.mask, "image", "mask")).data}

    def edit(self, image: Image, mask: bytes | None = None) -> Image:
        cover = None if mask is None else pictures.read_picture(mask).image
        return edits.masked(image, self.change(image), cover)

    def change(self, image: Image) -> Image:
        """The picture as it is where the mask is white."""
        raise NotImplementedError


class UnsharpMask(MaskedNode):
    """Sharpens. An amount of 0 changes nothing; differences below the threshold (0 to 1) are left alone."""

    node_type: ClassVar[str] = "lib.image.filter.UnsharpMask"

    amount: Number = 1
    threshold: Number = 0

    def change(self, image: Image) -> Image:
        return edits.unsharp_mask(image, self.amount, self.threshold)


class BrightnessContrast(MaskedNode):
    """Brightness from -1 to 1 is added; contrast is a factor around middle grey, 1 changes nothing."""

    node_type: ClassVar[str] = "lib.image.color.BrightnessContrast"
    title: ClassVar[str] = "Brightness and Contrast"

    brightness: Number = 0
    contrast: Number = 1

    def change(self, image: Image) -> Image:
        return edits.brightness_contrast(image, self.brightness, max(0, self.contrast))


class Resize(PictureNode):
    """A new size: fit keeps the picture whole, cover fills the size and cuts edges off, exact stretches. 0 follows the shape."""

    node_type: ClassVar[str] = "greenrun.image.Resize"

    width: Whole = 0
    height: Whole = 0
    fit: Fit = "fit"

    def edit(self, image: Image) -> Image:
        return edits.resize(image, self.width, self.height, _chosen(self.fit, edits.FITS, "fit"))


class Crop(PictureNode):
    """A part of the picture, in pixels from its top left corner; a width or height of 0 reaches to the edge."""

    node_type: ClassVar[str] = "greenrun.image.Crop"

    left: Whole = 0
    top: Whole = 0
    width: Whole = 0
    height: Whole = 0

    def edit(self, image: Image) -> Image:
        return edits.crop(image, self.left, self.top, self.width, self.height)


class Rotate(PictureNode):
    """Turns clockwise by degrees. With `expand` the picture grows so that nothing is cut off."""

    node_type: ClassVar[str] = "greenrun.image.Rotate"

    angle: Number = 90
    expand: Flag = True
    background: Colour = "transparent"

    def edit(self, image: Image) -> Image:
        return edits.rotate(image, self.angle, edits.colour(self.background, "transparent"), expand=self.expand)

    def written(self, image: Image, picture: pictures.Picture) -> dict[str, Any]:
        return pictures.picture_ref(image, _alpha_format(image, picture))


class Flip(PictureNode):
    """Mirrors: horizontal swaps left and right, vertical top and bottom."""

    node_type: ClassVar[str] = "greenrun.image.Flip"

    direction: Annotated[Text, _choice("horizontal", "vertical", "both")] = "horizontal"

    def edit(self, image: Image) -> Image:
        return edits.flip(image, _chosen(self.direction, ("horizontal", "vertical", "both"), "direction"))


class Grayscale(PictureNode):
    """The picture in greys."""

    node_type: ClassVar[str] = "greenrun.image.Grayscale"

    def edit(self, image: Image) -> Image:
        return edits.grayscale(image)


class Blur(PictureNode):
    """Blurs by a radius in pixels."""

    node_type: ClassVar[str] = "greenrun.image.Blur"

    radius: Number = 4

    def edit(self, image: Image) -> Image:
        return edits.blur(image, self.radius)


class Convert(PictureNode):
    """Another file format; `quality` from 1 to 100 is for jpeg, webp and avif."""

    node_type: ClassVar[str] = "greenrun.image.Convert"

    format: Annotated[Text, _choice("png", "jpeg", "webp", "avif", "gif", "bmp", "tiff")] = "png"
    quality: Annotated[Whole, Field(ge=1, le=100)] = 90

    def edit(self, image: Image) -> Image:
        return image

    def written(self, image: Image, picture: pictures.Picture) -> dict[str, Any]:
        name = _chosen(self.format, pictures.FORMATS, "format")
        return pictures.picture_ref(image, pictures.FORMATS[name], self.quality)


class DrawText(PictureNode):
    """Writes on the picture. Size 0 follows the picture; an opacity below 1 makes a watermark; `font` is a file here."""

    node_type: ClassVar[str] = "greenrun.image.DrawText"

    text: Text = ""
    size: Number = 0
    color: Colour = "#ffffff"
    outline: Colour = "#000000"
    position: Position = "bottom-right"
    margin: Whole = -1
    opacity: Number = 1
    font: Text = ""

    async def others(self, context: NodeContext) -> dict[str, bytes]:
        path = self.font.strip()
        return {"font": await asyncio.to_thread(context.files().read_bytes, path)} if path else {}

    def edit(self, image: Image, font: bytes | None = None) -> Image:
        return edits.draw_text(
            image,
            self.text,
            size=self.size,
            ink=edits.colour(self.color, "#ffffff"),
            outline=edits.colour(self.outline) if self.outline not in (None, "", "transparent") else None,
            position=_chosen(self.position, edits.POSITIONS, "position"),
            margin=self.margin,
            opacity=self.opacity,
            font_file=font,
        )


class Composite(PictureNode):
    """Lays another picture on the picture, at a position and moved from there; what reaches beyond is cut off."""

    node_type: ClassVar[str] = "greenrun.image.Composite"

    overlay: ImageValue = None
    position: Position = "top-left"
    left: Whole = 0
    top: Whole = 0
    scale: Annotated[Number, Field(gt=0, le=100)] = 1
    opacity: Number = 1

    async def others(self, context: NodeContext) -> dict[str, bytes]:
        return {"overlay": (await content_of(context, self.overlay, "image", "overlay")).data}

    def edit(self, image: Image, overlay: bytes = b"") -> Image:
        return edits.paste(
            image,
            pictures.read_picture(overlay).image,
            position=_chosen(self.position, edits.POSITIONS, "position"),
            left=self.left,
            top=self.top,
            scale=self.scale,
            opacity=self.opacity,
        )


class Info(Node):
    """Width and height in pixels, the file format, and the colour mode."""

    node_type: ClassVar[str] = "greenrun.image.Info"
    title: ClassVar[str] = "Image Info"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("width", "int"),
        OutputSpec("height", "int"),
        OutputSpec("format", "str"),
        OutputSpec("mode", "str"),
    )
    unavailable: ClassVar[str | None] = _NEEDS

    image: ImageValue = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        content = await content_of(context, self.image, "image", "image")
        return asdict(await in_thread(context, lambda work: pictures.picture_facts(content.data)))


class ContactSheet(Node):
    """Pictures side by side in equal cells; 0 columns makes it nearly square. Further inputs are further pictures."""

    node_type: ClassVar[str] = "greenrun.image.ContactSheet"
    outputs: ClassVar[tuple[OutputSpec, ...]] = _IMAGE
    unavailable: ClassVar[str | None] = _NEEDS
    dynamic_inputs: ClassVar[bool] = True

    images: Annotated[Items, PortType("list[image]")] = NO_ITEMS
    columns: Annotated[Whole, Field(ge=0, le=100)] = 0
    cell: Annotated[Whole, Field(ge=16, le=2048)] = 256
    gap: Annotated[Whole, Field(ge=0, le=512)] = 8
    background: Colour = "#ffffff"
    captions: TextItems = NO_ITEMS

    async def process(self, context: NodeContext) -> dict[str, Any]:
        values = [*self.images, *(item for value in self.dynamic.values() for item in to_items(value))]
        refs = [to_ref(value, "image") for value in values if value is not None]
        if not refs:
            raise NodeError("there are no images; connect at least one")
        if len(refs) > _MOST_CELLS:
            raise NodeError(f"there are {len(refs)} images; at most {_MOST_CELLS} fit on a sheet")
        shrunk = []
        for place, ref in enumerate(refs):
            content = await content_of(context, ref, "image", "images")
            # One after the other, so that never more than one large picture is in memory.
            shrunk.append(await in_thread(context, lambda work, data=content.data: self._cell(data)))
            context.progress(place + 1, len(refs))
        made = await in_thread(context, lambda work: self._sheet(shrunk))
        return {"output": await context.store_asset(made)}

    def _cell(self, data: bytes) -> Image:
        return edits.shrunk(pictures.read_picture(data).image, self.cell)

    def _sheet(self, images: list[Image]) -> dict[str, Any]:
        sheet = edits.contact_sheet(
            images,
            columns=self.columns,
            cell=self.cell,
            gap=self.gap,
            background=edits.colour(self.background, "#ffffff"),
            captions=[str(caption) for caption in self.captions],
        )
        return pictures.picture_ref(sheet, "PNG")


_MOST_CELLS = 400


class SaveImageFile(Node):
    """Writes the picture into the workspace. %Y %m %d %H %M %S in the name stand for the time; its ending says the format."""

    node_type: ClassVar[str] = "nodetool.image.SaveImageFile"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "image"), OutputSpec("path", "str"))
    effects: ClassVar[Effects] = "local"

    image: ImageValue = None
    save_to_workspace: Flag = True
    folder: Text = ""
    filename: Text = ""
    overwrite: Flag = False

    async def process(self, context: NodeContext) -> dict[str, Any]:
        if not self.save_to_workspace and not self.folder.strip():
            raise NodeError("there is no place to save to; switch save_to_workspace on, or name a folder")
        content = await content_of(context, self.image, "image", "image")
        files = context.files()
        place = (self.folder.strip(), self.filename.strip())
        data, mime, path = await asyncio.to_thread(save_picture, files, content, *place, overwrite=self.overwrite)
        ref = await in_thread(context, lambda work: make_ref("image", data, mime, path.rpartition("/")[2]))
        return {"output": await context.store_asset(ref), "path": path}


def _alpha_format(image: Image, picture: pictures.Picture) -> str:
    """The format of the old picture, unless the new one has see-through parts that it cannot hold."""
    held = picture.written_format
    return "PNG" if held == "JPEG" and pictures.has_alpha(image) else held


NODES: tuple[type[Node], ...] = (
    SaveImageFile,
    UnsharpMask,
    BrightnessContrast,
    Resize,
    Crop,
    Rotate,
    Flip,
    Grayscale,
    Blur,
    Convert,
    DrawText,
    Composite,
    Info,
    ContactSheet,
)
