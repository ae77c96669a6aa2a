"""The old text types, each under its old name (spec: nodes B3). All take `text` unless they say otherwise."""

from __future__ import annotations

import json
import re
import string
import unicodedata
from collections.abc import Iterable
from typing import Annotated, Any

from greenrun.document.js import utf16_length
from greenrun.workflows.node import Node, NodeError, node_type
from greenrun.workflows.patterns import Match, Pattern, PatternError, PatternSyntaxError, compiled, matched
from greenrun.workflows.ports import NO_ITEMS, Anything, Flag, PortType, Text, TextItems, Whole, to_plain_text

MAX_PADDING = 100_000

Direction = Annotated[Text, PortType("enum", options=("left", "right", "both"))]
Measure = Annotated[Text, PortType("enum", options=("characters", "words", "lines"))]
MatchMode = Annotated[Text, PortType("enum", options=("any", "all", "none"))]
TextMode = Annotated[Text, PortType("enum", options=("str", "repr"))]


def _pattern(regex: str, **flags: bool) -> Pattern:
    try:
        return compiled(regex, **flags)
    except PatternError as error:
        raise NodeError(f'"{regex[:80]}" is not a regular expression: {error}') from None


def _group_or_all(match: Match) -> str | list[str]:
    groups = ["" if group is None else group for group in match.groups()]
    return match[0] if not groups else groups[0] if len(groups) == 1 else groups


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NodeError(f"the text is not JSON: {error}") from None


def _unset(number: int) -> int | None:
    """0 stands for "not set" in the old types."""
    return number or None


@node_type("nodetool.text.Split")
def split(text: Text = "", delimiter: Text = ",") -> list[str]:
    """Splits a text at a delimiter; without one, into characters."""
    return text.split(delimiter) if delimiter else list(text)


@node_type("nodetool.text.Extract")
def extract(text: Text = "", start: Whole = 0, end: Whole = 0) -> str:
    """The part of a text between two positions; end 0 is the end of the text."""
    return text[start : _unset(end)]


@node_type("nodetool.text.Chunk")
def chunk(text: Text = "", length: Whole = 100, overlap: Whole = 0, separator: Text = " ") -> list[str]:
    """Splits a text into pieces of a number of parts, each sharing some with the one before."""
    if length <= 0 or not 0 <= overlap < length:
        raise NodeError("length must be positive, and overlap smaller than length")
    parts = text.split(separator) if separator else list(text)
    return [separator.join(parts[start : start + length]) for start in range(0, len(parts), length - overlap)]


@node_type("nodetool.text.ExtractRegex")
async def extract_regex(
    text: Text = "", regex: Text = "", dotall: Flag = False, ignorecase: Flag = False, multiline: Flag = False
) -> list[str]:
    """The groups of the first match of a regular expression, or the whole match where it has none."""
    pattern = _pattern(regex, dotall=dotall, ignorecase=ignorecase, multiline=multiline)
    match = await matched(lambda **limits: pattern.search(text, **limits))
    if match is None:
        return []
    found = _group_or_all(match)
    return found if isinstance(found, list) else [found]


@node_type("nodetool.text.FindAllRegex", output="list[any]")
async def find_all_regex(
    text: Text = "", regex: Text = "", dotall: Flag = False, ignorecase: Flag = False, multiline: Flag = False
) -> list[Any]:
    """All matches of a regular expression."""
    pattern = _pattern(regex, dotall=dotall, ignorecase=ignorecase, multiline=multiline)
    return await matched(lambda **limits: [_group_or_all(match) for match in pattern.finditer(text, **limits)])


@node_type("nodetool.text.ParseJSON")
def parse_json(text: Text = "") -> Any:
    """The value that a JSON text stands for."""
    return _json(text)


_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+|\*)\]")


@node_type("nodetool.text.ExtractJSON")
def extract_json(text: Text = "", json_path: Text = "$.*") -> Any:
    """The part of a JSON text at a path such as ``$.items[0].name``; ``*`` stands for every member."""
    found = [_json(text)]
    many = False
    for step in _STEP.finditer(json_path.strip().removeprefix("$")):
        key = step[1] or step[2]
        many = many or key == "*"
        found = [member for value in found for member in _members(value, key)]
    return found if many else next(iter(found), None)


def _members(value: Any, key: str) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values() if key == "*" else [value[key]] if key in value else []
    if isinstance(value, list):
        return value if key == "*" else [value[int(key)]] if key.isdecimal() and int(key) < len(value) else []
    return []


@node_type("nodetool.text.RegexMatch", output="str")
async def regex_match(text: Text = "", pattern: Text = "", group: Whole = 0) -> str | None:
    """The first match of a regular expression, or one group of it; null without a match."""
    ready = _pattern(pattern)
    if not 0 <= group <= ready.groups:
        raise NodeError(f"the pattern has {ready.groups} groups, there is no group {group}")
    match = await matched(lambda **limits: ready.search(text, **limits))
    return None if match is None else match[group]


@node_type("nodetool.text.RegexReplace")
async def regex_replace(text: Text = "", pattern: Text = "", replacement: Text = "", count: Whole = 0) -> str:
    """The text with matches replaced; count 0 replaces all."""
    ready = _pattern(pattern)
    try:
        return await matched(lambda **limits: ready.sub(replacement, text, max(count, 0), **limits))
    except (PatternSyntaxError, IndexError) as error:
        raise NodeError(f'"{replacement[:80]}" is not a replacement: {error}') from None


@node_type("nodetool.text.RegexSplit")
async def regex_split(text: Text = "", pattern: Text = "", maxsplit: Whole = 0) -> list[str]:
    """Splits a text at matches; maxsplit 0 splits at all."""
    ready = _pattern(pattern)
    parts = await matched(lambda **limits: ready.split(text, max(maxsplit, 0), **limits))
    return ["" if part is None else part for part in parts]


@node_type("nodetool.text.RegexValidate")
async def regex_validate(text: Text = "", pattern: Text = "") -> bool:
    """True when the text begins with a match of the regular expression."""
    ready = _pattern(pattern)
    return await matched(lambda **limits: ready.match(text, **limits)) is not None


@node_type("nodetool.text.Compare")
def compare(text_a: Text = "", text_b: Text = "", case_sensitive: Flag = True) -> str:
    """``less``, ``equal`` or ``greater``."""
    left, right = (text_a, text_b) if case_sensitive else (text_a.casefold(), text_b.casefold())
    return "equal" if left == right else "less" if left < right else "greater"


@node_type("nodetool.text.Equals")
def equals(text_a: Text = "", text_b: Text = "", case_sensitive: Flag = True) -> bool:
    """True when two texts are the same."""
    return text_a == text_b if case_sensitive else text_a.casefold() == text_b.casefold()


@node_type("nodetool.text.ToUppercase")
def to_uppercase(text: Text = "") -> str:
    """The text in capitals."""
    return text.upper()


@node_type("nodetool.text.ToLowercase")
def to_lowercase(text: Text = "") -> str:
    """The text in small letters."""
    return text.lower()


@node_type("nodetool.text.ToTitlecase")
def to_titlecase(text: Text = "") -> str:
    """Every word with a capital."""
    return re.sub(r"\S+", lambda word: word[0][:1].upper() + word[0][1:].lower(), text)


@node_type("nodetool.text.CapitalizeText")
def capitalize_text(text: Text = "") -> str:
    """The first letter a capital, the rest small."""
    return text[:1].upper() + text[1:].lower()


@node_type("nodetool.text.Slice")
def slice_text(text: Text = "", start: Whole = 0, stop: Whole = 0, step: Whole = 0) -> str:
    """A slice as Python has it; 0 stands for "not set"."""
    return text[_unset(start) : _unset(stop) : _unset(step)]


@node_type("nodetool.text.StartsWith")
def starts_with(text: Text = "", prefix: Text = "") -> bool:
    """True when the text starts with the prefix."""
    return text.startswith(prefix)


@node_type("nodetool.text.EndsWith")
def ends_with(text: Text = "", suffix: Text = "") -> bool:
    """True when the text ends with the suffix."""
    return text.endswith(suffix)


@node_type("nodetool.text.Contains")
def contains(
    text: Text = "",
    substring: Text = "",
    search_values: TextItems = NO_ITEMS,
    case_sensitive: Flag = True,
    match_mode: MatchMode = "any",
) -> bool:
    """True when any, all or none of the search values, or else the substring, occur in the text."""
    wanted = [to_plain_text(item) for item in search_values] or [substring]
    if not case_sensitive:
        text, wanted = text.casefold(), [item.casefold() for item in wanted]
    hits = [item in text for item in wanted]
    return {"all": all(hits), "none": not any(hits)}.get(match_mode, any(hits))


@node_type("nodetool.text.TrimWhitespace")
def trim_whitespace(text: Text = "", trim_start: Flag = True, trim_end: Flag = True) -> str:
    """The text without outer white space."""
    text = text.lstrip() if trim_start else text
    return text.rstrip() if trim_end else text


@node_type("nodetool.text.CollapseWhitespace")
def collapse_whitespace(
    text: Text = "", preserve_newlines: Flag = False, replacement: Text = " ", trim_edges: Flag = True
) -> str:
    """Every run of white space replaced by one replacement."""
    collapsed = re.sub(r"[^\S\n]+" if preserve_newlines else r"\s+", lambda _: replacement, text)
    return collapsed.strip() if trim_edges else collapsed


@node_type("nodetool.text.IsEmpty")
def is_empty(text: Text = "", trim_whitespace: Flag = True) -> bool:
    """True for a text without characters, or without any but white space."""
    return not (text.strip() if trim_whitespace else text)


@node_type("nodetool.text.RemovePunctuation")
def remove_punctuation(text: Text = "", replacement: Text = "", punctuation: Text = string.punctuation) -> str:
    """The text with punctuation removed or replaced."""
    return "".join(replacement if letter in punctuation else letter for letter in text)


@node_type("nodetool.text.StripAccents")
def strip_accents(text: Text = "", preserve_non_ascii: Flag = True) -> str:
    """Letters without their accents; without `preserve_non_ascii` what is then not ASCII is removed."""
    plain = "".join(mark for mark in unicodedata.normalize("NFD", text) if not unicodedata.combining(mark))
    return unicodedata.normalize("NFC", plain) if preserve_non_ascii else plain.encode("ascii", "ignore").decode()


@node_type("nodetool.text.Slugify")
def slugify(text: Text = "", separator: Text = "-", lowercase: Flag = True, allow_unicode: Flag = False) -> str:
    """Letters and digits joined by a separator, as for an address."""
    text = unicodedata.normalize("NFKC" if allow_unicode else "NFKD", text)
    if not allow_unicode:
        text = text.encode("ascii", "ignore").decode()
    words = re.findall(r"[^\W_]+", text.lower() if lowercase else text)
    return separator.join(words)


@node_type("nodetool.text.HasLength")
def has_length(text: Text = "", min_length: Whole = 0, max_length: Whole = 0, exact_length: Whole = 0) -> bool:
    """True when the number of characters is in the range; 0 stands for "not set"."""
    length = utf16_length(text)
    if exact_length:
        return length == exact_length
    return length >= min_length and (not max_length or length <= max_length)


@node_type("nodetool.text.TruncateText")
def truncate_text(text: Text = "", max_length: Whole = 100, ellipsis: Text = "") -> str:
    """The text cut to a length, the ellipsis included."""
    limit = max(max_length, 0)
    if len(text) <= limit:
        return text
    return text[: limit - len(ellipsis)] + ellipsis if 0 < len(ellipsis) <= limit else text[:limit]


@node_type("nodetool.text.PadText")
def pad_text(text: Text = "", length: Whole = 0, pad_character: Text = " ", direction: Direction = "right") -> str:
    """The text filled up to a length on the left, on the right or on both sides."""
    if len(pad_character) != 1:
        raise NodeError("pad_character must be one character")
    if length > MAX_PADDING:
        raise NodeError(f"length may be at most {MAX_PADDING}")
    missing = max(length - len(text), 0)
    left = {"left": missing, "both": missing // 2}.get(direction, 0)
    return pad_character * left + text + pad_character * (missing - left)


@node_type("nodetool.text.Length")
def length(text: Text = "", measure: Measure = "characters", trim_whitespace: Flag = False) -> int:
    """The number of characters, words or lines."""
    text = text.strip() if trim_whitespace else text
    return {"words": len(text.split()), "lines": len(text.splitlines())}.get(measure, utf16_length(text))


@node_type("nodetool.text.IndexOf")
def index_of(text: Text = "", substring: Text = "", start_index: Whole = 0, case_sensitive: Flag = True) -> int:
    """The position of the first occurrence, -1 without one."""
    if not case_sensitive:
        text, substring = text.casefold(), substring.casefold()
    return text.find(substring, max(start_index, 0))


@node_type("nodetool.text.SurroundWith")
def surround_with(text: Text = "", prefix: Text = "", suffix: Text = "", skip_if_wrapped: Flag = True) -> str:
    """The text between a prefix and a suffix, which are not added twice."""
    wrapped = bool(prefix and suffix) and text.startswith(prefix) and text.endswith(suffix)
    return text if wrapped and skip_if_wrapped and len(text) >= len(prefix + suffix) else f"{prefix}{text}{suffix}"


@node_type("nodetool.text.Replace")
def replace(text: Text = "", old: Text = "", new_value: Text = "") -> str:
    """Every occurrence of a text replaced by another one."""
    return text.replace(old, new_value) if old else text


@node_type("nodetool.text.ToString")
def to_string(value: Anything = None, mode: TextMode = "str") -> str:
    """The text of a value; `repr` writes it as JSON."""
    return json.dumps(value, ensure_ascii=False, default=str) if mode == "repr" else to_plain_text(value)


@node_type("nodetool.text.Join")
def join(strings: TextItems = NO_ITEMS, separator: Text = "") -> str:
    """The texts of a list, joined."""
    return separator.join(to_plain_text(item) for item in strings)


@node_type("nodetool.text.CountTokens")
def count_tokens(text: Text = "", encoding: Text = "cl100k_base") -> int:
    """An estimate of the tokens in a text: words in pieces of four characters, and every sign."""
    return sum(-(-len(piece) // 4) if piece.isalnum() else 1 for piece in re.findall(r"\w+|[^\w\s]", text))


@node_type("nodetool.text.FormatText", output="str")
def format_text(template: Text = "") -> str:
    """The old name of Prompt; a run rewrites it to that."""
    return template


format_text.dynamic_inputs = True
format_text.dynamic_outputs = True

NODES: tuple[type[Node], ...] = (
    split,
    extract,
    chunk,
    extract_regex,
    find_all_regex,
    parse_json,
    extract_json,
    regex_match,
    regex_replace,
    regex_split,
    regex_validate,
    compare,
    equals,
    to_uppercase,
    to_lowercase,
    to_titlecase,
    capitalize_text,
    slice_text,
    starts_with,
    ends_with,
    contains,
    trim_whitespace,
    collapse_whitespace,
    is_empty,
    remove_punctuation,
    strip_accents,
    slugify,
    has_length,
    truncate_text,
    pad_text,
    length,
    index_of,
    surround_with,
    replace,
    to_string,
    join,
    count_tokens,
    format_text,
)
