"""What a script or its streamed run says, as run messages (spec: app-runtime 12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from greenrun.document.js import ordered_items, truthy
from greenrun.document.surface import Port, Surface
from greenrun.document.values import ABSENT, Value, is_record
from greenrun.runtime.fold import Message


def script_surface(document: Mapping[str, Any]) -> Surface:
    """The bindable surface of a script document: its ports by name, ``jsscript.input.<type>`` and so on."""
    inputs, outputs = _ports(document, "inputs", "input"), _ports(document, "outputs", "output")
    return Surface(inputs, outputs, tuple(dict.fromkeys(port.node_id for port in (*inputs, *outputs))))


def _ports(document: Mapping[str, Any], member: str, direction: Literal["input", "output"]) -> tuple[Port, ...]:
    return tuple(
        Port(
            port["name"],
            f"jsscript.{direction}.{port['type']}",
            port["name"],
            port["name"],
            type={"type": port["type"]},
        )
        for port in document.get(member, ())
    )


def script_input(inputs: Mapping[str, Value], *, streaming: bool) -> dict[str, Any]:
    """What a script body is called with: its inputs, or one-item streams for a body that reads streams."""
    if not streaming:
        return {"inputs": dict(inputs)}
    return {"inputs": {}, "inputStreams": {name: [value] for name, value in inputs.items()}}


def result_messages(result: Mapping[str, Any], job_id: str | None = None) -> list[Message]:
    """The messages of a finished run: what it streamed, its outputs, then how it ended."""
    messages = [
        _output(record["name"], record.get("value", ABSENT), "append")
        for record in result.get("streamed") or ()
        if is_record(record) and isinstance(record.get("name"), str)
    ]
    outputs = result.get("outputs")
    if is_record(outputs):
        messages += [{**_output(name, value, "replace"), "done": True} for name, value in ordered_items(outputs)]
    end: Message = {"type": "job_update", "status": "completed" if truthy(result.get("ok", ABSENT)) else "failed"}
    if "error" in result:
        end["error"] = result["error"]
    return [_stamped(message, job_id) for message in (*messages, end)]


def line_messages(line: object, job_id: str | None = None) -> list[Message]:
    """The messages of one line of a streamed run; none for a line that means nothing here.

    A carried message loses its node id to its source, so that an agent loop that is named like a port cannot write into
    that port.
    """
    if not is_record(line):
        return []
    if line.get("type") == "message" and is_record(line.get("message")):
        return [_carried(line["message"], job_id)]
    if line.get("type") == "emit" and isinstance(line.get("name"), str):
        return [_stamped(_output(line["name"], line.get("value", ABSENT), "append"), job_id)]
    if line.get("type") == "result" and is_record(line.get("result")):
        return result_messages(_final(line["result"]), job_id)
    return []


def _carried(message: Message, job_id: str | None) -> Message:
    rest = {key: value for key, value in message.items() if key != "node_id"}
    carried = _stamped(rest, job_id)
    if isinstance(message.get("node_id"), str):
        carried["source"] = message["node_id"]
    return carried


def _final(result: Mapping[str, Any]) -> dict[str, Any]:
    """The result of a streamed run: what was streamed has been folded already and is not replayed."""
    final: dict[str, Any] = {"ok": result.get("ok") is True, "outputs": result.get("outputs")}
    if isinstance(result.get("error"), str):
        final["error"] = result["error"]
    return final


def _output(name: str, value: Value, disposition: str) -> Message:
    message: Message = {"type": "output_update", "node_id": name, "output_name": name, "disposition": disposition}
    if value is not ABSENT:
        message["value"] = value
    return message


def _stamped(message: Message, job_id: str | None) -> Message:
    return dict(message) if job_id is None else {**message, "job_id": job_id}
