"""Which events of a widget fire when it reports a change (spec: app-runtime 8.3).

The rules only; the timer that lets held events go after `DEBOUNCE_SECONDS` belongs to the open app.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from greenrun.document.tree import StoredEvent

DEBOUNCE_SECONDS: Final = 0.5

Phase: TypeAlias = Literal["change", "commit"]


@dataclass(frozen=True, slots=True)
class Paced:
    """What a report means: `fire` now, in that order; hold `held`. With `restart` the widget's timer starts anew."""

    fire: tuple[StoredEvent, ...]
    held: tuple[StoredEvent, ...] = ()
    restart: bool = False


def pace(events: Sequence[StoredEvent], trigger: str, phase: Phase, held: tuple[StoredEvent, ...] = ()) -> Paced:
    """What one report of a widget fires and holds, given what the widget's timer holds already.

    Phase ``change`` is a live edit or a click; ``commit`` says that the value has settled: what was held fires, after
    the events that wait for a release. Events of another trigger take no part.
    """
    matching = [event for event in events if event.trigger == trigger]
    if phase == "commit":
        return Paced((*_with_pace(matching, "release"), *held))
    debounced = _with_pace(matching, "debounce")
    live = tuple(event for event in matching if event.pace not in ("release", "debounce"))
    return Paced(live, debounced or held, restart=bool(debounced))


def settle(events: Sequence[StoredEvent], trigger: str, *, commits: bool) -> tuple[StoredEvent, ...]:
    """What one settled change fires as a whole, each event once (harness 3.4.5).

    Live events, on a type that commits those that wait for a release, then the debounced ones.
    """
    changed = pace(events, trigger, "change")
    if not commits:
        return (*changed.fire, *changed.held)
    return (*changed.fire, *pace(events, trigger, "commit", changed.held).fire)


def _with_pace(events: Sequence[StoredEvent], wanted: str) -> tuple[StoredEvent, ...]:
    return tuple(event for event in events if event.pace == wanted)
