from __future__ import annotations

from typing import Any

import pytest
from firing import MemoryContext, fire, output, stream

from greenrun.workflows.node import NodeError
from greenrun.workflows.registry import builtin_types


@pytest.mark.case("NO-B1-3")
@pytest.mark.parametrize(("name", "expected"), [("Ada", "Hi Ada and Ada, {other}"), (None, "Hi  and , {other}")])
async def test_template_fills_both_kinds_of_placeholders(name: Any, expected: str) -> None:
    assert await output("Template", string="Hi {{ name }} and {name}, {other}", name=name) == expected


async def test_template_knows_no_filters_and_no_variables() -> None:
    context = MemoryContext({"b": ["B"]})
    record = await fire("Template", context, string="{{ a|upper }} {{ b }}", a="x")
    assert record == {"output": "{{ a|upper }} {{ b }}"}


async def test_prompt_hands_its_inputs_on_and_looks_up_variables() -> None:
    context = MemoryContext({"tone": ["dry", "warm"]})
    record = await fire("Prompt", context, prompt="{{ topic|upper }} {{ tone }} {{ who }}", topic="tea")
    assert record == {"output": "TEA dry {{ who }}", "topic": "tea"}


async def test_prompt_prefers_an_input_to_a_variable() -> None:
    context = MemoryContext({"topic": ["coffee"]})
    assert (await fire("Prompt", context, prompt="{{ topic }}", topic="tea"))["output"] == "tea"


@pytest.mark.case("NO-B1-6")
async def test_text_collect_sends_what_is_joined_so_far() -> None:
    context = await stream("nodetool.text.Collect", ["a", "b"], separator=",")
    assert context.sent() == ["a", "a,b"]


@pytest.mark.case("NO-B2-7")
async def test_concat_joins_inputs_and_spreads_lists() -> None:
    assert await output("text.Concat", a="a", b=["b", "c"]) == "abc"


@pytest.mark.case("NO-B2-7")
async def test_a_pattern_that_is_none_lets_nothing_through() -> None:
    assert await fire("FilterRegexString", value="a", pattern="(") == {}


async def test_regex_filter_searches_or_matches_the_whole_text() -> None:
    assert await fire("FilterRegexString", value="cab", pattern="a") == {"output": "cab"}
    assert await fire("FilterRegexString", value="cab", pattern="a", full_match=True) == {}


@pytest.mark.parametrize(
    ("kind", "criteria", "passes"),
    [
        ("contains", "ell", True),
        ("starts_with", "he", True),
        ("ends_with", "he", False),
        ("length_greater", "4", True),
        ("length_less", "5", False),
        ("exact_length", " 5 ", True),
        ("exact_length", "five", False),
        ("sounds_like", "hello", False),
    ],
)
async def test_string_filter_criteria(kind: str, criteria: str, passes: bool) -> None:
    record = await fire("FilterString", value="hello", filter_type=kind, criteria=criteria)
    assert record == ({"output": "hello"} if passes else {})


OLD: list[tuple[str, dict[str, Any], Any]] = [
    ("Split", {"text": "a,b"}, ["a", "b"]),
    ("Split", {"text": "ab", "delimiter": ""}, ["a", "b"]),
    ("Extract", {"text": "abcd", "start": 2, "end": 0}, "cd"),
    ("Extract", {"text": "abcd", "start": 1, "end": 2}, "b"),
    ("Chunk", {"text": "a b c d e", "length": 2}, ["a b", "c d", "e"]),
    ("Chunk", {"text": "a b c", "length": 2, "overlap": 1}, ["a b", "b c", "c"]),
    ("Chunk", {"text": "abc", "length": 2, "separator": ""}, ["ab", "c"]),
    ("ExtractRegex", {"text": "k=v", "regex": r"(\w)=(\w)"}, ["k", "v"]),
    ("ExtractRegex", {"text": "k=v", "regex": "V", "ignorecase": True}, ["v"]),
    ("ExtractRegex", {"text": "k", "regex": "x"}, []),
    ("FindAllRegex", {"text": "a1 b2", "regex": r"\w\d"}, ["a1", "b2"]),
    ("FindAllRegex", {"text": "a1 b2", "regex": r"(\w)(\d)"}, [["a", "1"], ["b", "2"]]),
    ("FindAllRegex", {"text": "a\nb", "regex": "^.", "multiline": True}, ["a", "b"]),
    ("FindAllRegex", {"text": "a\nb", "regex": "a.b", "dotall": True}, ["a\nb"]),
    ("FindAllRegex", {"text": "ab", "regex": "a(x)?b"}, [""]),
    ("ParseJSON", {"text": '{"a": [1]}'}, {"a": [1]}),
    ("ExtractJSON", {"text": '{"a": [{"b": 1}, {"b": 2}]}', "json_path": "$.a[1].b"}, 2),
    ("ExtractJSON", {"text": '{"a": [{"b": 1}, {"b": 2}]}', "json_path": "$.a[*].b"}, [1, 2]),
    ("ExtractJSON", {"text": '{"a": 1, "b": 2}'}, [1, 2]),
    ("ExtractJSON", {"text": '{"a": 1}', "json_path": "$.b.c"}, None),
    ("ExtractJSON", {"text": '{"a": [1]}', "json_path": "$.a[4]"}, None),
    ("ExtractJSON", {"text": '{"a": 1}', "json_path": "a.b"}, None),
    ("RegexMatch", {"text": "aabb", "pattern": "(a+)(b+)", "group": 2}, "bb"),
    ("RegexMatch", {"text": "aabb", "pattern": "x"}, None),
    ("RegexReplace", {"text": "a-b-c", "pattern": "-", "replacement": "+"}, "a+b+c"),
    ("RegexReplace", {"text": "a-b-c", "pattern": "-", "replacement": "+", "count": 1}, "a+b-c"),
    ("RegexSplit", {"text": "a1b2c", "pattern": r"\d"}, ["a", "b", "c"]),
    ("RegexSplit", {"text": "a1b2c", "pattern": r"\d", "maxsplit": 1}, ["a", "b2c"]),
    ("RegexValidate", {"text": "12a", "pattern": r"\d+"}, True),
    ("RegexValidate", {"text": "a12", "pattern": r"\d+"}, False),
    ("nodetool.text.Compare", {"text_a": "a", "text_b": "b"}, "less"),
    ("nodetool.text.Compare", {"text_a": "B", "text_b": "b", "case_sensitive": False}, "equal"),
    ("nodetool.text.Compare", {"text_a": "c", "text_b": "b"}, "greater"),
    ("Equals", {"text_a": "a", "text_b": "A"}, False),
    ("Equals", {"text_a": "a", "text_b": "A", "case_sensitive": False}, True),
    ("ToUppercase", {"text": "straße"}, "STRASSE"),
    ("ToLowercase", {"text": "AbC"}, "abc"),
    ("ToTitlecase", {"text": "it's a TEST"}, "It's A Test"),
    ("CapitalizeText", {"text": "hELLO you"}, "Hello you"),
    ("nodetool.text.Slice", {"text": "abcdef", "start": 1, "stop": 3}, "bc"),
    ("nodetool.text.Slice", {"text": "abcdef", "step": 2}, "ace"),
    ("nodetool.text.Slice", {"text": "abcdef", "start": -2}, "ef"),
    ("StartsWith", {"text": "abc", "prefix": "ab"}, True),
    ("EndsWith", {"text": "abc", "suffix": "ab"}, False),
    ("Contains", {"text": "abc", "search_values": ["x", "b"], "match_mode": "any"}, True),
    ("Contains", {"text": "abc", "search_values": ["x", "b"], "match_mode": "all"}, False),
    ("Contains", {"text": "abc", "search_values": ["x", "b"], "match_mode": "none"}, False),
    ("Contains", {"text": "abc", "substring": "B", "case_sensitive": False}, True),
    ("TrimWhitespace", {"text": " a "}, "a"),
    ("TrimWhitespace", {"text": " a ", "trim_end": False}, "a "),
    ("TrimWhitespace", {"text": " a ", "trim_start": False}, " a"),
    ("CollapseWhitespace", {"text": " a \n b "}, "a b"),
    ("CollapseWhitespace", {"text": "a  \nb", "preserve_newlines": True}, "a \nb"),
    ("CollapseWhitespace", {"text": " a", "replacement": "\\1", "trim_edges": False}, "\\1a"),
    ("IsEmpty", {"text": "  "}, True),
    ("IsEmpty", {"text": "  ", "trim_whitespace": False}, False),
    ("RemovePunctuation", {"text": "a, b!"}, "a b"),
    ("StripAccents", {"text": "café ł"}, "cafe ł"),
    ("StripAccents", {"text": "café ł", "preserve_non_ascii": False}, "cafe "),
    ("Slugify", {"text": "Été à Paris!"}, "ete-a-paris"),
    ("Slugify", {"text": "Été 2", "allow_unicode": True, "lowercase": False, "separator": "_"}, "Été_2"),
    ("HasLength", {"text": "ab", "min_length": 0, "max_length": 3}, True),
    ("HasLength", {"text": "abcd", "max_length": 3}, False),
    ("HasLength", {"text": "ab", "exact_length": 3}, False),
    ("TruncateText", {"text": "abcdef", "max_length": 4, "ellipsis": "..."}, "a..."),
    ("TruncateText", {"text": "abcdef", "max_length": 2, "ellipsis": "..."}, "ab"),
    ("TruncateText", {"text": "abcdef", "max_length": 4}, "abcd"),
    ("TruncateText", {"text": "abc"}, "abc"),
    ("PadText", {"text": "ab", "length": 4, "pad_character": "-", "direction": "left"}, "--ab"),
    ("PadText", {"text": "ab", "length": 4, "pad_character": "-"}, "ab--"),
    ("PadText", {"text": "ab", "length": 5, "pad_character": "-", "direction": "both"}, "-ab--"),
    ("nodetool.text.Length", {"text": "one two\nthree"}, 13),
    ("nodetool.text.Length", {"text": "one two\nthree", "measure": "words"}, 3),
    ("nodetool.text.Length", {"text": " one\ntwo ", "measure": "lines", "trim_whitespace": True}, 2),
    ("IndexOf", {"text": "abcb", "substring": "b"}, 1),
    ("IndexOf", {"text": "abcb", "substring": "B", "start_index": 2, "case_sensitive": False}, 3),
    ("IndexOf", {"text": "abc", "substring": "x"}, -1),
    ("SurroundWith", {"text": "x", "prefix": "[", "suffix": "]"}, "[x]"),
    ("SurroundWith", {"text": "[x]", "prefix": "[", "suffix": "]"}, "[x]"),
    ("SurroundWith", {"text": "[x]", "prefix": "[", "suffix": "]", "skip_if_wrapped": False}, "[[x]]"),
    ("nodetool.text.Replace", {"text": "aa", "old": "a", "new_value": "b"}, "bb"),
    ("nodetool.text.Replace", {"text": "aa", "old": "", "new_value": "b"}, "aa"),
    ("ToString", {"value": 1.0}, "1"),
    ("ToString", {"value": {"a": "é"}, "mode": "repr"}, '{"a": "é"}'),
    ("Join", {"strings": ["a", 1, None], "separator": "-"}, "a-1-"),
    ("CountTokens", {"text": "Hello, world"}, 5),
    ("FormatText", {"template": "x"}, "x"),
]


@pytest.mark.case("NO-B3-1", "NO-B3-2", "NO-B3-3")
@pytest.mark.parametrize(("name", "values", "expected"), OLD)
async def test_old_text_types(name: str, values: dict[str, Any], expected: Any) -> None:
    full = name if name.startswith("nodetool.") else f"nodetool.text.{name}"
    result = await output(full, **values)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("name", "values", "text"),
    [
        ("nodetool.text.Chunk", {"length": 0}, "length must be positive"),
        ("nodetool.text.Chunk", {"length": 2, "overlap": 2}, "overlap smaller"),
        ("RegexMatch", {"pattern": "("}, "not a regular expression"),
        ("RegexMatch", {"pattern": "a", "group": 1}, "no group 1"),
        ("RegexReplace", {"text": "a", "pattern": "a", "replacement": r"\2"}, "not a replacement"),
        ("text.ParseJSON", {"text": "{"}, "not JSON"),
        ("PadText", {"pad_character": "ab"}, "one character"),
        ("PadText", {"length": 10**9}, "at most"),
    ],
)
async def test_old_text_types_say_what_is_wrong(name: str, values: dict[str, Any], text: str) -> None:
    with pytest.raises(NodeError, match=text):
        await fire(name, **values)


@pytest.mark.case("NO-B3-1")
def test_every_removed_text_type_is_there() -> None:
    names = (
        "Split Extract Chunk ExtractRegex FindAllRegex ParseJSON ExtractJSON RegexMatch RegexReplace RegexSplit "
        "RegexValidate Compare Equals ToUppercase ToLowercase ToTitlecase CapitalizeText Slice StartsWith EndsWith "
        "Contains TrimWhitespace CollapseWhitespace IsEmpty RemovePunctuation StripAccents Slugify HasLength "
        "TruncateText PadText Length IndexOf SurroundWith Replace ToString Join CountTokens FormatText"
    )
    missing = [name for name in names.split() if f"nodetool.text.{name}" not in builtin_types()]
    assert missing == []
