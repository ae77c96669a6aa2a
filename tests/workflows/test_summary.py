from __future__ import annotations

from typing import Any

import pytest

from greenrun.document.values import ABSENT
from greenrun.workflows import messages
from greenrun.workflows.summary import execution_summary, run_report

Message = dict[str, Any]


def graph_run(*, failing: bool = False) -> list[Message]:
    said = [
        messages.job_update("running"),
        messages.node_update("a", "Add", "t.Add", "running"),
        messages.node_progress("a", 1, 2),
        messages.log_update("a", "Add", "looked", "warning"),
        messages.edge_update("e", "active", 1),
        messages.generation_complete("a", "Add", "t.Add", {"output": 1}, {}),
        messages.generation_complete("a", "Add", "t.Add", {"output": 2, "extra": None}, {}),
        messages.edge_update("e", "completed", 2),
    ]
    if failing:
        return [
            *said,
            messages.node_update("a", "Add", "t.Add", "error", error="boom"),
            messages.job_update("failed", error='node "a": boom'),
        ]
    return [
        *said,
        messages.node_update("a", "Add", "t.Add", "completed", provider_cost=0.5),
        messages.job_update("completed", result={"a": [1, 2]}),
    ]


def test_summary_tells_nodes_logs_edges_and_outputs() -> None:
    summary = execution_summary(graph_run())
    assert summary["status"] == "completed"
    assert summary["error"] is None
    assert summary["nodes"] == [
        {
            "nodeId": "a",
            "nodeType": "t.Add",
            "nodeName": "Add",
            "status": "completed",
            "error": None,
            "outputs": {"output": 2, "extra": None},
            "cost": 0.5,
            "progress": {"progress": 1, "total": 2},
        }
    ]
    assert summary["logs"] == [{"nodeId": "a", "severity": "warning", "content": "looked"}]
    assert summary["edges"] == [{"edgeId": "e", "status": "completed", "counter": 2}]
    assert summary["outputs"] == {"a": [1, 2]}
    assert summary["errors"] == []
    assert summary["counts"] == {
        "nodes": 1,
        "completed": 1,
        "errored": 0,
        "logs": 1,
        "outputs": 1,
        "llmCalls": 0,
        "interventions": 0,
    }


def test_node_error_that_the_job_repeats_is_told_once() -> None:
    summary = execution_summary(graph_run(failing=True))
    assert summary["errors"] == [{"nodeId": "a", "nodeType": "t.Add", "message": "boom"}]
    assert (summary["counts"]["errored"], summary["counts"]["completed"]) == (1, 0)


def test_job_error_of_its_own_comes_first() -> None:
    said = [*graph_run(failing=True)[:-1], messages.job_update("failed", error="too slow")]
    assert execution_summary(said)["errors"][0] == {"message": "too slow"}


def test_outputs_without_a_result_are_read_from_what_was_told() -> None:
    said = [
        messages.output_update("o", "Output", "out", 1),
        messages.output_update("o", "Output", "out", 2),
        messages.output_update("p", "Output", "other", "draft"),
        messages.output_update("p", "Output", "other", "final", disposition="replace"),
        messages.output_update("p", "Output", "other", ABSENT, done=True),
        messages.job_update("cancelled"),
    ]
    summary = execution_summary(said)
    assert (summary["status"], summary["outputs"]) == ("cancelled", {"out": [1, 2], "other": ["final"]})


@pytest.mark.parametrize("status", ["timed_out", "error", "failed"])
def test_every_bad_end_counts_as_failed(status: str) -> None:
    assert execution_summary([{"type": "job_update", "status": status}])["status"] == "failed"


def test_run_without_an_end_counts_as_completed() -> None:
    assert execution_summary([messages.job_update("running"), {"type": "node_progress"}])["status"] == "completed"


def test_model_calls_and_interventions_are_listed() -> None:
    said: list[Message] = [
        {"type": "llm_call", "node_id": "a", "model": "m", "job_id": "j"},
        {"type": "provider_call_failed", "kind": "auth", "error": "no key"},
        messages.intervention("a", "t.Add", "skip", attempt=1, detail="boom", decided_by="agent", reason="fine"),
    ]
    summary = execution_summary(said)
    assert summary["llmCalls"] == [
        {"model": "m", "nodeId": "a"},
        {"kind": "auth", "error": "no key", "nodeId": None},
    ]
    assert summary["interventions"] == [
        {
            "nodeId": "a",
            "nodeType": "t.Add",
            "action": "skip",
            "attempt": 1,
            "detail": "boom",
            "decidedBy": "agent",
            "reason": "fine",
        }
    ]


def test_function_stands_for_the_one_node_of_its_run() -> None:
    said = [
        messages.node_progress("tools:sum", 0.5, 1),
        messages.log_update("tools:sum", "sum", "hello"),
        messages.output_update("result", "result", "result", 3, disposition="replace", done=True),
        messages.job_update("completed"),
    ]
    summary = execution_summary(said, function="tools:sum")
    assert summary["nodes"] == []
    assert summary["logs"] == [{"nodeId": "tools:sum", "severity": "info", "content": "hello"}]
    assert (summary["counts"]["completed"], summary["counts"]["errored"]) == (1, 0)
    assert summary["outputs"] == {"result": [3]}


def test_failed_function_is_named_in_the_errors() -> None:
    summary = execution_summary([messages.job_update("failed", error="no")], function="tools:sum")
    assert summary["errors"] == [{"nodeId": "tools:sum", "message": "no"}]
    assert (summary["counts"]["completed"], summary["counts"]["errored"]) == (0, 1)


@pytest.mark.parametrize(
    ("error", "detail", "message"),
    [
        ("Too low.", {"type": "ValueError", "file": "a.py", "line": 3}, "ValueError: Too low. (a.py, line 3)"),
        ("KeyError: 'x'", {"type": "KeyError", "file": "a.py", "line": 3}, "KeyError: 'x' (a.py, line 3)"),
        ("ValueError", {"type": "ValueError", "file": None, "line": None}, "ValueError"),
        (
            "it called sys.exit(1)",
            {"type": "SystemExit", "file": "a.py", "line": 3},
            "it called sys.exit(1) (a.py, line 3)",
        ),
    ],
)
def test_error_of_a_function_names_type_and_place(error: str, detail: dict[str, Any], message: str) -> None:
    summary = execution_summary([messages.job_update("failed", error=error, error_detail=detail)], function="tools:sum")
    assert summary["error"] == error
    assert summary["errors"] == [{"nodeId": "tools:sum", "message": message}]


def test_report_wraps_the_summary() -> None:
    said = graph_run()
    report = run_report(said, duration_ms=12.5)
    summary = report.pop("summary")
    assert summary == execution_summary(said)
    assert report == {
        "surface": "server",
        "ok": True,
        "status": "completed",
        "error": None,
        "durationMs": 12.5,
        "trace": None,
    }


def test_report_of_a_failed_run_names_its_error_and_its_file() -> None:
    report = run_report(graph_run(failing=True), duration_ms=1, messages_file="run.jsonl")
    assert (report["ok"], report["error"], report["messagesFile"]) == (False, 'node "a": boom', "run.jsonl")
