"""Turn approved release notes into a page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from greenrun import Document, workflow

VERSION = re.compile(r"\d+(\.\d+){1,3}([-.+][0-9A-Za-z.-]+)?")


@dataclass
class Page:
    """The page as people read it, and as a file."""

    page: str
    file: Document


@workflow(title="Publish release notes")
def publish(product: str, version: str, notes: str, decision: Literal["", "approved", "rejected"] = "") -> Page:
    """Publish `notes` as the page of one release; only what was approved."""
    if decision != "approved":
        raise ValueError("Nothing is published that nobody approved.")
    if VERSION.fullmatch(version.strip()) is None:
        raise ValueError(f'"{version}" is no version. Write it as 2.4.0 or 2.4.0-rc1.')
    page = f"# {product} {version.strip()}\n\n{notes.strip()}\n"
    return Page(page, Document.from_bytes(page.encode(), name=f"release-{version.strip()}.md", mime="text/markdown"))
