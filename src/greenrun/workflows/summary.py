"""What a run did, read from its messages: the execution summary and the server run report (spec: harness 3.9).

Product runs, debug runs and runs read back from storage are summarised from the same thing, the messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from greenrun.workflows.messages import TERMINAL, Message

_CALLS = ("llm_call", "prediction", "provider_call_failed")
_FAILED_NODE = ("error", "failed")


@dataclass(slots=True)
class _Reading:
    """What has been gathered so far; one method per message type, found by name."""

    status: str | None = None
    error: str | None = None
    detail: dict[str, Any] = field(default_factory=lambda: {})
    result: dict[str, Any] | None = None
    nodes: dict[str, dict[str, Any]] = field(default_factory=lambda: {})
    logs: list[dict[str, Any]] = field(default_factory=lambda: [])
    edges: dict[str, dict[str, Any]] = field(default_factory=lambda: {})
    calls: list[dict[str, Any]] = field(default_factory=lambda: [])
    outputs: dict[str, list[Any]] = field(default_factory=lambda: {})
    interventions: list[dict[str, Any]] = field(default_factory=lambda: [])

    def node(self, message: Message) -> dict[str, Any]:
        """The entry of the node that a message is about."""
        node_id = str(message.get("node_id"))
        entry = self.nodes.setdefault(
            node_id,
            {
                "nodeId": node_id,
                "nodeType": None,
                "nodeName": None,
                "status": None,
                "error": None,
                "outputs": {},
                "cost": None,
            },
        )
        for key, name in (("nodeType", "node_type"), ("nodeName", "node_name")):
            if message.get(name) is not None:
                entry[key] = message[name]
        return entry

    def job_update(self, message: Message) -> None:
        status = message.get("status")
        if status in TERMINAL:
            self.status = "failed" if status in ("timed_out", "error") else status
        if isinstance(message.get("error"), str):
            self.error = message["error"]
            detail = message.get("error_detail")
            self.detail = detail if isinstance(detail, dict) else {}
        if isinstance(message.get("result"), dict):
            self.result = message["result"]

    def node_update(self, message: Message) -> None:
        entry = self.node(message)
        entry["status"] = message.get("status")
        if message.get("error") is not None:
            entry["error"] = str(message["error"])
        if message.get("provider_cost") is not None:
            entry["cost"] = message["provider_cost"]

    def generation_complete(self, message: Message) -> None:
        self.node(message)["outputs"].update(message.get("outputs") or {})

    def node_progress(self, message: Message) -> None:
        progress = {"progress": message.get("progress"), "total": message.get("total")}
        if message.get("node_id") is not None:
            self.node(message)["progress"] = progress

    def log_update(self, message: Message) -> None:
        entry = {
            "nodeId": message.get("node_id"),
            "severity": message.get("severity", "info"),
            "content": message.get("content", ""),
        }
        self.logs.append(entry)

    def edge_update(self, message: Message) -> None:
        edge_id = str(message.get("edge_id"))
        self.edges[edge_id] = {
            "edgeId": edge_id,
            "status": message.get("status"),
            "counter": message.get("counter", 0),
        }

    def output_update(self, message: Message) -> None:
        if "value" not in message:
            return
        values = self.outputs.setdefault(str(message.get("output_name")), [])
        if message.get("disposition") == "replace":
            values.clear()
        values.append(message["value"])

    def call(self, message: Message) -> None:
        entry = {name: value for name, value in message.items() if name not in ("type", "job_id", "workflow_id")}
        entry["nodeId"] = entry.pop("node_id", None)
        self.calls.append(entry)

    def intervention(self, message: Message) -> None:
        self.interventions.append(
            {
                "nodeId": message.get("node_id"),
                "nodeType": message.get("node_type"),
                "action": message.get("action"),
                "attempt": message.get("attempt"),
                "detail": message.get("detail"),
                "decidedBy": message.get("decided_by"),
                "reason": message.get("reason"),
            }
        )


_READERS: dict[str, Callable[[_Reading, Message], None]] = {
    "job_update": _Reading.job_update,
    "node_update": _Reading.node_update,
    "generation_complete": _Reading.generation_complete,
    "node_progress": _Reading.node_progress,
    "log_update": _Reading.log_update,
    "edge_update": _Reading.edge_update,
    "output_update": _Reading.output_update,
    "intervention": _Reading.intervention,
    **dict.fromkeys(_CALLS, _Reading.call),
}


def execution_summary(messages: Iterable[Message], *, function: str | None = None) -> dict[str, Any]:
    """The execution summary of one run.

    `function` is ``module:name`` for a run of a function: it then stands for the one node of the run, in logs, counts and
    errors. A run whose messages hold no end counts as completed (spec: harness 3.5.7).
    """
    reading = _Reading()
    for message in messages:
        if reader := _READERS.get(str(message.get("type"))):
            reader(reading, message)
    status = reading.status or "completed"
    outputs = reading.outputs if reading.result is None else reading.result
    nodes = [] if function is not None else list(reading.nodes.values())
    errored = [node for node in nodes if node["status"] in _FAILED_NODE]
    errors = [
        {"nodeId": node["nodeId"], "nodeType": node["nodeType"], "message": node["error"] or "the node failed"}
        for node in errored
    ]
    completed = sum(node["status"] == "completed" for node in nodes)
    if function is not None:
        completed = int(status == "completed")
        errors = [{"nodeId": function, "message": _located(reading)}] if reading.error is not None else []
        for entry in reading.logs:
            entry["nodeId"] = function
    elif reading.error is not None and not any(_says(reading.error, error) for error in errors):
        errors.insert(0, {"message": reading.error})
    return {
        "status": status,
        "error": reading.error,
        "nodes": nodes,
        "logs": reading.logs,
        "edges": list(reading.edges.values()),
        "llmCalls": reading.calls,
        "outputs": outputs,
        "interventions": reading.interventions,
        "counts": {
            "nodes": len(nodes) if function is None else 1,
            "completed": completed,
            "errored": len(errored) if function is None else int(status == "failed"),
            "logs": len(reading.logs),
            "outputs": len(outputs),
            "llmCalls": len(reading.calls),
            "interventions": len(reading.interventions),
        },
        "errors": errors,
    }


def run_report(
    messages: Iterable[Message],
    *,
    duration_ms: float,
    function: str | None = None,
    messages_file: str | None = None,
) -> dict[str, Any]:
    """The server run report: the summary with what the caller measured around it."""
    summary = execution_summary(messages, function=function)
    report = {
        "surface": "server",
        "ok": summary["status"] == "completed",
        "status": summary["status"],
        "error": summary["error"],
        "durationMs": duration_ms,
        "summary": summary,
        "trace": None,
    }
    if messages_file is not None:
        report["messagesFile"] = messages_file
    return report


def _located(reading: _Reading) -> str:
    """The error of a function with what its author needs: the exception's type, and where it was raised."""
    error, kind, file = str(reading.error), reading.detail.get("type"), reading.detail.get("file")
    typed = error if kind in (None, "SystemExit") or error.partition(":")[0] == kind else f"{kind}: {error}"
    return typed if file is None else f"{typed} ({file}, line {reading.detail.get('line')})"


def _says(job_error: str, node_error: dict[str, Any]) -> bool:
    """True when the error of the job repeats that of a node."""
    return node_error["message"] in job_error
