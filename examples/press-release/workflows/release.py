"""Turn an approved draft into the release that is sent out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from greenrun import File, workflow

WORDS_A_MINUTE = 200


@dataclass
class Release:
    """The finished text, facts about it, and the file."""

    page: str
    facts: dict[str, Any]
    file: File


@workflow(title="Publish a press release")
def publish(draft: str, company: str, contact: str, decision: str) -> Release:
    """Add dateline, contact and end mark. Only an approved draft is published."""
    if decision != "approved":
        raise ValueError("The draft is not approved, so it cannot be published.")
    if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", contact.strip()):
        raise ValueError(f'"{contact}" is no e-mail address. The press needs one to answer.')
    headline, _, body = draft.strip().partition("\n")
    words = len(body.split())
    page = (
        f"# {headline.strip(' #')}\n\n*For immediate release*\n\n{body.strip()}\n\n"
        f"**About {company}:** write to {contact.strip()}.\n\n\\###\n"
    )
    facts = {"Headline": headline.strip(" #"), "Words": words, "Minutes to read": max(1, round(words / WORDS_A_MINUTE))}
    return Release(page, facts, File.from_bytes(page.encode(), name="press-release.md", mime="text/markdown"))
