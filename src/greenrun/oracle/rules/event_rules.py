"""Rules 10a-10g: what the events of a widget do, and whether they can fire (spec: harness 2.2).

Rule 10b, the variable that an event sets, stands with the bindings; here only the event without a key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from greenrun.document.catalog import WIDGETS
from greenrun.document.event_kinds import VARIABLE_EVENTS
from greenrun.document.findings import Finding, Fix, Place
from greenrun.document.model import Resource
from greenrun.document.nearest import nearest
from greenrun.document.tree import DroppedEvent, StoredEvent, Widget
from greenrun.document.values import is_record
from greenrun.oracle.context import Context
from greenrun.oracle.rules.repairs import update_event
from greenrun.oracle.wording import a, existing, named

_KINDS: Final = ("run", "cancel", "setVariable", "toggleVariable", "resourceCommand", "openResource")
_KNOWN: Final = frozenset({*_KINDS, *VARIABLE_EVENTS})
_COMMANDS: Final = ("read", "create", "update", "delete", "upload")
_NEEDS: Final = {"upload": "create"}
"""Commands that need another right than their own name (spec: app-runtime 8.2)."""


def check_events(ctx: Context, widget: Widget, dropped: Iterable[DroppedEvent]) -> Iterator[Finding]:
    """All rules for the events of one widget of a known type; `dropped` are its entries without a usable trigger."""
    for rule in _RULES:
        for event in widget.events:
            yield from rule(ctx, widget, event)
    for entry in dropped:
        yield from _dropped(ctx, widget, entry)


def _place(widget: Widget, event: StoredEvent, prop: str) -> Place:
    return Place(widget=widget.id, prop=f"events[{event.index}].{prop}")


def _undeclared_operation(ctx: Context, widget: Widget, event: StoredEvent) -> Iterator[Finding]:
    """Rule 10a."""
    target = event.operation_id or ctx.app.default_operation_id
    if event.kind not in ("run", "cancel") or target in ctx.operations:
        return
    names = f'operation "{target}", which is not declared' if target is not None else "an operation, and there is none"
    near = nearest(target or "", ctx.operations)
    yield ctx.finding(
        "GR301",
        f"{named(widget)}: its {event.trigger} event ({event.kind}) names {names}. "
        f"{existing('Declared', ctx.operations)}.",
        Place(widget=widget.id, operation=target, prop=f"events[{event.index}].operationId"),
        lambda: (
            [update_event(ctx, widget, event.index, f'Name operation "{near}"', {"operationId": near})] if near else []
        ),
    )


def _no_key(ctx: Context, widget: Widget, event: StoredEvent) -> Iterator[Finding]:
    """Rule 10b for an event that names no variable at all."""
    if event.kind in VARIABLE_EVENTS and event.key is None:
        yield ctx.finding(
            "GR302",
            f"{named(widget)}: its {event.trigger} event ({event.kind}) has no key, so it names no variable. "
            f"{ctx.variable_roster}.",
            _place(widget, event, "key"),
        )


def _resource(ctx: Context, widget: Widget, event: StoredEvent) -> Iterator[Finding]:
    """Rule 10c."""
    if event.kind not in ("resourceCommand", "openResource"):
        return
    resources = {item.id: item for item in reversed(ctx.document.resources)}
    wanted = event.resource_binding_id
    resource = resources.get(wanted) if wanted is not None else None
    fault = _resource_fault(event, resource, list(resources))
    if fault is not None:
        near = nearest(wanted or "", resources) if resource is None else None
        yield ctx.finding(
            "GR303",
            f"{named(widget)}: its {event.trigger} event ({event.kind}) {fault}",
            Place(widget=widget.id, resource=wanted, prop=f"events[{event.index}]"),
            lambda: (
                [update_event(ctx, widget, event.index, f'Name resource "{near}"', {"resourceBindingId": near})]
                if near
                else []
            ),
        )


def _resource_fault(event: StoredEvent, resource: Resource | None, declared: list[str]) -> str | None:
    command = event.command
    about = f' with command "{command}"' if command is not None else ""
    if event.resource_binding_id is None:
        return f"{about.strip()} names no resource. {existing('Declared', declared)}.".lstrip()
    if resource is None:
        named_resource = f'names the resource "{event.resource_binding_id}"{about}'
        return f"{named_resource}, which is not declared. {existing('Declared', declared)}."
    if event.kind == "openResource":
        return None
    if command not in _COMMANDS:
        said = f'has the unknown command "{command}"' if command is not None else "has no command"
        return f'for resource "{resource.id}" {said}. {existing("Commands", _COMMANDS)}.'
    needed = _NEEDS.get(command, command)
    if needed in resource.operations:
        return None
    allowed = existing("It allows", resource.operations)
    return f'needs "{needed}" for the command "{command}" on resource "{resource.id}". {allowed}.'


def _unknown_kind(ctx: Context, widget: Widget, event: StoredEvent) -> Iterator[Finding]:
    """Rule 10d."""
    if event.kind in _KNOWN:
        return
    near = nearest(event.kind.strip(), _KINDS)
    yield ctx.finding(
        "GR304",
        f'{named(widget)}: its {event.trigger} event has the unknown kind "{event.kind}" and does nothing. '
        f"{existing('Kinds', _KINDS)}.",
        _place(widget, event, "kind"),
        lambda: [_with_kind(ctx, widget, event, near)],
    )


def _with_kind(ctx: Context, widget: Widget, event: StoredEvent, near: str | None) -> Fix | None:
    """The nearest kind; an event that names nothing but an operation which nothing runs most likely means run."""
    if near is None and event.key is None and event.resource_binding_id is None and event.command is None:
        target = event.operation_id or ctx.app.default_operation_id
        near = "run" if target in ctx.operations and target not in ctx.usage.triggers else None
    return update_event(ctx, widget, event.index, f'Use kind "{near}"', {"kind": near}) if near is not None else None


def _foreign_trigger(ctx: Context, widget: Widget, event: StoredEvent) -> Iterator[Finding]:
    """Rule 10e."""
    own = WIDGETS[widget.type].trigger
    if event.trigger == own:
        return
    emits = f"it emits {own}" if own != "none" else "it emits nothing"
    yield ctx.finding(
        "GR305",
        f"{named(widget)}: its event waits for {event.trigger}, which {a(widget.type)} never emits; {emits}.",
        _place(widget, event, "trigger"),
        lambda: [_own_trigger(ctx, widget, event.index)],
    )


def _own_trigger(ctx: Context, widget: Widget, index: int) -> Fix | None:
    own = WIDGETS[widget.type].trigger
    if own == "none":
        return None
    return update_event(ctx, widget, index, f"Use trigger {own}", {"trigger": own})


def _no_release(ctx: Context, widget: Widget, event: StoredEvent) -> Iterator[Finding]:
    """Rule 10g."""
    if event.pace == "release" and WIDGETS[widget.type].commits is not True:
        yield ctx.finding(
            "GR307",
            f"{named(widget)}: its event has pace release, but {a(widget.type)} reports no release, so it never fires. "
            "Use pace live.",
            _place(widget, event, "pace"),
            lambda: [update_event(ctx, widget, event.index, "Use pace live", {"pace": "live"})],
        )


def _dropped(ctx: Context, widget: Widget, entry: DroppedEvent) -> Iterator[Finding]:
    """Rule 10f."""
    if is_record(entry.raw):
        keys = existing("Its keys", entry.raw)
        said = f"trigger {entry.raw['trigger']!r}" if "trigger" in entry.raw else "no trigger"
        fixes = lambda: [_own_trigger(ctx, widget, entry.index)]  # noqa: E731
    else:
        keys, said, fixes = "It is no object", "no trigger", None
    own = WIDGETS[widget.type].trigger
    wanted = f"{a(widget.type)} emits {own}" if own != "none" else f"{a(widget.type)} emits none"
    yield ctx.finding(
        "GR306",
        f"{named(widget)}: event {entry.index} has {said}, so it is ignored. {keys}; {wanted}.",
        Place(widget=widget.id, prop=f"events[{entry.index}].trigger"),
        fixes,
    )


_RULES: Final[tuple[Callable[[Context, Widget, StoredEvent], Iterator[Finding]], ...]] = (
    _undeclared_operation,
    _no_key,
    _resource,
    _unknown_kind,
    _foreign_trigger,
    _no_release,
)
