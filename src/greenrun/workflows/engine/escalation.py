"""What happens when a node fails: by default it has failed; a host may be asked first (spec: harness 6.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

Action: TypeAlias = Literal["fail", "skip", "retry", "substitute", "end_stream"]

MAX_DECISIONS = 20
MAX_RETRIES = 3


@dataclass(frozen=True, slots=True)
class Failure:
    """A node failure as a question. `attempt` counts from 1; `declared_outputs` maps handles to type names."""

    node_id: str
    node_type: str
    detail: str
    attempt: int
    retry_safe: bool
    declared_outputs: dict[str, str]
    allowed_actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What to do about a failure. `outputs` are for substitute; `decided_by` says who answered."""

    action: Action
    outputs: dict[str, Any] = field(default_factory=lambda: {})
    reason: str | None = None
    decided_by: str = "agent"


class Escalate(Protocol):
    """Answers failures; it owns its own time limit and answers `fail` when nobody does."""

    async def __call__(self, failure: Failure) -> Answer: ...


DEFAULT = Answer("fail", decided_by="default")


def allowed_actions(*, retry_safe: bool, attempt: int, streaming: bool) -> tuple[Action, ...]:
    """What may be answered: a retry only where it is safe and bounded, a substitute only where values were not yet sent."""
    actions: list[Action] = []
    if retry_safe and attempt <= MAX_RETRIES:
        actions.append("retry")
    if retry_safe and not streaming:
        actions.append("substitute")
    actions.append("skip")
    if streaming:
        actions.append("end_stream")
    return (*actions, "fail")
