"""Values of an app turned into what a function's annotations ask for.

Runs in the worker, next to the user's code; standard library and `greenrun.sdk` only.
"""

from __future__ import annotations

import math
import typing
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from greenrun.sdk import Ref
from greenrun.workflows.functions import type_metadata as read


class ConversionError(ValueError):
    """Raised for a value that does not fit; the text names the place and what was expected."""


class _Unfit(Exception):
    """Raised inside a scalar conversion; the text says what was expected."""


def convert(value: Any, annotation: Any, place: str, *, strict: bool = False) -> Any:
    """The value as the annotated type wants it.

    `place` names it in errors, such as ``parameter "n"``. Unless `strict`, text that spells a number becomes one and
    the reverse, since widgets such as Select hand over text.

    Raises:
        ConversionError: The value does not fit.
    """
    base, _ = read.peel(annotation)
    if read.is_anything(base):
        return value
    members = read.union_members(base)
    if members is not None:
        return _union(value, members, place, strict)
    if is_empty(value, base):
        if (
            base is None
            or base is type(None)
            or (typing.get_origin(base) is typing.Literal and None in typing.get_args(base))
        ):
            return None
        raise ConversionError(f"{place} has no value")
    for fits, handler in _KINDS:
        if fits(base):
            return handler(value, base, place, strict)
    raise ConversionError(f"{place} has a type that an app cannot fill")


def is_empty(value: Any, base: Any) -> bool:
    """True where nothing was entered: null, a cleared field, or a media reference that points at nothing."""
    if value is None:
        return True
    media = isinstance(base, type) and issubclass(base, Ref)
    if isinstance(value, str):
        return not value.strip() and (media or (base in _SCALARS and base is not str))
    return media and isinstance(value, dict) and not any(value.get(name) for name in ("uri", "asset_id", "data"))


def check_bounds(value: Any, limits: read.Constraints, place: str) -> None:
    """Refuse a number beyond the annotated bounds and a value that is none of the annotated options.

    Raises:
        ConversionError: It is.
    """
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        if limits.minimum is not None and value < limits.minimum:
            raise ConversionError(f"{place} is {value}, expected at least {limits.minimum}")
        if limits.maximum is not None and value > limits.maximum:
            raise ConversionError(f"{place} is {value}, expected at most {limits.maximum}")
    plain = isinstance(value, (str, int, float)) and not isinstance(value, Enum)
    if plain and limits.options is not None and value not in limits.options:
        raise ConversionError(f"{place} is {_shown(value)}, expected one of {_listed(limits.options)}")


def _union(value: Any, members: tuple[Any, ...], place: str, strict: bool) -> Any:
    kinds = [member for member in members if member is not type(None)]
    if len(kinds) < len(members) and any(is_empty(value, read.peel(kind)[0]) for kind in kinds):
        return None
    problem = ConversionError(f"{place} has no value")
    for exact in (True,) if strict else (True, False):
        for kind in kinds:
            try:
                return convert(value, kind, place, strict=exact)
            except ConversionError as error:
                problem = error
    if len(kinds) == 1 or value is None:
        raise problem
    names = " or ".join(read.type_name(read.describe(kind)) for kind in kinds)
    raise ConversionError(f"{place} is {_shown(value)}, expected {names}")


def _literal(value: Any, base: Any, place: str, strict: bool) -> Any:
    options = typing.get_args(base)
    plain = [option.value if isinstance(option, Enum) else option for option in options]
    return options[_position(value, plain, place, strict)]


def _enum(value: Any, base: Any, place: str, strict: bool) -> Any:
    members = list(base)
    names = [member.name for member in members]
    if isinstance(value, str) and value in names and value not in read.choices(base):
        return members[names.index(value)]
    return members[_position(value, read.choices(base), place, strict)]


def _position(value: Any, options: list[Any], place: str, strict: bool) -> int:
    for position, option in enumerate(options):
        if option == value and isinstance(option, bool) == isinstance(value, bool):
            return position
    if not strict and isinstance(value, (str, int, float)):
        for position, option in enumerate(options):
            if str(option) == str(value):
                return position
    raise ConversionError(f"{place} is {_shown(value)}, expected one of {_listed(options)}")


def _list(value: Any, base: Any, place: str, strict: bool) -> Any:
    if not isinstance(value, list):
        raise _misfit(place, "a list", value)
    origin = typing.get_origin(base) or base
    arguments = typing.get_args(base)
    if origin is tuple and arguments and Ellipsis not in arguments:
        if len(arguments) != len(value):
            raise ConversionError(f"{place} has {len(value)} items, expected {len(arguments)}")
        kinds = list(arguments)
    else:
        kinds = [arguments[0] if arguments else Any] * len(value)
    items = [
        convert(item, kind, f"{place}, item {position}", strict=strict)
        for position, (item, kind) in enumerate(zip(value, kinds, strict=True), 1)
    ]
    made: Callable[[list[Any]], Any] | None = _CONTAINERS.get(origin)
    try:
        return items if made is None else made(items)
    except TypeError as error:
        raise ConversionError(f"{place} cannot be a set: {error}") from error


_CONTAINERS: dict[Any, Callable[[list[Any]], Any]] = {
    tuple: tuple,
    set: set,
    frozenset: frozenset,
    read.LISTS[6]: frozenset,
    read.LISTS[7]: set,
}


def _mapping(value: Any, base: Any, place: str, strict: bool) -> Any:
    if not isinstance(value, dict):
        raise _misfit(place, "an object", value)
    keys, values = typing.get_args(base) or (Any, Any)
    return {
        convert(key, keys, f"{place}, key {_shown(key)}"): convert(item, values, f'{place}, "{key}"', strict=strict)
        for key, item in value.items()
    }


def _structure(value: Any, base: Any, place: str, strict: bool) -> Any:
    if not isinstance(value, dict):
        raise _misfit(place, "an object", value)
    described = read.fields(base) or ()
    unknown = [name for name in value if name not in {field.name for field in described}]
    if unknown:
        raise ConversionError(f'{place} has no field "{unknown[0]}"')
    members: dict[str, Any] = {}
    for field in described:
        if field.name in value:
            members[field.name] = convert(
                value[field.name], field.annotation, f'{place}, "{field.name}"', strict=strict
            )
        elif field.required:
            raise ConversionError(f'{place} lacks the field "{field.name}"')
    if typing.is_typeddict(typing.get_origin(base) or base):
        return members
    try:
        return base(**members)
    except Exception as error:
        raise ConversionError(f"{place} was refused: {error}") from error


def _model(value: Any, base: Any, place: str, strict: bool) -> Any:
    try:
        return base.model_validate(value)
    except Exception as error:
        raise ConversionError(f"{place} was refused: {_first_problem(error)}") from error


def _first_problem(error: Exception) -> str:
    problems = getattr(error, "errors", None)
    if not callable(problems):
        return str(error)
    listed: Any = problems()
    first: Any = next(iter(listed), {})
    where = ".".join(str(part) for part in first.get("loc", ()))
    return f"{where}: {first.get('msg', error)}" if where else str(first.get("msg", error))


def _ref(value: Any, base: Any, place: str, strict: bool) -> Any:
    if isinstance(value, str) and not strict:
        return _at_hand(base(uri=value.strip()), place)
    if not isinstance(value, dict):
        raise _misfit(place, f"a reference to {base.kind} data", value)
    stored = value.get("type")
    if stored and base.kind != "file" and stored not in (base.kind, "file", "asset"):
        raise ConversionError(f'{place} is of type "{stored}", expected "{base.kind}"')
    try:
        ref = base.from_json(value)
    except ValueError as error:
        raise ConversionError(f"{place}: {error}") from error
    return _at_hand(ref, place)


def _at_hand(ref: Ref, place: str) -> Ref:
    """The reference, unless it names a file of this machine that is not there; other faults show when it is read."""
    if ref.uri.startswith("file:") and ref.data is None:
        try:
            missing = not ref.path.exists()
        except (ValueError, OSError):
            return ref
        if missing:
            raise ConversionError(f'{place}: there is no file "{ref.path}"')
    return ref


def _dataframe(value: Any, base: Any, place: str, strict: bool) -> Any:
    if isinstance(value, list):
        return base(value)
    rows = value.get("data", value.get("rows")) if isinstance(value, dict) else None
    if not isinstance(rows, list):
        raise _misfit(place, "a table", value)
    columns = [column["name"] if isinstance(column, dict) else column for column in value.get("columns") or []]
    return base(rows, columns=columns) if columns else base(rows)


def _scalar(value: Any, base: Any, place: str, strict: bool) -> Any:
    try:
        return _SCALARS[base](value, strict)
    except _Unfit as error:
        raise _misfit(place, str(error), value) from error


def _path(value: Any, base: Any, place: str, strict: bool) -> Any:
    if not isinstance(value, str):
        raise _misfit(place, "a path", value)
    return base(value)


def _to_str(value: Any, strict: bool) -> str:
    if isinstance(value, str):
        return value
    if strict or not isinstance(value, (bool, int, float)):
        raise _Unfit("text")
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e21 else str(value)


def _to_bool(value: Any, strict: bool) -> bool:
    if isinstance(value, bool):
        return value
    if not strict and isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    raise _Unfit("true or false")


def _to_int(value: Any, strict: bool) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not strict and isinstance(value, str):
        try:
            return int(value.strip())
        except ValueError:
            pass
    raise _Unfit("a whole number")


def _to_float(value: Any, strict: bool) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _finite(value)
    if not strict and isinstance(value, str):
        return _finite(value)
    raise _Unfit("a number")


def _finite(value: Any) -> float:
    try:
        number = float(value)
    except (ValueError, OverflowError) as error:
        raise _Unfit("a number") from error
    if not math.isfinite(number):
        raise _Unfit("a finite number")
    return number


def _to_decimal(value: Any, strict: bool) -> Decimal:
    if isinstance(value, (int, float, str)) and not isinstance(value, bool):
        try:
            number = Decimal(str(value).strip())
        except InvalidOperation:
            number = Decimal("NaN")
        if number.is_finite():
            return number
    raise _Unfit("a number")


def _to_date(value: Any, strict: bool) -> date:
    return _parsed(value, lambda text: datetime.fromisoformat(text).date(), "a date such as 2030-01-31")


def _to_datetime(value: Any, strict: bool) -> datetime:
    return _parsed(value, datetime.fromisoformat, "a date and time such as 2030-01-31T09:30")


def _to_time(value: Any, strict: bool) -> time:
    return _parsed(value, time.fromisoformat, "a time such as 09:30")


def _to_timedelta(value: Any, strict: bool) -> timedelta:
    try:
        return timedelta(seconds=_to_float(value, strict))
    except (OverflowError, _Unfit) as error:
        raise _Unfit("a number of seconds") from error


def _to_uuid(value: Any, strict: bool) -> UUID:
    return _parsed(value, UUID, "a UUID")


def _parsed(value: Any, parse: Callable[[str], Any], expected: str) -> Any:
    if isinstance(value, str):
        try:
            return parse(value.strip())
        except ValueError:
            pass
    raise _Unfit(expected)


_SCALARS: dict[Any, Callable[[Any, bool], Any]] = {
    str: _to_str,
    bool: _to_bool,
    int: _to_int,
    float: _to_float,
    Decimal: _to_decimal,
    datetime: _to_datetime,
    date: _to_date,
    time: _to_time,
    timedelta: _to_timedelta,
    UUID: _to_uuid,
}


def _is_class(*parents: type) -> Callable[[Any], bool]:
    return lambda base: isinstance(base, type) and issubclass(base, parents)


_KINDS: tuple[tuple[Callable[[Any], bool], Callable[[Any, Any, str, bool], Any]], ...] = (
    (lambda base: typing.get_origin(base) is typing.Literal, _literal),
    (lambda base: (typing.get_origin(base) or base) in read.LISTS, _list),
    (lambda base: (typing.get_origin(base) or base) in read.MAPPINGS, _mapping),
    (lambda base: base in _SCALARS, _scalar),
    (read.is_dataframe, _dataframe),
    (_is_class(Enum), _enum),
    (_is_class(Ref), _ref),
    (_is_class(PurePath), _path),
    (read.is_model, _model),
    (lambda base: read.fields(base) is not None, _structure),
)


def _misfit(place: str, expected: str, value: Any) -> ConversionError:
    return ConversionError(f"{place} is {_shown(value)}, expected {expected}")


def _listed(options: list[Any]) -> str:
    return ", ".join(_shown(option) for option in options[:12]) + (", …" if len(options) > 12 else "")


def _shown(value: Any) -> str:
    """The value in a few characters."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f'"{value}"' if len(value) <= 40 else f'"{value[:40]}…"'
    if isinstance(value, (int, float)):
        return str(value)[:40]
    return {list: "a list", dict: "an object"}.get(type(value), type(value).__name__)
