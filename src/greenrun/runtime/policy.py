"""Whether a run starts now, replaces others or waits for them (spec: app-runtime 10)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from greenrun.document.model import Operation
from greenrun.runtime.state import InstanceState

DecisionKind: TypeAlias = Literal["start", "replace", "queue"]


@dataclass(frozen=True, slots=True)
class Decision:
    """`ids` are the live runs, newest first, that are to be cancelled (replace) or waited for (queue)."""

    kind: DecisionKind
    ids: tuple[str, ...] = ()


def decide_run(state: InstanceState, operation: Operation) -> Decision:
    """The decision for a new run of the operation; runs of other operations never matter."""
    live = state.live.get(operation.id, ())
    if not live or operation.policy == "parallel":
        return Decision("start")
    return Decision(operation.policy, live)
