"""The one function that constructs every run: product, debug, pytest client and evals start runs here (spec: harness 3.9)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from greenrun.document.errors import GreenrunError
from greenrun.document.model import FunctionTarget, OperationTarget
from greenrun.workflows.engine import Escalate, InputFeed, RunResult, Services, run_graph
from greenrun.workflows.engine.allowance import external_refusal
from greenrun.workflows.graph import Graph, overlay_properties
from greenrun.workflows.messages import NOT_ALLOWED, Emit, job_update, stamped
from greenrun.workflows.registry import Registry

if TYPE_CHECKING:
    from greenrun.workflows.functions.ports import FunctionPorts

__all__ = ["FunctionRunner", "RunResult", "RunSpec", "execute"]


class FunctionRunner(Protocol):
    """Runs a function in a worker process, as `greenrun.workflows.functions.FunctionHost` does."""

    async def run(
        self, function: str, params: dict[str, Any], *, job_id: str, emit: Emit, timeout_ms: float | None = None
    ) -> RunResult:
        """Run to the end, emitting the messages of app-runtime 12, the final job_update included."""
        ...

    async def inspect(self, function: str) -> FunctionPorts:
        """What the function takes, gives and does.

        Raises:
            FunctionError: It does not exist, or cannot be loaded.
        """
        ...


@dataclass(frozen=True, slots=True)
class RunSpec:
    """One run, complete: the same spec gives the same messages wherever it is executed.

    `job_id` is assigned before the start and stamped on every message (spec: app-runtime 17.4.9). `target` says what runs;
    `graph` carries the graph of a workflow target. `params` are keyed by input name, `node_properties` by node id and
    property: they are laid over a copy of this run's graph (spec: harness 3.6). `timeout_ms` limits the whole run, `cost_cap`
    what it may spend (US dollars, None for no cap), `allow_external` whether it may act outside this app.
    """

    job_id: str
    target: OperationTarget | None = None
    graph: Graph | None = None
    function: str | None = None
    params: dict[str, Any] = field(default_factory=lambda: {})
    node_properties: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {})
    workflow_id: str | None = None
    operation_id: str | None = None
    timeout_ms: float | None = None
    cost_cap: float | None = None
    allow_external: bool = True

    @property
    def function_name(self) -> str | None:
        """``module:name`` when a function runs."""
        if self.function is not None:
            return self.function
        return self.target.function if isinstance(self.target, FunctionTarget) else None


async def execute(
    spec: RunSpec,
    emit: Emit,
    *,
    registry: Registry,
    functions: FunctionRunner | None,
    services: Services | None = None,
    escalate: Escalate | None = None,
    feed: InputFeed | None = None,
) -> RunResult:
    """Execute a run and hand over its messages, each stamped with the job id, as they come.

    `escalate` is asked about node failures; `feed` brings the values of live inputs.

    Cancelling the awaiting task cancels the run: its work has stopped and ``job_update`` cancelled has been emitted when
    the cancellation is raised.
    """
    function = spec.function_name
    if function is not None and functions is not None:
        if not spec.allow_external and await _acts_outside(function, functions):
            what = external_refusal(f'the function "{function}" would be run')
            return _refuse(spec, emit, what, error_code=NOT_ALLOWED)
        return await functions.run(
            function,
            dict(spec.params),
            job_id=spec.job_id,
            emit=stamped(emit, spec.job_id, spec.workflow_id),
            timeout_ms=spec.timeout_ms,
        )
    if spec.graph is not None and function is None:
        return await run_graph(
            overlay_properties(spec.graph, spec.node_properties),
            registry=registry,
            params=spec.params,
            job_id=spec.job_id,
            emit=emit,
            workflow_id=spec.workflow_id,
            timeout_ms=spec.timeout_ms,
            services=services,
            escalate=escalate,
            cost_cap=spec.cost_cap,
            allow_external=spec.allow_external,
            feed=feed,
        )
    what = "no graph was given" if function is None else f'this host runs no functions, so "{function}" cannot run'
    return _refuse(spec, emit, what)


async def _acts_outside(function: str, functions: FunctionRunner) -> bool:
    """Whether a function says that it has external effects; one that cannot be read fails by itself when it is run."""
    try:
        return (await functions.inspect(function)).effects == "external"
    except GreenrunError:
        return False


def _refuse(spec: RunSpec, emit: Emit, error: str, *, error_code: str | None = None) -> RunResult:
    start = time.perf_counter()
    send = stamped(emit, spec.job_id, spec.workflow_id)
    send(job_update("running"))
    send(job_update("failed", error=error, error_code=error_code, duration=time.perf_counter() - start))
    return RunResult("failed", error, error_code=error_code)
