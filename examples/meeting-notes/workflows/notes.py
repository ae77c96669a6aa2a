"""Turn rough meeting notes into a summary, decisions and a list of actions, section by section."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any, TypedDict

from greenrun import Chunk, Progress, workflow

DECISION = re.compile(r"^(?:decision|decided|agreed)\b[:\s]*(?:that\s+)?(.+)$", re.IGNORECASE)
ACTION = re.compile(
    r"^(?:action|todo)\b[:\s]*(?P<who>[A-Z][\w.-]*)[:,]?\s+(?:to\s+|will\s+)?(?P<what>.+)$", re.IGNORECASE
)
ATTENDEES = re.compile(r"^(?:attendees|present|participants)\b[:\s]*(.+)$", re.IGNORECASE)
DUE = re.compile(r"\s*\b(?:by|until|due)\s+(?P<when>[^.,;]+)[.,;]?\s*$", re.IGNORECASE)


class Minutes(TypedDict):
    """The parts that are complete only at the end."""

    decisions: list[str]
    actions: list[dict[str, Any]]
    facts: dict[str, Any]


@workflow(title="Write up a meeting")
def write_up(notes: str) -> Generator[Progress | Chunk | dict[str, Any], None, Minutes]:
    """Read the notes line by line. The summary and the actions appear while they are found."""
    lines = [line.strip(" -*•\t") for line in notes.splitlines() if line.strip(" -*•\t")]
    if not lines:
        raise ValueError("There are no notes to write up.")
    decisions: list[str] = []
    actions: list[dict[str, Any]] = []
    people: list[str] = []
    yield Chunk(f"### {lines[0].rstrip(':')}\n\n", output="summary")
    for number, line in enumerate(lines[1:], 2):
        yield Progress(number / len(lines), f"Reading line {number} of {len(lines)}")
        if found := ATTENDEES.match(line):
            people = [name.strip() for name in found.group(1).split(",") if name.strip()]
            yield Chunk(f"**Present:** {', '.join(people)}\n\n", output="summary")
        elif found := DECISION.match(line):
            decisions.append(_sentence(found.group(1)))
        elif found := ACTION.match(line):
            actions.append(_action(found))
            yield {"actions": actions[-1]}
        else:
            yield Chunk(f"- {_sentence(line)}\n", output="summary")
    absent = sorted({item["who"] for item in actions if people and item["who"] not in people})
    facts = {
        "People": len(people),
        "Decisions": len(decisions),
        "Actions": len(actions),
        "Owners who were absent": ", ".join(absent) or "none",
    }
    return {"decisions": decisions, "actions": actions, "facts": facts}


def _action(found: re.Match[str]) -> dict[str, Any]:
    what = found.group("what")
    due = DUE.search(what)
    return {
        "who": found.group("who").strip(),
        "what": _sentence(what[: due.start()] if due else what),
        "due": due.group("when").strip() if due else "open",
    }


def _sentence(text: str) -> str:
    """The text with a capital first letter and a full stop."""
    text = text.strip()
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "!", "?")) else ".")
