from __future__ import annotations

import io
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from greenrun.workflows.media import films
from greenrun.workflows.media.containers import decoded, track_of
from greenrun.workflows.media.content import Content
from greenrun.workflows.media.film_frames import Frame
from greenrun.workflows.media.film_writer import FilmWriter
from greenrun.workflows.media.films import Clip, FilmFacts, film_facts, frame_at, frame_for, render
from greenrun.workflows.media.sniff import sniff
from greenrun.workflows.media.work import Work
from greenrun.workflows.node import NodeError
from media_samples import encoded_sound, film, image, loudness, needs_films, needs_pictures, sound

pytestmark = needs_films


def content(data: bytes) -> Content:
    return Content(data, sniff(data) or "")


def clip(*arguments: Any, **options: Any) -> Clip:
    return Clip(content(film(*arguments, **options)))


def facts(data: bytes) -> FilmFacts:
    return film_facts(content(data), Work())


def pixel(data: bytes, seconds: float, place: tuple[int, int]) -> tuple[int, ...]:
    from PIL import Image

    made = Image.open(io.BytesIO(frame_at(content(data), seconds, Work())))
    found = made.getpixel(place)
    assert isinstance(found, tuple)
    return found


def near(found: tuple[int, ...], expected: tuple[int, ...], by: int = 30) -> bool:
    return all(abs(a - b) <= by for a, b in zip(found, expected, strict=True))


RED, BLUE, BLACK = (255, 0, 0), (0, 0, 255), (0, 0, 0)


@pytest.mark.parametrize(
    ("options", "codec"),
    [
        ({}, "h264"),
        ({"container": "mov"}, "h264"),
        ({"container": "webm", "codec": "libvpx", "sound_codec": "libopus"}, "vp8"),
        ({"container": "avi", "codec": "mpeg4", "sound_codec": "libmp3lame"}, "mpeg4"),
        ({"container": "mpegts"}, "h264"),
        ({"container": "flv"}, "h264"),
    ],
)
def test_the_facts_of_a_film_are_read(options: dict[str, Any], codec: str) -> None:
    found = facts(film(1.0, **options))
    assert (found.width, found.height, found.codec, found.has_audio) == (64, 48, codec, True)
    assert found.duration == pytest.approx(1.0, abs=0.25)
    assert found.fps == pytest.approx(10, abs=0.5)
    assert found.frame_count == pytest.approx(10, abs=2)


def test_a_film_without_sound_says_so() -> None:
    assert facts(film(1.0, with_sound=False)).has_audio is False


def test_a_film_of_a_phone_held_upright_is_as_high_as_it_is_seen() -> None:
    found = facts(film(0.5, turned=90))
    assert (found.width, found.height) == (48, 64)


def test_a_film_that_does_not_say_how_long_it_lasts_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greenrun.workflows.media.containers.said_duration", lambda container: None)
    assert facts(film(1.0)).duration == pytest.approx(1.0, abs=0.1)


@needs_pictures
def test_a_moving_gif_is_a_film() -> None:
    made = io.BytesIO()
    frames = [image(40, 20, colour) for colour in (RED, BLUE, RED)]
    frames[0].save(made, "GIF", save_all=True, append_images=frames[1:], duration=200)
    data = made.getvalue()
    assert facts(data).frame_count == 3
    assert near(pixel(data, 0.25, (35, 15)), BLUE)


# Single frames


@needs_pictures
def test_the_frame_that_is_seen_at_a_time_is_found() -> None:
    data = film(1.0, rate=10)
    reds = [pixel(data, seconds, (60, 24))[0] for seconds in (0, 0.5, 0.55, 0.95, 1.0)]
    assert reds[0] < 30 < reds[1] == reds[2] < 200 < reds[3] == reds[4]


@needs_pictures
def test_a_frame_is_upright() -> None:
    data = film(0.5, turned=90)
    # The left half is blue; turned counter-clockwise it is the lower one.
    assert near(pixel(data, 0, (24, 60)), BLUE)
    assert near(pixel(data, 0, (24, 4)), BLACK)


def test_a_frame_is_a_png_without_pillow() -> None:
    assert sniff(frame_at(content(film()), 0, Work())) == "image/png"


def test_a_time_after_the_end_is_refused() -> None:
    with pytest.raises(NodeError, match=r"ends after 1\.00 s, so there is no frame at 3 s"):
        frame_at(content(film(1.0)), 3, Work())


# New films


def test_a_film_gets_a_size_and_keeps_its_sound() -> None:
    made = render([clip(1.0)], Work(), Frame(32, 80))
    found = facts(made)
    assert (found.width, found.height, found.codec, found.has_audio) == (32, 80, "h264", True)
    assert found.duration == pytest.approx(1.0, abs=0.05)
    assert loudness(made, 0.2, 0.8) > 0.3


def test_a_film_without_sound_gets_none() -> None:
    assert facts(render([clip(0.5, with_sound=False)], Work())).has_audio is False


def test_odd_sizes_become_even() -> None:
    found = facts(render([clip(0.5)], Work(), Frame(33, 1)))
    assert (found.width, found.height) == (32, 2)


@needs_pictures
@pytest.mark.parametrize(
    ("fit", "left_top", "middle_left"),
    [("exact", BLUE, BLUE), ("fit", BLACK, BLUE), ("cover", BLUE, BLUE)],
)
def test_a_film_is_stretched_framed_or_cut(fit: str, left_top: tuple[int, ...], middle_left: tuple[int, ...]) -> None:
    made = render([clip(0.3, with_sound=False)], Work(), Frame(64, 128, fit))
    assert near(pixel(made, 0, (2, 2)), left_top)
    assert near(pixel(made, 0, (2, 64)), middle_left)


@needs_pictures
def test_a_turned_film_is_written_upright() -> None:
    made = render([clip(0.3, turned=90)], Work())
    found = facts(made)
    assert (found.width, found.height) == (48, 64)
    assert near(pixel(made, 0, (24, 60)), BLUE)


@needs_pictures
@pytest.mark.parametrize("turned", [180, -90])
def test_a_film_may_be_turned_in_other_ways(turned: int) -> None:
    made = render([clip(0.3, turned=turned)], Work())
    # The left half is blue; turned by 180 degrees it is the right one, clockwise the upper one.
    place = (60, 24) if turned == 180 else (24, 4)
    assert near(pixel(made, 0, place), BLUE)


@needs_pictures
def test_a_part_begins_and_ends_where_it_is_cut() -> None:
    source = clip(2.0)
    made = render([Clip(source.content, 0.55, 1.25)], Work())
    assert facts(made).duration == pytest.approx(0.7, abs=0.03)
    first, middle = pixel(made, 0, (60, 24))[0], pixel(made, 0.4, (60, 24))[0]
    assert abs(first - pixel(source.content.data, 0.55, (60, 24))[0]) < 12
    assert abs(middle - pixel(source.content.data, 0.95, (60, 24))[0]) < 12


def test_the_sound_of_a_part_is_cut_as_well() -> None:
    made = render([clip(0.5, with_sound=False), Clip(clip(2.0).content, 0.5, 1.0)], Work())
    assert loudness(made, 0.0, 0.4) < 0.05
    assert loudness(made, 0.6, 0.9) > 0.3
    assert facts(made).duration == pytest.approx(1.0, abs=0.05)


@needs_pictures
def test_films_follow_each_other_in_the_size_of_the_first() -> None:
    parts = [
        clip(0.5, colour=RED),
        clip(0.5, colour=BLUE, width=32, height=96, with_sound=False, rate=25),
        clip(0.5, colour=RED, container="webm", codec="libvpx", sound_codec="libopus"),
    ]
    made = render(parts, Work())
    found = facts(made)
    assert (found.width, found.height) == (64, 48)
    assert found.duration == pytest.approx(1.5, abs=0.1)
    assert near(pixel(made, 0.2, (32, 24)), RED)
    assert near(pixel(made, 0.8, (32, 24)), BLUE)
    assert near(pixel(made, 0.8, (4, 24)), BLACK)
    assert near(pixel(made, 1.3, (32, 24)), RED)
    assert [loudness(made, at, at + 0.2) > 0.2 for at in (0.15, 0.7, 1.2)] == [True, False, True]


def test_the_index_of_a_film_stands_in_front_so_that_it_plays_while_it_loads() -> None:
    made = render([clip(0.5)], Work())
    assert made.index(b"moov") < made.index(b"mdat")


def test_equal_films_are_equal_files() -> None:
    assert render([clip(0.5)], Work()) == render([clip(0.5)], Work())


@pytest.mark.parametrize(
    ("width", "height", "size"), [(32, 0, (32, 24)), (-1, 96, (128, 96)), (10, 20, (10, 20)), (1, -1, (1, 1))]
)
def test_a_side_follows_from_the_other(width: int, height: int, size: tuple[int, int]) -> None:
    found = frame_for(clip(0.3), Work(), width, height, "exact")
    assert (found.width, found.height) == size


def test_a_size_must_be_given() -> None:
    with pytest.raises(NodeError, match="no size is given"):
        frame_for(clip(0.3), Work(), 0, -1, "exact")


# What is refused


@pytest.mark.parametrize(
    "work", [film_facts, lambda found, work: frame_at(found, 0, work), lambda found, work: render([Clip(found)], work)]
)
@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x00\x00\x00\x20ftypisom" + bytes(100), "damaged or cut off"),
        (sound(0.2), "no pictures, only sound"),
        (b"%PDF-1.7", "application/pdf, which is not read here"),
        (b"#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/a.ts\n", "which is not read here"),
        (b"ffconcat version 1.0\nfile /etc/passwd\n", "which is not read here"),
    ],
)
def test_what_is_no_film_is_refused(work: Callable[[Content, Work], Any], data: bytes, text: str) -> None:
    with pytest.raises(NodeError, match=text):
        work(content(data), Work())


def test_a_film_without_its_index_is_refused() -> None:
    with pytest.raises(NodeError, match="damaged or cut off"):
        facts(film(1.0)[:200])


def test_a_film_that_breaks_off_is_refused() -> None:
    import av

    whole = render([clip(4.0, with_sound=False)], Work())
    with av.open(io.BytesIO(whole)) as container:
        places = sorted(packet.pos for packet in container.demux(video=0) if packet.pos is not None)
    # Cut between two frames, so that nothing but the missing end shows it.
    with pytest.raises(NodeError, match=r"breaks off after .* of 4.0 seconds; give the whole file"):
        render([Clip(content(whole[: places[len(places) // 2]]))], Work())


def test_a_film_whose_sound_lasts_longer_is_whole() -> None:
    made = render([clip(0.5, sound_seconds=2.0)], Work())
    assert facts(made).duration == pytest.approx(2.0, abs=0.05)
    assert loudness(made, 1.5, 1.9) > 0.3


def test_a_part_after_the_end_of_the_sound_is_silent() -> None:
    made = render([Clip(clip(2.0, sound_seconds=0.1).content, 1.0)], Work())
    assert facts(made).has_audio
    assert loudness(made, 0.1, 0.9) < 0.05


def test_a_film_without_frames_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("films", "film_frames"):
        monkeypatch.setattr(f"greenrun.workflows.media.{place}.decoded", lambda *given, **more: iter(()))
    with pytest.raises(NodeError, match="the video has no frames"):
        facts(film(0.3))
    with pytest.raises(NodeError, match="the video has no frames"):
        frame_at(content(film(0.3)), 0, Work())


def test_a_frame_without_a_length_lasts_as_long_as_the_rate_says() -> None:
    from av import VideoFrame

    from greenrun.workflows.media.film_frames import length_of

    class Stream:
        average_rate, guessed_rate = None, 50

    assert length_of(VideoFrame(4, 4, "yuv420p"), Stream()) == 0.02


def test_a_part_beyond_the_end_is_refused() -> None:
    with pytest.raises(NodeError, match=r"the video lasts 1\.0. s; nothing of it lies between"):
        render([Clip(clip(1.0).content, 5.0)], Work())


def test_a_film_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(films, "MAX_SECONDS", 0.5)
    with pytest.raises(NodeError, match=r"at most 0\.0 are worked on"):
        render([clip(1.0)], Work())


def test_a_film_that_is_too_wide_is_refused() -> None:
    with pytest.raises(NodeError, match="5000 x 10 pixels is too large"):
        render([clip(0.3)], Work(), Frame(5000, 10))


def test_a_film_with_frames_beyond_bounds_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greenrun.workflows.media.film_frames.MAX_PIXELS", 100)
    with pytest.raises(NodeError, match="frames of 64 x 48 pixels, which is more"):
        facts(film(0.3))


def test_a_film_that_becomes_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greenrun.workflows.media.film_writer.LIMIT", 10)
    with pytest.raises(NodeError, match="larger than"):
        render([clip(1.0)], Work())


def test_a_film_that_cannot_be_encoded_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from av.error import InvalidDataError

    def fail(*arguments: Any) -> None:
        raise InvalidDataError(1, "Invalid data")

    monkeypatch.setattr("greenrun.workflows.media.films._copy", fail)
    with pytest.raises(NodeError, match="the video cannot be written"):
        render([clip(0.3)], Work())


def test_a_title_in_an_unknown_encoding_does_not_matter() -> None:
    data = film(0.3).replace(b"isomiso2", b"isom\xe4so2")
    assert facts(data).codec == "h264"


def test_times_that_jump_are_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(films, "_MOST_GAP", -1.0)
    with pytest.raises(NodeError, match="the video is damaged: its time jumps to 0 s"):
        render([clip(0.3)], Work())


def test_a_film_that_grows_too_long_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(NodeError, match="lasts more than 1 minutes"),
        FilmWriter(tmp_path / "a.mp4", Frame(2, 2), rate=Fraction(25), sound=False, most_seconds=60) as writer,
    ):
        writer.lasts(61)


def test_a_track_that_nobody_knows_is_damage() -> None:
    class Container:
        def demux(self, *streams: Any) -> Any:
            raise IndexError("list index out of range")

    container: Any = Container()
    with pytest.raises(NodeError, match="the media is damaged; give the whole file"):
        list(decoded(container, [], Work()))


def test_a_track_that_nothing_decodes_is_refused() -> None:
    class Stream:
        codec_context = None

    class Streams:
        video = (Stream(),)

        def get(self, wanted: Any) -> Any:
            return [self.video[0]]

    class Container:
        streams = Streams()

    container: Any = Container()
    with pytest.raises(NodeError, match="the video track is in a format that is not read here"):
        track_of(container, "video", "none")


def test_a_moving_size_of_frames_is_taken() -> None:
    from av import VideoFrame

    from greenrun.workflows.media.film_frames import PictureFilter

    class Stream:
        sample_aspect_ratio = None

    pictures = PictureFilter(Frame(20, 20), Stream())
    sizes = {
        (made.width, made.height) for size in (64, 32) if (made := pictures.passed(VideoFrame(size, size, "yuv420p")))
    }
    assert sizes == {(20, 20)}


def test_pixels_that_are_not_square_are_made_square() -> None:
    from av import VideoFrame

    from greenrun.workflows.media.film_frames import seen_size

    class Stream:
        sample_aspect_ratio = Fraction(2, 1)

    assert seen_size(VideoFrame(64, 48, "yuv420p"), Stream()) == (128, 48)


def test_a_file_of_sound_only_is_no_film() -> None:
    with pytest.raises(NodeError, match="no pictures"):
        facts(encoded_sound(0.3, container="ipod", codec="aac"))


def test_an_infinite_end_is_the_end_of_the_film() -> None:
    assert math.isinf(Clip(Content(b"")).end)
