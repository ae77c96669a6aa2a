"""Apps to simulate: real graphs on the real engine, with a few node types that do what a test needs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar

from greenrun.oracle.options import SimulateOptions
from greenrun.oracle.report import Report
from greenrun.oracle.simulate import simulate
from greenrun.oracle.target import Target, target_from_document
from greenrun.workflows.node import Effects, Node, NodeContext, NodeError, OutputSpec
from greenrun.workflows.registry import Registry, default_registry
from greenrun.workspace.folder import LoadedApp
from greenrun.workspace.local import LocalHost
from greenrun.workspace.settings import WorkspaceSettings


class Answer(Node):
    """Answers with `answer`, whatever comes in; an absent answer sends nothing."""

    node_type: ClassVar[str] = "test.Answer"

    text: Any = None
    answer: Any = None
    silent: bool = False

    async def process(self, context: NodeContext) -> Any:
        return None if self.silent else {"output": self.answer}


class Pieces(Node):
    """Streams `pieces` as chunk messages, then sends `tail`."""

    node_type: ClassVar[str] = "test.Pieces"

    text: Any = None
    pieces: tuple[str, ...] = ()
    tail: str = ""

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        for piece in self.pieces:
            yield {"output": piece}
        if self.tail:
            yield {"output": self.tail}


class Fail(Node):
    """Raises."""

    node_type: ClassVar[str] = "test.Fail"

    text: Any = None
    message: str = "boom"

    async def process(self, context: NodeContext) -> Any:
        raise NodeError(self.message)


class Forever(Node):
    """Never ends by itself; `started` counts firings, `stopped` those that were cancelled."""

    node_type: ClassVar[str] = "test.Forever"
    started: ClassVar[int] = 0
    stopped: ClassVar[int] = 0

    text: Any = None

    async def process(self, context: NodeContext) -> Any:
        type(self).started += 1
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            type(self).stopped += 1
            raise


class Call(Node):
    """Reports a failed provider call and answers all the same."""

    node_type: ClassVar[str] = "test.Call"

    text: Any = None

    async def process(self, context: NodeContext) -> Any:
        context.message(
            {"type": "provider_call_failed", "node_id": context.node_id, "provider": "acme", "kind": "rate_limit"}
        )
        return {"output": "fallback"}


class Meet(Node):
    """Waits until as many of its kind run as `parties` says; two runs that start one after the other never meet."""

    node_type: ClassVar[str] = "test.Meet"
    waiting: ClassVar[list[asyncio.Event]] = []

    text: Any = None
    parties: int = 2

    async def process(self, context: NodeContext) -> Any:
        mine = asyncio.Event()
        type(self).waiting.append(mine)
        if len(type(self).waiting) >= self.parties:
            for event in type(self).waiting:
                event.set()
            type(self).waiting.clear()
        await asyncio.wait_for(mine.wait(), 5)
        return {"output": "met"}


class Strength(Node):
    """Says how strong it is."""

    node_type: ClassVar[str] = "test.Strength"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "any"),)

    text: Any = None
    strength: float = 0.2

    async def process(self, context: NodeContext) -> Any:
        return {"output": f"strength {self.strength}"}


class Plan(Node):
    """Says what it is doing."""

    node_type: ClassVar[str] = "test.Plan"

    text: Any = None

    async def process(self, context: NodeContext) -> Any:
        for phase in ("Reading", "Reading", "Writing"):
            context.message({"type": "planning_update", "phase": phase})
        return {"output": "done"}


class Send(Node):
    """Changes the world outside, or would."""

    node_type: ClassVar[str] = "test.Send"
    effects: ClassVar[Effects] = "external"

    text: Any = None

    async def process(self, context: NodeContext) -> Any:
        return {"output": "sent"}


class Request(Node):
    """Is answered with an error, and says so as a request does."""

    node_type: ClassVar[str] = "lib.http.TestRequest"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "any"), OutputSpec("status", "int"))

    text: Any = None

    async def process(self, context: NodeContext) -> Any:
        context.message({"type": "provider_call_failed", "provider": "acme.example", "kind": "server", "status": 500})
        return {"output": "Saved", "status": 500}


TEST_NODES = (Answer, Pieces, Fail, Forever, Call, Meet, Strength, Plan, Send, Request)


def registry() -> Registry:
    """The types that ship, and those above."""
    made = default_registry(lambda: [])
    for node in TEST_NODES:
        made.register(node)
    return made


def graph(node: str = "test.Answer", **data: Any) -> dict[str, Any]:
    """``in1`` (StringInput "prompt") -> ``t1`` -> ``out1`` (Output "result")."""
    return {
        "nodes": [
            {"id": "in1", "type": "nodetool.input.StringInput", "data": {"name": "prompt", "value": ""}},
            {"id": "t1", "type": node, "data": data},
            {"id": "out1", "type": "nodetool.output.Output", "data": {"name": "result"}},
        ],
        "edges": [
            {"id": "e1", "source": "in1", "sourceHandle": "output", "target": "t1", "targetHandle": "text"},
            {"id": "e2", "source": "t1", "sourceHandle": "output", "target": "out1", "targetHandle": "value"},
        ],
    }


def operation(id_: str = "main", workflow: str = "wf1", **more: Any) -> dict[str, Any]:
    return {
        "id": id_,
        "name": id_.title(),
        "workflowId": workflow,
        "inputs": {},
        "outputs": {},
        "policy": "replace",
        **more,
    }


def widget(type_: str, id_: str, **props: Any) -> dict[str, Any]:
    return {"type": type_, "props": {"id": id_, **props}}


def button(id_: str, *operations: str, **props: Any) -> dict[str, Any]:
    events = [{"trigger": "click", "kind": "run", "operationId": name} for name in operations]
    return widget("Button", id_, label=props.pop("label", id_), events=events, **props)


def form() -> list[dict[str, Any]]:
    """The five widgets of the worked example (spec: harness appendix D)."""
    running = {"binding": "op:main/exec#running", "op": "eq", "value": "true"}
    return [
        widget("TextInput", "TextInput-1", label="Prompt", binding="op:main/in:in1"),
        button("Button-1", "main", label="Go", disabledWhen=running),
        widget("Markdown", "Markdown-1", label="Answer", binding="op:main/out:out1"),
        widget("Progress", "Progress-1", binding="op:main/exec#progress"),
        widget("Alert", "Alert-1", binding="op:main/exec#error"),
    ]


def document(
    content: list[dict[str, Any]],
    operations: list[dict[str, Any]] | None = None,
    variables: list[dict[str, Any]] | None = None,
    resources: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    return {
        "schemaVersion": 4,
        "ui": {"root": {"props": {"title": "Test"}}, "content": content, "zones": {}},
        "operations": [operation()] if operations is None else operations,
        "variables": variables or [],
        "resources": resources or [],
    }


class MemoryHost(LocalHost):
    """The local host with graphs from memory. `loads` lists every load; an exception instead of a graph is raised."""

    def __init__(self, graphs: dict[str, Any]) -> None:
        loaded = LoadedApp(Path("memory.json"), target_from_document({}), None, WorkspaceSettings())
        super().__init__(loaded, registry=registry())
        self.graphs = graphs
        self.loads: list[tuple[str, Any]] = []
        self.specs: list[Any] = []

    async def load_workflow(self, workflow_id: str, version: int | float | None) -> Any | None:
        self.loads.append((workflow_id, version))
        found = self.graphs.get(workflow_id)
        if isinstance(found, Exception):
            raise found
        return found

    async def run(self, spec: Any, emit: Any) -> Any:
        self.specs.append(spec)
        return await super().run(spec, emit)


async def play(
    doc: Any, graphs: dict[str, Any] | None = None, host: MemoryHost | None = None, **options: Any
) -> Report:
    """Simulate a document (or a ready target) over graphs by workflow id; ``wf1`` answers "HI" by default."""
    host = host or MemoryHost({"wf1": graph(answer="HI")} if graphs is None else graphs)
    target = doc if isinstance(doc, Target) else target_from_document(doc)
    async with host:
        return await simulate(target, host, SimulateOptions(**options))


def codes(report: Report, severity: str = "error") -> list[str]:
    """The codes of the findings of one severity, in order."""
    return [finding.code for finding in report.findings if finding.severity == severity]


def view(report: Report, id_: str) -> dict[str, Any]:
    """The final state of a widget."""
    return next(item for item in report.widgets if item["id"] == id_)
