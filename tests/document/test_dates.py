"""Dates: ISO 8601 and milliseconds in, en-US style out."""

from __future__ import annotations

import math
from datetime import UTC, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenrun.document.dates import format_date, read_date
from greenrun.document.values import ABSENT

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")


def shown(value: Any, zone: Any = UTC, *, short: bool = False) -> str | None:
    moment = read_date(value, zone)
    return None if moment is None else format_date(moment, zone, short=short)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "1/1/1970, 12:00:00 AM"),
        (-1, "12/31/1969, 11:59:59 PM"),
        (1_704_466_809_999.9, "1/5/2024, 3:00:09 PM"),
        (43_200_000, "1/1/1970, 12:00:00 PM"),
        (8.64e15, "9/13/275760, 12:00:00 AM"),
        (253_402_300_800_000, "1/1/10000, 12:00:00 AM"),
        (-62_135_596_800_000, "1/1/1, 12:00:00 AM"),
        (-62_167_219_200_000, "1/1/1, 12:00:00 AM"),
        (-62_198_755_200_000, "1/1/2, 12:00:00 AM"),
        ("2024", "1/1/2024, 12:00:00 AM"),
        ("2024-03", "3/1/2024, 12:00:00 AM"),
        ("2024-02-29", "2/29/2024, 12:00:00 AM"),
        (" 2024-02-29 ", "2/29/2024, 12:00:00 AM"),
        ("2024-01-05T15:04", "1/5/2024, 3:04:00 PM"),
        ("2024-01-05 15:04:09", "1/5/2024, 3:04:09 PM"),
        ("2024-01-05T15:04:09.987654321Z", "1/5/2024, 3:04:09 PM"),
        ("2024-01-05T15:04:09+02:00", "1/5/2024, 1:04:09 PM"),
        ("2024-01-05T23:04:09-0530", "1/6/2024, 4:34:09 AM"),
        ("2024-01-05T15:04+02", "1/5/2024, 1:04:00 PM"),
        ("2024-12-31T24:00:00", "1/1/2025, 12:00:00 AM"),
        ("+012345-06-07", "6/7/12345, 12:00:00 AM"),
        ("-000001-01-01", "1/1/2, 12:00:00 AM"),
        ("+275760-09-13", "9/13/275760, 12:00:00 AM"),
        (["2024-01-05"], "1/5/2024, 12:00:00 AM"),
    ],
)
def test_what_reads_as_a_date(value: Any, text: str) -> None:
    assert shown(value) == text


@pytest.mark.parametrize(
    "value",
    [
        None,
        ABSENT,
        True,
        {},
        [],
        "",
        "null",
        "true",
        "5",
        "1704466809999",
        "20240105",
        "Jan 5 2024",
        "1/5/2024",
        "2024-1-5",
        "2024-13-01",
        "2024-02-30",
        "2023-02-29",
        "2024-01-05T",
        "2024-01-05T15",
        "2024-01-05T25:00",
        "2024-01-05T24:00:01",
        "2024-01-05T24:00:00.5",
        "2024-01-05T15:60",
        "2024-01-05T15:04+24:00",
        "2024-01-05T15:04+02:60",
        "-000000-01-01",
        "+275760-09-15",
        "+999999-01-01",
        "\u0662024-01-05",
        8.65e15,
        math.nan,
        math.inf,
        10**400,
    ],
)
def test_everything_else_is_no_date(value: Any) -> None:
    assert shown(value) is None


def test_short_leaves_the_time_out() -> None:
    assert shown(0, short=True) == "1/1/1970"


def test_a_date_alone_is_utc_and_shown_in_the_zone() -> None:
    assert shown("2024-01-05", NEW_YORK) == "1/4/2024, 7:00:00 PM"


@pytest.mark.parametrize("text", ["2024-07-05T10:00", "2024-01-05T10:00"])
def test_a_time_without_offset_is_in_the_zone(text: str) -> None:
    assert str(shown(text, BERLIN)).endswith("10:00:00 AM")


@pytest.mark.parametrize(("text", "hour"), [("2024-07-05T10:00Z", "12"), ("2024-01-05T10:00Z", "11")])
def test_summer_time_counts(text: str, hour: str) -> None:
    assert f", {hour}:00:00" in str(shown(text, BERLIN))


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(2_979_961_194_636_823, "3/18/96401, 10:30:36 AM"), (-303_129_926_330_707, "3/12/7637, 1:45:07 PM")],
)
def test_years_beyond_the_calendar_of_python_keep_their_zone_rules(milliseconds: int, text: str) -> None:
    assert shown(milliseconds, NEW_YORK) == text


@given(
    st.datetimes().map(lambda moment: moment.replace(microsecond=0)),
    st.integers(-14, 14).map(lambda hours: timezone(timedelta(hours=hours))),
)
def test_python_and_this_module_agree_on_every_datetime(moment: Any, zone: timezone) -> None:
    expected = f"{moment.month}/{moment.day}/{moment.year}, {moment.hour % 12 or 12}:{moment:%M:%S %p}"
    assert shown(moment.isoformat(), zone) == expected


@given(st.floats() | st.integers() | st.text())
def test_any_value_is_a_date_or_none(value: Any) -> None:
    assert "/" in (shown(value, BERLIN) or "/")
