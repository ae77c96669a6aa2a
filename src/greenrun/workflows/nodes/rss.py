"""Feeds (spec: nodes B1, ``lib.rss.*``)."""

from __future__ import annotations

import asyncio
import codecs
import io
import re
from collections.abc import AsyncIterator
from typing import Any, ClassVar, Final

from greenrun.workflows.net.texts import charset_of, known_encoding
from greenrun.workflows.node import NodeContext, NodeError, OutputSpec
from greenrun.workflows.nodes.http import GetText, host_of

ENTRY_FIELDS: Final = ("title", "link", "published", "summary", "author")

MAX_FEED_BYTES: Final = 5 * 1024 * 1024
MAX_DEPTH: Final = 200
"""Most elements inside one another; a feed has some ten, and the parser's time grows with the square of it."""

_DECLARATION: Final = re.compile(r"\s{0,100}<\?xml\b([^>]{0,1000})>")
_DECLARED: Final = re.compile(r"""\bencoding\s{0,10}=\s{0,10}["']([A-Za-z0-9_.:-]{1,40})["']""")
_TAG: Final = re.compile(r"<(?:(!--|!\[CDATA\[)|(/?)([A-Za-z][^\s<>/]{0,100}+)([^<>]{0,10000}+)>)")
_ENDS: Final = {"!--": "-->", "![CDATA[": "]]>"}
# Of HTML that stands in a feed as it is; nobody closes them.
_UNCLOSED: Final = frozenset(("br", "hr", "img", "input", "li", "meta", "p", "td", "tr", "wbr"))
_MARKS: Final = (
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (b"\0<\0?", "utf-16-be"),
    (b"<\0?\0", "utf-16-le"),
)


class FetchRSSFeed(GetText):
    """The entries of an RSS or Atom feed, one after the other, then all of them as a list."""

    node_type: ClassVar[str] = "lib.rss.FetchRSSFeed"
    title: ClassVar[str] = "Fetch RSS Feed"
    max_bytes: ClassVar[int] = MAX_FEED_BYTES
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        *(OutputSpec(name, "str", "iteration", group="entries") for name in ENTRY_FIELDS),
        OutputSpec("items", "list[dict]"),
    )

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        answer = await self.answer(
            context, accept="application/rss+xml, application/atom+xml, application/xml, */*;q=0.5"
        )
        host = host_of(self.url.strip())
        if not answer.is_success:
            raise NodeError(f"{host} gave no feed but status {answer.status_code}; check the address")
        feed = await asyncio.to_thread(_parsed, answer.content, answer.headers.get("content-type", ""), str(answer.url))
        if feed.bozo and not feed.entries:
            raise NodeError(f"what {host} gave is no feed that can be read: {feed.bozo_exception}")
        if not feed.get("version") and not feed.entries:
            raise NodeError(f"what {host} gave is no feed; give the address of one in RSS or Atom format")
        if feed.bozo:
            context.log(
                f"the feed of {host} is not well-formed, and may be incomplete: {feed.bozo_exception}", "warning"
            )
        items = [_entry(entry) for entry in feed.entries]
        for item in items:
            yield dict(item)
        yield {"items": items}


def _parsed(content: bytes, content_type: str, url: str) -> Any:
    # feedparser takes a fifth of a second to import.
    import feedparser

    text = _text_of(content, content_type)
    if _depth(text) > MAX_DEPTH:
        raise NodeError(
            f"the feed has more than {MAX_DEPTH} elements inside one another; give the address of a plain one"
        )
    # It would decode by whatever encoding of Python's the server or the feed names, so it gets what is decoded already.
    mime = content_type.partition(";")[0].strip() or "application/xml"
    headers = {"content-type": f"{mime}; charset=utf-8", "content-location": url}
    # A stream, as feedparser itself fetches what it takes for an address.
    return feedparser.parse(io.BytesIO(text.encode("utf-8", "replace")), response_headers=headers)


def _text_of(content: bytes, content_type: str) -> str:
    """The text of a feed, which says of itself that it is UTF-8."""
    marked = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), None)
    declaration = _DECLARATION.match(content[:1200].decode("latin-1"))
    declared = _DECLARED.search(declaration[1]) if declaration else None
    named = known_encoding(declared[1]) if declared else None
    text = None
    for encoding in (marked, charset_of(content_type), named, "utf-8"):
        if encoding and text is None:
            try:
                text = content.decode(encoding)
            except UnicodeDecodeError:
                continue
    if text is None:
        text = content.decode("windows-1252", "replace")
    head = _DECLARATION.match(text)
    body = text[head.end() :] if head else text
    return f"<?xml version='1.0' encoding='utf-8'?>\n{body}" if body.strip() else ""


def _depth(text: str) -> int:
    """How deep elements stand in one another at most, by their tags alone: what is not well-formed is read as well."""
    depth = deepest = position = 0
    endless: set[str] = set()
    while match := _TAG.search(text, position):
        skipped, closing, name, rest = match.groups()
        position = match.end()
        if skipped:
            # Without an end it hides nothing from the parser, which goes on behind its start.
            end = -1 if skipped in endless else text.find(_ENDS[skipped], position)
            if end < 0:
                endless.add(skipped)
            else:
                position = end
        elif name.lower() not in _UNCLOSED and not rest.endswith("/"):
            depth = max(0, depth - 1) if closing else depth + 1
            deepest = max(deepest, depth)
    return deepest


def _entry(entry: Any) -> dict[str, str]:
    published = entry.get("published") or entry.get("updated") or ""
    return {name: entry.get(name) or "" for name in ENTRY_FIELDS} | {"published": published}


NODES = (FetchRSSFeed,)
