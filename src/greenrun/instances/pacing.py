"""The timers that hold debounced events of an open app until a person pauses (spec: app-runtime 8.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from greenrun.document.tree import StoredEvent, Widget
from greenrun.runtime.pacing import DEBOUNCE_SECONDS, Phase, pace

Events: TypeAlias = tuple[StoredEvent, ...]
Fire: TypeAlias = Callable[[Widget, Events], object]


class Timer(Protocol):
    """Something that was scheduled and can be called off."""

    def cancel(self) -> None: ...


Later: TypeAlias = Callable[[float, Callable[[], None]], Timer]
"""Seconds and what to call then; the running loop's ``call_later`` unless something else is handed in."""


@dataclass(frozen=True, slots=True)
class _Held:
    events: Events
    timer: Timer


class Pacer:
    """At most one timer per widget. `fire` is called with a widget and its held events when its timer ends."""

    def __init__(self, fire: Fire, *, delay: float = DEBOUNCE_SECONDS, later: Later | None = None) -> None:
        self._fire = fire
        self._delay = delay
        self._later = later or _on_the_running_loop
        self._held: dict[str, _Held] = {}

    @property
    def waiting(self) -> frozenset[str]:
        """The widgets that hold events."""
        return frozenset(self._held)

    def report(self, widget: Widget, trigger: str, phase: Phase) -> Events:
        """What fires now. Debounced events are held: a new change restarts the widget's timer, a commit ends it."""
        held = self._held.get(widget.id)
        paced = pace(widget.events, trigger, phase, held.events if held is not None else ())
        if paced.restart:
            self.drop(widget.id)
            timer = self._later(self._delay, lambda: self._end(widget))
            self._held[widget.id] = _Held(paced.held, timer)
        elif not paced.held:
            self.drop(widget.id)
        return paced.fire

    def drop(self, widget_id: str) -> None:
        """Forget what a widget holds: it has been unmounted."""
        held = self._held.pop(widget_id, None)
        if held is not None:
            held.timer.cancel()

    def close(self) -> None:
        """Forget everything that is held."""
        for widget_id in tuple(self._held):
            self.drop(widget_id)

    def _end(self, widget: Widget) -> None:
        held = self._held.pop(widget.id)
        self._fire(widget, held.events)


def _on_the_running_loop(delay: float, call: Callable[[], None]) -> Timer:
    return asyncio.get_running_loop().call_later(delay, call)
