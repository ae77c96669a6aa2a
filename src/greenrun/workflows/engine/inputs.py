"""Evaluates the bindable inputs of a run, before any actor lives (spec: nodes A2.13)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from greenrun.document.values import ABSENT, Value
from greenrun.workflows import messages
from greenrun.workflows.engine.actor import BufferedActor, error_text
from greenrun.workflows.engine.inbox import Inbox
from greenrun.workflows.engine.outlet import Outlet
from greenrun.workflows.engine.plan import NodePlan
from greenrun.workflows.engine.result import NodeReport

if TYPE_CHECKING:
    from greenrun.workflows.engine.run import Run


class InputFailed(Exception):
    """Raised when an input refuses its value; the whole run fails with it."""


async def dispatch(
    run: Run, plan: NodePlan, params: Mapping[str, Any], outlets: dict[str, Outlet], report: NodeReport
) -> None:
    """Evaluate an input once with its param or stored value, put what it gives on its edges, and close them.

    Raises:
        InputFailed: The input refused the value; the text names it, its type and its node.
    """
    value = params.get(plan.node.name, ABSENT)
    if value is ABSENT and not plan.live:
        value = plan.node.stored_value()
    if value is not ABSENT:
        report.status, report.firings = "running", 1
        run.emit(messages.node_update(plan.id, report.node_name, report.node_type, "running"))
        start = time.perf_counter()
        try:
            records = await _evaluate(run, plan, value, outlets, report)
        except Exception as error:
            report.status, report.error = "error", error_text(error)
            run.emit(messages.node_update(plan.id, report.node_name, report.node_type, "error", error=report.error))
            raise InputFailed(
                f'input "{plan.node.name}" ({plan.node.type}, node "{plan.id}") refused its value: {report.error}'
            ) from error
        # An input that yields nothing at all hands on the value as it is.
        for record in records if any(records) else [dict.fromkeys(outlets, value)]:
            for handle, produced in record.items():
                report.outputs.setdefault(handle, []).append(produced)
                await outlets[handle].send((), produced, bounded=False)
        report.status = "completed"
        report.duration_ms = (time.perf_counter() - start) * 1000
        run.emit(messages.node_update(plan.id, report.node_name, report.node_type, "completed"))
    for outlet in outlets.values():
        outlet.close()


async def _evaluate(
    run: Run, plan: NodePlan, value: Value, outlets: dict[str, Outlet], report: NodeReport
) -> list[dict[str, Any]]:
    if plan.live:
        return []
    context = BufferedActor(run, plan, Inbox(run.pulse), outlets, report).context
    node = plan.node.create({"value": value})
    if plan.node.node_type.generates:
        return [record async for record in node.gen_process(context)]
    return [plan.node.node_type.record(await node.process(context))]
