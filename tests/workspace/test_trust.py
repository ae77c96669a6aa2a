"""Trust in code that came from elsewhere, by its exact text."""

from __future__ import annotations

from pathlib import Path

import pytest

from greenrun.workspace import trust
from greenrun.workspace.trust import TrustStore

SOURCES = {"a": "def f(): ...\n", "b": ""}


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    return TrustStore(tmp_path / "trusted")


def test_nothing_is_trusted_before_a_person_says_so(store: TrustStore):
    assert not store.is_trusted(SOURCES)
    store.forget()


def test_trust_is_remembered(store: TrustStore, tmp_path: Path):
    store.trust(SOURCES)
    store.trust(SOURCES)
    assert store.is_trusted(dict(reversed(SOURCES.items())))
    assert TrustStore(tmp_path / "trusted").is_trusted(SOURCES)


@pytest.mark.parametrize(
    "other",
    [
        {},
        {"a": SOURCES["a"]},
        {**SOURCES, "c": ""},
        {**SOURCES, "a": SOURCES["a"] + " "},
        {"a": "", "b": SOURCES["a"]},
        {"ab": SOURCES["a"]},
    ],
)
def test_other_code_is_not_trusted(store: TrustStore, other: dict[str, str]):
    store.trust(SOURCES)
    assert not store.is_trusted(other)


def test_trust_can_be_taken_back(store: TrustStore):
    store.trust(SOURCES)
    store.trust({"a": ""})
    store.forget(SOURCES)
    assert (store.is_trusted(SOURCES), store.is_trusted({"a": ""})) == (False, True)
    store.forget()
    assert not store.is_trusted({"a": ""})


@pytest.mark.parametrize("text", ["", "{", "[]", '{"sources": "other"}', "null", "[" * 5000])
def test_a_damaged_record_trusts_nothing(store: TrustStore, tmp_path: Path, text: str):
    store.trust(SOURCES)
    (record,) = (tmp_path / "trusted").glob("*.json")
    record.write_text(text, encoding="utf-8")
    assert not store.is_trusted(SOURCES)


def test_a_decision_that_cannot_be_kept_leaves_nothing(
    store: TrustStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*paths: object) -> None:
        raise OSError("full")

    monkeypatch.setattr(trust.os, "replace", refuse)
    with pytest.raises(OSError, match="full"):
        store.trust(SOURCES)
    assert list((tmp_path / "trusted").iterdir()) == []


def test_decisions_belong_to_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    TrustStore().trust(SOURCES)
    (record,) = tmp_path.rglob("*.json")
    assert record.parent.stat().st_mode & 0o077 == 0
    assert TrustStore().is_trusted(SOURCES)
