"""Python annotations read as type metadata: what a port is called, allows and shows.

Runs in the worker, next to the user's code; standard library and `greenrun.sdk` only.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import types
import typing
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from greenrun.sdk import Ref

EMPTY: Any = object()
"""Stands for an annotation or a default that is not there."""

SCALARS: dict[Any, str] = {
    str: "str",
    bool: "bool",
    int: "int",
    float: "float",
    Decimal: "float",
    datetime: "datetime",
    date: "date",
    time: "time",
    timedelta: "float",
    UUID: "str",
}

LISTS: tuple[Any, ...] = (
    list,
    tuple,
    set,
    frozenset,
    collections.abc.Sequence,
    collections.abc.MutableSequence,
    collections.abc.Set,
    collections.abc.MutableSet,
    collections.abc.Iterable,
    collections.abc.Collection,
)
MAPPINGS: tuple[Any, ...] = (dict, collections.abc.Mapping, collections.abc.MutableMapping)

_ANYTHING: tuple[Any, ...] = (Any, object, EMPTY)
_WRAPPERS: tuple[Any, ...] = (typing.Required, typing.NotRequired, typing.Final, typing.ClassVar)


class UnreadableType(Exception):
    """Raised for an annotation that no widget can fill, or that names something unknown."""


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """One member of a dataclass, TypedDict or model."""

    name: str
    annotation: Any
    required: bool


@dataclasses.dataclass(slots=True)
class Constraints:
    """What the metadata of an `Annotated` says about a value."""

    title: str | None = None
    description: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    max_length: int | None = None
    options: list[Any] | None = None
    multiline: bool = False


def peel(annotation: Any) -> tuple[Any, list[Any]]:
    """The bare type below `Annotated`, `NewType`, aliases and qualifiers, and the metadata, innermost first."""
    metadata: list[Any] = []
    while True:
        if hasattr(annotation, "__metadata__"):
            metadata = [*annotation.__metadata__, *metadata]
            annotation = annotation.__origin__
        elif hasattr(annotation, "__supertype__"):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        elif typing.get_origin(annotation) in _WRAPPERS:
            annotation = typing.get_args(annotation)[0]
        else:
            return annotation, metadata


def is_anything(base: Any) -> bool:
    """True for a type that says nothing."""
    return base in _ANYTHING or isinstance(base, typing.TypeVar)


def union_members(base: Any) -> tuple[Any, ...] | None:
    """The members of a union, or None for any other type."""
    return typing.get_args(base) if typing.get_origin(base) in (typing.Union, types.UnionType) else None


def without_none(base: Any) -> tuple[Any, bool]:
    """The type without its None member, and whether it had one; a union of several members stays a union."""
    members = union_members(base)
    if members is None:
        return base, False
    rest = [member for member in members if member is not type(None)]
    if len(rest) == len(members):
        return base, False
    return (rest[0] if len(rest) == 1 else typing.Union[tuple(rest)]), True  # noqa: UP007


def is_dataframe(base: Any) -> bool:
    """True for the DataFrame class of pandas or polars, whether or not it is installed here."""
    module = getattr(base, "__module__", None)
    return getattr(base, "__name__", "") == "DataFrame" and str(module).split(".")[0] in ("pandas", "polars")


def is_model(base: Any) -> bool:
    """True for a Pydantic model class."""
    return isinstance(base, type) and hasattr(base, "model_fields") and hasattr(base, "model_validate")


def fields(base: Any) -> tuple[Field, ...] | None:
    """The members of a dataclass, TypedDict or model; None for any other type.

    Raises:
        UnreadableType: An annotation in it names something unknown.
    """
    base = typing.get_origin(base) or base
    if not isinstance(base, type) or issubclass(base, Ref):
        return None
    if is_model(base):
        described = typing.cast("Any", base).model_fields
        return tuple(Field(name, info.annotation, info.is_required()) for name, info in described.items())
    if dataclasses.is_dataclass(base):
        hints = type_hints(base)
        return tuple(
            Field(item.name, hints[item.name], item.default is item.default_factory is dataclasses.MISSING)
            for item in dataclasses.fields(base)
            if item.init
        )
    if typing.is_typeddict(base):
        return tuple(Field(name, hint, _is_required(base, name, hint)) for name, hint in type_hints(base).items())
    return None


def _is_required(base: Any, name: str, hint: Any) -> bool:
    """Whether a TypedDict asks for the key; the class itself does not know where annotations are kept as text."""
    qualifier = typing.get_origin(hint)
    if qualifier in (typing.Required, typing.NotRequired):
        return qualifier is typing.Required
    return name in base.__required_keys__


def type_hints(owner: Any) -> dict[str, Any]:
    """The resolved annotations of a function or class.

    Raises:
        UnreadableType: One of them names something that cannot be found when the code runs.
    """
    try:
        return typing.get_type_hints(owner, include_extras=True)
    except NameError as error:
        name = getattr(owner, "__qualname__", str(owner))
        raise UnreadableType(
            f'an annotation of "{name}" names "{error.name}", which is not defined when the code runs; '
            "import it outside `if TYPE_CHECKING`"
        ) from error
    except (TypeError, AttributeError, SyntaxError) as error:
        name = getattr(owner, "__qualname__", str(owner))
        raise UnreadableType(f'the annotations of "{name}" cannot be read: {error}') from error


def describe(annotation: Any) -> dict[str, Any]:
    """Type metadata ``{"type", "type_args", "optional"}``, with ``values`` for a choice.

    Raises:
        UnreadableType: No widget can fill such a value.
    """
    base, optional = without_none(peel(annotation)[0])
    if optional:
        return {**describe(base), "optional": True}
    members = union_members(base)
    if members is not None:
        return _meta("union", [describe(member) for member in members])
    origin = typing.get_origin(base)
    arguments = [argument for argument in typing.get_args(base) if argument is not Ellipsis]
    if origin is typing.Literal:
        return _choice([value.value if isinstance(value, Enum) else value for value in arguments])
    if (origin or base) in LISTS:
        same = len({str(argument) for argument in arguments}) == 1
        return _meta("list", [describe(arguments[0])] if same else [])
    if (origin or base) in MAPPINGS:
        return _meta("dict", [describe(argument) for argument in arguments])
    return _plain(base)


def _plain(base: Any) -> dict[str, Any]:
    if not isinstance(base, collections.abc.Hashable):
        raise UnreadableType(f'"{base!r}" is no type')
    if is_anything(base):
        return _meta("any")
    if base is None or base is type(None):
        return {**_meta("none"), "optional": True}
    if base in SCALARS:
        return _meta(SCALARS[base])
    if is_dataframe(base):
        return _meta("dataframe")
    if isinstance(base, type):
        if issubclass(base, Enum):
            return _choice(choices(base))
        if issubclass(base, Ref):
            return _meta(base.kind)
        if issubclass(base, PurePath):
            return _meta("path")
    if fields(base) is not None:
        return {**_meta("dict"), "type_name": (typing.get_origin(base) or base).__name__}
    name = getattr(base, "__qualname__", None) or str(base)
    raise UnreadableType(
        f'the type "{name}" cannot come from an app; use text, numbers, lists, dicts, dates, a dataclass, '
        "a TypedDict, a Pydantic model, or Image, Audio, Video, Document or File"
    )


def type_name(meta: Mapping[str, Any]) -> str:
    """The metadata as one name, such as ``list[str]``."""
    arguments = meta["type_args"]
    if not arguments:
        return meta["type"]
    return f"{meta['type']}[{', '.join(type_name(argument) for argument in arguments)}]"


def choices(base: type[Enum]) -> list[Any]:
    """The values of an enumeration as an app knows them; the names where a value is no JSON scalar."""
    members = list(base)
    plain = all(isinstance(member.value, (str, int, float)) for member in members)
    return [member.value if plain else member.name for member in members]


def constraints(annotation: Any) -> Constraints:
    """Bounds, options and texts from the metadata of an `Annotated`.

    Understood are a text (description), a mapping with min, max, max_length, options, title, description and multiline,
    a `Literal` or a list (options), a range (bounds), and the marks of annotated-types and Pydantic's `Field`. What stands
    at the only member of an optional type counts as well.

    Raises:
        UnreadableType: A mapping has an unknown key, or a value that the key does not take.
    """
    bare, outer = peel(annotation)
    base, metadata = peel(without_none(bare)[0])
    result = Constraints()
    whole = base is int
    for item in (*metadata, *outer):
        _constrain(result, item, whole)
    if result.options is None:
        result.options = describe_options(base)
    return result


def describe_options(base: Any) -> list[Any] | None:
    """The options that the type itself allows; for a list, those of its items."""
    meta = describe(base)
    if meta["type"] == "list" and meta["type_args"]:
        meta = meta["type_args"][0]
    return meta.get("values")


_NUMBER: tuple[tuple[type, ...], str] = ((int, float), "a number")
_TEXT: tuple[tuple[type, ...], str] = ((str,), "a text")
_KEYS: dict[str, tuple[str, tuple[type, ...], str]] = {
    "min": ("minimum", *_NUMBER),
    "minimum": ("minimum", *_NUMBER),
    "max": ("maximum", *_NUMBER),
    "maximum": ("maximum", *_NUMBER),
    "max_length": ("max_length", (int,), "a whole number"),
    "options": ("options", (list, tuple, set, frozenset, range), "a list"),
    "title": ("title", *_TEXT),
    "label": ("title", *_TEXT),
    "description": ("description", *_TEXT),
    "multiline": ("multiline", (bool,), "True or False"),
}
"""What a mapping may say: the constraint that it sets, the classes of its values, and their name."""


def _constrain(result: Constraints, item: Any, whole: bool) -> None:
    if isinstance(item, str):
        result.description = item
    elif isinstance(item, Mapping):
        _constrain_by_keys(result, item)
    elif typing.get_origin(item) is typing.Literal:
        result.options = list(typing.get_args(item))
    elif isinstance(item, range):
        if item:
            result.minimum, result.maximum = min(item), max(item)
    elif isinstance(item, (list, tuple)):
        result.options = list(item)
    else:
        _constrain_by_marks(result, item, whole)


def _constrain_by_keys(result: Constraints, item: Mapping[Any, Any]) -> None:
    for key, value in item.items():
        if key not in _KEYS:
            raise UnreadableType(f'its metadata has the unknown key "{key}"; known are {", ".join(_KEYS)}')
        name, classes, expected = _KEYS[key]
        # None says nothing; a bool is an int to Python, and no number to a person.
        if value is None:
            continue
        if not isinstance(value, classes) or (isinstance(value, bool) and bool not in classes) or value != value:
            raise UnreadableType(f'"{key}" in its metadata is {value!r}, expected {expected}')
        setattr(result, name, [*typing.cast("Any", value)] if name == "options" else value)


def _constrain_by_marks(result: Constraints, item: Any, whole: bool) -> None:
    """The marks of annotated-types (``Ge(1)``, ``Interval``, ``MaxLen``), Pydantic's FieldInfo and PEP 727's Doc."""
    for mark in (item, *_marks(item)):
        for name, attribute, step in (
            ("ge", "minimum", 0),
            ("gt", "minimum", 1),
            ("le", "maximum", 0),
            ("lt", "maximum", -1),
        ):
            bound = getattr(mark, name, None)
            if isinstance(bound, (int, float)):
                setattr(result, attribute, bound + step if whole else bound)
        length = getattr(mark, "max_length", None)
        if isinstance(length, int):
            result.max_length = length
    for name, attribute in (("title", "title"), ("description", "description"), ("documentation", "description")):
        text = getattr(item, name, None)
        if isinstance(text, str):
            setattr(result, attribute, text)


def _marks(item: Any) -> tuple[Any, ...]:
    marks = getattr(item, "metadata", None)
    return tuple(marks) if isinstance(marks, (list, tuple)) else ()


def _meta(name: str, arguments: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {"type": name, "type_args": arguments or [], "optional": False}


def _choice(values: list[Any]) -> dict[str, Any]:
    known = [value for value in values if value is not None]
    return {**_meta("enum"), "optional": len(known) < len(values), "values": known}
