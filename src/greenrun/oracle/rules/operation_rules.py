"""Rules 16-23 and 29: operations, their mappings and their outputs (spec: harness 2.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from greenrun.document.bindings import OutputRef, encode
from greenrun.document.findings import Finding, Fix, Place
from greenrun.document.model import InputMapping, OutputMapping
from greenrun.document.nearest import Choice, nearest, nearest_choice
from greenrun.document.surface import Port
from greenrun.document.values import ABSENT
from greenrun.oracle.context import Context
from greenrun.oracle.rules.controls import display_of
from greenrun.oracle.rules.renames import renamed
from greenrun.oracle.rules.repairs import (
    declare_variable,
    edit,
    insert_widget,
    is_addressable,
    mapping_json,
    set_mapping,
    set_props,
)
from greenrun.oracle.usage import OperationFacts
from greenrun.oracle.wording import a, existing, named, quoted


def unavailable(ctx: Context, facts: OperationFacts) -> Iterator[Finding]:
    """Rule 16."""
    if facts.item.unavailable is not None:
        yield ctx.finding("GR401", facts.item.unavailable, Place(operation=facts.id))


def check_mappings(ctx: Context, facts: OperationFacts) -> Iterator[Finding]:
    """Rules 17 to 23, in the order of the rules."""
    inputs, outputs = facts.operation.inputs, facts.operation.outputs
    yield from _strangers(ctx, facts, "inputs", inputs, facts.inputs)
    for node, mapping in inputs.items():
        if mapping.kind == "variable" and not ctx.knows_variable(mapping.variable_id):
            yield _unknown_variable(ctx, facts, "inputs", node, mapping.variable_id)
    for node, mapping in inputs.items():
        if mapping.kind == "constant" and mapping.value is ABSENT:
            yield ctx.finding(
                "GR405",
                f'Operation "{facts.id}": the constant for the input {_port(facts.inputs, node)} has no value, so '
                "nothing is sent for it.",
                Place(operation=facts.id, node=node),
            )
    yield from _resources(ctx, facts)
    yield from _strangers(ctx, facts, "outputs", outputs, facts.outputs)
    for node, mapping in outputs.items():
        if mapping.kind == "variable" and not ctx.knows_variable(mapping.variable_id):
            yield _unknown_variable(ctx, facts, "outputs", node, mapping.variable_id)
    yield from _undisplayed(ctx, facts)


def _port(ports: Mapping[str, Port], node: str) -> str:
    port = ports.get(node)
    return f'"{port.name}"' if port is not None else f'"{node}"'


def _strangers(
    ctx: Context,
    facts: OperationFacts,
    side: str,
    mappings: Mapping[str, InputMapping | OutputMapping],
    ports: Mapping[str, Port],
) -> Iterator[Finding]:
    """Rules 17 and 21: a mapping for a node that is no such port."""
    if facts.surface is None:
        return
    word = "input" if side == "inputs" else "output"
    for node, mapping in mappings.items():
        if node not in ports:
            yield ctx.finding(
                "GR402" if side == "inputs" else "GR408",
                f'Operation "{facts.id}": its {word} mapping for {facts.word_for(word)} "{node}" is never used, because that is no '
                f"{word} of it. {existing(f'Its {side}', ports)}.",
                Place(operation=facts.id, node=node),
                lambda node=node, mapping=mapping: [
                    _moved(facts, side, node, mapping, mappings, ports) or renamed(ctx, facts, side, node)
                ],
            )


def _moved(
    facts: OperationFacts,
    side: str,
    node: str,
    mapping: InputMapping | OutputMapping,
    mappings: Mapping[str, Any],
    ports: Mapping[str, Port],
) -> Fix | None:
    """The mapping at the nearest port that has none yet."""
    choices = [Choice(port, (port.node_id, port.name)) for port in ports.values()]
    near = nearest_choice(node, choices)
    if near is None or near.node_id in mappings:
        return None
    return Fix(
        f'Map "{near.node_id}" instead',
        (
            edit("set_mapping", id=facts.id, side=side, node=near.node_id, mapping=mapping_json(mapping)),
            edit("clear_mapping", id=facts.id, side=side, node=node),
        ),
    )


def _unknown_variable(ctx: Context, facts: OperationFacts, side: str, node: str, variable_id: str) -> Finding:
    """Rules 18 and 22."""
    reads = side == "inputs"
    port = _port(facts.inputs if reads else facts.outputs, node)
    effect = "so nothing is sent for it" if reads else "so no widget can read it"
    return ctx.finding(
        "GR404" if reads else "GR409",
        f'Operation "{facts.id}": the {"input" if reads else "output"} {port} {"reads" if reads else "writes"} the '
        f'variable "{variable_id}", which does not exist, {effect}. {ctx.variable_roster}.',
        Place(operation=facts.id, variable=variable_id, node=node),
        lambda: [_variable_fix(ctx, facts, side, node, variable_id)],
    )


def _variable_fix(ctx: Context, facts: OperationFacts, side: str, node: str, variable_id: str) -> Fix:
    near = ctx.variable_named(variable_id) or ctx.variable_ids.nearest(variable_id)
    if near is None:
        return declare_variable(ctx, variable_id)
    key = "from" if side == "inputs" else "to"
    mapping = {key: "variable", "variableId": near}
    return set_mapping(facts.id, side, node, mapping, f'Use the variable "{near}"')


def _resources(ctx: Context, facts: OperationFacts) -> Iterator[Finding]:
    """Rules 20a and 20b."""
    declared = [item.id for item in ctx.document.resources]
    known = set(declared)
    later: list[Finding] = []
    for node, mapping in facts.operation.inputs.items():
        if mapping.kind != "resource":
            continue
        resource = mapping.resource_binding_id
        place = Place(operation=facts.id, resource=resource, node=node)
        port = _port(facts.inputs, node)
        if resource in known:
            seed = f'{{"seedResource": {{"id": "{resource}", "items": [{{"id": "..."}}]}}}}'
            later.append(
                ctx.finding(
                    "GR407",
                    f'Operation "{facts.id}": the input {port} comes from the resource "{resource}"; a run without a '
                    f"browser sees only a seeded collection. Seed it with the step {seed} or the param "
                    f'"resource:{resource}".',
                    place,
                )
            )
            continue
        yield ctx.finding(
            "GR406",
            f'Operation "{facts.id}": the input {port} comes from the resource "{resource}", which is not declared. '
            f"{existing('Declared', declared)}.",
            place,
            lambda node=node, resource=resource: [_resource_fix(facts, node, nearest(resource, declared))],
        )
    yield from later


def _resource_fix(facts: OperationFacts, node: str, near: str | None) -> Fix | None:
    if near is None:
        return None
    mapping = {"from": "resource", "resourceBindingId": near}
    return set_mapping(facts.id, "inputs", node, mapping, f'Use the resource "{near}"')


def _undisplayed(ctx: Context, facts: OperationFacts) -> Iterator[Finding]:
    """Rule 23."""
    for port in facts.outputs.values():
        if not ctx.usage.is_shown(facts, port):
            yield ctx.finding(
                "GR410",
                f'Operation "{facts.id}": no widget shows the output "{port.name}"{_at_node(facts, port)}, and no '
                "variable keeps it.",
                Place(operation=facts.id, node=port.node_id),
                lambda port=port: [_shown(ctx, facts, port)],
            )


def _at_node(facts: OperationFacts, port: Port) -> str:
    """The node of an output of a workflow; a function has none."""
    return f' (node "{port.node_id}")' if facts.word_for("output") == "node" else ""


def _shown(ctx: Context, facts: OperationFacts, port: Port) -> Fix | None:
    """The variable or the widget that waits for the output, else a new widget.

    Of an operation that nobody sees anything of, nothing is added: it may well work in silence.
    """
    variable = ctx.spare.variable_to_keep(port)
    if variable is not None:
        mapping = {"to": "variable", "variableId": variable}
        return set_mapping(facts.id, "outputs", port.node_id, mapping, f'Keep it in the variable "{variable}"')
    widget = ctx.spare.display_for(port)
    if widget is not None and is_addressable(ctx, widget):
        token = encode(OutputRef(facts.id, port.node_id))
        return set_props(ctx, widget, f"Show it in {named(widget)}", {"binding": token})
    if len(ctx.operations) > 1 and facts.id not in ctx.usage.showers:
        return None
    return _insert_display(ctx, facts, port)


def _insert_display(ctx: Context, facts: OperationFacts, port: Port) -> Fix:
    type_ = display_of(port)
    props = {"binding": encode(OutputRef(facts.id, port.node_id))}
    return Fix(f'Add {a(type_)} that shows "{port.name}"', (insert_widget(ctx, type_, props, ctx.anchor(facts.id)),))


def same_names(ctx: Context, facts: OperationFacts) -> Iterator[Finding]:
    """Rule 29."""
    for word, ports in (("input", facts.inputs), ("output", facts.outputs)):
        by_name: dict[str, list[str]] = defaultdict(list)
        for port in ports.values():
            by_name[port.name].append(port.node_id)
        for name, nodes in by_name.items():
            if len(nodes) > 1:
                yield ctx.finding(
                    "GR412",
                    f'Operation "{facts.id}": the {word}s of the nodes {quoted(nodes)} are all named "{name}". Params '
                    "and values go by name, so only one of them counts; rename the others.",
                    Place(operation=facts.id, node=nodes[1]),
                )
