"""Keeping debug runs where they can be read again (spec: harness 3.9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One real run of a simulation: its input snapshot, its messages, how it ended, and what it belongs to."""

    job_id: str
    operation_id: str
    snapshot: str
    closure: str | None
    params: Mapping[str, Any]
    node_properties: Mapping[str, Mapping[str, Any]]
    messages: Sequence[Mapping[str, Any]]
    status: str
    error: str | None
    duration_ms: float
    origin: Literal["debug"] = "debug"


class Recorder(Protocol):
    """What a host hands in to keep runs; a simulation without runs records none."""

    async def record(self, run: RecordedRun) -> str:
        """Store a run; returns the id under which it can be read."""
        ...
