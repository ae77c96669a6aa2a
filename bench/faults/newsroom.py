"""An app of models: an article is written as one watches, summed up, read, sorted, tagged, approved and published."""

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
from bench.faults.seed import SeedApp, World

NAME: Final = "newsroom"

PRESS: Final = '''"""Brings an article out."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from greenrun import Chunk, workflow


@dataclass
class Published:
    page: str
    words: int


@workflow(effects="external", retry_safe=False)
def publish(article: str, headline: str, decision: str) -> Generator[Chunk, None, Published]:
    """Put an approved article on its page."""
    if decision != "approved":
        raise ValueError("nobody approved the article yet")
    for step in ("Set. ", "Printed. ", "Out."):
        yield Chunk(step, output="log")
    return Published(f"# {headline}\\n\\n{article}", len(article.split()))
'''

ARTICLE: Final = "The bridge of Lisbon opened in 1966 and is still red."
WRITER: Final = "You write articles for the paper."
EDITOR: Final = "You write headlines."
READER: Final = "You read facts out of articles."
SORTER: Final = "You choose the section of an article."
TAGGER: Final = "Name tags for this article."

ANSWERS: Final[dict[str, Any]] = {
    "Write about the bridge of Lisbon in a cheerful tone.": {"text": ARTICLE, "cost": 0.02},
    f"Summarise this:\n\n{ARTICLE}": {"text": "Red since 1966", "cost": 0.01},
    f"Read the values from this:\n\n{ARTICLE}": {"object": {"city": "Lisbon", "year": 1966}, "cost": 0.01},
    f"Choose the category of this:\n\n{ARTICLE}": {"object": {"category": "travel"}, "cost": 0.01},
    f"{TAGGER}\n\n{ARTICLE}": {"text": "<LIST_ITEM>bridge</LIST_ITEM><LIST_ITEM>history</LIST_ITEM>", "cost": 0.01},
}
"""What the models say to exactly what they are asked; to anything else, something made up."""

MODEL: Final = {"type": "language_model", "provider": "openai", "id": "gpt-5-mini", "name": "GPT-5 mini"}


def _draft() -> dict[str, Any]:
    """One model writes, four others read what it wrote."""
    facts = node("reader", "nodetool.agents.Extractor", {"model": MODEL, "system_prompt": READER})
    facts["dynamic_outputs"] = {"city": {"type": "str"}, "year": {"type": "int"}}
    sorter = {"model": MODEL, "system_prompt": SORTER, "categories": ["travel", "sports", "money"]}
    prompt = "Write about {{ topic }} in a {{ tone }} tone."
    return {
        "nodes": [
            node("topic", "nodetool.input.StringInput", {"name": "topic", "value": "tea"}),
            node(
                "tone",
                "nodetool.input.SelectInput",
                {"name": "tone", "value": "dry", "options": ["dry", "cheerful"]},
            ),
            node(
                "writer",
                "nodetool.agents.Agent",
                {"model": MODEL, "system": WRITER, "prompt": prompt, "max_turns": 3},
                topic="",
                tone="",
            ),
            node("editor", "nodetool.agents.Summarizer", {"model": MODEL, "system_prompt": EDITOR}),
            facts,
            node("sorter", "nodetool.agents.Classifier", sorter),
            node("tagger", "nodetool.generators.ListGenerator", {"model": MODEL, "prompt": TAGGER}),
            node("gather", "nodetool.control.Collect", {}),
            *outputs("article", "headline", "city", "year", "section", "tags"),
        ],
        "edges": edges(
            "topic > writer.topic",
            "tone > writer.tone",
            "writer.chunk > article",
            "writer.text > editor.text",
            "editor.text > headline",
            "writer.text > reader.text",
            "reader.city > city",
            "reader.year > year",
            "writer.text > sorter.text",
            "sorter > section",
            "writer.text > tagger.input_text",
            "tagger.item > gather.input_item",
            "gather > tags",
        ),
    }


def app() -> SeedApp:
    """A graph of models, and a function that may only be run once a person agreed."""
    content = [
        text_input("draft", "topic"),
        widget("Select", "tone", binding="op:draft/in:tone", options=[{"value": "dry"}, {"value": "cheerful"}]),
        button("draft"),
        widget("Markdown", "article", binding="var:article"),
        widget("Heading", "headline", level="2", binding="var:headline"),
        *shown("draft", "city", "year", "section", "tags"),
        *state("draft"),
        widget("Approval", "decision", binding="var:decision"),
        button("publish", visibleWhen={"binding": "var:decision", "op": "eq", "value": "approved"}),
        *shown("publish", "page", "log", type_="Markdown"),
        *shown("publish", "words"),
        *state("publish"),
    ]
    taken = {name: from_variable(name) for name in ("article", "headline", "decision")}
    operations = [
        operation("draft", {}, {name: to_variable(name) for name in ("article", "headline")}),
        operation("publish", taken, {}, "press:publish"),
    ]
    variables = [variable(name) for name in ("article", "headline", "decision")]
    stored = document("Newsroom", content, operations, variables)
    script = {"params": {}, "interact": _script()}
    world = World(script=ANSWERS, allow_external=True)
    return SeedApp(NAME, stored, script, {"draft": _draft()}, {"press": PRESS}, world=world)


def _script() -> list[dict[str, Any]]:
    return [
        {"expect": {"widget": "publish", "check": "hidden"}},
        {"change": "topic", "value": "the bridge of Lisbon"},
        {"change": "tone", "value": "cheerful"},
        {"click": "draft"},
        equals("article", ARTICLE),
        equals("headline", "Red since 1966"),
        equals("city", "Lisbon"),
        equals("year", 1966),
        equals("section", "travel"),
        equals("tags", ["bridge", "history"]),
        {"change": "decision", "value": "approved"},
        {"click": "publish"},
        equals("page", f"# Red since 1966\n\n{ARTICLE}"),
        equals("log", "Set. Printed. Out."),
        equals("words", 11),
    ]
