from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import pytest

from greenrun import Image
from greenrun.workflows.media.content import (
    Content,
    content_of,
    contents_of,
    inline_data,
    make_ref,
    mime_of,
    span,
    to_ref,
)
from greenrun.workflows.node import NodeError
from media_samples import ref_of, sound

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
MP4 = b"\x00\x00\x00\x20ftypisom" + bytes(20)
WEBM = b"\x1aE\xdf\xa3" + bytes(8) + b"webm"


class Reader:
    """The part of a context that reads media; notes what it was asked for."""

    def __init__(self, data: bytes = PNG) -> None:
        self.data = data
        self.asked: list[Mapping[str, Any]] = []

    async def read_media(self, ref: Mapping[str, Any]) -> bytes:
        self.asked.append(ref)
        return self.data


def reader(data: bytes = PNG) -> Any:
    return Reader(data)


def test_a_reference_carries_content_type_and_name() -> None:
    ref = make_ref("image", b"abc", "image/png", "a.png")
    assert ref == {
        "type": "image",
        "uri": "",
        "asset_id": None,
        "data": "YWJj",
        "metadata": {"mime": "image/png", "name": "a.png"},
    }


def test_a_function_reads_the_reference_that_a_node_made() -> None:
    found = Image.from_json(make_ref("image", b"abc", "image/png", "a.png"))
    assert (found.data, found.mime, found.name) == (b"abc", "image/png", "a.png")


@pytest.mark.parametrize(
    "ref",
    [
        {"data": "YWJj"},
        {"data": "YW\nJj"},
        {"data": "data:text/plain;base64,YWJj"},
        {"data": b"abc"},
        {"data": bytearray(b"abc")},
        {"data": [97, 98, 99]},
        {"uri": "data:text/plain;base64,YWJj"},
        {"uri": "data:text/plain;base64,YWJ%6A"},
        {"uri": "DATA:,a%62c"},
    ],
)
def test_content_is_carried_in_several_forms(ref: dict[str, Any]) -> None:
    assert inline_data(ref) == b"abc"


@pytest.mark.parametrize("ref", [{}, {"data": None}, {"data": ""}, {"data": []}, {"uri": "asset://x.png"}, {"uri": 5}])
def test_a_reference_may_carry_nothing(ref: dict[str, Any]) -> None:
    assert inline_data(ref) is None


@pytest.mark.parametrize(
    ("ref", "text"),
    [
        ({"data": "not base64!"}, "no base64|not base64"),
        ({"data": "YWJ"}, "not base64"),
        ({"data": "é"}, "not base64"),
        ({"data": {"0": 1}}, "is a dict; base64 text is expected"),
        ({"data": [1, 999]}, "list of something else than bytes"),
        ({"data": ["a"]}, "list of something else than bytes"),
        ({"uri": "data:nothing"}, "no content after a comma"),
    ],
)
def test_content_that_is_none_is_refused(ref: dict[str, Any], text: str) -> None:
    with pytest.raises(NodeError, match=text):
        inline_data(ref)


@pytest.mark.parametrize(
    "ref",
    [
        {"data": base64.b64encode(bytes(11)).decode()},
        {"data": bytes(11)},
        {"data": [0] * 11},
        {"uri": "data:," + "a" * 11},
        {"uri": "data:," + "%61" * 11},
        {"uri": "data:," + "%61" * 100},
        {"data": base64.b64encode(bytes(100)).decode()},
    ],
)
def test_content_over_the_limit_is_refused(ref: dict[str, Any]) -> None:
    with pytest.raises(NodeError, match="larger than"):
        inline_data(ref, limit=10)


def test_content_at_the_limit_is_taken() -> None:
    assert inline_data({"data": base64.b64encode(bytes(10)).decode()}, limit=10) == bytes(10)


@pytest.mark.parametrize(
    ("data", "ref", "mime"),
    [
        (PNG, {"metadata": {"mime": "video/mp4"}}, "image/png"),
        (b"?", {"metadata": {"mime": "audio/x-wav"}}, "audio/wav"),
        (b"?", {"metadata": {"mime_type": "text/csv"}}, "text/csv"),
        (b"?", {"mime": "broken", "name": "a.csv"}, "text/csv"),
        (b"?", {"uri": "https://x.org/a.pdf?b=c"}, "application/pdf"),
        (b"?", {"uri": "data:,a.pdf"}, "application/octet-stream"),
        (b"?", {}, "application/octet-stream"),
        (b"?", None, "application/octet-stream"),
    ],
)
def test_the_type_is_what_the_content_shows_else_what_is_said(data: bytes, ref: Any, mime: str) -> None:
    assert mime_of(data, ref) == mime


def test_a_bare_text_on_a_media_port_is_an_address() -> None:
    assert to_ref("asset://a.png", "image") == {"type": "image", "uri": "asset://a.png"}
    assert to_ref(" ", "image") == " "


async def test_carried_content_needs_no_host() -> None:
    context = reader()
    found = await content_of(context, ref_of("image", PNG), "image", "image")
    assert (found, context.asked) == (Content(PNG, "image/png"), [])


async def test_much_content_is_decoded_beside_the_loop() -> None:
    data = PNG + bytes(400_000)
    assert (await content_of(reader(), ref_of("image", data), "image", "image")).data == data


async def test_other_content_is_read_by_the_host() -> None:
    context = reader()
    await content_of(context, {"type": "image", "uri": "asset://a.png"}, "image", "image")
    assert context.asked == [{"type": "image", "uri": "asset://a.png"}]


@pytest.mark.parametrize("value", [None, "", {}, {"type": "image", "uri": ""}])
async def test_a_port_without_media_is_named(value: Any) -> None:
    with pytest.raises(NodeError, match='no image on "photo"; connect one'):
        await content_of(reader(), value, "image", "photo")


async def test_something_else_than_a_reference_is_named() -> None:
    with pytest.raises(NodeError, match='"photo" holds a int; a reference to a picture is expected'):
        await content_of(reader(), 5, "image", "photo")


async def test_empty_content_is_refused() -> None:
    with pytest.raises(NodeError, match='the image on "photo" is empty'):
        await content_of(reader(b""), {"asset_id": "a"}, "image", "photo")


@pytest.mark.parametrize(("kind", "data"), [("image", MP4), ("video", PNG), ("audio", PNG), ("video", b"%PDF-1.7")])
async def test_content_of_another_kind_is_refused_whatever_it_is_called(kind: str, data: bytes) -> None:
    with pytest.raises(NodeError, match=r'"port" holds .*, which is not a'):
        await content_of(reader(), {**ref_of(kind, data), "metadata": {"mime": f"{kind}/x"}}, kind, "port")


@pytest.mark.parametrize(
    ("kind", "data"), [("audio", WEBM), ("video", b"GIF89a"), ("audio", b"?"), ("audio", sound(0.1))]
)
async def test_content_that_may_be_of_the_kind_is_taken(kind: str, data: bytes) -> None:
    assert (await content_of(reader(), ref_of(kind, data), kind, "port")).data == data


async def test_lists_and_added_inputs_are_read_in_order() -> None:
    dynamic = {"b": [ref_of("audio", b"2"), None], "c": ref_of("audio", b"3")}
    found = await contents_of(reader(), [ref_of("audio", b"1"), None], dynamic, "audio")
    assert [content.data for content in found] == [b"1", b"2", b"3"]


async def test_nothing_to_join_is_an_error() -> None:
    with pytest.raises(NodeError, match="no audio to join"):
        await contents_of(reader(), [None], {}, "audio")


async def test_too_much_to_join_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("greenrun.workflows.media.content.MOST_TOGETHER", 3)
    with pytest.raises(NodeError, match="larger than"):
        await contents_of(reader(), [ref_of("audio", b"12"), ref_of("audio", b"34")], {}, "audio")


def test_a_span_without_an_end_reaches_to_the_end() -> None:
    assert span(-1, -1) == (0.0, float("inf"))


def test_a_span_must_have_a_length() -> None:
    with pytest.raises(NodeError, match="the end, 1 s, does not come after the start, 2 s"):
        span(2, 1)
