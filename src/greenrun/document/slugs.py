"""Readable ids made from names."""

from __future__ import annotations

import re
from collections.abc import Container

from greenrun.document.js import trim

_WORDS = re.compile(r"[a-z0-9]+")


def slug(text: str) -> str:
    """The runs of a-z and 0-9 of the lower-cased text, joined with ``_``; "" without any (spec: app-runtime 13.1)."""
    return "_".join(_WORDS.findall(trim(text).lower()))


def unique(base: str, taken: Container[str]) -> str:
    """The slug of `base`, or ``item``, with ``_2``, ``_3``, ... when it is taken (spec: app-runtime 13.1)."""
    return numbered(slug(base) or "item", taken, "_")


def key_slug(name: str) -> str:
    """As `slug`, joined with ``-``: the form of bundle keys (spec: app-runtime 14.2)."""
    return "-".join(_WORDS.findall(name.lower()))


def unique_key(name: str, fallback: str, taken: Container[str]) -> str:
    """A free bundle key: the name's key slug or the fallback, then ``-2``, ``-3``, ... (spec: app-runtime 14.2)."""
    return numbered(key_slug(name) or fallback, taken, "-")


def numbered(root: str, taken: Container[str], joint: str) -> str:
    """`root` when it is free, else the first free one of root + joint + 2, 3, ..."""
    if root not in taken:
        return root
    number = 2
    while f"{root}{joint}{number}" in taken:
        number += 1
    return f"{root}{joint}{number}"
