"""An app with what no example has: two operations that take what the first one made, tabs, a resource, a file, a branch."""

from __future__ import annotations

from typing import Any, Final

from bench.faults.parts import (
    document,
    edge,
    equals,
    from_variable,
    node,
    operation,
    run,
    state,
    to_variable,
    variable,
    widget,
)
from bench.faults.seed import SeedApp

NAME: Final = "order-desk"
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


def _price() -> dict[str, Any]:
    """What an order costs, what it is called, and when it comes: a branch whose two ends are both shown."""
    return {
        "nodes": [
            node("item", "nodetool.input.SelectInput", {"name": "item", "value": "tea", "options": ["tea", "cake"]}),
            node("count", "nodetool.input.IntegerInput", {"name": "count", "value": 1, "min": 1, "max": 20}),
            node("express", "nodetool.input.BooleanInput", {"name": "express", "value": False}),
            node("multiply", "greenrun.math.Multiply", {"b": 2.5}),
            node("say", "nodetool.text.Template", {"string": "{{ count }} x {{ item }}"}, count="", item=""),
            node("label", "nodetool.text.Concat", {}, start="for the counter: ", item="", end="."),
            node("branch", "nodetool.control.If", {"value": "tomorrow at noon"}),
            node("total", "nodetool.output.Output", {"name": "total"}),
            node("line", "nodetool.output.Output", {"name": "line"}),
            node("note", "nodetool.output.Output", {"name": "note"}),
            node("fast", "nodetool.output.Output", {"name": "fast"}),
            node("slow", "nodetool.output.Output", {"name": "slow"}),
        ],
        "edges": [
            edge("count", "output", "multiply", "a"),
            edge("multiply", "output", "total", "value"),
            edge("count", "output", "say", "count"),
            edge("item", "output", "say", "item"),
            edge("say", "output", "line", "value"),
            edge("item", "output", "label", "item"),
            edge("label", "output", "note", "value"),
            edge("express", "output", "branch", "condition"),
            edge("branch", "if_true", "fast", "value"),
            edge("branch", "if_false", "slow", "value"),
        ],
    }


def _order() -> list[dict[str, Any]]:
    options = [{"value": "tea"}, {"value": "cake"}]
    return [
        widget("Select", "item", label="Item", binding="op:price/in:item", options=options),
        widget(
            "Slider",
            "count",
            label="How many",
            binding="op:price/in:count",
            min=1,
            max=20,
            events=[run("price", "change", pace="release")],
            disabledWhen={"binding": "op:price/exec#running", "op": "notEmpty"},
        ),
        widget("Switch", "express", label="Express", binding="op:price/in:express"),
        widget("Button", "price", label="Price", events=[run("price")]),
        widget("Stat", "total", label="Total", binding="op:price/out:total", format="{op:price/out:total|number:2} €"),
        widget("Markdown", "line", binding="var:line"),
        widget("Text", "note", binding="op:price/out:note"),
        widget("Text", "fast", binding="op:price/out:fast"),
        widget("Text", "slow", binding="op:price/out:slow"),
        *state("price"),
    ]


def _letter() -> list[dict[str, Any]]:
    tone = {"trigger": "click", "kind": "setVariable", "key": "tone", "value": "formal"}
    return [
        widget("TextInput", "customer", label="Customer", binding="op:letter/in:customer"),
        widget("Button", "formal", label="Be formal", events=[tone]),
        widget("Heading", "tone", level="3", binding="var:tone"),
        widget(
            "Button",
            "letter",
            label="Write the letter",
            events=[run("letter")],
            disabledWhen={"binding": "var:line", "op": "empty"},
            visibleWhen={"binding": "var:tone", "op": "eq", "value": "formal"},
        ),
        widget("Text", "subject", binding="op:letter/out:subject"),
        widget("Markdown", "text", binding="op:letter/out:text"),
        widget(
            "Stat", "words", label="Words", binding="op:letter/out:words", format="{op:letter/out:words|number:0} words"
        ),
        *state("letter"),
    ]


def _archive() -> list[dict[str, Any]]:
    return [
        widget("ResourcePicker", "board", label="Board", resourceBindingId="boards"),
        widget("ImageInput", "photo", label="Photo", binding="op:archive/in:photo"),
        widget(
            "Button",
            "archive",
            label="Archive",
            events=[run("archive")],
            disabledWhen={"binding": "op:archive/in:photo", "op": "empty"},
        ),
        widget("Markdown", "log", binding="op:archive/out:log"),
        widget("Text", "title", binding="op:archive/out:title"),
        widget("Table", "rows", binding="op:archive/out:rows"),
        *state("archive"),
    ]


def app() -> SeedApp:
    """Three operations, of which two take what the first one made; tabs, a resource, a file, a branch, a template."""
    line, tone = from_variable("line"), from_variable("tone")
    board = {"from": "resource", "resourceBindingId": "boards"}
    tabs = {"tab1Label": "Order", "tab1": _order(), "tab2Label": "Letter", "tab2": _letter()}
    operations = [
        operation("price", {}, {"line": to_variable("line")}),
        operation("letter", {"line": line, "tone": tone}, {}, "desk:letter"),
        operation("archive", {"line": line, "board": board}, {}, "desk:archive"),
    ]
    boards = {"id": "boards", "name": "Boards", "kind": "storyboard"}
    boards |= {"scope": {"projectId": "shop"}, "operations": ["read"]}
    content = [widget("Tabs", "tabs", **tabs, tab3Label="Archive", tab3=_archive())]
    variables = [variable("line"), variable("tone", default="friendly")]
    stored = document("Order desk", content, operations, variables, [boards])
    return SeedApp(NAME, stored, {"params": {}, "interact": _script()}, {"price": _price()}, {"desk": FUNCTIONS})


def _script() -> list[dict[str, Any]]:
    letter = "Dear Ada, this is your order: 4 x cake"
    return [
        {"seedResource": {"id": "boards", "items": [{"id": "spring"}, {"id": "autumn"}]}},
        {"expect": {"widget": "letter", "check": "hidden"}},
        {"change": "item", "value": "cake"},
        {"change": "express", "value": True},
        {"change": "count", "value": 4},
        equals("total", "10.00 €"),
        equals("line", "4 x cake"),
        equals("note", "for the counter: cake."),
        equals("fast", "tomorrow at noon"),
        {"change": "express", "value": False},
        {"click": "price"},
        equals("slow", "tomorrow at noon"),
        {"click": "formal"},
        {"expect": {"widget": "letter", "check": "visible"}},
        {"change": "customer", "value": "Ada"},
        {"click": "letter"},
        equals("subject", "Order 4 x cake"),
        equals("text", letter),
        equals("tone", "formal"),
        equals("words", "9 words"),
        {"expect": {"widget": "archive", "check": "disabled"}},
        {"change": "board", "value": "autumn"},
        {"change": "photo", "value": {"type": "image", "uri": PIXEL}},
        {"click": "archive"},
        equals("log", "kept on autumn"),
        {"expect": {"widget": "title", "check": "matches", "value": r"^4 x cake \(\d+ bytes\)$"}},
        equals("rows", [{"board": "autumn", "order": "4 x cake"}]),
    ]
