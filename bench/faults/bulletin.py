"""An app of streams: lists taken apart and gathered again, pairs, a loop, a text that comes in pieces."""

from __future__ import annotations

from typing import Any, Final

from bench.faults.parts import (
    button,
    document,
    edges,
    equals,
    from_variable,
    node,
    operation,
    outputs,
    shown,
    state,
    text_input,
    to_variable,
    variable,
    widget,
)
from bench.faults.seed import SeedApp

NAME: Final = "bulletin"

PACKING: Final = '''"""Packs what the bulletin announces."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from scales import weight_of

from greenrun import Chunk, Progress, workflow


@dataclass
class Packed:
    boxes: int
    weight: float
    label: str


@workflow
def pack(lines: list, prefix: str = "box") -> Generator[Progress | Chunk, None, Packed]:
    """Pack every line into a box of its own, and tell what is done."""
    for number, line in enumerate(lines):
        yield Chunk(f"{prefix} {number}: {line}. ", output="log")
        yield Progress((number + 1) / len(lines), line)
    yield Chunk("All packed.", output="log")
    return Packed(len(lines), weight_of(lines), f"{len(lines)} boxes")
'''

SCALES: Final = '''"""How heavy things are."""

from __future__ import annotations

GRAMS = 250


def weight_of(lines: list) -> float:
    """Kilograms of that many boxes."""
    return round(len(lines) * GRAMS / 1000, 2)
'''


def _digest() -> dict[str, Any]:
    """Topics and people as lists, taken apart, paired, counted and put together again."""
    return {
        "nodes": [
            node("topics", "nodetool.input.StringInput", {"name": "topics", "value": "tea, cake"}),
            node("people", "nodetool.input.StringInput", {"name": "people", "value": "Ada"}),
            node("heading", "nodetool.input.StringInput", {"name": "heading", "value": "News"}),
            node("split_topics", "nodetool.text.Split", {"delimiter": ", "}),
            node("split_people", "nodetool.text.Split", {"delimiter": ", "}),
            node("each", "nodetool.control.ForEach", {}),
            node("each_person", "nodetool.control.ForEach", {}),
            node("say", "nodetool.text.Template", {"string": "{{ index }}. {{ item }}"}, index="", item=""),
            node("so_far", "nodetool.text.Collect", {"separator": "; "}),
            node("whole", "nodetool.control.Last", {}),
            node("gather", "nodetool.control.Collect", {}),
            node("counted", "nodetool.control.Count", {}),
            node("zip", "nodetool.control.Zip", {"max_unmatched_pairs": 20}),
            node("pair", "nodetool.text.Template", {"string": "{{ topic }} by {{ person }}"}, topic="", person=""),
            node("gather_pairs", "nodetool.control.Collect", {}),
            node("cross", "nodetool.control.Cross", {"max_output_count": 20}),
            node("combined", "nodetool.control.Count", {}),
            node("take", "nodetool.control.Take", {"n": 2}),
            node("doubling", "nodetool.control.Loop", {"initial": 1, "max_iterations": 3}),
            node("twice", "greenrun.math.Multiply", {"b": 2}),
            node("loud", "nodetool.text.ToUppercase", {}),
            node("boxed", "nodetool.text.SurroundWith", {"prefix": "[", "suffix": "]"}),
            node("join", "nodetool.text.Join", {"separator": " | "}),
            *outputs("lines", "items", "count", "pairs", "combinations", "first", "banner", "doubled"),
        ],
        "edges": edges(
            "topics > split_topics.text",
            "people > split_people.text",
            "split_topics > each.input_list",
            "split_people > each_person.input_list",
            "each.index > say.index",
            "each > say.item",
            "say > so_far.input_item",
            "so_far > whole.input_item",
            "whole > lines",
            "say > gather.input_item",
            "gather > items",
            "each > counted.input_item",
            "counted > count",
            "each > zip.left",
            "each_person > zip.right",
            "zip.left > pair.topic",
            "zip.right > pair.person",
            "pair > gather_pairs.input_item",
            "gather_pairs > pairs",
            "each > cross.left",
            "each_person > cross.right",
            "cross.left > combined.input_item",
            "combined > combinations",
            "each > take.input_item",
            "take > first",
            "doubling.value > twice.a",
            "twice > doubling.next",
            "doubling.done > doubled",
            "heading > loud.text",
            "heading > boxed.text",
            "heading > join.strings",
            "loud > join.strings",
            "boxed > join.strings",
            "join > banner",
        ),
    }


def _speech() -> dict[str, Any]:
    """A text that comes in pieces, and the whole of it afterwards."""
    pieces = ["On ", "sale ", "now: ", "{{ prompt }}", "."]
    return {
        "nodes": [
            node("words", "nodetool.input.StringInput", {"name": "words", "value": "tea"}),
            node("speaker", "greenrun.model.Scripted", {"script": pieces}),
            node("quote", "nodetool.text.SurroundWith", {"prefix": "'", "suffix": "'"}),
            *outputs("spoken", "said"),
        ],
        "edges": edges(
            "words > speaker.prompt",
            "speaker.chunk > spoken",
            "speaker.text > quote.text",
            "quote > said",
        ),
    }


def app() -> SeedApp:
    """Two graphs and a function that streams, which imports another module of the app."""
    content = [
        *(text_input("digest", name) for name in ("topics", "people", "heading")),
        button("digest"),
        *shown("digest", "lines", "items", "pairs", "first", "banner"),
        *shown("digest", "count", "combinations", "doubled", type_="Stat"),
        *state("digest"),
        text_input("speech", "words"),
        button("speech"),
        *shown("speech", "spoken", "said", type_="Markdown"),
        *state("speech"),
        text_input("pack", "prefix"),
        button("pack", disabledWhen={"binding": "var:lines", "op": "empty"}),
        *shown("pack", "log", type_="Markdown"),
        *shown("pack", "boxes", "weight", "label"),
        widget("Text", "announced", binding="var:lines"),
        *state("pack"),
    ]
    operations = [
        operation("digest", {}, {"items": to_variable("lines")}),
        operation("speech", {}, {}),
        operation("pack", {"lines": from_variable("lines")}, {}, "packing:pack"),
    ]
    variables = [variable("lines", type={"type": "list", "type_args": [{"type": "str"}], "optional": False})]
    stored = document("Bulletin", content, operations, variables)
    script = {"params": {}, "interact": _script()}
    graphs = {"digest": _digest(), "speech": _speech()}
    return SeedApp(NAME, stored, script, graphs, {"packing": PACKING, "scales": SCALES})


def _script() -> list[dict[str, Any]]:
    return [
        {"expect": {"widget": "pack", "check": "disabled"}},
        {"change": "topics", "value": "tea, cake, milk"},
        {"change": "people", "value": "Ada, Bob, Cy"},
        {"change": "heading", "value": "Shop news"},
        {"click": "digest"},
        equals("lines", "0. tea; 1. cake; 2. milk"),
        equals("items", ["0. tea", "1. cake", "2. milk"]),
        equals("announced", ["0. tea", "1. cake", "2. milk"]),
        equals("count", 3),
        equals("pairs", ["tea by Ada", "cake by Bob", "milk by Cy"]),
        equals("combinations", 9),
        equals("first", "teacake"),
        equals("doubled", 8),
        equals("banner", "Shop news | SHOP NEWS | [Shop news]"),
        {"change": "words", "value": "cake"},
        {"click": "speech"},
        equals("spoken", "On sale now: cake."),
        equals("said", "'On sale now: cake.'"),
        {"change": "prefix", "value": "crate"},
        {"click": "pack"},
        equals("log", "crate 0: 0. tea. crate 1: 1. cake. crate 2: 2. milk. All packed."),
        equals("boxes", 3),
        equals("weight", 0.75),
        equals("label", "3 boxes"),
    ]
