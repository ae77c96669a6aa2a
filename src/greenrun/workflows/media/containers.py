"""Files of films and sounds, opened with FFmpeg's libraries (needs PyAV).

The demuxer is named by what the content is and never guessed: among those that FFmpeg would guess are playlists, which make
it open other files and addresses.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from greenrun.workflows.media.work import Work
from greenrun.workflows.node import NodeError

if TYPE_CHECKING:
    from av.container import InputContainer

_DEMUXERS: Final[dict[str, str]] = {
    "audio/aac": "aac",
    "audio/aiff": "aiff",
    "audio/amr": "amr",
    "audio/flac": "flac",
    "audio/mp4": "mov",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/wav": "wav",
    "audio/webm": "matroska",
    "image/gif": "gif",
    "video/mp2t": "mpegts",
    "video/mp4": "mov",
    "video/mpeg": "mpeg",
    "video/ogg": "ogg",
    "video/quicktime": "mov",
    "video/webm": "matroska",
    "video/x-flv": "flv",
    "video/x-matroska": "matroska",
    "video/x-msvideo": "avi",
}


@contextlib.contextmanager
def opened(data: bytes, mime: str, what: str) -> Iterator[InputContainer]:
    """The content as an open container; `what` ("video", "sound") names it in errors, also in those raised inside.

    Raises:
        NodeError: It is nothing that is read here, or it is damaged.
    """
    import av
    from av.error import FFmpegError

    demuxer = _DEMUXERS.get(mime)
    if demuxer is None:
        raise NodeError(
            f"the {what} is {mime}, which is not read here; give MP4, WebM, MP3, WAV or another common format"
        )
    try:
        # Titles are often in an encoding of their own; nobody reads them here.
        with av.open(io.BytesIO(data), "r", format=demuxer, metadata_errors="replace") as container:
            yield container
    except FFmpegError as error:
        reason = error.strerror or type(error).__name__
        raise NodeError(f"the {what} is damaged or cut off ({reason}); give the whole file") from error


def track_of(container: InputContainer, kind: str, missing: str) -> Any:
    """The first track of a kind, ``video`` or ``audio``.

    Raises:
        NodeError: There is none, with the text `missing`, or nothing here decodes it.
    """
    tracks = container.streams.get({kind: 0}) if getattr(container.streams, kind) else []
    if not tracks:
        raise NodeError(missing)
    if tracks[0].codec_context is None:
        raise NodeError(f"the {kind} track is in a format that is not read here; give MP4, WebM, MP3 or WAV")
    return tracks[0]


def seconds_at(container: InputContainer) -> float:
    """When the container's own clock begins, in seconds."""
    import av

    return (container.start_time or 0) / av.time_base


def said_duration(container: InputContainer) -> float | None:
    """How long the container says that it lasts, in seconds; None when it does not say."""
    import av

    return container.duration / av.time_base if container.duration and container.duration > 0 else None


def duration_of(container: InputContainer) -> float:
    """How long it lasts in seconds: as it says, else as its packets show. The container is read to its end then."""
    said = said_duration(container)
    if said is not None:
        return said
    begin = seconds_at(container)
    last = 0.0
    for packet in container.demux():
        if packet.pts is not None and packet.time_base is not None:
            last = max(last, float((packet.pts + (packet.duration or 0)) * packet.time_base) - begin)
    return last


def decoded(container: InputContainer, streams: list[Any], work: Work, *, start: float = 0.0) -> Iterator[Any]:
    """The frames of the streams in the order of the file, from the last whole picture before `start` (seconds) or earlier.

    Raises:
        NodeError: The content is damaged in a way that the container does not show.
    """
    import av
    from av.error import FFmpegError

    if start > 0:
        # Some containers have no index, such as GIF; then all frames are read.
        with contextlib.suppress(FFmpegError):
            container.seek(int((start + seconds_at(container)) * av.time_base), backward=True)
    try:
        for packet in container.demux(*streams):
            work.check()
            yield from packet.decode()
    except (AttributeError, LookupError) as error:
        # Damaged content can make FFmpeg speak of tracks that PyAV does not know.
        raise NodeError("the media is damaged; give the whole file") from error


def chain(source: Any, graph: Any, filters: list[tuple[str, str]], sink: str) -> None:
    """Connect a source of a filter graph through filters, each a name and its arguments, to a sink."""
    last = source
    for name, arguments in filters:
        following = graph.add(name, arguments or None)
        last.link_to(following)
        last = following
    last.link_to(graph.add(sink))
    graph.configure()


def pulled(graph: Any) -> Iterator[Any]:
    """The frames that a filter graph has ready."""
    while True:
        try:
            yield graph.pull()
        except (BlockingIOError, EOFError):
            return
