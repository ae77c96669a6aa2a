"""Films: their facts, single frames, and new films made of parts of them (needs PyAV)."""

from __future__ import annotations

import contextlib
import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from greenrun.workflows.media.containers import (
    chain,
    decoded,
    duration_of,
    opened,
    pulled,
    said_duration,
    seconds_at,
)
from greenrun.workflows.media.content import LIMIT, Content, too_large
from greenrun.workflows.media.work import Work
from greenrun.workflows.node import NodeError

if TYPE_CHECKING:
    from av.container import InputContainer

MAX_SECONDS: Final = 30 * 60
MAX_PIXELS: Final = 4096 * 2304
"""Of a frame that is written; one that is read may have four times as many."""

MAX_SIDE: Final = 4096

_TICKS: Final = 90_000
"""Parts of a second in which the times of frames are written; frames keep their own times, whatever the rate."""

_SAMPLES: Final = 48_000
_CODEC_OPTIONS: Final = {"crf": "20", "preset": "veryfast"}
_BROKEN_OFF: Final = 0.9
"""A film that ends before this part of the time it announces has been cut off."""


@dataclass(frozen=True, slots=True)
class FilmFacts:
    """What a file says about its film. `duration` in seconds, width and height in pixels as they are seen."""

    duration: float
    width: int
    height: int
    fps: float
    frame_count: int
    codec: str
    has_audio: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """The size of the frames of a new film, and how the old ones come to it.

    ``exact`` stretches them, ``cover`` cuts their edges off, ``fit`` puts them inside with black bars.
    """

    width: int
    height: int
    fit: str = "exact"


@dataclass(frozen=True, slots=True)
class Clip:
    """A part of a film, from `start` to `end` in seconds; an infinite end is its own."""

    content: Content
    start: float = 0.0
    end: float = math.inf


def film_facts(content: Content, work: Work) -> FilmFacts:
    """The facts of a film.

    Raises:
        NodeError: It cannot be read, or has no pictures.
    """
    with opened(content.data, content.mime, "video") as container:
        stream = _pictures(container)
        width, height = _seen_size(_first_frame(container, stream, work), stream)
        rate = float(stream.average_rate or stream.guessed_rate or 0)
        duration = duration_of(container)
        return FilmFacts(
            duration=round(duration, 3),
            width=width,
            height=height,
            fps=round(rate, 3),
            frame_count=stream.frames or round(duration * rate),
            codec=stream.codec_context.name,
            has_audio=bool(container.streams.audio),
        )


def frame_at(content: Content, seconds: float, work: Work) -> bytes:
    """The picture that is seen at a time, as a PNG file.

    Raises:
        NodeError: The film cannot be read, or ends before.
    """
    with opened(content.data, content.mime, "video") as container:
        stream = _pictures(container)
        begin = seconds_at(container)
        found, over = None, 0.0
        for frame in decoded(container, [stream], work, start=max(0.0, seconds)):
            at = (frame.time or 0.0) - begin
            if found is not None and at > seconds + _SAME:
                break
            found, over = frame, at + _length(frame, stream)
        else:
            if found is not None and seconds > over + _SAME:
                raise NodeError(
                    f"the video ends after {over:.2f} s, so there is no frame at {seconds:g} s; choose less"
                )
        if found is None:
            raise NodeError("the video has no frames; give another one")
        return _png(found, stream)


_SAME = 0.001
"""Times that differ by less, in seconds, are the same."""


def render(clips: Sequence[Clip], work: Work, frame: Frame | None = None) -> bytes:
    """The clips one after the other as an MP4 with H.264, and with AAC sound where a clip has sound.

    Frames get the size of `frame`, else that of the first clip, in which the others are fitted. Odd sizes become even.

    Raises:
        NodeError: A clip cannot be read, or the film would be too long or too large; the text says which.
    """
    from av.error import FFmpegError

    seen = [_seen(clip, work) for clip in clips]
    total = sum(length for _, length, _ in seen)
    if total > MAX_SECONDS:
        raise NodeError(f"the video lasts {total / 60:.1f} minutes; at most {MAX_SECONDS // 60} are worked on")
    size = frame or Frame(*seen[0][0], fit="fit")
    size = Frame(_even(size.width), _even(size.height), size.fit)
    _check_written(size)
    # The index goes to the front of the file in a second pass, for which it must be a real file.
    with tempfile.TemporaryDirectory(prefix="greenrun-film-") as folder:
        path = Path(folder) / "film.mp4"
        sound = any(sounds for _, _, (_, sounds) in seen)
        try:
            with _Writer(path, size, rate=_rate(seen), sound=sound) as writer:
                for clip in clips:
                    _copy(clip, writer, work, total)
        except FFmpegError as error:
            raise NodeError(f"the video cannot be written ({error.strerror or error})") from error
        if path.stat().st_size > LIMIT:
            raise too_large()
        return path.read_bytes()


def frame_for(clip: Clip, work: Work, width: int, height: int, fit: str) -> Frame:
    """The size for a clip; a width or height of 0 or less follows from the other one and the shape of the clip.

    Raises:
        NodeError: The clip cannot be read, or neither side is given.
    """
    if width <= 0 and height <= 0:
        raise NodeError("no size is given; set width, height or both")
    seen = _seen(clip, work)[0]
    if width <= 0:
        width = max(1, round(seen[0] * height / seen[1]))
    if height <= 0:
        height = max(1, round(seen[1] * width / seen[0]))
    return Frame(width, height, fit)


def _seen(clip: Clip, work: Work) -> tuple[tuple[int, int], float, tuple[Fraction, bool]]:
    """Of a clip: the size of its frames, its length in seconds, its frame rate and whether it has sound."""
    with opened(clip.content.data, clip.content.mime, "video") as container:
        stream = _pictures(container)
        size = _seen_size(_first_frame(container, stream, work), stream)
        rate = stream.average_rate or stream.guessed_rate or Fraction(25)
        sounds = bool(container.streams.audio)
        duration = duration_of(container)
    length = min(clip.end, duration) - clip.start
    if length <= 0:
        raise NodeError(f"the video lasts {duration:.2f} s; nothing of it lies between the chosen times")
    return size, length, (rate, sounds)


def _rate(seen: list[Any]) -> Fraction:
    rate: Fraction = seen[0][2][0]
    return rate if 1 <= rate <= 240 else Fraction(25)


def _copy(clip: Clip, writer: _Writer, work: Work, total: float) -> None:
    """Append a clip to the film."""
    begin_of_clip = writer.length
    with opened(clip.content.data, clip.content.mime, "video") as container:
        stream = _pictures(container)
        sounds = container.streams.audio[0] if container.streams.audio else None
        begin = seconds_at(container)
        pictures = _PictureFilter(writer.frame, stream)
        voice = _SoundFilter(clip, begin) if sounds is not None else None
        reached = 0.0
        ended: set[str] = set()
        following = 0.0
        tracks = [stream] if sounds is None else [stream, sounds]
        for frame in decoded(container, tracks, work, start=clip.start):
            kind = "audio" if hasattr(frame, "samples") else "video"
            at = following if frame.time is None else frame.time - begin
            if at >= clip.end - _SAME:
                ended.add(kind)
                if len(ended) == len(tracks):
                    break
                continue
            if kind == "audio":
                assert voice is not None
                for part in voice.passed(frame):
                    writer.sound(part, begin_of_clip)
                continue
            following = at + _length(frame, stream)
            reached = max(reached, following)
            if following <= clip.start + _SAME:
                continue
            shown_from = max(at, clip.start) - clip.start
            writer.picture(pictures.passed(frame), begin_of_clip + shown_from)
            writer.lasts(begin_of_clip + min(following, clip.end) - clip.start)
            work.report(writer.length, total)
            writer.check_bytes()
        if voice is not None:
            for part in voice.rest():
                writer.sound(part, begin_of_clip)
        _check_whole(container, reached, clip)


def _check_whole(container: InputContainer, reached: float, clip: Clip) -> None:
    """MP4 and its relatives say truly how long they are; a shorter film has lost its end."""
    said = said_duration(container)
    if said is None or not container.format.name.startswith("mov"):
        return
    wanted = min(said, clip.end)
    if reached < wanted * _BROKEN_OFF and wanted - reached > 0.5:
        raise NodeError(f"the video breaks off after {reached:.1f} of {said:.1f} seconds; give the whole file")


def _pictures(container: InputContainer) -> Any:
    if not container.streams.video:
        raise NodeError("the file has no pictures, only sound; give a video")
    stream = container.streams.video[0]
    stream.thread_type = "AUTO"
    _check_read(stream.codec_context.width, stream.codec_context.height)
    return stream


def _check_read(width: int, height: int) -> None:
    if width * height > 4 * MAX_PIXELS:
        raise NodeError(f"the video has frames of {width} x {height} pixels, which is more than is worked on")


def _check_written(frame: Frame) -> None:
    if frame.width * frame.height > MAX_PIXELS or max(frame.width, frame.height) > MAX_SIDE:
        raise NodeError(
            f"a video of {frame.width} x {frame.height} pixels is too large; at most 4096 x 2304 are written"
        )


def _first_frame(container: InputContainer, stream: Any, work: Work) -> Any:
    first = next(decoded(container, [stream], work), None)
    if first is None:
        raise NodeError("the video has no frames; give another one")
    return first


def _length(frame: Any, stream: Any) -> float:
    if frame.duration and frame.time_base:
        return float(frame.duration * frame.time_base)
    return float(1 / (stream.average_rate or stream.guessed_rate or 25))


def _even(size: int) -> int:
    """Colours are stored for two pixels at a time."""
    return max(2, size - size % 2)


def _turns(frame: Any) -> int:
    """Quarter turns clockwise that bring the frame upright, as a phone notes them."""
    return round(-frame.rotation / 90) % 4


def _square_size(frame: Any, stream: Any) -> tuple[int, int]:
    """The size of the stored frame with square pixels."""
    aspect = stream.sample_aspect_ratio or 1
    return (round(frame.width * aspect), frame.height) if aspect > 0 else (frame.width, frame.height)


def _seen_size(frame: Any, stream: Any) -> tuple[int, int]:
    width, height = _square_size(frame, stream)
    return (height, width) if _turns(frame) % 2 else (width, height)


_TRANSPOSE: Final[dict[int, list[tuple[str, str]]]] = {
    0: [],
    1: [("transpose", "clock")],
    2: [("hflip", ""), ("vflip", "")],
    3: [("transpose", "cclock")],
}


def _graph(frame: Any, filters: list[tuple[str, str]]) -> Any:
    from av.filter import Graph

    graph = Graph()
    source = graph.add_buffer(
        width=frame.width, height=frame.height, format=frame.format.name, time_base=Fraction(1, _TICKS)
    )
    chain(source, graph, [*_TRANSPOSE[_turns(frame)], *filters], "buffersink")
    return graph


class _PictureFilter:
    """Brings frames upright, to their new size and to the pixel format of the film."""

    def __init__(self, frame: Frame, stream: Any) -> None:
        self._frame = frame
        self._stream = stream
        self._graph: Any = None
        self._made_for: tuple[Any, ...] = ()

    def passed(self, frame: Any) -> Any:
        """The frame as it is written."""
        # Size and format may change in the middle of a stream.
        kind = (frame.width, frame.height, frame.format.name, _turns(frame))
        if kind != self._made_for:
            _check_read(frame.width, frame.height)
            self._graph, self._made_for = _graph(frame, self._filters(frame)), kind
        frame.pts, frame.time_base = None, Fraction(1, _TICKS)
        self._graph.push(frame)
        return self._graph.pull()

    def _filters(self, frame: Any) -> list[tuple[str, str]]:
        width, height = _seen_size(frame, self._stream)
        target = self._frame
        across, down = target.width / width, target.height / height
        scaled, ending = (target.width, target.height), []
        if target.fit == "cover":
            scale = max(across, down)
            scaled = (max(target.width, round(width * scale)), max(target.height, round(height * scale)))
            ending = [("crop", f"{target.width}:{target.height}")]
        elif target.fit == "fit":
            scale = min(across, down)
            scaled = (min(target.width, _even(round(width * scale))), min(target.height, _even(round(height * scale))))
            ending = [("pad", f"{target.width}:{target.height}:-1:-1:black")]
        size = f"{scaled[0]}:{scaled[1]}:flags=bicubic:out_range=tv"
        return [("scale", size), ("format", "yuv420p"), *ending, ("setsar", "1")]


class _SoundFilter:
    """Brings sound to the rate and layout of the film, cut to the clip; silence stands for what is missing."""

    def __init__(self, clip: Clip, begin: float) -> None:
        self._clip = clip
        self._begin = begin
        self._graph: Any = None

    def passed(self, frame: Any) -> list[Any]:
        if self._graph is None:
            self._graph = self._made(frame)
        self._graph.push(frame)
        return list(pulled(self._graph))

    def rest(self) -> list[Any]:
        if self._graph is None:
            return []
        self._graph.push(None)
        return list(pulled(self._graph))

    def _made(self, frame: Any) -> Any:
        from av.filter import Graph

        graph = Graph()
        source = graph.add_abuffer(
            sample_rate=frame.sample_rate,
            format=frame.format.name,
            layout=frame.layout.name,
            time_base=frame.time_base or Fraction(1, frame.sample_rate),
        )
        begin, end = self._begin + self._clip.start, self._begin + self._clip.end
        until = f":end={end:.6f}" if math.isfinite(end) else ""
        filters = [
            ("atrim", f"start={begin:.6f}{until}"),
            ("asetpts", f"PTS-({begin:.6f})/TB"),
            ("aresample", f"{_SAMPLES}:async=1:first_pts=0"),
            ("aformat", f"sample_fmts=fltp:sample_rates={_SAMPLES}:channel_layouts=stereo"),
        ]
        chain(source, graph, filters, "abuffersink")
        return graph


class _Writer:
    """An MP4 that grows; `length` is how long it is in seconds."""

    def __init__(self, path: Path, frame: Frame, *, rate: Fraction, sound: bool) -> None:
        import av

        self.frame = frame
        self.length = 0.0
        self._path = path
        self._container = av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"})
        self._pictures: Any = self._container.add_stream("libx264", rate=rate, options=dict(_CODEC_OPTIONS))
        self._pictures.width, self._pictures.height = frame.width, frame.height
        self._pictures.pix_fmt = "yuv420p"
        self._pictures.codec_context.time_base = Fraction(1, _TICKS)
        self._sounds: Any = None
        if sound:
            self._sounds = self._container.add_stream("aac", rate=_SAMPLES, layout="stereo")
        self._tick = -1
        self._samples = 0

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error is None:
            self._silence_until(self.length)
            self._container.mux(self._pictures.encode(None))
            if self._sounds is not None:
                self._container.mux(self._sounds.encode(None))
            self._container.close()
            return
        # What went wrong before is what counts; a file without frames cannot be closed well.
        with contextlib.suppress(Exception):
            self._container.close()

    def picture(self, frame: Any, seconds: float) -> None:
        """Show a frame from that time on."""
        self._tick = max(self._tick + 1, round(seconds * _TICKS))
        frame.pts, frame.time_base = self._tick, Fraction(1, _TICKS)
        # What the old film said of a frame, such as that it is a key frame, does not hold for the new one.
        frame.pict_type = 0
        self._container.mux(self._pictures.encode(frame))

    def lasts(self, seconds: float) -> None:
        """What was written reaches to that time."""
        self.length = max(self.length, seconds)

    def sound(self, frame: Any, begin: float) -> None:
        """Append sound of a clip that began at that time."""
        self._silence_until(begin)
        self._append(frame)
        self.lasts(self._samples / _SAMPLES)

    def check_bytes(self) -> None:
        """Raise when the file has become too large.

        Raises:
            NodeError: It has.
        """
        if self._tick % 16 == 0 and self._path.stat().st_size > LIMIT:
            raise too_large()

    def _silence_until(self, seconds: float) -> None:
        from av import AudioFrame

        if self._sounds is None:
            return
        missing = round(seconds * _SAMPLES) - self._samples
        while missing > 0:
            count = min(missing, _SAMPLES)
            frame = AudioFrame(format="fltp", layout="stereo", samples=count)
            for plane in frame.planes:
                plane.update(bytes(plane.buffer_size))
            frame.sample_rate = _SAMPLES
            self._append(frame)
            missing -= count

    def _append(self, frame: Any) -> None:
        frame.pts, frame.time_base = self._samples, Fraction(1, _SAMPLES)
        self._samples += frame.samples
        self._container.mux(self._sounds.encode(frame))


def _png(frame: Any, stream: Any) -> bytes:
    from av import CodecContext

    width, height = _seen_size(frame, stream)
    graph = _graph(frame, [("scale", f"{width}:{height}:flags=bicubic"), ("format", "rgb24")])
    frame.pts, frame.time_base = None, Fraction(1, _TICKS)
    graph.push(frame)
    picture = graph.pull()
    encoder: Any = CodecContext.create("png", "w")
    encoder.width, encoder.height, encoder.pix_fmt = picture.width, picture.height, "rgb24"
    encoder.time_base = Fraction(1, 25)
    return b"".join(bytes(packet) for packet in [*encoder.encode(picture), *encoder.encode(None)])
