from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from firing import MemoryContext, fire

from greenrun.workflows.files import WorkspaceFiles
from greenrun.workflows.media import pictures
from greenrun.workflows.media.sniff import sniff
from greenrun.workflows.node import NodeError
from greenrun.workflows.registry import builtin_types
from media_samples import content_of_ref, encoded, image, needs_pictures, opened, picture, ref_of

pytestmark = needs_pictures

RED, WHITE, BLACK = (200, 30, 60), (255, 255, 255), (0, 0, 0)


class PlainContext(MemoryContext):
    """Stores nothing, as a host without assets; notes progress."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.steps: list[tuple[float, float]] = []

    async def store_asset(self, ref: dict[str, Any]) -> dict[str, Any]:
        return ref

    def progress(self, done: float, total: float = 1) -> None:
        self.steps.append((done, total))


async def edited(name: str, data: bytes | None = None, **values: Any) -> Any:
    """The Pillow image that a node makes of a picture."""
    given = {"image": ref_of("image", picture() if data is None else data), **values}
    return opened((await fire(name, PlainContext(), **given))["output"])


async def test_a_picture_is_stored_where_the_host_stores() -> None:
    record = await fire("greenrun.image.Grayscale", MemoryContext(), image=ref_of("image", picture()))
    assert record["output"]["asset_id"] == "a1"


async def test_a_picture_is_read_through_the_host() -> None:
    class Reading(PlainContext):
        async def read_media(self, ref: Any) -> bytes:
            assert ref == {"type": "image", "uri": "asset://1.png"}
            return picture()

    record = await fire("greenrun.image.Grayscale", Reading(), image="asset://1.png")
    assert opened(record["output"]).mode == "L"


@pytest.mark.parametrize(
    ("file_format", "kept"), [("PNG", "PNG"), ("JPEG", "JPEG"), ("WEBP", "WEBP"), ("GIF", "PNG"), ("BMP", "PNG")]
)
async def test_a_picture_keeps_a_usual_format(file_format: str, kept: str) -> None:
    made = await edited("greenrun.image.Flip", picture(file_format=file_format))
    assert made.format == kept


async def test_a_picture_is_resized() -> None:
    assert (await edited("greenrun.image.Resize", width=10, height=10)).size == (10, 5)
    assert (await edited("greenrun.image.Resize", width=10, height=10, fit="Cover")).size == (10, 10)


async def test_a_picture_is_cropped() -> None:
    made = await edited("greenrun.image.Crop", left=20, top=10, width=8, height=0)
    assert (made.size, made.getpixel((0, 0))) == ((8, 10), RED)


async def test_a_picture_is_rotated() -> None:
    assert (await edited("greenrun.image.Rotate")).size == (20, 40)


async def test_a_rotated_photo_with_free_corners_becomes_a_png() -> None:
    made = await edited("greenrun.image.Rotate", picture(file_format="JPEG"), angle=45)
    assert (made.format, made.getpixel((0, 0))[3]) == ("PNG", 0)


async def test_a_rotated_photo_on_a_background_stays_a_jpeg() -> None:
    made = await edited(
        "greenrun.image.Rotate", picture(file_format="JPEG"), angle=45, background={"type": "color", "value": "#000000"}
    )
    assert (made.format, max(made.getpixel((0, 0))) < 20) == ("JPEG", True)


async def test_a_picture_is_mirrored() -> None:
    assert (await edited("greenrun.image.Flip", direction="vertical")).getpixel((2, 17)) == WHITE


async def test_a_picture_becomes_grey() -> None:
    assert (await edited("greenrun.image.Grayscale")).mode == "L"


async def test_a_picture_is_blurred() -> None:
    assert (await edited("greenrun.image.Blur", radius=3)).getpixel((20, 5)) not in (RED, WHITE)


@pytest.mark.parametrize(
    ("name", "file_format"), [("jpeg", "JPEG"), ("JPG", "JPEG"), ("webp", "WEBP"), ("tiff", "TIFF")]
)
async def test_a_picture_is_converted(name: str, file_format: str) -> None:
    assert (await edited("greenrun.image.Convert", format=name)).format == file_format


async def test_a_lower_quality_makes_a_smaller_file() -> None:
    from PIL import Image

    noise = encoded(Image.effect_noise((80, 80), 80))
    sizes = [
        len(
            content_of_ref(
                (
                    await fire(
                        "greenrun.image.Convert",
                        PlainContext(),
                        image=ref_of("image", noise),
                        format="jpeg",
                        quality=quality,
                    )
                )["output"]
            )
        )
        for quality in (10, 90)
    ]
    assert sizes[0] < sizes[1]


async def test_a_text_is_drawn() -> None:
    plain, drawn = (
        picture(200, 100, BLACK),
        await edited("greenrun.image.DrawText", picture(200, 100, BLACK), text="Hi", size=40),
    )
    assert sniff(plain) == "image/png"
    # Only the lower right corner is written on.
    assert drawn.crop((0, 50, 100, 100)).getextrema() == ((0, 0),) * 3
    assert drawn.crop((100, 40, 200, 100)).getextrema()[0] == (0, 255)


async def test_a_text_may_have_no_outline() -> None:
    made = await edited("greenrun.image.DrawText", picture(200, 100, RED), text="Hi", size=40, outline="transparent")
    assert made.crop((100, 50, 200, 100)).getextrema()[0][0] >= RED[0] - 2


async def test_a_text_is_drawn_with_a_font_of_the_workspace(tmp_path: Path) -> None:
    context = PlainContext(workspace=WorkspaceFiles(tmp_path))
    values = {"image": ref_of("image", picture(200, 100)), "text": "Hi", "font": "mine.ttf"}
    with pytest.raises(NodeError, match=r'no "mine\.ttf" in the workspace'):
        await fire("greenrun.image.DrawText", context, **values)
    context.workspace.write_bytes("mine.ttf", b"nonsense")
    with pytest.raises(NodeError, match="no font that is read here"):
        await fire("greenrun.image.DrawText", context, **values)


async def test_a_picture_is_laid_on_another() -> None:
    over = ref_of("image", picture(10, 10, BLACK))
    made = await edited("greenrun.image.Composite", overlay=over, position="bottom_right")
    assert (made.getpixel((39, 19)), made.getpixel((29, 19))) == (BLACK, RED)


async def test_edges_are_sharpened_as_a_published_app_asks() -> None:
    from PIL import Image

    step = Image.new("L", (40, 10), 100)
    step.paste(150, (20, 0, 40, 10))
    made = await edited("lib.image.filter.UnsharpMask", encoded(step), amount=0.3, threshold=0.02)
    assert made.getpixel((20, 5)) > 150
    assert (await edited("lib.image.filter.UnsharpMask", encoded(step), amount=0)).tobytes() == step.tobytes()


async def test_brightness_and_contrast_are_changed() -> None:
    made = await edited("lib.image.color.BrightnessContrast", picture(4, 4, (100, 100, 100)), brightness=0.2)
    assert abs(made.getpixel((3, 3))[0] - 151) <= 1
    flat = await edited("lib.image.color.BrightnessContrast", contrast=-3)
    assert flat.getpixel((39, 19)) == (128, 128, 128)


async def test_a_mask_limits_the_change() -> None:
    from PIL import Image

    mask = Image.new("L", (40, 20), 0)
    mask.paste(255, (20, 0, 40, 20))
    made = await edited(
        "lib.image.color.BrightnessContrast", picture(40, 20, BLACK), brightness=1, mask=ref_of("image", encoded(mask))
    )
    assert (made.getpixel((2, 15)), made.getpixel((39, 15))) == (BLACK, WHITE)


async def test_an_empty_mask_is_no_mask() -> None:
    made = await edited(
        "lib.image.color.BrightnessContrast", brightness=1, mask={"type": "image", "uri": "", "data": None}
    )
    assert made.getpixel((39, 19)) == WHITE


async def test_facts_of_a_picture_are_told() -> None:
    data = encoded(image(30, 10, mode="CMYK", colour=(0, 0, 0, 0)), "JPEG")
    assert await fire("greenrun.image.Info", PlainContext(), image=ref_of("image", data)) == {
        "width": 30,
        "height": 10,
        "format": "JPEG",
        "mode": "CMYK",
    }


async def test_pictures_stand_side_by_side() -> None:
    context = PlainContext()
    record = await fire(
        "greenrun.image.ContactSheet",
        context,
        images=[ref_of("image", picture(colour=RED)), None],
        cell=40,
        gap=10,
        captions=["one", 2],
        more=[ref_of("image", picture(colour=BLACK)), ref_of("image", picture())],
    )
    made = opened(record["output"])
    assert made.width == 2 * 50 + 10
    assert (made.getpixel((45, 35)), made.getpixel((95, 35))) == (RED, BLACK)
    assert context.steps == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("name", "values", "text"),
    [
        ("greenrun.image.Resize", {}, "no size is given"),
        (
            "greenrun.image.Resize",
            {"width": 5, "fit": "squeeze"},
            '"squeeze" is no fit; choose one of: fit, cover, exact',
        ),
        ("greenrun.image.Flip", {"direction": "up"}, '"up" is no direction'),
        ("greenrun.image.Convert", {"format": "docx"}, '"docx" is no format'),
        ("greenrun.image.Convert", {"quality": 0}, 'property "quality"'),
        ("greenrun.image.DrawText", {"text": "x", "position": "middle"}, '"middle" is no position'),
        ("greenrun.image.DrawText", {"text": "x", "color": "reddish"}, "is no colour"),
        ("greenrun.image.Composite", {}, 'no image on "overlay"'),
        ("greenrun.image.Composite", {"scale": 0}, 'property "scale"'),
        ("greenrun.image.ContactSheet", {"image": None}, "there are no images"),
        ("greenrun.image.ContactSheet", {"images": [{"uri": "a"}] * 401}, "at most 400 fit"),
        ("greenrun.image.Info", {"image": None}, 'no image on "image"'),
        ("nodetool.image.SaveImageFile", {"save_to_workspace": False}, "no place to save to"),
    ],
)
async def test_what_is_wrong_is_said(name: str, values: dict[str, Any], text: str) -> None:
    with pytest.raises(NodeError, match=text):
        await fire(name, PlainContext(), **{"image": ref_of("image", picture()), **values})


async def test_a_picture_is_saved_in_the_workspace(tmp_path: Path) -> None:
    context = PlainContext(workspace=WorkspaceFiles(tmp_path))
    record = await fire(
        "nodetool.image.SaveImageFile",
        context,
        image=ref_of("image", picture()),
        filename="product_%Y-%m-%d_%H-%M-%S.png",
        save_to_workspace=True,
    )
    assert (tmp_path / record["path"]).read_bytes() == picture()
    assert content_of_ref(record["output"]) == picture()
    assert record["output"]["metadata"]["name"] == record["path"]


def test_saving_a_picture_is_a_local_effect() -> None:
    assert builtin_types()["nodetool.image.SaveImageFile"].effects == "local"


@pytest.mark.parametrize(("name", "values"), [("greenrun.image.Blur", {}), ("greenrun.image.Info", {})])
async def test_pictures_are_worked_on_beside_the_loop(
    name: str, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    opened_there = pictures._opened

    def noted(data: bytes) -> Any:
        threads.append(threading.current_thread())
        return opened_there(data)

    monkeypatch.setattr(pictures, "_opened", noted)
    await fire(name, PlainContext(), image=ref_of("image", picture()), **values)
    assert threads
    assert threading.current_thread() not in threads
