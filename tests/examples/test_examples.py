"""Every app that ships is green with proof run, and its script tells why when a run fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from shipped_apps import FOLDER, NAMES, Example

import greenrun
from greenrun.document.json_text import pretty_json
from greenrun.oracle.reach import run_triggers
from greenrun.workspace.project import Project

# A resource mapping is always reported, because only a seeded collection is seen without a browser.
UNAVOIDABLE = {"asset-labeler": ["GR407"]}


def test_there_are_at_least_nine_examples() -> None:
    assert len(NAMES) >= 9


def test_the_check_finds_nothing(example: Example) -> None:
    assert [finding.code for finding in example.checked.findings] == UNAVOIDABLE.get(example.name, [])


def test_the_script_ends_green_with_every_operation_run(example: Example) -> None:
    verdict = example.report.verdict

    assert (verdict.status, verdict.proof, verdict.issues) == ("green", "run", ())
    assert verdict.not_exercised == ()
    assert verdict.warnings == ()


def test_the_script_uses_every_run_trigger(example: Example) -> None:
    triggers = {trigger.widget.id for trigger in run_triggers(example.app)}

    assert {widget for widget in triggers if not (example.clicked(widget) or example.entered(widget))} == set()


def test_the_script_gives_the_same_result_twice(example: Example) -> None:
    again = example.project.simulate()

    assert again.widgets == example.report.widgets
    assert again.variables == example.report.variables
    assert (again.snapshot, again.closure) == (example.report.snapshot, example.report.closure)


def test_the_folder_says_what_it_is_for_and_how_to_try_it(example: Example) -> None:
    text = (FOLDER / example.name / "README.md").read_text(encoding="utf-8")
    overview = (FOLDER / "README.md").read_text(encoding="utf-8")

    assert text.startswith("# ")
    assert f"greenrun debug examples/{example.name}" in text
    assert f"]({example.name}/)" in overview


def test_saving_the_app_unchanged_writes_the_same_file(example: Example) -> None:
    stored = (FOLDER / example.name / "app.json").read_text(encoding="utf-8")

    assert pretty_json(example.app.document.stored) == stored


SHEET = {"type": "dataframe", "columns": ["paid by", "amount"], "data": [["Ada", "many"]]}
CSV = {"type": "document", "uri": "data:text/csv,name%0AAda", "name": "people.csv"}
NO_PICTURE = {"type": "image", "uri": "data:image/png;base64,bm8="}

FAILURES: Mapping[str, tuple[Sequence[Any], str, str]] = {
    "csv-cleaner": (
        [{"change": "table", "value": CSV}, {"change": "sort-by", "value": "age"}, {"click": "clean"}],
        "clean-error",
        'There is no column "age". The columns are: name.',
    ),
    "expense-splitter": (
        [{"change": "expenses", "value": SHEET}, {"click": "work-out"}],
        "balances-error",
        'Line 1: "many" is no amount. Write a number such as 12.50.',
    ),
    "image-watermarker": (
        [{"change": "photo", "value": NO_PICTURE}, {"click": "mark"}],
        "watermark-error",
        "This file is no picture that can be read. Use PNG, JPEG, WebP or GIF.",
    ),
    "meeting-notes": (
        [{"change": "notes", "value": " - "}, {"click": "write"}],
        "write-error",
        "There are no notes to write up.",
    ),
    "press-release": (
        [
            {"set": {"key": "draft", "value": "Lamp"}},
            {"change": "decision", "value": "approved"},
            {"change": "contact", "value": "nobody"},
            {"click": "publish"},
        ],
        "publish-error",
        '"nobody" is no e-mail address. The press needs one to answer.',
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failed_run_tells_the_reason_in_the_app(name: str) -> None:
    steps, alert, reason = FAILURES[name]
    project: Project = greenrun.load(FOLDER / name)

    report = project.simulate(steps)

    shown = next(item for item in report.widgets if item["id"] == alert)
    assert (shown["visible"], reason in shown["value"]) == (True, True), shown["value"]
    assert report.verdict.status == "red"
