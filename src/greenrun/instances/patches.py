"""What changed on the screen of an open app, for whoever renders it (DESIGN 3.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from greenrun.instances.instance import AppInstance
from greenrun.runtime.evaluator import Key, changed_keys
from greenrun.runtime.state import InstanceState


@dataclass(frozen=True, slots=True)
class Patch:
    """New view models of some widgets, as JSON, in document order. False when there are none.

    `seq` counts the patches that hold something, from 1: whoever receives them in order and sees a gap has lost one.
    """

    seq: int
    widgets: tuple[dict[str, Any], ...]

    def __bool__(self) -> bool:
        return bool(self.widgets)

    def to_json(self) -> dict[str, Any]:
        return {"seq": self.seq, "widgets": list(self.widgets)}


class PatchStream:
    """Collects which widgets changed since the last `take`; the first one gives the view of every widget.

    `notify` is called once after each take, when the first thing changes.
    """

    def __init__(self, instance: AppInstance, notify: Callable[[], object] | None = None) -> None:
        self._instance = instance
        self._notify = notify
        self._seq = 0
        self._changed: set[Key] = set()
        self._stale = True
        self._whole = True
        self._resources = self._resource_states()
        self._stop = instance.observe(self._note)

    def take(self) -> Patch:
        """The widgets whose view may have changed since the last take."""
        instance = self._instance
        resources = self._resource_states()
        self._changed |= {("resources", key) for key, value in resources.items() if value != self._resources[key]}
        if self._whole:
            views = instance.views()
        else:
            views = [instance.view(widget_id) for widget_id in instance.evaluator.affected(self._changed)]
        self._changed.clear()
        self._resources = resources
        self._stale = self._whole = False
        if views:
            self._seq += 1
        return Patch(self._seq, tuple(view.to_json() for view in views))

    def close(self) -> None:
        """Stop collecting."""
        self._stop()

    def _note(self, before: InstanceState, after: InstanceState) -> None:
        self._changed |= changed_keys(before, after)
        if not self._stale:
            self._stale = True
            if self._notify is not None:
                self._notify()

    def _resource_states(self) -> dict[str, Any]:
        resources = self._instance.resources
        return {
            resource.id: (resources.items(resource.id), resources.selected(resource.id))
            for resource in self._instance.app.document.resources
        }
