"""Language model nodes that make data: lists, tables, structured records (spec: nodes B1, B2)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, ClassVar, Final

from greenrun.workflows.extras import missing_extra
from greenrun.workflows.llm.asking import answer, ask
from greenrun.workflows.llm.charts import SAMPLE_ROWS, chart_form, chart_table
from greenrun.workflows.llm.forms import declared_fields, fields_form
from greenrun.workflows.llm.items import CLOSE, OPEN, ItemReader
from greenrun.workflows.llm.ports import NOT_SELECTED, Audio, Image, LanguageModel
from greenrun.workflows.llm.question import Answer, Limits, Partial, Question
from greenrun.workflows.llm.question import Text as Piece
from greenrun.workflows.llm.refs import media_refs
from greenrun.workflows.llm.rows import RowReader, columns_of, rows_form
from greenrun.workflows.llm.svg import drawing
from greenrun.workflows.media.content import make_ref
from greenrun.workflows.node import Node, NodeContext, NodeError, OutputSpec
from greenrun.workflows.nodes.tables import table_rows
from greenrun.workflows.ports import NO_MEMBERS, PortType, Record, Table, Text, Whole

_NEEDS: Final = missing_extra("llm")

LIST_SYSTEM: Final = (
    f"You make lists. Write each item between {OPEN} and {CLOSE}, one after the other, and nothing else: no numbers, no "
    "comments."
)
DATA_SYSTEM: Final = (
    "You make tables. Fill in every column of every row, of the type that the column has, and make as many rows as the user "
    "asks for."
)
STRUCTURED_SYSTEM: Final = "You turn instructions into structured data. Fill in every field."
CHART_SYSTEM: Final = "You choose charts. Choose the chart and the columns that show best what the user asks for."
SVG_SYSTEM: Final = (
    "You draw in SVG. Answer with one complete <svg> element with a viewBox, made of shapes, paths, text and gradients; no "
    "scripts, no styles, no pictures from elsewhere."
)


def _limits(max_tokens: int) -> Limits:
    return Limits(max_tokens=max_tokens if max_tokens > 0 else None)


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part.strip())


class DataGenerator(Node):
    """Makes a table: each row as soon as it is there, the whole table at the end."""

    node_type: ClassVar[str] = "nodetool.generators.DataGenerator"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("record", "dict", "iteration", group="rows"),
        OutputSpec("index", "int", "iteration", group="rows"),
        OutputSpec("dataframe", "dataframe"),
    )
    unavailable: ClassVar[str | None] = _NEEDS

    model: LanguageModel = NOT_SELECTED
    prompt: Text = ""
    input_text: Text = ""
    max_tokens: Whole = 4096
    columns: Annotated[Record, PortType("record_type")] = NO_MEMBERS

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        columns = columns_of(self.columns)
        # Only the first answer is told while it comes in: a second one may correct it, or be one too many.
        told, reader = RowReader(columns), RowReader(columns)
        question = Question(
            _joined(self.prompt, self.input_text),
            system=DATA_SYSTEM,
            form=rows_form(columns),
            partial=True,
            limits=_limits(self.max_tokens),
        )
        async with aclosing(ask(context, self.model, question)) as events:
            async for event in events:
                if isinstance(event, Partial) and event.attempt == 1:
                    first = len(told.rows)
                    for index, row in enumerate(told.read(event.values.get("rows"), complete=False), first):
                        yield {"record": row, "index": index}
                elif isinstance(event, Answer):
                    reader.read(event.values.get("rows"), complete=True)
        if not reader.rows:
            raise NodeError("the model returned no rows; say in the prompt what the table is to hold")
        first = len(told.rows)
        changed = next((place for place, row in enumerate(told.rows) if reader.rows[place : place + 1] != [row]), None)
        if changed is not None:
            raise NodeError(
                f"the model corrected its answer, and row {changed + 1} of the {first} that were sent on already is another one "
                "now; run the node again"
            )
        for index, row in enumerate(reader.rows[first:], first):
            yield {"record": row, "index": index}
        if reader.misfits:
            context.log(
                f"{len(reader.misfits)} values did not fit and are empty; first: {reader.misfits[0]}", "warning"
            )
        yield {"dataframe": reader.table()}


class ListGenerator(Node):
    """Makes a list, one item at a time."""

    node_type: ClassVar[str] = "nodetool.generators.ListGenerator"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (
        OutputSpec("item", "str", "iteration", group="items"),
        OutputSpec("index", "int", "iteration", group="items"),
    )
    unavailable: ClassVar[str | None] = _NEEDS

    model: LanguageModel = NOT_SELECTED
    prompt: Text = ""
    input_text: Text = ""
    max_tokens: Whole = 4096

    async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
        reader = ItemReader()
        count = 0
        cut = False
        question = Question(_joined(self.prompt, self.input_text), system=LIST_SYSTEM, limits=_limits(self.max_tokens))
        async with aclosing(ask(context, self.model, question)) as events:
            async for event in events:
                if isinstance(event, Answer):
                    cut = event.cut
                items = reader.feed(event.content) if isinstance(event, Piece) else ()
                for index, item in enumerate(items, count):
                    yield {"item": item, "index": index}
                count += len(items)
        rest = reader.close()
        if cut:
            context.log("the answer was cut off at the token limit; the last item is left out", "warning")
        elif rest:
            yield {"item": rest, "index": count}
            count += 1
        if not count:
            raise NodeError("the model's answer holds no items; say in the prompt what to list")


class StructuredOutputGenerator(Node):
    """Fills in the outputs that the graph declares, as the instructions say."""

    node_type: ClassVar[str] = "nodetool.generators.StructuredOutputGenerator"
    outputs: ClassVar[tuple[OutputSpec, ...]] = ()
    dynamic_outputs: ClassVar[bool] = True
    unavailable: ClassVar[str | None] = _NEEDS

    system_prompt: Text = STRUCTURED_SYSTEM
    model: LanguageModel = NOT_SELECTED
    instructions: Text = ""
    context: Text = ""
    max_tokens: Whole = 4096
    image: Image = None
    audio: Audio = None

    async def process(self, context: NodeContext) -> dict[str, Any]:
        fields = declared_fields(self.declared_outputs)
        if not fields:
            raise NodeError("no fields are declared; add an output for each value that you want")
        question = Question(
            _joined(self.instructions, self.context),
            system=self.system_prompt,
            media=media_refs(self.image, self.audio),
            form=fields_form(fields),
            limits=_limits(self.max_tokens),
        )
        return (await answer(context, self.model, question)).values


class ChartGenerator(Node):
    """Chooses a chart of a table by a description. The numbers come from the table, never from the model.

    The chart is a table of its points, with `chart` beside it: kind, title, x and y.
    """

    node_type: ClassVar[str] = "nodetool.generators.ChartGenerator"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "dataframe"),)
    unavailable: ClassVar[str | None] = _NEEDS

    model: LanguageModel = NOT_SELECTED
    prompt: Text = ""
    data: Table = None
    max_tokens: Whole = 4096

    async def process(self, context: NodeContext) -> dict[str, Any]:
        rows, columns = table_rows(self.data)
        if not rows or not columns:
            raise NodeError("there is no data to chart; connect a table with rows")
        sample = json.dumps(rows[:SAMPLE_ROWS], ensure_ascii=False, default=str)
        question = Question(
            _joined(
                self.prompt or "Show what is most telling in this data.",
                f"The table has {len(rows)} rows. Columns: {', '.join(columns)}. Its first rows:\n{sample}",
            ),
            system=CHART_SYSTEM,
            form=chart_form(columns),
            limits=_limits(self.max_tokens),
        )
        found = await answer(context, self.model, question)
        return {"output": chart_table(found.values, rows)}


class SVGGenerator(Node):
    """Draws an SVG by a description, as an image. Scripts, event handlers and outside references are taken out of it."""

    node_type: ClassVar[str] = "nodetool.generators.SVGGenerator"
    outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("output", "image"),)
    unavailable: ClassVar[str | None] = _NEEDS

    model: LanguageModel = NOT_SELECTED
    prompt: Text = ""
    image: Image = None
    audio: Audio = None
    max_tokens: Whole = 8192

    async def process(self, context: NodeContext) -> dict[str, Any]:
        question = Question(
            self.prompt,
            system=SVG_SYSTEM,
            media=media_refs(self.image, self.audio),
            limits=_limits(self.max_tokens),
        )
        found = await answer(context, self.model, question)
        svg = drawing(found.text)
        return {"output": make_ref("image", svg.encode(), "image/svg+xml", "drawing.svg")}


NODES: tuple[type[Node], ...] = (
    DataGenerator,
    ListGenerator,
    StructuredOutputGenerator,
    ChartGenerator,
    SVGGenerator,
)
