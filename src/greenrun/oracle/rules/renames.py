"""The repair of a port that has another name now: every use of the old one, and its mapping."""

from __future__ import annotations

from typing import Any

from greenrun.document.bindings import InputRef, OutputRef, encode
from greenrun.document.findings import Fix
from greenrun.oracle.context import Context
from greenrun.oracle.rules.repairs import edit, mapping_json, rewrite
from greenrun.oracle.usage import OperationFacts


def renamed(ctx: Context, facts: OperationFacts, side: str, node: str) -> Fix | None:
    """Name the port that took the place of `node` wherever `node` is named."""
    port = ctx.spare.successor(facts, side, node)
    if port is None:
        return None
    ref = InputRef(facts.id, port.node_id) if side == "inputs" else OutputRef(facts.id, port.node_id)
    edits: list[dict[str, Any]] = []
    for use in ctx.spare.lost[facts.id, side][node]:
        fix = rewrite(ctx, use, encode(ref))
        if fix is None:
            return None
        edits += fix.edits
    mappings = facts.operation.inputs if side == "inputs" else facts.operation.outputs
    mapping = mappings.get(node)
    if mapping is not None:
        edits.append(edit("set_mapping", id=facts.id, side=side, node=port.node_id, mapping=mapping_json(mapping)))
        edits.append(edit("clear_mapping", id=facts.id, side=side, node=node))
    return Fix(f'Write "{port.node_id}" wherever "{node}" is named', tuple(edits))
