"""Edits after an app was proved: the verdict of before must not count for what is there now (DESIGN 3.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bench.faults.graph_places import graphs, node_of
from bench.faults.nested import inner_graphs
from bench.faults.seed import Bed, Draft, Fault

JOINING = "nodetool.text.Concat"
"""Joins its inputs in the order in which they are declared."""


def function_edited(bed: Bed) -> Iterator[Fault]:
    """A function works otherwise."""
    for module in sorted(_own_modules(bed)):
        yield from bed.fault("function edited after proof", module, lambda draft, module=module: _touch(draft, module))


def imported_module_edited(bed: Bed) -> Iterator[Fault]:
    """A module works otherwise that a function imports, however indirectly."""
    for module in sorted(_imported(bed, _own_modules(bed))):
        yield from bed.fault(
            "imported module edited after proof", module, lambda draft, module=module: _touch(draft, module)
        )


def graph_edited(bed: Bed) -> Iterator[Fault]:
    """A property of a node is another one, or an edge is gone."""
    for item, key, graph in graphs(bed):
        for node in graph.nodes:
            yield from bed.fault(
                "graph edited after proof",
                f"{item.id} {node.id}",
                lambda draft, key=key, node=node: node_of(draft, key, node.id)["data"].update(edited=True),
            )
        for edge in graph.edges:
            yield from bed.fault(
                "graph edited after proof",
                f"{item.id} without {edge.id}",
                lambda draft, key=key, edge=edge: draft.graph(key)["edges"].pop(edge.index),
            )


def nested_graph_edited(bed: Bed) -> Iterator[Fault]:
    """A property of a node in a nested graph is another one."""
    for inner in inner_graphs(bed):
        for node in inner.graph["nodes"]:

            def change(draft: Draft, inner: Any = inner, node: str = node["id"]) -> None:
                inner.node_of(draft, node)["data"].update(edited=True)

            yield from bed.fault("nested graph edited after proof", f"{inner.where} {node['id']}", change)


def inputs_reordered(bed: Bed) -> Iterator[Fault]:
    """The inputs of a node that joins them in their order stand in another one."""
    for item, key, graph in graphs(bed):
        for node in graph.nodes:
            if node.type == JOINING and len(node.dynamic_properties) > 1:

                def change(draft: Draft, key: str = key, node: str = node.id) -> None:
                    stored = node_of(draft, key, node)
                    stored["dynamic_properties"] = dict(reversed(stored["dynamic_properties"].items()))

                yield from bed.fault("inputs reordered after proof", f"{item.id} {node.id}", change)


def document_edited(bed: Bed) -> Iterator[Fault]:
    """A widget or an operation says something else."""
    for widget in bed.widgets:
        yield from bed.fault(
            "document edited after proof",
            widget.id,
            lambda draft, widget=widget: draft.props(widget.id).update(label="Something else"),
        )
    for item in bed.operations:
        yield from bed.fault(
            "document edited after proof",
            item.id,
            lambda draft, item=item: draft.operation(item.id).update(timeoutMs=12_345),
        )


def _touch(draft: Draft, module: str) -> None:
    draft.functions[module] += "\n\nEDITED = True\n"


def _own_modules(bed: Bed) -> set[str]:
    """The modules of the functions that operations and nodes name."""
    names = {(bed.function_of(item) or "").partition(":")[0] for item in bed.operations}
    for stored in bed.app.graphs.values():
        names |= set(re.findall(r"'function': '(\w+):\w+'", repr(stored)))
    return names & bed.app.functions.keys()


def _imported(bed: Bed, modules: set[str]) -> set[str]:
    """The modules of the app that these import, and what those import, themselves left out."""
    pending, found = list(modules), set[str]()
    while pending:
        text = bed.app.functions[pending.pop()]
        new = {name for name in bed.app.functions if re.search(rf"^\s*(from|import) {name}\b", text, re.M)}
        pending += new - found
        found |= new
    return found - modules
