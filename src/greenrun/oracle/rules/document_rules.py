"""Rules 26, 27 and 0b: what the parser said about the document, as findings with repairs (spec: harness 2.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeAlias

from greenrun.document.catalog import slots
from greenrun.document.conditions import resolve_readable
from greenrun.document.edits.repairs import ROOT_ZONES
from greenrun.document.findings import Finding, Fix, Place
from greenrun.document.js import display_text, is_list, trim
from greenrun.document.nearest import nearest
from greenrun.document.parse import Diagnostic
from greenrun.document.tree import is_component
from greenrun.document.values import is_text
from greenrun.oracle.context import Context
from greenrun.oracle.rules.repairs import edit, set_props
from greenrun.oracle.wording import named
from greenrun.runtime.compact import compact_json

Repair: TypeAlias = Callable[[Context, dict[str, Any]], Fix | None]


def check_document(ctx: Context, diagnostics: Iterable[Diagnostic]) -> Iterator[Finding]:
    """A finding for each diagnostic, in the order of the rules, then the document without widgets."""
    said = [
        ctx.finding(item.code, item.message, item.place, lambda item=item: [_repaired(ctx, item)])
        for item in diagnostics
    ]
    yield from sorted([*said, *_blank_tabs(ctx)], key=lambda finding: finding.code)
    if not ctx.widgets:
        yield ctx.finding("GR115", "The app has no widgets, so there is nothing to use. Add some.", Place())


def _blank_tabs(ctx: Context) -> Iterator[Finding]:
    """Widgets in a tab without a label, which is not shown (spec: app-runtime 17.5)."""
    for widget in ctx.widgets:
        if widget.type != "Tabs":
            continue
        for number, slot in enumerate(slots(widget.type), 1):
            label, content = widget.props.get(f"{slot}Label"), widget.props.get(slot)
            count = sum(map(is_component, content)) if is_list(content) else 0
            if count and trim(display_text(label)) == "":
                verb = "1 widget is" if count == 1 else f"{count} widgets are"
                yield ctx.finding(
                    "GR109",
                    f'{named(widget)}: {verb} never shown, because the tab "{slot}" has no label. Write "{slot}Label".',
                    Place(widget=widget.id, prop=f"{slot}Label"),
                    lambda widget=widget, slot=slot, number=number: [
                        set_props(ctx, widget, "Give the tab a label", {f"{slot}Label": f"Tab {number}"})
                    ],
                )


def _repaired(ctx: Context, item: Diagnostic) -> Fix | None:
    repair = _REPAIRS.get(item.kind)
    return repair(ctx, item.data) if repair is not None else None


def _complete_entry(ctx: Context, data: dict[str, Any]) -> Fix | None:
    """The one carried workflow for an operation without one; the nearest kind for a resource."""
    if data["missing"] == "workflow" and len(ctx.workflow_keys) == 1:
        key = ctx.workflow_keys[0]
        return _raw(data, f'Let it run the workflow "{key}"', {"workflowId": key})
    near = nearest(data["word"], data["choices"]) if data["word"] else None
    return _raw(data, f'Use "{near}"', {data["missing"]: near}) if near is not None else None


def _raw(data: dict[str, Any], title: str, patch: dict[str, Any], list_: str | None = None) -> Fix:
    return Fix(title, (edit("set_raw", list=list_ or data["list"], index=data["index"], patch=patch),))


def _respell_mapping(ctx: Context, data: dict[str, Any]) -> Fix | None:
    near = nearest(data["word"], data["choices"]) if data["word"] else None
    needed = {"variable": "variableId", "resource": "resourceBindingId"}.get(near or "")
    if near is None or near == data["word"] or (needed is not None and not is_text(data["stored"].get(needed))):
        return None
    mapping = {**data["stored"], data["key"]: near}
    arguments = {"id": data["operation"], "side": data["side"], "node": data["node"], "mapping": mapping}
    return Fix(f'Write {data["key"]}: "{near}"', (edit("set_mapping", **arguments),))


def _respell_value(ctx: Context, data: dict[str, Any]) -> Fix | None:
    if "widget" in data:
        return _respell_condition(ctx, data)
    stored, choices = data["stored"], data["choices"]
    near = nearest(stored, choices) if isinstance(stored, str) and "list" in data else None
    return _raw(data, f'Use "{near}"', {data["prop"]: near}) if near is not None else None


def _respell_condition(ctx: Context, data: dict[str, Any]) -> Fix | None:
    """Write the condition that was meant; a binding that it newly gets has to lead somewhere."""
    widget, prop = ctx.widgets_by_id.get(data["widget"]), data["prop"]
    if widget is None or widget.path != data["path"]:
        return None
    if "renamed" in data:
        name = data["renamed"]
        edits = (
            edit("update_component", id=widget.id, props={name: data["stored"]}),
            edit("delete_props", id=widget.id, props=[prop]),
        )
        return Fix(f"Call it {name}", edits)
    meant = data["meant"]
    if meant is None or resolve_readable(meant["binding"], ctx.scope) is None:
        return None
    return set_props(ctx, widget, f"Write {prop} as {compact_json(meant)}", {prop: dict(meant)})


def _keep_for_user(ctx: Context, data: dict[str, Any]) -> Fix:
    return _raw(data, "Set its scope to user", {"scope": "user"}, "variables")


def _rename_entries(ctx: Context, data: dict[str, Any]) -> Fix:
    return _rename(data["entry"], data["id"], len(data["indexes"]))


def _rename_widgets(ctx: Context, data: dict[str, Any]) -> Fix:
    return _rename("component", data["id"], len(data["paths"]))


def _rename(kind: str, id_: str, count: int) -> Fix:
    """Each edit renames what is then the second one; references keep meaning the first."""
    renames = tuple(edit("rename_duplicate", kind=kind, id=id_, occurrence=2) for _ in range(count - 1))
    return Fix("Give the later ones free ids", renames)


def _place_widgets(ctx: Context, data: dict[str, Any]) -> Fix | None:
    widget = ctx.widgets_by_id.get(data["widget"])
    if widget is None or widget.path != data["path"]:
        return None
    slots = data["slots"]
    if not slots:
        move = edit("move_misplaced", id=data["widget"], prop=data["prop"])
        return Fix("Move them behind the widget", (move,))
    slot = nearest(data["prop"], slots) or slots[0]
    move = edit("move_misplaced", id=data["widget"], prop=data["prop"], slot=slot)
    return Fix(f'Move them into the slot "{slot}"', (move,))


def _write_id(ctx: Context, data: dict[str, Any]) -> Fix:
    return Fix("Give it a free id", (edit("set_component_id", path=list(data["path"])),))


def _empty_zone(ctx: Context, data: dict[str, Any]) -> Fix | None:
    move = edit("move_zone", zone=data["zone"])
    if data["zone"].startswith(ROOT_ZONES):
        return Fix("Move the widgets into the content", (move,))
    if data["component"] is None:
        return None
    return Fix(f'Move the widgets into "{data["slot"]}" of "{data["component"]}"', (move,))


def _spell_default(ctx: Context, data: dict[str, Any]) -> Fix | None:
    if "value" not in data:
        return None
    return _raw(data, "Write the default as a value of its type", {"default": data["value"]}, "variables")


_REPAIRS: Final[dict[str, Repair]] = {
    "entry_dropped": _complete_entry,
    "mapping_dropped": _respell_mapping,
    "value_changed": _respell_value,
    "persist_ignored": _keep_for_user,
    "duplicate_id": _rename_entries,
    "duplicate_widget": _rename_widgets,
    "misplaced_widgets": _place_widgets,
    "positional_id": _write_id,
    "zone_content": _empty_zone,
    "default_mismatch": _spell_default,
}
