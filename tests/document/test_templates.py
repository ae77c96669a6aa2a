"""Format templates: tokens, filters, rendering."""

from __future__ import annotations

import math
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenrun.document.bindings import InputRef, OutputRef, Ref, Scope, ScopeOperation, VariableRef
from greenrun.document.model import Variable
from greenrun.document.surface import Port, Surface
from greenrun.document.templates import FILTERS, TemplateToken, render, tokens
from greenrun.document.values import ABSENT

SURFACE = Surface(
    inputs=(Port("n1", "nodetool.input.IntegerInput", "count", "count"),),
    outputs=(Port("n9", "nodetool.output.Output", "result", "result"),),
)
SCOPE = Scope((ScopeOperation("main", SURFACE),), (Variable("x", "shown"), Variable("b", "b")), "main")
LONG = "a long piece of streamed text"


def show(template: str, value: Any = ABSENT, zone: Any = None) -> str:
    values: dict[Ref, Any] = {
        InputRef("main", "n1"): 5,
        OutputRef("main", "n9"): LONG,
        VariableRef("b"): "B",
        VariableRef("x"): value,
    }
    return render(template, SCOPE, lambda ref: values.get(ref, ABSENT), zone)


class TestGrammar:
    @pytest.mark.case("AR-6.4-1")
    @pytest.mark.parametrize(
        ("template", "text"),
        [
            ("{count} items", "5 items"),
            ("{count|number:2}", "5.00"),
            ("{result|truncate:6}", "a long\u2026"),
            ("{result|upper}", "A LONG PIECE OF STREAMED TEXT"),
            ("[{result|bogus}]", "[]"),
            ("[{gone}]", "[]"),
            ("plain", "plain"),
        ],
    )
    def test_tokens_are_replaced(self, template: str, text: str) -> None:
        assert show(template) == text

    @pytest.mark.case("AR-6.4-2")
    @pytest.mark.parametrize(
        ("template", "text"),
        [
            ("{}", "{}"),
            ("{{x}}", "{7}"),
            ("{a{b}c}", "{aBc}"),
            ("{abc", "{abc"),
            ("x}", "x}"),
            ("\\{a\\}", "\\"),
            ("plain text", "plain text"),
        ],
    )
    def test_braces_without_escape(self, template: str, text: str) -> None:
        assert show(template, 7) == text

    @pytest.mark.parametrize(
        ("template", "token"),
        [
            ("{x}", TemplateToken("x")),
            ("{ \ufeffx\n}", TemplateToken("x")),
            ("{x|}", TemplateToken("x")),
            ("{x| }", TemplateToken("x", "")),
            ("{x|upper}", TemplateToken("x", "upper")),
            ("{x| number:2 }", TemplateToken("x", "number", "2")),
            ("{x|number :2}", TemplateToken("x", "number ", "2")),
            ("{x|join:}", TemplateToken("x", "join", "")),
            ("{x|join: , }", TemplateToken("x", "join", " ,")),
            ("{x|join:a:b}", TemplateToken("x", "join", "a")),
            ("{x|upper|lower}", TemplateToken("x", "upper")),
            ("{x||lower}", TemplateToken("x")),
            ("{|upper}", TemplateToken("", "upper")),
            ("{x|:2}", TemplateToken("x", "", "2")),
            ("{op:main/out:n9|upper}", TemplateToken("op:main/out:n9", "upper")),
        ],
    )
    def test_parts_of_a_token(self, template: str, token: TemplateToken) -> None:
        assert tokens(template) == [token]

    def test_tokens_from_left_to_right(self) -> None:
        assert [token.name for token in tokens("{a} {} {{b}} {c d}")] == ["a", "b", "c d"]

    @pytest.mark.parametrize("template", ["{x| }", "{x|Upper}", "{x|toString}", "{x|number :2}", "{ }", "{|upper}"])
    def test_an_unknown_filter_or_name_shows_nothing(self, template: str) -> None:
        assert show(template, "v") == ""

    @pytest.mark.parametrize("template", ["{view:w#value}", "{op:main/prop:n1#a}"])
    def test_what_is_not_readable_shows_nothing(self, template: str) -> None:
        assert show(f"[{template}]") == "[]"

    def test_a_variable_is_found_by_its_name_too(self) -> None:
        assert show("{shown}", "v") == "v"

    @pytest.mark.parametrize("value", ["{count}", "$1", "$&", "\\1", "\\g<0>"])
    def test_inserted_text_is_literal(self, value: str) -> None:
        assert show("<{x}>", value) == f"<{value}>"

    @pytest.mark.parametrize(
        ("value", "text"),
        [(ABSENT, ""), (None, ""), (5.0, "5"), (True, "true"), ([1, None], "1,"), ({}, "[object Object]")],
    )
    @pytest.mark.parametrize("template", ["{x}", "{x|}"])
    def test_without_a_filter_the_value_is_converted(self, template: str, value: Any, text: str) -> None:
        assert show(template, value) == text

    @given(st.text(), st.none() | st.floats() | st.text() | st.lists(st.text()))
    def test_every_template_renders(self, template: str, value: Any) -> None:
        assert isinstance(show(template, value), str)

    @given(st.text().filter(lambda text: "{" not in text))
    def test_text_without_tokens_is_a_constant(self, template: str) -> None:
        assert show(template) == template


class TestNumber:
    @pytest.mark.case("AR-6.5-1")
    @pytest.mark.parametrize(
        ("value", "text"),
        [(None, "0"), (ABSENT, ""), ("", "0"), (True, "1"), ([], "0"), ([5], "5"), ({}, ""), ("12px", "")],
    )
    def test_non_numbers(self, value: Any, text: str) -> None:
        assert show("{x|number}", value) == text

    @pytest.mark.case("AR-6.5-2")
    @pytest.mark.parametrize(
        ("value", "digits", "text"),
        [
            (1.005, 2, "1.00"),
            (2.5, 0, "3"),
            (-2.5, 0, "-3"),
            (0.5, 0, "1"),
            (8.345, 2, "8.35"),
            (-0.0001, 2, "-0.00"),
            (-0.0, 2, "0.00"),
        ],
    )
    def test_rounding(self, value: float, digits: int, text: str) -> None:
        assert show(f"{{x|number:{digits}}}", value) == text

    @pytest.mark.case("AR-6.5-3")
    def test_digits_are_clamped(self) -> None:
        assert show("{x|number:101}", 1.5) == "1.5" + "0" * 99
        assert show("{x|number:-1}", 1.5) == "2"

    @pytest.mark.parametrize(
        ("argument", "text"),
        [
            ("", "2"),
            ("1.9", "1.5"),
            ("-0.5", "2"),
            ("0x1", "1.5"),
            ("Infinity", "1.5" + "0" * 99),
            ("-Infinity", "2"),
            ("abc", "1.5"),
            ("1 2", "1.5"),
        ],
    )
    def test_odd_digits(self, argument: str, text: str) -> None:
        assert show(f"{{x|number:{argument}}}", 1.5) == text

    @pytest.mark.parametrize(
        ("template", "value", "text"),
        [
            ("{x|number}", 1e21, "1e+21"),
            ("{x|number:2}", 1e21, "1e+21"),
            ("{x|number:2}", "Infinity", "Infinity"),
            ("{x|number:2}", math.nan, ""),
            ("{x|number:2}", "0x10", "16.00"),
            ("{x|number}", 1234567.5, "1234567.5"),
            ("{x|number}", 2**53 + 1, "9007199254740992"),
        ],
    )
    def test_large_and_odd_numbers(self, template: str, value: Any, text: str) -> None:
        assert show(template, value) == text


class TestOtherFilters:
    def test_exactly_six_in_order(self) -> None:
        assert FILTERS == ("number", "date", "upper", "lower", "join", "truncate")

    @pytest.mark.parametrize(
        ("template", "value", "text"),
        [
            ("{x|date}", 0, "1/1/1970, 12:00:00 AM"),
            ("{x|date:short}", 0, "1/1/1970"),
            ("{x|date:SHORT}", 0, "1/1/1970, 12:00:00 AM"),
            ("{x|date}", "2024-01-05T15:04:09", "1/5/2024, 3:04:09 PM"),
            ("{x|date}", "Jan 5 2024", ""),
            ("{x|date}", None, ""),
            ("{x|date}", ABSENT, ""),
        ],
    )
    def test_date(self, template: str, value: Any, text: str) -> None:
        assert show(template, value) == text

    def test_date_in_the_time_zone_of_the_app(self) -> None:
        assert show("{x|date}", 0, ZoneInfo("Asia/Tokyo")) == "1/1/1970, 9:00:00 AM"

    @pytest.mark.parametrize(
        ("template", "value", "text"),
        [
            ("{x|upper}", "straße", "STRASSE"),
            ("{x|lower:ignored}", "ÄB", "äb"),
            ("{x|upper}", None, ""),
            ("{x|lower}", ABSENT, ""),
            ("{x|upper}", True, "TRUE"),
            ("{x|lower}", [1, "A"], "1,a"),
        ],
    )
    def test_case(self, template: str, value: Any, text: str) -> None:
        assert show(template, value) == text

    @pytest.mark.case("AR-6.5-4")
    @pytest.mark.parametrize(
        ("template", "value", "text"),
        [
            ("{x|join}", ["a", None, "b"], "a, , b"),
            ("{x|join:}", ["a", "b"], "ab"),
            ("{x|truncate:0}", "text", "text"),
            ("{x|truncate:-1}", "text", "text"),
            ("{x|truncate:x}", "text", "text"),
        ],
    )
    def test_join_and_truncate_cases(self, template: str, value: Any, text: str) -> None:
        assert show(template, value) == text

    @pytest.mark.parametrize(
        ("template", "value", "text"),
        [
            ("{x|join: - }", [1.0, ABSENT, [2, 3], {}], "1 - -2,3 -[object Object]"),
            ("{x|join}", "abc", "abc"),
            ("{x|join}", None, ""),
            ("{x|join}", [], ""),
        ],
    )
    def test_join_converts_items(self, template: str, value: Any, text: str) -> None:
        assert show(template, value) == text

    @pytest.mark.parametrize(
        ("template", "value", "text"),
        [
            ("{x|truncate}", "text", "text"),
            ("{x|truncate:}", "text", "text"),
            ("{x|truncate:Infinity}", "text", "text"),
            ("{x|truncate:4}", "text", "text"),
            ("{x|truncate:3.9}", "text", "tex\u2026"),
            ("{x|truncate:0.5}", "text", "\u2026"),
            ("{x|truncate:2}", "a\U0001f600b", "a\ud83d\u2026"),
            ("{x|truncate:3}", "a\U0001f600", "a\U0001f600"),
            ("{x|truncate:2}", 12345, "12\u2026"),
            ("{x|truncate:2}", None, ""),
        ],
    )
    def test_truncate_counts_utf_16_units(self, template: str, value: Any, text: str) -> None:
        assert show(template, value) == text
