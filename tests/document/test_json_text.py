"""Reading untrusted JSON, the canonical form and the pretty form."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenrun.document.errors import JsonReadError, JsonWriteError
from greenrun.document.js import deep_equal
from greenrun.document.json_text import MAX_DEPTH, MAX_DUPLICATES, canonical_json, pretty_json, read_json
from greenrun.document.values import ABSENT

ANY_TEXT = st.text(alphabet=st.characters())
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)

JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | ANY_TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT | st.sampled_from(["10", "9", "1"]), inner),
    max_leaves=15,
)
SMALL_JSON = st.recursive(
    st.none() | st.booleans() | st.sampled_from([0, 1, 1.0, 0.5, "1", ""]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=3,
)


def refusal(data: bytes | str, **options: Any) -> JsonReadError:
    with pytest.raises(JsonReadError) as caught:
        read_json(data, source="app.json", **options)
    return caught.value


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def shuffled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(value)}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


class TestReading:
    def test_values_of_every_type(self) -> None:
        read = read_json('{"a": [null, true, false, 1, -2.5, 1e3, "\\u00e9"]}')
        assert read.value == {"a": [None, True, False, 1, -2.5, 1000.0, "é"]}
        assert read.duplicate_keys == ()

    @pytest.mark.parametrize(
        "data",
        [
            '{"a":"é"}'.encode(),
            bytearray('{"a":"é"}'.encode()),
            '\ufeff{"a":"é"}'.encode(),
            '{"a":"é"}'.encode("utf-16"),
            '{"a":"é"}'.encode("utf-16-le"),
            '\ufeff{"a":"é"}'.encode("utf-16-be"),
            '{"a":"é"}'.encode("utf-16-be"),
            '{"a":"é"}'.encode("utf-32"),
            '\ufeff{"a":"é"}',
        ],
    )
    def test_every_unicode_encoding_with_and_without_mark(self, data: bytes | str) -> None:
        assert read_json(data).value == {"a": "é"}

    def test_integers_beyond_2_to_the_53_stay_exact(self) -> None:
        assert read_json("[9007199254740993, -123456789012345678901234567890]").value == [
            9007199254740993,
            -123456789012345678901234567890,
        ]

    def test_lone_surrogates_are_kept(self) -> None:
        assert read_json('"\\ud800x"').value == "\ud800x"

    def test_raw_lone_surrogates_in_text_count_towards_the_size(self) -> None:
        assert read_json('"\ud800"', max_bytes=5).value == "\ud800"

    def test_an_escaped_pair_is_one_character(self) -> None:
        assert read_json('"\\ud83d\\ude00"').value == "\U0001f600"

    @pytest.mark.parametrize("text", ['{"__proto__": 1}', '{"constructor": 1}', '{"": 1}'])
    def test_odd_keys_are_plain_keys(self, text: str) -> None:
        assert read_json(text).value == json.loads(text)

    @given(JSON)
    def test_what_is_written_reads_back(self, value: Any) -> None:
        assert deep_equal(read_json(json.dumps(value)).value, json.loads(json.dumps(value)))


class TestDuplicateKeys:
    def test_the_last_value_wins_and_the_path_is_reported(self) -> None:
        read = read_json('{"ui": {"content": [{}, {"id": 1, "id": 2, "x": 0, "id": 3}]}}')
        assert read.value == {"ui": {"content": [{}, {"id": 3, "x": 0}]}}
        assert read.duplicate_keys == ("ui.content[1].id",)

    def test_several_are_reported_from_the_top_down(self) -> None:
        read = read_json('{"b": {"k": 1, "k": 1}, "a b": [{"z": 1, "z": 2, "y": 1, "y": 1}], "b1": 0, "b1": 1}')
        assert read.duplicate_keys == ("b1", "b.k", '["a b"][0].z', '["a b"][0].y')

    def test_a_dotted_key_is_quoted_in_the_path(self) -> None:
        assert read_json('{"a.b": {"c": 1, "c": 2}}').duplicate_keys == ('["a.b"].c',)

    def test_a_long_key_is_cut_in_the_path(self) -> None:
        paths = read_json('{"%s": [{"a": 1, "a": 2}]}' % ("k" * 1_000)).duplicate_keys
        assert paths == (f'["{"k" * 80}…"][0].a',)

    def test_only_the_first_hundred_are_reported(self) -> None:
        paths = read_json("[" + ", ".join(['{"a": 1, "a": 2}'] * 150) + "]").duplicate_keys
        assert (len(paths), paths[-1]) == (MAX_DUPLICATES, "[99].a")

    def test_inside_a_replaced_value_nothing_is_reported(self) -> None:
        assert read_json('{"a": {"k": 1, "k": 2}, "a": 5}').duplicate_keys == ("a",)


class TestRefusals:
    @pytest.mark.parametrize("data", [b"", "", " \r\n\t", b"\xef\xbb\xbf", "\ufeff"])
    def test_empty_input(self, data: bytes | str) -> None:
        assert refusal(data).message == "app.json is empty; it must contain JSON."

    @pytest.mark.parametrize(
        ("text", "literal", "column"),
        [
            ('{"s": "NaN",\n "a": [1, NaN]}', "NaN", 11),
            ('{"s": "\\"Infinity",\n "a": Infinity}', "Infinity", 7),
            ('{"s": "",\n "a": -Infinity}', "-Infinity", 7),
        ],
    )
    def test_literals_that_json_lacks_are_named_with_their_place(self, text: str, literal: str, column: int) -> None:
        error = refusal(text)
        assert error.message == (
            f"app.json is not valid JSON: {literal} at line 2, column {column} is no JSON value; use null."
        )
        assert (error.line, error.column) == (2, column)

    @pytest.mark.parametrize(
        "number",
        [
            "1e400",
            "-1e400",
            pytest.param("9" * 310, id="310 digits"),
            pytest.param("9" * 309, id="309 digits"),
            pytest.param("-" + "9" * 5_000, id="5000 digits"),
        ],
    )
    def test_numbers_beyond_all_doubles(self, number: str) -> None:
        error = refusal(f'{{"{number}": 1,\n"a": {number}-5}}')
        assert error.message.endswith("at line 2, column 6 is too large a number.")
        assert len(error.message) < 120

    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("{", "a key in double quotes is missing at line 1, column 2."),
            ("{'a': 1}", "a key in double quotes is missing at line 1, column 2, found `'a': 1}`."),
            ('{"a": True}', "a value is missing at line 1, column 7, found `True}`."),
            ('{"a" 1}', "a colon is missing at line 1, column 6, found `1}`."),
            ("[1\n 2]", "a comma or a closing bracket is missing at line 2, column 2, found `2]`."),
            ('{"a": 1} x', "there is more after the end of the value at line 1, column 10, found `x`."),
            ('["abc', 'a text is not closed at line 1, column 2, found `"abc`.'),
            ('["a\tb"]', "a text contains a raw control character at line 1, column 4"),
            ('["\\x"]', "a text contains an unknown escape at line 1, column 3"),
            ('["\\u12"]', "a text contains an unknown escape at line 1, column"),
            ("[" + "x" * 500, f"a value is missing at line 1, column 2, found `{'x' * 24}`."),
        ],
    )
    def test_syntax_errors_name_reason_and_place(self, text: str, reason: str) -> None:
        assert refusal(text).message.startswith(f"app.json is not valid JSON: {reason}")

    def test_a_trailing_comma_is_refused(self) -> None:
        assert refusal('{"a": 1,}').line == 1

    def test_too_large_names_both_sizes(self) -> None:
        error = refusal(b"[" + b" " * 99 + b"]", max_bytes=100)
        assert error.message == "app.json is too large: 101 bytes, and at most 100 are read."

    def test_text_is_measured_in_bytes(self) -> None:
        assert "7 bytes" in refusal('"ééx"'[:5], max_bytes=6).message

    def test_fifty_megabytes_are_refused_by_default(self) -> None:
        assert "52,428,800 bytes" in refusal(b"0" * 52_428_800).message

    @pytest.mark.parametrize("make", [lambda depth: "[" * depth, lambda depth: '{"a":' * depth])
    def test_a_depth_bomb_is_refused(self, make: Any) -> None:
        error = refusal(make(100_000))
        assert error.message.startswith("app.json is nested too deeply at line 1, column ")
        assert error.message.endswith("; at most 200 levels are read.")

    def test_the_depth_limit_is_exact(self) -> None:
        assert read_json(nested(MAX_DEPTH)).value
        error = refusal("\n" + nested(MAX_DEPTH + 1))
        assert (error.line, error.column) == (2, MAX_DEPTH + 1)

    def test_brackets_in_texts_and_closed_ones_do_not_count(self) -> None:
        error = refusal('["[[[\\"", [], [[1]]]', max_depth=2)
        assert (error.line, error.column) == (1, 16)

    def test_a_document_near_the_end_of_the_stack_is_read_or_refused(self) -> None:
        # Only some Python versions count the parser's levels against the stack.
        frames = next((frames for frames in range(600, 900, 10) if is_tight(frames)), 600)
        assert outcome_at(frames) in ("read", "nested too deeply")

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b'{\n"\xc3\xa9a": "\xff"}', "is not valid UTF-8 at line 2, column 8. Save it as UTF-8."),
            (b'\xef\xbb\xbf{\n"\xc3\xa9a": "\xff"}', "is not valid UTF-8 at line 2, column 8. Save it as UTF-8."),
            (b'"\xed\xa0\x80"', "is not valid UTF-8 at line 1, column 2. Save it as UTF-8."),
            (b'\xff\xfe"\x00a\x00"', "is not valid UTF-16 at line 1, column 3. Save it as UTF-8."),
        ],
    )
    def test_broken_encodings_name_the_place(self, data: bytes, message: str) -> None:
        assert refusal(data).message == f"app.json {message}"

    @given(st.binary(max_size=60) | ANY_TEXT)
    def test_arbitrary_input_is_read_or_refused_with_a_place(self, data: bytes | str) -> None:
        try:
            canonical_json(read_json(data).value)
        except JsonReadError as error:
            place = (error.line, error.column)
        else:
            place = (1, 1)
        assert min(place) >= 1


def outcome_at(frames: int) -> str:
    if frames:
        return outcome_at(frames - 1)
    try:
        read_json(nested(MAX_DEPTH))
    except JsonReadError as error:
        return "nested too deeply" if "nested too deeply" in error.message else error.message
    return "read"


def is_tight(frames: int) -> bool:
    """True when that many more frames leave too little stack for nested JSON, and enough for anything else."""
    if frames:
        return is_tight(frames - 1)
    try:
        json.loads(nested(MAX_DEPTH), object_pairs_hook=dict)
    except RecursionError:
        return True
    return False


class TestCanonical:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ({"b": 1, "a": [True, None, "x"]}, '{"a":[true,null,"x"],"b":1}'),
            ({"10": 1, "9": 2}, '{"10":1,"9":2}'),
            ("é/\U0001f600\x7f\n", '"\\u00e9/\\ud83d\\ude00\\u007f\\n"'),
            ("\ud800", '"\\ud800"'),
            (
                [1.0, -0.0, 1e16, 4.044679839884005e16, 1e25, 2.5, 1e-7],
                "[1,0,10000000000000000,40446798398840050,10000000000000000000000000,2.5,1e-07]",
            ),
            ([math.nan, math.inf, -math.inf], "[null,null,null]"),
            (2**53 + 1, "9007199254740993"),
            ({"a": ABSENT, "b": [ABSENT]}, '{"b":[null]}'),
            (ABSENT, "null"),
            ((1, (2,)), "[1,[2]]"),
            ({}, "{}"),
        ],
    )
    def test_one_text_for_each_value(self, value: Any, text: str) -> None:
        assert canonical_json(value) == text

    @given(JSON)
    def test_key_order_does_not_matter(self, value: Any) -> None:
        assert canonical_json(value) == canonical_json(shuffled(value))

    @given(JSON)
    def test_it_is_ascii_and_reads_back_as_itself(self, value: Any) -> None:
        text = canonical_json(value)
        assert text.isascii()
        assert canonical_json(read_json(text).value) == text

    @given(SMALL_JSON, SMALL_JSON)
    def test_equal_texts_mean_equal_values(self, left: Any, right: Any) -> None:
        assert (canonical_json(left) == canonical_json(right)) == deep_equal(left, right)

    def test_the_argument_stays_as_it_was(self) -> None:
        value = {"a": [1.0, {"b": 2.0}]}
        canonical_json(value)
        assert isinstance(value["a"][0], float)
        assert isinstance(value["a"][1]["b"], float)  # type: ignore[index]

    @pytest.mark.parametrize("write", [canonical_json, pretty_json])
    def test_the_deepest_readable_value_is_written(self, write: Any) -> None:
        assert json.loads(write(read_json(nested(MAX_DEPTH)).value)) == json.loads(nested(MAX_DEPTH))

    @pytest.mark.parametrize("write", [canonical_json, pretty_json])
    def test_deeper_values_are_refused(self, write: Any) -> None:
        with pytest.raises(JsonWriteError, match="more than 200 levels"):
            write(json.loads(nested(MAX_DEPTH + 1)))

    @pytest.mark.parametrize("write", [canonical_json, pretty_json])
    def test_values_that_contain_themselves_are_refused(self, write: Any) -> None:
        value: dict[str, Any] = {}
        value["self"] = value
        with pytest.raises(JsonWriteError, match="more than 200 levels"):
            write(value)

    @pytest.mark.parametrize("write", [canonical_json, pretty_json])
    @pytest.mark.parametrize(
        "value", [{1, 2}, b"x", [object()], {1: "a"}, {"a": 1, None: 2}, pytest.param(10**5_000, id="5001 digits")]
    )
    def test_what_is_no_json_is_refused(self, write: Any, value: Any) -> None:
        with pytest.raises(JsonWriteError, match="cannot be written as JSON"):
            write(value)


class TestPretty:
    def test_layout_and_key_order(self) -> None:
        value = {"b": {}, "10": [], "2": [1, {"x": None}], "a": ABSENT, "c": [ABSENT]}
        assert pretty_json(value) == (
            '{\n  "2": [\n    1,\n    {\n      "x": null\n    }\n  ],\n'
            '  "10": [],\n  "b": {},\n  "c": [\n    null\n  ]\n}\n'
        )

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (1.0, "1"),
            (1e16, "10000000000000000"),
            (1e21, "1e+21"),
            (-0.0, "0"),
            (1e-5, "0.00001"),
            (1e-7, "1e-7"),
            (math.nan, "null"),
            (math.inf, "null"),
            (2**53 + 1, "9007199254740993"),
            (True, "true"),
            (False, "false"),
            (ABSENT, "null"),
            ((1,), "[\n  1\n]"),
            ("é/\u2028\x7f", '"é/\u2028\x7f"'),
            ('\x00\x1f\t\n"\\', '"\\u0000\\u001f\\t\\n\\"\\\\"'),
            ("\ud800\udfff\udabc", '"\U000103ff\\udabc"'),
            ("x\ude00", '"x\\ude00"'),
        ],
    )
    def test_scalars(self, value: Any, text: str) -> None:
        assert pretty_json(value) == text + "\n"

    @given(JSON)
    def test_it_reads_back_as_the_same_value(self, value: Any) -> None:
        assert canonical_json(read_json(pretty_json(value)).value) == canonical_json(value)

    @given(JSON)
    def test_it_can_be_saved_as_utf_8(self, value: Any) -> None:
        assert read_json(pretty_json(value).encode("utf-8")).duplicate_keys == ()
