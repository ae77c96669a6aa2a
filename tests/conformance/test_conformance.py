"""Every case of the specification has a test, or a reason why not; and no mark names a case that does not exist."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs_src import conformance

COMPLETE = ("AR-", "HA-0.", "HA-1.", "HA-2.", "HA-3.", "HA-4-", "HA-5.", "HA-6.4-", "HA-D-", "HA-B-", "NO-")
"""The parts of the specification that are implemented as a whole."""

TESTS = conformance.tests_by_case()
REASONS = conformance.reasons()


def complete_cases() -> list[str]:
    return [case for case in conformance.case_ids() if case.startswith(COMPLETE)]


def test_every_case_has_a_test_or_a_reason():
    assert [case for case in complete_cases() if not TESTS[case] and case not in REASONS] == []


def test_no_mark_names_an_unknown_case():
    known = set(conformance.case_ids())
    assert [f"{mark.case} in {mark.test}" for mark in conformance.marks() if mark.case not in known] == []


def test_every_reason_is_about_a_known_case_without_a_test():
    known = set(conformance.case_ids())
    assert [case for case in REASONS if case not in known or TESTS[case]] == []


def test_at_most_a_tenth_of_the_cases_has_a_reason_instead_of_a_test():
    assert len(REASONS) <= len(complete_cases()) / 10


def test_case_ids_are_unique():
    cases = conformance.case_ids()
    assert len(set(cases)) == len(cases)


def test_table_names_every_case():
    table = conformance.table()
    assert [case for case in conformance.case_ids() if f"| {case} |" not in table] == []


def test_marks_are_found_on_functions_classes_parameters_and_modules(tmp_path: Path):
    file = tmp_path / "test_sample.py"
    file.write_text(
        "import pytest\n"
        "pytestmark = pytest.mark.case('A-1')\n"
        "@pytest.mark.case('A-2', 'A-3')\n"
        "def test_one(): ...\n"
        "@pytest.mark.parametrize('x', [pytest.param(1, marks=pytest.mark.case('A-4'))])\n"
        "async def test_two(x): ...\n"
        "@pytest.mark.case('A-5')\n"
        "class TestGroup:\n"
        "    @pytest.mark.case('A-6')\n"
        "    def test_three(self): ...\n",
        encoding="utf-8",
    )
    found = [(mark.case, mark.test) for mark in conformance.marks_of(file)]
    assert found == [
        ("A-1", "test_sample.py"),
        ("A-2", "test_sample.py::test_one"),
        ("A-3", "test_sample.py::test_one"),
        ("A-4", "test_sample.py::test_two"),
        ("A-6", "test_sample.py::TestGroup::test_three"),
        ("A-5", "test_sample.py::TestGroup"),
    ]


def test_a_case_id_that_is_no_literal_is_refused(tmp_path: Path):
    file = tmp_path / "test_sample.py"
    file.write_text("@pytest.mark.case(ID)\ndef test_one(): ...\n", encoding="utf-8")
    with pytest.raises(ValueError, match="test_one"):
        list(conformance.marks_of(file))
