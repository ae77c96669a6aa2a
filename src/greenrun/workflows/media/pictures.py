"""Pictures: read from bytes whatever their format and colours, and written again (needs Pillow)."""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from greenrun.workflows.media.content import make_ref
from greenrun.workflows.media.sniff import extension_of, sniff
from greenrun.workflows.node import NodeError

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_PIXELS: Final = 80_000_000
"""Below Pillow's own bound, so that ours is met first. A picture of this size takes 320 MB while it is worked on."""

MAX_SIDE: Final = 16_384

MAX_SCANS: Final = 100
"""Most passes in which a JPEG file tells its picture; ten are usual, and each costs as much as a whole picture."""

MAX_PLAIN_VALUES: Final = 4_000_000
"""Most numbers in a picture that is written as text, which is read one by one."""

# What is read. Others either run foreign programs (EPS), or are rare and their decoders little tested.
_READ: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF", "ICO", "JPEG2000", "MPO", "PPM")

_MIMES: Final[dict[str, str]] = {
    "AVIF": "image/avif",
    "BMP": "image/bmp",
    "GIF": "image/gif",
    "JPEG": "image/jpeg",
    "PNG": "image/png",
    "TIFF": "image/tiff",
    "WEBP": "image/webp",
}
FORMATS: Final[dict[str, str]] = {name.lower(): name for name in _MIMES} | {"jpg": "JPEG", "tif": "TIFF"}
"""Formats that are written, by the names that people use."""

_KEPT: Final = frozenset({"JPEG", "PNG", "WEBP"})
"""Formats in which an edited picture stays; from any other it becomes a PNG."""

_UNREADABLE: Final[dict[str, str]] = {
    "image/svg+xml": "an SVG drawing, which is not rendered here; export it as PNG",
    "image/heic": "a HEIC photo, which is not read here; export it as JPEG",
    "image/vnd.adobe.photoshop": "a Photoshop document, which is not read here; export it as PNG",
}

_LIKE: Final[dict[str, str]] = {
    "1": "L",
    "CMYK": "RGB",
    "HSV": "RGB",
    "LA": "LA",
    "LAB": "RGB",
    "La": "LA",
    "L": "L",
    "PA": "RGBA",
    "RGB": "RGB",
    "RGBA": "RGBA",
    "RGBX": "RGB",
    "RGBa": "RGBA",
    "YCbCr": "RGB",
}
"""The working mode for a stored one: grey or colour, with or without alpha, eight bits each."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture in one of the modes L, LA, RGB and RGBA, upright; `format` is that of its file, `mode` as stored."""

    image: Image
    format: str
    mode: str

    @property
    def written_format(self) -> str:
        """The format in which an edited version is written."""
        return self.format if self.format in _KEPT else "PNG"


@dataclass(frozen=True, slots=True)
class PictureFacts:
    """What a file says about its picture. Width and height in pixels, of the upright picture."""

    width: int
    height: int
    format: str
    mode: str


def read_picture(data: bytes) -> Picture:
    """The picture in a file, turned upright as its camera noted; of a moving one the first frame.

    Raises:
        NodeError: It is no picture that is read here, damaged, or too large; the text says which.
    """
    image = _opened(data)
    mode, file_format = image.mode, image.format or "PNG"
    _check_effort(image, data)
    try:
        image.load()
        return Picture(_normalised(_upright(image)), "JPEG" if file_format == "MPO" else file_format, mode)
    except Exception as error:
        # Decoders raise whatever comes to them from damaged content.
        raise NodeError(f"the picture is damaged or cut off ({_reason(error)}); give the whole file") from error


def picture_facts(data: bytes) -> PictureFacts:
    """Size, format and mode, without decoding the picture.

    Raises:
        NodeError: As `read_picture`, as far as the head of the file shows it.
    """
    image = _opened(data)
    width, height = image.size
    if _orientation(image) in _SIDEWAYS:
        width, height = height, width
    return PictureFacts(width, height, "JPEG" if image.format == "MPO" else image.format or "", image.mode)


_ORIENTATION = 0x0112
_SIDEWAYS = frozenset({5, 6, 7, 8})


def _orientation(image: Image) -> Any:
    """What the camera noted; None where the note itself is damaged, which says nothing about the picture."""
    try:
        return image.getexif().get(_ORIENTATION)
    except Exception:
        return None


def _upright(image: Image) -> Image:
    from PIL import ImageOps

    return image if _orientation(image) in (None, 1) else ImageOps.exif_transpose(image)


def _opened(data: bytes) -> Image:
    from PIL import Image, UnidentifiedImageError

    why = _UNREADABLE.get(sniff(data) or "")
    if why is not None:
        raise NodeError(f"the picture is {why}")
    _check_icon(data)
    # Formats are known to Pillow once all its plugins are loaded, and which ones it has depends on its version.
    Image.init()
    try:
        image = Image.open(io.BytesIO(data), formats=[name for name in _READ if name in Image.OPEN])
    except UnidentifiedImageError:
        raise NodeError("this is no picture that is read here; give a PNG, JPEG, WebP or GIF file") from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise NodeError(_too_many_pixels()) from None
    except Exception as error:
        raise NodeError(f"the picture is damaged ({_reason(error)}); give the whole file") from error
    check_size(*image.size)
    return image


def _check_icon(data: bytes) -> None:
    """Raise when a picture in an icon file is too large: Pillow decodes it before it says its size."""
    if not data.startswith(b"\0\0\1\0") or len(data) < 6:
        return
    (count,) = struct.unpack_from("<H", data, 4)
    for entry in range(6, min(6 + count * 16, len(data) - 15), 16):
        (offset,) = struct.unpack_from("<I", data, entry + 12)
        head = data[offset : offset + 24]
        if len(head) < 24:
            continue
        if head.startswith(b"\x89PNG"):
            width, height = struct.unpack_from(">II", head, 16)
        else:
            # A bitmap, whose height counts its mask too.
            width, height = struct.unpack_from("<ii", head, 4)
            width, height = abs(width), abs(height) // 2
        if width and height:
            check_size(width, height)


_MARKER: Final = re.compile(rb"\xff([^\x00\xff\xd0-\xd7])")
_END_OF_PICTURE, _SCAN, _WITHOUT_LENGTH = 0xD9, 0xDA, (0x01, 0xD8)


def _scans(data: bytes) -> int:
    """In how many passes a JPEG file tells its first picture."""
    scans = 0
    # Next to nothing else in a file looks like the start of a pass, so most files need no closer look.
    position = 0 if data.count(bytes((0xFF, _SCAN))) > MAX_SCANS else len(data)
    while match := _MARKER.search(data, position):
        position = match.end()
        marker = match[1][0]
        if marker == _END_OF_PICTURE:
            break
        scans += marker == _SCAN
        if marker not in _WITHOUT_LENGTH:
            position += int.from_bytes(data[position : position + 2], "big")
    return scans


def _check_effort(image: Image, data: bytes) -> None:
    """Raise when a file is made, or might as well be, to take long to decode."""
    if image.format in ("JPEG", "MPO") and _scans(data) > MAX_SCANS:
        raise NodeError(f"the picture is told in more than {MAX_SCANS} passes; save it as a plain JPEG or PNG")
    values = image.width * image.height * len(image.getbands())
    if image.format == "PPM" and data[:2] in (b"P1", b"P2", b"P3") and values > MAX_PLAIN_VALUES:
        raise NodeError("the picture is written as text and too large for that; save it as PNG")


def check_size(width: int, height: int) -> None:
    """Raise unless a picture of this size may be worked on.

    Raises:
        NodeError: It has no pixels or too many.
    """
    if width < 1 or height < 1:
        raise NodeError(f"a picture of {width} x {height} pixels has nothing in it; choose a larger size")
    if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE * 4:
        raise NodeError(_too_many_pixels(f"{width} x {height}"))


def _too_many_pixels(size: str = "") -> str:
    named = f"the picture of {size} pixels" if size else "the picture"
    return f"{named} is too large; at most {MAX_PIXELS // 1_000_000} million pixels are worked on"


def _reason(error: Exception) -> str:
    return str(error).strip() or type(error).__name__


def _normalised(image: Image) -> Image:
    """The picture in a working mode, with the colour profile when it still fits."""
    profile = image.info.get("icc_profile")
    if image.mode == "P":
        made = image.convert("RGBA" if "transparency" in image.info else "RGB")
    elif image.mode == "CMYK":
        made, profile = _from_cmyk(image, profile), None
    elif image.mode.startswith(("I", "F")):
        made, profile = _eight_bits(image), None
    elif image.mode in ("L", "RGB") and "transparency" in image.info:
        # A PNG may name one colour that is see-through.
        made = image.convert("RGBA")
    else:
        mode = _LIKE.get(image.mode, "RGB")
        made = image if image.mode == mode else image.convert(mode)
    made.info = {"icc_profile": profile} if profile else {}
    return made


def _from_cmyk(image: Image, profile: bytes | None) -> Image:
    from PIL import ImageCms

    if profile:
        try:
            target = ImageCms.createProfile("sRGB")
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            converted = ImageCms.profileToProfile(image, source, target, outputMode="RGB")
            if converted is not None:
                return converted
        except (ImageCms.PyCMSError, OSError):
            # A profile that cannot be used is as good as none.
            pass
    return image.convert("RGB")


def _eight_bits(image: Image) -> Image:
    """Sixteen bits of grey, or numbers of any range, as eight bits."""
    if image.mode.startswith("I;16"):
        return image.convert("I").point(lambda value: value * (1 / 257)).convert("L")
    low, high = (float(bound) for bound in image.getextrema())  # pyright: ignore[reportArgumentType]
    if image.mode == "I" and low >= 0 and high <= 65_535:
        low, high = 0.0, 65_535.0 if high > 255 else 255.0
    scale = 255 / (high - low) if high > low else 0.0
    return image.convert("F").point(lambda value: value * scale - low * scale).convert("L")


def has_alpha(image: Image) -> bool:
    """Whether pixels may be see-through."""
    return image.mode in ("LA", "RGBA")


def with_alpha(image: Image) -> Image:
    """The picture in colours with alpha."""
    return image if image.mode == "RGBA" else image.convert("RGBA")


def without_alpha(image: Image, background: tuple[int, ...] = (255, 255, 255)) -> Image:
    """The picture on a plain background."""
    from PIL import Image as Images

    if not has_alpha(image):
        return image
    flat = Images.new("RGB", image.size, background[:3])
    for box in strips(image.size):
        part = image.crop(box)
        flat.paste(part.convert("RGB"), box, mask=part.getchannel("A"))
    return flat.convert("L") if image.mode == "LA" and len(set(background[:3])) == 1 else flat


def on_alpha(image: Image, change: Callable[[Image], Image]) -> Image:
    """Change the colours and leave the alpha channel as it is."""
    if not has_alpha(image):
        return change(image)
    made = change(image.convert("L" if image.mode == "LA" else "RGB"))
    made = made.convert("LA" if made.mode == "L" else "RGBA")
    for box in strips(image.size):
        part = made.crop(box)
        part.putalpha(image.crop(box).getchannel("A"))
        made.paste(part, box)
    return made


_STRIP: Final = 1_000_000


def strips(size: tuple[int, int]) -> Iterator[tuple[int, int, int, int]]:
    """Boxes of whole rows that cover a picture of this size, of about a million pixels each.

    While Pillow works pixel by pixel it lets no other thread run, the event loop's among them; a strip takes some milliseconds.
    """
    width, height = size
    rows = max(1, _STRIP // width)
    for top in range(0, height, rows):
        yield 0, top, width, min(height, top + rows)


def encode(image: Image, file_format: str, quality: int = 90) -> bytes:
    """The picture as a file. A format without alpha gets a white background; `quality` 1 to 100 is for lossy ones.

    Raises:
        NodeError: This installation of Pillow does not write the format.
    """
    from PIL import features

    if file_format == "AVIF" and not features.check("avif"):
        raise NodeError("this installation of Pillow writes no AVIF; choose webp")
    profile = image.info.get("icc_profile")
    if file_format in ("JPEG", "BMP"):
        image = without_alpha(image)
    options: dict[str, Any] = dict(_OPTIONS.get(file_format, {}))
    if file_format in ("JPEG", "WEBP", "AVIF"):
        options["quality"] = max(1, min(quality, 95 if file_format == "JPEG" else 100))
    if profile and file_format in ("JPEG", "PNG", "WEBP", "TIFF"):
        options["icc_profile"] = profile
    buffer = io.BytesIO()
    image.save(buffer, format=file_format, **options)
    return buffer.getvalue()


_OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "TIFF": {"compression": "tiff_lzw"},
    "WEBP": {"method": 4},
}


def picture_ref(image: Image, file_format: str, quality: int = 90) -> dict[str, Any]:
    """The picture as a media reference that carries it."""
    mime = _MIMES[file_format]
    return make_ref("image", encode(image, file_format, quality), mime, f"picture.{extension_of(mime)}")
