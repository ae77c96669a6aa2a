"""An app of graphs in graphs: carried, named, two deep, and functions as nodes."""

from __future__ import annotations

from typing import Any, Final

from bench.faults.parts import (
    button,
    document,
    edges,
    equals,
    node,
    operation,
    outputs,
    shown,
    state,
    text_input,
    widget,
)
from bench.faults.seed import SeedApp

NAME: Final = "workshop"

TOOLS: Final = '''"""What the workshop computes."""

from __future__ import annotations

from dataclasses import dataclass

import rates

from greenrun import workflow


@dataclass
class Bill:
    amount: float
    note: str


@workflow
def bill(price: float) -> Bill:
    """What has to be paid."""
    return Bill(rates.with_tax(price), f"{rates.TAX:.0%} tax")
'''

RATES: Final = '''"""What the state takes."""

from __future__ import annotations

TAX = 0.2


def with_tax(price: float) -> float:
    return round(price * (1 + TAX), 2)
'''


def _text(*names: str) -> dict[str, Any]:
    return {name: {"type": "str"} for name in names}


def _number(*names: str) -> dict[str, Any]:
    return {name: {"type": "float"} for name in names}


def _nest(id_: str, type_: str, data: dict[str, Any], given: str, made: dict[str, Any]) -> dict[str, Any]:
    """A node that runs something with one input."""
    return {**node(id_, type_, data, **{given: ""}), "dynamic_outputs": made}


def _loud() -> dict[str, Any]:
    """The innermost graph."""
    return {
        "nodes": [
            node("said", "nodetool.input.StringInput", {"name": "said", "value": "nothing said"}),
            node("upper", "nodetool.text.ToUppercase", {}),
            *outputs("shout"),
        ],
        "edges": edges("said > upper.text", "upper > shout"),
    }


def _polish() -> dict[str, Any]:
    """Cleans a text, makes a title of it in a graph of its own, and counts its words."""
    carried = {"graph": _loud()}
    return {
        "nodes": [
            node("draft", "nodetool.input.StringInput", {"name": "draft", "value": "nothing written"}),
            node("trim", "nodetool.text.CollapseWhitespace", {}),
            _nest("louder", "nodetool.workflows.subgraph.Subgraph", carried, "said", _text("shout")),
            node("measure", "nodetool.text.Length", {"measure": "words"}),
            *outputs("clean", "title", "words"),
        ],
        "edges": edges(
            "draft > trim.text",
            "trim > clean",
            "trim > louder.said",
            "louder.shout > title",
            "trim > measure.text",
            "measure > words",
        ),
    }


def _pricing() -> dict[str, Any]:
    """What so many words cost, by a function."""
    return {
        "nodes": [
            node("count", "nodetool.input.FloatInput", {"name": "count", "value": 1}),
            node("each", "greenrun.math.Multiply", {"b": 2.5}),
            _nest(
                "bill",
                "greenrun.workflows.Function",
                {"function": "tools:bill"},
                "price",
                _number("amount") | _text("note"),
            ),
            *outputs("amount", "note"),
        ],
        "edges": edges("count > each.a", "each > bill.price", "bill.amount > amount", "bill.note > note"),
    }


def _frame() -> dict[str, Any]:
    return {
        "nodes": [
            node("inside", "nodetool.input.StringInput", {"name": "inside", "value": "nothing framed"}),
            node("around", "nodetool.text.SurroundWith", {"prefix": "<< ", "suffix": " >>"}),
            *outputs("framed"),
        ],
        "edges": edges("inside > around.text", "around > framed"),
    }


def _order() -> dict[str, Any]:
    """The graph of the operation: what it does is done in others."""
    pricing = {"workflow_id": "pricing"}
    frame = {"workflow_json": {"name": "Frame", "graph": _frame()}}
    function = {"function": "tools:bill"}
    workflow = "nodetool.workflows.workflow_node.Workflow"
    subgraph = "nodetool.workflows.subgraph.Subgraph"
    return {
        "nodes": [
            node("text", "nodetool.input.StringInput", {"name": "text", "value": "a sign"}),
            node("extra", "nodetool.input.FloatInput", {"name": "extra", "value": 1}),
            _nest(
                "polish", subgraph, {"graph": _polish()}, "draft", _text("clean", "title") | {"words": {"type": "int"}}
            ),
            _nest("price", workflow, pricing, "count", _number("amount") | _text("note")),
            _nest("frame", workflow, frame, "inside", _text("framed")),
            _nest("fee", "greenrun.workflows.Function", function, "price", _number("amount") | _text("note")),
            *outputs("clean", "title", "words", "amount", "note", "framed", "surcharge"),
        ],
        "edges": edges(
            "text > polish.draft",
            "polish.clean > clean",
            "polish.title > title",
            "polish.words > words",
            "polish.words > price.count",
            "price.amount > amount",
            "price.note > note",
            "polish.title > frame.inside",
            "frame.framed > framed",
            "extra > fee.price",
            "fee.amount > surcharge",
        ),
    }


def app() -> SeedApp:
    """One operation; all of its graphs and functions are shown."""
    content = [
        text_input("order", "text"),
        widget("NumberInput", "extra", label="Extra", binding="op:order/in:extra"),
        button("order"),
        *shown("order", "clean", "title", "note", "framed"),
        *shown("order", "words", "amount", "surcharge", type_="Stat"),
        *state("order"),
    ]
    stored = document("Workshop", content, [operation("order", {}, {})])
    script = [
        {"change": "text", "value": "  open   all day "},
        {"change": "extra", "value": 5},
        {"click": "order"},
        equals("clean", "open all day"),
        equals("title", "OPEN ALL DAY"),
        equals("words", 3),
        equals("amount", 9.0),
        equals("note", "20% tax"),
        equals("framed", "<< OPEN ALL DAY >>"),
        equals("surcharge", 6.0),
    ]
    graphs = {"order": _order(), "pricing": _pricing()}
    return SeedApp(NAME, stored, {"params": {}, "interact": script}, graphs, {"tools": TOOLS, "rates": RATES})
