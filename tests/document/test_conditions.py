"""Conditions: reading, resolving, evaluating and describing them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenrun.document.bindings import ExecutionRef, InputRef, OutputRef, Ref, Scope, ScopeOperation, VariableRef
from greenrun.document.conditions import (
    LITERAL_OPS,
    OPS,
    Condition,
    StoredCondition,
    describe,
    evaluate,
    is_empty,
    is_empty_literal,
    is_readable,
    parse_condition,
    stored_condition,
)
from greenrun.document.model import Variable
from greenrun.document.surface import Port, Surface
from greenrun.document.values import ABSENT

SURFACE = Surface(
    inputs=(Port("n1", "nodetool.input.IntegerInput", "count", "count"),),
    outputs=(Port("n9", "nodetool.output.Output", "result", "result"),),
    node_ids=("n1", "n5", "n9"),
)
SCOPE = Scope((ScopeOperation("main", SURFACE),), (Variable("var-dark", "dark"),), "main")
VALUES: dict[Ref, Any] = {
    InputRef("main", "n1"): 5,
    VariableRef("var-dark"): True,
    OutputRef("main", "n9"): "a long piece of streamed text",
    ExecutionRef("main", "running"): True,
}
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


def read(ref: Ref) -> Any:
    return VALUES.get(ref, ABSENT)


def holds(binding: str, op: Any = ABSENT, value: Any = ABSENT, reader: Callable[[Ref], Any] = read) -> bool:
    condition = parse_condition(StoredCondition(binding, op, value), SCOPE)
    assert condition is not None
    return evaluate(condition, reader)


def compare(actual: Any, op: str, literal: Any) -> bool:
    return evaluate(Condition(VariableRef("x"), op, literal), lambda _: actual)


class TestStored:
    @pytest.mark.parametrize("value", [ABSENT, None, "x", [], {}, {"binding": ""}, {"binding": 5}, {"op": "eq"}])
    def test_without_a_text_binding_there_is_no_condition(self, value: Any) -> None:
        assert stored_condition(value) is None

    @pytest.mark.parametrize("op", ["eq", "", "matches", 5, None])
    @pytest.mark.parametrize("literal", ["", "5", 5, True, None, [1]])
    def test_op_and_value_are_kept_as_stored(self, op: Any, literal: Any) -> None:
        stored = stored_condition({"binding": " x", "op": op, "value": literal, "other": 1})
        assert stored == StoredCondition(" x", op, literal)

    def test_missing_members_are_absent(self) -> None:
        stored = stored_condition({"binding": "x"})
        assert stored is not None
        assert stored.op is ABSENT
        assert stored.value is ABSENT


class TestParsing:
    @pytest.mark.case("AR-6.2-1")
    def test_a_binding_that_names_nothing_is_no_condition(self) -> None:
        assert parse_condition(StoredCondition("gone"), SCOPE) is None

    @pytest.mark.case("AR-6.2-1")
    def test_no_record_is_no_condition(self) -> None:
        assert parse_condition(stored_condition({}), SCOPE) is None

    @pytest.mark.case("AR-6.2-1")
    def test_an_unknown_op_means_not_empty(self) -> None:
        condition = parse_condition(StoredCondition("result", "matches", "x"), SCOPE)
        assert condition == Condition(OutputRef("main", "n9"), "notEmpty", "x")

    @pytest.mark.parametrize("op", [ABSENT, None, "", "EQ", "constructor", 5, ["eq"], {}])
    def test_an_op_that_is_none_of_the_nine_means_not_empty(self, op: Any) -> None:
        condition = parse_condition(StoredCondition("result", op), SCOPE)
        assert condition is not None
        assert condition.op == "notEmpty"

    def test_the_nine_ops(self) -> None:
        assert OPS == ("eq", "neq", "gt", "lt", "gte", "lte", "contains", "empty", "notEmpty")
        assert set(OPS) - LITERAL_OPS == {"empty", "notEmpty"}

    @pytest.mark.parametrize("binding", ["view:Slider-1#value", "op:main/prop:n5#strength", "node:n5#strength"])
    def test_view_and_node_property_refs_are_not_readable(self, binding: str) -> None:
        assert parse_condition(StoredCondition(binding), SCOPE) is None

    @pytest.mark.parametrize("binding", ["var:x", "op:a/in:n", "op:a/out:n", "op:a/exec#error"])
    def test_other_tokens_are_readable_as_written(self, binding: str) -> None:
        condition = parse_condition(StoredCondition(binding), SCOPE)
        assert condition is not None
        assert is_readable(condition.ref)

    def test_nothing_is_not_readable(self) -> None:
        assert not is_readable(None)

    def test_bindings_are_not_trimmed(self) -> None:
        assert parse_condition(StoredCondition(" result"), SCOPE) is None

    @pytest.mark.parametrize(("mode", "ref"), [("write", InputRef("main", "n1")), ("none", InputRef("main", "n1"))])
    def test_the_mode_decides_what_a_bare_name_means(self, mode: Any, ref: Ref) -> None:
        condition = parse_condition(StoredCondition("count"), SCOPE, mode)
        assert condition is not None
        assert condition.ref == ref
        assert parse_condition(StoredCondition("count"), SCOPE, "read") is None


class TestEvaluation:
    @pytest.mark.case("AR-6.3-1")
    def test_text_literals_are_read_as_the_type_they_are_compared_with(self) -> None:
        assert holds("count", "gt", "3") is True
        assert holds("count", "lt", "3") is False
        assert holds("dark", "eq", "true") is True

    @pytest.mark.case("AR-6.3-2")
    def test_empty_and_not_empty(self) -> None:
        assert holds("result", "empty") is False
        assert holds("result", "notEmpty") is True

    @pytest.mark.case("AR-6.3-3")
    def test_running_is_readable(self) -> None:
        assert holds("op:main/exec#running", "eq", "true") is True

    @pytest.mark.case("AR-6.3-5")
    def test_number_and_boolean_literals_count(self) -> None:
        assert holds("count", "eq", 5) is True
        assert holds("dark", "eq", True) is True

    @pytest.mark.case("AR-6.3-4")
    @pytest.mark.parametrize(
        ("actual", "literal", "eq", "gt"),
        [
            (5, "5", True, False),
            (5, " 5 ", True, False),
            (5, "5.0", True, False),
            (5, "0x5", True, False),
            (0, "", True, False),
            (5, "", False, True),
            (5, None, False, True),
            (5, ABSENT, False, False),
            (5, "abc", False, False),
            ("5", "5", True, False),
            ("5", 5, False, False),
            (True, "true", True, False),
            (True, "True", False, False),
            (True, "1", False, False),
            (ABSENT, ABSENT, True, False),
            (ABSENT, "x", False, False),
            (None, ABSENT, False, False),
            ([5], [5], False, False),
        ],
    )
    def test_coercion_table(self, actual: Any, literal: Any, eq: bool, gt: bool) -> None:
        assert compare(actual, "eq", literal) is eq
        assert compare(actual, "neq", literal) is not eq
        assert compare(actual, "gt", literal) is gt

    @pytest.mark.case("AR-6.3-4")
    def test_contains_rows_of_the_coercion_table(self) -> None:
        assert compare("abc", "contains", ABSENT) is True
        assert compare([1, 2], "contains", "2") is True

    @pytest.mark.parametrize(
        ("actual", "literal", "gt", "lt", "gte", "lte"),
        [
            (5, "4", True, False, True, False),
            (5, "6", False, True, False, True),
            (5, "5", False, False, True, True),
            (5, True, True, False, True, False),
            (1, True, False, False, True, True),
            (5, [4], True, False, True, False),
            (5, {}, False, False, False, False),
            (math.nan, "1", False, False, False, False),
            (math.inf, "Infinity", False, False, True, True),
            (10**400, 5, True, False, True, False),
            ("5", "4", False, False, False, False),
            (True, "0", False, False, False, False),
            (None, "-1", False, False, False, False),
        ],
    )
    def test_order_needs_a_number_on_both_sides(
        self, actual: Any, literal: Any, gt: bool, lt: bool, gte: bool, lte: bool
    ) -> None:
        assert [compare(actual, op, literal) for op in ("gt", "lt", "gte", "lte")] == [gt, lt, gte, lte]

    @pytest.mark.parametrize(
        ("actual", "literal", "result"),
        [
            ("abc", "b", True),
            ("abc", "B", False),
            ("abc", None, True),
            ("abc", "", True),
            ("a5c", 5, True),
            ("is true", True, True),
            (["a", 5, True], "5", True),
            (["a", 5, True], "true", True),
            (["a", 5, True], "A", False),
            ([[1]], [1], False),
            ([None], None, True),
            ([None], ABSENT, False),
            ([], "", False),
            ([0], "", True),
            (5, "5", False),
            (None, "", False),
            (ABSENT, ABSENT, False),
            ({"a": 1}, "a", False),
        ],
    )
    def test_contains_looks_into_texts_and_lists(self, actual: Any, literal: Any, result: bool) -> None:
        assert compare(actual, "contains", literal) is result

    def test_false_equals_the_literal_false(self) -> None:
        assert compare(False, "eq", "false") is True

    @pytest.mark.parametrize("value", [ABSENT, None, "", [], False])
    def test_what_is_empty(self, value: Any) -> None:
        assert is_empty(value)
        assert compare(value, "empty", "ignored") is True

    @pytest.mark.parametrize("value", [0, 0.0, math.nan, {}, " ", True, [None]])
    def test_what_is_not_empty(self, value: Any) -> None:
        assert not is_empty(value)
        assert compare(value, "notEmpty", ABSENT) is True

    @given(SCALARS, SCALARS)
    def test_not_equal_is_the_opposite_of_equal(self, actual: Any, literal: Any) -> None:
        assert compare(actual, "eq", literal) is not compare(actual, "neq", literal)

    @given(SCALARS, SCALARS, st.sampled_from(OPS))
    def test_every_comparison_has_an_answer(self, actual: Any, literal: Any, op: str) -> None:
        assert compare(actual, op, literal) in (True, False)

    @given(st.floats(allow_nan=False), st.floats(allow_nan=False))
    def test_numbers_are_ordered_against_their_text(self, actual: float, literal: float) -> None:
        assert compare(actual, "gt", repr(literal).replace("inf", "Infinity")) is (actual > literal)


class TestLiterals:
    @pytest.mark.parametrize("literal", [ABSENT, None, ""])
    def test_empty_literals(self, literal: Any) -> None:
        assert is_empty_literal(literal)

    @pytest.mark.parametrize("literal", [0, False, " ", [], {}])
    def test_other_literals_are_not(self, literal: Any) -> None:
        assert not is_empty_literal(literal)


class TestDescription:
    @pytest.mark.parametrize(
        ("stored", "text"),
        [
            (StoredCondition("op:main/exec#running"), "op:main/exec#running notEmpty"),
            (StoredCondition("x", "eq", "a b"), "x eq a b"),
            (StoredCondition("x", "gt", 5.0), "x gt 5"),
            (StoredCondition("x", "eq", True), "x eq true"),
            (StoredCondition("x", "eq", ""), 'x eq ""'),
            (StoredCondition("x", "eq", None), "x eq null"),
            (StoredCondition("x", "eq"), "x eq"),
            (StoredCondition("x", "empty", "y"), "x empty"),
            (StoredCondition("x", "matches", "y"), "x notEmpty"),
        ],
    )
    def test_binding_operator_and_literal(self, stored: StoredCondition, text: str) -> None:
        assert describe(stored) == text
