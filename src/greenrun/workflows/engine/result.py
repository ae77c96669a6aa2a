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

OUTPUTS_KEPT = 10_000
"""How many values of one output a result holds: the first ones, and the last."""


class Kept:
    """The values of one output of a run. `node_id` is the first node that sends them."""

    __slots__ = ("cut", "node_id", "values")

    def __init__(self, node_id: str) -> None:
        self.node_id = node_id
        self.values: list[Any] = []
        self.cut = False

    def add(self, value: Any) -> None:
        if len(self.values) < OUTPUTS_KEPT:
            self.values.append(value)
        else:
            self.cut = True
            self.values[-1] = value


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended (spec: nodes A3.24).

    `outputs` maps the name of each sink to every value it got, in order. `error` names each failed node by id and message.
    `error_code` is TIMED_OUT, INVALID (with `validation_issues`), BUDGET_EXCEEDED, NOT_ALLOWED or None; `timed_out_ms` is the
    limit that was hit. `logs` are the lines a function printed. `cut` names the outputs with more than `OUTPUTS_KEPT` values,
    `output_names` those that are Output nodes of the graph and not just ends of it.
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
    cut: tuple[str, ...] = ()
    output_names: frozenset[str] = frozenset()

    @property
    def ok(self) -> bool:
        return self.status == "completed"
