"""Faults in the graphs that operations run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from bench.faults.graph_places import NEW, edge_of, graphs, instead, into_outputs, node_of, node_signs, shown_signs
from bench.faults.seed import Bed, Draft, Fault, sign, typo
from greenrun.document.bindings import InputRef, OutputRef
from greenrun.instances.app import AppOperation
from greenrun.workflows.graph import Edge, Graph, Node


def raising_node(bed: Bed) -> Iterator[Fault]:
    """A node raises."""
    for item, key, graph in graphs(bed):
        for edge in into_outputs(graph):
            change = instead(key, edge, "greenrun.math.Divide", {"a": 1, "b": 0})
            signs = [sign("GR721", operation=item.id, node=NEW), *bed.run_signs(item.id)]
            yield from bed.fault("node that raises", f"{item.id} before {edge.target}", change, signs)


def empty_node(bed: Bed) -> Iterator[Fault]:
    """A node gives the empty text."""
    for item, key, graph in graphs(bed):
        for edge in into_outputs(graph):
            change = instead(key, edge, "nodetool.constant.String", {"value": ""})
            where = f"{item.id} before {edge.target}"
            yield from bed.fault("node that returns empty", where, change, shown_signs(bed, item, edge))


def error_text_node(bed: Bed) -> Iterator[Fault]:
    """A node gives the text of an error."""
    for item, key, graph in graphs(bed):
        for edge in into_outputs(graph):
            change = instead(key, edge, "nodetool.constant.String", {"value": "TypeError: x is undefined"})
            where = f"{item.id} before {edge.target}"
            yield from bed.fault("node that returns an error text", where, change, shown_signs(bed, item, edge))


def slow_node(bed: Bed) -> Iterator[Fault]:
    """A node takes longer than its operation may."""
    for item, key, graph in graphs(bed):
        for edge in into_outputs(graph)[:1]:
            data = {"script": ["a ", "b"], "delay_ms": 5000}

            def change(draft: Draft, item: AppOperation = item, key: str = key, edge: Edge = edge) -> None:
                instead(key, edge, "greenrun.model.Scripted", data, "text")(draft)  # noqa: B023
                draft.operation(item.id)["timeoutMs"] = 60

            yield from bed.fault("timeout", f"{item.id} before {edge.target}", change, sign("GR722", operation=item.id))


def dropped_edge(bed: Bed) -> Iterator[Fault]:
    """An edge is gone."""
    for item, key, graph in graphs(bed):
        for edge in graph.edges:
            yield from bed.fault(
                "broken edge",
                f"{item.id} without {edge.id}",
                lambda draft, key=key, edge=edge: draft.graph(key)["edges"].pop(edge.index),
                [*bed.result_signs(item.id), *node_signs(item, edge.target)],
            )


def _ends(graph: Graph) -> Iterator[tuple[Edge, str, str, str]]:
    """Every edge with an end, the node there and the handle."""
    for edge in graph.edges:
        yield edge, "source", edge.source, edge.source_handle
        yield edge, "target", edge.target, edge.target_handle


def _patch(key: str, edge: Edge, **changes: str) -> Callable[[Draft], None]:
    return lambda draft: edge_of(draft, key, edge).update(changes)


def broken_edge(bed: Bed) -> Iterator[Fault]:
    """An edge leads to a node that does not exist, or is gone."""
    yield from dropped_edge(bed)
    for item, key, graph in graphs(bed):
        for edge, end, node, _ in _ends(graph):
            yield from bed.fault(
                "broken edge",
                f"{item.id} {edge.id} {end} {typo(node)}",
                _patch(key, edge, **{end: typo(node)}),
                sign("GR617", operation=item.id, edge=edge.id),
            )


def misspelt_handle(bed: Bed) -> Iterator[Fault]:
    """An edge leads to a handle that does not exist."""
    for item, key, graph in graphs(bed):
        for edge, end, _, handle in _ends(graph):
            yield from bed.fault(
                "misspelt handle",
                f"{item.id} {edge.id} {end} {typo(handle)}",
                _patch(key, edge, **{f"{end}Handle": typo(handle)}),
                [sign("GR619", operation=item.id, edge=edge.id), *bed.result_signs(item.id)],
            )


def missing_handle(bed: Bed) -> Iterator[Fault]:
    """An edge does not say which handle it means."""
    for item, key, graph in graphs(bed):
        for edge, end, _, _ in _ends(graph):
            yield from bed.fault(
                "missing handle",
                f"{item.id} {edge.id} {end}",
                lambda draft, key=key, edge=edge, end=end: edge_of(draft, key, edge).pop(f"{end}Handle"),
                sign("GR618", operation=item.id, edge=edge.id),
            )


def unknown_node_type(bed: Bed) -> Iterator[Fault]:
    """A node of a type that does not exist."""
    for item, key, graph in graphs(bed):
        for node in graph.nodes:
            head, dot, tail = node.type.rpartition(".")
            yield from bed.fault(
                "unknown node type",
                f"{item.id} {node.id}",
                lambda draft, key=key, node=node, head=head, dot=dot, tail=tail: node_of(draft, key, node.id).update(
                    type=f"{head}{dot}{typo(tail)}"
                ),
                sign("GR603", operation=item.id, node=node.id),
            )


def duplicate_node_id(bed: Bed) -> Iterator[Fault]:
    """Two nodes have the same id."""
    for item, key, graph in graphs(bed):
        for first, second in zip(graph.nodes, graph.nodes[1:], strict=False):
            yield from bed.fault(
                "duplicate node id",
                f"{item.id} {second.id} is {first.id}",
                lambda draft, key=key, first=first, second=second: node_of(draft, key, second.id).update(id=first.id),
                sign("GR602", operation=item.id, node=first.id),
            )


def missing_node_id(bed: Bed) -> Iterator[Fault]:
    """A node has no id."""
    for item, key, graph in graphs(bed):
        for node in graph.nodes:
            yield from bed.fault(
                "missing node id",
                f"{item.id} {node.id}",
                lambda draft, key=key, node=node: node_of(draft, key, node.id).pop("id"),
                sign("GR601", operation=item.id),
            )


def cycle(bed: Bed) -> Iterator[Fault]:
    """An edge leads back."""
    for item, key, graph in graphs(bed):
        for edge in graph.edges:
            source = graph.by_id[edge.source]
            if source.is_input:
                continue
            back = {"id": "back", "source": edge.target, "sourceHandle": "output", "target": edge.source}
            handle = next((name for name in sorted(graph.fed(edge.source))), "value")
            nodes = [node.id for node in graph.nodes]
            yield from bed.fault(
                "cycle in a graph",
                f"{item.id} {edge.target} to {edge.source}",
                lambda draft, key=key, back=back, handle=handle: draft.graph(key)["edges"].append(
                    {**back, "targetHandle": handle}
                ),
                # Back into a loop is allowed, and then only what comes out tells.
                [
                    *(sign("GR616", operation=item.id, node=node) for node in nodes),
                    sign("GR619", operation=item.id, edge="back"),
                    *bed.result_signs(item.id),
                ],
            )


def swapped_outputs(bed: Bed) -> Iterator[Fault]:
    """Two outputs have each other's source."""
    for item, key, graph in graphs(bed):
        for one, other in combinations(into_outputs(graph), 2):

            def change(draft: Draft, key: str = key, one: Edge = one, other: Edge = other) -> None:
                first, second = edge_of(draft, key, one), edge_of(draft, key, other)
                first["target"], second["target"] = second["target"], first["target"]

            where = f"{item.id} {one.target} and {other.target}"
            signs = [*shown_signs(bed, item, one), *shown_signs(bed, item, other)]
            yield from bed.fault("swapped outputs", where, change, signs)


def renamed_node(bed: Bed) -> Iterator[Fault]:
    """An input or output node has another id, the app still uses the old one."""
    for item, key, _ in graphs(bed):
        ports = [*bed.inputs(item), *bed.outputs(item)]
        shown = [ref for widget in bed.widgets for ref in bed.refs_shown(widget)]
        ours = (ref for ref in shown if isinstance(ref, (InputRef, OutputRef)) and ref.operation_id == item.id)
        used = {ref.node_id for ref in ours}
        used |= {*item.operation.inputs, *item.operation.outputs}
        for port in ports:
            if port.node_id not in used:
                continue
            for new in (f"{port.node_id}2", f"{port.node_id}_of_the_new_version"):

                def change(draft: Draft, key: str = key, old: str = port.node_id, new: str = new) -> None:
                    node_of(draft, key, old)["id"] = new
                    for edge in draft.graph(key)["edges"]:
                        for end in ("source", "target"):
                            edge[end] = new if edge[end] == old else edge[end]

                codes = "GR215 GR216 GR219 GR402 GR408"
                signs = sign(codes, operation=item.id, node=port.node_id)
                yield from bed.fault("stale name after a node rename", f"{item.id} {new}", change, signs)


def fed_input(bed: Bed) -> Iterator[Fault]:
    """An input of the app is fed by a node, so that the app cannot fill it."""
    for item, key, graph in graphs(bed):
        for node in graph.inputs:

            def change(draft: Draft, key: str = key, node: str = node.id) -> None:
                content = draft.graph(key)
                content["nodes"].append({"id": NEW, "type": "nodetool.constant.String", "data": {"value": "x"}})
                edge = {"id": NEW, "source": NEW, "sourceHandle": "output", "target": node, "targetHandle": "value"}
                content["edges"].append(edge)

            signs = [sign("GR216 GR219 GR402 GR721", operation=item.id, node=node.id), *bed.result_signs(item.id)]
            yield from bed.fault("input fed by an edge", f"{item.id} {node.id}", change, signs)


def bypassed_output(bed: Bed) -> Iterator[Fault]:
    """An output that the app shows is switched off."""
    for item, key, graph in graphs(bed):
        for node in graph.outputs:
            signs = [sign("GR216 GR219 GR408", operation=item.id, node=node.id)]
            yield from bed.fault(
                "bypassed output",
                f"{item.id} {node.id}",
                lambda draft, key=key, node=node: (
                    node_of(draft, key, node.id).setdefault("ui_properties", {}).update(bypassed=True)
                ),
                signs,
            )


def colliding_names(bed: Bed) -> Iterator[Fault]:
    """Two inputs have the same name, so that a run gets only one of them."""
    for item, key, graph in graphs(bed):
        for one, other in zip(graph.inputs, graph.inputs[1:], strict=False):

            def change(draft: Draft, key: str = key, one: str = one.id, other: str = other.id) -> None:
                first, second = node_of(draft, key, one), node_of(draft, key, other)
                second["data"]["name"] = first["data"].get("name", one)

            signs = [sign("GR412", operation=item.id, node=other.id), *bed.result_signs(item.id)]
            yield from bed.fault("inputs with one name", f"{item.id} {one.id} and {other.id}", change, signs)


def _set_property(key: str, node: Node, name: str, value: str) -> Callable[[Draft], None]:
    place = "dynamic_properties" if name in node.dynamic_properties else "data"
    return lambda draft: node_of(draft, key, node.id)[place].update({name: value})


def wrong_constant(bed: Bed) -> Iterator[Fault]:
    """A fixed value in a node is another one."""
    for item, key, graph in graphs(bed):
        for node in graph.nodes:
            for name, value in node.properties.items():
                fixed = name not in ("name", "description", "value", "min", "max") and name not in graph.fed(node.id)
                is_text = isinstance(value, str) and len(value) > 8
                if node.is_input or node.is_output or not fixed or not is_text:
                    continue
                yield from bed.fault(
                    "wrong text in a node",
                    f"{item.id} {node.id}.{name}",
                    _set_property(key, node, name, value.replace("{{", "{")[::-1]),
                    [*bed.result_signs(item.id), *node_signs(item, node.id)],
                )


def control_cycle(bed: Bed) -> Iterator[Fault]:
    """Two nodes control each other, so that each waits for the other."""
    for item, key, graph in graphs(bed):
        inner = [node.id for node in graph.nodes if not node.is_input and not node.is_output]
        for one, other in combinations(inner, 2):

            def change(draft: Draft, key: str = key, one: str = one, other: str = other) -> None:
                for source, target in ((one, other), (other, one)):
                    ends = {"source": source, "sourceHandle": "__control__", "target": target}
                    edge = {"id": f"{NEW}-{source}", **ends, "targetHandle": "__control__", "edge_type": "control"}
                    draft.graph(key)["edges"].append(edge)

            signs = [sign("GR616 GR721", operation=item.id, node=node) for node in inner]
            yield from bed.fault(
                "nodes that control each other",
                f"{item.id} {one} and {other}",
                change,
                [*signs, *bed.run_signs(item.id)],
            )
