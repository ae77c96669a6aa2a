"""Write a text over a picture, half transparent, in one of five places. Needs Pillow (``greenrun[images]``)."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont, ImageOps, UnidentifiedImageError

from greenrun import Image, workflow

Position = Literal["bottom right", "bottom left", "top right", "top left", "centre"]

# Share of the free space left of and above the text.
PLACES: dict[Position, tuple[float, float]] = {
    "bottom right": (1.0, 1.0),
    "bottom left": (0.0, 1.0),
    "top right": (1.0, 0.0),
    "top left": (0.0, 0.0),
    "centre": (0.5, 0.5),
}


@dataclass
class Marked:
    """The picture with the text on it, and what was done."""

    picture: Image
    details: dict[str, Any]


@workflow(title="Watermark a picture")
def watermark(
    photo: Image,
    text: Annotated[str, {"max_length": 80}] = "© 2030",
    opacity: Annotated[int, {"min": 5, "max": 100}] = 60,
    size: Annotated[int, {"min": 2, "max": 30}] = 8,
    position: Position = "bottom right",
) -> Marked:
    """Draw `text` at `size` percent of the picture's height and `opacity` percent opaque."""
    if not text.strip():
        raise ValueError("There is no text to write on the picture.")
    base = _opened(photo)
    margin = max(4, base.height // 30)
    font = _font(text, base.height * size / 100, base.width - 2 * margin)
    layer = Pictures.new("RGBA", base.size, (0, 0, 0, 0))
    draw = ImageDraw.Draw(layer)
    left, top, right, bottom = draw.textbbox((0, 0), text, font=font)
    x = margin + (base.width - (right - left) - 2 * margin) * PLACES[position][0]
    y = margin + (base.height - (bottom - top) - 2 * margin) * PLACES[position][1]
    alpha = round(255 * opacity / 100)
    shadow = max(1, base.height // 300)
    draw.text((x - left + shadow, y - top + shadow), text, font=font, fill=(0, 0, 0, alpha // 2))
    draw.text((x - left, y - top), text, font=font, fill=(255, 255, 255, alpha))
    return Marked(_saved(Pictures.alpha_composite(base, layer), photo.name), _details(layer, opacity))


def _opened(photo: Image) -> Pictures.Image:
    try:
        picture = Pictures.open(io.BytesIO(photo.read_bytes()))
        return ImageOps.exif_transpose(picture).convert("RGBA")
    except (UnidentifiedImageError, OSError) as error:
        raise ValueError("This file is no picture that can be read. Use PNG, JPEG, WebP or GIF.") from error


def _font(text: str, height: float, room: int) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    """The font at that height, smaller where the text would be wider than there is room."""
    font = ImageFont.load_default(max(8, height))
    width = font.getlength(text)
    return font if width <= room else ImageFont.load_default(max(4, height * room / width))


def _details(layer: Pictures.Image, opacity: int) -> dict[str, Any]:
    """Measured on what was drawn, so that a mark that missed the picture shows."""
    left, top, right, bottom = layer.getbbox() or (0, 0, 0, 0)
    free_left, free_above = left / max(1, left + layer.width - right), top / max(1, top + layer.height - bottom)
    return {
        "Picture": f"{layer.width} × {layer.height} pixels",
        "Mark": f"{right - left} × {bottom - top} pixels, {opacity} % opaque",
        "Free space": f"{free_left:.0%} of it to the left, {free_above:.0%} above",
    }


def _saved(picture: Pictures.Image, source: str | None) -> Image:
    content = io.BytesIO()
    picture.convert("RGB").save(content, "PNG")
    stem = (source or "picture").rsplit(".", 1)[0]
    return Image.from_bytes(content.getvalue(), name=f"{stem}-marked.png", mime="image/png")
