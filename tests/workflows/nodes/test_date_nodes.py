from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenrun.workflows.node import NodeError
from greenrun.workflows.nodes.dates import UNITS, add, difference, end_of, iso_text, local_zone, milliseconds, start_of
from tests.workflows.nodes.firing import builtin, fire


@pytest.fixture(autouse=True)
def no_local_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TZ", raising=False)


async def formatted(date: Any, pattern: str = "YYYY-MM-DD HH:mm:ss", **values: Any) -> str:
    return (await fire("lib.datetime.Format", date=date, pattern=pattern, **values))["formatted"]


async def moved(date: Any, amount: Any, unit: str, **values: Any) -> str:
    return (await fire("lib.datetime.Add", date=date, amount=amount, unit=unit, **values))["iso"]


async def diff(date_a: Any, date_b: Any, unit: str, **values: Any) -> int:
    return (await fire("lib.datetime.Diff", date_a=date_a, date_b=date_b, unit=unit, **values))["diff"]


async def period(date: Any, unit: str, **values: Any) -> tuple[str, str]:
    record = await fire("lib.datetime.StartEnd", date=date, unit=unit, **values)
    assert (record["start"], record["end"]) == (record["start_iso"], record["end_iso"])
    return record["start_iso"], record["end_iso"]


async def test_now_is_the_present_in_three_forms() -> None:
    before = milliseconds(datetime.now(UTC))
    record = await fire("lib.datetime.Now")
    assert before <= record["epoch_ms"] <= milliseconds(datetime.now(UTC))
    assert record["iso"] == record["date"]
    assert record["iso"].endswith("Z")


@pytest.mark.parametrize("empty", [None, ""])
async def test_empty_date_means_now(empty: Any) -> None:
    before = milliseconds(datetime.now(UTC))
    assert (await fire("lib.datetime.Format", date=empty))["epoch_ms"] >= before


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("2026-01-31T15:05:09.123Z", "2026-01-31T15:05:09.123Z"),
        ("2026-01-31T15:05:09+02:00", "2026-01-31T13:05:09.000Z"),
        ("2026-01-31", "2026-01-31T00:00:00.000Z"),
        ("2026-01-31 15:05", "2026-01-31T15:05:00.000Z"),
        (0, "1970-01-01T00:00:00.000Z"),
        (1769871909123, "2026-01-31T15:05:09.123Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        ("Sat, 31 Jan 2026 15:05:09 GMT", "2026-01-31T15:05:09.000Z"),
        ("Sat, 31 Jan 2026 15:05:09 +0200", "2026-01-31T13:05:09.000Z"),
        ("31 Jan 2026 15:05:09 -0000", "2026-01-31T15:05:09.000Z"),
        ({"type": "date", "year": 2026, "month": 1, "day": 31}, "2026-01-31T00:00:00.000Z"),
        (
            {"year": 2026, "month": 1, "day": 31, "hour": 15, "minute": 5, "second": 9, "utc_offset": 7200},
            "2026-01-31T13:05:09.000Z",
        ),
        ({"year": 2026, "month": 7, "day": 1, "tzinfo": "Europe/Berlin"}, "2026-06-30T22:00:00.000Z"),
        ({"year": 2026, "month": 7, "day": 1, "tzinfo": "Nowhere/Land"}, "2026-07-01T00:00:00.000Z"),
    ],
)
async def test_date_is_read_in_every_form(date: Any, expected: str) -> None:
    record = await fire("lib.datetime.Format", date=date)
    assert record["iso"] == expected
    assert iso_text(datetime.fromtimestamp(record["epoch_ms"] / 1000, UTC)) == expected


@pytest.mark.parametrize(
    "date",
    [
        "tomorrow",
        "2026-13-01",
        "31.01.2026",
        True,
        [1, 2],
        {"year": 2026},
        {"year": 2026, "month": 2, "day": 30},
        1e300,
        "x" * 500,
    ],
)
async def test_date_that_means_none_is_an_error(date: Any) -> None:
    with pytest.raises(NodeError, match="date: "):
        await fire("lib.datetime.Format", date=date)


async def test_year_that_the_calendar_does_not_have_is_an_error() -> None:
    with pytest.raises(NodeError, match="outside 1 to 9999"):
        await fire("lib.datetime.Format", date="+012026-01-01")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("YYYY-MM-DD HH:mm:ss", "2026-01-05 03:04:09"),
        ("YY/M/D H:m:s.SSS", "26/1/5 3:4:9.007"),
        ("[Year] YYYY [at] HH[h]", "Year 2026 at 03h"),
        ("YYYY-MM-DDTHH:mm:ssZ", "2026-01-05T03:04:09Z"),
        ("[open YYYY", "[open 2026"),
        ("", ""),
    ],
)
async def test_date_is_written_by_a_pattern(pattern: str, expected: str) -> None:
    assert await formatted("2026-01-05T03:04:09.007Z", pattern) == expected


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("Europe/Berlin", "2026-07-01 02:00 +02:00"),
        ("America/St_Johns", "2026-06-30 21:30 -02:30"),
        ("UTC", "2026-07-01 00:00 Z"),
    ],
)
async def test_date_is_written_in_a_zone(zone: str, expected: str) -> None:
    assert await formatted("2026-07-01", "YYYY-MM-DD HH:mm Z", timezone=zone) == expected


async def test_zone_of_the_environment_is_the_local_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert await formatted("2026-07-01T00:00:00Z", "HH:mm") == "09:00"
    assert await formatted("2026-07-01T00:00:00", "HH:mm Z") == "00:00 +09:00"


@pytest.mark.parametrize("name", ["", "Nowhere/Land", "/etc/passwd", "../../etc/passwd", ":/etc/localtime"])
def test_zone_of_the_environment_that_is_none_means_utc(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", name)
    assert local_zone() is UTC


@pytest.mark.parametrize("name", ["Nowhere/Land", "/etc/passwd", "../x", "CET+99"])
async def test_zone_that_there_is_not_is_an_error(name: str) -> None:
    with pytest.raises(NodeError, match="there is no time zone"):
        await formatted("2026-01-01", timezone=name)


@pytest.mark.parametrize(
    ("amount", "unit", "expected"),
    [
        (1, "day", "2026-02-01T10:00:00.000Z"),
        (-1, "day", "2026-01-30T10:00:00.000Z"),
        (2, "weeks", "2026-02-14T10:00:00.000Z"),
        (1, "month", "2026-02-28T10:00:00.000Z"),
        (-2, "Month", "2025-11-30T10:00:00.000Z"),
        (12, "months", "2027-01-31T10:00:00.000Z"),
        (2, "year", "2028-01-31T10:00:00.000Z"),
        (1.5, "hour", "2026-01-31T11:30:00.000Z"),
        (90, "minute", "2026-01-31T11:30:00.000Z"),
        (30, "second", "2026-01-31T10:00:30.000Z"),
        (250, "millisecond", "2026-01-31T10:00:00.250Z"),
        (0, "day", "2026-01-31T10:00:00.000Z"),
        ("3", "day", "2026-02-03T10:00:00.000Z"),
    ],
)
async def test_date_is_moved(amount: Any, unit: str, expected: str) -> None:
    assert await moved("2026-01-31T10:00:00Z", amount, unit) == expected


async def test_leap_day_moved_by_years_ends_on_the_last_of_february() -> None:
    assert await moved("2024-02-29", 1, "year") == "2025-02-28T00:00:00.000Z"
    assert await moved("2024-02-29", 4, "year") == "2028-02-29T00:00:00.000Z"


async def test_days_keep_the_time_of_day_where_clocks_change() -> None:
    berlin = {"timezone": "Europe/Berlin"}
    assert await moved("2026-03-28T12:00:00", 1, "day", **berlin) == "2026-03-29T10:00:00.000Z"
    assert await moved("2026-03-28T12:00:00", 24, "hour", **berlin) == "2026-03-29T11:00:00.000Z"
    assert await moved("2026-02-28T02:30:00", 1, "month", **berlin) == "2026-03-28T01:30:00.000Z"
    assert await moved("2026-03-28T02:30:00", 1, "day", **berlin) == "2026-03-29T01:30:00.000Z"


@pytest.mark.parametrize(
    ("amount", "unit", "part"),
    [
        (1, "fortnight", '"fortnight" is no unit'),
        (1, "", '"" is no unit'),
        (1.5, "day", "whole number of days"),
        (0.5, "month", "whole number of months"),
        (9000, "year", "outside the years 1 to 9999"),
        (-3000, "year", "outside the years 1 to 9999"),
        (10**9, "day", "outside the years 1 to 9999"),
        (10**20, "hour", "outside the years 1 to 9999"),
    ],
)
async def test_move_that_cannot_be_made_is_an_error(amount: Any, unit: str, part: str) -> None:
    with pytest.raises(NodeError, match=part):
        await moved("2026-01-31", amount, unit)


@pytest.mark.parametrize(
    ("date_a", "date_b", "unit", "expected"),
    [
        ("2026-02-01", "2026-01-01", "day", 31),
        ("2026-01-01", "2026-02-01", "day", -31),
        ("2026-01-02T23:00:00Z", "2026-01-01", "day", 1),
        ("2026-01-01", "2026-01-02T23:00:00Z", "day", -1),
        ("2026-01-15", "2026-01-01", "week", 2),
        ("2026-01-01T02:59:00Z", "2026-01-01", "hour", 2),
        ("2026-01-01T00:01:59Z", "2026-01-01", "minute", 1),
        ("2026-01-01T00:00:01.999Z", "2026-01-01", "second", 1),
        ("2026-01-01T00:00:01.999Z", "2026-01-01", "millisecond", 1999),
        ("2026-03-15", "2026-01-31", "month", 1),
        ("2026-02-28", "2026-01-31", "month", 1),
        ("2026-02-27", "2026-01-31", "month", 0),
        ("2026-01-31", "2026-03-15", "month", -1),
        ("2026-03-01", "2026-03-31", "month", 0),
        ("2028-01-31", "2026-02-01", "year", 1),
        ("2026-02-01", "2028-01-31", "year", -1),
        ("2028-02-01", "2026-02-01", "years", 2),
        ("2026-01-01", "2026-01-01", "year", 0),
    ],
)
async def test_difference_is_cut_to_whole_units(date_a: str, date_b: str, unit: str, expected: int) -> None:
    assert await diff(date_a, date_b, unit) == expected


async def test_difference_in_days_counts_what_the_calendar_shows() -> None:
    berlin = {"timezone": "Europe/Berlin"}
    assert await diff("2026-03-30T00:00:00", "2026-03-29T00:00:00", "day", **berlin) == 1
    assert await diff("2026-03-30T00:00:00", "2026-03-29T00:00:00", "hour", **berlin) == 23


@pytest.mark.parametrize(
    ("date_a", "date_b", "expected"),
    [
        ("2026-01-01", "2026-01-02", (True, False, False)),
        ("2026-01-02", "2026-01-01", (False, True, False)),
        ("2026-01-01T01:00:00+01:00", "2026-01-01", (False, False, True)),
    ],
)
async def test_order_of_two_dates_is_told(date_a: str, date_b: str, expected: tuple[bool, bool, bool]) -> None:
    record = await fire("lib.datetime.Diff", date_a=date_a, date_b=date_b)
    assert (record["is_before"], record["is_after"], record["is_same"]) == expected


async def test_date_that_is_wrong_is_named_by_its_port() -> None:
    with pytest.raises(NodeError, match="date_b: "):
        await diff("2026-01-01", "never", "day")


@pytest.mark.parametrize(
    ("unit", "start", "end"),
    [
        ("day", "2026-01-07T00:00:00.000Z", "2026-01-07T23:59:59.999Z"),
        ("week", "2026-01-04T00:00:00.000Z", "2026-01-10T23:59:59.999Z"),
        ("month", "2026-01-01T00:00:00.000Z", "2026-01-31T23:59:59.999Z"),
        ("year", "2026-01-01T00:00:00.000Z", "2026-12-31T23:59:59.999Z"),
        ("hour", "2026-01-07T15:00:00.000Z", "2026-01-07T15:59:59.999Z"),
        ("minute", "2026-01-07T15:05:00.000Z", "2026-01-07T15:05:59.999Z"),
        ("second", "2026-01-07T15:05:09.000Z", "2026-01-07T15:05:09.999Z"),
        ("millisecond", "2026-01-07T15:05:09.123Z", "2026-01-07T15:05:09.123Z"),
    ],
)
async def test_period_has_its_first_and_last_millisecond(unit: str, start: str, end: str) -> None:
    assert await period("2026-01-07T15:05:09.123456Z", unit) == (start, end)


async def test_week_of_a_sunday_starts_on_it() -> None:
    assert (await period("2026-01-04", "week"))[0] == "2026-01-04T00:00:00.000Z"


async def test_day_on_which_clocks_change_has_fewer_hours() -> None:
    assert await period("2026-03-29T12:00:00", "day", timezone="Europe/Berlin") == (
        "2026-03-28T23:00:00.000Z",
        "2026-03-29T21:59:59.999Z",
    )


async def test_period_at_the_end_of_the_calendar_is_an_error() -> None:
    with pytest.raises(NodeError, match="outside the years"):
        await period("9999-12-31", "year")


def test_unit_is_chosen_from_a_list() -> None:
    spec = builtin("lib.datetime.Add").property("unit")
    assert spec is not None
    assert spec.options == UNITS


moments = st.datetimes(
    datetime(1900, 1, 1),
    datetime(2100, 1, 1),
    timezones=st.sampled_from([UTC, ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")]),
)


@given(moments, st.sampled_from(UNITS))
def test_moment_lies_in_its_period(moment: datetime, unit: str) -> None:
    start, end = start_of(moment, unit), end_of(moment, unit)
    assert start.astimezone(UTC) <= moment.astimezone(UTC)
    assert moment.astimezone(UTC) - end.astimezone(UTC) < timedelta(milliseconds=1)


@given(moments, st.integers(-5000, 5000), st.sampled_from(["second", "hour", "minute"]))
def test_what_was_added_is_the_difference(moment: datetime, amount: int, unit: str) -> None:
    assert difference(add(moment, amount, unit), moment, unit) == amount


@pytest.mark.parametrize(
    "date",
    [
        "1 Jan 99999999999999999999 00:00:00 +0000",
        "1 Jan 2020 00:00:00 +99999999999999999999",
        "Fri, 31 Dec 9999 23:59:59 -2359",
        10**400,
        pytest.param(10**5000, id="many digits"),
        pytest.param(-(10**5000), id="many digits below zero"),
        1e300,
    ],
)
async def test_number_that_no_date_has_is_an_error(date: Any) -> None:
    with pytest.raises(NodeError, match=r"is no date|outside 1 to 9999"):
        await formatted(date)


@pytest.mark.parametrize("zone", ["+99999999999999999999", "\ud800", "9" * 5000])
async def test_zone_that_is_none_is_an_error(zone: str) -> None:
    with pytest.raises(NodeError, match="there is no time zone"):
        await formatted(0, timezone=zone)


async def test_pattern_that_is_too_long_is_an_error() -> None:
    assert await formatted(0, "[" * 1000) == "[" * 1000
    with pytest.raises(NodeError, match="longer than 1,000 characters"):
        await formatted(0, "[" * 200_000)
