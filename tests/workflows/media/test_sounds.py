from __future__ import annotations

import io
import struct
import wave
from typing import Any

import pytest

from greenrun.workflows.media import sounds
from greenrun.workflows.media.content import Content
from greenrun.workflows.media.sniff import sniff
from greenrun.workflows.media.sounds import Cut, joined, read_wave, sound_facts, write_wave
from greenrun.workflows.media.work import Work
from greenrun.workflows.node import NodeError
from media_samples import encoded_sound, film, loudness, needs_films, sound


def content(data: bytes) -> Content:
    return Content(data, sniff(data) or "")


def samples(data: bytes) -> tuple[int, ...]:
    with wave.open(io.BytesIO(data)) as file:
        raw = file.readframes(file.getnframes())
    return struct.unpack(f"<{len(raw) // 2}h", raw)


def described(tag: int, bits: int, more: bytes = b"") -> bytes:
    """How samples are stored: one channel, 8000 samples per second."""
    size = bits // 8
    return struct.pack("<HHIIHH", tag, 1, 8_000, 8_000 * size, size, bits) + more


def test_the_facts_of_a_wav_file_are_read() -> None:
    found = sound_facts(content(sound(0.5, rate=8_000, channels=2)))
    assert (found.duration, found.sample_rate, found.channels, found.format) == (0.5, 8_000, 2, "wav")
    assert found.size_bytes == 44 + 0.5 * 8_000 * 4


def test_a_wav_file_is_cut_without_loss() -> None:
    made = joined([Cut(content(sound(1.0)), 0.25, 0.5)], Work())
    assert made.mime == "audio/wav"
    assert samples(made.data) == tuple(range(2_000, 4_000))


def test_a_part_may_reach_to_the_end() -> None:
    assert samples(joined([Cut(content(sound(1.0)), 0.75)], Work()).data) == tuple(range(6_000, 8_000))
    assert samples(joined([Cut(content(sound(1.0)), 0.75, 99)], Work()).data) == tuple(range(6_000, 8_000))


def test_wav_files_are_joined_without_loss() -> None:
    made = joined([Cut(content(sound(0.1))), Cut(content(sound(0.2)))], Work())
    assert samples(made.data) == (*range(800), *range(1_600))


def test_both_channels_are_kept_together() -> None:
    made = joined([Cut(content(sound(0.1, channels=2)), 0.05)], Work())
    assert samples(made.data)[:4] == (400, 400, 401, 401)


def test_a_file_that_was_streamed_reaches_to_its_end() -> None:
    data = bytearray(sound(0.5))
    data[4:8] = data[40:44] = b"\xff\xff\xff\xff"
    assert sound_facts(content(bytes(data))).duration == 0.5


def test_a_file_with_other_parts_is_read() -> None:
    plain = sound(0.1)
    data = plain[:12] + b"LIST" + struct.pack("<I", 3) + b"abc\0" + plain[12:]
    assert sound_facts(content(data)).duration == 0.1


def test_samples_that_are_fractions_are_kept_as_they_are() -> None:
    stored_as = described(3, 32)
    data = write_wave(stored_as, [struct.pack("<800f", *([0.5] * 800))])
    found = read_wave(content(joined([Cut(content(data), 0.0, 0.05)], Work()).data))
    assert found is not None
    assert (found.stored_as, found.duration) == (stored_as, 0.05)


def test_a_longer_description_of_the_samples_is_read() -> None:
    data = write_wave(described(0xFFFE, 16, struct.pack("<HHI", 22, 16, 4) + bytes(16)), [bytes(1_600)])
    assert sound_facts(content(data)).duration == 0.1


def test_an_odd_number_of_bytes_is_filled_up() -> None:
    data = write_wave(described(1, 8), [b"abc"])
    assert len(data) % 2 == 0
    found = read_wave(content(data))
    assert found is not None
    assert bytes(found.samples) == b"abc"


@pytest.mark.parametrize(
    "data",
    [
        b"RIFF\x04\0\0\0WAVE",
        write_wave(described(0x11, 8), [b"ab"]),
        write_wave(struct.pack("<HHIIHH", 1, 0, 0, 0, 0, 0), [b"ab"]),
        sound(0.1)[:40],
        b"RIFF\x20\0\0\0WAVEfmt ",
    ],
)
def test_other_files_have_no_plain_samples(data: bytes) -> None:
    assert read_wave(Content(data, "audio/wav")) is None


def test_a_part_with_nothing_in_it_is_refused() -> None:
    with pytest.raises(NodeError, match=r"the sound lasts 0.1 s; nothing of it"):
        joined([Cut(content(sound(0.1)), 5.0)], Work())


def test_a_sound_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sounds, "LIMIT", 100)
    with pytest.raises(NodeError, match="larger than"):
        joined([Cut(content(sound(0.1)))], Work())


def test_without_pyav_only_plain_wav_files_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    told = 'needs PyAV; add it with: pip install "greenrun[video]"'
    monkeypatch.setattr(sounds, "missing_extra", lambda extra: told)
    compressed = Content(b"ID3", "audio/mpeg")
    with pytest.raises(NodeError, match=r"audio/mpeg it needs PyAV; add it with: pip install"):
        sound_facts(compressed)
    with pytest.raises(NodeError, match="needs PyAV"):
        joined([Cut(content(sound(0.1))), Cut(compressed)], Work())
    assert sound_facts(content(sound(0.1))).duration == 0.1


# With PyAV


FORMATS = [
    ("mp3", "libmp3lame", "audio/mpeg", "mp3"),
    ("ogg", "libopus", "audio/ogg", "ogg"),
    ("flac", "flac", "audio/flac", "flac"),
    ("ipod", "aac", "audio/mp4", "m4a"),
]


@needs_films
@pytest.mark.parametrize(("container", "codec", "mime", "name"), FORMATS)
def test_the_facts_of_a_compressed_sound_are_read(container: str, codec: str, mime: str, name: str) -> None:
    found = sound_facts(content(encoded_sound(1.0, container=container, codec=codec)))
    assert (found.sample_rate, found.channels, found.format) == (48_000, 1, name)
    assert found.duration == pytest.approx(1.0, abs=0.1)


@needs_films
@pytest.mark.parametrize(("container", "codec", "mime", "name"), FORMATS)
def test_a_compressed_sound_is_cut_and_keeps_its_format(container: str, codec: str, mime: str, name: str) -> None:
    made = joined([Cut(content(encoded_sound(1.0, container=container, codec=codec)), 0.2, 0.7)], Work())
    assert (made.mime, sniff(made.data)) == (mime, mime)
    assert sound_facts(made).duration == pytest.approx(0.5, abs=0.12)
    assert loudness(made.data, 0.1, 0.4) > 0.3


@needs_films
def test_sounds_of_different_kinds_are_joined_in_the_format_of_the_first() -> None:
    quiet, loud = sound(0.5, rate=44_100, channels=2, level=1), encoded_sound(0.5)
    made = joined([Cut(content(quiet)), Cut(content(loud))], Work())
    found = sound_facts(made)
    assert (made.mime, found.sample_rate, found.channels) == ("audio/wav", 44_100, 2)
    assert found.duration == pytest.approx(1.0, abs=0.08)
    assert [loudness(made.data, at, at + 0.2) > 0.3 for at in (0.1, 0.7)] == [False, True]


@needs_films
def test_the_sound_of_a_film_becomes_a_sound() -> None:
    made = joined([Cut(content(film(1.0)), 0.0, 0.5)], Work())
    assert (made.mime, sniff(made.data)) == ("audio/mp4", "audio/mp4")


@needs_films
def test_unusual_rates_are_raised_to_usual_ones() -> None:
    odd = joined([Cut(content(sound(0.2, rate=11_025))), Cut(content(encoded_sound(0.2)))], Work())
    assert sound_facts(odd).sample_rate == 16_000


@needs_films
@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"ID3" + bytes(200), "damaged or cut off"),
        (b"%PDF-1.7", "application/pdf, which is not read here"),
    ],
)
def test_what_is_no_sound_is_refused(data: bytes, text: str) -> None:
    with pytest.raises(NodeError, match=text):
        sound_facts(content(data))
    with pytest.raises(NodeError, match=text):
        joined([Cut(content(data))], Work())


@needs_films
def test_a_film_without_sound_is_no_sound() -> None:
    with pytest.raises(NodeError, match="no sound in it"):
        sound_facts(content(film(0.3, with_sound=False)))


@needs_films
def test_a_compressed_part_with_nothing_in_it_is_refused() -> None:
    with pytest.raises(NodeError, match="nothing of it"):
        joined([Cut(content(encoded_sound(0.3)), 5.0)], Work())


@needs_films
def test_a_compressed_sound_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sounds, "MAX_SECONDS", 0)
    with pytest.raises(NodeError, match="longer than 0 hours"):
        joined([Cut(content(encoded_sound(0.3)))], Work())


@needs_films
def test_a_compressed_sound_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sounds, "LIMIT", 10)
    with pytest.raises(NodeError, match="larger than"):
        joined([Cut(content(encoded_sound(0.3)))], Work())


@needs_films
def test_a_sound_that_cannot_be_encoded_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from av.error import InvalidDataError

    def fail(*arguments: Any) -> Any:
        raise InvalidDataError(1, "Invalid data")

    monkeypatch.setattr(sounds, "_samples", fail)
    with pytest.raises(NodeError, match="the sound cannot be written"):
        joined([Cut(content(encoded_sound(0.3)))], Work())
