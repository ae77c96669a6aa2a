"""What an open app asks of its host when an operation runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from greenrun.instances.app import AppOperation

Message: TypeAlias = dict[str, Any]
"""One message of a run (spec: nodes A8)."""

Emit: TypeAlias = Callable[[Message], None]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One run of one operation.

    `job_id` is assigned before the start and stamped on every message. `params` are keyed by input name,
    `node_properties` by node id and property (spec: harness 3.5, 3.6). `timeout_ms` is the limit that the open app enforces;
    a runner may use it for the limits of its own workers.
    """

    job_id: str
    operation: AppOperation
    params: dict[str, Any] = field(default_factory=lambda: {})
    node_properties: dict[str, dict[str, Any]] = field(default_factory=lambda: {})
    timeout_ms: float | None = None


class Runner(Protocol):
    """Runs operations. Cancelling the awaiting task cancels the run: the runner stops its work before it lets go."""

    async def run(self, request: RunRequest, emit: Emit) -> object:
        """Run to the end, handing over every message as it comes. An exception fails the invocation with its text."""
        ...
