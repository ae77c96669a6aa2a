"""What a state says (spec: app-runtime 5.6, 6.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from greenrun.document.bindings import ExecutionRef, InputRef, NodePropertyRef, OutputRef, Ref, VariableRef
from greenrun.document.values import ABSENT, Value
from greenrun.runtime.state import InstanceState, Invocation, TranscriptEntry

_NO_TRANSCRIPT: Final[list[TranscriptEntry]] = []


def invocations_of(state: InstanceState, operation_id: str) -> list[Invocation]:
    """All runs of an operation, newest first; a run known under an alias is listed once."""
    runs = [
        invocation
        for key, invocation in state.invocations.items()
        if invocation.operation_id == operation_id and key not in state.invocation_aliases
    ]
    return sorted(runs, key=lambda invocation: -invocation.seq)


def live_invocations(state: InstanceState, operation_id: str) -> list[Invocation]:
    """The pending and running runs of an operation, newest first."""
    return [state.invocations[key] for key in state.live.get(operation_id, ())]


def is_running(state: InstanceState, operation_id: str) -> bool:
    """True while any run of the operation is live."""
    return bool(state.live.get(operation_id))


def active_invocation(state: InstanceState, operation_id: str) -> Invocation | None:
    """The run whose execution state the operation shows: the one that started last."""
    key = state.active_invocation.get(operation_id)
    return state.invocations.get(key) if key is not None else None


def progress(state: InstanceState, operation_id: str) -> Value:
    """Fraction 0..1 of the active run, or absent."""
    active = active_invocation(state, operation_id)
    return ABSENT if active is None else active.progress


def error(state: InstanceState, operation_id: str) -> Value:
    """Error text of the active run, or absent."""
    active = active_invocation(state, operation_id)
    return ABSENT if active is None or active.error is None else active.error


def activity(state: InstanceState, operation_id: str) -> Value:
    """Latest activity label of the active run, or absent."""
    active = active_invocation(state, operation_id)
    return ABSENT if active is None else state.activity.get(active.id, ABSENT)


def transcript(state: InstanceState, operation_id: str) -> list[TranscriptEntry]:
    """Transcript of the active run; one shared empty list when there is none. Not to be changed by the caller."""
    active = active_invocation(state, operation_id)
    return _NO_TRANSCRIPT if active is None else state.transcripts.get(active.id, _NO_TRANSCRIPT)


_EXECUTION: Final[dict[str, Callable[[InstanceState, str], Value]]] = {
    "running": is_running,
    "progress": progress,
    "error": error,
    "activity": activity,
    "transcript": transcript,
}


def read(state: InstanceState, ref: Ref) -> Value:
    """The value that a reference stands for, or absent.

    Conditions and templates hand in variable, output, input and execution refs only (spec: app-runtime 6.1); a widget
    also reads its own view slot or node property here.
    """
    if isinstance(ref, VariableRef):
        return state.variables.get(ref.variable_id, ABSENT)
    if isinstance(ref, OutputRef):
        output = state.outputs.get(ref.state_key)
        return ABSENT if output is None else output.value
    if isinstance(ref, (InputRef, NodePropertyRef)):
        slot = state.inputs.get(ref.state_key)
        return ABSENT if slot is None else slot.value
    if isinstance(ref, ExecutionRef):
        return _EXECUTION[ref.field](state, ref.operation_id)
    return state.view.get(ref.state_key, ABSENT)
