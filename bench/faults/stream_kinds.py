"""Faults in what comes in pieces: streams that break, end early, never begin, or run into a limit."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from bench.faults.function_code import Code, code_fault, codes, spliced
from bench.faults.graph_places import (
    NEW,
    beside,
    branch_off,
    graphs,
    instead,
    into_outputs,
    node_of,
    shown_signs,
    through,
)
from bench.faults.seed import Bed, Draft, Fault, sign
from greenrun.instances.app import AppOperation
from greenrun.workflows.graph import Edge, Graph
from greenrun.workflows.registry import default_registry

PIECES = ("iteration", "chunk")
"""Outputs that send several values."""


def _streams(bed: Bed) -> Iterator[tuple[AppOperation, str, Graph, Edge]]:
    """Every edge that several values leave on, at its source."""
    registry = default_registry()
    for item, key, graph in graphs(bed):
        for edge in graph.edges:
            found = registry.get(graph.by_id[edge.source].type)
            spec = found.output(edge.source_handle) if found is not None else None
            if spec is not None and spec.kind in PIECES:
                yield item, key, graph, edge


def raising_late(bed: Bed) -> Iterator[Fault]:
    """A node raises at the second value of a stream: nobody comes to pair with what waits."""
    for item, key, _, edge in _streams(bed):
        change = beside(key, edge, "nodetool.control.Zip", {"max_unmatched_pairs": 1}, "left")
        signs = [sign("GR721", operation=item.id, node=NEW), *bed.run_signs(item.id)]
        yield from bed.fault("node that raises in a stream", f"{item.id} {edge.id}", change, signs)
    for code in codes(bed):
        for place in _yields(code):
            source = _after(code, place, 'raise RuntimeError("the connection was lost")')
            where = f"line {place.lineno}"
            yield from code_fault(
                bed, "node that raises in a stream", code, source, where, bed.run_signs(code.operation)
            )


def cut_short(bed: Bed) -> Iterator[Fault]:
    """A stream ends after its first value, and nothing says so."""
    for item, key, _, edge in _streams(bed):
        change = through(key, edge, "nodetool.control.Take", {"n": 1}, "input_item")
        yield from bed.fault("stream cut short", f"{item.id} {edge.id}", change, bed.result_signs(item.id))
    for code in codes(bed):
        for place in _yields(code):
            if _is_in_loop(code, place):
                source = _after(code, place, "break")
                where = f"line {place.lineno}"
                yield from code_fault(bed, "stream cut short", code, source, where, bed.result_signs(code.operation))


def lost_piece(bed: Bed) -> Iterator[Fault]:
    """The first piece of a stream is lost."""
    for item, key, _, edge in _streams(bed):
        change = through(key, edge, "nodetool.control.Drop", {"n": 1}, "input_item")
        yield from bed.fault(
            "stream without its first piece", f"{item.id} {edge.id}", change, bed.result_signs(item.id)
        )
    for code in codes(bed):
        for place in _yields(code):
            if _is_chunk(place):
                source = spliced(code.source, [(place, "yield from ()")])
                where = f"line {place.lineno}"
                yield from code_fault(
                    bed, "stream without its first piece", code, source, where, bed.result_signs(code.operation)
                )


def last_piece(bed: Bed) -> Iterator[Fault]:
    """A result is the last piece of what was streamed in place of the whole."""
    for item, key, graph, edge in _streams(bed):
        whole = [other for other in graph.outgoing[edge.source] if other.source_handle == "text"]
        for other in whole:

            def change(draft: Draft, key: str = key, edge: Edge = edge, other: Edge = other) -> None:
                instead(key, other, "nodetool.control.Last", {})(draft)
                branch_off(draft, key, edge, "input_item")

            yield from bed.fault(
                "last piece in place of the whole", f"{item.id} {other.id}", change, bed.result_signs(item.id)
            )


SILENT: dict[str, tuple[str, dict[str, Any]]] = {
    "a variable that nobody sets": ("nodetool.variable.GetVariable", {"name": "nobody_sets_this"}),
    "nothing repeated": ("nodetool.control.RepeatCount", {"count": 0}),
    "an empty list": ("nodetool.control.ForEach", {"input_list": []}),
    "a filter that lets nothing through": ("nodetool.control.FilterEqual", {"value": "never"}),
}
"""Sources of no value at all."""


def never_fed(bed: Bed) -> Iterator[Fault]:
    """What enters an output comes from a node that never sends anything."""
    for item, key, graph in graphs(bed):
        for edge in into_outputs(graph):
            for what, (type_, data) in SILENT.items():
                where = f"{item.id} {edge.target} from {what}"
                change = instead(key, edge, type_, data)
                yield from bed.fault("output that is never fed", where, change, shown_signs(bed, item, edge))


def empty_list(bed: Bed) -> Iterator[Fault]:
    """A list that is taken apart is empty."""
    for item, key, graph in graphs(bed):
        for edge in graph.edges:
            if edge.target_handle != "input_list":
                continue
            change = instead(key, edge, "nodetool.constant.List", {"value": []})
            where = f"{item.id} {edge.target}"
            yield from bed.fault("iteration over an empty list", where, change, bed.result_signs(item.id))


LIMITS: dict[str, tuple[str, Any]] = {
    "nodetool.control.Zip": ("max_unmatched_pairs", 0),
    "nodetool.control.Cross": ("max_output_count", 1),
    "nodetool.control.ForEach": ("limit", 1),
    "nodetool.control.Take": ("n", 0),
    "nodetool.control.Loop": ("max_iterations", 1),
    "nodetool.list.Range": ("max_output_length", 1),
}
"""Properties that bound how much a node does, with a value that is too low."""


def limit_reached(bed: Bed) -> Iterator[Fault]:
    """A node does less than it should, or refuses, because its limit is too low."""
    for item, key, graph in graphs(bed):
        for node in graph.nodes:
            if node.type in LIMITS:
                name, low = LIMITS[node.type]
                signs = [sign("GR721", operation=item.id, node=node.id), *bed.result_signs(item.id)]
                yield from bed.fault(
                    "limit of a node reached",
                    f"{item.id} {node.id}.{name} {low}",
                    lambda draft, key=key, node=node, name=name, low=low: node_of(draft, key, node.id)["data"].update(
                        {name: low}
                    ),
                    signs,
                )


def _joins(bed: Bed) -> Iterator[tuple[AppOperation, str, Edge]]:
    """Edges that enter a list together with others."""
    for item, key, graph in graphs(bed):
        for edge in graph.edges:
            entries = [other.target_handle for other in graph.incoming[edge.target]]
            if entries.count(edge.target_handle) > 1:
                yield item, key, edge


def join_with_failed_branch(bed: Bed) -> Iterator[Fault]:
    """One of the values that make a list comes from a node that fails."""
    for item, key, edge in _joins(bed):
        change = instead(key, edge, "greenrun.math.Divide", {"a": 1, "b": 0})
        signs = [sign("GR721", operation=item.id, node=NEW), *bed.run_signs(item.id)]
        yield from bed.fault("list with a failed branch", f"{item.id} {edge.id}", change, signs)


def join_with_untaken_branch(bed: Bed) -> Iterator[Fault]:
    """One of the values that make a list is null, so that the list is shorter and nothing says so."""
    for item, key, edge in _joins(bed):
        change = through(key, edge, "nodetool.control.If", {"condition": False}, "value", "if_true")
        yield from bed.fault("list with an untaken branch", f"{item.id} {edge.id}", change, bed.result_signs(item.id))


def _yields(code: Code) -> list[ast.stmt]:
    """Statements of the function that yield text."""
    return [
        node
        for node in ast.walk(code.function)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield) and _is_chunk(node)
    ]


def _is_chunk(place: ast.stmt) -> bool:
    value = place.value.value if isinstance(place, ast.Expr) and isinstance(place.value, ast.Yield) else None
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "Chunk"


def _is_in_loop(code: Code, place: ast.stmt) -> bool:
    return any(place in node.body for node in ast.walk(code.function) if isinstance(node, (ast.For, ast.While)))


def _after(code: Code, place: ast.stmt, statement: str) -> str:
    """The source with a statement after another one."""
    text = ast.get_source_segment(code.source, place)
    return spliced(code.source, [(place, f"{text}\n{' ' * place.col_offset}{statement}")])
