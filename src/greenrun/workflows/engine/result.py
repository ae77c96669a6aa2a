"""How a run ended, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

RunStatus: TypeAlias = Literal["completed", "failed", "cancelled"]


@dataclass(slots=True)
class NodeReport:
    """What one node did: `status` is idle until its first firing; times are in milliseconds, cost in US dollars.

    `outputs` holds, by handle, what the node emitted: the first values up to `VALUES_KEPT`, the last of them always the last.
    """

    node_id: str
    node_type: str
    node_name: str
    status: Literal["idle", "running", "completed", "error", "cancelled"] = "idle"
    error: str | None = None
    outputs: dict[str, list[Any]] = field(default_factory=lambda: {})
    firings: int = 0
    duration_ms: float = 0.0
    cost: float | None = None


VALUES_KEPT = 50


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended (spec: nodes A3.24).

    `outputs` maps the name of each sink to every value it got, in order. `error` names each failed node by id and message.
    `error_code` is TIMED_OUT, INVALID (with `validation_issues`) or None; `timed_out_ms` is the limit that was hit.
    `logs` are the lines a function printed.
    """

    status: RunStatus
    error: str | None = None
    outputs: dict[str, list[Any]] = field(default_factory=lambda: {})
    nodes: tuple[NodeReport, ...] = ()
    duration_ms: float = 0.0
    cost: float | None = None
    error_code: str | None = None
    timed_out_ms: float | None = None
    validation_issues: tuple[dict[str, Any], ...] = ()
    interventions: tuple[dict[str, Any], ...] = ()
    logs: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return self.status == "completed"
