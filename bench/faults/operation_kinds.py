"""Faults in operations and in how their inputs and outputs are mapped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from bench.faults.binding_kinds import undisplayed
from bench.faults.seed import Bed, Draft, Fault, Sign, at_widgets, sign, typo
from greenrun.document.bindings import InputRef, OutputRef, VariableRef
from greenrun.document.model import FromVariable, ToVariable
from greenrun.instances.app import AppOperation
from greenrun.oracle.rules.repairs import mapping_json

GATE = "nobody_sets_this"


def _mapped(item: AppOperation, side: str) -> dict[str, Any]:
    return dict(item.operation.inputs if side == "inputs" else item.operation.outputs)


def _set(item: AppOperation, side: str, node: str, mapping: dict[str, Any] | None) -> Callable[[Draft], None]:
    def change(draft: Draft) -> None:
        mappings = draft.operation(item.id).setdefault(side, {})
        if mapping is None:
            del mappings[node]
        else:
            mappings[node] = mapping

    return change


def dropped_mapping(bed: Bed) -> Iterator[Fault]:
    """An input that takes a variable or a resource takes it no more."""
    for item in bed.operations:
        for node, mapping in item.operation.inputs.items():
            if mapping.kind in ("variable", "resource"):
                signs = [sign("GR411 GR503", operation=item.id, node=node), *bed.result_signs(item.id)]
                yield from bed.fault("dropped mapping", f"{item.id}.{node}", _set(item, "inputs", node, None), signs)


def never_written_variable(bed: Bed) -> Iterator[Fault]:
    """An output is not kept in its variable any more."""
    for item in bed.operations:
        for node, mapping in item.operation.outputs.items():
            if isinstance(mapping, ToVariable):
                ref = VariableRef(mapping.variable_id)
                signs = [*undisplayed(OutputRef(item.id, node)), *bed.value_signs(ref)]
                yield from bed.fault(
                    "variable never written", f"{item.id}.{node}", _set(item, "outputs", node, None), signs
                )


def swapped_input_mapping(bed: Bed) -> Iterator[Fault]:
    """Two inputs have each other's source."""
    for item in bed.operations:
        for one, other in combinations(item.operation.inputs.items(), 2):
            if one[1] == other[1]:
                continue

            def change(draft: Draft, item: AppOperation = item, a: str = one[0], b: str = other[0]) -> None:
                mappings = draft.operation(item.id)["inputs"]
                mappings[a], mappings[b] = mappings[b], mappings[a]

            yield from bed.fault(
                "swapped input mapping", f"{item.id}.{one[0]} and {other[0]}", change, bed.result_signs(item.id)
            )


def misspelt_mapping_variable(bed: Bed) -> Iterator[Fault]:
    """A mapping names a variable that does not exist."""
    for item in bed.operations:
        for side, code in (("inputs", "GR404"), ("outputs", "GR409")):
            for node, mapping in _mapped(item, side).items():
                if isinstance(mapping, (FromVariable, ToVariable)):
                    stored = mapping_json(mapping) | {"variableId": typo(mapping.variable_id)}
                    yield from bed.fault(
                        "misspelt variable of a mapping",
                        f"{item.id}.{side}.{node}",
                        _set(item, side, node, stored),
                        sign(code, operation=item.id, node=node),
                    )


def misspelt_mapping_word(bed: Bed) -> Iterator[Fault]:
    """A mapping says where from or where to with a word that does not exist."""
    for item in bed.operations:
        for side, key in (("inputs", "from"), ("outputs", "to")):
            for node, mapping in _mapped(item, side).items():
                stored = mapping_json(mapping)
                yield from bed.fault(
                    f"misspelt {key}",
                    f"{item.id}.{node}",
                    _set(item, side, node, stored | {key: typo(stored[key])}),
                    sign("GR103", operation=item.id, node=node),
                )


def mapping_of_stranger(bed: Bed) -> Iterator[Fault]:
    """A mapping is written for a port that does not exist."""
    for item in bed.operations:
        for side, code in (("inputs", "GR402"), ("outputs", "GR408")):
            for node in _mapped(item, side):

                def change(draft: Draft, item: AppOperation = item, side: str = side, node: str = node) -> None:
                    mappings = draft.operation(item.id)[side]
                    mappings[typo(node)] = mappings.pop(node)

                where = f"{item.id}.{side}.{typo(node)}"
                yield from bed.fault(
                    "misspelt port of a mapping", where, change, sign(code, operation=item.id, node=typo(node))
                )


def mapping_over_widget(bed: Bed) -> Iterator[Fault]:
    """An input that a widget fills takes a constant."""
    for widget in bed.writing():
        if isinstance(widget.ref, InputRef):
            item = next(item for item in bed.operations if item.id == widget.ref.operation_id)
            yield from bed.fault(
                "constant over a widget",
                f"{item.id}.{widget.ref.node_id}",
                _set(item, "inputs", widget.ref.node_id, {"from": "constant", "value": "fixed"}),
                sign("GR403", widget=widget.id),
            )


def empty_constant(bed: Bed) -> Iterator[Fault]:
    """An input takes a constant that has no value."""
    for item in bed.operations:
        for node, mapping in item.operation.inputs.items():
            if mapping.kind in ("variable", "constant"):
                yield from bed.fault(
                    "constant without a value",
                    f"{item.id}.{node}",
                    _set(item, "inputs", node, {"from": "constant"}),
                    sign("GR405", operation=item.id, node=node),
                )


def mapped_to_unfilled_variable(bed: Bed) -> Iterator[Fault]:
    """An input takes a variable that nothing fills."""
    for item in bed.operations:
        for node, mapping in item.operation.inputs.items():
            if mapping.kind == "variable":

                def change(draft: Draft, item: AppOperation = item, node: str = node) -> None:
                    draft.declare(GATE)
                    draft.operation(item.id)["inputs"][node]["variableId"] = GATE

                signs = [sign("GR411", operation=item.id, node=node), *bed.result_signs(item.id)]
                yield from bed.fault("mapping of an unfilled variable", f"{item.id}.{node}", change, signs)


def missing_workflow(bed: Bed) -> Iterator[Fault]:
    """An operation runs a graph or a function that does not exist."""
    for item in bed.operations:

        def change(draft: Draft, item: AppOperation = item) -> None:
            stored = draft.operation(item.id)
            stored["workflowId"] = typo(stored["workflowId"])
            if isinstance(stored.get("target"), dict) and "function" in stored["target"]:
                stored["target"]["function"] = typo(stored["target"]["function"])
            elif isinstance(stored.get("target"), dict) and "workflowId" in stored["target"]:
                stored["target"]["workflowId"] = typo(stored["target"]["workflowId"])

        yield from bed.fault("misspelt workflow", item.id, change, sign("GR401", operation=item.id))


def operation_without_workflow(bed: Bed) -> Iterator[Fault]:
    """An operation does not say what it runs."""
    for item in bed.operations:

        def change(draft: Draft, item: AppOperation = item) -> None:
            stored = draft.operation(item.id)
            stored.pop("workflowId", None)
            stored.pop("target", None)

        signs: list[Sign] = [sign("GR102 GR212 GR219 GR301 GR401", operation=item.id)]
        yield from bed.fault("operation without workflow", item.id, change, signs)


def wrong_workflow(bed: Bed) -> Iterator[Fault]:
    """Two operations run each other's graph or function."""
    for one, other in combinations(bed.operations, 2):

        def change(draft: Draft, one: AppOperation = one, other: AppOperation = other) -> None:
            first, second = draft.operation(one.id), draft.operation(other.id)
            for key in ("workflowId", "target"):
                values = (first.pop(key, None), second.pop(key, None))
                second |= {key: values[0]} if values[0] is not None else {}
                first |= {key: values[1]} if values[1] is not None else {}

        codes = "GR215 GR216 GR219 GR402 GR408 GR410 GR411"
        signs = [sign(codes, operation=item.id) for item in (one, other)]
        signs += [*bed.result_signs(one.id), *bed.result_signs(other.id)]
        yield from bed.fault("swapped workflows", f"{one.id} and {other.id}", change, signs)


def wrong_policy(bed: Bed) -> Iterator[Fault]:
    """A policy that does not exist, so that another one holds."""
    for item in bed.operations:
        wrong = typo(item.operation.policy)
        yield from bed.fault(
            "wrong policy text",
            f"{item.id} {wrong}",
            lambda draft, item=item, wrong=wrong: draft.operation(item.id).update(policy=wrong),
            [sign("GR104", operation=item.id), *at_widgets("GR718", bed.seen_after(item.id))],
        )
