"""The rules of graph validation that look at one node at a time (spec: harness appendix B)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from greenrun.document.findings import Finding, Fix, Place
from greenrun.document.nearest import nearest
from greenrun.document.values import ABSENT, Value, is_record
from greenrun.workflows.facts import GraphFacts, declaration, dynamic_values, is_empty, is_reserved
from greenrun.workflows.graph import Node
from greenrun.workflows.node import PropertySpec
from greenrun.workflows.ports import kind_of
from greenrun.workflows.registry import EDITOR_ONLY
from greenrun.workflows.type_meta import (
    SCALARS,
    as_type,
    canonical,
    canonical_stored,
    convert,
    fits,
    is_media_type,
    is_model_type,
    is_selected_model,
    refers_to_media,
    type_text,
)

_SHOWN: Final = 40


def shown(value: Any) -> str:
    """A value as a message quotes it."""
    text = value if isinstance(value, str) else str(value)
    return f'"{text[:_SHOWN]}{"..." if len(text) > _SHOWN else ""}"'


def set_property(title: str, node: Node, name: str, value: Any) -> Fix:
    return Fix(title, ({"edit": "set_property", "node": node.id, "property": name, "value": value},))


def shape(facts: GraphFacts) -> Iterator[Finding]:
    """GR601, GR617: nodes or edges that are stored as something else than a list, so that none of them is read."""
    stored = facts.graph.stored if is_record(facts.graph.stored) else {}
    for key, code in (("nodes", "GR601"), ("edges", "GR617")):
        value = stored.get(key)
        if value is not None and not isinstance(value, list):
            message = (
                f'"{key}" of the graph is {kind_of(value)}, expected a list, so it has no {key}. Store them as a list.'
            )
            yield Finding(code, "error", message)


def identities(facts: GraphFacts) -> Iterator[Finding]:
    """GR601, GR602: every node needs an id of its own."""
    taken = {node.id for node in facts.graph.entries}
    for node in facts.graph.entries:
        if not node.id:
            free = _free_id(node, taken)
            taken.add(free)
            fix = Fix(f'Give the node the id "{free}"', ({"edit": "set_node_id", "node": node.index, "id": free},))
            kind = f' of type "{node.type}"' if node.type else ""
            yield Finding(
                "GR601",
                "error",
                f"Node {node.index + 1}{kind} has no id, so it takes part in no run. Give it one.",
                Place(),
                (fix,),
            )
    for node in facts.graph.entries:
        if node.id and facts.nodes[node.id] is not node:
            yield Finding(
                "GR602",
                "error",
                f'Node {node.index + 1} has the id "{node.id}" of an earlier node and takes part in no run. '
                "Give it another id and connect it again.",
                Place(node=node.id),
            )


def _free_id(node: Node, taken: set[str]) -> str:
    base = node.type.rpartition(".")[2].lower() or "node"
    number = 1
    while (identifier := f"{base}-{number}") in taken:
        number += 1
    return identifier


def unknown_types(facts: GraphFacts) -> Iterator[Finding]:
    """GR603: every node needs a type that runs here."""
    for node in facts.nodes.values():
        found = facts.types.get(node.id)
        if node.type in EDITOR_ONLY or (found is not None and found.unavailable is None):
            continue
        fixes: tuple[Fix, ...] = ()
        reason = facts.registry.unavailable(node.type)
        if not node.type:
            text = "has no type"
        elif reason is not None:
            text = f'has type "{node.type}", which is {reason}'
        else:
            text = f'has type "{node.type}", which does not exist here'
            near = facts.registry.nearest(node.type)
            if near is not None and facts.registry.unavailable(near) is None:
                text += f'; there is "{near}"'
                fixes = (Fix(f'Make it a "{near}"', ({"edit": "set_node_type", "node": node.id, "type": near},)),)
        yield Finding("GR603", "error", f'Node "{node.id}" {text}.', Place(node=node.id), fixes)


def empty_values(facts: GraphFacts) -> Iterator[Finding]:
    """GR604, GR605, GR606: what a node needs and nothing gives it."""
    filled = {node.id for node in facts.graph.inputs}
    for node in facts.working:
        found = facts.types.get(node.id)
        if found is None:
            continue
        for spec in found.properties:
            # What enters through an input comes from the app.
            is_given = facts.is_fed(node, spec.name) or (node.id in filled and spec.name == "value")
            finding = None if is_given else _empty_value(node, spec)
            if finding is not None:
                yield finding


def _empty_value(node: Node, spec: PropertySpec) -> Finding | None:
    value: Value = node.properties.get(spec.name, spec.default)
    place = Place(node=node.id, prop=spec.name)
    subject = f'Node "{node.id}": {spec.name}'
    if is_model_type(spec.type):
        if is_selected_model(value) or (spec.type.get("optional") and is_empty(value)):
            return None
        return Finding("GR605", "error", f"{subject}: no model is selected. Choose a provider and a model.", place)
    if not spec.required:
        return None
    if is_media_type(spec.type):
        if refers_to_media(value):
            return None
        return Finding("GR606", "error", f"{subject} needs a file. Choose one, or connect an edge.", place)
    if not is_empty(value):
        return None
    fixes: tuple[Fix, ...] = ()
    if not is_empty(spec.default):
        fixes = (set_property(f"Set {spec.name} to its default", node, spec.name, spec.default),)
    return Finding(
        "GR604", "error", f"{subject} is required and empty. Give it a value, or connect an edge.", place, fixes
    )


def empty_slots(facts: GraphFacts) -> Iterator[Finding]:
    """GR607, GR608: dynamic inputs without the value that they need, or with one of another scalar type."""
    for node in facts.working:
        for slot in node.dynamic_inputs:
            stored = declaration(node, slot)
            value = node.dynamic_properties.get(slot, stored.get("default", ABSENT))
            if stored.get("required") is True and not facts.is_fed(node, slot) and is_empty(value):
                yield Finding(
                    "GR607",
                    "error",
                    f'Node "{node.id}": input {shown(slot)} is required and has no value. Give it one, or connect an edge.',
                    Place(node=node.id, prop=slot),
                )
        for port in facts.surfaces[node.id].inputs if node.id in facts.surfaces else ():
            given = node.dynamic_properties.get(port.name, ABSENT)
            if port.required and not facts.is_fed(node, port.name) and is_empty(given):
                yield Finding(
                    "GR607",
                    "error",
                    f'Node "{node.id}": input {shown(port.name)} of the graph inside is required and has no value. '
                    "Give it one, or connect an edge.",
                    Place(node=node.id, prop=port.name),
                )
    yield from _misfits(facts, "GR608")


def dynamic_mismatches(facts: GraphFacts) -> Iterator[Finding]:
    """GR623: values of dynamic inputs against a declared type other than those of GR608."""
    yield from _misfits(facts, "GR623")


def _misfits(facts: GraphFacts, code: str) -> Iterator[Finding]:
    for node in facts.working:
        for slot, value, declared in dynamic_values(node):
            is_scalar = canonical(declared)["type"] in SCALARS
            if is_scalar is not (code == "GR608") or facts.is_fed(node, slot) or fits(declared, value):
                continue
            converted = convert(declared, value)
            fixes = ()
            if converted is not ABSENT:
                fixes = (set_property(f"Write it as {type_text(canonical(declared))}", node, slot, converted),)
            yield Finding(
                code,
                "error" if is_scalar else "warning",
                f'Node "{node.id}": input {shown(slot)} is declared {type_text(declared)} and has the value {shown(value)}. '
                "Change the value or the type.",
                Place(node=node.id, prop=slot),
                fixes,
            )


def slot_aliases(facts: GraphFacts) -> Iterator[Finding]:
    """GR609: dynamic slots whose type is spelt otherwise."""
    for node in facts.nodes.values():
        for side, slots in (("inputs", node.dynamic_inputs), ("outputs", node.dynamic_outputs)):
            for slot, stored in slots.items():
                if canonical_stored(stored) == stored:
                    continue
                declared = as_type(stored)
                if declared is None:
                    continue
                wanted = type_text(canonical(declared))
                edit = {"edit": "set_slot_type", "node": node.id, "side": side, "slot": slot, "type": wanted}
                yield Finding(
                    "GR609",
                    "error",
                    f'Node "{node.id}": {side[:-1]} {shown(slot)} has type "{type_text(declared)}". Write "{wanted}".',
                    Place(node=node.id, prop=slot),
                    (Fix(f'Write "{wanted}"', (edit,)),),
                )


def providers(facts: GraphFacts) -> Iterator[Finding]:
    """GR612: model choices that name a provider which nobody knows."""
    if not facts.providers:
        return
    for node in facts.working:
        for name, value in node.properties.items():
            if (
                not is_selected_model(value)
                or facts.is_fed(node, name)
                or not _is_model_value(facts, node, name, value)
            ):
                continue
            provider: str = value["provider"]
            if provider in facts.providers:
                continue
            near = nearest(provider, facts.providers)
            fixes = ()
            if near is not None:
                fixes = (set_property(f'Use provider "{near}"', node, name, {**value, "provider": near}),)
            yield Finding(
                "GR612",
                "error",
                f'Node "{node.id}": {name} names the provider {shown(provider)}. Known: {", ".join(facts.providers)}.',
                Place(node=node.id, prop=name),
                fixes,
            )


def _is_model_value(facts: GraphFacts, node: Node, name: str, value: Any) -> bool:
    kind = value.get("type") if is_record(value) else None
    return is_model_type(facts.input_type(node.id, name)) or (isinstance(kind, str) and kind.endswith("_model"))


def untyped_slots(facts: GraphFacts) -> Iterator[Finding]:
    """GR620: dynamic inputs without a declared type."""
    for node in facts.nodes.values():
        found = facts.types.get(node.id)
        if found is None or not found.dynamic_inputs:
            continue
        declared = node.dynamic_inputs
        used = [*declared, *node.dynamic_properties, *sorted(facts.fed.get(node.id, ()))]
        inside = {port.name for port in facts.surfaces[node.id].inputs} if node.id in facts.surfaces else set()
        for slot in dict.fromkeys(used):
            # Where some slots are declared, another one that is fed is an unknown handle.
            is_stray = bool(declared) and slot not in declared and slot not in node.dynamic_properties
            if found.property(slot) is not None or is_reserved(slot) or is_stray or slot in inside:
                continue
            if as_type(declared.get(slot)) is None:
                yield Finding(
                    "GR620",
                    "info",
                    f'Node "{node.id}": input {shown(slot)} declares no type, so nothing checks what it receives.',
                    Place(node=node.id, prop=slot),
                )
