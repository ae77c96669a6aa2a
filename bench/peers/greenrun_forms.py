"""The form as a Greenrun app folder, opened with the client that ``greenrun.testing`` offers to tests.

A click counts from the first input to the settled run: the policy, validation, the run with all of its messages, the fold into
the state, and the widget's text.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from bench.peers import quotes
from greenrun.testing.client import AsyncAppClient


def _component(type_: str, id_: str, **props: Any) -> dict[str, Any]:
    return {"type": type_, "props": {"id": id_, **props}}


def document(operation: dict[str, Any], names: dict[str, str], *, with_table: bool) -> dict[str, Any]:
    """The application document; `names` says which input and output of the operation each widget is bound to."""
    content = [
        _component("TextInput", "item", label="Item", binding=f"op:main/in:{names['item']}"),
        _component("NumberInput", "count", label="Count", binding=f"op:main/in:{names['count']}"),
        _component("Button", "go", label="Go", events=[{"trigger": "click", "kind": "run", "operationId": "main"}]),
        _component("Markdown", "text", binding=f"op:main/out:{names['text']}"),
    ]
    if with_table:
        content.append(_component("Table", "rows", binding=f"op:main/out:{names['rows']}"))
    return {
        "schemaVersion": 4,
        "ui": {"root": {"props": {"title": "Quote"}}, "content": content, "zones": {}},
        "operations": [{"id": "main", "name": "Main", "inputs": {}, "outputs": {}, "policy": "replace", **operation}],
        "resources": [],
        "variables": [],
    }


def _node(id_: str, type_: str, **data: Any) -> dict[str, Any]:
    return {"id": id_, "type": type_, "data": data}


def _edge(source: str, target: str, handle: str) -> dict[str, Any]:
    return {
        "id": f"{source}-{target}-{handle}",
        "source": source,
        "sourceHandle": "output",
        "target": target,
        "targetHandle": handle,
    }


def graph(*, with_table: bool) -> dict[str, Any]:
    """The function as nodes: a template for the line, and for the table a loop over 50 numbers with a template each."""
    slots = {"item": {"type": "str"}, "count": {"type": "int"}}
    line = {"string": "{{ count }} x {{ item }}"}
    nodes = [
        _node("item", "nodetool.input.StringInput", name="item", value=""),
        _node("count", "nodetool.input.IntegerInput", name="count", value=0),
        {**_node("line", "nodetool.text.Template", **line), "dynamic_inputs": slots},
        _node("text", "nodetool.output.Output", name="text"),
    ]
    edges = [_edge("item", "line", "item"), _edge("count", "line", "count"), _edge("line", "text", "value")]
    if with_table:
        nodes += [
            _node("numbers", "nodetool.control.RepeatCount", count=quotes.ROWS),
            {**_node("each", "nodetool.text.Template", **line), "dynamic_inputs": slots},
            _node("record", "greenrun.dictionary.Set", key="line"),
            _node("gather", "nodetool.control.Collect"),
            _node("rows", "nodetool.output.Output", name="rows"),
        ]
        edges += [
            _edge("item", "each", "item"),
            _edge("numbers", "each", "count"),
            _edge("each", "record", "value"),
            _edge("record", "gather", "input_item"),
            _edge("gather", "rows", "value"),
        ]
    return {"nodes": nodes, "edges": edges}


class GreenrunForm:
    """The form in a folder of its own; `write` puts the workflow there and gives the document."""

    def __init__(self, with_table: bool) -> None:
        self.with_table = with_table
        self.folder = Path(tempfile.mkdtemp(prefix="quote-"))
        self._client: AsyncAppClient | None = None

    def write(self, workflows: Path) -> dict[str, Any]:
        raise NotImplementedError

    async def start(self) -> None:
        workflows = self.folder / "workflows"
        workflows.mkdir()
        written = self.write(workflows)
        (self.folder / "app.json").write_text(json.dumps(written), encoding="utf-8")

    async def open(self) -> None:
        self._client = await AsyncAppClient.open(self.folder)
        assert self.client.widget("text").visible

    @property
    def client(self) -> AsyncAppClient:
        assert self._client is not None
        return self._client

    async def click(self, item: str, count: int) -> str:
        client = self.client
        await client.change("item", item)
        await client.change("count", count)
        await client.click("go")
        return str(client.widget("text").text)

    def rows(self) -> int:
        return len(self.client.widget("rows").value)

    async def close(self) -> None:
        await self.client.aclose()

    async def stop(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


class GraphForm(GreenrunForm):
    """A workflow graph does the work."""

    def write(self, workflows: Path) -> dict[str, Any]:
        stored = graph(with_table=self.with_table)
        (workflows / "quote.json").write_text(json.dumps(stored), encoding="utf-8")
        names = {name: name for name in ("item", "count", "text", "rows")}
        return document({"workflowId": "quote"}, names, with_table=self.with_table)


class FunctionForm(GreenrunForm):
    """A Python function does the work, in a worker process."""

    def write(self, workflows: Path) -> dict[str, Any]:
        shutil.copy(str(quotes.__file__), workflows / "quotes.py")
        function = "quotes:table" if self.with_table else "quotes:quote"
        operation = {"workflowId": f"function:{function}", "target": {"kind": "function", "function": function}}
        text = "text" if self.with_table else "result"
        names = {"item": "item", "count": "count", "text": text, "rows": "rows"}
        return document(operation, names, with_table=self.with_table)
