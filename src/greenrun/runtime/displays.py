"""What the widgets that display show (spec: app-runtime 7.4)."""

from __future__ import annotations

from typing import Any, Literal

from greenrun.document.bindings import ExecutionRef
from greenrun.document.js import is_list, number_text, ordered_items
from greenrun.document.readers import format_duration, read_sketch, read_timeline, sketch_summary, timeline_summary
from greenrun.document.values import Value, is_nullish, is_number, is_record
from greenrun.runtime.chat import extra_ref, thread_messages
from greenrun.runtime.queries import is_running
from greenrun.runtime.shown import Glance, Shown
from greenrun.runtime.tables import Table, is_dataframe, table_of
from greenrun.runtime.texts import cell_text, is_media, item_text, items_of, json_block, readable_text, text_or_none


def show_text(glance: Glance) -> Shown:
    """Heading, Text, Alert, CodeBlock: the formatted text, else the bound value, else the fixed text."""
    return Shown(_text_or_fixed(glance))


def _text_or_fixed(glance: Glance) -> str | None:
    if glance.display is not None:
        return glance.display
    return glance.text_prop("text") if is_nullish(glance.value) else readable_text(glance.value)


def show_markdown(glance: Glance) -> Shown:
    """Markdown, item by item; media among the items are shown as such."""
    items = _items(glance)
    if glance.display is None and is_nullish(glance.value):
        return Shown(glance.text_prop("text"), body={"items": items})
    return Shown(_items_text(items), body={"items": items})


def show_alert(glance: Glance) -> Shown:
    """Alert: nothing at all when it is empty."""
    text = _text_or_fixed(glance) or None
    return Shown(text, body={"severity": glance.text_prop("severity") or "info", "title": glance.text_prop("title")})


def show_code(glance: Glance) -> Shown:
    return Shown(_text_or_fixed(glance), body={"language": glance.text_prop("language")})


def show_json(glance: Glance) -> Shown:
    """Json: the value as indented JSON."""
    if glance.display is not None:
        return Shown(glance.display)
    return Shown(None if is_nullish(glance.value) else json_block(glance.value))


def show_output(glance: Glance) -> Shown:
    """Output: any value by its own kind, a list item by item."""
    items = _items(glance)
    return Shown(_items_text(items), body={"items": items, **_download(glance)})


def show_list(glance: Glance) -> Shown:
    """List: one line per item."""
    items = _items(glance)
    return Shown(_items_text(items), body={"items": items, "ordered": glance.flag("ordered")})


def show_stat(glance: Glance) -> Shown:
    text = glance.display if glance.display is not None else text_or_none(glance.value)
    return Shown(text, body={"caption": glance.text_prop("caption")})


def show_table(glance: Glance) -> Shown:
    table = table_of(glance.value)
    return Shown(table.text, body=table.to_json())


def show_chart(glance: Glance) -> Shown:
    """Chart: the table that it is drawn from; a person reads no text in it."""
    return Shown(body={"kind": glance.text_prop("chartKind") or "line", **table_of(glance.value).to_json()})


def show_key_value(glance: Glance) -> Shown:
    """KeyValue: one line per entry, in the order of the keys; a list of records is shown one after the other."""
    entries = [
        {"key": key, "value": value, "text": cell_text(value)}
        for record in items_of(glance.value)
        if is_record(record)
        for key, value in ordered_items(record)
    ]
    if not entries:
        return Shown(text_or_none(glance.value) if not is_record(glance.value) else None, body={"entries": []})
    return Shown("\n".join(f"{entry['key']}: {entry['text']}" for entry in entries), body={"entries": entries})


def show_progress(glance: Glance) -> Shown:
    """Progress: the fraction of a running operation times 100, idle otherwise; another number is a percentage as it is.

    `body.percent` is None while there is no number, `body.running` is None where no operation is meant.
    """
    operation_id = progress_operation(glance)
    if operation_id is None:
        percent = glance.value if is_number(glance.value) else None
        return Shown(_percent_text(percent), body={"percent": percent, "running": None})
    running = is_running(glance.context.state, operation_id)
    # Rounded, because 0.07 times 100 is a little more than 7.
    percent = round(glance.value * 100, 6) if running and is_number(glance.value) else None
    return Shown(_percent_text(percent), body={"percent": percent, "running": running})


def progress_operation(glance: Glance) -> str | None:
    """The operation whose progress a Progress shows: the one it is bound to, the default one when it is not bound."""
    ref = glance.widget.ref
    if glance.widget.binding is None:
        return glance.context.evaluator.scope.default_operation_id
    return ref.operation_id if isinstance(ref, ExecutionRef) and ref.field == "progress" else None


def _percent_text(percent: int | float | None) -> str | None:
    if percent is None:
        return None
    return f"{number_text(round(percent, 1))}%"


def show_media(glance: Glance) -> Shown:
    """Image, Audio, Video, PDF, Model3D: one after the other; a text value is an address."""
    sources = [source for value in items_of(glance.value) if (source := _source(value)) is not None]
    return Shown(body={"sources": sources, **_download(glance)})


def _source(value: Value) -> dict[str, Any] | None:
    if is_record(value):
        return value
    return {"uri": value} if isinstance(value, str) and value else None


def _download(glance: Glance) -> dict[str, Any]:
    return {"download": glance.flag("download", default=True), "filename": glance.text_prop("filename")}


def show_download(glance: Glance) -> Shown:
    """Download: the words on its button; what it hands over is the bound value."""
    source = None if is_nullish(glance.value) else glance.value
    return Shown(glance.widget.label or "Download", body={"source": source, "filename": glance.text_prop("filename")})


def show_gallery(glance: Glance) -> Shown:
    """Gallery: its pictures; `selected` is what stands at the selection binding."""
    selected = glance.context.read(extra_ref(glance.widget, "selectionBinding"))
    return Shown(
        selected=selected, body={"items": items_of(glance.value), "tileSize": glance.number_prop("tileSize", 140)}
    )


def show_compare(glance: Glance) -> Shown:
    other = glance.context.read(extra_ref(glance.widget, "compareBinding"))
    return Shown(body={"before": _source(glance.value), "after": _source(other)})


def show_sketch(glance: Glance) -> Shown:
    found = read_sketch(glance.value)
    summary = sketch_summary(found.document)
    text = f"{cell_text(summary['width'])} × {cell_text(summary['height'])}" if summary else None
    return Shown(text, body={"id": found.id, "summary": summary})


def show_timeline(glance: Glance) -> Shown:
    found = read_timeline(glance.value)
    summary = timeline_summary(found.document)
    text = (
        " ".join(part for part in (summary["name"], format_duration(summary["durationMs"])) if part)
        if summary
        else None
    )
    return Shown(text, body={"id": found.id, "summary": summary})


def show_value(glance: Glance) -> Shown:
    """Storyboards and types that are not drawn here: the value as text."""
    return Shown(text_or_none(glance.value))


def show_activity(glance: Glance) -> Shown:
    """AgentActivity: what was said, and which tools were called, in order."""
    if not is_list(glance.value):
        return Shown(text_or_none(glance.value), body={"entries": []})
    entries = [entry for entry in glance.value if is_record(entry)]
    lines = [cell_text(entry.get("text" if entry.get("kind") == "text" else "label")) for entry in entries]
    return Shown("\n".join(lines) or None, body={"entries": entries})


def show_thread(glance: Glance) -> Shown:
    """ChatThread: one line per turn, ``role: text``."""
    messages = thread_messages(glance.widget, glance.context.state)
    lines = [f"{message['role']}: {item_text(message)}" for message in messages]
    return Shown("\n".join(lines) or None, body={"messages": messages})


def _items(glance: Glance) -> list[dict[str, Any]]:
    """The items of a value for the types that show any kind of value, each with its kind and its text."""
    if glance.display is not None:
        return [{"kind": "text", "text": glance.display}]
    return [_item(value) for value in items_of(glance.value)]


def _item(value: Value) -> dict[str, Any]:
    kind = _kind(value)
    if kind == "table":
        table: Table = table_of(value)
        return {"kind": kind, "text": table.text or "", **table.to_json()}
    if kind == "media":
        return {"kind": kind, "text": "", "source": value}
    return {"kind": kind, "text": json_block(value) if kind == "json" else item_text(value)}


def _kind(value: Value) -> Literal["text", "json", "media", "table"]:
    if is_dataframe(value):
        return "table"
    if is_media(value):
        return "media"
    if is_record(value):
        return "text" if item_text(value) != cell_text(value) else "json"
    return "json" if is_list(value) else "text"


def _items_text(items: list[dict[str, Any]]) -> str | None:
    texts = [item["text"] for item in items if item["kind"] != "media"]
    return "\n".join(texts) if texts else None
