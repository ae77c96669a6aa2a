"""The scripts of the apps that ship are sharp: a wrong result or a missing wire turns the verdict red."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from shipped_apps import Example

from greenrun.document.surface import Port
from greenrun.document.tree import Widget
from greenrun.oracle.options import SimulateOptions
from greenrun.oracle.report import Report
from greenrun.oracle.simulate import simulate
from greenrun.oracle.target import target_from_document
from greenrun.workflows.run import RunResult, RunSpec
from greenrun.workspace.local import LocalHost

Messages = list[dict[str, Any]]

WIRES = ("binding", "optionsBinding", "streamBinding", "historyBinding", "resourceBindingId", "format")
CONDITIONS = ("visibleWhen", "disabledWhen")


class ReplayingHost(LocalHost):
    """Answers each run with what a real one said before, one output of one operation changed."""

    replay: Iterator[Messages]

    async def run(self, spec: RunSpec, emit: Callable[[dict[str, Any]], None]) -> RunResult:
        for message in next(self.replay):
            emit(message)
        return RunResult("completed")


async def test_a_wrong_output_is_noticed(example: Example) -> None:
    loaded = example.project.loaded
    unnoticed: list[str] = []
    options = example.project.with_script(SimulateOptions())
    host = ReplayingHost(loaded)
    async with host:
        host.replay = iter(example.report.messages)
        assert (await simulate(loaded.target, host, options)).verdict.status == "green"
        for operation, port in _outputs(example):
            host.replay = _altered(example.report, operation, port.node_id)
            report = await simulate(loaded.target, host, options)
            if report.verdict.status != "red":
                unnoticed.append(f"{operation}.{port.name}")

    assert unnoticed == []


async def test_a_missing_wire_is_noticed(example: Example) -> None:
    unnoticed: list[str] = []
    options = example.project.with_script(SimulateOptions())
    document = example.app.document.stored
    async with example.project.host() as host:
        for name, broken in _broken(document, {widget.id: widget for widget in example.widgets}):
            report = await simulate(target_from_document(broken, example.name, example.name), host, options)
            if report.verdict.status == "green":
                unnoticed.append(name)

    assert unnoticed == []


def _outputs(example: Example) -> Iterator[tuple[str, Port]]:
    for item in example.app.operations:
        assert item.surface is not None
        for port in item.surface.outputs:
            yield item.id, port


def _altered(report: Report, operation: str, node: str) -> Iterator[Messages]:
    """The messages of each run in order, with other values where they carry this output."""
    for invocation, messages in zip(report.invocations, report.messages, strict=True):
        is_meant = invocation["operationId"] == operation
        yield [_other_message(item) if is_meant and item.get("node_id") == node else item for item in messages]


def _other_message(message: dict[str, Any]) -> dict[str, Any]:
    key = {"output_update": "value", "chunk": "content"}.get(message["type"])
    return message if key is None else {**message, key: _other(message[key])}


def _other(value: Any) -> Any:
    """A value of the same kind that is not the same."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}?"
        case list():
            return value[1:]
        case {"data": str(), "type": str()}:
            return {**value, "data": "Pw=="}
        case dict():
            return dict(list(value.items())[1:])
        case _:
            return "?"


def _broken(document: dict[str, Any], widgets: dict[str, Widget]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The document with one wire taken out, each in turn. Wires that show only while a run goes on are left alone."""
    for path, key in _wires(document, widgets):
        broken = copy.deepcopy(document)
        del _at(broken, path)[key]
        owner = _at(document, path[:-1]) if path[-1] == "events" else _at(document, path)
        yield f"{owner.get('id', path)}: {key}", broken


def _wires(document: dict[str, Any], widgets: dict[str, Widget]) -> Iterator[tuple[list[Any], Any]]:
    for path, props in _props(document["ui"]["content"], ["ui", "content"]):
        widget = widgets[props["id"]]
        for key in WIRES:
            # A format says by itself what it shows; the binding beside it only repeats it.
            repeated = key == "binding" and widget.format is not None
            if key in props and not repeated and "/exec#" not in props[key]:
                yield path, key
        yield from ((path, key) for key in CONDITIONS if key in props and "/exec#" not in props[key]["binding"])
        yield from (([*path, "events"], number) for number in range(len(props.get("events", []))))
    for number, operation in enumerate(document["operations"]):
        for side in ("inputs", "outputs"):
            yield from ((["operations", number, side], key) for key in operation[side])


def _props(content: list[Any], path: list[Any]) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """Path and props of every component, children in their slots included."""
    for number, node in enumerate(content):
        here = [*path, number, "props"]
        yield here, node["props"]
        for key, value in node["props"].items():
            if isinstance(value, list) and value and all(isinstance(item, dict) and "props" in item for item in value):
                yield from _props(value, [*here, key])


def _at(value: Any, path: Iterable[Any]) -> Any:
    for step in path:
        value = value[step]
    return value
