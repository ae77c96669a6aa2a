"""Which case of the specification is covered by which test: read from the marks in the tests, without running them."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
CASES_FILE = TESTS / "conformance" / "cases.txt"
REASONS_FILE = TESTS / "conformance" / "reasons.toml"


@dataclass(frozen=True, slots=True)
class CaseMark:
    """One ``@pytest.mark.case`` argument: the case id and the test that carries it."""

    case: str
    test: str


def case_ids() -> tuple[str, ...]:
    """The ids of the specification's case lines, in its order."""
    return tuple(CASES_FILE.read_text(encoding="utf-8").split())


def reasons() -> dict[str, str]:
    """Why a case has no test, by case id."""
    return tomllib.loads(REASONS_FILE.read_text(encoding="utf-8"))


@cache
def marks() -> tuple[CaseMark, ...]:
    """Every mark below tests/, in the order of files and lines."""
    return tuple(mark for path in sorted(TESTS.rglob("test_*.py")) for mark in marks_of(path))


def marks_of(path: Path) -> Iterator[CaseMark]:
    """The marks of one test file: on functions, classes, single parameter sets and the whole module."""
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield from _marks(tree, name, ())


def tests_by_case() -> dict[str, list[str]]:
    """The tests of every case; a case without a test has an empty list."""
    found: dict[str, list[str]] = {case: [] for case in case_ids()}
    for mark in marks():
        tests = found.setdefault(mark.case, [])
        if mark.test not in tests:
            tests.append(mark.test)
    return found


def table() -> str:
    """docs/conformance.md: case id, and its tests or the reason why it has none."""
    why = reasons()
    found = tests_by_case()
    rows = [f"| {case} | {_cell(tests) or why.get(case, '')} |" for case, tests in found.items()]
    return "\n".join(
        (
            "# Conformance",
            "",
            "Every case of the specification of documents and runtime (AR), of the harness (HA) and of nodes and messages",
            "(NO), with the tests that cover it, or the reason why there is none yet.",
            "",
            f"{sum(map(bool, found.values()))} of {len(found)} cases have a test.",
            "",
            "| Case | Tests |",
            "|---|---|",
            *rows,
            "",
        )
    )


def _marks(node: ast.AST, file: str, owners: tuple[str, ...]) -> Iterator[CaseMark]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and _is_case(child.func):
            test = "::".join((file, *owners))
            yield from (CaseMark(_text(argument, test), test) for argument in child.args)
        named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        yield from _marks(child, file, (*owners, child.name) if named else owners)


def _is_case(function: ast.expr) -> bool:
    return ast.unparse(function) == "pytest.mark.case"


def _text(argument: ast.expr, test: str) -> str:
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return argument.value
    raise ValueError(f"{test}: the case id {ast.unparse(argument)} is not a literal text")


def _cell(tests: list[str]) -> str:
    return "<br>".join(f"`{test}`" for test in tests)
