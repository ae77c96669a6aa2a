"""JavaScript semantics: conversions, text of numbers, key order, equality, UTF-16 text."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenrun.document import js
from greenrun.document.values import ABSENT

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


class TestTrim:
    @pytest.mark.parametrize(
        "blank",
        [
            *map(chr, range(0x09, 0x0E)),
            " ",
            "\u00a0",
            "\u1680",
            *map(chr, range(0x2000, 0x200B)),
            "\u2028",
            "\u2029",
            "\u202f",
            "\u205f",
            "\u3000",
            "\ufeff",
        ],
    )
    def test_javascript_white_space_is_removed_on_both_sides(self, blank: str) -> None:
        assert js.trim(f"{blank}a b{blank}") == "a b"

    @pytest.mark.parametrize("kept", ["\u001c", "\u001d", "\u001e", "\u001f", "\u0085", "\u200b", "\u180e"])
    def test_white_space_that_only_python_knows_stays(self, kept: str) -> None:
        assert js.trim(f"{kept}a{kept}") == f"{kept}a{kept}"


class TestToNumber:
    @pytest.mark.parametrize(
        ("value", "number"),
        [
            (7, 7),
            (2.5, 2.5),
            (None, 0),
            (True, 1),
            (False, 0),
            ("", 0),
            (" \ufeff\n", 0),
            (" 5 ", 5),
            ("-5.25", -5.25),
            ("+5", 5),
            (".5", 0.5),
            ("5.", 5),
            ("1e3", 1000),
            ("1.5E-2", 0.015),
            ("Infinity", math.inf),
            ("+Infinity", math.inf),
            ("-Infinity", -math.inf),
            ("1e400", math.inf),
            ("0x1F", 31),
            ("0X1f", 31),
            ("0o17", 15),
            ("0O17", 15),
            ("0b101", 5),
            ("0B11", 3),
            ("007", 7),
            ("9007199254740993", 9007199254740992),
            ("0x20000000000001", 9007199254740992),
            ("0x" + "f" * 300, math.inf),
            ([], 0),
            ([5], 5),
            ([[5]], 5),
            ([None], 0),
            (["0x5"], 5),
        ],
    )
    def test_what_reads_as_a_number(self, value: Any, number: float) -> None:
        assert js.to_number(value) == number

    @pytest.mark.parametrize(
        "value",
        [
            ABSENT,
            math.nan,
            "abc",
            "12px",
            "1_000",
            "inf",
            "nan",
            "infinity",
            "NaN",
            "-0x5",
            "+0b1",
            "0x",
            "0xg",
            "0b2",
            "0o8",
            ".",
            "+",
            "1e",
            "e5",
            "1 2",
            "\u0665",
            "\uff15",
            "1,5",
            "--5",
            [1, 2],
            {},
            {"valueOf": 5},
        ],
    )
    def test_what_does_not_is_nan(self, value: Any) -> None:
        assert math.isnan(js.to_number(value))

    def test_long_digits_with_a_foreign_end_are_refused_quickly(self) -> None:
        assert math.isnan(js.to_number("1" * 200_000 + "x"))

    @given(st.floats(allow_nan=False))
    def test_a_number_survives_its_text(self, number: float) -> None:
        assert js.to_number(js.to_text(number)) == number

    @given(st.text())
    def test_any_text_has_a_number_or_nan(self, text: str) -> None:
        assert isinstance(js.to_number(text), (int, float))


class TestToText:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ("a", "a"),
            (None, "null"),
            (ABSENT, "undefined"),
            (True, "true"),
            (False, "false"),
            ({}, "[object Object]"),
            ([], ""),
            ([1, None, ABSENT, "b", True, {}], "1,,,b,true,[object Object]"),
            ([[1, 2], [], [[3]], [[], []]], "1,2,,3,,"),
            ([""], ""),
        ],
    )
    def test_values_of_every_type(self, value: Any, text: str) -> None:
        assert js.to_text(value) == text

    @pytest.mark.parametrize(
        ("number", "text"),
        [
            (0, "0"),
            (-0.0, "0"),
            (5, "5"),
            (5.0, "5"),
            (-5.5, "-5.5"),
            (100.0, "100"),
            (123.456, "123.456"),
            (0.1, "0.1"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e-6, "0.000001"),
            (1.5e-6, "0.0000015"),
            (1e-7, "1e-7"),
            (-1.25e-7, "-1.25e-7"),
            (1e16, "10000000000000000"),
            (1.2345e20, "123450000000000000000"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
            (5e-324, "5e-324"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
            (2**53, "9007199254740992"),
            (2**53 + 1, "9007199254740992"),
            (-(2**53) - 3, "-9007199254740996"),
            (10**21, "1e+21"),
            (10**400, "Infinity"),
            (-(10**400), "-Infinity"),
            (math.nan, "NaN"),
            (math.inf, "Infinity"),
            (-math.inf, "-Infinity"),
        ],
    )
    def test_numbers_are_laid_out_as_javascript_does(self, number: float, text: str) -> None:
        assert js.to_text(number) == text

    def test_a_list_that_contains_itself_reads_as_nothing_there(self) -> None:
        items: list[Any] = [1]
        items.append(items)
        assert js.to_text(items) == "1,"

    def test_lists_deeper_than_python_recurses(self) -> None:
        items: list[Any] = ["x"]
        for _ in range(5_000):
            items = [items]
        assert js.to_text(items) == "x"

    @pytest.mark.parametrize(("value", "text"), [(None, ""), (ABSENT, ""), (0, "0"), (False, "false"), ("a", "a")])
    def test_display_text_is_nothing_for_null_and_absent(self, value: Any, text: str) -> None:
        assert js.display_text(value) == text


class TestFixed:
    @pytest.mark.parametrize(
        ("number", "digits", "text"),
        [
            (5, 2, "5.00"),
            (1e20, 2, "100000000000000000000.00"),
            (1e21, 2, "1e+21"),
            (-1e21, 0, "-1e+21"),
            (math.nan, 2, "NaN"),
            (-math.inf, 2, "-Infinity"),
            (10**400, 2, "Infinity"),
            (5e-324, 3, "0.000"),
            (-5e-324, 3, "-0.000"),
            (2**53 + 1, 0, "9007199254740992"),
            (1.45, 1, "1.4"),
            (-1.5, 0, "-2"),
            (1.25, 1, "1.3"),
            (0.1, 20, "0.10000000000000000555"),
            (1.5, -3, "2"),
            (1.5, 300, "1.5" + "0" * 99),
        ],
    )
    def test_the_exact_double_is_rounded_half_away_from_zero(self, number: float, digits: int, text: str) -> None:
        assert js.fixed(number, digits) == text

    @given(st.floats(-1e15, 1e15), st.integers(0, 100))
    def test_exactly_the_asked_decimals(self, number: float, digits: int) -> None:
        assert len(js.fixed(number, digits).partition(".")[2]) == digits


class TestTruthy:
    @pytest.mark.parametrize("value", [ABSENT, None, False, 0, 0.0, -0.0, math.nan, ""])
    def test_the_eight_falsy_values(self, value: Any) -> None:
        assert js.truthy(value) is False

    @pytest.mark.parametrize("value", [True, 1, -1, 0.5, 10**400, "false", "0", " ", [], {}])
    def test_everything_else_is_truthy(self, value: Any) -> None:
        assert js.truthy(value) is True


class TestKeyOrder:
    def test_integer_like_keys_come_first_ascending(self) -> None:
        assert js.key_order({"b": 0, "10": 0, "2": 0, "a": 0}) == ["2", "10", "b", "a"]

    def test_keys_that_only_look_like_integers_keep_their_place(self) -> None:
        keys = ["z", "01", "-1", "1.5", "4294967295", "99999999999", "\u0665", "", "4294967294", "0"]
        assert js.key_order(dict.fromkeys(keys)) == ["0", "4294967294", *keys[:-2]]

    def test_items_follow_the_same_order(self) -> None:
        assert js.ordered_items({"b": 1, "1": 2}) == [("1", 2), ("b", 1)]

    @given(st.dictionaries(st.text(alphabet="0123456789a"), st.integers()))
    def test_no_key_is_lost_or_added(self, mapping: dict[str, int]) -> None:
        assert dict(js.ordered_items(mapping)) == mapping


class TestStrictEqual:
    @pytest.mark.parametrize(
        ("left", "right"),
        [(1, 1.0), (0.0, -0.0), ("a", "a"), (True, True), (None, None), (ABSENT, ABSENT), (2**53, 2**53 + 1)],
    )
    def test_same_type_and_value(self, left: Any, right: Any) -> None:
        assert js.strict_equal(left, right)

    @pytest.mark.parametrize(
        ("left", "right"),
        [(1, True), (False, 0), (1, "1"), (None, ABSENT), ("", None), (math.nan, math.nan), ([1], [1]), ({}, {})],
    )
    def test_other_types_and_separate_containers_differ(self, left: Any, right: Any) -> None:
        assert not js.strict_equal(left, right)

    def test_a_container_equals_itself(self) -> None:
        items = [1]
        assert js.strict_equal(items, items)


class TestDeepEqual:
    @pytest.mark.parametrize(
        ("left", "right"),
        [
            (1, 1.0),
            ([1, {"a": 2.0, "b": None}], [1.0, {"b": None, "a": 2}]),
            ([math.nan], [float("nan")]),
            (ABSENT, ABSENT),
            ({"a": []}, {"a": []}),
        ],
    )
    def test_equal_content(self, left: Any, right: Any) -> None:
        assert js.deep_equal(left, right)

    @pytest.mark.parametrize(
        ("left", "right"),
        [
            (1, True),
            (0, False),
            (1, 2),
            (math.nan, 1),
            (1, math.nan),
            ("1", 1),
            ([1], [1, 2]),
            ([1, 2], [2, 1]),
            ({"a": 1}, {"b": 1}),
            ({"a": 1}, {"a": 1, "b": 2}),
            ({"a": [True]}, {"a": [1]}),
            ([], {}),
            (None, ABSENT),
            (2**53, 2**53 + 1),
            ("a", "b"),
        ],
    )
    def test_different_content(self, left: Any, right: Any) -> None:
        assert not js.deep_equal(left, right)

    def test_values_deeper_than_python_recurses(self) -> None:
        left: list[Any] = []
        right: list[Any] = []
        for _ in range(5_000):
            left, right = [left], [right]
        assert js.deep_equal(left, right)

    @given(JSON, JSON)
    def test_it_is_symmetric(self, left: Any, right: Any) -> None:
        assert js.deep_equal(left, right) == js.deep_equal(right, left)


class TestUtf16:
    @pytest.mark.parametrize(("text", "length"), [("", 0), ("abc", 3), ("ä", 1), ("a\U0001f600", 3), ("\ud800", 1)])
    def test_length_counts_code_units(self, text: str, length: int) -> None:
        assert js.utf16_length(text) == length

    @pytest.mark.parametrize(
        ("text", "limit", "cut"),
        [("abc", 2, "ab"), ("äbc", 2, "äb"), ("a\U0001f600b", 3, "a\U0001f600"), ("a\U0001f600b", 2, "a\ud83d")],
    )
    def test_a_slice_may_cut_a_pair(self, text: str, limit: int, cut: str) -> None:
        assert js.utf16_slice(text, limit) == cut

    @given(st.text(), st.integers(0, 30))
    def test_a_slice_is_never_longer_than_its_limit(self, text: str, limit: int) -> None:
        assert js.utf16_length(js.utf16_slice(text, limit)) == min(limit, js.utf16_length(text))
