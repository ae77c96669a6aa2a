"""JSON as text: reading untrusted input, the canonical form that ids are made of, and the form that people read.

What `read_json` accepts, `canonical_json` and `pretty_json` write: no deeper than `MAX_DEPTH`, every number finite.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from json.encoder import encode_basestring
from typing import Any, Final, TypeAlias, TypeGuard

from greenrun.document.errors import JsonReadError, JsonWriteError
from greenrun.document.js import as_double, is_list, number_text, ordered_items
from greenrun.document.values import ABSENT, JsonValue, Value, is_record

MAX_DEPTH: Final = 200
MAX_BYTES: Final = 32 * 1024 * 1024
MAX_DUPLICATES: Final = 100

# No double has more digits before the point; a longer integer is refused before it is converted.
_MAX_INTEGER_DIGITS: Final = 309
_EXCERPT: Final = 24
_MAX_SHOWN_KEY: Final = 80
_PLAIN_KEY: Final = re.compile(r"[A-Za-z_$][\w$-]*")
_TOKEN: Final = re.compile(
    r'"[^"\\]*(?:\\.[^"\\]*)*"|NaN|-?Infinity|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?'
    r"|(?P<open>[\[{])|(?P<close>[\]}])",
    re.DOTALL,
)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_REASONS: Final = (
    ("Expecting value", "a value is missing"),
    ("Expecting property name", "a key in double quotes is missing"),
    ("Expecting ':'", "a colon is missing"),
    ("Expecting ','", "a comma or a closing bracket is missing"),
    ("Illegal trailing comma", "there is a comma before a closing bracket"),
    ("Extra data", "there is more after the end of the value"),
    ("Unterminated string", "a text is not closed"),
    ("Invalid control character", "a text contains a raw control character"),
    ("Invalid \\", "a text contains an unknown escape"),
)

# A place in a value: the place of its parent and the last step. Texts are made for reported places only, because a long
# key above many others would be copied for each of them.
_Path: TypeAlias = "tuple[_Path, str | int] | None"


@dataclass(frozen=True, slots=True)
class JsonRead:
    """What was read.

    `duplicate_keys` are the paths of the keys that stood more than once (``ui.content[0].id``), the first
    `MAX_DUPLICATES` of them.
    """

    value: JsonValue
    duplicate_keys: tuple[str, ...] = ()


def read_json(
    data: bytes | bytearray | str, *, source: str = "input", max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH
) -> JsonRead:
    """Read JSON from untrusted bytes (UTF-8, UTF-16 or UTF-32, with or without a byte order mark) or text.

    Of a repeated key the last value counts, as in JavaScript, and its path is reported. Integers stay exact. `source`
    names the input in messages. Raises `JsonReadError` for everything else, with line and column.
    """
    _check_size(data, source, max_bytes)
    text = data if isinstance(data, str) else _decode(data, source)
    text = text.removeprefix("\ufeff")
    if not text.strip(" \t\r\n"):
        raise JsonReadError(f"{source} is empty; it must contain JSON.")
    duplicates: list[tuple[dict[str, Any], list[str]]] = []
    value = _parse(text, source, max_depth, duplicates)
    if _is_deeper(value, max_depth):
        raise _too_deep(text, source, max_depth)
    return JsonRead(value, _duplicate_paths(value, duplicates))


def is_too_deep(value: JsonValue, max_depth: int = MAX_DEPTH) -> bool:
    """Whether a value that did not come from a text is nested more deeply than any text may be."""
    return _is_deeper(value, max_depth)


def canonical_json(value: Value, max_depth: int = MAX_DEPTH) -> str:
    """The one text of a value, from which ids are made: sorted keys, no spaces, ASCII, integral floats as integers.

    Integers are exact, a lone surrogate is escaped like any other character, NaN and infinities are null, absent
    members are left out and an absent item is null. Raises `JsonWriteError` for what is no JSON value or deeper than
    `max_depth`.
    """
    plain = _plain(value, max_depth)
    return _guarded(lambda: json.dumps(plain, sort_keys=True, separators=(",", ":"), check_circular=False))


def pretty_json(value: Value) -> str:
    """JSON for people and files, ending in one newline (spec: app-runtime 19.6).

    Keys in JavaScript order, non-ASCII kept, numbers as JavaScript writes them except that integers stay exact. Raises
    `JsonWriteError` for what is no JSON value or deeper than `MAX_DEPTH`.
    """
    text = _guarded(lambda: _pretty(value, 0))
    if _SURROGATE.search(text):
        # Two halves that stand side by side are one character; what is left then is lone.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        text = _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return text + "\n"


class _Refused(Exception):
    """A literal that the JSON grammar of Python's parser takes and this reader does not."""

    def __init__(self, literal: str) -> None:
        super().__init__(literal)
        self.literal = literal


def _check_size(data: bytes | bytearray | str, source: str, max_bytes: int) -> None:
    size = len(data)
    if isinstance(data, str) and size <= max_bytes and not data.isascii():
        size = len(data.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise JsonReadError(f"{source} is too large: {size:,} bytes, and at most {max_bytes:,} are read.")


def _decode(data: bytes | bytearray, source: str) -> str:
    data = data.removeprefix(codecs.BOM_UTF8)
    encoding = json.detect_encoding(data)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(encoding)
        line, column = _position(before, len(before))
        message = f"{source} is not valid {encoding.upper()} at line {line}, column {column}. Save it as UTF-8."
        raise JsonReadError(message, line, column) from error


def _parse(text: str, source: str, max_depth: int, duplicates: list[tuple[dict[str, Any], list[str]]]) -> JsonValue:
    def record(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            duplicates.append((members, _repeated(key for key, _ in pairs)))
        return members

    try:
        return json.loads(
            text, object_pairs_hook=record, parse_constant=_refuse, parse_float=_finite, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        raise _not_json(text, source, error) from error
    except _Refused as error:
        raise _refused(text, source, error.literal) from error
    except RecursionError as error:
        raise _too_deep(text, source, max_depth) from error


def _refuse(literal: str) -> float:
    raise _Refused(literal)


def _finite(literal: str) -> float:
    number = float(literal)
    if math.isinf(number):
        raise _Refused(literal)
    return number


def _integer(literal: str) -> int:
    if len(literal) > _MAX_INTEGER_DIGITS + 1 or math.isinf(as_double(number := int(literal))):
        raise _Refused(literal)
    return number


def _repeated(keys: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    repeated: dict[str, None] = {}
    for key in keys:
        if key in seen:
            repeated[key] = None
        seen.add(key)
    return list(repeated)


def _not_json(text: str, source: str, error: json.JSONDecodeError) -> JsonReadError:
    reason = next((ours for theirs, ours in _REASONS if error.msg.startswith(theirs)), error.msg)
    line, column = _position(text, error.pos)
    rest = text[error.pos : error.pos + _EXCERPT].partition("\n")[0].strip()
    found = f", found `{rest}`" if rest else ""
    return JsonReadError(f"{source} is not valid JSON: {reason} at line {line}, column {column}{found}.", line, column)


def _refused(text: str, source: str, literal: str) -> JsonReadError:
    at = next(match.start() for match in _TOKEN.finditer(text) if match[0] == literal)
    line, column = _position(text, at)
    shown = literal if len(literal) <= _EXCERPT else f"{literal[:_EXCERPT]}…"
    reason = "too large a number" if literal[-1].isdigit() else "no JSON value; use null"
    message = f"{source} is not valid JSON: {shown} at line {line}, column {column} is {reason}."
    return JsonReadError(message, line, column)


def _too_deep(text: str, source: str, max_depth: int) -> JsonReadError:
    line, column = _position(text, _first_deeper(text, max_depth))
    message = f"{source} is nested too deeply at line {line}, column {column}; at most {max_depth} levels are read."
    return JsonReadError(message, line, column)


def _first_deeper(text: str, max_depth: int) -> int:
    """Where nesting first exceeds the limit (the start of the text when it does not)."""
    depth = 0
    for match in _TOKEN.finditer(text):
        if match["open"]:
            depth += 1
            if depth > max_depth:
                return match.start()
        elif match["close"]:
            depth -= 1
    return 0


def _position(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _children(value: JsonValue) -> Iterable[JsonValue]:
    return value.values() if is_record(value) else value


def _is_deeper(value: JsonValue, limit: int) -> bool:
    level: list[JsonValue] = [value] if isinstance(value, (dict, list)) else []
    for _ in range(limit):
        level = [child for parent in level for child in _children(parent) if isinstance(child, (dict, list))]
        if not level:
            return False
    return bool(level)


def _duplicate_paths(value: JsonValue, duplicates: list[tuple[dict[str, Any], list[str]]]) -> tuple[str, ...]:
    """Paths of repeated keys in document order, without those inside a value that a later one replaced."""
    if not duplicates:
        return ()
    repeated = {id(members): keys for members, keys in duplicates}
    found = ((path, key) for path, members in _records(value) for key in repeated.get(id(members), ()))
    return tuple(_path_text((path, key)) for path, key in islice(found, MAX_DUPLICATES))


def _records(value: JsonValue) -> Iterator[tuple[_Path, dict[str, Any]]]:
    stack: list[tuple[_Path, JsonValue]] = [(None, value)]
    while stack:
        path, item = stack.pop()
        if is_record(item):
            yield path, item
            stack.extend(((path, key), item[key]) for key in reversed(item))
        elif is_list(item):
            stack.extend(((path, index), item[index]) for index in reversed(range(len(item))))


def _path_text(path: _Path) -> str:
    steps: list[str | int] = []
    while path is not None:
        path, step = path
        steps.append(step)
    return "".join(_step_text(step) for step in reversed(steps)).removeprefix(".")


def _step_text(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    shown = step if len(step) <= _MAX_SHOWN_KEY else f"{step[:_MAX_SHOWN_KEY]}…"
    return f".{shown}" if _PLAIN_KEY.fullmatch(shown) else f"[{json.dumps(shown, ensure_ascii=False)}]"


def _guarded(write: Callable[[], str]) -> str:
    try:
        return write()
    except (TypeError, ValueError) as error:
        raise JsonWriteError(f"The value cannot be written as JSON: {error}.") from error


def _plain(value: Value, max_depth: int) -> JsonValue:
    """A copy ready for Python's writer: no absent members, canonical numbers, string keys, bounded depth."""
    root: list[Any] = [value]
    stack: list[tuple[Any, int]] = [(root, 0)]
    while stack:
        container, depth = stack.pop()
        if depth > max_depth:
            raise _unwritable_depth()
        for key, item in _entries(container):
            if isinstance(item, (str, int)):
                continue
            if isinstance(item, float):
                container[key] = _canonical_float(item)
            elif item is ABSENT:
                container[key] = None
            elif is_record(item):
                container[key] = copy = dict(_members(item))
                stack.append((copy, depth + 1))
            elif _is_sequence(item):
                container[key] = copy = list(item)
                stack.append((copy, depth + 1))
    return root[0]


def _entries(container: JsonValue) -> Iterable[tuple[Any, Value]]:
    if is_record(container):
        return container.items()
    items: list[Any] = container
    return enumerate(items)


def _is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    # Tuples come from user code.
    return isinstance(value, (list, tuple))


def _members(record: Mapping[Any, Any]) -> Iterator[tuple[str, JsonValue]]:
    for key, member in record.items():
        if not isinstance(key, str):
            raise JsonWriteError(f'The value cannot be written as JSON: the key "{key}" is no text.')
        if member is not ABSENT:
            yield key, member


def _canonical_float(number: float) -> int | float | None:
    if not math.isfinite(number):
        return None
    # The shortest digits, as every file has them: a value must keep its id when it is saved and loaded.
    return int(Decimal(repr(number))) if number.is_integer() else number


def _unwritable_depth() -> JsonWriteError:
    return JsonWriteError(f"The value is nested too deeply to be written as JSON: more than {MAX_DEPTH} levels.")


def _pretty(value: Value, depth: int) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if value is ABSENT:
        return "null"
    if isinstance(value, float):
        return number_text(value) if math.isfinite(value) else "null"
    if depth == MAX_DEPTH:
        raise _unwritable_depth()
    margin = "  " * (depth + 1)
    if is_record(value):
        members = [
            f"{margin}{encode_basestring(key)}: {_pretty(member, depth + 1)}"
            for key, member in ordered_items(dict(_members(value)))
        ]
        return _block("{", members, "}", depth)
    if _is_sequence(value):
        return _block("[", [f"{margin}{_pretty(item, depth + 1)}" for item in value], "]", depth)
    return json.dumps(value)


def _block(opening: str, members: list[str], closing: str, depth: int) -> str:
    if not members:
        return opening + closing
    return "\n".join([opening, ",\n".join(members), "  " * depth + closing])
