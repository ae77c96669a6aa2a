"""Points in time (spec: nodes B2, ``lib.datetime.*``)."""

from __future__ import annotations

import calendar
import os
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime
from typing import Annotated, Any, ClassVar, Final
from zoneinfo import ZoneInfo

from greenrun.document.dates import read_date
from greenrun.document.values import is_number, is_record
from greenrun.workflows.node import Node, NodeContext, NodeError, OutputSpec
from greenrun.workflows.ports import Anything, Number, PortType, Text, kind_of, to_finite_number

UNITS: Final = ("millisecond", "second", "minute", "hour", "day", "week", "month", "year")

_LENGTHS: Final = {
    "millisecond": timedelta(milliseconds=1),
    "second": timedelta(seconds=1),
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}
_MONTHS: Final = {"month": 1, "year": 12}

# What a moment is cut to at the start of each unit; weeks go back to Sunday as well.
_CUTS: Final[dict[str, dict[str, Any]]] = {
    "second": {"microsecond": 0},
    "minute": {"second": 0, "microsecond": 0},
    "hour": {"minute": 0, "second": 0, "microsecond": 0},
    "day": {"hour": 0, "minute": 0, "second": 0, "microsecond": 0},
    "week": {"hour": 0, "minute": 0, "second": 0, "microsecond": 0},
    "month": {"day": 1, "hour": 0, "minute": 0, "second": 0, "microsecond": 0},
    "year": {"month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0, "microsecond": 0},
}

MAX_PATTERN: Final = 1_000

Unit = Annotated[Text, PortType("enum", options=UNITS)]

_TOKEN: Final = re.compile(r"\[([^\]]*)\]|YYYY|YY|MM?|DD?|HH?|mm?|ss?|SSS|Z")


def local_zone(name: str = "") -> tzinfo:
    """The time zone of that name; without one, the one that the environment names in TZ, else UTC.

    Raises:
        NodeError: There is no such zone.
    """
    if name.strip():
        found = _zone(name.strip())
        if found is None:
            raise NodeError(f'there is no time zone "{name[:40]}"; use a name such as Europe/Berlin, or UTC')
        return found
    return _zone(os.environ.get("TZ", "").strip()) or UTC


def _zone(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (KeyError, OSError, ValueError):
        # Not installed, not a name, or a path to a file.
        return None


def read_moment(value: Any, zone: tzinfo, port: str = "date") -> datetime:
    """The moment that a value means, in `zone`; nothing means now.

    Milliseconds since 1970, ISO 8601 text, a date as mails and feeds write it, or a record with year, month and day.

    Raises:
        NodeError: It means none, or one outside the years 1 to 9999.
    """
    if value is None or value == "":
        return datetime.now(zone)
    if is_record(value):
        return _from_record(value, zone, port)
    found = read_date(value, zone)
    mailed = _from_mail(value) if found is None else None
    if found is None and mailed is None:
        raise NodeError(
            f"{port}: {_shown(value)} is no date; use text such as 2026-01-31T15:05:00Z, or milliseconds since 1970"
        )
    try:
        if found is None:
            assert mailed is not None
            return mailed.astimezone(zone)
        # A moment at the edge of Python's calendar comes as one in a year that is alike (`Moment.cycles`).
        return found.moment.replace(year=found.moment.year + found.cycles * 400).astimezone(zone)
    except (ValueError, OverflowError):
        raise NodeError(f"{port}: the year is outside 1 to 9999") from None


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value[:40]}"'
    # Python writes no number of thousands of digits.
    if isinstance(value, int) and value.bit_length() > 200:
        return "a number of so many digits"
    return str(value) if is_number(value) else kind_of(value)


def _from_mail(value: Any) -> datetime | None:
    try:
        found = parsedate_to_datetime(value) if isinstance(value, str) and len(value) < 100 else None
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return found if found is None or found.tzinfo else found.replace(tzinfo=UTC)


def _from_record(value: dict[str, Any], zone: tzinfo, port: str) -> datetime:
    """A record as the Date and DateTime constants have it; ``utc_offset`` is in seconds."""
    try:
        year, month, day, hour, minute, second, microsecond = (
            int(to_finite_number(value.get(name) or 0))
            for name in ("year", "month", "day", "hour", "minute", "second", "microsecond")
        )
        offset = value.get("utc_offset")
        named = value.get("tzinfo")
        if offset is not None:
            zone_of_record: tzinfo = timezone(timedelta(seconds=to_finite_number(offset)))
        else:
            zone_of_record = (_zone(named) or UTC) if isinstance(named, str) and named.strip() else zone
        moment = datetime(year, month, day, hour, minute, second, microsecond, tzinfo=zone_of_record)
        return moment.astimezone(zone)
    except (ValueError, OverflowError) as error:
        raise NodeError(f"{port}: the record is no date: {error}") from None


def unit_of(text: str) -> str:
    """A unit of time, by its name in any case, singular or plural.

    Raises:
        NodeError: There is no such unit.
    """
    name = text.strip().lower()
    name = name.removesuffix("s")
    if name not in UNITS:
        raise NodeError(f'"{text}" is no unit of time; use one of {", ".join(UNITS)}')
    return name


def _guarded(compute: Callable[[], datetime]) -> datetime:
    try:
        return compute()
    except (OverflowError, ValueError):
        raise NodeError("the result is outside the years 1 to 9999") from None


def add(moment: datetime, amount: int | float, unit: str) -> datetime:
    """A moment moved by an amount; months and years end on the last day of a shorter month.

    Days and longer keep the time of day where clocks change; shorter units count what really passes.

    Raises:
        NodeError: The amount is no whole number of days or longer units, or the result is outside the years 1 to 9999.
    """
    if unit in _MONTHS or unit in ("day", "week"):
        if amount != int(amount):
            raise NodeError(f"the amount must be a whole number of {unit}s; use hours for a part of one")
        if unit in _MONTHS:
            return _guarded(lambda: _add_months(moment, int(amount) * _MONTHS[unit]))
        return _guarded(lambda: _settled(moment + int(amount) * _LENGTHS[unit]))
    return _guarded(lambda: (moment.astimezone(UTC) + amount * _LENGTHS[unit]).astimezone(moment.tzinfo))


def _settled(moment: datetime) -> datetime:
    """The same moment, with a time of day that exists where clocks skip some."""
    return moment.astimezone(UTC).astimezone(moment.tzinfo)


def _add_months(moment: datetime, months: int) -> datetime:
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    last = calendar.monthrange(year, month + 1)[1] if 1 <= year <= 9999 else 1
    return _settled(moment.replace(year=year, month=month + 1, day=min(moment.day, last)))


def difference(later: datetime, earlier: datetime, unit: str) -> int:
    """How many whole units lie between two moments; negative when the first is the earlier one."""
    if unit in _MONTHS:
        months = (later.year - earlier.year) * 12 + later.month - earlier.month
        reached = _guarded(lambda: _add_months(earlier, months))
        if months > 0 and reached > later:
            months -= 1
        elif months < 0 and reached < later:
            months += 1
        return int(months / _MONTHS[unit])
    if unit in ("day", "week"):
        # As the clock on the wall counts, whatever it is set to in between.
        passed = later.replace(tzinfo=None) - earlier.replace(tzinfo=None)
    else:
        passed = later.astimezone(UTC) - earlier.astimezone(UTC)
    whole = abs(passed) // _LENGTHS[unit]
    return -whole if passed < timedelta() else whole


def start_of(moment: datetime, unit: str) -> datetime:
    """The first moment of the unit that a moment is in; weeks start on Sunday."""
    if unit == "millisecond":
        return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    if unit == "week":
        moment = _guarded(lambda: moment - timedelta(days=moment.isoweekday() % 7))
    return _guarded(lambda: _settled(moment.replace(**_CUTS[unit])))


def end_of(moment: datetime, unit: str) -> datetime:
    """The last millisecond of the unit that a moment is in."""
    start = start_of(moment, unit)
    return _guarded(lambda: add(add(start, 1, unit), -1, "millisecond"))


def iso_text(moment: datetime) -> str:
    """``2026-01-31T15:05:09.123Z``, always UTC and with milliseconds."""
    utc = moment.astimezone(UTC).replace(tzinfo=None)
    return f"{utc.isoformat(timespec='milliseconds')}Z"


def milliseconds(moment: datetime) -> int:
    """Milliseconds since 1970."""
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def format_moment(moment: datetime, pattern: str) -> str:
    """A moment by a pattern of ``YYYY YY MM M DD D HH H mm m ss s SSS Z``; text in square brackets stays as it is.

    Raises:
        NodeError: The pattern is longer than `MAX_PATTERN`.
    """
    if len(pattern) > MAX_PATTERN:
        raise NodeError(f"the pattern is longer than {MAX_PATTERN:,} characters; write one such as YYYY-MM-DD")
    values = {
        "YYYY": f"{moment.year:04}",
        "YY": f"{moment.year % 100:02}",
        "MM": f"{moment.month:02}",
        "M": str(moment.month),
        "DD": f"{moment.day:02}",
        "D": str(moment.day),
        "HH": f"{moment.hour:02}",
        "H": str(moment.hour),
        "mm": f"{moment.minute:02}",
        "m": str(moment.minute),
        "ss": f"{moment.second:02}",
        "s": str(moment.second),
        "SSS": f"{moment.microsecond // 1000:03}",
        "Z": _offset_text(moment),
    }
    return _TOKEN.sub(lambda token: values[token[0]] if token[1] is None else token[1], pattern)


def _offset_text(moment: datetime) -> str:
    minutes = round((moment.utcoffset() or timedelta()) / timedelta(minutes=1))
    if not minutes:
        return "Z"
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"


_MOMENT: Final = (OutputSpec("iso", "str"), OutputSpec("epoch_ms", "int"), OutputSpec("date", "datetime"))


def _moment_record(moment: datetime) -> dict[str, Any]:
    iso = iso_text(moment)
    return {"iso": iso, "epoch_ms": milliseconds(moment), "date": iso}


class Now(Node):
    """The current time."""

    node_type: ClassVar[str] = "lib.datetime.Now"
    outputs: ClassVar[tuple[OutputSpec, ...]] = _MOMENT

    async def process(self, context: NodeContext) -> dict[str, Any]:
        return _moment_record(datetime.now(UTC))


class Format(Node):
    """A date as text, by a pattern such as ``YYYY-MM-DD HH:mm``."""

    node_type: ClassVar[str] = "lib.datetime.Format"
    title: ClassVar[str] = "Format Date"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("formatted", "str"),
        OutputSpec("iso", "str"),
        OutputSpec("epoch_ms", "int"),
    )

    date: Anything = ""
    pattern: Text = "YYYY-MM-DD HH:mm:ss"
    timezone: Text = ""

    async def process(self, context: NodeContext) -> dict[str, Any]:
        moment = read_moment(self.date, local_zone(self.timezone))
        return {
            "formatted": format_moment(moment, self.pattern),
            "iso": iso_text(moment),
            "epoch_ms": milliseconds(moment),
        }


class Add(Node):
    """A date moved by a number of units; a negative number goes back."""

    node_type: ClassVar[str] = "lib.datetime.Add"
    title: ClassVar[str] = "Add / Subtract Time"
    outputs: ClassVar[tuple[OutputSpec, ...]] = _MOMENT

    date: Anything = ""
    amount: Number = 0
    unit: Unit = "day"
    timezone: Text = ""

    async def process(self, context: NodeContext) -> dict[str, Any]:
        unit = unit_of(self.unit)
        return _moment_record(add(read_moment(self.date, local_zone(self.timezone)), self.amount, unit))


class Diff(Node):
    """How many whole units date_a is after date_b, and which comes first."""

    node_type: ClassVar[str] = "lib.datetime.Diff"
    title: ClassVar[str] = "Date Difference"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("diff", "int"),
        OutputSpec("is_before", "bool"),
        OutputSpec("is_after", "bool"),
        OutputSpec("is_same", "bool"),
    )

    date_a: Anything = ""
    date_b: Anything = ""
    unit: Unit = "day"
    timezone: Text = ""

    async def process(self, context: NodeContext) -> dict[str, Any]:
        unit = unit_of(self.unit)
        zone = local_zone(self.timezone)
        first, second = read_moment(self.date_a, zone, "date_a"), read_moment(self.date_b, zone, "date_b")
        # Milliseconds, as dates have them elsewhere.
        a, b = milliseconds(first), milliseconds(second)
        return {"diff": difference(first, second, unit), "is_before": a < b, "is_after": a > b, "is_same": a == b}


class StartEnd(Node):
    """The first and the last millisecond of the day, week, month or other unit that a date is in."""

    node_type: ClassVar[str] = "lib.datetime.StartEnd"
    title: ClassVar[str] = "Start / End of Period"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("start_iso", "str"),
        OutputSpec("end_iso", "str"),
        OutputSpec("start", "datetime"),
        OutputSpec("end", "datetime"),
    )

    date: Anything = ""
    unit: Unit = "day"
    timezone: Text = ""

    async def process(self, context: NodeContext) -> dict[str, Any]:
        unit = unit_of(self.unit)
        moment = read_moment(self.date, local_zone(self.timezone))
        start, end = iso_text(start_of(moment, unit)), iso_text(end_of(moment, unit))
        return {"start_iso": start, "end_iso": end, "start": start, "end": end}


NODES: tuple[type[Node], ...] = (Now, Format, Add, Diff, StartEnd)
