"""Scripts as run messages: cases of app-runtime 12."""

from __future__ import annotations

import pytest

from greenrun.document.values import ABSENT
from greenrun.runtime.scripts import line_messages, result_messages, script_input, script_surface


@pytest.mark.case("AR-12-1")
def test_a_carried_message_loses_its_node_to_its_source() -> None:
    message = {"type": "chunk", "node_id": "timeline", "content": "hi", "content_type": "text"}
    assert line_messages({"type": "message", "message": message}, "job-1") == [
        {"type": "chunk", "content": "hi", "content_type": "text", "job_id": "job-1", "source": "timeline"}
    ]


def test_a_carried_message_without_node_keeps_its_source() -> None:
    message = {"type": "chunk", "node_id": None, "content": "hi", "source": "agent"}
    assert line_messages({"type": "message", "message": message}) == [
        {"type": "chunk", "content": "hi", "source": "agent"}
    ]


@pytest.mark.case("AR-12-2")
def test_an_emitted_value_is_an_output() -> None:
    assert line_messages({"type": "emit", "name": "status", "value": "x"}, "job-1") == [
        {
            "type": "output_update",
            "node_id": "status",
            "output_name": "status",
            "disposition": "append",
            "value": "x",
            "job_id": "job-1",
        }
    ]


@pytest.mark.case("AR-12-3")
def test_the_result_of_a_streamed_run_does_not_replay_what_was_streamed() -> None:
    result = {"ok": True, "outputs": {"answer": "done"}, "streamed": [{"name": "answer", "value": "do"}]}
    assert line_messages({"type": "result", "result": result}) == [
        {
            "type": "output_update",
            "node_id": "answer",
            "output_name": "answer",
            "disposition": "replace",
            "value": "done",
            "done": True,
        },
        {"type": "job_update", "status": "completed"},
    ]


def test_a_streamed_result_counts_only_what_has_the_right_type() -> None:
    lines = line_messages({"type": "result", "result": {"ok": "yes", "outputs": [1], "error": {"x": 1}}})
    assert lines == [{"type": "job_update", "status": "failed"}]
    failed = line_messages({"type": "result", "result": {"error": "no"}})
    assert failed == [{"type": "job_update", "status": "failed", "error": "no"}]


@pytest.mark.case("AR-12-4")
@pytest.mark.parametrize(
    "line", [{"type": "nonsense"}, "text", {"type": "emit"}, {"type": "message", "message": 1}, {"type": "result"}]
)
def test_lines_that_mean_nothing_are_dropped(line: object) -> None:
    assert line_messages(line, "job-1") == []


def test_a_buffered_result_replays_what_was_streamed() -> None:
    result = {"ok": 1, "streamed": [{"name": "a", "value": 1}, {"name": 2}, "x", {"name": "b"}], "outputs": {"a": 2}}
    messages = result_messages(result, "j")
    assert [(message["type"], message.get("value", ABSENT), message.get("done")) for message in messages] == [
        ("output_update", 1, None),
        ("output_update", ABSENT, None),
        ("output_update", 2, True),
        ("job_update", ABSENT, None),
    ]
    assert all(message["job_id"] == "j" for message in messages)


def test_the_surface_of_a_script_is_its_ports() -> None:
    surface = script_surface(
        {"inputs": [{"name": "q", "type": "str"}], "outputs": [{"name": "a", "type": "list[str]"}]}
    )
    assert [port.node_type for port in (*surface.inputs, *surface.outputs)] == [
        "jsscript.input.str",
        "jsscript.output.list[str]",
    ]
    assert surface.node_ids == ("q", "a")


def test_a_streaming_body_gets_one_item_streams() -> None:
    assert script_input({"q": 1}, streaming=False) == {"inputs": {"q": 1}}
    assert script_input({"q": 1}, streaming=True) == {"inputs": {}, "inputStreams": {"q": [1]}}
