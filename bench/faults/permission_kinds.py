"""Runs that would spend or do more than they may."""

from __future__ import annotations

from collections.abc import Iterator

from bench.faults.model_kinds import asked
from bench.faults.seed import Bed, Fault, sign
from greenrun.document.model import FunctionTarget, operation_target
from greenrun.instances.app import AppOperation
from greenrun.workflows.registry import default_registry


def over_budget(bed: Bed) -> Iterator[Fault]:
    """A run may not spend what its models cost."""
    operations = sorted({item.operation for item in asked(bed)})
    for operation in operations:
        for cap in (0.0, 0.015):
            if cap and not bed.app.world.script:
                continue
            # What was recorded costs nothing any more.
            models = "scripted" if cap else "recorded"
            yield from bed.fault(
                "cost over the cap",
                f"{operation} {cap}",
                lambda draft, cap=cap, models=models: draft.live_in(cost_cap=cap, models=models),
                sign("GR908", operation=operation),
            )


def not_permitted(bed: Bed) -> Iterator[Fault]:
    """A run would act outside the app, which nobody permitted."""
    for item in bed.operations:
        if _acts_outside(bed, item):
            yield from bed.fault(
                "effect that is not permitted",
                item.id,
                lambda draft: draft.live_in(allow_external=False),
                sign("GR908", operation=item.id),
            )


def _acts_outside(bed: Bed, item: AppOperation) -> bool:
    target = operation_target(item.operation)
    if isinstance(target, FunctionTarget):
        module = target.function.partition(":")[0]
        return 'effects="external"' in bed.app.functions.get(module, "")
    registry = default_registry()
    found = (registry.get(node.type) for node in (item.graph.nodes if item.graph is not None else ()))
    return any(type_ is not None and type_.effects == "external" for type_ in found)
