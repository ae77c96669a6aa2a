from __future__ import annotations

from typing import Any

import pytest
from firing import fire

STORED = {"type": "image", "data": "x", "asset_id": "a1", "uri": "asset://a1.png"}


@pytest.mark.case("NO-B1-1")
@pytest.mark.parametrize("name", ["Output", "Preview"])
async def test_a_text_chunk_becomes_its_content(name: str) -> None:
    chunk = {"type": "chunk", "content": "a", "content_type": "text"}
    assert await fire(name, value=chunk) == {"output": "a"}


@pytest.mark.case("NO-B1-1")
@pytest.mark.parametrize("name", ["Output", "Preview"])
async def test_an_image_without_asset_id_is_stored(name: str) -> None:
    assert await fire(name, value={"type": "image", "data": "x"}) == {"output": STORED}


async def test_images_in_a_list_are_stored_too() -> None:
    assert await fire("Output", value=[{"type": "image", "data": "x"}, 1]) == {"output": [STORED, 1]}


@pytest.mark.parametrize(
    "value",
    [
        {"type": "image", "asset_id": "a9"},
        {"type": "image", "uri": ""},
        {"type": "dataframe", "rows": []},
        None,
        "text",
        5,
    ],
)
async def test_other_values_are_emitted_as_they_are(value: Any) -> None:
    assert await fire("Output", value=value) == {"output": value}


@pytest.mark.parametrize(
    "chunk",
    [
        {"type": "chunk", "content": "hm", "thinking": True},
        {"type": "chunk", "content": "", "done": True},
        {"type": "chunk"},
    ],
)
async def test_thoughts_and_end_marks_of_a_stream_are_not_output(chunk: dict[str, Any]) -> None:
    assert await fire("Output", value=chunk) == {}


async def test_an_audio_chunk_is_emitted_whole() -> None:
    chunk = {"type": "chunk", "content": [0.1], "content_type": "audio"}
    assert await fire("Output", value=chunk) == {"output": chunk}
