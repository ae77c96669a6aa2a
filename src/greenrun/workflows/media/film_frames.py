"""Frames of films: their size as it is seen, and how they come to another one (needs PyAV)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from greenrun.workflows.media.containers import chain, decoded, track_of
from greenrun.workflows.media.work import Work
from greenrun.workflows.node import NodeError

if TYPE_CHECKING:
    from av.container import InputContainer

MAX_PIXELS: Final = 4096 * 2304
"""Of a frame that is written; one that is read may have four times as many."""

MAX_SIDE: Final = 4096

TICKS: Final = 90_000
"""Parts of a second in which the times of frames are written; frames keep their own times, whatever the rate."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The size of the frames of a new film, and how the old ones come to it.

    ``exact`` stretches them, ``cover`` cuts their edges off, ``fit`` puts them inside with black bars.
    """

    width: int
    height: int
    fit: str = "exact"


def picture_track(container: InputContainer) -> Any:
    stream = track_of(container, "video", "the file has no pictures, only sound; give a video")
    stream.thread_type = "AUTO"
    check_read(stream.codec_context.width, stream.codec_context.height)
    return stream


def check_read(width: int, height: int) -> None:
    if width * height > 4 * MAX_PIXELS:
        raise NodeError(f"the video has frames of {width} x {height} pixels, which is more than is worked on")


def check_written(frame: Frame) -> None:
    if frame.width * frame.height > MAX_PIXELS or max(frame.width, frame.height) > MAX_SIDE:
        raise NodeError(
            f"a video of {frame.width} x {frame.height} pixels is too large; at most 4096 x 2304 are written"
        )


def first_frame(container: InputContainer, stream: Any, work: Work) -> Any:
    first = next(decoded(container, [stream], work), None)
    if first is None:
        raise NodeError("the video has no frames; give another one")
    return first


def length_of(frame: Any, stream: Any) -> float:
    if frame.duration and frame.time_base:
        return float(frame.duration * frame.time_base)
    return float(1 / (stream.average_rate or stream.guessed_rate or 25))


def even(size: int) -> int:
    """Colours are stored for two pixels at a time."""
    return max(2, size - size % 2)


def turns_of(frame: Any) -> int:
    """Quarter turns clockwise that bring the frame upright, as a phone notes them."""
    return round(-frame.rotation / 90) % 4


def _square_size(frame: Any, stream: Any) -> tuple[int, int]:
    """The size of the stored frame with square pixels."""
    aspect = stream.sample_aspect_ratio or 1
    return (round(frame.width * aspect), frame.height) if aspect > 0 else (frame.width, frame.height)


def seen_size(frame: Any, stream: Any) -> tuple[int, int]:
    width, height = _square_size(frame, stream)
    return (height, width) if turns_of(frame) % 2 else (width, height)


_TRANSPOSE: Final[dict[int, list[tuple[str, str]]]] = {
    0: [],
    1: [("transpose", "clock")],
    2: [("hflip", ""), ("vflip", "")],
    3: [("transpose", "cclock")],
}


def graph_for(frame: Any, filters: list[tuple[str, str]]) -> Any:
    from av.filter import Graph

    graph = Graph()
    source = graph.add_buffer(
        width=frame.width, height=frame.height, format=frame.format.name, time_base=Fraction(1, TICKS)
    )
    chain(source, graph, [*_TRANSPOSE[turns_of(frame)], *filters], "buffersink")
    return graph


class PictureFilter:
    """Brings frames upright, to their new size and to the pixel format of the film."""

    def __init__(self, frame: Frame, stream: Any) -> None:
        self._frame = frame
        self._stream = stream
        self._graph: Any = None
        self._made_for: tuple[Any, ...] = ()

    def passed(self, frame: Any) -> Any:
        """The frame as it is written."""
        # Size and format may change in the middle of a stream.
        kind = (frame.width, frame.height, frame.format.name, turns_of(frame))
        if kind != self._made_for:
            check_read(frame.width, frame.height)
            self._graph, self._made_for = graph_for(frame, self._filters(frame)), kind
        frame.pts, frame.time_base = None, Fraction(1, TICKS)
        self._graph.push(frame)
        return self._graph.pull()

    def _filters(self, frame: Any) -> list[tuple[str, str]]:
        width, height = seen_size(frame, self._stream)
        target = self._frame
        across, down = target.width / width, target.height / height
        scaled, ending = (target.width, target.height), []
        if target.fit == "cover":
            scale = max(across, down)
            scaled = (max(target.width, round(width * scale)), max(target.height, round(height * scale)))
            ending = [("crop", f"{target.width}:{target.height}")]
        elif target.fit == "fit":
            scale = min(across, down)
            scaled = (min(target.width, even(round(width * scale))), min(target.height, even(round(height * scale))))
            ending = [("pad", f"{target.width}:{target.height}:-1:-1:black")]
        size = f"{scaled[0]}:{scaled[1]}:flags=bicubic:out_range=tv"
        return [("scale", size), ("format", "yuv420p"), *ending, ("setsar", "1")]


def png_of(frame: Any, stream: Any) -> bytes:
    from av import CodecContext

    width, height = seen_size(frame, stream)
    graph = graph_for(frame, [("scale", f"{width}:{height}:flags=bicubic"), ("format", "rgb24")])
    frame.pts, frame.time_base = None, Fraction(1, TICKS)
    graph.push(frame)
    picture = graph.pull()
    encoder: Any = CodecContext.create("png", "w")
    encoder.width, encoder.height, encoder.pix_fmt = picture.width, picture.height, "rgb24"
    encoder.time_base = Fraction(1, 25)
    return b"".join(bytes(packet) for packet in [*encoder.encode(picture), *encoder.encode(None)])
