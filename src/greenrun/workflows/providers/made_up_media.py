"""Made-up pictures, sounds, films and vectors, drawn on this machine."""

from __future__ import annotations

import hashlib
import io
import math
import re
import struct
import wave
import zlib
from typing import TYPE_CHECKING, Any, Final

from greenrun.workflows.extras import is_installed, missing_extra
from greenrun.workflows.node import NodeError
from greenrun.workflows.providers.errors import ProviderError
from greenrun.workflows.providers.interface import ImageRequest, Media, SpeechRequest, VideoRequest

if TYPE_CHECKING:
    from PIL.Image import Image

SIDE: Final = 512
GREATEST_SIDE: Final = 2048
FRAME: Final = (320, 240)
FRAMES_PER_SECOND: Final = 8
LONGEST_VIDEO: Final = 4.0
RATE: Final = 16_000
LONGEST_SPEECH: Final = 3.0
DIMENSIONS: Final = 64

_RATIO: Final = re.compile(r"(\d{1,4})\s*[:x/]\s*(\d{1,4})")
_WORD: Final = re.compile(r"\w+")


def picture(request: ImageRequest, seed: str) -> Media:
    """A PNG with the prompt on it, or the given picture with a visible change; a plain one where Pillow is missing.

    Raises:
        ProviderError: A given picture cannot be read.
    """
    size = _size(request.aspect_ratio, request.resolution)
    if not is_installed("images"):
        return Media(_plain_png(size, _colour(seed)), "image/png")
    return Media(_drawn(request, size, seed), "image/png")


def film(request: VideoRequest, seed: str) -> Media:
    """A short MP4 of a moving square.

    Raises:
        NodeError: PyAV is missing.
    """
    if missing := missing_extra("video"):
        raise NodeError(f"a made-up video {missing}")
    import av
    from av import VideoFrame

    width, height = FRAME
    seconds = min(max(request.duration or 1.0, 0.5), LONGEST_VIDEO)
    count = max(round(seconds * FRAMES_PER_SECOND), 1)
    colour = _colour(seed)
    target = io.BytesIO()
    with av.open(target, "w", format="mp4") as container:
        codec = "libx264" if "libx264" in av.codecs_available else "mpeg4"
        stream: Any = container.add_stream(codec, rate=FRAMES_PER_SECOND)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        for number in range(count):
            frame = VideoFrame(width, height, "rgb24")
            frame.planes[0].update(_moving_square(width, height, frame.planes[0].line_size, number / count, colour))
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return Media(target.getvalue(), "video/mp4")


def speech(request: SpeechRequest, seed: str) -> Media:
    """A WAV of soft tones, longer for longer texts."""
    seconds = min(max(len(request.text) * 0.04 / max(request.speed, 0.25), 0.3), LONGEST_SPEECH)
    pitch = 180 + int(seed[:2], 16)
    samples = (
        int(6_000 * math.sin(2 * math.pi * (pitch + 40 * (at * 6 // RATE % 3)) * at / RATE))
        for at in range(int(seconds * RATE))
    )
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(b"".join(struct.pack("<h", sample) for sample in samples))
    return Media(target.getvalue(), "audio/wav")


def vector(text: str) -> tuple[float, ...]:
    """A unit vector; texts that share words lie near each other."""
    totals = [0.0] * DIMENSIONS
    for word in _WORD.findall(text.casefold()) or [""]:
        digest = hashlib.sha256(word.encode("utf-8", "replace")).digest()
        for place in range(4):
            totals[digest[place] % DIMENSIONS] += 1.0 if digest[place + 4] & 1 else -1.0
    length = math.sqrt(sum(value * value for value in totals)) or 1.0
    return tuple(round(value / length, 6) for value in totals)


def _size(aspect_ratio: str, resolution: str) -> tuple[int, int]:
    exact = _RATIO.fullmatch(resolution.strip())
    if exact is not None:
        return min(max(int(exact[1]), 1), GREATEST_SIDE), min(max(int(exact[2]), 1), GREATEST_SIDE)
    ratio = _RATIO.fullmatch(aspect_ratio.strip())
    if ratio is None or not int(ratio[1]) or not int(ratio[2]):
        return SIDE, SIDE
    shape = min(max(int(ratio[1]) / int(ratio[2]), 0.25), 4.0)
    return (SIDE, round(SIDE / shape)) if shape >= 1 else (round(SIDE * shape), SIDE)


def _colour(seed: str) -> tuple[int, int, int]:
    red, green, blue = (64 + int(seed[place : place + 2], 16) // 2 for place in (0, 2, 4))
    return red, green, blue


def _plain_png(size: tuple[int, int], colour: tuple[int, int, int]) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    width, height = size
    row = b"\0" + bytes(colour) * width
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(row * height)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def _drawn(request: ImageRequest, size: tuple[int, int], seed: str) -> bytes:
    from PIL import Image

    if request.images:
        image = _changed(request, _opened(request.images[0]))
    else:
        image = Image.new("RGB", size, _colour(seed))
        _write(image, request.prompt)
    target = io.BytesIO()
    image.save(target, "PNG")
    return target.getvalue()


def _opened(media: Media) -> Image:
    from PIL import Image

    try:
        with Image.open(io.BytesIO(media.data)) as opened:
            image = opened.convert("RGBA" if "A" in opened.getbands() else "RGB")
    except (OSError, ValueError, Image.DecompressionBombError):
        raise ProviderError("the given picture cannot be read; give a PNG or a JPEG", kind="client") from None
    image.thumbnail((GREATEST_SIDE, GREATEST_SIDE))
    return image


def _changed(request: ImageRequest, image: Image) -> Image:
    from PIL import Image, ImageDraw, ImageEnhance

    if request.task == "upscale":
        factor = min(max(float(request.options.get("scale", 2)), 1.0), 4.0)
        factor = min(factor, GREATEST_SIDE / max(image.size))
        return image.resize((round(image.width * factor), round(image.height * factor)))
    if request.task == "remove_background":
        mask = Image.new("L", image.size, 0)
        ImageDraw.Draw(mask).ellipse((0, 0, image.width - 1, image.height - 1), fill=255)
        image = image.convert("RGBA")
        image.putalpha(mask)
        return image
    if request.task == "relight":
        return ImageEnhance.Brightness(image.convert("RGB")).enhance(1.3)
    _write(image, request.prompt)
    return image


def _write(image: Image, text: str) -> None:
    """The prompt in the middle of a picture, as much of it as fits."""
    from PIL import ImageDraw, ImageFont

    size = max(image.width // 24, 10)
    font = ImageFont.load_default(size)
    draw = ImageDraw.Draw(image)
    lines = _lines(text, max(image.width // 14, 8))[: max(image.height // (size * 2), 1)]
    step = size * 1.3
    top = (image.height - step * len(lines)) / 2
    for number, line in enumerate(lines):
        left = (image.width - draw.textlength(line, font=font)) / 2
        draw.text((left, top + step * number), line, font=font, fill=(255, 255, 255))


def _lines(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()[:width]
    return lines


def _moving_square(width: int, height: int, line: int, part: float, colour: tuple[int, int, int]) -> bytes:
    side = height // 4
    left = round((width - side) * part)
    plain = bytes((240, 240, 240)) * width
    crossed = plain[: left * 3] + bytes(colour) * side + plain[(left + side) * 3 :]
    top = (height - side) // 2
    rows = (crossed if top <= row < top + side else plain for row in range(height))
    return b"".join(row.ljust(line, b"\0") for row in rows)
