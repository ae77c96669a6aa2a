"""Every code that a simulation can give: it fires at its place, and a sound app draws none (spec: harness 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from greenrun.document.codes import CODES
from greenrun.oracle.report import Report
from simulated import button, document, form, graph, operation, play, widget

SHOTS = [{"id": "shots", "name": "Shots", "kind": "storyboard", "scope": {"projectId": "p"}}]
FROM_SHOTS = operation(inputs={"in1": {"from": "resource", "resourceBindingId": "shots"}})
LATER = {"GR801", "GR802", "GR803", "GR804", "GR805", "GR806", "GR807", "GR808", "GR909", "GR910"}
"""Codes that need a page or a cancelled debug request; nothing here can give them."""

X = [{"id": "x", "name": "x"}]


def media() -> dict[str, Any]:
    made = graph(answer="seen")
    made["nodes"][0] = {"id": "in1", "type": "nodetool.input.ImageInput", "data": {"name": "photo"}}
    return made


def branching() -> dict[str, Any]:
    ends = [{"id": name, "type": "nodetool.output.Output", "data": {"name": name}} for name in ("yes", "no")]
    return {
        "nodes": [{"id": "if1", "type": "nodetool.control.If", "data": {"condition": True, "value": 1}}, *ends],
        "edges": [
            {"source": "if1", "sourceHandle": "if_true", "target": "yes", "targetHandle": "value"},
            {"source": "if1", "sourceHandle": "if_false", "target": "no", "targetHandle": "value"},
        ],
    }


def scripted(*steps: Any, **more: Any) -> dict[str, Any]:
    return {"doc": document(form()), "interact": list(steps), **more}


def shown(binding: str, **more: Any) -> dict[str, Any]:
    return {"doc": document([*form(), widget("Text", "T", binding=binding)], variables=X), **more}


SCENES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "GR701": ({"doc": document(form()), "params": {"promt": 1}}, {}),
    "GR702": (
        {"doc": document(form(), resources=SHOTS), "params": {"resource:shots": [{}]}},
        {"resource": "shots"},
    ),
    "GR703": (
        {
            "doc": document(
                [*form(), button("Lost", "main", visibleWhen={"binding": "var:x", "op": "eq", "value": "go"})],
                variables=X,
            )
        },
        {"widget": "Lost", "prop": "visibleWhen"},
    ),
    "GR710": (scripted({"foo": 1}), {"step": 1}),
    "GR711": (scripted({"click": "Go"}, {"click": "Nope"}), {"step": 2}),
    "GR712": (
        {
            "doc": document([*form(), button("Off", "main", disabledWhen={"binding": "prompt", "op": "empty"})]),
            "interact": [{"click": "Go"}, {"click": "Off"}],
        },
        {"step": 2, "widget": "Off"},
    ),
    "GR713": (scripted({"change": "Prompt", "value": 7}, {"click": "Go"}), {"step": 1, "widget": "TextInput-1"}),
    "GR714": (scripted({"change": "Go", "value": 7}, {"click": "Go"}), {"step": 1, "widget": "Button-1"}),
    "GR715": (scripted({"click": "Go"}, graphs={"wf1": media()}), {"step": 1, "widget": "Button-1"}),
    "GR716": (
        {"doc": document(form(), [FROM_SHOTS], resources=SHOTS), "interact": [{"click": "Go"}]},
        {"step": 1, "widget": "Button-1"},
    ),
    "GR717": (scripted({"click": "Go"}, graphs={"wf1": graph("test.Fail")}), {"step": 1, "widget": "Button-1"}),
    "GR733": (
        scripted({"click": "Go"}, graphs={"wf1": graph("lib.http.TestRequest")}),
        {"operation": "main", "node": "t1"},
    ),
    "GR718": (
        scripted({"click": "Go"}, {"expect": {"widget": "Answer", "check": "equals", "value": "HO"}}),
        {"step": 2, "widget": "Markdown-1"},
    ),
    "GR719": (scripted({"expect": {"widget": "Answer", "check": "visible"}}), {"step": 1, "widget": "Markdown-1"}),
    "GR720": (scripted({"click": "Go"}, graphs={"wf1": graph("test.Fail")}), {"operation": "main"}),
    "GR721": (scripted({"click": "Go"}, graphs={"wf1": graph("test.Fail")}), {"operation": "main", "node": "t1"}),
    "GR722": (
        {"doc": document(form(), [operation(timeoutMs=5)]), "graphs": {"wf1": graph("test.Forever")}},
        {"operation": "main"},
    ),
    "GR723": ({"doc": document(form()), "graphs": {"wf1": graph(answer="Error: no")}}, {"widget": "Markdown-1"}),
    "GR724": (
        {
            "doc": document(
                [*form(), button("P", "publish"), widget("Progress", "PP", binding="op:publish/exec#progress")],
                [operation(), operation("publish")],
            ),
            "interact": [{"click": "Go"}],
        },
        {"widget": "PP", "operation": "publish"},
    ),
    "GR725": (shown("op:main/exec#activity"), {"widget": "T", "operation": "main"}),
    "GR726": (
        {
            "doc": document([button("Go", "main"), widget("Text", "No", binding="op:main/out:no")]),
            "graphs": {"wf1": branching()},
        },
        {"widget": "No", "operation": "main", "node": "no"},
    ),
    "GR727": ({"doc": document(form()), "graphs": {"wf1": graph(answer="")}}, {"widget": "Markdown-1"}),
    "GR728": (shown("var:x"), {"widget": "T"}),
    "GR729": (scripted(), {}),
    "GR730": (
        {"doc": document([*form(), widget("ResourcePicker", "Pick", resourceBindingId="shots")], resources=SHOTS)},
        {"widget": "Pick", "resource": "shots"},
    ),
    "GR731": ({"doc": document(form()), "graphs": {"wf1": graph("test.Call")}}, {"operation": "main", "node": "t1"}),
    "GR732": (scripted({"run": "main"}), {}),
}

REASONS: dict[str, dict[str, Any]] = {
    "GR908": scripted(
        {"click": "Go"}, {"expect": {"widget": "Answer", "check": "nonEmpty"}}, graphs={"wf1": graph("test.Send")}
    ),
    "GR902": {
        "doc": document(form(), [operation(), operation("b", "bad")]),
        "graphs": {"wf1": graph(), "bad": OSError("x")},
    },
    "GR905": {"doc": document(form()), "graphs": {"wf1": graph("test.Forever")}, "timeout_ms": 5},
    "GR906": {"doc": document(form()), "graphs": {"wf1": graph("test.Forever")}, "deadline_ms": 20},
    "GR907": {"doc": document(form()), "graphs": {"wf1": media()}},
}

ELSEWHERE = {"GR901", "GR903", "GR904"}
"""Reasons that need a checker or a host that raises: test_verdict and test_target have them."""


@pytest.mark.parametrize("code", SCENES)
async def test_a_finding_of_a_simulation_points_at_its_place(code: str) -> None:
    options, place = SCENES[code]
    report = await play(**options)
    found = [finding for finding in report.findings if finding.code == code]
    assert found, [finding.code for finding in report.findings]
    assert found[0].severity == CODES[code].severity
    assert place.items() <= found[0].place.to_json().items()


def with_status_shown() -> dict[str, Any]:
    made = graph("lib.http.TestRequest")
    made["nodes"].append({"id": "out2", "type": "nodetool.output.Output", "data": {"name": "status"}})
    made["edges"].append(
        {"id": "e3", "source": "t1", "sourceHandle": "status", "target": "out2", "targetHandle": "value"}
    )
    return made


async def test_a_failed_request_whose_status_is_looked_at_is_the_apps_own_business() -> None:
    report = await play(document(form()), {"wf1": with_status_shown()})
    assert "GR733" not in [finding.code for finding in report.findings]
    assert "GR731" in [finding.code for finding in report.findings]
    assert report.verdict.ok


@pytest.mark.parametrize("code", REASONS)
async def test_a_reason_keeps_the_verdict_from_being_green(code: str) -> None:
    report = await play(**REASONS[code])
    assert code in [reason.code for reason in report.verdict.reasons]
    assert report.verdict.status == "check_failed"


SOUND: tuple[Callable[[], Any], ...] = (
    lambda: play(document(form()), params={"prompt": "x"}),
    lambda: play(document(form()), interact=[{"change": "Prompt", "value": "x"}, {"click": "Go"}]),
    lambda: play(document(form(), [operation(timeoutMs=60_000)]), timeout_ms=60_000, deadline_ms=60_000),
    lambda: play(
        document([*form(), widget("ResourcePicker", "Pick", resourceBindingId="shots")], [FROM_SHOTS], resources=SHOTS),
        {"wf1": graph(answer="seen")},
        params={"resource:shots": [{"id": "a"}]},
    ),
)


@pytest.mark.parametrize("simulated", SOUND)
async def test_a_sound_app_draws_none_of_these_codes(simulated: Callable[[], Any]) -> None:
    report: Report = await simulated()
    assert [finding.code for finding in report.findings if finding.code.startswith("GR7")] == []
    assert report.verdict.reasons == ()
    assert report.verdict.proof == "run"


def test_every_code_that_a_run_can_give_stands_in_a_table_above() -> None:
    known = {code for code in CODES if code >= "GR701"}
    assert known == set(SCENES) | set(REASONS) | ELSEWHERE | LATER
