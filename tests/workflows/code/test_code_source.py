from __future__ import annotations

import ast
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenrun.workflows.code.errors import CodeError
from greenrun.workflows.code.source import MAX_SOURCE, MODULES, is_variable, problems, runnable


def messages(code: str, inputs: tuple[str, ...] = (), outputs: tuple[str, ...] = ()) -> list[str]:
    return [message for _, message in problems(code, inputs, outputs)]


def lines(code: str, inputs: tuple[str, ...] = (), outputs: tuple[str, ...] = ()) -> list[int]:
    return [line for line, _ in problems(code, inputs, outputs)]


def test_code_in_order_has_no_problems() -> None:
    code = """
import json, os.path
from math import sqrt as root

total = 0
for number in numbers:
    total += root(number)

def double(value, *more, key=None, **rest):
    return value * 2

match total:
    case [first, *others]:
        total = first
    case {"a": a, **left}:
        total = a
    case int() as whole:
        total = whole
try:
    double(total)
except ValueError as error:
    print(error)
if (doubled := double(total)) > 3:
    print(inputs["a b"], __name__)
{"sum": json.dumps(doubled), "all": [item for item in numbers]}
"""
    assert problems(code, ("numbers",), ("sum", "all")) == []


def test_syntax_error_names_its_line() -> None:
    assert problems("a = 1\nb = = 2\n") == [(2, "this is no Python: invalid syntax")]


def test_undeclared_name_is_named_with_the_input_that_is_likely_meant() -> None:
    assert problems("x = 1\nprice * amuont", ("amount", "price")) == [
        (2, '"amuont" is no input and nothing that the code defines; did you mean "amount"?')
    ]


def test_undeclared_name_without_a_likely_one_asks_for_an_input() -> None:
    assert messages("zebra") == ['"zebra" is no input and nothing that the code defines; add an input of that name']


def test_name_is_reported_once() -> None:
    assert lines("zebra\nzebra") == [1]


def test_input_whose_name_is_no_variable_is_not_defined_as_one() -> None:
    assert len(messages("__secret", ("__secret",))) == 1


def test_builtin_that_the_interpreter_lacks_is_said_to_be_lacking() -> None:
    (message,) = messages("super()")
    assert message.startswith('"super" is not available here')


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("def each():\n    yield 1\neach()", '"yield" does not work'),
        ("def each():\n    yield from [1]\neach()", '"yield from" does not work'),
        ("x = {}\ndel x['a']\nx", '"del" does not work'),
        ("class A: pass\nclass B(A): pass", "cannot inherit"),
        ("async def f():\n    async with a: pass", '"async with"'),
        ("async def f():\n    async for x in a: pass", '"async for"'),
        ("try: 1\nexcept* ValueError: pass", '"except*"'),
        ("import numpy as np", 'no module "numpy"'),
        ("from . import other", 'no module "."'),
        ("from .other import x", 'no module ".other"'),
        ("import collections.abc", 'no module "collections.abc"'),
        ("from math import *", "name what you import from math"),
    ],
)
def test_what_the_interpreter_does_not_know_is_said_before_it_runs(code: str, part: str) -> None:
    assert any(part in message for message in messages(code, ("a",)))


def test_missing_module_says_what_else_works() -> None:
    assert "greenrun.workflows.Function" in messages("import numpy")[0]
    assert "statistics" not in MODULES


def test_problems_come_in_the_order_of_the_lines() -> None:
    assert lines("zebra\nimport numpy\nlion") == [1, 2, 3]


def test_outputs_without_any_result_are_a_problem() -> None:
    assert problems("x = 1\ny = 2", (), ("a",)) == [
        (2, "the code has no result; end it with an expression or a return")
    ]


def test_empty_code_with_outputs_has_no_result() -> None:
    assert lines("", (), ("a",)) == [1]


def test_output_that_no_written_result_has_is_named() -> None:
    code = 'if flag:\n    return {"a": 1}\n{"b": 2}'
    assert problems(code, ("flag",), ("a", "b", "c")) == [(3, 'no result has the output "c"')]


@pytest.mark.parametrize("result", ["record", '{**record, "a": 1}', "{key: 1}"])
def test_result_that_is_not_written_out_is_not_judged(result: str) -> None:
    assert problems(result, ("record", "key"), ("a", "b")) == []


def test_sole_output_takes_any_result() -> None:
    assert problems('{"x": 1}', (), ("a",)) == []


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("a\n'\ud800'", "half a character"),
        ("a\0", "zero byte"),
        ("(" * 1000, "nested"),
        ("-" * 20_000 + "1", "nested too deeply"),
        ("x" * (MAX_SOURCE + 1), "more than"),
    ],
)
def test_code_that_cannot_be_read_is_a_problem(code: str, part: str) -> None:
    assert part in messages(code)[0]


def test_half_a_character_is_on_its_line() -> None:
    assert lines("a\n'\ud800'") == [2]


def test_zero_byte_is_on_its_line() -> None:
    assert lines("a\nb\0") == [2]


def test_unknown_escape_is_no_problem_and_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert problems('"\\d"') == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("1 + 1", "__result = (1 + 1)\nNone"),
        ("return 5", "__result = ( 5); return\nNone"),
        ("return", "return\nNone"),
        ("x = 1", "x = 1\nNone"),
        ("(a +\n b)  # why", "__result = ((a +\n b))  # why\nNone"),
        ("return 1; return 2", "__result = ( 1); return; __result = ( 2); return\nNone"),
        ("def f():\n    return 1", "def f():\n    return 1\nNone"),
        ("'ä'; x", "'ä'; __result = (x)\nNone"),
        ("a\r\nb", "a\n__result = (b)\nNone"),
        ("a, *b", "__result = (a, *b)\nNone"),
        ("", "\nNone"),
    ],
)
def test_result_becomes_an_assignment_on_its_own_line(code: str, expected: str) -> None:
    assert runnable(code) == expected


def test_return_inside_blocks_ends_the_code() -> None:
    code = "for x in y:\n    if x: return [x,\n 1]\nlambda: 1"
    assert runnable(code) == "for x in y:\n    if x: __result = ( [x,\n 1]); return\n__result = (lambda: 1)\nNone"


def test_code_that_cannot_start_raises_with_its_line() -> None:
    with pytest.raises(CodeError, match="line 2: there is no module") as failure:
        runnable("x = 1\nimport numpy")
    assert (failure.value.kind, failure.value.line) == ("unsupported", 2)


def test_syntax_error_raises_with_its_line() -> None:
    with pytest.raises(CodeError, match="line 1: this is no Python") as failure:
        runnable("x = ")
    assert failure.value.kind == "syntax"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("price", True), ("été", True), ("a b", False), ("for", False), ("__x", False), ("inputs", False), ("", False)],
)
def test_inputs_are_variables_when_their_name_can_be_one(name: str, expected: bool) -> None:
    assert is_variable(name) is expected


@given(
    st.lists(
        st.sampled_from(
            [
                "x = 1",
                "return (x,\n 2)",
                "if x:\n    return 'é' * 2",
                "x; return x",
                "# note",
                '"""a\nb"""',
                "[\n1,\n]",
                "x;",
            ]
        ),
        max_size=6,
    )
)
def test_rewriting_keeps_code_valid_and_lines_in_place(statements: list[str]) -> None:
    code = "\n".join(statements)
    rewritten = runnable(code)
    ast.parse(rewritten)
    assert len(rewritten.split("\n")) == len(code.split("\n")) + 1
