"""The events that open an app and start its runs (spec: app-runtime 17.3, 17.4.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from greenrun.document.model import Operation, Variable
from greenrun.document.surface import Surface
from greenrun.document.values import Value
from greenrun.runtime.events import Event, RunStarted, SeedInputs, SeedVariables
from greenrun.runtime.parameters import (
    initial_variable_values,
    input_seeds,
    output_variable_targets,
    persistent_variables,
)
from greenrun.runtime.state import Invocation


def opening_events(
    operations: Iterable[tuple[Operation, Surface | None]],
    variables: Sequence[Variable],
    restored: Mapping[str, Value],
) -> list[Event]:
    """What seeds an app: inputs, then restored values, then declared defaults, so that restored values win (17.3)."""
    seeds = {
        f"{operation.id}:{node_id}": value
        for operation, surface in operations
        if surface is not None
        for node_id, value in input_seeds(surface).items()
    }
    return [SeedInputs(seeds), SeedVariables(dict(restored)), SeedVariables(initial_variable_values(variables))]


def waiting_run(operation: Operation, run_id: str, started_at: float = 0) -> RunStarted:
    """A run that has to wait: recorded as pending, with no claim on slots or variables (5.4 Ours O-34)."""
    return RunStarted(Invocation(run_id, operation.id, "pending", started_at), claim=False)


def started_run(
    operation: Operation,
    surface: Surface | None,
    variables: Sequence[Variable],
    run_id: str,
    started_at: float = 0,
) -> RunStarted:
    """A run that starts: all outputs pending, the variables it writes claimed and set to their defaults (17.4.3).

    Persistent user variables are written by the run but not claimed.
    """
    kept = {variable.id for variable in persistent_variables(variables)}
    keys = tuple(
        dict.fromkeys(variable_id for _, variable_id in output_variable_targets(operation) if variable_id not in kept)
    )
    defaults = initial_variable_values(variables)
    return RunStarted(
        Invocation(run_id, operation.id, "pending", started_at),
        output_keys=tuple(f"{operation.id}:{port.node_id}" for port in (surface.outputs if surface else ())),
        variable_keys=keys,
        variable_defaults={key: defaults[key] for key in keys if key in defaults},
    )
