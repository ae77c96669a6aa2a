from __future__ import annotations

import struct
import zlib
from typing import Any

import pytest

from greenrun.workflows.media.pictures import (
    check_size,
    encode,
    picture_facts,
    picture_ref,
    read_picture,
    without_alpha,
)
from greenrun.workflows.node import NodeError
from media_samples import encoded, image, needs_pictures, opened, picture

pytestmark = needs_pictures

ORIENTATION = 0x0112


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def huge_png(width: int, height: int) -> bytes:
    """A small file that says it is a large picture."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA"])
def test_the_usual_modes_stay(mode: str) -> None:
    colour = {"L": 90, "LA": (90, 128), "RGB": (200, 30, 60), "RGBA": (200, 30, 60, 128)}[mode]
    found = read_picture(encoded(image(mode=mode, colour=colour)))
    assert (found.image.mode, found.mode, found.image.getpixel((39, 19))) == (mode, mode, colour)


def test_a_palette_becomes_colours() -> None:
    found = read_picture(encoded(image().quantize(8)))
    assert (found.image.mode, found.mode) == ("RGB", "P")


def test_a_palette_with_a_see_through_colour_becomes_colours_with_alpha() -> None:
    made = image(mode="RGBA", colour=(200, 30, 60, 0)).quantize(8)
    found = read_picture(encoded(made)).image
    assert (found.mode, found.getpixel((39, 19))[3], found.getpixel((0, 0))[3]) == ("RGBA", 0, 255)


def test_a_see_through_colour_of_a_plain_picture_becomes_alpha() -> None:
    found = read_picture(encoded(image(), transparency=(200, 30, 60))).image
    assert (found.mode, found.getpixel((39, 19))[3], found.getpixel((0, 0))[3]) == ("RGBA", 0, 255)


def test_colours_for_print_become_colours_for_screens() -> None:
    found = read_picture(encoded(image(mode="CMYK", colour=(0, 255, 255, 0)), "JPEG"))
    red, green, blue = found.image.getpixel((39, 19))
    assert (found.image.mode, found.mode) == ("RGB", "CMYK")
    assert red > 200 > 60 > max(green, blue)


def test_a_colour_profile_that_cannot_be_used_for_print_colours_is_left_out() -> None:
    found = read_picture(encoded(image(mode="CMYK", colour=(0, 255, 255, 0)), "JPEG", icc_profile=b"nonsense" * 20))
    assert found.image.mode == "RGB"


def test_a_usable_profile_of_print_colours_is_applied(monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import ImageCms

    applied: list[Any] = []

    def apply(made: Any, *profiles: Any, **options: Any) -> Any:
        applied.append(made.mode)
        return made.convert("RGB")

    # No free profile for print is at hand, so that of a screen stands in for it.
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    monkeypatch.setattr(ImageCms, "profileToProfile", apply)
    read_picture(encoded(image(mode="CMYK", colour=(0, 255, 255, 0)), "JPEG", icc_profile=profile))
    assert applied == ["CMYK"]


def test_sixteen_bits_become_eight() -> None:
    from PIL import Image

    made = Image.new("I;16", (4, 4), 65_535)
    made.putpixel((0, 0), 32_896)
    found = read_picture(encoded(made)).image
    assert (found.mode, found.getpixel((0, 0)), found.getpixel((3, 3))) == ("L", 128, 255)


@pytest.mark.parametrize(
    ("mode", "values", "greys"),
    [
        ("F", (0.0, 0.5), (0, 255)),
        ("F", (1.0, 1.0), (0, 0)),
        ("I", (0, 65_535), (0, 255)),
        ("I", (0, 128), (0, 128)),
        ("I", (-10, 10), (0, 255)),
    ],
)
def test_numbers_of_any_range_become_greys(mode: str, values: tuple[Any, Any], greys: tuple[int, int]) -> None:
    from PIL import Image

    made = Image.new(mode, (2, 1), values[0])
    made.putpixel((1, 0), values[1])
    found = read_picture(encoded(made, "TIFF")).image
    assert (found.mode, found.getpixel((0, 0)), found.getpixel((1, 0))) == ("L", *greys)


def test_black_and_white_becomes_grey() -> None:
    assert read_picture(encoded(image().convert("1"))).image.mode == "L"


def test_of_a_moving_picture_the_first_frame_is_read() -> None:
    first, second = image(colour=(200, 30, 60)), image(colour=(0, 0, 255))
    data = encoded(first, "GIF", save_all=True, append_images=[second], duration=100)
    found = read_picture(data)
    assert found.image.convert("RGB").getpixel((39, 19)) == (200, 30, 60)
    assert (found.format, found.written_format) == ("GIF", "PNG")


@pytest.mark.parametrize(
    ("turn", "size", "white_at"),
    [(1, (40, 20), (2, 2)), (3, (40, 20), (37, 17)), (6, (20, 40), (17, 2)), (8, (20, 40), (2, 37))],
)
def test_a_photo_is_turned_upright(turn: int, size: tuple[int, int], white_at: tuple[int, int]) -> None:
    from PIL import Image

    exif = Image.Exif()
    exif[ORIENTATION] = turn
    data = encoded(image(colour=(0, 0, 0)), "JPEG", exif=exif, quality=95)
    found = read_picture(data).image
    assert found.size == size
    assert min(found.getpixel(white_at)) > 200
    assert (picture_facts(data).width, picture_facts(data).height) == size


def test_a_damaged_note_of_the_camera_does_not_spoil_the_photo(monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import Image

    def damaged(self: Any) -> Any:
        raise SyntaxError("not a TIFF file")

    monkeypatch.setattr(Image.Image, "getexif", damaged)
    assert read_picture(picture()).image.size == (40, 20)


def test_notes_of_the_camera_are_not_kept() -> None:
    from PIL import Image

    exif = Image.Exif()
    exif[0x010F] = "Maker"
    made = opened(picture_ref(read_picture(encoded(image(), "JPEG", exif=exif)).image, "JPEG"))
    assert dict(made.getexif()) == {}


def test_a_colour_profile_is_kept() -> None:
    from PIL import ImageCms

    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    found = read_picture(encoded(image(), icc_profile=profile))
    assert opened(picture_ref(found.image, "JPEG")).info["icc_profile"] == profile


def test_facts_are_read_from_the_head_of_the_file() -> None:
    facts = picture_facts(picture()[:60])
    assert (facts.width, facts.height, facts.format, facts.mode) == (40, 20, "PNG", "RGB")


def test_a_picture_of_two_lenses_is_a_jpeg() -> None:
    data = encoded(image(), "MPO", save_all=True, append_images=[image()])
    assert (read_picture(data).format, picture_facts(data).format) == ("JPEG", "JPEG")


# What is not read


@pytest.mark.parametrize("size", [(9_400, 9_400), (60_000, 60_000), (70_000, 1)])
def test_a_small_file_that_unpacks_to_a_huge_picture_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(NodeError, match="too large; at most 80 million pixels"):
        read_picture(huge_png(*size))


def test_a_picture_that_is_cut_off_is_refused() -> None:
    with pytest.raises(NodeError, match=r"damaged or cut off .* give the whole file"):
        read_picture(encoded(image(400, 400), "JPEG")[:-500])


def test_a_picture_whose_head_is_damaged_is_refused() -> None:
    with pytest.raises(NodeError, match=r"damaged|no picture that is read"):
        read_picture(picture()[:14] + b"\xff" * 40)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (
            b"<svg xmlns='http://www.w3.org/2000/svg'></svg>",
            "an SVG drawing, which is not rendered here; export it as PNG",
        ),
        (b"\x00\x00\x00\x20ftypheic" + bytes(30), "a HEIC photo"),
        (b"8BPS\x00\x01" + bytes(30), "a Photoshop document"),
        (b"%PDF-1.7", "no picture that is read here; give a PNG"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n", "no picture that is read here"),
        (b"hello", "no picture that is read here"),
    ],
)
def test_what_is_not_read_says_what_to_give(data: bytes, text: str) -> None:
    with pytest.raises(NodeError, match=text):
        read_picture(data)


def test_a_decoder_that_fails_in_its_own_way_is_a_damaged_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import Image

    def fail(*arguments: Any, **options: Any) -> Any:
        raise IndexError

    monkeypatch.setattr(Image, "open", fail)
    with pytest.raises(NodeError, match=r"the picture is damaged \(IndexError\)"):
        read_picture(picture())


def test_a_size_of_nothing_is_refused() -> None:
    with pytest.raises(NodeError, match="0 x 5 pixels has nothing in it"):
        check_size(0, 5)


# Writing


@pytest.mark.parametrize("file_format", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF"])
@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA"])
def test_every_format_takes_every_mode(file_format: str, mode: str) -> None:
    colour = {"L": 90, "LA": (90, 255), "RGB": (200, 30, 60), "RGBA": (200, 30, 60, 255)}[mode]
    made = read_picture(encode(image(mode=mode, colour=colour), file_format, 95)).image.convert("RGB")
    expected = (90, 90, 90) if mode in ("L", "LA") else (200, 30, 60)
    assert max(abs(a - b) for a, b in zip(made.getpixel((35, 17)), expected, strict=True)) < 12


def test_avif_is_written_where_pillow_can() -> None:
    from PIL import features

    if not features.check("avif"):
        pytest.skip("this Pillow writes no AVIF")
    assert picture_facts(encode(image(), "AVIF")).format == "AVIF"


def test_avif_that_pillow_cannot_write_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import features

    monkeypatch.setattr(features, "check", lambda name: False)
    with pytest.raises(NodeError, match="writes no AVIF; choose webp"):
        encode(image(), "AVIF")


def test_see_through_parts_become_white_in_a_jpeg() -> None:
    made = read_picture(encode(image(mode="RGBA", colour=(0, 0, 0, 0)), "JPEG")).image
    assert min(made.getpixel((39, 19))) > 250


def test_grey_stays_grey_on_a_grey_background() -> None:
    made = image(mode="LA", colour=(0, 0))
    assert without_alpha(made).mode == "L"
    assert without_alpha(made, (255, 0, 0)).getpixel((39, 19)) == (255, 0, 0)


def test_a_lower_quality_makes_a_smaller_file() -> None:
    from PIL import Image

    noise = Image.effect_noise((100, 100), 80)
    assert len(encode(noise, "JPEG", 20)) < len(encode(noise, "JPEG", 90))


def test_a_reference_names_format_and_file() -> None:
    ref = picture_ref(image(), "JPEG")
    assert ref["metadata"] == {"mime": "image/jpeg", "name": "picture.jpg"}


def icon(inner: bytes, count: int = 1) -> bytes:
    entry = struct.pack("<BBBBHHII", 0, 0, 0, 0, 1, 32, len(inner), 6 + 16 * count)
    return struct.pack("<HHH", 0, 1, count) + entry * count + inner


@pytest.mark.parametrize(
    "inner", [huge_png(13_000, 13_000), struct.pack("<IiiHHI", 40, 13_000, 26_000, 1, 32, 0) + bytes(100)]
)
def test_icon_with_a_picture_that_is_too_large_is_refused_by_its_head(inner: bytes) -> None:
    for read in (read_picture, picture_facts):
        with pytest.raises(NodeError, match="13000 x 13000 pixels is too large"):
            read(icon(inner))


@pytest.mark.parametrize("data", [icon(b""), b"\0\0\1\0", icon(bytes(30)), icon(bytes(10), 9)[:40]])
def test_icon_that_is_cut_off_is_an_error(data: bytes) -> None:
    with pytest.raises(NodeError, match=r"the picture is damaged|no picture"):
        read_picture(data)


def test_icon_is_read() -> None:
    assert read_picture(encoded(image(), "ICO")).format == "ICO"


@pytest.mark.parametrize("head", [b"P3 3000 3000 255\n", b"P1 8900 8900\n", b"P2 4000 2000 255\n"])
def test_large_picture_that_is_written_as_text_is_refused_by_its_head(head: bytes) -> None:
    with pytest.raises(NodeError, match="written as text and too large"):
        read_picture(head + b"1 " * 10)


def test_small_picture_that_is_written_as_text_is_read() -> None:
    assert read_picture(b"P3 2 1 255\n1 2 3 4 5 6\n").image.getpixel((1, 0)) == (4, 5, 6)


def jpeg_of_passes(more: int) -> bytes:
    data = encoded(image(), "JPEG", progressive=True)
    last = data[data.rfind(b"\xff\xda") : -2]
    return data[:-2] + last * more + data[-2:]


def test_jpeg_in_too_many_passes_is_refused() -> None:
    with pytest.raises(NodeError, match="more than 100 passes"):
        read_picture(jpeg_of_passes(120))


def test_what_looks_like_passes_behind_the_picture_or_in_a_note_does_not_count() -> None:
    note = b"\xff\xda" * 200
    data = jpeg_of_passes(0)
    noted = data[:2] + b"\xff\xfe" + struct.pack(">H", len(note) + 2) + note + data[2:] + note
    assert read_picture(noted).image.size == (40, 20)
