"""Run triggers: events that start an operation, on widgets that can emit them (spec: harness 0)."""

from __future__ import annotations

from dataclasses import dataclass

from greenrun.document.catalog import WIDGETS
from greenrun.document.tree import StoredEvent, Widget
from greenrun.instances.app import App


@dataclass(frozen=True, slots=True)
class RunTrigger:
    """An event that runs an operation, on a widget that can emit it."""

    widget: Widget
    event: StoredEvent
    operation_id: str


def can_fire(widget: Widget, event: StoredEvent) -> bool:
    """Whether the widget type emits the trigger and, for pace release, commits."""
    kind = WIDGETS.get(widget.type)
    return kind is not None and kind.trigger == event.trigger and (event.pace != "release" or kind.commits is True)


def run_triggers(app: App) -> list[RunTrigger]:
    """Every run trigger of the app, in document order."""
    return [
        RunTrigger(widget, event, operation_id)
        for widget in app.widgets
        for event in widget.events
        if event.kind == "run"
        and can_fire(widget, event)
        and (operation_id := event.operation_id or app.default_operation_id) is not None
    ]
