"""Ids of content: which exact document, and which document with everything that its verdict depends on (DESIGN 3.2)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from greenrun.document.json_text import MAX_DEPTH, canonical_json
from greenrun.document.model import Document

HASH_LENGTH: Final = 12
_WRAPPED: Final = 4


def short_hash(text: str) -> str:
    """The first 12 hex digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_LENGTH]


def snapshot(document: Document) -> str:
    """The id of one exact document content, as it is stored."""
    return short_hash(canonical_json(document.stored))


def closure(document: Document, parts: Mapping[str, Any]) -> str:
    """The id of a document and all that its verdict depends on.

    `parts` holds, under stable names, every graph, every function's source with its local imports, and node versions.
    """
    # What was read at the greatest depth stands a few levels lower here.
    return short_hash(canonical_json({"document": document.stored, "parts": dict(parts)}, MAX_DEPTH + _WRAPPED))
