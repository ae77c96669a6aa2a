from __future__ import annotations

import pytest

from greenrun.workflows.media.sniff import canonical_mime, extension_of, sniff, type_of_name
from media_samples import encoded, encoded_sound, film, image, needs_films, needs_pictures, sound


@needs_pictures
@pytest.mark.parametrize(
    ("file_format", "mime"),
    [
        ("PNG", "image/png"),
        ("JPEG", "image/jpeg"),
        ("GIF", "image/gif"),
        ("WEBP", "image/webp"),
        ("BMP", "image/bmp"),
        ("TIFF", "image/tiff"),
        ("ICO", "image/x-icon"),
    ],
)
def test_a_real_picture_is_recognised(file_format: str, mime: str) -> None:
    assert sniff(encoded(image(), file_format)) == mime


@needs_films
@pytest.mark.parametrize(
    ("container", "codec", "sound_codec", "mime"),
    [
        ("mp4", "libx264", "aac", "video/mp4"),
        ("mov", "libx264", "aac", "video/quicktime"),
        ("webm", "libvpx", "libopus", "video/webm"),
        ("matroska", "libx264", "aac", "video/x-matroska"),
        ("avi", "mpeg4", "libmp3lame", "video/x-msvideo"),
        ("mpegts", "libx264", "aac", "video/mp2t"),
        ("flv", "libx264", "aac", "video/x-flv"),
    ],
)
def test_a_real_film_is_recognised(container: str, codec: str, sound_codec: str, mime: str) -> None:
    data = film(0.5, container=container, codec=codec, sound_codec=sound_codec)
    assert sniff(data) == mime


@needs_films
@pytest.mark.parametrize(
    ("container", "codec", "mime"),
    [
        ("mp3", "libmp3lame", "audio/mpeg"),
        ("ogg", "libopus", "audio/ogg"),
        ("flac", "flac", "audio/flac"),
        ("ipod", "aac", "audio/mp4"),
        ("adts", "aac", "audio/aac"),
        ("aiff", "pcm_s16be", "audio/aiff"),
    ],
)
def test_a_real_sound_is_recognised(container: str, codec: str, mime: str) -> None:
    assert sniff(encoded_sound(0.3, container=container, codec=codec)) == mime


def test_a_wav_file_is_recognised() -> None:
    assert sniff(sound()) == "audio/wav"


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml"),
        (b"\xef\xbb\xbf  <?xml version='1.0'?>\n<!-- by hand -->\n<svg/>", "image/svg+xml"),
        (b"<!DOCTYPE html><p>hi", "text/html"),
        (b"\n<HTML><svg></svg>", "text/html"),
        (b"\xff\xfb\x90\x00rest", "audio/mpeg"),
        (b"\x00\x00\x00\x20ftypheic", "image/heic"),
        (b"\x00\x00\x00\x20ftypavif", "image/avif"),
        (b"OggS\x00\x02" + bytes(22) + b"\x80theora", "video/ogg"),
        (b"%PDF-1.7", "application/pdf"),
        (b"#EXTM3U\nhttp://10.0.0.1/", "application/vnd.apple.mpegurl"),
    ],
)
def test_the_head_of_a_file_tells_what_it_is(data: bytes, mime: str) -> None:
    assert sniff(data) == mime


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello",
        b"BMW cars are fast, and more text follows here",
        b"\xff\xff\xff\xff",
        b"<p>svg</p>",
        b"\xff",
        b"GGG",
    ],
)
def test_anything_else_is_not_guessed(data: bytes) -> None:
    assert sniff(data) is None


@pytest.mark.parametrize(
    ("mime", "extension"),
    [
        ("image/jpeg", "jpg"),
        ("image/jpg; q=1", "jpg"),
        ("audio/x-wav", "wav"),
        ("text/html", "bin"),
        ("nonsense", "bin"),
    ],
)
def test_a_type_has_an_extension(mime: str, extension: str) -> None:
    assert extension_of(mime) == extension


@pytest.mark.parametrize(
    ("name", "mime"),
    [("a/b.JPEG", "image/jpeg"), ("x.oga", "audio/ogg"), ("png", None), (".png", None), ("a.v2", None)],
)
def test_a_name_claims_a_type(name: str, mime: str | None) -> None:
    assert type_of_name(name) == mime


def test_a_type_is_spelt_in_one_way() -> None:
    assert canonical_mime(" IMAGE/JPG;x=1") == "image/jpeg"
