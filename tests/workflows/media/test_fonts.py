from __future__ import annotations

import io
from typing import Any

import pytest

from greenrun.workflows.media import fonts
from greenrun.workflows.media.fonts import font_for, nearest_font
from greenrun.workflows.node import NodeError
from media_samples import needs_pictures

pytestmark = needs_pictures


def name_of(font: Any) -> str:
    return font.getname()[0]


def default_name() -> str:
    from PIL import ImageFont

    return name_of(ImageFont.load_default(20))


def font_of_system() -> str:
    from PIL import ImageFont

    for name in fonts._OTHERS:
        try:
            ImageFont.truetype(name, 20)
        except OSError:
            continue
        return name
    pytest.skip("this machine has none of the usual fonts")


def test_english_needs_no_font_of_the_machine() -> None:
    assert name_of(font_for("Hello, 2 of 3!\n", 20)) == default_name()


def test_other_letters_are_drawn_with_a_font_that_has_them() -> None:
    font_of_system()
    found = font_for("Grüße", 20)
    assert name_of(found) != default_name()
    assert fonts._lacking(found, list("üß")) == []


def test_letters_that_no_font_has_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "_OTHERS", ("no-such-font.ttf",))
    with pytest.raises(NodeError, match="no font on this machine has the letters ß ü; name a font file"):
        font_for("Grüße", 20)


def test_where_letters_may_be_missing_the_font_that_lacks_the_fewest_is_taken() -> None:
    font_of_system()
    assert name_of(nearest_font("Gr\u00fc\u4e00\U0001f9ff", 20)) != default_name()
    assert name_of(nearest_font("", 20)) == default_name()


def test_a_font_file_is_used_as_it_is() -> None:
    from PIL import ImageFont

    with open(str(ImageFont.truetype(font_of_system(), 20).path), "rb") as file:
        data = file.read()
    assert name_of(font_for("Grüße", 20, data)) == name_of(ImageFont.truetype(io.BytesIO(data), 20))


def test_what_is_no_font_is_refused() -> None:
    with pytest.raises(NodeError, match="no font that is read here; give a TTF or OTF file"):
        font_for("x", 20, b"nonsense")
