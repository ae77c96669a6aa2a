"""Small pictures, sounds and films, made on the spot."""

from __future__ import annotations

import base64
import io
import math
import struct
import wave
from fractions import Fraction
from functools import lru_cache
from typing import Any

import pytest

from greenrun.workflows.extras import is_installed

needs_pictures = pytest.mark.skipif(not is_installed("images"), reason="Pillow is not installed")
needs_films = pytest.mark.skipif(not is_installed("video"), reason="PyAV is not installed")


def image(width: int = 40, height: int = 20, colour: Any = (200, 30, 60), mode: str = "RGB") -> Any:
    """A Pillow image: one colour, with its top left quarter white so that it has a right way up."""
    from PIL import Image

    made = Image.new(mode, (width, height), colour)
    made.paste(Image.new(mode, (width // 2, height // 2), _white(mode)), (0, 0))
    return made


def _white(mode: str) -> Any:
    return {"L": 255, "LA": (255, 255), "RGB": (255,) * 3, "RGBA": (255,) * 4, "CMYK": (0, 0, 0, 0)}[mode]


def encoded(made: Any, file_format: str = "PNG", **options: Any) -> bytes:
    buffer = io.BytesIO()
    made.save(buffer, format=file_format, **options)
    return buffer.getvalue()


def picture(width: int = 40, height: int = 20, colour: Any = (200, 30, 60), file_format: str = "PNG") -> bytes:
    return encoded(image(width, height, colour), file_format)


def opened(ref: dict[str, Any]) -> Any:
    """The Pillow image in a reference that carries its content."""
    from PIL import Image

    made = Image.open(io.BytesIO(base64.b64decode(ref["data"])))
    made.load()
    return made


def ref_of(kind: str, data: bytes) -> dict[str, Any]:
    """A reference that carries its content."""
    return {"type": kind, "uri": "", "data": base64.b64encode(data).decode()}


def content_of_ref(ref: dict[str, Any]) -> bytes:
    return base64.b64decode(ref["data"])


def sound(seconds: float = 1.0, rate: int = 8_000, channels: int = 1, level: int = 0) -> bytes:
    """A WAV file whose samples count up, so that places in it can be told apart; `level` makes them all the same."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        count = round(seconds * rate)
        values = [level or index % 30_000 for index in range(count) for _ in range(channels)]
        file.writeframes(struct.pack(f"<{len(values)}h", *values))
    return buffer.getvalue()


@lru_cache(maxsize=64)
def film(
    seconds: float = 1.0,
    *,
    width: int = 64,
    height: int = 48,
    rate: int = 10,
    with_sound: bool = True,
    turned: int = 0,
    container: str = "mp4",
    codec: str = "libx264",
    sound_codec: str = "aac",
    colour: tuple[int, int, int] | None = None,
    sound_seconds: float | None = None,
) -> bytes:
    """A film that goes from black to red, its left half blue as well; `colour` makes it plain. A tone sounds with it."""
    import av
    from av import VideoFrame

    buffer = io.BytesIO()
    with av.open(buffer, "w", format=container) as output:
        stream: Any = output.add_stream(codec, rate=rate)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        if turned:
            stream.set_display_rotation(turned)
        track: Any = output.add_stream(sound_codec, rate=48_000, layout="mono") if with_sound else None
        count = round(seconds * rate)
        for index in range(count):
            frame = VideoFrame(width, height, "rgb24")
            red = round(255 * index / max(1, count - 1))
            left, right = (colour, colour) if colour else ((red, 0, 255), (red, 0, 0))
            row = bytes(left) * (width // 2) + bytes(right) * (width - width // 2)
            plane = frame.planes[0]
            plane.update((row + bytes(plane.line_size - len(row))) * height)
            frame.pts, frame.time_base = index, Fraction(1, rate)
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
        if track is not None:
            for frame in _tone(seconds if sound_seconds is None else sound_seconds):
                output.mux(track.encode(frame))
            output.mux(track.encode(None))
    return buffer.getvalue()


def _tone(seconds: float) -> Any:
    from av import AudioFrame

    wave_of_block = [0.5 * math.sin(2 * math.pi * 375 * index / 48_000) for index in range(1_024)]
    raw = struct.pack("<1024f", *wave_of_block)
    for start in range(0, round(seconds * 48_000), 1_024):
        frame = AudioFrame("fltp", "mono", 1_024)
        plane = frame.planes[0]
        plane.update(raw + bytes(plane.buffer_size - len(raw)))
        frame.sample_rate, frame.pts, frame.time_base = 48_000, start, Fraction(1, 48_000)
        yield frame


@lru_cache(maxsize=16)
def encoded_sound(seconds: float = 1.0, *, container: str = "mp3", codec: str = "libmp3lame") -> bytes:
    """A tone in a compressed file."""
    import av

    buffer = io.BytesIO()
    with av.open(buffer, "w", format=container) as output:
        track: Any = output.add_stream(codec, rate=48_000, layout="mono")
        for frame in _tone(seconds):
            output.mux(track.encode(frame))
        output.mux(track.encode(None))
    return buffer.getvalue()


def loudness(data: bytes, start: float, end: float) -> float:
    """The greatest sample between two times of a sound or a film, 0 to 1."""
    import av

    greatest = 0.0
    with av.open(io.BytesIO(data), "r") as container:
        resampler = av.AudioResampler("flt", "mono", 8_000)
        count = 0
        for frame in container.decode(audio=0):
            for part in resampler.resample(frame):
                values = struct.unpack(f"<{part.samples}f", bytes(part.planes[0])[: part.samples * 4])
                for value in values:
                    if start <= count / 8_000 < end:
                        greatest = max(greatest, abs(value))
                    count += 1
    return greatest
