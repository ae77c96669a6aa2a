"""Faults in graphs that run inside other graphs, and in functions that run as nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from bench.faults.graph_places import NEW, graphs, node_of
from bench.faults.nested import Inner, inner_graphs
from bench.faults.seed import Bed, Draft, Fault, Sign, sign, typo

INPUT = "nodetool.input."
OUTPUT = "nodetool.output."


def _failing(bed: Bed, inner: Inner) -> list[Sign]:
    """The node that runs the graph fails, and the run with it."""
    return [sign("GR721", operation=inner.item.id, node=inner.top), *bed.run_signs(inner.item.id)]


def _otherwise(bed: Bed, inner: Inner) -> list[Sign]:
    """What the graph gives is wrong or missing, or something is said of its node."""
    said = sign("GR603 GR604 GR617 GR618 GR619", operation=inner.item.id, node=inner.top)
    return [said, *bed.result_signs(inner.item.id), *_failing(bed, inner)]


def _ends(inner: Inner, head: str) -> list[dict[str, Any]]:
    return [node for node in inner.graph["nodes"] if node["type"].startswith(head)]


def _fed_by(draft: Draft, inner: Inner, output: str, type_: str, data: dict[str, Any], handle: str = "output") -> None:
    """What enters an output of the nested graph comes from a new node."""
    graph = inner.stored(draft)
    graph["nodes"].append({"id": NEW, "type": type_, "data": data, "dynamic_properties": {}})
    for edge in graph["edges"]:
        if edge["target"] == output:
            edge.update(source=NEW, sourceHandle=handle)


def raising_inside(bed: Bed) -> Iterator[Fault]:
    """A node of a nested graph raises."""
    for inner in inner_graphs(bed):
        for output in _ends(inner, OUTPUT):
            yield from bed.fault(
                "nested node that raises",
                f"{inner.where} before {output['id']}",
                lambda draft, inner=inner, output=output: _fed_by(
                    draft, inner, output["id"], "greenrun.math.Divide", {"a": 1, "b": 0}
                ),
                _failing(bed, inner),
            )


def stopped_inside(bed: Bed) -> Iterator[Fault]:
    """A nested graph is still running when the time of its operation is over."""
    for inner in inner_graphs(bed):
        for output in _ends(inner, OUTPUT)[:1]:

            def change(draft: Draft, inner: Inner = inner, output: str = output["id"]) -> None:
                data = {"script": ["a ", "b"], "delay_ms": 5000}
                _fed_by(draft, inner, output, "greenrun.model.Scripted", data, "text")
                draft.operation(inner.item.id)["timeoutMs"] = 80

            where = f"{inner.where} before {output['id']}"
            yield from bed.fault("nested run that is stopped", where, change, sign("GR722", operation=inner.item.id))


def empty_inside(bed: Bed) -> Iterator[Fault]:
    """A node of a nested graph gives nothing."""
    for inner in inner_graphs(bed):
        for output in _ends(inner, OUTPUT):
            yield from bed.fault(
                "nested node that returns empty",
                f"{inner.where} before {output['id']}",
                lambda draft, inner=inner, output=output: _fed_by(
                    draft, inner, output["id"], "nodetool.constant.String", {"value": ""}
                ),
                _otherwise(bed, inner),
            )


def missing_output_inside(bed: Bed) -> Iterator[Fault]:
    """A nested graph lost an output that is used outside."""
    for inner in inner_graphs(bed):
        for output in _ends(inner, OUTPUT):

            def change(draft: Draft, inner: Inner = inner, output: str = output["id"]) -> None:
                graph = inner.stored(draft)
                graph["nodes"] = [node for node in graph["nodes"] if node["id"] != output]
                graph["edges"] = [edge for edge in graph["edges"] if edge["target"] != output]

            where = f"{inner.where} without {output['id']}"
            yield from bed.fault("missing nested output", where, change, _otherwise(bed, inner))


def _renamed(bed: Bed, kind: str, head: str) -> Iterator[Fault]:
    for inner in inner_graphs(bed):
        for node in _ends(inner, head):
            new = typo(node["data"]["name"])
            yield from bed.fault(
                kind,
                f"{inner.where} {node['id']} is now {new}",
                lambda draft, inner=inner, node=node, new=new: inner.node_of(draft, node["id"])["data"].update(
                    name=new
                ),
                _otherwise(bed, inner),
            )


def renamed_input_inside(bed: Bed) -> Iterator[Fault]:
    """An input of a nested graph has another name, the graph around it uses the old one."""
    yield from _renamed(bed, "renamed nested input", INPUT)


def renamed_output_inside(bed: Bed) -> Iterator[Fault]:
    """An output of a nested graph has another name, the graph around it uses the old one."""
    yield from _renamed(bed, "renamed nested output", OUTPUT)


def broken_edge_inside(bed: Bed) -> Iterator[Fault]:
    """An edge of a nested graph is gone."""
    for inner in inner_graphs(bed):
        for index, edge in enumerate(inner.graph["edges"]):
            yield from bed.fault(
                "broken nested edge",
                f"{inner.where} without {edge['id']}",
                lambda draft, inner=inner, index=index: inner.stored(draft)["edges"].pop(index),
                _otherwise(bed, inner),
            )


def unknown_type_inside(bed: Bed) -> Iterator[Fault]:
    """A node of a nested graph has a type that does not exist."""
    for inner in inner_graphs(bed):
        for node in inner.graph["nodes"]:
            head, dot, tail = node["type"].rpartition(".")
            wrong = f"{head}{dot}{typo(tail)}"
            yield from bed.fault(
                "unknown nested node type",
                f"{inner.where} {node['id']}",
                lambda draft, inner=inner, node=node, wrong=wrong: inner.node_of(draft, node["id"]).update(type=wrong),
                _otherwise(bed, inner),
            )


def emptied(bed: Bed) -> Iterator[Fault]:
    """A node carries a graph without nodes."""
    for inner in inner_graphs(bed):
        if inner.carriers:

            def change(draft: Draft, inner: Inner = inner) -> None:
                inner.stored(draft).update(nodes=[], edges=[])

            yield from bed.fault("empty nested graph", inner.where, change, _otherwise(bed, inner))


def missing_nested_workflow(bed: Bed) -> Iterator[Fault]:
    """A node names a workflow that is not there."""
    own = {key for _, key, _ in graphs(bed)}
    for inner in inner_graphs(bed):
        if not inner.carriers and inner.key not in own:
            codes = "GR401 GR603 GR604"
            yield from bed.fault(
                "missing nested workflow",
                inner.where,
                lambda draft, inner=inner: draft.graphs.pop(inner.key),
                sign(codes, operation=inner.item.id),
            )


def nested_in_itself(bed: Bed) -> Iterator[Fault]:
    """A workflow runs itself, and so on for ever."""
    for inner in inner_graphs(bed):
        if inner.carriers:
            continue
        for output in _ends(inner, OUTPUT)[:1]:

            def change(draft: Draft, inner: Inner = inner, output: str = output["id"]) -> None:
                workflow = "nodetool.workflows.workflow_node.Workflow"
                _fed_by(draft, inner, output, workflow, {"workflow_id": inner.key}, output)
                inner.node_of(draft, NEW)["dynamic_outputs"] = {output: {"type": "any"}}

            yield from bed.fault("workflow that runs itself", inner.where, change, _otherwise(bed, inner))


def _function_nodes(bed: Bed) -> Iterator[tuple[str, str, str]]:
    """Operation, node of its graph and function, for every function that runs as a node, nested ones included."""
    for item, _, graph in graphs(bed):
        for node in graph.nodes:
            if node.type == "greenrun.workflows.Function":
                yield item.id, node.id, str(node.properties["function"])
    for inner in inner_graphs(bed):
        for stored in inner.graph["nodes"]:
            if stored["type"] == "greenrun.workflows.Function":
                yield inner.item.id, inner.top, str(stored["data"]["function"])


def _first_line(source: str, name: str, statement: str) -> str:
    """The source with a statement at the beginning of a function, after its docstring."""
    return re.sub(
        rf'(def {name}\([^\n]*:\n(?:    """[^\n]*"""\n)?)', lambda found: f"{found[1]}    {statement}\n", source
    )


BREAKS: dict[str, str] = {
    "raises": 'raise RuntimeError("something broke")',
    "ends its process": "import os; os._exit(3)",
    "exits": "raise SystemExit(0)",
}


def failing_function_node(bed: Bed) -> Iterator[Fault]:
    """A function that runs as a node raises, or ends its process."""
    for operation, node, function in _function_nodes(bed):
        module, _, name = function.partition(":")
        for what, statement in BREAKS.items():
            yield from bed.fault(
                "function node that fails",
                f"{operation} {node} {what}",
                lambda draft, module=module, name=name, statement=statement: draft.functions.update(
                    {module: _first_line(draft.functions[module], name, statement)}
                ),
                [sign("GR721", operation=operation, node=node), *bed.run_signs(operation)],
            )


def missing_function_node(bed: Bed) -> Iterator[Fault]:
    """A function that runs as a node is gone."""
    for operation, node, function in _function_nodes(bed):
        module, _, name = function.partition(":")
        yield from bed.fault(
            "function node without its function",
            f"{operation} {node}",
            lambda draft, module=module, name=name: draft.functions.update(
                {module: draft.functions[module].replace(f"def {name}(", f"def {name}_old(")}
            ),
            sign("GR401 GR604", operation=operation),
        )


def misspelt_function_node(bed: Bed) -> Iterator[Fault]:
    """A node names a function that does not exist."""
    for item, key, graph in graphs(bed):
        for node in graph.nodes:
            if node.type == "greenrun.workflows.Function":
                wrong = typo(str(node.properties["function"]))
                yield from bed.fault(
                    "misspelt function of a node",
                    f"{item.id} {node.id} {wrong}",
                    lambda draft, key=key, node=node, wrong=wrong: node_of(draft, key, node.id)["data"].update(
                        function=wrong
                    ),
                    sign("GR401 GR604", operation=item.id),
                )
