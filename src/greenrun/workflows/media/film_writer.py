"""The file of a new film, and the sound that goes into it (needs PyAV)."""

from __future__ import annotations

import contextlib
import math
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from greenrun.workflows.media.containers import chain, pulled
from greenrun.workflows.media.content import LIMIT, too_large
from greenrun.workflows.media.film_frames import TICKS, Frame
from greenrun.workflows.node import NodeError

SAMPLES: Final = 48_000
"""Samples of sound per second."""

_CODEC_OPTIONS: Final = {"crf": "20", "preset": "veryfast"}


class SoundFilter:
    """Brings sound to the rate and layout of the new film, and cuts it to a part; silence stands for what is missing.

    `begin` and `end` are seconds on the clock of the old film.
    """

    def __init__(self, begin: float, end: float) -> None:
        self._begin = begin
        self._end = end
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
        begin = self._begin
        until = f":end={self._end:.6f}" if math.isfinite(self._end) else ""
        filters = [
            ("atrim", f"start={begin:.6f}{until}"),
            ("asetpts", f"PTS-({begin:.6f})/TB"),
            ("aresample", f"{SAMPLES}:async=1:first_pts=0"),
            ("aformat", f"sample_fmts=fltp:sample_rates={SAMPLES}:channel_layouts=stereo"),
        ]
        chain(source, graph, filters, "abuffersink")
        return graph


class FilmWriter:
    """An MP4 that grows; `length` is how long it is in seconds.

    Raises:
        NodeError: In every method, when the file becomes too large or too long.
    """

    def __init__(self, path: Path, frame: Frame, *, rate: Fraction, sound: bool, most_seconds: float) -> None:
        import av

        self.frame = frame
        self.length = 0.0
        self._most_seconds = most_seconds
        self._container = av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"})
        self._pictures: Any = self._container.add_stream("libx264", rate=rate, options=dict(_CODEC_OPTIONS))
        self._pictures.width, self._pictures.height = frame.width, frame.height
        self._pictures.pix_fmt = "yuv420p"
        self._pictures.codec_context.time_base = Fraction(1, TICKS)
        self._sounds: Any = None
        if sound:
            self._sounds = self._container.add_stream("aac", rate=SAMPLES, layout="stereo")
        self._tick = -1
        self._samples = 0
        self._bytes = 0

    def __enter__(self) -> FilmWriter:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error is None:
            self._silence_until(self.length)
            self._mux(self._pictures.encode(None))
            if self._sounds is not None:
                self._mux(self._sounds.encode(None))
            self._container.close()
            return
        # What went wrong before is what counts; a file without frames cannot be closed well.
        with contextlib.suppress(Exception):
            self._container.close()

    def picture(self, frame: Any, seconds: float) -> None:
        """Show a frame from that time on."""
        self._tick = max(self._tick + 1, round(seconds * TICKS))
        frame.pts, frame.time_base = self._tick, Fraction(1, TICKS)
        # What the old film said of a frame, such as that it is a key frame, does not hold for the new one.
        frame.pict_type = 0
        self._mux(self._pictures.encode(frame))

    def lasts(self, seconds: float) -> None:
        """What was written reaches to that time."""
        if seconds > self._most_seconds:
            raise NodeError(f"the video lasts more than {self._most_seconds / 60:.0f} minutes; make it shorter")
        self.length = max(self.length, seconds)

    def sound(self, frame: Any, begin: float) -> None:
        """Append sound of a clip that began at that time."""
        self._silence_until(begin)
        self._append(frame)
        self.lasts(self._samples / SAMPLES)

    def _mux(self, packets: list[Any]) -> None:
        self._bytes += sum(packet.size for packet in packets)
        if self._bytes > LIMIT:
            raise too_large()
        self._container.mux(packets)

    def _silence_until(self, seconds: float) -> None:
        from av import AudioFrame

        if self._sounds is None:
            return
        missing = round(seconds * SAMPLES) - self._samples
        while missing > 0:
            count = min(missing, SAMPLES)
            frame = AudioFrame(format="fltp", layout="stereo", samples=count)
            for plane in frame.planes:
                plane.update(bytes(plane.buffer_size))
            frame.sample_rate = SAMPLES
            self._append(frame)
            missing -= count

    def _append(self, frame: Any) -> None:
        frame.pts, frame.time_base = self._samples, Fraction(1, SAMPLES)
        self._samples += frame.samples
        self._mux(self._sounds.encode(frame))
