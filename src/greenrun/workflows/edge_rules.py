"""The rules of graph validation that look at edges (spec: harness appendix B)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from greenrun.document.findings import Finding, Fix, Place
from greenrun.document.nearest import nearest
from greenrun.workflows.facts import GraphFacts, is_reserved
from greenrun.workflows.graph import Edge
from greenrun.workflows.node_rules import shown
from greenrun.workflows.runnable import prepare
from greenrun.workflows.scopes import FEEDBACK, LOOP, analyse_scopes
from greenrun.workflows.type_meta import agree, as_type, is_list_type, type_text

_LISTED: Final = 10


def set_handle(edge: Edge, end: str, handle: str) -> Fix:
    edit = {"edit": "set_edge_handle", "edge": edge.index, "end": end, "handle": handle}
    return Fix(f'Connect it to "{handle}"', (edit,))


def _named(edge: Edge) -> str:
    return f'Edge "{edge.id}"'


def fan_in(facts: GraphFacts) -> Iterator[Finding]:
    """GR615: several edges into a handle that takes no list."""
    groups: dict[tuple[str, str], list[Edge]] = {}
    for edge in facts.data_edges:
        groups.setdefault((edge.target, edge.target_handle), []).append(edge)
    for (node_id, handle), edges in groups.items():
        is_known = node_id in facts.types and _is_input(facts, node_id, handle)
        if len(edges) < 2 or is_reserved(handle) or not is_known:
            continue
        if not is_list_type(facts.input_type(node_id, handle)):
            sources = ", ".join(f'"{edge.source}"' for edge in edges[:_LISTED])
            yield Finding(
                "GR615",
                "error",
                f'Node "{node_id}": {len(edges)} edges enter {shown(handle)}, which takes one (from {sources}). '
                "Keep one of them, or join them in a list first.",
                Place(node=node_id, prop=handle),
            )


def cycles(facts: GraphFacts) -> Iterator[Finding]:
    """GR616: what would wait for itself. A Loop node closes a cycle over `next` or `condition`."""
    followed: dict[str, list[str]] = {}
    for edge in facts.connected:
        closes_loop = facts.nodes[edge.target].type == LOOP and edge.target_handle in FEEDBACK and not edge.control
        if closes_loop:
            continue
        if edge.source == edge.target:
            yield Finding(
                "GR616",
                "error",
                f'{_named(edge)} leads from node "{edge.source}" back to itself, so the node would wait for itself. '
                "Connect it elsewhere, or close the cycle through a Loop node.",
                Place(node=edge.source, edge=edge.id),
            )
        elif not edge.control:
            followed.setdefault(edge.source, []).append(edge.target)
    order = {node_id: place for place, node_id in enumerate(facts.nodes)}
    for ring in _rings(facts.nodes, followed):
        members = sorted(ring, key=order.__getitem__)
        listed = ", ".join(f'"{node_id}"' for node_id in members[:_LISTED])
        yield Finding(
            "GR616",
            "error",
            f"Nodes {listed} form a cycle, so each would wait for the others. "
            "Take out one of their edges, or close the cycle through a Loop node.",
            Place(node=members[0]),
        )


def _rings(nodes: Iterable[str], followed: dict[str, list[str]]) -> list[list[str]]:
    """The groups of two and more nodes that can all reach each other (Tarjan, without recursion)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    on_path: dict[str, int] = {}  # each node of the path, and its position there
    rings: list[list[str]] = []
    for root in nodes:
        if root in number:
            continue
        number[root] = lowest[root] = len(number)
        on_path[root] = len(path)
        path.append(root)
        stack = [(root, iter(followed.get(root, ())))]
        while stack:
            node, targets = stack[-1]
            for target in targets:
                if target not in number:
                    number[target] = lowest[target] = len(number)
                    on_path[target] = len(path)
                    path.append(target)
                    stack.append((target, iter(followed.get(target, ()))))
                    break
                if target in on_path:
                    lowest[node] = min(lowest[node], number[target])
            else:
                stack.pop()
                if stack:
                    lowest[stack[-1][0]] = min(lowest[stack[-1][0]], lowest[node])
                if lowest[node] == number[node]:
                    ring = path[on_path[node] :]
                    del path[on_path[node] :]
                    for member in ring:
                        del on_path[member]
                    if len(ring) > 1:
                        rings.append(ring)
    return rings[::-1]


def dangling(facts: GraphFacts) -> Iterator[Finding]:
    """GR617: edges from or to a node that is not there."""
    for edge in facts.graph.edge_entries:
        for end, node_id in (("source", edge.source), ("target", edge.target)):
            if node_id not in facts.nodes:
                missing = (
                    f'names the {end} node "{node_id}", which does not exist' if node_id else f"names no {end} node"
                )
                yield Finding(
                    "GR617",
                    "error",
                    f"{_named(edge)} {missing}, so it carries nothing. Connect it to a node, or take it out.",
                    Place(edge=edge.id),
                )


def missing_handles(facts: GraphFacts) -> Iterator[Finding]:
    """GR618: edges that do not say which handle they mean."""
    for edge in facts.connected:
        for end, handle in (("source", edge.source_handle), ("target", edge.target_handle)):
            if handle:
                continue
            node_id = edge.source if end == "source" else edge.target
            known = _outputs(facts, node_id) if end == "source" else _inputs(facts, node_id)
            only = known[0] if len(known) == 1 and not is_fed_once(facts, edge, end, known[0]) else None
            yield Finding(
                "GR618",
                "error",
                f'{_named(edge)} names no {end} handle of node "{node_id}". '
                + (f"Use one of: {', '.join(known)}." if known else "Name one."),
                Place(node=node_id, edge=edge.id),
                (set_handle(edge, end, only),) if only is not None else (),
            )


def unknown_handles(facts: GraphFacts) -> Iterator[Finding]:
    """GR619: edges to handles that the node does not have."""
    for edge in facts.data_edges:
        if not is_reserved(edge.source_handle) and not _is_output(facts, edge.source, edge.source_handle):
            yield _unknown(facts, edge, "source", edge.source, edge.source_handle, _outputs(facts, edge.source))
        if not is_reserved(edge.target_handle) and not _is_input(facts, edge.target, edge.target_handle):
            yield _unknown(facts, edge, "target", edge.target, edge.target_handle, _inputs(facts, edge.target))


def _unknown(facts: GraphFacts, edge: Edge, end: str, node_id: str, handle: str, known: list[str]) -> Finding:
    noun = "output" if end == "source" else "input"
    near = nearest(handle, known)
    if near is not None and is_fed_once(facts, edge, end, near):
        near = None
    return Finding(
        "GR619",
        "error",
        f'{_named(edge)}: node "{node_id}" has no {noun} {shown(handle)}. '
        + (f"It has: {', '.join(known)}." if known else f"It has no {noun}s."),
        Place(node=node_id, edge=edge.id, prop=handle),
        (set_handle(edge, end, near),) if near is not None else (),
    )


def is_fed_once(facts: GraphFacts, edge: Edge, end: str, handle: str) -> bool:
    """True when another edge into that input would be one too many."""
    if end == "source" or is_list_type(facts.input_type(edge.target, handle)):
        return False
    return handle in facts.fed.get(edge.target, frozenset())


def types(facts: GraphFacts) -> Iterator[Finding]:
    """GR621, GR622: edges between handles of different concrete types."""
    for edge in facts.data_edges:
        given = facts.output_type(edge.source, edge.source_handle)
        wanted = facts.input_type(edge.target, edge.target_handle)
        if agree(given, wanted):
            continue
        is_declared = _is_declared(facts, edge)
        yield Finding(
            "GR622" if is_declared else "GR621",
            "error" if is_declared else "warning",
            f'{_named(edge)} brings {type_text(given)} from "{edge.source}" to {shown(edge.target_handle)} of '
            f'"{edge.target}", which takes {type_text(wanted)}. Convert it on the way, or connect another handle.',
            Place(node=edge.target, edge=edge.id, prop=edge.target_handle),
        )


def scopes(facts: GraphFacts) -> Iterator[Finding]:
    """GR624: inputs of one node that belong to iterations which do not nest (spec: nodes A4.27)."""
    for conflict in analyse_scopes(prepare(facts.graph, facts.registry)).conflicts:
        (left, right), (first, second) = conflict.handles, conflict.roots
        yield Finding(
            "GR624",
            "error",
            f'Node "{conflict.node_id}": {shown(left)} comes from the iteration "{first}" and {shown(right)} from "{second}", '
            "so nothing says which values belong together. Add a Zip node to pair them, or a Cross node for every combination.",
            Place(node=conflict.node_id),
        )


def _is_declared(facts: GraphFacts, edge: Edge) -> bool:
    """True when one of the types of an edge is that of a declared dynamic slot, and not what a type or an inner graph has."""
    source, target = facts.types.get(edge.source), facts.types.get(edge.target)
    source_slots, target_slots = facts.nodes[edge.source].dynamic_outputs, facts.nodes[edge.target].dynamic_inputs
    return (
        source is None
        or target is None
        or (source.output(edge.source_handle) is None and as_type(source_slots.get(edge.source_handle)) is not None)
        or (target.property(edge.target_handle) is None and as_type(target_slots.get(edge.target_handle)) is not None)
    )


def _outputs(facts: GraphFacts, node_id: str) -> list[str]:
    found = facts.types.get(node_id)
    if (surface := facts.surfaces.get(node_id)) is not None:
        return list(dict.fromkeys(port.name for port in surface.outputs))
    return [*(found.output_table if found is not None else ()), *facts.nodes[node_id].dynamic_outputs]


def _inputs(facts: GraphFacts, node_id: str) -> list[str]:
    found = facts.types.get(node_id)
    node = facts.nodes[node_id]
    if (surface := facts.surfaces.get(node_id)) is not None:
        return list(dict.fromkeys(port.name for port in surface.inputs))
    slots = dict.fromkeys((*node.dynamic_inputs, *node.dynamic_properties))
    return [*(found.property_table if found is not None else ()), *slots]


def _is_output(facts: GraphFacts, node_id: str, handle: str) -> bool:
    found = facts.types.get(node_id)
    if found is None or found.output(handle) is not None:
        return True
    if node_id in facts.surfaces:
        return handle in _outputs(facts, node_id)
    declared = facts.nodes[node_id].dynamic_outputs
    return found.dynamic_outputs and (not declared or handle in declared)


def _is_input(facts: GraphFacts, node_id: str, handle: str) -> bool:
    found = facts.types.get(node_id)
    if found is None or found.property(handle) is not None:
        return True
    if node_id in facts.surfaces:
        return handle in _inputs(facts, node_id)
    node = facts.nodes[node_id]
    declared = node.dynamic_inputs
    return found.dynamic_inputs and (not declared or handle in declared or handle in node.dynamic_properties)
