from __future__ import annotations

from typing import Any

import pytest

from greenrun.workflows.providers.calls import MOST_TEXT, Call, differences, media_call, plain
from greenrun.workflows.providers.interface import EmbeddingRequest, ImageRequest, Media

PNG = Media(b"png", "image/png")


def image(**changes: Any) -> Call:
    given: dict[str, Any] = {"prompt": "a cat", "images": (PNG,), **changes}
    return media_call("image_model", "openai:gpt-image-1", ImageRequest(**given))


def test_equal_calls_have_equal_keys() -> None:
    assert image().key == image().key


@pytest.mark.parametrize(
    "changes",
    [{"prompt": "a dog"}, {"images": (Media(b"other", "image/png"),)}, {"options": {"n": 1}}, {"aspect_ratio": "1:1"}],
)
def test_anything_asked_differently_has_another_key(changes: dict[str, Any]) -> None:
    assert image(**changes).key != image().key


def test_the_order_of_options_does_not_matter() -> None:
    assert image(options={"a": 1, "b": 2}).key == image(options={"b": 2, "a": 1}).key


def test_another_model_has_another_key() -> None:
    request = EmbeddingRequest(("a",))
    assert media_call("embedding_model", "a:b", request).key != media_call("embedding_model", "a:c", request).key


def test_media_is_described_by_its_digest() -> None:
    (described,) = image().described()["images"]
    assert described.keys() == {"mime", "sha256"}


def test_empty_sections_are_not_described() -> None:
    assert image(images=()).described() == {"prompt": "a cat", "task": "text_to_image"}


def test_a_long_text_is_cut_in_the_description_and_counts_whole() -> None:
    one, other = (image(prompt="x" * MOST_TEXT + end) for end in ("one", "two"))
    assert len(one.described()["prompt"]) < MOST_TEXT + 200
    assert one.key != other.key
    assert one.described() != other.described()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({2: {"b", "a"}}, {"2": ["a", "b"]}),
        ((1, None, True, 0.5), [1, None, True, 0.5]),
        (bytearray(b"x"), {"sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}),
        (complex(1), "(1+0j)"),
    ],
)
def test_values_become_plain_json(value: Any, expected: Any) -> None:
    assert plain(value) == expected


def test_a_difference_shows_both_sides_where_they_part() -> None:
    here = Call("language_model", "openai:a", {"messages": [{"user": "Tell me everything that you know about Rome"}]})
    said = differences(here, "openai:a", {"messages": [{"user": "Tell me everything that you know about Oslo"}]})
    assert said == ['prompt (user: "…that you know about Rome" here, "…that you know about Oslo" recorded)']


@pytest.mark.parametrize(
    ("here", "recorded", "said"),
    [
        ({"settings": {"max_tokens": 5}}, {"settings": {"max_tokens": 6}}, "settings (max_tokens: 5 here, 6 recorded)"),
        ({"settings": {"max_tokens": 5}}, {}, 'settings ({"max_tokens":5} here, nothing recorded)'),
        ({"tools": [1, 2]}, {"tools": [1]}, "tools (2 items here, 1 recorded)"),
        ({"system": "be short"}, {"system": "be"}, 'system prompt ("be short" here, "be" recorded)'),
        (
            {"output": {"text": False}},
            {"output": {"text": True}},
            "form of the answer (text: false here, true recorded)",
        ),
    ],
)
def test_each_section_is_named(here: dict[str, Any], recorded: dict[str, Any], said: str) -> None:
    assert differences(Call("language_model", "m", here), "m", recorded) == [said]


def test_another_model_is_a_difference() -> None:
    said = differences(Call("image_model", "openai:a", {}), "openai:b", {})
    assert said == ['model ("openai:a" here, "openai:b" recorded)']
