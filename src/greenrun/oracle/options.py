"""How to simulate: script, params, limits (spec: harness 3.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class SimulateOptions:
    """`interact` None means the default script, ``()`` no step at all. `timeout_ms` is a ceiling for each run,
    `deadline_ms` bounds the whole simulation, queue waits included. `restored` are persisted values of an earlier session.
    `on_progress` hears one line when something long begins."""

    params: Mapping[str, Any] = field(default_factory=lambda: {})
    interact: Sequence[Any] | None = None
    run: bool = True
    timeout_ms: float | None = None
    deadline_ms: float | None = None
    restored: Mapping[str, Any] = field(default_factory=lambda: {})
    on_progress: Callable[[str], None] | None = None
    job_prefix: str = "headless"
