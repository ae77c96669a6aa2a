"""The apps that faults are put into: every example, and one app for what no example has."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from bench.faults.seed import SeedApp, read_app

EXAMPLES: Final = Path(__file__).resolve().parent.parent.parent / "examples"
DESK: Final = "order-desk"
PIXEL: Final = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
)

FUNCTIONS: Final = '''"""What the desk does with an order."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypedDict

from greenrun import Chunk, Image, Progress, workflow


@dataclass
class Letter:
    subject: str
    text: str
    words: int


class Entry(TypedDict):
    title: str
    rows: list[dict[str, Any]]


@workflow
def letter(line: str, tone: str, customer: str = "you") -> Letter:
    """A letter about an order."""
    text = f"{'Dear' if tone == 'formal' else 'Hi'} {customer}, this is your order: {line}"
    return Letter(f"Order {line}", text, len(text.split()))


@workflow
def archive(board: dict[str, Any], photo: Image, line: str) -> Generator[Progress | Chunk, None, Entry]:
    """Put an order on a board, with a picture."""
    for word in ("kept", " on ", str(board["id"])):
        yield Chunk(word, output="log")
    yield Progress(1, "done")
    return {"title": f"{line} ({len(photo.read_bytes())} bytes)", "rows": [{"board": board["id"], "order": line}]}
'''


def names() -> list[str]:
    """All apps by name."""
    return [DESK, *sorted(path.parent.name for path in EXAMPLES.glob("*/app.json"))]


def load(name: str) -> SeedApp:
    return desk() if name == DESK else read_app(EXAMPLES / name)


def _node(id_: str, type_: str, data: dict[str, Any], **slots: Any) -> dict[str, Any]:
    return {"id": id_, "type": type_, "data": data, "dynamic_properties": slots}


def _edge(source: str, handle: str, target: str, entry: str) -> dict[str, Any]:
    id_ = f"{source}-{handle}-{target}-{entry}"
    return {"id": id_, "source": source, "sourceHandle": handle, "target": target, "targetHandle": entry}


def _price() -> dict[str, Any]:
    """What an order costs, what it is called, and when it comes: a branch whose two ends are both shown."""
    return {
        "nodes": [
            _node("item", "nodetool.input.SelectInput", {"name": "item", "value": "tea", "options": ["tea", "cake"]}),
            _node("count", "nodetool.input.IntegerInput", {"name": "count", "value": 1, "min": 1, "max": 20}),
            _node("express", "nodetool.input.BooleanInput", {"name": "express", "value": False}),
            _node("multiply", "greenrun.math.Multiply", {"b": 2.5}),
            _node("say", "nodetool.text.Template", {"string": "{{ count }} x {{ item }}"}, count="", item=""),
            _node("label", "nodetool.text.Concat", {}, start="for the counter: ", item=""),
            _node("branch", "nodetool.control.If", {"value": "tomorrow at noon"}),
            _node("total", "nodetool.output.Output", {"name": "total"}),
            _node("line", "nodetool.output.Output", {"name": "line"}),
            _node("note", "nodetool.output.Output", {"name": "note"}),
            _node("fast", "nodetool.output.Output", {"name": "fast"}),
            _node("slow", "nodetool.output.Output", {"name": "slow"}),
        ],
        "edges": [
            _edge("count", "output", "multiply", "a"),
            _edge("multiply", "output", "total", "value"),
            _edge("count", "output", "say", "count"),
            _edge("item", "output", "say", "item"),
            _edge("say", "output", "line", "value"),
            _edge("item", "output", "label", "item"),
            _edge("label", "output", "note", "value"),
            _edge("express", "output", "branch", "condition"),
            _edge("branch", "if_true", "fast", "value"),
            _edge("branch", "if_false", "slow", "value"),
        ],
    }


def _widget(type_: str, id_: str, **props: Any) -> dict[str, Any]:
    return {"type": type_, "props": {"id": id_, **props}}


def _run(operation: str, trigger: str = "click", **more: Any) -> dict[str, Any]:
    return {"trigger": trigger, "kind": "run", "operationId": operation, **more}


def _state(operation: str) -> list[dict[str, Any]]:
    return [
        _widget("Progress", f"{operation}-progress", binding=f"op:{operation}/exec#progress"),
        _widget("Alert", f"{operation}-error", binding=f"op:{operation}/exec#error", severity="error"),
    ]


def _order() -> list[dict[str, Any]]:
    options = [{"value": "tea"}, {"value": "cake"}]
    return [
        _widget("Select", "item", label="Item", binding="op:price/in:item", options=options),
        _widget(
            "Slider",
            "count",
            label="How many",
            binding="op:price/in:count",
            min=1,
            max=20,
            events=[_run("price", "change", pace="release")],
            disabledWhen={"binding": "op:price/exec#running", "op": "notEmpty"},
        ),
        _widget("Switch", "express", label="Express", binding="op:price/in:express"),
        _widget("Button", "price", label="Price", events=[_run("price")]),
        _widget("Stat", "total", label="Total", binding="op:price/out:total", format="{op:price/out:total|number:2} €"),
        _widget("Markdown", "line", binding="var:line"),
        _widget("Text", "note", binding="op:price/out:note"),
        _widget("Text", "fast", binding="op:price/out:fast"),
        _widget("Text", "slow", binding="op:price/out:slow"),
        *_state("price"),
    ]


def _letter() -> list[dict[str, Any]]:
    tone = {"trigger": "click", "kind": "setVariable", "key": "tone", "value": "formal"}
    return [
        _widget("TextInput", "customer", label="Customer", binding="op:letter/in:customer"),
        _widget("Button", "formal", label="Be formal", events=[tone]),
        _widget("Heading", "tone", level="3", binding="var:tone"),
        _widget(
            "Button",
            "letter",
            label="Write the letter",
            events=[_run("letter")],
            disabledWhen={"binding": "var:line", "op": "empty"},
            visibleWhen={"binding": "var:tone", "op": "eq", "value": "formal"},
        ),
        _widget("Text", "subject", binding="op:letter/out:subject"),
        _widget("Markdown", "text", binding="op:letter/out:text"),
        _widget(
            "Stat", "words", label="Words", binding="op:letter/out:words", format="{op:letter/out:words|number:0} words"
        ),
        *_state("letter"),
    ]


def _archive() -> list[dict[str, Any]]:
    return [
        _widget("ResourcePicker", "board", label="Board", resourceBindingId="boards"),
        _widget("ImageInput", "photo", label="Photo", binding="op:archive/in:photo"),
        _widget(
            "Button",
            "archive",
            label="Archive",
            events=[_run("archive")],
            disabledWhen={"binding": "op:archive/in:photo", "op": "empty"},
        ),
        _widget("Markdown", "log", binding="op:archive/out:log"),
        _widget("Text", "title", binding="op:archive/out:title"),
        _widget("Table", "rows", binding="op:archive/out:rows"),
        *_state("archive"),
    ]


def _operation(
    id_: str, inputs: dict[str, Any], outputs: dict[str, Any], function: str | None = None
) -> dict[str, Any]:
    stored: dict[str, Any] = {"id": id_, "name": id_.capitalize(), "inputs": inputs, "outputs": outputs}
    stored |= {"policy": "replace", "workflowId": f"function:{function}" if function is not None else id_}
    return stored if function is None else {**stored, "target": {"kind": "function", "function": function}}


def _variable(id_: str, **more: Any) -> dict[str, Any]:
    kept = {"scope": "instance", "persist": False, "type": {"type": "str", "type_args": [], "optional": False}}
    return {"id": id_, "name": id_.capitalize(), **kept, **more}


def desk() -> SeedApp:
    """Three operations, of which two take what the first one made; tabs, a resource, a file, a branch, a template."""
    line = {"from": "variable", "variableId": "line"}
    tone = {"from": "variable", "variableId": "tone"}
    board = {"from": "resource", "resourceBindingId": "boards"}
    tabs = {"tab1Label": "Order", "tab1": _order(), "tab2Label": "Letter", "tab2": _letter()}
    document = {
        "schemaVersion": 4,
        "ui": {
            "root": {"props": {"title": "Order desk"}},
            "content": [_widget("Tabs", "tabs", **tabs, tab3Label="Archive", tab3=_archive())],
            "zones": {},
        },
        "operations": [
            _operation("price", {}, {"line": {"to": "variable", "variableId": "line"}}),
            _operation("letter", {"line": line, "tone": tone}, {}, "desk:letter"),
            _operation("archive", {"line": line, "board": board}, {}, "desk:archive"),
        ],
        "resources": [
            {
                "id": "boards",
                "name": "Boards",
                "kind": "storyboard",
                "scope": {"projectId": "shop"},
                "operations": ["read"],
            }
        ],
        "variables": [_variable("line"), _variable("tone", default="friendly")],
    }
    return SeedApp(DESK, document, {"params": {}, "interact": _script()}, {"price": _price()}, {"desk": FUNCTIONS})


def _equals(widget: str, value: Any) -> dict[str, Any]:
    return {"expect": {"widget": widget, "check": "equals", "value": value}}


def _script() -> list[dict[str, Any]]:
    letter = "Dear Ada, this is your order: 4 x cake"
    return [
        {"seedResource": {"id": "boards", "items": [{"id": "spring"}, {"id": "autumn"}]}},
        {"expect": {"widget": "letter", "check": "hidden"}},
        {"change": "item", "value": "cake"},
        {"change": "express", "value": True},
        {"change": "count", "value": 4},
        _equals("total", "10.00 €"),
        _equals("line", "4 x cake"),
        _equals("note", "for the counter: cake"),
        _equals("fast", "tomorrow at noon"),
        {"change": "express", "value": False},
        {"click": "price"},
        _equals("slow", "tomorrow at noon"),
        {"click": "formal"},
        {"expect": {"widget": "letter", "check": "visible"}},
        {"change": "customer", "value": "Ada"},
        {"click": "letter"},
        _equals("subject", "Order 4 x cake"),
        _equals("text", letter),
        _equals("tone", "formal"),
        _equals("words", "9 words"),
        {"expect": {"widget": "archive", "check": "disabled"}},
        {"change": "board", "value": "autumn"},
        {"change": "photo", "value": {"type": "image", "uri": PIXEL}},
        {"click": "archive"},
        _equals("log", "kept on autumn"),
        {"expect": {"widget": "title", "check": "matches", "value": r"^4 x cake \(\d+ bytes\)$"}},
        _equals("rows", [{"board": "autumn", "order": "4 x cake"}]),
    ]
