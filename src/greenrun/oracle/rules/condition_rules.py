"""Rules 8c and 8d: what is odd about a condition or a format, beside what it points at (spec: harness 2.2)."""

from __future__ import annotations

from collections.abc import Iterator

from greenrun.document.catalog import WIDGETS
from greenrun.document.conditions import LITERAL_OPS, is_empty_literal
from greenrun.document.findings import Finding, Fix, Place
from greenrun.document.js import trim
from greenrun.document.nearest import nearest
from greenrun.document.templates import FILTERS, tokens
from greenrun.document.tree import Widget
from greenrun.oracle.context import Context
from greenrun.oracle.rules.repairs import replace_filters, set_props
from greenrun.oracle.usage import conditions_of
from greenrun.oracle.wording import a, existing, named


def check_conditions(ctx: Context, widget: Widget) -> Iterator[Finding]:
    """Rule 8d: a comparison with nothing (spec: app-runtime O-8)."""
    for prop, stored in conditions_of(widget):
        if stored.effective_op in LITERAL_OPS and is_empty_literal(stored.value):
            compared = "the empty text" if stored.effective_op == "contains" else "0 or the empty text"
            yield ctx.finding(
                "GR221",
                f'{named(widget)}: {prop} on "{stored.binding}" with op {stored.effective_op} has no value, so it '
                f"compares with {compared}. Write the value, or use empty or notEmpty.",
                Place(widget=widget.id, prop=prop),
            )


def check_format(ctx: Context, widget: Widget) -> Iterator[Finding]:
    """Rule 8c: unknown filters, and a format on a type that has none."""
    if widget.format is None:
        return
    place = Place(widget=widget.id, prop="format")
    if not WIDGETS[widget.type].format:
        yield ctx.finding("GR220", f"{named(widget)}: {a(widget.type)} has no format; it is ignored.", place)
        return
    template = widget.format
    unknown = dict.fromkeys(
        item.filter for item in tokens(template) if item.filter is not None and item.filter not in FILTERS
    )
    for name in unknown:
        yield ctx.finding(
            "GR220",
            f'{named(widget)}: format uses the filter "{name}", which does not exist, and shows nothing there. '
            f"{existing('Filters', FILTERS)}.",
            place,
            lambda name=name: [_with_filter(ctx, widget, template, name)],
        )


def _with_filter(ctx: Context, widget: Widget, template: str, name: str) -> Fix | None:
    near = nearest(trim(name), FILTERS)
    if near is None:
        return None
    return set_props(ctx, widget, f'Use the filter "{near}"', {"format": replace_filters(template, name, near)})
