from __future__ import annotations

import json
from typing import Any

import pytest

from greenrun.document.values import ABSENT
from greenrun.workflows import messages

EVERY_MESSAGE: list[dict[str, Any]] = [
    messages.job_update("failed", error="x", validation_issues=[{"node_id": "a", "property": "p", "message": "m"}]),
    messages.node_update("a", "A", "t.A", "completed", result={"output": 1}),
    messages.generation_complete("a", "A", "t.A", {"output": 1}, {"x": 1}),
    messages.output_update("a", "A", "output", 1, metadata={"k": 1}),
    messages.node_progress("a", 1, 2),
    messages.chunk("a", "hi"),
    messages.edge_update("e", "active", 1),
    messages.log_update("a", "A", "hm"),
    messages.planning_update("Draft", "Success", "text"),
    messages.error("x"),
    messages.tool_call_update("search", node_id="a", args={"q": 1}, tool_call_id="c1"),
    messages.tool_result_update("search", {"summary": "ok"}, tool_call_id="c1"),
    messages.intervention("a", "t.A", "skip", attempt=1, detail="x", decided_by="agent"),
]


@pytest.mark.parametrize("message", EVERY_MESSAGE, ids=lambda message: message["type"])
def test_message_is_plain_json_with_a_type(message: dict[str, Any]) -> None:
    assert json.loads(json.dumps(message)) == message
    assert isinstance(message["type"], str)


def test_optional_members_are_left_out_when_not_given() -> None:
    assert messages.job_update("running") == {"type": "job_update", "status": "running"}
    assert messages.planning_update("Draft") == {"type": "planning_update", "phase": "Draft"}
    assert "args" not in messages.tool_call_update("search")


def test_output_update_without_a_value_only_ends_its_slot() -> None:
    message = messages.output_update("a", "A", "output", ABSENT, done=True)
    assert "value" not in message
    assert message["done"] is True


def test_chunk_of_a_transcript_has_a_source_and_no_node() -> None:
    message = messages.chunk(None, "hi", source="finish", thinking=True)
    assert (message["source"], message["thinking"], "node_id" in message) == ("finish", True, False)


def test_stamp_writes_the_ids_of_the_run() -> None:
    said: list[dict[str, Any]] = []
    messages.stamped(said.append, "j")(messages.error("x"))
    messages.stamped(said.append, "j", "w")(messages.error("x"))
    assert said == [
        {"type": "error", "message": "x", "job_id": "j"},
        {"type": "error", "message": "x", "job_id": "j", "workflow_id": "w"},
    ]
