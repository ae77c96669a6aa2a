"""docs/widgets.md: every widget type with what it binds, emits and takes, from the catalogue."""

from __future__ import annotations

from itertools import groupby

from greenrun.document.catalog import WIDGETS
from greenrun.document.widget_types import WidgetType

INTRODUCTION = """\
# Widgets

What can stand on a screen. A widget in `app.json` is `{"type": "<type>", "props": {"id": "...", ...}}`.

- **Binds** says what `binding` is for: *read* shows a value, *write* enters one, *action* and *layout* types have none.
- **Emits** is the trigger of its events.
- **Props** are the fields besides `id`, `binding`, `events`, `visibleWhen` and `disabledWhen`. A prop with a star holds
  widgets.

A type marked "later" is known to check and simulation; it is not drawn yet, which a warning says (GR117).
"""

_COMMON = frozenset({"binding", "events", "visibleWhen", "disabledWhen"})


def page() -> str:
    """The page as Markdown."""
    parts = [INTRODUCTION]
    for category, members in groupby(WIDGETS.values(), key=lambda widget: widget.category):
        parts += [f"## {category.title()}\n", "| Type | Binds | Emits | Props |", "|---|---|---|---|"]
        parts += [_row(widget) for widget in members]
        parts.append("")
    return "\n".join(parts)


def _row(widget: WidgetType) -> str:
    names = [f"`{name}`" + ("*" if name in widget.slots else "") for name in widget.fields if name not in _COMMON]
    binds = widget.mode if "binding" in widget.fields or widget.extra_bindings else "–"
    emits = "–" if widget.trigger == "none" else widget.trigger
    later = "" if widget.rendered else " (later)"
    return f"| {widget.type}{later} | {binds} | {emits} | {', '.join(names) or '–'} |"
