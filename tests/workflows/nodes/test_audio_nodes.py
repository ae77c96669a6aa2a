from __future__ import annotations

from typing import Any

import pytest
from firing import MemoryContext, fire

from greenrun.workflows.node import NodeError
from media_samples import content_of_ref, encoded_sound, needs_films, ref_of, sound


class PlainContext(MemoryContext):
    """Stores nothing, as a host without assets."""

    async def store_asset(self, ref: dict[str, Any]) -> dict[str, Any]:
        return ref


def voice(seconds: float = 0.5) -> dict[str, Any]:
    return ref_of("audio", sound(seconds))


async def lasting(ref: dict[str, Any]) -> float:
    return (await fire("greenrun.audio.Info", PlainContext(), audio=ref))["duration"]


async def test_facts_of_a_sound_are_told() -> None:
    assert await fire("greenrun.audio.Info", PlainContext(), audio=voice()) == {
        "duration": 0.5,
        "sample_rate": 8_000,
        "channels": 1,
        "format": "wav",
        "size_bytes": 8_044,
    }


async def test_a_part_of_a_sound_is_kept() -> None:
    record = await fire("greenrun.audio.Trim", PlainContext(), audio=voice(), start=0.1, end=0.3)
    assert record["output"]["metadata"] == {"mime": "audio/wav", "name": "audio.wav"}
    assert await lasting(record["output"]) == 0.2


async def test_sounds_follow_each_other_in_the_order_of_the_inputs() -> None:
    record = await fire("greenrun.audio.Concat", PlainContext(), audios=voice(0.1), a=[voice(0.2), None], b=voice(0.3))
    assert await lasting(record["output"]) == 0.6


@needs_films
async def test_sounds_of_other_kinds_are_joined_too() -> None:
    mp3 = ref_of("audio", encoded_sound(0.5))
    record = await fire("greenrun.audio.Concat", PlainContext(), a=mp3, b=mp3)
    assert record["output"]["metadata"] == {"mime": "audio/mpeg", "name": "audio.mp3"}
    assert await lasting(record["output"]) == pytest.approx(1.0, abs=0.15)


async def test_a_sound_is_stored_where_the_host_stores() -> None:
    record = await fire("greenrun.audio.Trim", MemoryContext(), audio=voice(), end=0.1)
    assert record["output"]["asset_id"] == "a1"
    assert content_of_ref(record["output"])[:4] == b"RIFF"


@pytest.mark.parametrize(
    ("name", "values", "text"),
    [
        ("greenrun.audio.Info", {"audio": None}, 'no audio on "audio"'),
        ("greenrun.audio.Trim", {"start": 2, "end": 1}, "does not come after the start"),
        ("greenrun.audio.Trim", {"start": 9}, "the sound lasts 0.5 s"),
        ("greenrun.audio.Concat", {"audio": None}, "no audio to join"),
        (
            "greenrun.audio.Concat",
            {"audio": ref_of("image", b"\x89PNG\r\n\x1a\n")},
            'audio" holds image/png, which is not a sound',
        ),
    ],
)
async def test_what_is_wrong_is_said(name: str, values: dict[str, Any], text: str) -> None:
    with pytest.raises(NodeError, match=text):
        await fire(name, PlainContext(), **{"audio": voice(), **values})
