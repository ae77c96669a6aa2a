from __future__ import annotations

from typing import Any

import pytest

from greenrun.workflows.media import edits
from greenrun.workflows.node import NodeError
from media_samples import image, needs_pictures

pytestmark = needs_pictures

RED, WHITE, BLACK = (200, 30, 60), (255, 255, 255), (0, 0, 0)


def bounds(before: Any, after: Any) -> tuple[int, int, int, int] | None:
    """Where two pictures differ."""
    from PIL import ImageChops

    return ImageChops.difference(before.convert("RGB"), after.convert("RGB")).getbbox()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("#ff8000", (255, 128, 0, 255)),
        ("#ff800080", (255, 128, 0, 128)),
        ("orange", (255, 165, 0, 255)),
        ({"type": "color", "value": "#000"}, (0, 0, 0, 255)),
        ("transparent", (0, 0, 0, 0)),
        ("", (0, 0, 0, 255)),
        (None, (0, 0, 0, 255)),
        ({"type": "color", "value": None}, (0, 0, 0, 255)),
    ],
)
def test_a_colour_is_a_name_or_a_number(value: Any, expected: tuple[int, ...]) -> None:
    assert edits.colour(value) == expected


@pytest.mark.parametrize("value", ["reddish", 5, {"type": "color", "value": [1]}])
def test_what_is_no_colour_is_refused(value: Any) -> None:
    with pytest.raises(NodeError, match="is no colour"):
        edits.colour(value)


@pytest.mark.parametrize(
    ("width", "height", "fit", "size"),
    [
        (20, 20, "fit", (20, 10)),
        (20, 20, "cover", (20, 20)),
        (20, 20, "exact", (20, 20)),
        (20, 0, "fit", (20, 10)),
        (0, 40, "exact", (80, 40)),
        (1, 0, "fit", (1, 1)),
    ],
)
def test_a_picture_gets_a_size(width: int, height: int, fit: str, size: tuple[int, int]) -> None:
    assert edits.resize(image(), width, height, fit).size == size


def test_a_covering_picture_loses_its_edges_and_not_its_shape() -> None:
    made = edits.resize(image(40, 20), 20, 20, "cover")
    # The white quarter reached to the middle and half way down; ten columns on its left are gone.
    assert made.getpixel((5, 5)) == WHITE
    assert made.getpixel((15, 5)) == RED


@pytest.mark.parametrize(("width", "height", "text"), [(0, 0, "no size is given"), (90_000, 90_000, "too large")])
def test_a_size_that_cannot_be_is_refused(width: int, height: int, text: str) -> None:
    with pytest.raises(NodeError, match=text):
        edits.resize(image(), width, height)


@pytest.mark.parametrize(
    ("part", "size"),
    [((0, 0, 10, 5), (10, 5)), ((30, 10, 0, 0), (10, 10)), ((30, 10, 99, 99), (10, 10)), ((-5, -5, 10, 10), (5, 5))],
)
def test_a_part_is_cut_out(part: tuple[int, int, int, int], size: tuple[int, int]) -> None:
    assert edits.crop(image(), *part).size == size


@pytest.mark.parametrize("part", [(40, 0, 10, 10), (0, -20, 10, 10)])
def test_a_part_with_nothing_in_it_is_refused(part: tuple[int, int, int, int]) -> None:
    with pytest.raises(NodeError, match="nothing of the picture of 40 x 20 pixels"):
        edits.crop(image(), *part)


@pytest.mark.parametrize(
    ("angle", "size", "white_at"),
    [
        (0, (40, 20), (2, 2)),
        (90, (20, 40), (17, 2)),
        (180, (40, 20), (37, 17)),
        (270, (20, 40), (2, 37)),
        (-90, (20, 40), (2, 37)),
    ],
)
def test_a_picture_is_turned_clockwise(angle: float, size: tuple[int, int], white_at: tuple[int, int]) -> None:
    made = edits.rotate(image(), angle, (0, 0, 0, 0))
    assert (made.size, made.getpixel(white_at)) == (size, WHITE)


def test_corners_that_come_free_are_see_through() -> None:
    made = edits.rotate(image(), 45, (0, 0, 0, 0))
    assert made.width > 40
    assert made.getpixel((0, 0))[3] == 0


def test_corners_that_come_free_get_the_background() -> None:
    made = edits.rotate(image(), 45, (0, 0, 255, 255))
    assert (made.mode, made.getpixel((0, 0))) == ("RGB", (0, 0, 255))


def test_a_turned_picture_may_keep_its_size() -> None:
    assert edits.rotate(image(), 90, (0, 0, 0, 255), expand=False).size == (40, 20)


@pytest.mark.parametrize(
    ("direction", "white_at"), [("horizontal", (37, 2)), ("vertical", (2, 17)), ("both", (37, 17))]
)
def test_a_picture_is_mirrored(direction: str, white_at: tuple[int, int]) -> None:
    assert edits.flip(image(), direction).getpixel(white_at) == WHITE


def test_colours_become_greys_and_alpha_stays() -> None:
    assert edits.grayscale(image()).mode == "L"
    made = edits.grayscale(image(mode="RGBA", colour=(*RED, 70)))
    assert (made.mode, made.getpixel((39, 19))[1]) == ("LA", 70)


def test_a_blur_softens_edges() -> None:
    made = edits.blur(image(colour=BLACK), 2)
    assert 0 < made.getpixel((20, 5))[0] < 255


@pytest.mark.parametrize("mode", ["LA", "RGBA"])
def test_what_is_invisible_does_not_bleed_into_what_is_seen(mode: str) -> None:
    colour = (0, 0) if mode == "LA" else (0, 255, 0, 0)
    made = edits.blur(image(mode=mode, colour=colour), 2)
    *shown, alpha = made.getpixel((20, 5))
    assert made.mode == mode
    assert 0 < alpha < 255
    assert min(shown) > 240


def test_a_blur_beyond_the_picture_is_as_wide_as_the_picture() -> None:
    assert edits.blur(image(), 1e12).size == (40, 20)


def test_a_blur_of_nothing_changes_nothing() -> None:
    made = image()
    assert edits.blur(made, 0) is made


def step(low: int, high: int) -> Any:
    """Two greys with an edge in the middle."""
    from PIL import Image

    made = Image.new("L", (40, 10), low)
    made.paste(high, (20, 0, 40, 10))
    return made


def test_sharpening_deepens_edges() -> None:
    made = edits.unsharp_mask(step(100, 150), 1.0, 0.0)
    assert made.getpixel((19, 5)) < 100
    assert made.getpixel((20, 5)) > 150


def test_more_sharpening_deepens_edges_more() -> None:
    weak, strong = (edits.unsharp_mask(step(100, 150), amount, 0.0).getpixel((20, 5)) for amount in (0.3, 1.5))
    assert weak < strong


def test_sharpening_of_zero_changes_nothing() -> None:
    made = step(100, 150)
    assert edits.unsharp_mask(made, 0, 0) is made


def test_differences_below_the_threshold_are_not_sharpened() -> None:
    before = step(100, 110)
    assert list(edits.unsharp_mask(before, 2, 0.5).tobytes()) == list(before.tobytes())


def test_sharpening_leaves_alpha_alone() -> None:
    before = image(mode="RGBA", colour=(*RED, 70))
    assert edits.unsharp_mask(before, 1, 0).getchannel("A").tobytes() == before.getchannel("A").tobytes()


@pytest.mark.parametrize(
    ("brightness", "contrast", "grey"),
    [(0, 1, 100), (0.2, 1, 151), (-1, 1, 0), (1, 1, 255), (0, 2, 72), (0, 0, 128)],
)
def test_brightness_is_added_and_contrast_is_a_factor_around_the_middle(
    brightness: float, contrast: float, grey: int
) -> None:
    from PIL import Image

    made = edits.brightness_contrast(Image.new("RGB", (2, 2), (100, 100, 100)), brightness, contrast)
    assert abs(made.getpixel((0, 0))[0] - grey) <= 1


def test_a_mask_limits_a_change() -> None:
    from PIL import Image

    before, changed = image(colour=BLACK), Image.new("RGB", (40, 20), RED)
    mask = Image.new("L", (20, 10), 0)
    mask.paste(255, (10, 0, 20, 10))
    made = edits.masked(before, changed, mask)
    assert (made.getpixel((2, 15)), made.getpixel((37, 15))) == (BLACK, RED)


def test_without_a_mask_all_is_changed() -> None:
    changed = image(colour=RED)
    assert edits.masked(image(), changed, None) is changed


@pytest.mark.parametrize(
    ("position", "left", "top", "where"),
    [
        ("top-left", 0, 0, (0, 0, 10, 10)),
        ("top-left", 3, 4, (3, 4, 13, 14)),
        ("bottom-right", 0, 0, (30, 10, 40, 20)),
        ("center", 0, 0, (15, 5, 25, 15)),
        ("bottom-right", 5, 0, (35, 10, 40, 20)),
    ],
)
def test_a_picture_is_laid_on_another(position: str, left: int, top: int, where: tuple[int, int, int, int]) -> None:
    from PIL import Image

    before = Image.new("RGB", (40, 20), BLACK)
    made = edits.paste(before, Image.new("RGB", (10, 10), WHITE), position=position, left=left, top=top)
    assert (made.mode, bounds(before, made)) == ("RGB", where)


def test_what_is_laid_on_may_be_scaled_and_faint() -> None:
    from PIL import Image

    before = Image.new("RGB", (40, 20), BLACK)
    over = Image.new("RGBA", (10, 10), (255, 255, 255, 255))
    made = edits.paste(before, over, position="top-left", left=0, top=0, scale=2, opacity=0.5)
    assert bounds(before, made) == (0, 0, 20, 20)
    assert abs(made.getpixel((5, 5))[0] - 128) <= 1


def test_see_through_parts_stay_see_through_under_what_is_laid_on() -> None:
    from PIL import Image

    before = Image.new("RGBA", (40, 20), (0, 0, 0, 0))
    made = edits.paste(before, Image.new("RGB", (10, 10), WHITE), position="top-left", left=0, top=0)
    assert (made.getpixel((5, 5)), made.getpixel((30, 5))[3]) == ((255, 255, 255, 255), 0)


def test_what_is_laid_on_may_not_be_scaled_beyond_bounds() -> None:
    with pytest.raises(NodeError, match="too large"):
        edits.paste(image(), image(2_000, 2_000), position="top", left=0, top=0, scale=100)


@pytest.mark.parametrize(("position", "half"), [("top-left", 0), ("bottom-right", 1), ("center", None)])
def test_a_text_stands_where_it_is_put(position: str, half: int | None) -> None:
    from PIL import Image

    before = Image.new("RGB", (300, 200), BLACK)
    made = edits.draw_text(before, "Hello", size=30, position=position)
    found = bounds(before, made)
    assert found is not None
    middle = ((found[0] + found[2]) / 2, (found[1] + found[3]) / 2)
    if half is None:
        assert (abs(middle[0] - 150) < 3, abs(middle[1] - 100) < 3) == (True, True)
    else:
        assert [middle[0] > 150, middle[1] > 100] == [bool(half)] * 2


def test_a_long_text_is_broken_into_lines_that_fit() -> None:
    from PIL import Image

    before = Image.new("RGB", (200, 200), BLACK)
    made = edits.draw_text(
        before, "several words that do not fit in one line\n\nand " + "x" * 60, size=20, position="top"
    )
    found = bounds(before, made)
    assert found is not None
    assert found[0] > 0
    assert found[2] < 200
    assert found[3] > 80


def test_a_text_may_have_an_outline_and_be_faint() -> None:
    from PIL import Image

    before = Image.new("RGB", (100, 60), (128, 128, 128))
    strong = edits.draw_text(before, "A", size=50, outline=(0, 0, 0, 255))
    faint = edits.draw_text(before, "A", size=50, outline=(0, 0, 0, 255), opacity=0.2)
    assert strong.getextrema()[0] == (0, 255)
    low, high = faint.getextrema()[0]
    assert 90 < low < 128 < high < 170


def test_the_size_of_a_text_follows_the_picture_unless_it_is_given() -> None:
    from PIL import Image

    before = Image.new("RGB", (1_000, 1_000), BLACK)
    found = bounds(before, edits.draw_text(before, "H", position="center"))
    assert found is not None
    assert 25 < found[3] - found[1] < 60


def test_an_empty_text_changes_nothing() -> None:
    made = image()
    assert edits.draw_text(made, " ") is made


def sheet(count: int, **options: Any) -> Any:
    given = {"columns": 0, "cell": 50, "gap": 10, "background": (255, 255, 255, 255), "captions": []}
    return edits.contact_sheet([image(100, 50, RED) for _ in range(count)], **(given | options))


@pytest.mark.parametrize(
    ("count", "columns", "size"),
    [(1, 0, (70, 70)), (4, 0, (130, 130)), (5, 0, (190, 130)), (3, 3, (190, 70)), (2, 9, (130, 70))],
)
def test_a_sheet_has_as_many_cells_as_it_needs(count: int, columns: int, size: tuple[int, int]) -> None:
    assert sheet(count, columns=columns).size == size


def test_pictures_stand_whole_in_the_middle_of_their_cells() -> None:
    made = sheet(1)
    assert (made.getpixel((11, 11)), made.getpixel((58, 40)), made.getpixel((5, 5))) == (WHITE, RED, WHITE)


def test_small_pictures_are_not_enlarged_on_a_sheet() -> None:
    assert edits.shrunk(image(10, 10), 50).size == (10, 10)


def test_captions_stand_below_and_are_shortened() -> None:
    plain, told = sheet(2), sheet(2, captions=["a caption that is far too long for its cell", ""])
    assert told.height > plain.height
    found = bounds(told.crop((0, 60, told.width, told.height)), sheet(2, captions=[" "]).crop((0, 60, *told.size)))
    assert found is not None
    assert found[0] >= 10
    assert found[2] <= 61


def test_a_sheet_may_be_see_through() -> None:
    made = sheet(1, background=(0, 0, 0, 0), captions=["x"])
    assert (made.mode, made.getpixel((0, 0))[3]) == ("RGBA", 0)


def test_a_sheet_that_is_too_large_is_refused() -> None:
    with pytest.raises(NodeError, match="too large"):
        edits.contact_sheet([image()] * 40, columns=1, cell=2_048, gap=0, background=(0, 0, 0, 255), captions=[])
