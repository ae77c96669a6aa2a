"""Changes to a picture: size, frame, colours, sharpness, and what is laid over it (needs Pillow).

Each function takes pictures in the working modes of `greenrun.workflows.media.pictures` and gives one back.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from greenrun.document.values import is_record
from greenrun.workflows.media.fonts import font_for, nearest_font
from greenrun.workflows.media.pictures import check_size, has_alpha, on_alpha, strips, with_alpha
from greenrun.workflows.node import NodeError

if TYPE_CHECKING:
    from PIL.Image import Image

FITS: Final = ("fit", "cover", "exact")
"""How a picture gets a size: inside it, filling it with the edges cut off, or stretched to it."""

# Where something lies on a picture: the part of the free space to its left and above it.
POSITIONS: Final[dict[str, tuple[float, float]]] = {
    "top-left": (0, 0),
    "top": (0.5, 0),
    "top-right": (1, 0),
    "left": (0, 0.5),
    "center": (0.5, 0.5),
    "right": (1, 0.5),
    "bottom-left": (0, 1),
    "bottom": (0.5, 1),
    "bottom-right": (1, 1),
}


def colour(value: Any, default: str = "#000000") -> tuple[int, int, int, int]:
    """Red, green, blue and alpha of a colour value, a name, or ``#rrggbb``; the default for nothing.

    Raises:
        NodeError: It is no colour.
    """
    from PIL import ImageColor

    text = value.get("value") if is_record(value) else value
    text = default if text in (None, "") else text
    if text == "transparent":
        return (0, 0, 0, 0)
    try:
        found = ImageColor.getcolor(text, "RGBA") if isinstance(text, str) else text
    except ValueError:
        found = None
    if not isinstance(found, tuple) or len(found) != 4:
        raise NodeError(f'"{str(text)[:40]}" is no colour; give one such as #ff8800, or a name such as orange')
    return found


def wanted_size(size: tuple[int, int], width: int, height: int) -> tuple[int, int]:
    """The size asked for; a side of 0 or less follows from the other one and the shape of the picture.

    Raises:
        NodeError: Neither side is given, or the size is too large.
    """
    if width <= 0 and height <= 0:
        raise NodeError("no size is given; set width, height or both")
    if width <= 0:
        width = max(1, round(size[0] * height / size[1]))
    if height <= 0:
        height = max(1, round(size[1] * width / size[0]))
    check_size(width, height)
    return width, height


def resize(image: Image, width: int, height: int, fit: str = "fit") -> Image:
    """The picture at a size, in one of the ways of `FITS`."""
    from PIL import ImageOps
    from PIL.Image import Resampling

    size = wanted_size(image.size, width, height)
    profile = image.info
    if fit == "cover":
        made = ImageOps.fit(image, size, Resampling.LANCZOS)
    elif fit == "fit":
        scale = min(size[0] / image.width, size[1] / image.height)
        inside = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        made = image.resize(inside, Resampling.LANCZOS)
    else:
        made = image.resize(size, Resampling.LANCZOS)
    made.info = dict(profile)
    return made


def crop(image: Image, left: int, top: int, width: int, height: int) -> Image:
    """A part of the picture; a width or height of 0 or less reaches to the edge, and so does one that goes beyond it.

    Raises:
        NodeError: Nothing of the picture is in that part.
    """
    right = image.width if width <= 0 else min(image.width, left + width)
    bottom = image.height if height <= 0 else min(image.height, top + height)
    left, top = max(0, left), max(0, top)
    if left >= right or top >= bottom:
        raise NodeError(f"nothing of the picture of {image.width} x {image.height} pixels is in that part; move it")
    return image.crop((left, top, right, bottom))


def rotate(image: Image, angle: float, background: tuple[int, int, int, int], *, expand: bool = True) -> Image:
    """The picture turned clockwise by degrees. Corners that come free get the background."""
    from PIL.Image import Resampling, Transpose

    # Pillow counts counter-clockwise. Quarter turns move pixels and compute none.
    quarters: dict[float, Transpose | None] = {
        0: None,
        90: Transpose.ROTATE_270,
        180: Transpose.ROTATE_180,
        270: Transpose.ROTATE_90,
    }
    turn = angle % 360
    if turn in quarters and (expand or turn in (0, 180)):
        method = quarters[turn]
        return image if method is None else image.transpose(method)
    if expand:
        width, height = _turned_size(image.size, turn)
        check_size(width, height)
    base = with_alpha(image) if background[3] < 255 or has_alpha(image) else image.convert("RGB")
    fill = background if base.mode == "RGBA" else background[:3]
    made = base.rotate(-turn, Resampling.BICUBIC, expand=expand, fillcolor=fill)
    made.info = dict(image.info)
    return made


def _turned_size(size: tuple[int, int], angle: float) -> tuple[int, int]:
    cosine, sine = abs(math.cos(math.radians(angle))), abs(math.sin(math.radians(angle)))
    return math.ceil(size[0] * cosine + size[1] * sine), math.ceil(size[0] * sine + size[1] * cosine)


def flip(image: Image, direction: str) -> Image:
    """The picture mirrored: ``horizontal`` swaps left and right, ``vertical`` top and bottom, ``both`` both."""
    from PIL.Image import Transpose

    methods = {
        "horizontal": Transpose.FLIP_LEFT_RIGHT,
        "vertical": Transpose.FLIP_TOP_BOTTOM,
        "both": Transpose.ROTATE_180,
    }
    return image.transpose(methods[direction])


def grayscale(image: Image) -> Image:
    """The picture in greys."""
    made = image.convert("LA" if has_alpha(image) else "L")
    made.info = {}
    return made


def blur(image: Image, radius: float) -> Image:
    """The picture blurred by a Gaussian of that many pixels; see-through edges are blurred with it."""
    from PIL import ImageFilter

    if radius <= 0:
        return image
    radius = min(radius, max(image.size))
    if not has_alpha(image):
        return image.filter(ImageFilter.GaussianBlur(radius))
    # Colours weighted by alpha, so that what is invisible does not bleed into what is seen.
    weighted = with_alpha(image).convert("RGBa").filter(ImageFilter.GaussianBlur(radius)).convert("RGBA")
    return weighted.convert("LA") if image.mode == "LA" else weighted


def unsharp_mask(image: Image, amount: float, threshold: float, radius: float = 2.0) -> Image:
    """The picture sharpened. `amount` 0 changes nothing, 1 is strong; below `threshold` (0 to 1) nothing is sharpened."""
    from PIL import ImageFilter

    if amount <= 0:
        return image
    percent, least = round(amount * 100), round(max(0.0, min(threshold, 1.0)) * 255)
    return on_alpha(image, lambda part: part.filter(ImageFilter.UnsharpMask(radius, percent, least)))


def brightness_contrast(image: Image, brightness: float, contrast: float) -> Image:
    """Contrast is a factor around middle grey, brightness from -1 to 1 is added after it."""
    table = [max(0, min(255, round(((value / 255 - 0.5) * contrast + 0.5 + brightness) * 255))) for value in range(256)]

    def change(part: Image) -> Image:
        made = part.copy()
        for box in strips(part.size):
            made.paste(part.crop(box).point(table * len(part.getbands())), box)
        return made

    return on_alpha(image, change)


def masked(image: Image, changed: Image, mask: Image | None) -> Image:
    """The changed picture where the mask is white, the first one where it is black; without a mask, the changed one."""
    from PIL import Image as Images

    if mask is None:
        return changed
    grey = mask.convert("L").resize(image.size)
    made = Images.composite(changed.convert(image.mode), image, grey)
    made.info = dict(image.info)
    return made


def paste(
    image: Image, over: Image, *, position: str, left: int, top: int, scale: float = 1.0, opacity: float = 1.0
) -> Image:
    """One picture on another: at a position, moved by `left` and `top` pixels; what reaches beyond is cut off."""
    from PIL.Image import Resampling

    layer = with_alpha(over)
    if scale != 1:
        size = (max(1, round(layer.width * scale)), max(1, round(layer.height * scale)))
        check_size(*size)
        layer = layer.resize(size, Resampling.LANCZOS)
    if opacity < 1:
        layer = _faded(layer, opacity)
    across, down = POSITIONS[position]
    place = (round((image.width - layer.width) * across) + left, round((image.height - layer.height) * down) + top)
    return _laid_over(image, layer, place)


def _faded(layer: Image, opacity: float) -> Image:
    table = [round(value * max(0.0, min(opacity, 1.0))) for value in range(256)]
    made = layer.copy()
    for box in strips(layer.size):
        part = layer.crop(box)
        part.putalpha(part.getchannel("A").point(table))
        made.paste(part, box)
    return made


def _laid_over(image: Image, layer: Image, place: tuple[int, int]) -> Image:
    """The picture with a layer whose top left corner is at a place, also outside the picture."""
    from PIL import Image as Images

    base = with_alpha(image) if has_alpha(image) else image.convert("RGB")
    made = base.copy()
    made.info = {} if image.mode in ("L", "LA") else dict(image.info)
    left, top = max(0, place[0]), max(0, place[1])
    right, bottom = min(base.width, place[0] + layer.width), min(base.height, place[1] + layer.height)
    if left >= right or top >= bottom:
        return made
    for _, above, _, below in strips((right - left, bottom - top)):
        box = (left, top + above, right, top + below)
        part = layer.crop((box[0] - place[0], box[1] - place[1], box[2] - place[0], box[3] - place[1]))
        if base.mode == "RGBA":
            made.paste(Images.alpha_composite(base.crop(box), part), box)
        else:
            made.paste(part.convert("RGB"), box, mask=part.getchannel("A"))
    return made


def draw_text(
    image: Image,
    text: str,
    *,
    size: float = 0,
    ink: tuple[int, int, int, int] = (255, 255, 255, 255),
    outline: tuple[int, int, int, int] | None = None,
    position: str = "bottom-right",
    margin: int = -1,
    opacity: float = 1.0,
    font_file: bytes | None = None,
) -> Image:
    """A text on the picture, in lines that fit its width.

    `size` in pixels; 0 is a twentieth of the shorter side. A negative `margin` is half of the size.

    Raises:
        NodeError: `font_file` is no font, or without one no font here has the letters.
    """
    from PIL import Image as Images
    from PIL import ImageDraw

    if not text.strip():
        return image
    pixels = min(size, max(image.size)) if size > 0 else max(10.0, min(image.size) / 20)
    text = text[:_MOST_LETTERS]
    font = font_for(text, pixels, font_file)
    edge = round(pixels / 2) if margin < 0 else margin
    stroke = max(1, round(pixels / 16)) if outline is not None else 0
    block = "\n".join(_wrapped(text, font, image.width - 2 * (edge + stroke)))
    across, down = POSITIONS[position]
    align = {0: "left", 0.5: "center", 1: "right"}[across]
    measure = ImageDraw.Draw(Images.new("RGBA", (1, 1)))
    box = measure.multiline_textbbox((0, 0), block, font=font, align=align, stroke_width=stroke)
    left, top, right, bottom = math.floor(box[0]), math.floor(box[1]), math.ceil(box[2]), math.ceil(box[3])
    # What does not fit on the picture is not drawn: a text may be as long as it likes.
    size_of_layer = (min(right - left, image.width) + 1, min(bottom - top, image.height) + 1)
    layer = Images.new("RGBA", size_of_layer, (0, 0, 0, 0))
    ImageDraw.Draw(layer).multiline_text(
        (-left, -top), block, font=font, fill=ink, align=align, stroke_width=stroke, stroke_fill=outline or ink
    )
    place = (
        edge + max(0, round((image.width - 2 * edge - layer.width) * across)),
        edge + max(0, round((image.height - 2 * edge - layer.height) * down)),
    )
    return _laid_over(image, _faded(layer, opacity) if opacity < 1 else layer, place)


_MOST_LETTERS: Final = 5_000


def _wrapped(text: str, font: Any, width: float) -> list[str]:
    """The lines of a text, broken at spaces, and inside a word only where it is wider than a line."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            joined = f"{line} {word}" if line else word
            if font.getlength(joined) <= width:
                line = joined
                continue
            if line:
                lines.append(line)
            *full, line = _broken(word, font, width)
            lines.extend(full)
        lines.append(line)
    return lines


def _broken(word: str, font: Any, width: float) -> list[str]:
    parts = [""]
    for letter in word:
        if parts[-1] and font.getlength(parts[-1] + letter) > width:
            parts.append("")
        parts[-1] += letter
    return parts


def contact_sheet(
    images: list[Image],
    *,
    columns: int,
    cell: int,
    gap: int,
    background: tuple[int, int, int, int],
    captions: list[str],
) -> Image:
    """Pictures side by side in equal cells, each shrunk into its cell, with its caption below."""
    from PIL import Image as Images
    from PIL import ImageDraw

    across = columns if columns > 0 else math.ceil(math.sqrt(len(images)))
    across = min(across, len(images))
    down = math.ceil(len(images) / across)
    captions = [caption[:_MOST_LETTERS] for caption in captions[: len(images)]]
    font = nearest_font("".join(captions) + "…", max(10.0, cell / 16))
    line = round(max(10.0, cell / 16) * 1.6) if any(captions) else 0
    size = (across * (cell + gap) + gap, down * (cell + line + gap) + gap)
    check_size(*size)
    sheet = Images.new("RGBA", size, background)
    draw = ImageDraw.Draw(sheet)
    ink = (0, 0, 0, 255) if sum(background[:3]) > 380 or background[3] < 128 else (255, 255, 255, 255)
    for place, image in enumerate(images):
        left = gap + place % across * (cell + gap)
        top = gap + place // across * (cell + line + gap)
        thumbnail = with_alpha(shrunk(image, cell))
        sheet.alpha_composite(thumbnail, (left + (cell - thumbnail.width) // 2, top + (cell - thumbnail.height) // 2))
        caption = _shortened(captions[place], font, cell) if place < len(captions) else ""
        if caption:
            draw.text((left + cell / 2, top + cell + line / 2), caption, font=font, fill=ink, anchor="mm")
    return sheet.convert("RGB") if background[3] == 255 else sheet


def shrunk(image: Image, side: int) -> Image:
    """The picture inside a square of that side; a smaller one stays as it is."""
    if max(image.size) <= side:
        return image
    return resize(image, side, side)


def _shortened(text: str, font: Any, width: float) -> str:
    """One line of the text, with an ellipsis where it does not fit."""
    line = " ".join(text.split())
    if font.getlength(line) <= width:
        return line
    while line and font.getlength(f"{line}…") > width:
        line = line[:-1]
    return f"{line}…"
