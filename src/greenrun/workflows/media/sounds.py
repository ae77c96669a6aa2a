"""Sounds: their facts, parts of them, and several one after the other.

WAV files are cut and joined as they are. Everything else is decoded and encoded again, which needs PyAV.
"""

from __future__ import annotations

import io
import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from greenrun.workflows.extras import missing_extra
from greenrun.workflows.media.content import LIMIT, Content, too_large
from greenrun.workflows.media.sniff import extension_of
from greenrun.workflows.media.work import Work
from greenrun.workflows.node import NodeError

if TYPE_CHECKING:
    from av.container import InputContainer

MAX_SECONDS: Final = 6 * 60 * 60


@dataclass(frozen=True, slots=True)
class SoundFacts:
    """What a file says about its sound. `duration` in seconds, `sample_rate` in samples per second and channel."""

    duration: float
    sample_rate: int
    channels: int
    format: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A part of a sound, from `start` to `end` in seconds; an infinite end is its own."""

    content: Content
    start: float = 0.0
    end: float = math.inf


@dataclass(frozen=True, slots=True)
class Wave:
    """The two parts of a WAV file that matter: how samples are stored, as the file has it, and the samples."""

    stored_as: bytes
    samples: memoryview = field(repr=False)

    @property
    def channels(self) -> int:
        return int.from_bytes(self.stored_as[2:4], "little")

    @property
    def rate(self) -> int:
        return int.from_bytes(self.stored_as[4:8], "little")

    @property
    def frame_bytes(self) -> int:
        """Bytes of one sample of all channels."""
        return int.from_bytes(self.stored_as[12:14], "little")

    @property
    def duration(self) -> float:
        return len(self.samples) // self.frame_bytes / self.rate

    def part(self, start: float, end: float) -> memoryview:
        """The samples between two times in seconds."""
        count = len(self.samples) // self.frame_bytes
        first = min(round(max(0.0, start) * self.rate), count)
        last = count if end >= self.duration else max(first, round(end * self.rate))
        return self.samples[first * self.frame_bytes : last * self.frame_bytes]


_UNCOMPRESSED: Final = frozenset({1, 3, 0xFFFE})
"""Formats whose samples all have the same size: whole numbers, fractions, and either with a longer description."""


def read_wave(content: Content) -> Wave | None:
    """The parts of a WAV file; None for another file, and for one with compressed samples.

    A length that the writer did not know yet, as in a file that was streamed, reaches to the end.
    """
    data = content.data
    if content.mime != "audio/wav" or data[:4] != b"RIFF":
        return None
    stored_as = b""
    for name, place, size in _chunks(data):
        if name == b"fmt ":
            stored_as = data[place : place + size]
        elif name == b"data":
            wave = Wave(stored_as, memoryview(data)[place : place + size])
            plain = len(stored_as) >= 16 and int.from_bytes(stored_as[:2], "little") in _UNCOMPRESSED
            return wave if plain and wave.rate and wave.frame_bytes and wave.channels else None
    return None


def _chunks(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """The name, place and size of each chunk, cut at the end of the data."""
    place = 12
    while place + 8 <= len(data):
        size = min(int.from_bytes(data[place + 4 : place + 8], "little"), len(data) - place - 8)
        yield data[place : place + 4], place + 8, size
        place += 8 + size + size % 2


def write_wave(stored_as: bytes, parts: Sequence[bytes | memoryview]) -> bytes:
    """A WAV file of samples that are all stored in that way."""
    size = sum(len(part) for part in parts)
    if size > LIMIT:
        raise too_large()
    head = b"WAVEfmt " + struct.pack("<I", len(stored_as)) + stored_as + b"\0" * (len(stored_as) % 2)
    head += b"data" + struct.pack("<I", size)
    tail = b"\0" * (size % 2)
    return b"".join([b"RIFF", struct.pack("<I", len(head) + size + len(tail)), head, *parts, tail])


def sound_facts(content: Content) -> SoundFacts:
    """The facts of a sound.

    Raises:
        NodeError: It cannot be read, or has no sound.
    """
    wave = read_wave(content)
    if wave is not None:
        return SoundFacts(round(wave.duration, 3), wave.rate, wave.channels, "wav", len(content.data))
    _need_av(content)
    from greenrun.workflows.media.containers import duration_of, opened

    with opened(content.data, content.mime, "sound") as container:
        stream = _track(container)
        rate, channels = stream.codec_context.sample_rate, stream.codec_context.layout.nb_channels
        name = extension_of(content.mime)
        return SoundFacts(round(duration_of(container), 3), rate, channels, name, len(content.data))


def joined(cuts: Sequence[Cut], work: Work) -> Content:
    """The parts one after the other, in the format of the first one where that is written here, else as M4A.

    Raises:
        NodeError: A sound cannot be read, or the whole would be too long.
    """
    waves = [read_wave(cut.content) for cut in cuts]
    first = waves[0]
    # What is written after the sixteenth byte describes the same samples in more words.
    if first is not None and all(wave is not None and wave.stored_as[:16] == first.stored_as[:16] for wave in waves):
        parts = [wave.part(cut.start, cut.end) for wave, cut in zip(waves, cuts, strict=True) if wave is not None]
        _check_any(sum(len(part) for part in parts), cuts)
        return Content(write_wave(first.stored_as, parts), "audio/wav")
    return _encoded(cuts, work)


def _check_any(amount: int, cuts: Sequence[Cut]) -> None:
    if amount == 0:
        lasting = sound_facts(cuts[0].content).duration
        raise NodeError(f"the sound lasts {lasting:g} s; nothing of it lies between the chosen times")


def _need_av(content: Content) -> None:
    missing = missing_extra("video")
    if missing is not None:
        raise NodeError(f"only plain WAV files are read without PyAV; for {content.mime} it {missing}")


@dataclass(frozen=True, slots=True)
class _Target:
    """How sound of a type is written: container, encoder, sample format, and the rate when there is but one."""

    mime: str
    container: str
    encoder: str
    sample_format: str
    rate: int | None = None


_M4A: Final = _Target("audio/mp4", "ipod", "aac", "fltp")
_TARGETS: Final[dict[str, _Target]] = {
    "audio/flac": _Target("audio/flac", "flac", "flac", "s16"),
    "audio/mp4": _M4A,
    "audio/mpeg": _Target("audio/mpeg", "mp3", "libmp3lame", "fltp", 44_100),
    "audio/ogg": _Target("audio/ogg", "ogg", "libopus", "flt", 48_000),
    "audio/wav": _Target("audio/wav", "wav", "pcm_s16le", "s16"),
}
_RATES: Final = (8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)


def _encoded(cuts: Sequence[Cut], work: Work) -> Content:
    for cut in cuts:
        _need_av(cut.content)
    import av
    from av.error import FFmpegError

    from greenrun.workflows.media.containers import opened

    with opened(cuts[0].content.data, cuts[0].content.mime, "sound") as container:
        stream = _track(container)
        rate = stream.codec_context.sample_rate
        layout = "mono" if stream.codec_context.layout.nb_channels == 1 else "stereo"
    target = _TARGETS.get(cuts[0].content.mime, _M4A)
    rate = target.rate or next((known for known in _RATES if known >= rate), 48_000)
    buffer = io.BytesIO()
    samples = 0
    try:
        with av.open(buffer, "w", format=target.container) as output:
            track: Any = output.add_stream(target.encoder, rate=rate, layout=layout)
            track.codec_context.format = target.sample_format
            for cut in cuts:
                for frame in _samples(cut, f"{target.sample_format}:{rate}:{layout}", work):
                    frame.pts, frame.time_base = samples, Fraction(1, rate)
                    samples += frame.samples
                    if samples > MAX_SECONDS * rate:
                        raise NodeError(f"the sound is longer than {MAX_SECONDS // 3600} hours; make it shorter")
                    output.mux(track.encode(frame))
                    if buffer.tell() > LIMIT:
                        raise too_large()
            _check_any(samples, cuts)
            output.mux(track.encode(None))
    except FFmpegError as error:
        raise NodeError(f"the sound cannot be written ({error.strerror or error})") from error
    return Content(buffer.getvalue(), target.mime)


def _samples(cut: Cut, form: str, work: Work) -> Iterator[Any]:
    """The frames of a part, brought to one format, rate and layout."""
    from av.filter import Graph

    from greenrun.workflows.media.containers import chain, decoded, opened, pulled, said_duration, seconds_at

    with opened(cut.content.data, cut.content.mime, "sound") as container:
        stream = _track(container)
        begin = seconds_at(container)
        total = min(cut.end, said_duration(container) or cut.end)
        graph: Any = None
        for frame in decoded(container, [stream], work, start=cut.start):
            at = (frame.time or 0.0) - begin
            if at >= cut.end:
                break
            if graph is None:
                graph = Graph()
                source = graph.add_abuffer(
                    sample_rate=frame.sample_rate,
                    format=frame.format.name,
                    layout=frame.layout.name,
                    time_base=frame.time_base or Fraction(1, frame.sample_rate),
                )
                chain(source, graph, _filters(cut, begin, form), "abuffersink")
            graph.push(frame)
            yield from pulled(graph)
            work.report(max(0.0, at - cut.start), total - cut.start if math.isfinite(total) else 0)
        if graph is not None:
            graph.push(None)
            yield from pulled(graph)


def _filters(cut: Cut, begin: float, form: str) -> list[tuple[str, str]]:
    sample_format, rate, layout = form.split(":")
    until = f":end={begin + cut.end:.6f}" if math.isfinite(cut.end) else ""
    return [
        ("atrim", f"start={begin + cut.start:.6f}{until}"),
        ("asetpts", "PTS-STARTPTS"),
        ("aresample", rate),
        ("aformat", f"sample_fmts={sample_format}:sample_rates={rate}:channel_layouts={layout}"),
    ]


def _track(container: InputContainer) -> Any:
    from greenrun.workflows.media.containers import track_of

    return track_of(container, "audio", "the file has no sound in it; give one that has")
