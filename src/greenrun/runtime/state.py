"""The state of an open app (spec: app-runtime 5.1).

Every class here is immutable and every map is copied on write: a state that was handed out never changes. A host
compares states, and the maps inside them, by identity to see what an event changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from greenrun.document.values import ABSENT, Value

SlotStatus: TypeAlias = Literal["empty", "pending", "streaming", "done"]
InvocationStatus: TypeAlias = Literal["pending", "running", "completed", "failed", "cancelled"]
Accumulation: TypeAlias = Literal["none", "scalar", "list"]
TranscriptEntry: TypeAlias = dict[str, Any]

LIVE_STATUSES: Final = frozenset({"pending", "running"})
TRANSCRIPT_LIMIT: Final = 200


def _empty() -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class InputSlot:
    """What the user or the seed put into an input or a node property."""

    value: Value
    dirty: bool = False
    revision: int = 0


@dataclass(frozen=True, slots=True)
class Slot:
    """What an output shows. `invocation_id` is the run that owns it; `acc` says how far appending has got (5.2)."""

    value: Value = ABSENT
    invocation_id: str | None = None
    status: SlotStatus = "empty"
    revision: int = 0
    acc: Accumulation = "none"


@dataclass(frozen=True, slots=True)
class Invocation:
    """The app's record of one run.

    `started_at` is the host's clock or counter. `progress` is a fraction or absent, `error` a text or None. `seq` is
    the number of the invocation in its instance and orders them. `previous` keeps the values that variables had before
    this run claimed them.
    """

    id: str
    operation_id: str
    status: InvocationStatus = "pending"
    started_at: int | float = 0
    progress: Value = ABSENT
    error: str | None = None
    variable_keys: tuple[str, ...] = ()
    seq: int = 0
    previous: Mapping[str, Value] = field(default_factory=_empty)

    @property
    def live(self) -> bool:
        """True while the run is pending or running."""
        return self.status in LIVE_STATUSES


@dataclass(frozen=True, slots=True)
class InstanceState:
    """The ten maps of an open app, and what keeps them consistent.

    `variable_acc`, `claims` and `seq` are additions of ours (spec: app-runtime 5.1 Ours). `live` is an index of
    `invocations`: the live runs of each operation, newest first.
    """

    inputs: Mapping[str, InputSlot] = field(default_factory=_empty)
    outputs: Mapping[str, Slot] = field(default_factory=_empty)
    variables: Mapping[str, Value] = field(default_factory=_empty)
    view: Mapping[str, Value] = field(default_factory=_empty)
    invocations: Mapping[str, Invocation] = field(default_factory=_empty)
    active_invocation: Mapping[str, str] = field(default_factory=_empty)
    invocation_aliases: Mapping[str, str] = field(default_factory=_empty)
    activity: Mapping[str, str] = field(default_factory=_empty)
    transcripts: Mapping[str, list[TranscriptEntry]] = field(default_factory=_empty)
    variable_writers: Mapping[str, str] = field(default_factory=_empty)
    variable_acc: Mapping[str, Accumulation] = field(default_factory=_empty)
    claims: Mapping[str, str] = field(default_factory=_empty)
    seq: int = 0
    live: Mapping[str, tuple[str, ...]] = field(default_factory=_empty)


_EMPTY: Final = InstanceState()


def empty_state() -> InstanceState:
    """A fresh state: ten empty maps."""
    return _EMPTY
