"""Runs inside a simulation: policy, limits, overlays, resources, what is left at the end (spec: harness 3.5-3.10)."""

from __future__ import annotations

from typing import Any

import pytest

from greenrun.instances.runs import effective_limit
from greenrun.oracle.options import SimulateOptions
from greenrun.oracle.recording import RecordedRun
from greenrun.oracle.simulate import simulate
from greenrun.oracle.target import target_from_document
from simulated import Forever, MemoryHost, button, codes, document, form, graph, operation, play, widget


def node(report: Any, index: int = 0) -> Any:
    return report.invocations[index]


@pytest.mark.case("HA-3.5-1")
@pytest.mark.parametrize(
    ("own", "ceiling", "expected"),
    [(5000, 1000, 1000), (1000, 5000, 1000), (None, 1000, 1000), (None, None, None), (0, 7, 7), (-1, None, None)],
)
def test_the_smaller_positive_limit_counts(own: Any, ceiling: Any, expected: Any) -> None:
    found = effective_limit(own, ceiling)
    assert (found[0] if found is not None else None) == expected


def test_a_deadline_that_has_passed_leaves_no_time_at_all() -> None:
    assert effective_limit(5000, 1000, -3) == (0.0, "deadline")
    assert effective_limit(5000, None, 9000) == (5000, "operation")


@pytest.mark.case("HA-3.5-2", "HA-4-9")
async def test_a_second_run_replaces_the_live_one() -> None:
    Forever.started = Forever.stopped = 0
    doc = document([button("Both", "main", "main"), widget("Text", "Out-1", binding="op:main/out:out1")])
    report = await play(doc, {"wf1": graph("test.Forever")}, interact=[{"click": "Both"}], deadline_ms=300)
    first, second = report.invocations
    assert (first["status"], first["decision"]) == ("cancelled", "start")
    assert (second["decision"], second["decisionTargets"]) == ("replace", ["headless-1"])
    assert Forever.stopped == Forever.started
    assert "GR720" not in codes(report)


@pytest.mark.case("HA-4-9")
async def test_the_outputs_of_the_run_that_replaced_another_are_judged() -> None:
    doc = document([button("Both", "main", "main"), widget("Text", "Out-1", binding="op:main/out:out1")])
    report = await play(doc, {"wf1": graph(answer="HI")})
    assert [item["status"] for item in report.invocations] == ["cancelled", "completed"]
    assert report.verdict.ok
    empty = await play(doc, {"wf1": graph(silent=True)})
    assert codes(empty) == ["GR728"]


@pytest.mark.case("HA-3.5-2")
async def test_parallel_runs_both_start() -> None:
    doc = document([button("Both", "main", "main")], [operation(policy="parallel")])
    report = await play(doc, {"wf1": graph("test.Meet", parties=2)})
    assert [(item["status"], item["decision"]) for item in report.invocations] == [("completed", "start")] * 2


async def test_a_queued_run_starts_when_the_one_ahead_has_settled() -> None:
    doc = document([button("Both", "main", "main")], [operation(policy="queue")])
    report = await play(doc)
    assert [(item["status"], item["decision"], item["runIndex"]) for item in report.invocations] == [
        ("completed", "start", 0),
        ("completed", "queue", 1),
    ]
    assert report.invocations[1]["decisionTargets"] == ["headless-1"]


@pytest.mark.case("HA-3.5-3")
async def test_pieces_and_an_append_are_one_text() -> None:
    report = await play(document(form()), {"wf1": graph("test.Pieces", pieces=["a", "b"], tail="c")})
    assert report.values["result"] == "abc"


@pytest.mark.case("HA-3.5-4", "HA-4-7")
async def test_an_operations_own_limit_cancels_its_run_and_is_red() -> None:
    Forever.started = Forever.stopped = 0
    doc = document(form(), [operation(timeoutMs=5)])
    report = await play(doc, {"wf1": graph("test.Forever")})
    assert (Forever.started, Forever.stopped) == (1, 1)
    assert (node(report)["status"], node(report)["timedOutMs"]) == ("failed", 5)
    assert "5 ms" in node(report)["error"]
    assert codes(report) == ["GR717", "GR722"]
    assert "result" not in report.values


@pytest.mark.case("HA-4-7")
async def test_the_ceiling_is_not_the_apps_fault() -> None:
    doc = document(form(), [operation(timeoutMs=1000)])
    report = await play(doc, {"wf1": graph("test.Forever")}, timeout_ms=5)
    assert report.verdict.status == "check_failed"
    assert [reason.code for reason in report.verdict.reasons] == ["GR905"]
    assert codes(report) == []


@pytest.mark.case("HA-3.5-5")
async def test_a_queued_run_never_starts_after_the_deadline() -> None:
    Forever.started = 0
    doc = document([button("Both", "main", "main")], [operation(policy="queue")])
    report = await play(doc, {"wf1": graph("test.Forever")}, deadline_ms=50)
    assert Forever.started == 1
    assert [item["status"] for item in report.invocations] == ["failed", "failed"]
    assert report.invocations[1]["runIndex"] is None
    assert "deadline" in report.invocations[1]["error"]
    assert "GR906" in [reason.code for reason in report.verdict.reasons]


async def test_steps_after_the_deadline_are_named_as_not_done() -> None:
    doc = document(form())
    report = await play(
        doc, {"wf1": graph("test.Forever")}, deadline_ms=30, interact=[{"click": "Go"}, {"click": "Go"}]
    )
    assert report.verdict.status == "check_failed"
    message = report.verdict.reasons[0].message
    assert "30 ms" in message
    assert "click Go" in message
    default = await play(
        document([button("One", "a"), button("Two", "b")], [operation("a"), operation("b")]),
        {"wf1": graph("test.Forever")},
        deadline_ms=30,
    )
    assert "click Two" in default.verdict.reasons[0].message


class BrokenHost(MemoryHost):
    async def run(self, spec: Any, emit: Any) -> Any:
        raise RuntimeError("transport gone")


@pytest.mark.case("HA-3.5-6")
async def test_a_runner_that_raises_fails_the_invocation_and_later_steps_go_on() -> None:
    report = await play(
        document(form()),
        host=BrokenHost({"wf1": graph()}),
        interact=[{"click": "Go"}, {"change": "Prompt", "value": "x"}],
    )
    assert (node(report)["status"], node(report)["error"]) == ("failed", "transport gone")
    assert report.interactions[1].error is None
    assert codes(report)[0] == "GR717"


@pytest.mark.case("HA-3.6-1")
async def test_a_node_property_reaches_only_its_own_operation() -> None:
    stored = graph("test.Strength", strength=0.2)
    content = [
        widget("Slider", "Slider-1", binding="op:main/prop:t1#strength", min=0, max=1, step=0.1),
        button("Both", "main", "other"),
        widget("Text", "Out-1", binding="op:main/out:out1"),
        widget("Text", "Out-2", binding="op:other/out:out1"),
    ]
    doc = document(content, [operation(), operation("other")])
    host = MemoryHost({"wf1": stored})
    report = await play(doc, host=host, interact=[{"change": "Slider-1", "value": 0.9}, {"click": "Both"}])
    assert report.values["result"] == "strength 0.9"
    assert report.values["other.result"] == "strength 0.2"
    assert stored["nodes"][1]["data"] == {"strength": 0.2}


SHOTS = [
    {
        "id": "shots",
        "name": "Shots",
        "kind": "storyboard",
        "scope": {"projectId": "p"},
        "operations": ["read", "create"],
    }
]
FROM_SHOTS = {"inputs": {"in1": {"from": "resource", "resourceBindingId": "shots"}}}


def echo() -> dict[str, Any]:
    made = graph("nodetool.text.ToString")
    made["nodes"][0] = {"id": "in1", "type": "nodetool.input.MessageInput", "data": {"name": "shot"}}
    made["edges"][0]["targetHandle"] = "value"
    return made


@pytest.mark.case("HA-3.7-1")
async def test_a_seeded_item_becomes_the_param() -> None:
    doc = document([button("Go", "main")], [operation(**FROM_SHOTS)], resources=SHOTS)
    host = MemoryHost({"wf1": echo()})
    await play(doc, host=host, params={"resource:shots": [{"id": "b1"}]})
    assert host.specs[0].params == {"shot": {"kind": "storyboard", "id": "b1", "revision": 1}}


async def test_a_run_without_its_resource_is_refused_with_both_ways_to_seed_it() -> None:
    doc = document([button("Go", "main")], [operation(**FROM_SHOTS)], resources=SHOTS)
    report = await play(doc, {"wf1": echo()}, interact=[{"click": "Go"}])
    assert "GR716" in codes(report)
    error = str(report.interactions[0].error)
    assert "seedResource" in error
    assert "resource:shots" in error
    empty = await play(doc, {"wf1": echo()}, params={"resource:shots": []}, interact=[{"click": "Go"}])
    assert "seeded empty" in str(empty.interactions[0].error)
    default = await play(doc, {"wf1": echo()})
    assert [item.to_json() for item in default.verdict.not_exercised] == [
        {"operation": "main", "reason": "resource_missing", "supply": "resource:shots"}
    ]


async def test_required_media_is_refused_before_anything_is_sent() -> None:
    stored = graph(answer="seen")
    stored["nodes"][0] = {"id": "in1", "type": "nodetool.input.ImageInput", "data": {"name": "photo"}}
    host = MemoryHost({"wf1": stored})
    content = [widget("ImageInput", "Photo-1", binding="op:main/in:in1"), button("Go", "main")]
    report = await play(document(content), host=host, interact=[{"click": "Go"}])
    assert host.specs == []
    assert report.interactions[0].code == "GR715"
    assert "photo" in str(report.interactions[0].error)
    assert [item.to_json() for item in report.verdict.not_exercised] == [
        {"operation": "main", "reason": "media_missing", "supply": "photo"}
    ]


async def test_a_cancel_step_touches_only_live_runs() -> None:
    report = await play(document(form()), interact=[{"click": "Go"}, {"cancel": "main"}])
    assert node(report)["status"] == "completed"


async def test_an_event_can_cancel_what_an_earlier_event_started() -> None:
    events = [
        {"trigger": "click", "kind": "run", "operationId": "main"},
        {"trigger": "click", "kind": "cancel", "operationId": "main"},
    ]
    content = [widget("Button", "Go", label="Go", events=events), widget("Text", "Out-1", binding="op:main/out:out1")]
    report = await play(document(content), {"wf1": graph("test.Forever")}, interact=[{"click": "Go"}])
    assert node(report)["status"] == "cancelled"
    assert report.interactions[0].actions[1].startswith("cancel main (headless-1")
    assert codes(report) == ["GR720"]  # a click that stops its own run never shows anything
    assert report.verdict.not_exercised[0].reason == "cancelled"


async def test_resource_events_act_on_the_seeded_collection() -> None:
    events = [
        {"trigger": "click", "kind": "resourceCommand", "resourceBindingId": "shots", "command": "create"},
        {"trigger": "click", "kind": "openResource", "resourceBindingId": "shots"},
        {"trigger": "click", "kind": "run"},
    ]
    content = [widget("Button", "Go", label="Go", events=events)]
    doc = document(content, resources=SHOTS)
    report = await play(doc, params={"resource:shots": [{"id": "b1"}]}, interact=[{"click": "Go"}])
    assert [entry["command"] for entry in report.resources[0]["commands"]] == ["create", "open"]
    assert report.resources[0]["selected"] == "storyboard-2"
    unseeded = await play(doc, interact=[{"click": "Go"}])
    assert unseeded.interactions[0].code == "GR717"


async def test_values_that_share_a_name_stand_under_their_state_keys() -> None:
    stored = graph(answer="HI")
    stored["nodes"][2]["data"]["name"] = "prompt"
    report = await play(document(form()), {"wf1": stored}, params={"op:main/in:in1": "x"})
    assert report.values["main:in1"] == "x"
    assert report.values["main:out1"] == "HI"
    assert "prompt" not in report.values


@pytest.mark.case("HA-3.10-1")
async def test_a_trigger_that_nothing_can_reach_is_red() -> None:
    hidden = {"binding": "var:x", "op": "eq", "value": "go"}
    variables = [{"id": "x", "name": "x"}]
    lonely = await play(document([button("Go", "main", visibleWhen=hidden)], variables=variables))
    assert "GR703" in codes(lonely)
    writer = widget("TextInput", "Text-1", binding="var:x")
    typed = await play(document([button("Go", "main", visibleWhen=hidden), writer], variables=variables))
    assert "GR703" not in codes(typed)
    assert typed.verdict.not_exercised[0].to_json() == {"operation": "main", "reason": "hidden", "supply": "x"}
    options = [{"value": "stop"}, {"value": "wait"}]
    select = widget("Select", "Select-1", binding="var:x", options=options)
    chosen = await play(document([button("Go", "main", visibleWhen=hidden), select], variables=variables))
    assert "GR703" in codes(chosen)


@pytest.mark.parametrize(
    ("more", "reachable"),
    [
        ([widget("Switch", "S", binding="var:x")], False),
        ([widget("Select", "S", binding="var:x", options=[{"value": "go"}])], True),
        (
            [widget("Button", "B", events=[{"trigger": "click", "kind": "setVariable", "key": "x", "value": "go"}])],
            True,
        ),
        (
            [widget("Button", "B", events=[{"trigger": "click", "kind": "setVariable", "key": "x", "value": "no"}])],
            False,
        ),
        ([widget("Button", "B", events=[{"trigger": "click", "kind": "toggleVariable", "key": "x"}])], False),
        ([widget("Approval", "A", binding="var:x")], False),
        ([widget("Gallery", "G", selectionBinding="var:x")], True),
        ([button("Other", "feed")], True),
    ],
)
async def test_what_can_make_a_condition_hold(more: list[dict[str, Any]], reachable: bool) -> None:
    hidden = {"binding": "var:x", "op": "eq", "value": "go"}
    doc = document(
        [button("Go", "main", visibleWhen=hidden), *more],
        [operation(), operation("feed", outputs={"out1": {"to": "variable", "variableId": "x"}})],
        [{"id": "x", "name": "x"}],
    )
    report = await play(doc, interact=[{"run": "main"}])
    assert ("GR703" in codes(report)) is not reachable


@pytest.mark.case("HA-3.10-2")
async def test_a_trigger_that_a_run_revealed_is_only_not_in_the_script() -> None:
    content = [
        button("Draft", "draft"),
        button("Publish", "publish", visibleWhen={"binding": "op:draft/out:out1", "op": "notEmpty"}),
        widget("Text", "Out-1", binding="op:draft/out:out1"),
    ]
    doc = document(content, [operation("draft"), operation("publish")])
    report = await play(doc, interact=[{"click": "Draft"}])
    assert "GR703" not in codes(report)
    assert report.verdict.not_exercised[0].to_json() == {"operation": "publish", "reason": "not_in_script"}


@pytest.mark.case("HA-3.10-3")
async def test_a_retry_button_that_only_an_error_shows_is_fine() -> None:
    retry = button("Retry", "main", visibleWhen={"binding": "op:main/exec#error", "op": "notEmpty"})
    report = await play(document([*form(), retry]))
    assert report.verdict.ok


async def test_a_trigger_in_a_tab_that_is_not_shown_can_never_be_used() -> None:
    tabs = widget("Tabs", "Tabs-1", tab1Label="One", tab1=[], tab3Label="", tab3=[button("Lost", "main")])
    report = await play(document([*form(), tabs]))
    assert "GR703" in codes(report)


async def test_an_input_can_be_supplied_through_a_form_or_its_widget() -> None:
    disabled = {"binding": "op:main/in:in1", "op": "empty"}
    for filler in (widget("WorkflowForm", "F"), widget("TextInput", "T", binding="op:main/in:in1")):
        report = await play(document([button("Go", "main", disabledWhen=disabled), filler]))
        assert report.verdict.not_exercised[0].to_json() == {
            "operation": "main",
            "reason": "disabled",
            "supply": "prompt",
        }
    lonely = await play(document([button("Go", "main", disabledWhen=disabled)]))
    assert "GR703" in codes(lonely)


@pytest.mark.case("HA-3.9-1")
async def test_each_real_run_is_recorded_and_its_id_reported() -> None:
    class Shelf:
        def __init__(self) -> None:
            self.runs: list[RecordedRun] = []

        async def record(self, run: RecordedRun) -> str:
            self.runs.append(run)
            return f"row-{len(self.runs)}"

    doc = document([button("A", "a"), button("B", "b")], [operation("a"), operation("b")])
    shelf = Shelf()
    async with MemoryHost({"wf1": graph(answer="HI")}) as host:
        report = await simulate(target_from_document(doc), host, SimulateOptions(params={"prompt": "x"}), shelf)
        await simulate(target_from_document(doc), host, SimulateOptions(run=False), shelf)
    assert report.run_ids == ("row-1", "row-2")
    assert [(run.operation_id, run.origin, run.status) for run in shelf.runs] == [
        ("a", "debug", "completed"),
        ("b", "debug", "completed"),
    ]
    assert shelf.runs[0].params == {"prompt": "x"}
    assert shelf.runs[0].closure == report.closure
    assert shelf.runs[0].messages[-1]["type"] == "job_update"


async def test_run_ids_are_the_job_ids_where_nothing_is_recorded() -> None:
    doc = document([button("A", "a"), button("B", "b")], [operation("a"), operation("b")])
    report = await play(doc, job_prefix="app-debug-run")
    assert report.run_ids == ("app-debug-run-1", "app-debug-run-2")
    assert all(message["job_id"] == report.run_ids[0] for message in report.messages[0])
    assert (await play(doc, run=False)).run_ids == ()


async def test_a_run_report_counts_nodes_and_keeps_errors() -> None:
    report = await play(document(form()), {"wf1": graph("test.Fail", message="no luck")})
    run = report.runs[0]
    assert (run["surface"], run["ok"], run["status"]) == ("server", False, "failed")
    assert run["summary"]["counts"]["errored"] == 1
    assert run["summary"]["errors"][0]["message"] == "no luck"
