"""What a finding code means, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from greenrun.document.findings import Severity

CodeSeverity: TypeAlias = Severity | Literal["reason"]


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """One code: what it says (`title`), why it matters (`explanation`) and what to do about it (`remedy`).

    `severity` is ``reason`` for GR9xx: those explain why a verdict is not green and are never findings about the app.
    """

    code: str
    severity: CodeSeverity
    title: str
    explanation: str
    remedy: str


Row: TypeAlias = tuple[str, CodeSeverity, str, str, str]


def table(*rows: Row) -> dict[str, CodeInfo]:
    """The rows of one group by code."""
    return {row[0]: CodeInfo(*row) for row in rows}
