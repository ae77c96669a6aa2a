from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from greenrun.workflows.net.client import AddressRefused, guarded_client
from greenrun.workflows.node import NodeError
from tests.workflows.net.web import Page, Web, web
from tests.workflows.nodes.firing import MemoryContext, builtin, generate

RSS = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0"><channel><title>News</title><link>https://news.test/</link>
<item><title>First &amp; best</title><link>https://news.test/1</link><pubDate>Sat, 31 Jan 2026 15:05:09 GMT</pubDate>
<description>&lt;p&gt;Hello &lt;b&gt;world&lt;/b&gt;&lt;script&gt;bad()&lt;/script&gt;&lt;/p&gt;</description>
<author>ada@news.test (Ada)</author></item>
<item><title>Second</title><link>/2</link></item>
</channel></rss>"""

ATOM = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title>
<entry><title>Post</title><link href="https://blog.test/p"/><updated>2026-01-31T15:05:09Z</updated><summary>Text</summary>
<author><name>Grace</name></author></entry></feed>"""

FEED = "lib.rss.FetchRSSFeed"


@pytest.fixture
async def site() -> AsyncIterator[Web]:
    async with web({"/rss": Page(RSS.encode(), headers={"content-type": "application/rss+xml"})}) as found:
        yield found


@pytest.fixture
async def context(site: Web) -> AsyncIterator[MemoryContext]:
    async with guarded_client(allow=[site.at], timeout=5) as client:
        yield MemoryContext(client=client)


@pytest.mark.case("NO-B1-8")
async def test_entries_come_one_by_one_and_then_all_together(site: Web, context: MemoryContext) -> None:
    records = await generate(FEED, context, url=site.url("/rss"))
    assert [record["title"] for record in records if "title" in record] == ["First & best", "Second"]
    assert [len(record["items"]) for record in records if "items" in record] == [2]
    assert records[-1] == {"items": records[:-1]}


async def test_entry_has_what_the_feed_says_of_it(site: Web, context: MemoryContext) -> None:
    first, second, _ = await generate(FEED, context, url=site.url("/rss"))
    assert first["link"] == "https://news.test/1"
    assert first["published"] == "Sat, 31 Jan 2026 15:05:09 GMT"
    assert first["summary"] == "<p>Hello <b>world</b></p>"
    assert "Ada" in first["author"]
    assert (second["published"], second["summary"], second["author"]) == ("", "", "")


async def test_link_without_a_host_is_that_of_the_feed(site: Web, context: MemoryContext) -> None:
    _, second, _ = await generate(FEED, context, url=site.url("/rss"))
    assert second["link"] == site.url("/2")


async def test_atom_feed_is_read_with_its_update_as_date(site: Web, context: MemoryContext) -> None:
    site.pages["/atom"] = Page(ATOM.encode())
    entry, _ = await generate(FEED, context, url=site.url("/atom"))
    assert entry == {
        "title": "Post",
        "link": "https://blog.test/p",
        "published": "2026-01-31T15:05:09Z",
        "summary": "Text",
        "author": "Grace",
    }


async def test_feed_without_entries_gives_an_empty_list(site: Web, context: MemoryContext) -> None:
    site.pages["/empty"] = Page(b'<rss version="2.0"><channel><title>News</title></channel></rss>')
    assert await generate(FEED, context, url=site.url("/empty")) == [{"items": []}]


@pytest.mark.parametrize(
    "body", [b"<rss version='2.0'><channel><item", b"<html><body>Hello</body></html>", b"{}", b"", b"just text"]
)
async def test_page_that_is_no_feed_is_an_error(site: Web, context: MemoryContext, body: bytes) -> None:
    site.pages["/page"] = Page(body)
    with pytest.raises(NodeError, match=f"what 127.0.0.1:{site.port} gave is no feed"):
        await generate(FEED, context, url=site.url("/page"))


async def test_feed_with_a_fault_gives_what_can_be_read_and_a_warning(site: Web, context: MemoryContext) -> None:
    site.pages["/bad"] = Page(RSS.replace("<item><title>Second", "<item><title>Second & last").encode())
    records = await generate(FEED, context, url=site.url("/bad"))
    assert [record.get("title") for record in records] == ["First & best", "Second & last", None]
    ((severity, text),) = context.logs
    assert severity == "warning"
    assert "not well-formed" in text


async def test_entities_of_a_feed_are_not_expanded(site: Web, context: MemoryContext) -> None:
    entities = '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">'
    bomb = RSS.replace("<rss", f"<!DOCTYPE rss [{entities}]><rss", 1).replace("Second", "&b;&f;")
    site.pages["/bomb"] = Page(bomb.encode())
    records = await generate(FEED, context, url=site.url("/bomb"))
    assert "root:" not in str(records)


async def test_address_that_does_not_give_the_feed_is_an_error(site: Web, context: MemoryContext) -> None:
    with pytest.raises(NodeError, match="status 404"):
        await generate(FEED, context, url=site.url("/gone"))


async def test_feed_of_a_private_address_is_refused(site: Web) -> None:
    async with guarded_client() as client:
        with pytest.raises(AddressRefused):
            await generate(FEED, MemoryContext(client=client), url=site.url("/rss"))


async def test_feed_without_an_address_is_an_error(context: MemoryContext) -> None:
    with pytest.raises(NodeError, match="there is no URL"):
        await generate(FEED, context)


def test_fields_of_an_entry_share_one_iteration() -> None:
    specs = builtin(FEED).output_table
    assert {specs[name].group for name in ("title", "link", "published", "summary", "author")} == {"entries"}
    assert specs["items"].kind == "single"


@pytest.mark.parametrize("charset", ["bz2", "punycode", "idna", "no-such"])
async def test_encoding_that_is_none_of_texts_is_not_used(site: Web, context: MemoryContext, charset: str) -> None:
    body = RSS.replace('encoding="utf-8"', f'encoding="{charset}"').replace("Second", "Zweite für dich").encode()
    site.pages["/odd"] = Page(body, headers={"content-type": f"text/xml; charset={charset}"})
    records = await generate(FEED, context, url=site.url("/odd"))
    assert [record.get("title") for record in records] == ["First & best", "Zweite für dich", None]


@pytest.mark.parametrize("encoding", ["iso-8859-1", "windows-1252", "utf-8", "utf-16", "utf-8-sig", "utf-16-le"])
async def test_feed_is_read_by_the_encoding_that_it_names(site: Web, context: MemoryContext, encoding: str) -> None:
    text = RSS.replace('encoding="utf-8"', f'encoding="{encoding}"').replace("Second", "Zweite für dich")
    site.pages["/feed"] = Page(text.encode(encoding), headers={"content-type": "application/rss+xml"})
    records = await generate(FEED, context, url=site.url("/feed"))
    assert [record.get("title") for record in records] == ["First & best", "Zweite für dich", None]
    assert context.logs == []


async def test_feed_that_names_a_wrong_encoding_is_read_all_the_same(site: Web, context: MemoryContext) -> None:
    body = RSS.replace("Second", "Zweite für dich").encode("windows-1252")
    site.pages["/wrong"] = Page(body, headers={"content-type": "application/rss+xml; charset=utf-8"})
    records = await generate(FEED, context, url=site.url("/wrong"))
    assert records[1]["title"] == "Zweite für dich"


async def test_feed_that_is_too_large_is_refused(site: Web, context: MemoryContext) -> None:
    site.pages["/large"] = Page(RSS.encode() + b" " * 5 * 1024 * 1024)
    with pytest.raises(NodeError, match=r"larger than 5242880 bytes"):
        await generate(FEED, context, url=site.url("/large"))


@pytest.mark.parametrize("start", ["", "<!-- a --><![CDATA[ b ]]>", "<!--" * 3])
async def test_feed_with_elements_inside_one_another_without_end_is_refused(
    site: Web, context: MemoryContext, start: str
) -> None:
    site.pages["/deep"] = Page(f"<rss version='2.0'><channel>{start}{'<item>' * 60_000}".encode())
    with pytest.raises(NodeError, match="more than 200 elements inside one another"):
        await generate(FEED, context, url=site.url("/deep"))


async def test_many_entries_with_unclosed_breaks_are_no_deep_feed(site: Web, context: MemoryContext) -> None:
    item = "<item><title>x</title><description><![CDATA[<div>]]><p>a<br>b</description></item>"
    site.pages["/many"] = Page(f"<rss version='2.0'><channel>{item * 300}</channel></rss>".encode())
    assert len((await generate(FEED, context, url=site.url("/many")))[-1]["items"]) == 300
