"""What happens when a node fails: by default it has failed; a host may be asked first (spec: harness 6.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, TypeAlias

Action: TypeAlias = Literal["fail", "skip", "retry", "substitute", "end_stream"]

MAX_DECISIONS: Final = 20
"""How often one run asks; a failure beyond that is one at once."""

MAX_RETRIES: Final = 3
"""How often one node of a run may be tried again, all its firings together."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A node failure as a question.

    `node_id` is a path (``outer/inner``) for a node of a graph inside the run's. `attempt` counts from 1; `declared_outputs`
    maps handles to type names.
    """

    node_id: str
    node_type: str
    detail: str
    attempt: int
    retry_safe: bool
    declared_outputs: dict[str, str]
    allowed_actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What to do about a failure. `outputs` are for substitute; `decided_by` says who answered.

    `apply_to` says for which later failures of the run it goes too; `remembered`, that it is such an answer and nobody was
    asked again.
    """

    action: Action
    outputs: dict[str, Any] = field(default_factory=lambda: {})
    reason: str | None = None
    decided_by: str = "agent"
    apply_to: Literal["same_node", "all"] | None = None
    remembered: bool = False


class Escalate(Protocol):
    """Answers failures; it owns its own time limit and answers `fail` when nobody does."""

    async def __call__(self, failure: Failure) -> Answer: ...


DEFAULT: Final = Answer("fail", decided_by="default")


def allowed_actions(*, retry_safe: bool, may_retry: bool, streaming: bool) -> tuple[Action, ...]:
    """What may be answered: a retry and a substitute only where that is safe and nothing was sent yet, a retry within bounds."""
    actions: list[Action] = []
    if retry_safe and not streaming:
        if may_retry:
            actions.append("retry")
        actions.append("substitute")
    actions.append("skip")
    if streaming:
        actions.append("end_stream")
    return (*actions, "fail")
