"""Annotations for the fields of a node: what type a port has, and how lenient it is with what an edge brings.

Upstream assigns whatever arrives and coerces inside the node; these aliases coerce at the field instead, so that a
number into a text port is text and a single value into a list port is a list of one.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from pydantic import BeforeValidator

from greenrun.document.js import display_text, number_text, truthy
from greenrun.document.values import is_number
from greenrun.workflows.type_meta import TypeMeta, parse_type


@dataclass(frozen=True, init=False)
class PortType:
    """Marks a field: ``Annotated[Any, PortType("image")]``.

    `required` says that a run needs a value although the field has a default; `options` are the values to choose from.
    """

    type: TypeMeta
    required: bool
    options: tuple[Any, ...] | None = field(default=None)

    def __init__(self, type_text: str, *, required: bool = False, options: tuple[Any, ...] | None = None) -> None:
        object.__setattr__(self, "type", parse_type(type_text))
        object.__setattr__(self, "required", required)
        object.__setattr__(self, "options", options)

    def __hash__(self) -> int:
        return hash((self.type["type"], self.required))


_KINDS: Final[dict[type, str]] = {
    bool: "a boolean",
    dict: "a record",
    float: "a number",
    int: "a number",
    list: "a list",
    str: "a text",
    type(None): "null",
}


def kind_of(value: Any) -> str:
    """What a value is, for messages: "a list", "a number"."""
    return _KINDS.get(type(value), f"a {type(value).__name__}")


def to_plain_text(value: Any) -> str:
    """Text of a value for a text port: "" for null, the content of a chunk, JSON for records and lists with records."""
    if isinstance(value, dict) and value.get("type") == "chunk" and isinstance(value.get("content"), str):
        return value["content"]
    if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict) for item in value)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return display_text(value)


def to_finite_number(value: Any) -> int | float:
    """A number from a number, a boolean or a numeric text.

    Raises:
        ValueError: Anything else, NaN and infinities included.
    """
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        try:
            value = int(value)
        except ValueError:
            try:
                value = float(value)
            except ValueError:
                raise ValueError(f'"{value[:40]}" is not a number') from None
    if not is_number(value):
        raise ValueError(f"{kind_of(value)} is not a number")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{number_text(value)} is not a finite number")
    return value


def to_whole_number(value: Any) -> int:
    """As `to_finite_number`, truncated towards zero."""
    return int(to_finite_number(value))


def to_items(value: Any) -> list[Any]:
    """A list as it is, null as the empty list, anything else as a list of one."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def to_record(value: Any) -> dict[str, Any]:
    """A record as it is, null as the empty record.

    Raises:
        ValueError: Anything else.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"{kind_of(value)} is not a record")
    return value


Text = Annotated[str, PortType("str"), BeforeValidator(to_plain_text)]
RequiredText = Annotated[str, PortType("str", required=True), BeforeValidator(to_plain_text)]
Whole = Annotated[int, PortType("int"), BeforeValidator(to_whole_number)]
Number = Annotated[int | float, PortType("float"), BeforeValidator(to_finite_number)]
Flag = Annotated[bool, PortType("bool"), BeforeValidator(truthy)]
Items = Annotated[list[Any], PortType("list[any]"), BeforeValidator(to_items)]
TextItems = Annotated[list[Any], PortType("list[str]"), BeforeValidator(to_items)]
Record = Annotated[dict[str, Any], PortType("dict"), BeforeValidator(to_record)]
Anything = Annotated[Any, PortType("any")]
Table = Annotated[Any, PortType("dataframe")]

NO_ITEMS: Final[list[Any]] = []
NO_MEMBERS: Final[dict[str, Any]] = {}
"""Defaults of list and record ports; Pydantic gives every node a copy of its own."""
