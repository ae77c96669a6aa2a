"""A person is asked before code that came from elsewhere runs, and once only."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from app_folders import Command, function_app
from greenrun.workspace.trust import TrustStore

SOURCE = "import json\nfrom os import path\n\ndef shout(text: str = 'hi') -> str:\n    return text.upper()\n"


class Terminal(io.StringIO):
    """Standard input on which somebody has typed already."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    path = tmp_path / "b.json"
    value = {
        "schemaVersion": 1,
        "name": "B",
        "app": function_app("loud:shout", "text"),
        "workflows": [],
        "functions": [{"module": "loud", "source": SOURCE}],
    }
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch):
    def types(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", Terminal(text))
        monkeypatch.setattr(type(sys.stderr), "isatty", lambda self: True, raising=False)

    return types


def test_code_runs_after_a_yes_and_nobody_is_asked_again(bundle: Path, greenrun: Command, typed) -> None:
    typed("y\n")
    first = greenrun("debug", "b.json")
    assert first.code == 0
    assert "loud.py, 5 lines, imports json, os" in first.err
    typed("")
    again = greenrun("debug", "b.json")
    assert again.code == 0
    assert "brings Python code" not in again.err


def test_code_that_changed_is_asked_for_again(bundle: Path, greenrun: Command, typed) -> None:
    TrustStore().trust({"loud": SOURCE})
    text = bundle.read_text(encoding="utf-8").replace("upper", "lower")
    bundle.write_text(text, encoding="utf-8")
    typed("n\n")
    refused = greenrun("check", "b.json")
    assert refused.code == 3
    assert "GR904" in refused.out


def test_the_code_can_be_read_before_the_answer(bundle: Path, greenrun: Command, typed) -> None:
    typed("s\nn\n")
    refused = greenrun("check", "b.json")
    assert refused.code == 3
    assert "return text.upper()" in refused.err


def test_the_end_of_input_is_a_no(bundle: Path, greenrun: Command, typed) -> None:
    typed("")
    refused = greenrun("check", "b.json")
    assert refused.code == 3
    assert "GR904" in refused.out


def test_without_a_terminal_nobody_is_asked(bundle: Path, greenrun: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    refused = greenrun("debug", "b.json")
    assert refused.code == 3
    assert "brings Python code" not in refused.err


def test_json_output_asks_nobody(bundle: Path, greenrun: Command, typed) -> None:
    typed("y\n")
    assert greenrun("check", "b.json", "--json").code == 3


def test_source_that_does_not_parse_can_be_refused_too(tmp_path: Path, greenrun: Command, typed, bundle: Path) -> None:
    bundle.write_text(bundle.read_text(encoding="utf-8").replace("import json", "import ("), encoding="utf-8")
    typed("n\n")
    refused = greenrun("check", "b.json")
    assert "loud.py, 5 lines, imports nothing" in refused.err
