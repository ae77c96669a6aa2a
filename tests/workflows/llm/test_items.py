from __future__ import annotations

import pytest

from greenrun.workflows.llm.items import ItemReader


def items(*pieces: str) -> list[str]:
    reader = ItemReader()
    return [item for piece in pieces for item in reader.feed(piece)]


def test_items_stand_between_tags() -> None:
    assert items("Sure: <LIST_ITEM>a</LIST_ITEM> and <LIST_ITEM> b\n</LIST_ITEM>!") == ["a", "b"]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 11])
def test_tags_may_be_split_over_pieces(size: int) -> None:
    text = "x<LIST_ITEM>one</LIST_ITEM>\n<LIST_ITEM>t<w>o</LIST_ITEM>"
    assert items(*(text[at : at + size] for at in range(0, len(text), size))) == ["one", "t<w>o"]


def test_an_item_comes_with_its_closing_tag() -> None:
    reader = ItemReader()
    assert reader.feed("<LIST_ITEM>a") == []
    assert reader.feed("b</LIST_ITEM><LIST_ITEM>c") == ["ab"]
    assert reader.close() == "c"


def test_an_opening_tag_ends_an_item_that_was_not_closed() -> None:
    reader = ItemReader()
    assert reader.feed("<LIST_ITEM>a<LIST_ITEM>b</LIST_ITEM>") == ["a", "b"]
    assert reader.close() == ""


def test_empty_items_and_stray_closing_tags_are_left_out() -> None:
    assert items("</LIST_ITEM><LIST_ITEM> </LIST_ITEM><list_item>a</list_item>") == ["a"]


def test_text_without_tags_holds_no_item() -> None:
    reader = ItemReader()
    assert reader.feed("1. a\n2. b") == []
    assert reader.close() == ""
