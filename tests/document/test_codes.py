from __future__ import annotations

import re
from typing import get_args

import pytest

from greenrun.document.codes import CODES, CodeInfo
from greenrun.document.diagnostics import DIAGNOSTIC_CODES
from greenrun.document.findings import Severity

GROUPS = {
    101: 117,
    201: 222,
    301: 310,
    401: 412,
    501: 507,
    601: 624,
    701: 703,
    710: 733,
    801: 808,
    901: 910,
}


def test_catalogue_holds_every_code_in_order() -> None:
    expected = [f"GR{number}" for first, last in GROUPS.items() for number in range(first, last + 1)]
    assert list(CODES) == expected


@pytest.mark.parametrize("info", CODES.values(), ids=lambda info: info.code)
def test_entry_is_written_out(info: CodeInfo) -> None:
    assert CODES[info.code] is info
    assert not info.title.endswith(".")
    for text in (info.explanation, info.remedy):
        assert re.fullmatch(r"[A-Z`].*\.", text)
    assert len({info.title, info.explanation, info.remedy}) == 3


def test_titles_are_told_apart() -> None:
    titles = [info.title for info in CODES.values()]
    assert len(set(titles)) == len(titles)


def test_only_the_harness_has_reasons() -> None:
    reasons = {code for code, info in CODES.items() if info.severity == "reason"}
    assert reasons == {code for code in CODES if code.startswith("GR9")}
    assert {info.severity for info in CODES.values()} == {*get_args(Severity), "reason"}


def test_every_diagnostic_of_the_parser_has_an_entry() -> None:
    assert set(DIAGNOSTIC_CODES.values()) <= set(CODES)
