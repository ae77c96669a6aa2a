"""A failed node of an app's run may be asked about while the simulation goes on (spec: harness 6.4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app_folders import write_app
from greenrun.oracle.options import SimulateOptions
from greenrun.oracle.report import Report
from greenrun.oracle.simulate import simulate
from greenrun.workflows.engine import Questions
from greenrun.workspace.folder import load_path
from greenrun.workspace.local import LocalHost
from simulated import button, document, form, graph, operation, registry, widget


async def played(folder: Path, questions: Questions | None) -> Report:
    """Two operations: the second one's node fails."""
    content = [*form(), button("Second", "second"), widget("Markdown", "Other", binding="op:second/out:out1")]
    app = document(content, [operation(), operation("second", "bad")])
    graphs = {"wf1": graph(answer="fine"), "bad": graph("test.Fail", message="boom 42")}
    loaded = load_path(write_app(folder, app, graphs=graphs))
    async with LocalHost(loaded, registry=registry(), questions=questions) as host:
        steps = [{"click": "Go"}, {"click": "Second"}]
        return await simulate(loaded.target, host, SimulateOptions(interact=steps))


@pytest.mark.case("HA-6.4-3")
async def test_a_failure_of_the_second_operation_is_asked_about_and_the_same_simulation_ends(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = []

    def skip(question: Any) -> None:
        asked.append(question.to_json())
        questions.answer(question.escalation_id, {"action": "skip", "reason": "not needed"})

    questions = Questions(skip)
    report = await played(tmp_path / "app", questions)
    assert [(item["operationId"], item["nodeId"]) for item in asked] == [("second", "t1")]
    assert "boom 42" in asked[0]["detail"]
    first, second = report.runs
    assert first["summary"]["interventions"] == []
    (intervention,) = second["summary"]["interventions"]
    assert (intervention["action"], intervention["decidedBy"]) == ("skip", "agent")
    assert second["status"] == "completed"


@pytest.mark.case("HA-6.4-4")
async def test_nobody_is_asked_where_nobody_listens(tmp_path: Path) -> None:
    report = await played(tmp_path / "app", None)
    assert [run["status"] for run in report.runs] == ["completed", "failed"]
    assert report.runs[1]["summary"]["interventions"] == []
    assert report.verdict.status == "red"
