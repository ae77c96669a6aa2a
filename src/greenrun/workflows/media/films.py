"""Films: their facts, single frames, and new films made of parts of them (needs PyAV)."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from greenrun.workflows.media.containers import (
    decoded,
    duration_of,
    opened,
    said_duration,
    seconds_at,
)
from greenrun.workflows.media.content import Content
from greenrun.workflows.media.film_frames import (
    Frame,
    PictureFilter,
    check_written,
    even,
    first_frame,
    length_of,
    picture_track,
    png_of,
    seen_size,
)
from greenrun.workflows.media.film_writer import FilmWriter, SoundFilter
from greenrun.workflows.media.work import Work
from greenrun.workflows.node import NodeError

if TYPE_CHECKING:
    from av.container import InputContainer

MAX_SECONDS: Final = 30 * 60
_MOST_GAP: Final = 300.0
"""Seconds without a frame; a longer gap is no pause but a damaged time, and would be filled with silence."""

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
        stream = picture_track(container)
        width, height = seen_size(first_frame(container, stream, work), stream)
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
        stream = picture_track(container)
        begin = seconds_at(container)
        found, over = None, 0.0
        for frame in decoded(container, [stream], work, start=max(0.0, seconds)):
            at = (frame.time or 0.0) - begin
            if found is not None and at > seconds + _SAME:
                break
            found, over = frame, at + length_of(frame, stream)
        else:
            if found is not None and seconds > over + _SAME:
                raise NodeError(
                    f"the video ends after {over:.2f} s, so there is no frame at {seconds:g} s; choose less"
                )
        if found is None:
            raise NodeError("the video has no frames; give another one")
        return png_of(found, stream)


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
    size = Frame(even(size.width), even(size.height), size.fit)
    check_written(size)
    # The index goes to the front of the file in a second pass, for which it must be a real file.
    with tempfile.TemporaryDirectory(prefix="greenrun-film-") as folder:
        path = Path(folder) / "film.mp4"
        sound = any(sounds for _, _, (_, sounds) in seen)
        try:
            with FilmWriter(path, size, rate=_rate(seen), sound=sound, most_seconds=MAX_SECONDS + _MOST_GAP) as writer:
                for clip in clips:
                    _copy(clip, writer, work, total)
        except FFmpegError as error:
            raise NodeError(f"the video cannot be written ({error.strerror or error})") from error
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
        stream = picture_track(container)
        size = seen_size(first_frame(container, stream, work), stream)
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


def _copy(clip: Clip, writer: FilmWriter, work: Work, total: float) -> None:
    """Append a clip to the film."""
    begin_of_clip = writer.length
    with opened(clip.content.data, clip.content.mime, "video") as container:
        stream = picture_track(container)
        sounds = container.streams.audio[0] if container.streams.audio else None
        begin = seconds_at(container)
        pictures = PictureFilter(writer.frame, stream)
        voice = SoundFilter(begin + clip.start, begin + clip.end) if sounds is not None else None
        reached = 0.0
        due = {"audio": 0.0, "video": 0.0}
        ended: set[str] = set()
        tracks = [stream] if sounds is None else [stream, sounds]
        for frame in decoded(container, tracks, work, start=clip.start):
            kind = "audio" if hasattr(frame, "samples") else "video"
            at = due[kind] if frame.time is None else frame.time - begin
            if at >= clip.end - _SAME:
                ended.add(kind)
                if len(ended) == len(tracks):
                    break
                continue
            if at > max(due[kind], clip.start) + _MOST_GAP:
                raise NodeError(f"the video is damaged: its time jumps to {at:.0f} s; give the whole file")
            length = frame.samples / frame.sample_rate if kind == "audio" else length_of(frame, stream)
            due[kind] = at + length
            reached = max(reached, due[kind])
            if voice is not None and kind == "audio":
                for part in voice.passed(frame):
                    writer.sound(part, begin_of_clip)
                continue
            if due[kind] <= clip.start + _SAME:
                continue
            writer.picture(pictures.passed(frame), begin_of_clip + max(at, clip.start) - clip.start)
            writer.lasts(begin_of_clip + min(due[kind], clip.end) - clip.start)
            work.report(writer.length, total)
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
