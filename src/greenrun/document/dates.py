"""Dates as templates show them: ISO 8601 in, the app's time zone, locale ``en`` out (spec: app-runtime 19.7, O-7)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final

from greenrun.document.js import as_double, display_text, is_list, trim
from greenrun.document.values import Value, is_number

_ISO: Final = re.compile(
    r"(?P<year>\d{4}|[+-]\d{6})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?)?"
    r"(?:[T ](?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d{1,9}))?)?"
    r"(?P<zone>Z|[+-]\d\d(?::?[0-5]\d)?)?)?",
    re.ASCII,
)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_DAYS: Final = 100_000_000
_DAY_MILLISECONDS: Final = 86_400_000
# The calendar repeats after 400 years, week days included; Python only knows the years 1 to 9999.
_CYCLE_YEARS: Final = 400
_CYCLE_DAYS: Final = 146_097
_BASE_YEAR: Final = 2000
_KNOWN_YEARS: Final = range(2, 9999)
_EARLY_CYCLE: Final = 400
_LATE_CYCLE: Final = 9200


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time: `moment` moved by `cycles` times 400 years."""

    moment: datetime
    cycles: int = 0


def read_date(value: Value, zone: tzinfo) -> Moment | None:
    """The moment that a value means; None when it means none.

    A number is milliseconds since 1970. Anything else is read as ISO 8601 text: a date alone is UTC, a time without
    offset is in `zone`.
    """
    if is_number(value):
        return _from_milliseconds(as_double(value))
    if isinstance(value, str) or is_list(value):
        return _from_text(trim(display_text(value)), zone)
    return None


def format_date(moment: Moment, zone: tzinfo, *, short: bool) -> str:
    """``1/31/2024, 3:05:09 PM`` in `zone`, or only ``1/31/2024``."""
    local = moment.moment.astimezone(zone)
    year = local.year + moment.cycles * _CYCLE_YEARS
    # There is no year 0: the year before 1 is 1 BC, and the locale writes the number alone.
    date = f"{local.month}/{local.day}/{year if year > 0 else 1 - year}"
    if short:
        return date
    return f"{date}, {local.hour % 12 or 12}:{local:%M:%S} {'AM' if local.hour < 12 else 'PM'}"


def _from_milliseconds(milliseconds: float) -> Moment | None:
    if not abs(milliseconds) <= _MAX_DAYS * _DAY_MILLISECONDS:
        return None
    days, rest = divmod(math.trunc(milliseconds), _DAY_MILLISECONDS)
    cycles, days = divmod(days, _CYCLE_DAYS)
    return _settle(_EPOCH + timedelta(days=days, milliseconds=rest), cycles)


def _from_text(text: str, zone: tzinfo) -> Moment | None:
    match = _ISO.fullmatch(text)
    if match is None or match["year"] == "-000000":
        return None
    cycles, year = divmod(int(match["year"]), _CYCLE_YEARS)
    # 24:00:00 is midnight at the end of the day.
    is_midnight = match["hour"] == "24"
    hour, minute, second, fraction = (int(match[name] or 0) for name in ("hour", "minute", "second", "fraction"))
    if is_midnight and (minute or second or fraction):
        return None
    try:
        base = datetime(
            _BASE_YEAR + year,
            int(match["month"] or 1),
            int(match["day"] or 1),
            0 if is_midnight else hour,
            minute,
            second,
            int((match["fraction"] or "0").ljust(6, "0")[:6]),
            tzinfo=_zone_of(match["zone"], UTC if match["hour"] is None else zone),
        )
    except ValueError:
        return None
    moment = _settle(base + timedelta(days=is_midnight), cycles - _BASE_YEAR // _CYCLE_YEARS)
    return moment if abs((moment.moment - _EPOCH).days + moment.cycles * _CYCLE_DAYS) <= _MAX_DAYS else None


def _settle(base: datetime, cycles: int) -> Moment:
    """The same point in time in its own year, or, where Python does not know that, in one with the same zone rules."""
    year = base.year + cycles * _CYCLE_YEARS
    known = year
    if year not in _KNOWN_YEARS:
        known = (_LATE_CYCLE if year > 0 else _EARLY_CYCLE) + year % _CYCLE_YEARS
    return Moment(base.replace(year=known), (year - known) // _CYCLE_YEARS)


def _zone_of(offset: str | None, default: tzinfo) -> tzinfo:
    if offset is None:
        return default
    if offset == "Z":
        return UTC
    digits = offset[1:].replace(":", "")
    distance = timedelta(hours=int(digits[:2]), minutes=int(digits[2:] or 0))
    return timezone(-distance if offset[0] == "-" else distance)
