"""Changes that are no faults: an app is as green with them as without."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any, Final, TypeAlias

from bench.faults.function_code import all_begin_with
from bench.faults.seed import Bed, Draft, SeedApp
from greenrun.document.bindings import migrate, resolve
from greenrun.document.catalog import slots
from greenrun.document.refs import InputRef, OutputRef, VariableRef, encode

Change: TypeAlias = Callable[[Bed, Draft], object]


def _reversed(value: Any, ordered: Collection[str] = ()) -> Any:
    """The value with the keys of every object turned round; objects under a key of `ordered` keep their order."""
    if isinstance(value, dict):
        kept = {key: item if key in ordered else _reversed(item, ordered) for key, item in value.items()}
        return {key: kept[key] for key in reversed(kept)}
    return [_reversed(item, ordered) for item in value] if isinstance(value, list) else value


def reordered_keys(bed: Bed, draft: Draft) -> None:
    """Every object of the document has its keys in another order."""
    draft.document = _reversed(draft.document)


def sorted_graphs(bed: Bed, draft: Draft) -> None:
    """Keys of the graphs in another order, save where a person put inputs and outputs in order."""
    draft.graphs = _reversed(draft.graphs, ordered=("dynamic_properties", "dynamic_inputs", "dynamic_outputs"))


def renamed_labels(bed: Bed, draft: Draft) -> None:
    """Other labels, titles and names; the script goes by ids."""
    for component, *_ in draft.components():
        for name in ("label", "title", "caption", "placeholder"):
            if isinstance(component["props"].get(name), str):
                component["props"][name] += " (new)"
    for operation in draft.document["operations"]:
        operation["name"] = f"{operation['id']} renamed"


def unknown_props(bed: Bed, draft: Draft) -> None:
    """Keys that this version does not know, everywhere."""
    draft.document["x-editor"] = {"zoom": 2}
    draft.document["ui"]["root"]["props"]["theme-hint"] = "dark"
    for entry in [*draft.document["operations"], *(draft.document.get("variables") or [])]:
        entry["comment"] = "kept"
    for component, *_ in draft.components():
        component["props"]["data-note"] = ["anything", 1]
        for event in component["props"].get("events") or []:
            event["note"] = "kept"


def reversed_siblings(bed: Bed, draft: Draft) -> None:
    """Widgets of every slot in the opposite order."""
    content = draft.document["ui"]["content"]
    lists = [content]
    for component, *_ in draft.components():
        lists += [component["props"][name] for name in slots(component["type"]) if component["props"].get(name)]
    for entries in lists:
        entries.reverse()


def moved_to_top(bed: Bed, draft: Draft) -> None:
    """A widget that shows a result stands at the top of the app."""
    for widget in bed.reading():
        component, siblings, parent, _ = draft.find(widget.id)
        if parent is not None and not _is_guarded(bed, widget.id):
            siblings.remove(component)
            draft.document["ui"]["content"].insert(0, component)
            return


def _is_guarded(bed: Bed, widget: str) -> bool:
    """Whether something around the widget has a condition, so that moving it out means something."""
    by_id = {item.id: item for item in bed.widgets}
    parent = by_id[widget].parent_id
    while parent is not None:
        if by_id[parent].visible_when is not None or by_id[parent].disabled_when is not None:
            return True
        parent = by_id[parent].parent_id
    return False


def wrapped(bed: Bed, draft: Draft) -> None:
    """All content in a panel in a panel."""
    content = draft.document["ui"]["content"]
    inner = {"type": "Container", "props": {"id": "wrap-inner", "title": "", "content": content}}
    outer = {"type": "Accordion", "props": {"id": "wrap-outer", "title": "All", "content": [inner]}}
    draft.document["ui"]["content"] = [outer]


def added_texts(bed: Bed, draft: Draft) -> None:
    """Decoration between the widgets."""
    content = draft.document["ui"]["content"]
    for number, type_ in enumerate(("Text", "Heading", "Divider", "Spacer", "Alert", "Markdown", "Image")):
        content.insert(
            number, {"type": type_, "props": {"id": f"added-{type_}", "text": "Some words", "title": "Hint"}}
        )


def unused_variable(bed: Bed, draft: Draft) -> None:
    """A variable that nothing uses."""
    draft.declare("unused_by_all", default="x")


def explicit_mappings(bed: Bed, draft: Draft) -> None:
    """The mappings that hold anyway, written out."""
    for item in bed.operations:
        stored = draft.operation(item.id)
        for port in bed.inputs(item):
            stored.setdefault("inputs", {}).setdefault(port.node_id, {"from": "widget"})
        for port in bed.outputs(item):
            stored.setdefault("outputs", {}).setdefault(port.node_id, {"to": "display"})


def reordered_mappings(bed: Bed, draft: Draft) -> None:
    """Mappings, variables and resources in another order; the first operation stays the default one."""
    for operation in draft.document["operations"]:
        operation["inputs"] = _reversed(operation.get("inputs") or {})
        operation["outputs"] = _reversed(operation.get("outputs") or {})
    for name in ("variables", "resources"):
        draft.document[name] = list(reversed(draft.document.get(name) or []))


def bare_names(bed: Bed, draft: Draft) -> None:
    """Names in place of tokens wherever a name means the same."""
    scope = bed.opened.scope
    for widget in bed.widgets:
        ref, mode = widget.ref, widget.mode
        if widget.binding is None or ref is None or mode not in ("read", "write"):
            continue
        name = _name_of(bed, ref)
        if name is not None and resolve(name, scope, mode) == ref:  # type: ignore[arg-type]
            draft.props(widget.id)["binding"] = name


def _name_of(bed: Bed, ref: object) -> str | None:
    if isinstance(ref, VariableRef):
        return ref.variable_id
    for item in bed.operations:
        if isinstance(ref, InputRef) and item.id == ref.operation_id:
            return next((port.name for port in bed.inputs(item) if port.node_id == ref.node_id), None)
        if isinstance(ref, OutputRef) and item.id == ref.operation_id:
            return next((port.name for port in bed.outputs(item) if port.node_id == ref.node_id), None)
    return None


def canonical_tokens(bed: Bed, draft: Draft) -> None:
    """Tokens in place of names, as the migration writes them, and conditions too."""
    by_id = {component["props"]["id"]: component["props"] for component, *_ in draft.components()}
    for rewrite in migrate(bed.widgets, bed.opened.scope).rewrites:
        by_id[rewrite.widget_id][rewrite.prop] = rewrite.new
    for widget in bed.widgets:
        for prop, stored in (("visibleWhen", widget.visible_when), ("disabledWhen", widget.disabled_when)):
            ref = bed.resolve(stored.binding) if stored is not None else None
            if ref is not None:
                by_id[widget.id][prop]["binding"] = encode(ref)


def empty_texts_in_events(bed: Bed, draft: Draft) -> None:
    """The empty texts that an editor leaves in events."""
    for component, *_ in draft.components():
        for event in component["props"].get("events") or []:
            for name in ("key", "value", "invocationId", "resourceBindingId", "command"):
                event.setdefault(name, "")


def shuffled_graphs(bed: Bed, draft: Draft) -> None:
    """Nodes at other places of the canvas, edges in another order."""
    for key in draft.graphs:
        graph = draft.graph(key)
        graph["edges"] = _otherwise_ordered(graph["edges"])
        for number, node in enumerate(graph["nodes"]):
            node["ui_properties"] = {**node.get("ui_properties", {}), "position": {"x": number, "y": 0}}


def _otherwise_ordered(edges: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The edges reversed; those that enter one handle keep their order, in which a list of their values is made."""
    by_end: dict[tuple[Any, Any], list[dict[str, Any]]] = {}
    for edge in edges:
        by_end.setdefault((edge.get("target"), edge.get("targetHandle")), []).append(edge)
    return [edge for group in reversed(by_end.values()) for edge in group]


def commented_code(bed: Bed, draft: Draft) -> None:
    """Comments and a function of its own in every module."""
    for module, source in draft.functions.items():
        draft.functions[module] = f"{source}\n\n# A remark.\ndef _unused_here(value):\n    return value\n"


def chatty_code(bed: Bed, draft: Draft) -> None:
    """Functions that print a million characters first."""
    draft.functions |= all_begin_with(bed, "[print('so much to say ' * 200) for _ in range(350)]")


def threads_left_behind(bed: Bed, draft: Draft) -> None:
    """Functions that leave a thread and a process at work when they return."""
    start = (
        "import subprocess, sys, threading, time; threading.Thread(target=time.sleep, args=(30,), daemon=True).start(); "
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(30)'])"
    )
    draft.functions |= all_begin_with(bed, start)


def longer_limits(bed: Bed, draft: Draft) -> None:
    """Other time limits, long enough."""
    for operation in draft.document["operations"]:
        operation["timeoutMs"] = 60_000


def absent_lists(bed: Bed, draft: Draft) -> None:
    """Nothing where an empty list or object stood."""
    for name in ("variables", "resources"):
        if not draft.document.get(name):
            draft.document.pop(name, None)
    draft.document["ui"].pop("zones", None)
    for operation in draft.document["operations"]:
        for side in ("inputs", "outputs"):
            if not operation.get(side):
                operation.pop(side, None)


BENIGN: Final[dict[str, Change]] = {
    "reordered keys": reordered_keys,
    "reordered keys of graphs": sorted_graphs,
    "renamed labels": renamed_labels,
    "unknown props": unknown_props,
    "reversed siblings": reversed_siblings,
    "widget moved to the top": moved_to_top,
    "wrapped in panels": wrapped,
    "added decoration": added_texts,
    "unused variable": unused_variable,
    "explicit mappings": explicit_mappings,
    "reordered mappings": reordered_mappings,
    "bare names": bare_names,
    "canonical tokens": canonical_tokens,
    "empty texts in events": empty_texts_in_events,
    "shuffled graphs": shuffled_graphs,
    "commented code": commented_code,
    "chatty code": chatty_code,
    "threads left behind": threads_left_behind,
    "longer limits": longer_limits,
    "absent lists": absent_lists,
}


SAME: Final = ("reordered keys", "reordered keys of graphs")
"""Changes after which the files say what they said before, so that a verdict goes on to count."""


def variants(bed: Bed) -> Iterator[tuple[str, SeedApp]]:
    """Every benign change that changes something in this app."""
    for name, change in BENIGN.items():
        draft = Draft(bed.app)
        change(bed, draft)
        app = draft.done()
        if _text(app) != _text(bed.app):
            yield name, app


def _text(app: SeedApp) -> str:
    """The content with the order of keys, which equality ignores."""
    return repr((app.document, app.graphs, app.functions, app.script))
