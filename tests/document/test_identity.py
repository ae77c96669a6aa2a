"""Snapshot and closure ids."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from greenrun.document.identity import closure, short_hash, snapshot
from greenrun.document.model import Document


def document(stored: dict[str, Any]) -> Document:
    return Document(stored, 4, {"root": {"props": {}}, "content": []})


def test_a_short_hash_is_the_start_of_the_sha_256() -> None:
    assert short_hash("abc") == hashlib.sha256(b"abc").hexdigest()[:12]


def test_a_text_with_a_lone_surrogate_has_a_hash() -> None:
    assert len(short_hash("\ud800")) == 12


def test_a_snapshot_is_the_hash_of_the_canonical_stored_json() -> None:
    assert snapshot(document({"b": 1.0, "a": "é"})) == short_hash('{"a":"\\u00e9","b":1}')


def test_key_order_does_not_change_a_snapshot() -> None:
    assert snapshot(document({"a": 1, "b": 2})) == snapshot(document({"b": 2, "a": 1}))


def test_an_unknown_key_changes_the_snapshot() -> None:
    assert snapshot(document({"a": 1})) != snapshot(document({"a": 1, "x-note": 0}))


def test_a_closure_hashes_document_and_parts() -> None:
    assert closure(document({"a": 1}), {"functions": {"m": "x=1"}}) == short_hash(
        '{"document":{"a":1},"parts":{"functions":{"m":"x=1"}}}'
    )


@pytest.mark.parametrize(
    ("stored", "parts"),
    [({"a": 2}, {"m": "x=1"}), ({"a": 1}, {"m": "x=2"}), ({"a": 1}, {}), ({"a": 1}, {"m": "x=1", "n": ""})],
)
def test_a_change_of_document_or_parts_changes_the_closure(stored: dict[str, Any], parts: dict[str, str]) -> None:
    assert closure(document(stored), parts) != closure(document({"a": 1}), {"m": "x=1"})


def test_a_closure_without_parts_differs_from_the_snapshot() -> None:
    assert closure(document({"a": 1}), {}) != snapshot(document({"a": 1}))
