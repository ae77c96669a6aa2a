"""docs/findings.md: every code, from the catalogue that the findings themselves are made of."""

from __future__ import annotations

from itertools import groupby

from greenrun.document.codes import CODES, CodeInfo

GROUPS = {
    "1": "Document",
    "2": "Bindings",
    "3": "Events and triggers",
    "4": "Operations and mappings",
    "5": "Guards and feedback",
    "6": "Workflows and graphs",
    "7": "Runs",
    "8": "Agreement with the page",
    "9": "Reasons why nothing could be decided",
}

INTRODUCTION = """\
# Findings

Everything that a check or a simulation has to say has one of these codes. A code keeps its meaning for ever.

An **error** makes an app red. A **warning** leaves it green. An **info** is shown and counted nowhere. A **reason** (GR9xx)
is no finding about the app: it says why nothing could be decided, and the verdict is then `check_failed`, never green.
The codes GR8xx are kept for the comparison with a real page, which this version does not have yet.

`greenrun fix` applies the mechanical repairs; those that need a decision are listed with what to do.
"""


def page() -> str:
    """The page as Markdown."""
    parts = [INTRODUCTION]
    for group, members in groupby(sorted(CODES.values(), key=lambda item: item.code), key=lambda item: item.code[2]):
        codes = list(members)
        parts.append(f"- [{GROUPS[group]}](#{_anchor(GROUPS[group])}): {codes[0].code} to {codes[-1].code}")
    parts.append("")
    for group, members in groupby(sorted(CODES.values(), key=lambda item: item.code), key=lambda item: item.code[2]):
        parts.append(f"## {GROUPS[group]}\n")
        parts.extend(_entry(item) for item in members)
    return "\n".join(parts)


def _entry(item: CodeInfo) -> str:
    return f"### {item.code} {item.title}\n\n*{item.severity}*. {item.explanation}\n\n**Do:** {item.remedy}\n"


def _anchor(heading: str) -> str:
    return heading.lower().replace(" ", "-")
