from __future__ import annotations

import asyncio
import base64
import json
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from greenrun.workflows.net.client import AddressRefused, guarded_client
from greenrun.workflows.node import NodeError
from greenrun.workflows.nodes.http import read_headers
from greenrun.workflows.nodes.json_values import read_value
from tests.workflows.net.web import Page, Web, web
from tests.workflows.nodes.firing import MemoryContext, builtin, fire

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.fixture
async def site() -> AsyncIterator[Web]:
    async with web({"/": Page("hällo".encode(), headers={"content-type": "text/plain; charset=utf-8"})}) as found:
        yield found


@pytest.fixture
async def context(site: Web) -> AsyncIterator[MemoryContext]:
    async with guarded_client(allow=[site.at], timeout=5) as client:
        yield MemoryContext(client=client)


async def test_text_and_status_of_a_page(site: Web, context: MemoryContext) -> None:
    assert await fire("lib.http.GetText", context, url=f" {site.url()} ") == {"output": "hällo", "status": 200}


@pytest.mark.case("NO-B2-10")
async def test_private_address_is_refused(site: Web) -> None:
    async with guarded_client() as client:
        with pytest.raises(AddressRefused, match="is not public"):
            await fire("lib.http.GetText", MemoryContext(client=client), url=site.url())
    assert site.asked == []


@pytest.mark.case("NO-B2-10")
async def test_body_that_is_no_json_is_an_error(site: Web, context: MemoryContext) -> None:
    with pytest.raises(NodeError, match=rf"the answer of 127\.0\.0\.1:{site.port} \(status 200\)"):
        await fire("lib.http.GetJSON", context, url=site.url())


@pytest.mark.case("NO-B2-10")
@pytest.mark.parametrize("name", ["GetText", "Post", "Put", "Patch"])
async def test_status_500_is_no_error(site: Web, context: MemoryContext, name: str) -> None:
    site.pages["/broken"] = Page(b"oh no", 500)
    assert await fire(f"lib.http.{name}", context, url=site.url("/broken")) == {"output": "oh no", "status": 500}


async def test_json_of_a_page(site: Web, context: MemoryContext) -> None:
    site.pages["/data"] = Page(b'{"a": [1, null]}')
    assert await fire("lib.http.GetJSON", context, url=site.url("/data")) == {"output": {"a": [1, None]}, "status": 200}
    assert site.asked[0].headers["accept"] == "application/json"


async def test_headers_are_sent_and_win_over_the_usual_ones(site: Web, context: MemoryContext) -> None:
    site.pages["/data"] = Page(b"1")
    headers = json.dumps({"X-Api-Key": "k", "Accept": "text/csv", "X-Number": 5, "X-Null": None})
    await fire("lib.http.GetJSON", context, url=site.url("/data"), headers=headers)
    sent = site.asked[0].headers
    assert (sent["x-api-key"], sent["accept"], sent["x-number"]) == ("k", "text/csv", "5")
    assert "x-null" not in sent


async def test_headers_may_come_as_a_record(site: Web, context: MemoryContext) -> None:
    await fire("lib.http.GetText", context, url=site.url(), headers={"X-A": "1"})
    assert site.asked[0].headers["x-a"] == "1"


@pytest.mark.parametrize("text", ["", "  ", "not json", "[1]", '"text"', "null", "[" * 100_000])
def test_headers_that_are_no_json_record_are_none(text: str) -> None:
    assert read_headers(text) == {}


async def test_picture_comes_as_a_picture(site: Web, context: MemoryContext) -> None:
    site.pages["/a%20b.png"] = Page(PNG, headers={"content-type": "application/octet-stream"})
    record = await fire("lib.http.GetBytes", context, url=site.url("/a%20b.png"))
    ref = record["output"]
    assert (ref["type"], ref["metadata"]["mime"], ref["metadata"]["name"]) == ("image", "image/png", "a b.png")
    assert ref["asset_id"] == "a1"
    assert record["status"] == 200


async def test_other_bytes_come_as_a_document_of_the_type_that_is_said(site: Web, context: MemoryContext) -> None:
    site.pages["/"] = Page(b"\0\1\2", headers={"content-type": "application/x-own; v=1"})
    ref = (await fire("lib.http.GetBytes", context, url=site.url()))["output"]
    assert (ref["type"], ref["metadata"]) == ("document", {"mime": "application/x-own"})
    assert base64.b64decode(ref["data"]) == b"\0\1\2"


@pytest.mark.parametrize(("name", "method"), [("Post", "POST"), ("Put", "PUT"), ("Patch", "PATCH")])
@pytest.mark.parametrize("body", [{"a": "ä"}, [1], "text", 0, False])
async def test_value_is_sent_as_json(site: Web, context: MemoryContext, name: str, method: str, body: Any) -> None:
    site.pages["/take"] = Page(b'{"ok": true}', 201)
    assert await fire(f"lib.http.{name}", context, url=site.url("/take"), body=body) == {
        "output": {"ok": True},
        "status": 201,
    }
    (asked,) = site.asked
    assert (asked.method, json.loads(asked.body), asked.headers["content-type"]) == (method, body, "application/json")


async def test_nothing_is_sent_for_null(site: Web, context: MemoryContext) -> None:
    await fire("lib.http.Post", context, url=site.url())
    assert site.asked[0].body == b""


async def test_text_of_another_type_is_sent_as_it_is(site: Web, context: MemoryContext) -> None:
    await fire(
        "lib.http.Post",
        context,
        url=site.url(),
        body="a=1&b=2",
        headers='{"Content-Type": "application/x-www-form-urlencoded"}',
    )
    assert site.asked[0].body == b"a=1&b=2"


async def test_text_of_a_kind_of_json_is_sent_as_json(site: Web, context: MemoryContext) -> None:
    await fire(
        "lib.http.Post", context, url=site.url(), body="a", headers='{"content-type": "application/vnd.api+json"}'
    )
    assert site.asked[0].body == b'"a"'


@pytest.mark.parametrize("body", [float("nan"), {"a": {1, 2}}])
async def test_body_that_is_no_json_value_is_an_error(site: Web, context: MemoryContext, body: Any) -> None:
    with pytest.raises(NodeError, match="the body cannot be written as JSON"):
        await fire("lib.http.Post", context, url=site.url(), body=body)


async def test_delete_says_whether_the_server_agreed(site: Web, context: MemoryContext) -> None:
    site.pages["/item"] = Page(status=204)
    assert await fire("lib.http.Delete", context, url=site.url("/item")) == {"output": True, "status": 204}
    assert await fire("lib.http.Delete", context, url=site.url("/other")) == {"output": False, "status": 404}
    assert [asked.method for asked in site.asked] == ["DELETE", "DELETE"]


@pytest.mark.parametrize("name", ["GetText", "GetJSON", "GetBytes", "Post", "Put", "Patch", "Delete"])
async def test_request_without_a_url_is_an_error(name: str) -> None:
    with pytest.raises(NodeError, match="there is no URL"):
        await fire(f"lib.http.{name}", url="  ")


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("example.com/a", "no web address"),
        ("ftp://example.com/", "no web address"),
        ("http://exa mple.com:x/", "is no URL"),
        ("http://", "no web address"),
    ],
)
async def test_url_that_is_none_is_an_error(context: MemoryContext, url: str, part: str) -> None:
    with pytest.raises(NodeError, match=part):
        await fire("lib.http.GetText", context, url=url)


async def test_error_shows_the_host_without_what_is_secret_in_the_url(site: Web) -> None:
    async with guarded_client(allow=[site.at], timeout=0.05) as client:
        site.pages["/quiet?key=secret"] = Page(silent=True)
        url = site.url("/quiet?key=secret").replace("127", "user:pass@127")
        with pytest.raises(NodeError) as failure:
            await fire("lib.http.GetText", MemoryContext(client=client), url=url)
    assert str(failure.value) == f"127.0.0.1:{site.port} did not answer in time; try again later"


async def test_header_that_cannot_be_sent_is_an_error_without_its_value(site: Web, context: MemoryContext) -> None:
    for value in ("secret\n", "secrét☃"):
        with pytest.raises(NodeError, match="cannot be sent") as failure:
            await fire("lib.http.GetText", context, url=site.url(), headers=json.dumps({"X-Key": value}))
        assert "secr" not in str(failure.value)


async def test_endless_redirect_is_an_error(site: Web, context: MemoryContext) -> None:
    site.pages["/loop"] = Page(status=302, headers={"location": "/loop"})
    with pytest.raises(NodeError, match="redirects too often"):
        await fire("lib.http.GetText", context, url=site.url("/loop"))


async def test_connection_that_breaks_is_an_error(site: Web, context: MemoryContext) -> None:
    async def broken(writer: asyncio.StreamWriter) -> None:
        writer.write(b"abc")

    site.pages["/broken"] = Page(headers={"content-length": "10"}, send=broken)
    with pytest.raises(NodeError, match=f"the request to 127.0.0.1:{site.port} failed"):
        await fire("lib.http.GetText", context, url=site.url("/broken"))


async def test_large_text_is_refused(site: Web, context: MemoryContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builtin("lib.http.GetText").cls, "max_bytes", 3)
    with pytest.raises(NodeError, match="larger than 3 bytes"):
        await fire("lib.http.GetText", context, url=site.url())


def test_requests_that_change_something_are_external() -> None:
    effects = {
        name: builtin(f"lib.http.{name}").effects
        for name in ("GetText", "GetJSON", "GetBytes", "Put", "Delete", "Post", "Patch")
    }
    assert effects == {
        **dict.fromkeys(("GetText", "GetJSON", "GetBytes"), "none"),
        **dict.fromkeys(("Put", "Delete", "Post", "Patch"), "external"),
    }


def test_requests_that_may_act_twice_are_not_repeated_by_themselves() -> None:
    assert [builtin(f"lib.http.{name}").retry_safe for name in ("Post", "Patch", "Put", "Delete", "GetText")] == [
        False,
        False,
        True,
        True,
        True,
    ]


@pytest.mark.parametrize(
    "charset", ["bz2", "zlib", "hex", "idna", "punycode", "unicode_escape", "u-16", "shift-jis-x0213", "utf-8" * 99]
)
async def test_charset_that_is_no_encoding_of_texts_is_read_as_utf_8(
    site: Web, context: MemoryContext, charset: str
) -> None:
    site.pages["/text"] = Page("hä".encode() + b"\xff", headers={"content-type": f"text/plain; charset={charset}"})
    assert (await fire("lib.http.GetText", context, url=site.url("/text")))["output"] == "hä\ufffd"


@pytest.mark.parametrize(
    "charset", ["utf-16", '"windows-1252"', "ISO_8859-1", "iso-8859-15", "mac_roman", "GB2312", "us-ascii", "latin1"]
)
async def test_text_is_read_by_the_charset_that_is_said(site: Web, context: MemoryContext, charset: str) -> None:
    body = "hello".encode(charset.strip('"'))
    site.pages["/text"] = Page(body, headers={"content-type": f"text/plain; charset={charset}"})
    assert (await fire("lib.http.GetText", context, url=site.url("/text")))["output"] == "hello"


@pytest.mark.parametrize(("name", "text"), [("windows-1251", "привет"), ("shift_jis", "日本"), ("euc-kr", "한국")])
async def test_letters_of_other_charsets_are_read(site: Web, context: MemoryContext, name: str, text: str) -> None:
    site.pages["/text"] = Page(text.encode(name), headers={"content-type": f"text/plain;charset={name}"})
    assert (await fire("lib.http.GetText", context, url=site.url("/text")))["output"] == text


@pytest.mark.parametrize("name", ["GetJSON", "Post"])
async def test_large_value_is_read_in_a_thread(
    site: Web, context: MemoryContext, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    readers: list[str] = []

    def noted(text: str, *source: str) -> Any:
        readers.append(threading.current_thread().name)
        return read_value(text, *source)

    monkeypatch.setattr("greenrun.workflows.nodes.http.read_value", noted)
    value = ["x" * 1000] * 200
    site.pages["/large"] = Page(json.dumps(value).encode())
    site.pages["/small"] = Page(b"[1]")
    assert (await fire(f"lib.http.{name}", context, url=site.url("/large")))["output"] == value
    assert (await fire(f"lib.http.{name}", context, url=site.url("/small")))["output"] == [1]
    assert [reader == threading.current_thread().name for reader in readers] == [False, True]
