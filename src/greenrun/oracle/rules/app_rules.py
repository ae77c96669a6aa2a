"""Rules 11, 12, 14 and 15: what starts runs, and what the user sees of them (spec: harness 2.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from greenrun.document.bindings import ExecutionRef, encode
from greenrun.document.findings import Finding, Fix, Place
from greenrun.document.tree import Widget
from greenrun.oracle.context import Context
from greenrun.oracle.rules.repairs import disable_when, edit, insert_widget, is_addressable
from greenrun.oracle.triggers import RunTrigger
from greenrun.oracle.usage import Guard
from greenrun.oracle.wording import named, quoted

_SELF_DISABLING: Final = frozenset({"Button", "ChatComposer"})
"""They are disabled while an operation that they run is live (spec: app-runtime 7.4)."""

_SECOND_EVENT: Final = {
    "replace": "cancels the running job and starts again",
    "queue": "queues another run",
    "parallel": "starts a second run alongside",
}
_FEEDBACK: Final = ("running", "progress", "activity", "transcript")


def nothing_runs(ctx: Context) -> Iterator[Finding]:
    """Rule 11."""
    if ctx.usage.runs_something:
        return
    yield ctx.finding(
        "GR308",
        "No widget has an event that runs an operation, so nothing can start a run. Give a Button a click event of "
        "kind run.",
        Place(),
        lambda: [run_fix(ctx, ctx.app.default_operation_id)],
    )


def run_fix(ctx: Context, operation_id: str | None) -> Fix | None:
    """A run event on the only Button without events, else a new Button that has one (rules 11 and 24)."""
    if operation_id is None:
        return None
    event = {"trigger": "click", "kind": "run", "operationId": operation_id}
    idle = [widget for widget in ctx.widgets if widget.type == "Button" and not widget.props.get("events")]
    if len(idle) == 1 and is_addressable(ctx, idle[0]):
        add = edit("insert_event", id=idle[0].id, event=event)
        return Fix(f'Let Button "{idle[0].id}" run operation "{operation_id}"', (add,))
    name = ctx.operations[operation_id].operation.name or operation_id
    props = {"label": name, "events": [event]}
    near = ctx.anchor(operation_id)
    return Fix(f'Add a Button that runs operation "{operation_id}"', (insert_widget(ctx, "Button", props, near),))


def unguarded_triggers(ctx: Context) -> Iterator[Finding]:
    """Rule 12, in document order of the triggers."""
    triggers = [
        trigger
        for operation_id, group in ctx.usage.triggers.items()
        if operation_id in ctx.operations and not ctx.operations[operation_id].is_unknown
        for trigger in group
        if trigger.widget.type not in _SELF_DISABLING and not _disabled_while_running(ctx, trigger)
    ]
    for trigger in sorted(triggers, key=lambda item: (ctx.order[id(item.widget)], item.event.index)):
        operation = ctx.operations[trigger.operation_id].operation
        token = encode(ExecutionRef(trigger.operation_id, "running"))
        yield ctx.finding(
            "GR501",
            f'{named(trigger.widget)} runs operation "{trigger.operation_id}" and stays enabled while it runs: a '
            f'second event {_SECOND_EVENT[operation.policy]}. Set disabledWhen to "{token}".',
            Place(widget=trigger.widget.id, operation=trigger.operation_id, prop="disabledWhen"),
            lambda trigger=trigger, token=token: [_disable(ctx, trigger, token)],
        )


def _disabled_while_running(ctx: Context, trigger: RunTrigger) -> bool:
    return any(_holds_while_running(guard, trigger.operation_id) for guard in ctx.guards(trigger.widget))


def _holds_while_running(guard: Guard, operation_id: str) -> bool:
    if guard.prop != "disabledWhen" or guard.ref != ExecutionRef(operation_id, "running"):
        return False
    op, value = guard.stored.effective_op, guard.stored.value
    return op == "notEmpty" or (op == "eq" and (value is True or value == "true"))


def _disable(ctx: Context, trigger: RunTrigger, token: str) -> Fix | None:
    event = trigger.event
    if event.trigger == "change" and event.pace not in ("release", "debounce"):
        return None  # the widget would be disabled under the hand that drags it
    change = disable_when(ctx, trigger.widget, token, "notEmpty")
    return Fix(f'Disable {named(trigger.widget)} while "{trigger.operation_id}" runs', (change,)) if change else None


def _run_by_widgets(ctx: Context) -> list[str]:
    return [id_ for id_, facts in ctx.operations.items() if id_ in ctx.usage.triggers and not facts.is_unknown]


def silent_errors(ctx: Context) -> Iterator[Finding]:
    """Rule 14, once for the app."""
    silent = [item for item in _run_by_widgets(ctx) if not ctx.usage.shown.get(item, {}).get("error")]
    if silent:
        yield ctx.finding(
            "GR504",
            f"No widget shows the error of {_operations(silent)}. Add an Alert bound to its error.",
            Place(operation=silent[0] if len(silent) == 1 else None),
            lambda: [_alerts(ctx, silent)],
        )


def _operations(ids: list[str]) -> str:
    return f"operation {quoted(ids)}" if len(ids) == 1 else f"operations {quoted(ids)}"


def _alerts(ctx: Context, operation_ids: list[str]) -> Fix:
    added: list[dict[str, Any]] = []
    for operation_id in operation_ids:
        props = {"binding": encode(ExecutionRef(operation_id, "error")), "severity": "error"}
        taken = [item["id"] for item in added]
        added.append(insert_widget(ctx, "Alert", props, ctx.anchor(operation_id), taken))
    # From the back, so that one insertion does not shift the place of the next.
    added.sort(key=lambda item: item.get("index", len(ctx.widgets)), reverse=True)
    return Fix(f"Add an Alert for {_operations(operation_ids)}", tuple(added))


def silent_runs(ctx: Context) -> Iterator[Finding]:
    """Rule 15."""
    for operation_id in _run_by_widgets(ctx):
        if not _shows_running(ctx, operation_id) and not _started_beside_a_shown_one(ctx, operation_id):
            yield ctx.finding(
                "GR505",
                f'No widget shows that operation "{operation_id}" is running. Add a Progress bound to '
                f'"{encode(ExecutionRef(operation_id, "progress"))}".',
                Place(operation=operation_id),
                lambda operation_id=operation_id: [_progress(ctx, operation_id)],
            )


def _shows_running(ctx: Context, operation_id: str) -> bool:
    if ctx.usage.unbound_progress and operation_id == ctx.app.default_operation_id:
        return True
    shown = ctx.usage.shown.get(operation_id, {})
    return any(shown.get(name) for name in _FEEDBACK)


def _started_beside_a_shown_one(ctx: Context, operation_id: str) -> bool:
    for trigger in ctx.usage.triggers[operation_id]:
        together = ctx.usage.starts[id(trigger.widget), trigger.event.trigger] - {operation_id}
        if not any(_shows_running(ctx, other) for other in together):
            return False
    return True


def _progress(ctx: Context, operation_id: str) -> Fix:
    props = {"binding": encode(ExecutionRef(operation_id, "progress"))}
    added = insert_widget(ctx, "Progress", props, ctx.anchor(operation_id))
    return Fix(f'Add a Progress for operation "{operation_id}"', (added,))


def unreachable(ctx: Context, operation_id: str) -> Iterator[Finding]:
    """Rules 24a and 24b."""
    if operation_id in ctx.usage.triggers:
        return
    shown = ctx.usage.shown.get(operation_id, {})
    watchers: list[tuple[str, Widget]] = [(name, widget) for name, widgets in shown.items() for widget in widgets]
    place = Place(operation=operation_id)
    if not watchers:
        yield ctx.finding(
            "GR310",
            f'Nothing runs operation "{operation_id}": no widget has a run event for it, and none shows its state.',
            place,
            lambda: [run_fix(ctx, operation_id)],
        )
        return
    where = ", ".join(f"{named(widget)} ({name})" for name, widget in watchers)
    yield ctx.finding(
        "GR309",
        f'Nothing runs operation "{operation_id}", although widgets show its state: {where}. Add a run event for it.',
        place,
        lambda: [run_fix(ctx, operation_id)],
    )
