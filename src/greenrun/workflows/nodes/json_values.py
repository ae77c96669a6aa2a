"""JSON text and parts of JSON values (``greenrun.json.*``)."""

from __future__ import annotations

import json
import re
from typing import Any, Final, TypeAlias

from greenrun.document.errors import GreenrunError, JsonReadError
from greenrun.document.json_text import canonical_json, pretty_json, read_json
from greenrun.document.values import is_record
from greenrun.workflows.node import Node, NodeError, node_type
from greenrun.workflows.ports import Anything, Flag, RequiredText, Text, kind_of

Step: TypeAlias = str | int

EVERY: Final = "*"

_MAX_DIGITS: Final = 18
"""Of a place in a list; Python makes no number of thousands of digits."""

_STEP: Final = re.compile(r"""\.?([^.\[\]"]+)|\[(-?\d{1,18}|\*)\]|\[("(?:[^"\\]|\\.)*")\]""")


def read_value(text: str, source: str = "the text") -> Any:
    """The value of a JSON text.

    Raises:
        NodeError: It is none; the text says where, with line and column.
    """
    try:
        return read_json(text, source=source).value
    except JsonReadError as error:
        raise NodeError(str(error)) from None


def path_steps(path: str) -> list[Step]:
    """The steps of a path such as ``$.items[0].name`` or ``items[*]["a.b"]``.

    Raises:
        NodeError: It is no path.
    """
    text = path.strip().removeprefix("$")
    steps: list[Step] = []
    position = 0
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None:
            raise NodeError(f'"{path[:80]}" is no path at character {position + 1}; write it as items[0].name')
        position = match.end()
        name, place, quoted = match.groups()
        steps.append(
            name if name is not None else _quoted(quoted, path) if quoted else EVERY if place == "*" else int(place)
        )
    return steps


def _quoted(text: str, path: str) -> str:
    try:
        return json.loads(text)
    except ValueError:
        raise NodeError(f'"{path}" is no path: {text} is no quoted key') from None


def parts_at(value: Any, steps: list[Step]) -> list[Any]:
    """What stands at a path: one value or none, any number where it has a ``*``."""
    found = [value]
    for step in steps:
        found = [member for part in found for member in _members(part, step)]
    return found


def _members(value: Any, step: Step) -> list[Any]:
    if step == EVERY:
        return list(value.values()) if is_record(value) else list(value) if isinstance(value, list) else []
    if is_record(value):
        return [value[str(step)]] if str(step) in value else []
    if isinstance(value, list):
        place = _place(step)
        return [value[place]] if place is not None and -len(value) <= place < len(value) else []
    return []


def _place(step: Step) -> int | None:
    """``items.0`` means the same as ``items[0]``."""
    if isinstance(step, int):
        return step
    return int(step) if step.isascii() and step.isdecimal() and len(step) <= _MAX_DIGITS else None


@node_type("greenrun.json.Parse")
def parse(text: Text = "") -> Any:
    """The value that a JSON text stands for."""
    return read_value(text)


@node_type("greenrun.json.Stringify")
def stringify(value: Anything = None, pretty: Flag = False, sort_keys: Flag = False) -> str:
    """A value as JSON text; `pretty` puts every member on its own line."""
    try:
        # The writers of documents refuse what is no JSON value, and write numbers as everywhere else.
        plain = json.loads(canonical_json(value) if sort_keys else pretty_json(value))
        if pretty:
            return pretty_json(plain).removesuffix("\n")
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    except GreenrunError as error:
        raise NodeError(str(error)) from None


@node_type("greenrun.json.Get")
def get(value: Anything = None, path: Text = "", default: Anything = None) -> Any:
    """The part of a value at a path such as ``items[0].name``, or the default; ``*`` gives the list of all that match."""
    steps = path_steps(path)
    found = parts_at(value, steps)
    return found if EVERY in steps else found[0] if found else default


@node_type("greenrun.json.Set")
def set_part(value: Anything = None, path: RequiredText = "", part: Anything = None) -> Any:
    """The value with one part replaced or added; records on the way are made, a list grows by one at its end."""
    steps = path_steps(path)
    if not steps or EVERY in steps:
        raise NodeError(f'the path "{path}" names no single part; write it as items[0].name')
    root: list[Any] = [value]
    holder: Any = root
    key: Step = 0
    for step in steps:
        inner = holder[key]
        if inner is None:
            inner = {} if isinstance(step, str) else []
        inner = dict(inner) if is_record(inner) else list(inner) if isinstance(inner, list) else inner
        holder[key] = inner
        holder, key = inner, _made(inner, step, path)
    holder[key] = part
    return root[0]


def _made(holder: Any, step: Step, path: str) -> Step:
    """The key of a step in a record or list, where a new member stands as null until it gets its value."""
    if is_record(holder):
        return _with_member(holder, str(step))
    if not isinstance(holder, list):
        raise NodeError(f'the path "{path}" goes into {kind_of(holder)}; only records and lists have parts')
    place = _place(step)
    if place is None or not -len(holder) <= place <= len(holder):
        raise NodeError(f'the path "{path[:80]}" asks for "{str(step)[:40]}" of a list with {len(holder)} items')
    if place == len(holder):
        holder.append(None)
    return place


def _with_member(holder: dict[str, Any], key: str) -> str:
    holder.setdefault(key, None)
    return key


NODES: tuple[type[Node], ...] = (parse, stringify, get, set_part)
