"""Verdict steps 2 to 5: triggers that could not be reached, steps, runs (spec: harness 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from greenrun.document.findings import Finding, Place, Reason
from greenrun.document.js import to_text
from greenrun.instances.runner import Message
from greenrun.instances.runs import RunRecord
from greenrun.oracle.evidence import Evidence, name_of, one_line
from greenrun.oracle.triggers import run_triggers
from greenrun.workflows.graph import Graph
from greenrun.workflows.nesting import inner_graph, named_workflow

NODE_ERRORS_PER_RUN = 5
REQUESTS = "lib.http."
"""Node types that send requests and have an output ``status``."""

_NEEDS_THE_RUNS = frozenset({"GR712", "GR713", "GR715", "GR716", "GR717", "GR718"})
"""What a step can fail with only because an operation is unknown or its run was stopped."""


def judge_reach(evidence: Evidence) -> list[Finding]:
    """GR703: a run trigger that was never usable and that nothing in the app could make usable."""
    findings: list[Finding] = []
    seen: set[str] = set()
    if evidence.is_blind:
        return []
    for trigger in run_triggers(evidence.app):
        widget = trigger.widget
        if widget.id in seen or evidence.session.ever_reachable(widget.id):
            continue
        seen.add(widget.id)
        obstacle = evidence.instance.obstacle(widget.id)
        if obstacle is None:
            continue
        blocked = evidence.reach.blocked(evidence.instance, widget, obstacle)
        if blocked.possible:
            continue
        what = "its visibleWhen never held" if blocked.hidden else "its disabledWhen always held"
        saw = "nothing" if blocked.seen is None else f'"{one_line(to_text(blocked.seen), 80)}"'
        message = (
            f"{name_of(widget)} can never be used: {what} (`{blocked.condition}`, which saw {saw}), and no widget or "
            "operation can change that. Let something write what the condition reads, or correct the condition."
        )
        prop = "visibleWhen" if blocked.hidden else "disabledWhen"
        findings.append(Finding("GR703", "error", message, Place(widget=widget.id, prop=prop)))
    return findings


def judge_steps(evidence: Evidence) -> list[Finding]:
    """GR710-GR719: what went wrong in each step, in order."""
    vacuous = {finding.place.step: finding for finding in evidence.session.vacuous}
    findings: list[Finding] = []
    for record in evidence.session.interactions:
        judged = record.judgeable or record.code not in _NEEDS_THE_RUNS
        if record.error is not None and record.code is not None and judged:
            message = (
                record.error if record.code == "GR710" else f"Step {record.number} ({record.step}): {record.error}"
            )
            findings.append(Finding(record.code, "error", message, Place(widget=record.widget, step=record.number)))
        if record.number in vacuous:
            findings.append(vacuous[record.number])
    return findings


def judge_runs(evidence: Evidence) -> list[Finding]:
    """GR720 and GR721: runs that did not end ok, and the nodes that failed in them."""
    findings: list[Finding] = []
    for record, report in zip(evidence.started, evidence.run_reports, strict=True):
        status = evidence.status(record)
        if status == "completed" or record.limit is not None or record.cancelled_by in ("cancel", "replace"):
            continue
        if record.denied is not None:
            continue
        error = one_line(evidence.error(record) or "it did not say why")
        message = f'Run {record.run_index} of operation "{record.operation_id}" ended {status}: {error}'
        findings.append(Finding("GR720", "error", message, Place(operation=record.operation_id)))
        findings += _node_errors(record.operation_id, report["summary"]["errors"])
    return findings


def _node_errors(operation_id: str, errors: list[dict[str, str]]) -> list[Finding]:
    findings: list[Finding] = []
    for error in errors[:NODE_ERRORS_PER_RUN]:
        node = error.get("nodeId")
        what = error.get("nodeType") or node or "workflow"
        where = f' ("{node}")' if node and node != what else ""
        message = f'{what}{where} failed in operation "{operation_id}": {one_line(error["message"])}'
        findings.append(Finding("GR721", "error", message, Place(operation=operation_id, node=node)))
    return findings


def judge_limits(evidence: Evidence) -> list[Finding]:
    """GR722: operations that ran into their own time limit."""
    return [
        Finding(
            "GR722",
            "error",
            f'Operation "{record.operation_id}" did not finish within its own limit of {record.timed_out_ms:.0f} ms. '
            "Raise timeoutMs or make the work shorter.",
            Place(operation=record.operation_id),
        )
        for record in evidence.started
        if record.limit == "operation" and record.timed_out_ms is not None
    ]


def judge_requests(evidence: Evidence) -> list[Finding]:
    """GR733: requests that were answered with an error in runs that ended ok, where nothing looks at the status."""
    findings: list[Finding] = []
    for record in evidence.started:
        if evidence.status(record) != "completed":
            continue
        for node, call in _unread_failures(evidence, record).items():
            message = (
                f'Operation "{record.operation_id}" ended ok although {call.get("provider") or "a server"} answered the '
                f'request of node "{node}" with {call.get("status")}, and nothing looks at its status. Connect the '
                'output "status", or stop where it is not 2xx.'
            )
            findings.append(Finding("GR733", "error", message, Place(operation=record.operation_id, node=node)))
    return findings


def _unread_failures(evidence: Evidence, record: RunRecord) -> dict[str, Message]:
    """By node, the last failed request of each node whose output ``status`` leads nowhere."""
    item = evidence.app.operation(record.operation_id)
    if item is None or item.graph is None:
        return {}
    return {
        node: message
        for message in record.messages
        if message.get("type") == "provider_call_failed"
        and _leaves_status_unread(item.graph, (node := str(message.get("node_id"))).split("/"), item.named)
    }


def _leaves_status_unread(graph: Graph, path: Sequence[str], named: Mapping[str, Graph]) -> bool:
    """Whether a path leads to a request, perhaps in a graph inside, whose status nothing looks at."""
    node = next((node for node in graph.nodes if node.id == path[0]), None)
    if node is None:
        return False
    if len(path) > 1:
        workflow_id = named_workflow(node.type, node.properties)
        inner = inner_graph(graph, node) if workflow_id is None else named.get(workflow_id)
        return inner is not None and _leaves_status_unread(inner, path[1:], named)
    handles = _tells_status(node.type)
    return node.type.startswith(REQUESTS) and not any(
        edge.source == node.id and edge.source_handle in handles for edge in graph.edges
    )


def _tells_status(node_type: str) -> tuple[str, ...]:
    """The outputs of a request that say whether it was answered well."""
    return ("status", "output") if node_type == f"{REQUESTS}Delete" else ("status",)


def judge_provider_calls(evidence: Evidence) -> list[Finding]:
    """GR731: failed model or provider calls in runs that ended ok."""
    findings: list[Finding] = []
    for record in evidence.started:
        if evidence.status(record) != "completed":
            continue
        unread = _unread_failures(evidence, record)
        for call in (message for message in record.messages if message.get("type") == "provider_call_failed"):
            if call.get("node_id") in unread:
                continue
            node, provider, kind = (
                call.get("node_id"),
                call.get("provider") or "a provider",
                call.get("kind") or "unknown",
            )
            message = f'Operation "{record.operation_id}" ended ok although a call to {provider} failed ({kind}).'
            findings.append(Finding("GR731", "warning", message, Place(operation=record.operation_id, node=node)))
    return findings


def judge_direct_runs(evidence: Evidence) -> list[Finding]:
    """GR732: operations that only ``run`` steps started, past every widget."""
    direct = [item.operation for item in evidence.exercise.not_exercised if item.reason == "direct"]
    if not direct:
        return []
    names = ", ".join(f'"{name}"' for name in direct)
    return [
        Finding("GR732", "info", f"Started by run steps only, not through a widget: {names}. That proves no trigger.")
    ]


def limit_reasons(evidence: Evidence) -> list[Reason]:
    """GR905, GR906 and GR908: limits and permissions of the harness itself, which never count against the app."""
    reasons = [
        Reason("GR908", f'Operation "{operation}" was not let go on: {why}', operation)
        for operation, why in dict.fromkeys(
            (record.operation_id, record.denied) for record in evidence.started if record.denied is not None
        )
    ]
    reasons += [
        Reason(
            "GR905",
            f'Operation "{record.operation_id}" was stopped after {record.timed_out_ms:.0f} ms, the limit for each run, which '
            "is below its own. Raise the limit to judge it.",
            record.operation_id,
        )
        for record in evidence.started
        if record.limit == "ceiling" and record.timed_out_ms is not None
    ]
    stopped = [record.operation_id for record in evidence.instance.runs.records if record.limit == "deadline"]
    if stopped or evidence.session.deadline_passed:
        undone = [f'operation "{name}"' for name in dict.fromkeys(stopped)]
        undone += [f"step `{text}`" for text in evidence.session.untaken]
        left = ", ".join(undone) or "nothing"
        reasons.append(
            Reason("GR906", f"The deadline of {evidence.options.deadline_ms:.0f} ms passed. Not done: {left}.")
        )
    return reasons
