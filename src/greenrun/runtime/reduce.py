"""One event applied to one state (spec: app-runtime 5.2-5.5).

`reduce` never changes the state it is given, and returns the very same object when the event changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from greenrun.document.js import deep_equal, display_text, strict_equal, truthy
from greenrun.document.values import ABSENT, Value, is_number
from greenrun.runtime import events as ev
from greenrun.runtime.state import (
    TRANSCRIPT_LIMIT,
    Accumulation,
    InputSlot,
    InstanceState,
    Invocation,
    Slot,
    TranscriptEntry,
    empty_state,
)

_T = TypeVar("_T")

_SETTLED = {"pending": "empty", "streaming": "done"}


def reduce(state: InstanceState, event: ev.Event) -> InstanceState:
    """The state after the event; the same object when nothing changed.

    Raises:
        TypeError: The object is not an event.
    """
    step = _STEPS.get(type(event))
    if step is None:
        raise TypeError(f"{type(event).__name__} is not an event of an open app")
    return step(state, event)


def append(acc: Accumulation, previous: Value, following: Value) -> tuple[Accumulation, Value]:
    """The next accumulation and value of a stream; a list is never merged into (spec: app-runtime 5.2 Ours O-13)."""
    if acc == "none":
        return "scalar", following
    if acc == "list":
        return "list", [*previous, following]
    scalar = previous is None or isinstance(previous, (str, bool)) or is_number(previous)
    if isinstance(following, str) and scalar:
        return "scalar", display_text(previous) + following
    return "list", [previous, following]


def is_superseded(state: InstanceState, candidate: str, incumbent: str | None) -> bool:
    """True when both runs are known and the candidate is the older one (spec: app-runtime 5.3 Ours O-16)."""
    if incumbent is None or incumbent == candidate:
        return False
    older, newer = state.invocations.get(candidate), state.invocations.get(incumbent)
    return older is not None and newer is not None and older.seq < newer.seq


def fold_entry(entries: list[TranscriptEntry], entry: TranscriptEntry) -> list[TranscriptEntry]:
    """A transcript with one more entry (spec: app-runtime 5.5)."""
    if entry["kind"] == "text" and entries:
        last = entries[-1]
        if last["kind"] == "text" and last.get("source") == entry.get("source"):
            return _amended(entries, len(entries) - 1, {"text": last["text"] + entry["text"]})
    if entry["kind"] == "tool":
        for index, known in enumerate(entries):
            if known["kind"] == "tool" and known["id"] == entry["id"]:
                news = {name: entry[name] for name in ("status", "result") if name in entry}
                return _amended(entries, index, news)
    return [*entries, entry][-TRANSCRIPT_LIMIT:]


def _amended(entries: list[TranscriptEntry], index: int, news: Mapping[str, Any]) -> list[TranscriptEntry]:
    """The transcript with members of one entry replaced; the same list when they were so already."""
    known = entries[index]
    if all(name in known and deep_equal(known[name], value) for name, value in news.items()):
        return entries
    return [*entries[:index], {**known, **news}, *entries[index + 1 :]]


def _with(mapping: Mapping[str, _T], key: str, value: _T) -> dict[str, _T]:
    return {**mapping, key: value}


def _without(mapping: Mapping[str, _T], key: str) -> Mapping[str, _T]:
    if key not in mapping:
        return mapping
    return {name: value for name, value in mapping.items() if name != key}


def _written(mapping: Mapping[str, Value], key: str, value: Value) -> Mapping[str, Value]:
    """The map with that value; an absent value is one that is not there."""
    return _without(mapping, key) if value is ABSENT else _with(mapping, key, value)


def _same(left: Value, right: Value) -> bool:
    return left is right or (type(left) is type(right) and strict_equal(left, right))


def _canonical(state: InstanceState, invocation_id: str) -> str:
    return state.invocation_aliases.get(invocation_id, invocation_id)


def _seed_inputs(state: InstanceState, event: ev.SeedInputs) -> InstanceState:
    fresh = {
        key: InputSlot(value) for key, value in event.values.items() if value is not ABSENT and key not in state.inputs
    }
    return replace(state, inputs={**state.inputs, **fresh}) if fresh else state


def _seed_variables(state: InstanceState, event: ev.SeedVariables) -> InstanceState:
    fresh = {key: value for key, value in event.values.items() if value is not ABSENT and key not in state.variables}
    return replace(state, variables={**state.variables, **fresh}) if fresh else state


def _set_input(state: InstanceState, event: ev.SetInput) -> InstanceState:
    old = state.inputs.get(event.key)
    slot = InputSlot(event.value, event.dirty, (old.revision if old else 0) + 1)
    return replace(state, inputs=_with(state.inputs, event.key, slot))


def _set_view(state: InstanceState, event: ev.SetView) -> InstanceState:
    if _same(state.view.get(event.key, ABSENT), event.value):
        return state
    return replace(state, view=_written(state.view, event.key, event.value))


def _set_variable(state: InstanceState, event: ev.SetVariable) -> InstanceState:
    if event.invocation_id is None:
        return _write_by_user(state, event.variable_id, event.value)
    return _write_by_run(state, event, _canonical(state, event.invocation_id))


def _write_by_user(state: InstanceState, variable_id: str, value: Value) -> InstanceState:
    """A write without a run: it always wins, and nobody owns the variable any more (5.4 Ours O-14, O-17)."""
    owned = any(variable_id in owners for owners in (state.variable_writers, state.claims))
    if not owned and _same(state.variables.get(variable_id, ABSENT), value):
        return state
    return replace(
        state,
        variables=_written(state.variables, variable_id, value),
        variable_acc=_without(state.variable_acc, variable_id),
        variable_writers=_without(state.variable_writers, variable_id),
        claims=_without(state.claims, variable_id),
    )


def _write_by_run(state: InstanceState, event: ev.SetVariable, run: str) -> InstanceState:
    key = event.variable_id
    invocation = state.invocations.get(run)
    if invocation is not None and not invocation.live:
        return state
    writer = state.variable_writers.get(key)
    active = state.active_invocation.get(invocation.operation_id) if invocation is not None else None
    if is_superseded(state, run, writer) or is_superseded(state, run, active):
        return state
    acc: Accumulation = "scalar"
    value = event.value
    if event.disposition == "append" and writer == run:
        acc, value = append(state.variable_acc.get(key, "none"), state.variables.get(key, ABSENT), value)
    unchanged = acc == state.variable_acc.get(key) and _same(state.variables.get(key, ABSENT), value)
    if writer == run and unchanged:
        return state
    return replace(
        state,
        variables=_written(state.variables, key, value),
        variable_acc=_with(state.variable_acc, key, acc),
        variable_writers=state.variable_writers if writer == run else _with(state.variable_writers, key, run),
    )


def _toggle_variable(state: InstanceState, event: ev.ToggleVariable) -> InstanceState:
    return _write_by_user(state, event.variable_id, not truthy(state.variables.get(event.variable_id, ABSENT)))


def _run_started(state: InstanceState, event: ev.RunStarted) -> InstanceState:
    known = state.invocations.get(event.invocation.id)
    if known is not None and not known.live:
        return state
    run, operation_id = event.invocation.id, event.invocation.operation_id
    seq = known.seq if known is not None else state.seq + 1
    # A run that claims a variable twice still gives back the value from before its first claim.
    kept: Mapping[str, Value] = known.previous if known is not None else {}
    previous = {
        key: kept[key] if key in kept and state.claims.get(key) == run else state.variables.get(key, ABSENT)
        for key in event.variable_keys
    }
    invocation = replace(
        event.invocation, seq=seq, variable_keys=tuple(event.variable_keys), previous={**kept, **previous}
    )
    claims_nothing = not event.output_keys and not event.variable_keys
    if claims_nothing and invocation == known and (not event.claim or state.active_invocation.get(operation_id) == run):
        return state
    outputs = dict(state.outputs)
    for key in event.output_keys:
        old = outputs.get(key)
        outputs[key] = Slot(ABSENT, run, "pending", (old.revision if old else 0) + 1)
    state = replace(state, outputs=outputs, seq=max(state.seq, seq))
    if event.variable_keys:
        state = _claim(state, event, run)
    if event.claim:
        state = replace(state, active_invocation=_with(state.active_invocation, operation_id, run))
    return _store(state, invocation)


def _claim(state: InstanceState, event: ev.RunStarted, run: str) -> InstanceState:
    variables, writers, acc, claims = (
        dict(state.variables),
        dict(state.variable_writers),
        dict(state.variable_acc),
        dict(state.claims),
    )
    for key in event.variable_keys:
        default = event.variable_defaults.get(key, ABSENT)
        variables.pop(key, None)
        if default is not ABSENT:
            variables[key] = default
        writers.pop(key, None)
        acc.pop(key, None)
        claims[key] = run
    return replace(state, variables=variables, variable_writers=writers, variable_acc=acc, claims=claims)


def _store(state: InstanceState, invocation: Invocation) -> InstanceState:
    """The state with that record, under its id and every alias of it, and the index of live runs brought up to date."""
    invocations = {**state.invocations, invocation.id: invocation}
    for alias, canonical in state.invocation_aliases.items():
        if canonical == invocation.id:
            invocations[alias] = invocation
    live = state.live
    old = state.invocations.get(invocation.id)
    if old is not None and old.operation_id != invocation.operation_id:
        live = _with(live, old.operation_id, _others(live, old))
    ids = live.get(invocation.operation_id, ())
    if invocation.live != (invocation.id in ids):
        ids = _others(live, invocation)
        if invocation.live:
            ids = tuple(sorted((*ids, invocation.id), key=lambda other: -invocations[other].seq))
        live = _with(live, invocation.operation_id, ids)
    return replace(state, invocations=invocations, live=live)


def _others(live: Mapping[str, tuple[str, ...]], invocation: Invocation) -> tuple[str, ...]:
    """The live runs of the invocation's operation without itself."""
    return tuple(other for other in live.get(invocation.operation_id, ()) if other != invocation.id)


def _invocation_alias(state: InstanceState, event: ev.InvocationAlias) -> InstanceState:
    alias, run = event.alias_id, event.invocation_id
    if alias == run or alias not in state.invocations or run not in state.invocations:
        return state
    aliased = state.invocations[alias]
    return replace(
        state,
        outputs={
            key: replace(slot, invocation_id=run) if slot.invocation_id == alias else slot
            for key, slot in state.outputs.items()
        },
        variable_writers={key: run if writer == alias else writer for key, writer in state.variable_writers.items()},
        claims={key: run if owner == alias else owner for key, owner in state.claims.items()},
        invocation_aliases=_with(state.invocation_aliases, alias, run),
        live=_with(state.live, aliased.operation_id, _others(state.live, aliased)),
    )


def _invocation_status(state: InstanceState, event: ev.InvocationStatus) -> InstanceState:
    old = state.invocations.get(_canonical(state, event.invocation_id))
    if old is None or not old.live:
        return state
    new = replace(old, status=event.status, error=old.error if event.error is None else event.error)
    if new.live:
        return state if new == old else _store(state, new)
    return _store(_settle(state, new), replace(new, progress=ABSENT))


def _settle(state: InstanceState, ended: Invocation) -> InstanceState:
    """The state when a run ends: its slots settle, and what it did not finish is given back (5.4 Ours O-10, O-17)."""
    owned = {
        key: replace(slot, status=_SETTLED.get(slot.status, slot.status))
        for key, slot in state.outputs.items()
        if slot.invocation_id == ended.id and slot.status in _SETTLED
    }
    if owned:
        state = replace(state, outputs={**state.outputs, **owned})
    claimed = [key for key, owner in state.claims.items() if owner == ended.id]
    if not claimed:
        return state
    if ended.status != "completed":
        state = _give_back(state, ended, claimed)
    return replace(state, claims={key: owner for key, owner in state.claims.items() if owner != ended.id})


def _give_back(state: InstanceState, ended: Invocation, claimed: list[str]) -> InstanceState:
    for key in claimed:
        if state.variable_writers.get(key) in (None, ended.id):
            state = replace(
                state,
                variables=_written(state.variables, key, ended.previous.get(key, ABSENT)),
                variable_writers=_without(state.variable_writers, key),
                variable_acc=_without(state.variable_acc, key),
            )
    return state


def _invocation_progress(state: InstanceState, event: ev.InvocationProgress) -> InstanceState:
    old = state.invocations.get(_canonical(state, event.invocation_id))
    # Only a live run has progress: a late message must not give it to one that has ended.
    if old is None or not old.live or _same(old.progress, event.progress):
        return state
    return _store(state, replace(old, progress=event.progress))


def _invocation_error(state: InstanceState, event: ev.InvocationError) -> InstanceState:
    old = state.invocations.get(_canonical(state, event.invocation_id))
    if old is None or old.error == event.error:
        return state
    return _store(state, replace(old, error=event.error))


def _invocation_activity(state: InstanceState, event: ev.InvocationActivity) -> InstanceState:
    run = _canonical(state, event.invocation_id)
    if run not in state.invocations or state.activity.get(run) == event.label:
        return state
    return replace(state, activity=_with(state.activity, run, event.label))


def _invocation_transcript(state: InstanceState, event: ev.InvocationTranscript) -> InstanceState:
    run = _canonical(state, event.invocation_id)
    if run not in state.invocations:
        return state
    known = state.transcripts.get(run, [])
    entries = fold_entry(known, event.entry)
    return state if entries is known else replace(state, transcripts=_with(state.transcripts, run, entries))


def _output_value(state: InstanceState, event: ev.OutputValue) -> InstanceState:
    run = _canonical(state, event.invocation_id)
    invocation = state.invocations.get(run)
    if invocation is None or not invocation.live:
        return state
    old = state.outputs.get(event.key)
    if old is not None and old.invocation_id and old.invocation_id != run:
        return state
    acc: Accumulation = old.acc if old is not None and old.invocation_id == run else "none"
    value = old.value if old is not None and old.invocation_id == run else ABSENT
    if event.value is not ABSENT:
        if event.disposition == "replace":
            acc, value = "scalar", event.value
        else:
            acc, value = append(acc, value, event.value)
    slot = Slot(value, run, "done" if event.done else "streaming", (old.revision if old else 0) + 1, acc)
    return replace(state, outputs=_with(state.outputs, event.key, slot))


def _reset(state: InstanceState, event: ev.Reset) -> InstanceState:
    return empty_state()


_STEPS: dict[type, Callable[[InstanceState, Any], InstanceState]] = {
    ev.SeedInputs: _seed_inputs,
    ev.SeedVariables: _seed_variables,
    ev.SetInput: _set_input,
    ev.SetView: _set_view,
    ev.SetVariable: _set_variable,
    ev.ToggleVariable: _toggle_variable,
    ev.RunStarted: _run_started,
    ev.InvocationAlias: _invocation_alias,
    ev.InvocationStatus: _invocation_status,
    ev.InvocationProgress: _invocation_progress,
    ev.InvocationError: _invocation_error,
    ev.InvocationActivity: _invocation_activity,
    ev.InvocationTranscript: _invocation_transcript,
    ev.OutputValue: _output_value,
    ev.Reset: _reset,
}
