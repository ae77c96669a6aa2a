"""What can happen to an open app (spec: app-runtime 5.4). `reduce` applies an event to a state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from greenrun.document.values import ABSENT, Value
from greenrun.runtime.state import Invocation, TranscriptEntry
from greenrun.runtime.state import InvocationStatus as Status

Disposition: TypeAlias = Literal["append", "replace"]


@dataclass(frozen=True, slots=True)
class SeedInputs:
    """First values of inputs, by state key; a key that has a slot is left alone."""

    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class SeedVariables:
    """First values of variables; a variable that has a value, null included, is left alone."""

    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class SetInput:
    key: str
    value: Value
    dirty: bool = True


@dataclass(frozen=True, slots=True)
class SetView:
    key: str
    value: Value


@dataclass(frozen=True, slots=True)
class SetVariable:
    """A write to a variable, by a run when `invocation_id` is given, else by the user."""

    variable_id: str
    value: Value
    disposition: Disposition = "replace"
    invocation_id: str | None = None


@dataclass(frozen=True, slots=True)
class ToggleVariable:
    variable_id: str


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A run starts and takes over its outputs and variables.

    A run that has to wait is announced with `claim` False and without keys, and does not become the active one; it
    comes again, with its keys, when it starts (spec: app-runtime 5.4 Ours O-34). `variable_defaults` holds the declared
    defaults of `variable_keys`.
    """

    invocation: Invocation
    output_keys: tuple[str, ...] = ()
    variable_keys: tuple[str, ...] = ()
    variable_defaults: Mapping[str, Value] = field(default_factory=dict[str, Value])
    claim: bool = True


@dataclass(frozen=True, slots=True)
class InvocationAlias:
    alias_id: str
    invocation_id: str


@dataclass(frozen=True, slots=True)
class InvocationStatus:
    invocation_id: str
    status: Status
    error: str | None = None


@dataclass(frozen=True, slots=True)
class InvocationProgress:
    invocation_id: str
    progress: Value = ABSENT


@dataclass(frozen=True, slots=True)
class InvocationError:
    invocation_id: str
    error: str


@dataclass(frozen=True, slots=True)
class InvocationActivity:
    invocation_id: str
    label: str


@dataclass(frozen=True, slots=True)
class InvocationTranscript:
    invocation_id: str
    entry: TranscriptEntry


@dataclass(frozen=True, slots=True)
class OutputValue:
    """A value for an output slot; without a value only status and revision change."""

    key: str
    invocation_id: str
    value: Value = ABSENT
    disposition: Disposition = "append"
    done: bool = False


@dataclass(frozen=True, slots=True)
class Reset:
    pass


Event: TypeAlias = (
    SeedInputs
    | SeedVariables
    | SetInput
    | SetView
    | SetVariable
    | ToggleVariable
    | RunStarted
    | InvocationAlias
    | InvocationStatus
    | InvocationProgress
    | InvocationError
    | InvocationActivity
    | InvocationTranscript
    | OutputValue
    | Reset
)
