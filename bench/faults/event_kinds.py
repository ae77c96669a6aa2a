"""Faults in what the events of a widget do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from bench.faults.seed import Bed, Draft, Fault, Sign, at_widgets, sign, typo
from greenrun.document.bindings import VariableRef, resolve_variable_id
from greenrun.document.catalog import WIDGETS
from greenrun.document.tree import StoredEvent, Widget


def on_event(widget: Widget, event: StoredEvent, change: Callable[[dict[str, Any]], object]) -> Callable[[Draft], None]:
    def changed(draft: Draft) -> None:
        change(draft.props(widget.id)["events"][event.index])

    return changed


def _run_events(bed: Bed) -> Iterator[tuple[Widget, StoredEvent, str]]:
    for widget in bed.starting():
        for event in widget.events:
            if event.kind == "run":
                yield widget, event, event.operation_id or bed.opened.default_operation_id or ""


def _not_run(bed: Bed, widget: Widget, operation: str) -> list[Sign]:
    """Nothing starts the operation any more, or not from this widget."""
    lost = [sign("GR309 GR310", operation=operation), sign("GR714", widget=widget.id)]
    return [*lost, *at_widgets("GR712 GR713 GR718 GR724 GR727 GR728", bed.seen_after(operation))]


def removed_event(bed: Bed) -> Iterator[Fault]:
    """A run event is gone."""
    for widget, event, operation in _run_events(bed):

        def change(draft: Draft, widget: Widget = widget, event: StoredEvent = event) -> None:
            del draft.props(widget.id)["events"][event.index]

        yield from bed.fault("removed event", f"{widget.id} run {operation}", change, _not_run(bed, widget, operation))


def wrong_trigger(bed: Bed) -> Iterator[Fault]:
    """An event waits for what its widget never emits."""
    for widget in bed.widgets:
        for event in widget.events:
            other = "change" if event.trigger == "click" else "click"
            yield from bed.fault(
                "wrong trigger",
                f"{widget.id} event {event.index}",
                on_event(widget, event, lambda raw, other=other: raw.update(trigger=other)),
                sign("GR305", widget=widget.id),
            )


def lost_event_keys(bed: Bed) -> Iterator[Fault]:
    """An event is written with keys of another format."""

    def rename(raw: dict[str, Any]) -> None:
        raw["event"], raw["action"] = raw.pop("trigger"), raw.pop("kind", "run")

    for widget, event, operation in _run_events(bed):
        yield from bed.fault(
            "event with wrong keys",
            f"{widget.id} run {operation}",
            on_event(widget, event, rename),
            sign("GR306", widget=widget.id),
        )


def unknown_event_kind(bed: Bed) -> Iterator[Fault]:
    """An event of a kind that does not exist."""
    for widget in bed.widgets:
        for event in widget.events:
            for kind in (typo(event.kind), "execute"):
                yield from bed.fault(
                    "unknown event kind",
                    f"{widget.id} {kind}",
                    on_event(widget, event, lambda raw, kind=kind: raw.update(kind=kind)),
                    sign("GR304", widget=widget.id),
                )


def misspelt_operation_of_event(bed: Bed) -> Iterator[Fault]:
    """An event runs an operation that does not exist."""
    for widget, event, operation in _run_events(bed):
        yield from bed.fault(
            "misspelt operation of an event",
            f"{widget.id} run {typo(operation)}",
            on_event(widget, event, lambda raw, operation=operation: raw.update(operationId=typo(operation))),
            sign("GR301", widget=widget.id),
        )


def wrong_operation_of_event(bed: Bed) -> Iterator[Fault]:
    """An event runs another operation of the app."""
    for widget, event, operation in _run_events(bed):
        for item in bed.operations:
            if item.id != operation:
                yield from bed.fault(
                    "wrong operation of an event",
                    f"{widget.id} run {item.id}",
                    on_event(widget, event, lambda raw, item=item: raw.update(operationId=item.id)),
                    _not_run(bed, widget, operation),
                )


def cancel_for_run(bed: Bed) -> Iterator[Fault]:
    """An event cancels what it should run."""
    for widget, event, operation in _run_events(bed):
        yield from bed.fault(
            "cancel in place of run",
            f"{widget.id} cancel {operation}",
            on_event(widget, event, lambda raw: raw.update(kind="cancel")),
            _not_run(bed, widget, operation),
        )


def misspelt_event_key(bed: Bed) -> Iterator[Fault]:
    """An event sets a variable that does not exist."""
    for widget in bed.widgets:
        for event in widget.events:
            if event.key is not None and resolve_variable_id(event.key, bed.opened.scope) is not None:
                yield from bed.fault(
                    "misspelt key of an event",
                    f"{widget.id} {typo(event.key)}",
                    on_event(widget, event, lambda raw: raw.update(key=typo(raw["key"]))),
                    sign("GR302", widget=widget.id),
                )


def lost_variable_event(bed: Bed) -> Iterator[Fault]:
    """The event that sets a variable is gone."""
    for widget in bed.widgets:
        for event in widget.events:
            variable = resolve_variable_id(event.key, bed.opened.scope)
            if variable is None or event.kind == "run":
                continue

            def change(draft: Draft, widget: Widget = widget, event: StoredEvent = event) -> None:
                del draft.props(widget.id)["events"][event.index]

            signs = [sign("GR714", widget=widget.id), sign("GR411", variable=variable)]
            yield from bed.fault(
                "removed event that sets a variable",
                f"{widget.id} {event.kind} {event.key}",
                change,
                [*signs, *bed.value_signs(VariableRef(variable))],
            )


def impossible_release(bed: Bed) -> Iterator[Fault]:
    """An event waits for the release of a widget that reports none."""
    for widget in bed.widgets:
        for event in widget.events:
            if WIDGETS[widget.type].commits is not True:
                yield from bed.fault(
                    "release without commit",
                    f"{widget.id} event {event.index}",
                    on_event(widget, event, lambda raw: raw.update(pace="release")),
                    sign("GR307", widget=widget.id),
                )
