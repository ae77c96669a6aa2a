"""Feeds (spec: nodes B1, ``lib.rss.*``)."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from typing import Any, ClassVar, Final

from greenrun.workflows.node import NodeContext, NodeError, OutputSpec
from greenrun.workflows.nodes.http import GetText, host_of

ENTRY_FIELDS: Final = ("title", "link", "published", "summary", "author")


class FetchRSSFeed(GetText):
    """The entries of an RSS or Atom feed, one after the other, then all of them as a list."""

    node_type: ClassVar[str] = "lib.rss.FetchRSSFeed"
    title: ClassVar[str] = "Fetch RSS Feed"
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

    headers = {"content-type": content_type or "application/xml", "content-location": url}
    # A stream, as feedparser itself fetches what it takes for an address.
    return feedparser.parse(io.BytesIO(content), response_headers=headers)


def _entry(entry: Any) -> dict[str, str]:
    published = entry.get("published") or entry.get("updated") or ""
    return {name: entry.get(name) or "" for name in ENTRY_FIELDS} | {"published": published}


NODES = (FetchRSSFeed,)
