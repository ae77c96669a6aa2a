from __future__ import annotations

import pytest

from greenrun.workflows.llm.thinking import ThinkingFilter


def parted(*pieces: str) -> tuple[str, str]:
    """What is answer and what is thought in the pieces together."""
    reader = ThinkingFilter()
    parts = [part for piece in pieces for part in reader.feed(piece)] + reader.close()
    return "".join(text for thinking, text in parts if not thinking), "".join(
        text for thinking, text in parts if thinking
    )


def test_text_without_tags_is_answer() -> None:
    assert parted("a < b", " and c") == ("a < b and c", "")


def test_thoughts_are_told_from_the_answer() -> None:
    assert parted("<think>hm</think>\n\nyes") == ("yes", "hm")


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
def test_tags_may_be_split_over_pieces(size: int) -> None:
    text = "a<think>b<c</think>d"
    assert parted(*(text[at : at + size] for at in range(0, len(text), size))) == ("ad", "b<c")


def test_a_tag_that_never_ends_is_thought_to_the_end() -> None:
    assert parted("<think>still", " on it") == ("", "still on it")


def test_what_only_looks_like_the_start_of_a_tag_is_answer() -> None:
    assert parted("1 <thi") == ("1 <thi", "")


def test_text_comes_out_as_soon_as_it_is_certain() -> None:
    reader = ThinkingFilter()
    assert reader.feed("hello <th") == [(False, "hello ")]
    assert reader.feed("e end") == [(False, "<the end")]


def test_white_space_after_thoughts_is_skipped_across_pieces() -> None:
    assert parted("<think>x</think>", "\n", "\n answer") == ("answer", "x")
