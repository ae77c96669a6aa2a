from __future__ import annotations

import asyncio
import base64
import contextlib
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="needs the model library")

from pydantic_ai.messages import ModelResponse, TextPart

from greenrun.workflows.node import NodeError
from greenrun.workflows.nodes.generators import (
    ChartGenerator,
    DataGenerator,
    ListGenerator,
    StructuredOutputGenerator,
    SVGGenerator,
)
from greenrun.workflows.registry import describe_node_type
from talking import CHOICE, Desk, Talker, Whole, call, fired, submit

FRUITS = {
    "type": "record_type",
    "columns": [
        {"name": "name", "data_type": "string", "description": "The fruit"},
        {"name": "grams", "data_type": "int"},
    ],
}
ROWS = [{"name": "Apple", "grams": 150}, {"name": "Plum", "grams": "50"}, {"name": "Fig", "grams": 40}]


async def test_data_generator_sends_each_row_and_then_the_table() -> None:
    talker = Talker(submit(pieces=8, rows=ROWS))
    records = await fired(DataGenerator, Desk(talker), prompt="Three fruits", input_text="fresh", columns=FRUITS)
    rows = [{"name": "Apple", "grams": 150}, {"name": "Plum", "grams": 50}, {"name": "Fig", "grams": 40}]
    assert records[:-1] == [{"record": row, "index": index} for index, row in enumerate(rows)]
    table = records[-1]["dataframe"]
    assert table["type"] == "dataframe"
    assert table["rows"] == rows
    assert [column["name"] for column in table["columns"]] == ["name", "grams"]
    assert talker.prompts == ["Three fruits\n\nfresh"]


async def test_rows_come_before_the_answer_is_complete() -> None:
    [start, *rest] = submit(pieces=2, rows=ROWS)
    gate = asyncio.Event()
    desk = Desk(Talker([start, gate, *rest]))
    node = describe_node_type(DataGenerator).create({"model": CHOICE, "prompt": "x", "columns": FRUITS})
    async with contextlib.aclosing(node.gen_process(desk)) as records:  # type: ignore[arg-type, type-var]
        async with asyncio.timeout(5):
            assert (await anext(records))["record"] == {"name": "Apple", "grams": 150}
        gate.set()
        assert len([record async for record in records]) == 3


async def test_rows_may_come_as_text() -> None:
    talker = Talker(submit(rows='[{"name": "Apple", "grams": 1}]'))
    records = await fired(DataGenerator, Desk(talker), prompt="x", columns=FRUITS)
    assert records[0] == {"record": {"name": "Apple", "grams": 1}, "index": 0}


async def test_cells_that_do_not_fit_are_empty_and_said() -> None:
    desk = Desk(Talker(submit(rows=[{"name": "Apple", "grams": "heavy"}])))
    records = await fired(DataGenerator, desk, prompt="x", columns=FRUITS)
    assert records[-1]["dataframe"]["rows"] == [{"name": "Apple", "grams": None}]
    assert desk.logs == ['warning: 1 values did not fit and are empty; first: "grams" must be int, not a text']


@pytest.mark.case("NO-B1-5")
async def test_data_generator_without_a_provider_fails_without_rows() -> None:
    with pytest.raises(NodeError, match="has no key"):
        await fired(DataGenerator, Desk(), prompt="x", columns=FRUITS)
    with pytest.raises(NodeError, match="no model is selected"):
        await fired(DataGenerator, Desk(), prompt="x", columns=FRUITS, model=None)


async def test_data_generator_needs_columns_and_rows() -> None:
    with pytest.raises(NodeError, match="no columns are declared"):
        await fired(DataGenerator, Desk(Talker("hi")), prompt="x")
    with pytest.raises(NodeError, match="no structured data for name, grams"):
        await fired(DataGenerator, Desk(Talker(submit(rows=[]))), prompt="x", columns=FRUITS)


async def test_list_generator_sends_items_as_they_come() -> None:
    talker = Talker(["Here: <LIST_", "ITEM>a</LIST_ITEM>", "<LIST_ITEM>b", "c</LIST_ITEM> bye"])
    records = await fired(ListGenerator, Desk(talker), prompt="Letters", input_text="a to c")
    assert records == [{"item": "a", "index": 0}, {"item": "bc", "index": 1}]
    assert "<LIST_ITEM>" in str(talker.infos[0].instructions)


async def test_list_generator_keeps_a_last_item_without_its_tag() -> None:
    records = await fired(ListGenerator, Desk(Talker("<LIST_ITEM>a</LIST_ITEM><LIST_ITEM>b")), prompt="x")
    assert [record["item"] for record in records] == ["a", "b"]


@pytest.mark.case("NO-B1-5")
async def test_list_generator_without_items_fails() -> None:
    with pytest.raises(NodeError, match="holds no items"):
        await fired(ListGenerator, Desk(Talker("1. a")), prompt="x")


async def test_list_generator_ignores_items_that_were_only_thought() -> None:
    talker = Talker("<think><LIST_ITEM>no</LIST_ITEM></think><LIST_ITEM>yes</LIST_ITEM>")
    assert [record["item"] for record in await fired(ListGenerator, Desk(talker), prompt="x")] == ["yes"]


async def test_structured_output_fills_in_the_declared_fields() -> None:
    talker = Talker(submit(title="T", tags=["a"]))
    declared = {"title": "str", "tags": {"type": "list", "type_args": [{"type": "str"}]}}
    [record] = await fired(
        StructuredOutputGenerator, Desk(talker), declared, instructions="Describe", context="a book", max_tokens=0
    )
    assert record == {"title": "T", "tags": ["a"]}
    assert talker.prompts == ["Describe\n\na book"]
    assert not talker.infos[0].model_settings


async def test_structured_output_needs_fields() -> None:
    with pytest.raises(NodeError, match="no fields are declared"):
        await fired(StructuredOutputGenerator, Desk(Talker("hi")), instructions="x")


async def test_chart_generator_draws_the_data_it_was_given() -> None:
    talker = Talker(submit(kind="bar", title="Fruit", x="name", y=["grams"], aggregate="none"))
    data = {"type": "dataframe", "columns": [{"name": "name"}, {"name": "grams"}], "rows": ROWS[:1]}
    [record] = await fired(ChartGenerator, Desk(talker), prompt="Weights", data=data)
    assert record["output"]["rows"] == [{"name": "Apple", "grams": 150}]
    assert record["output"]["chart"]["title"] == "Fruit"
    assert "Columns: name, grams" in talker.prompts[0]


async def test_chart_generator_needs_data() -> None:
    with pytest.raises(NodeError, match="no data to chart"):
        await fired(
            ChartGenerator, Desk(Talker("hi")), prompt="x", data={"type": "dataframe", "columns": [], "rows": []}
        )


async def test_svg_generator_gives_a_harmless_picture() -> None:
    talker = Talker("<svg viewBox='0 0 1 1' onload='alert(1)'><script>alert(1)</script><rect width='1'/></svg>")
    [record] = await fired(SVGGenerator, Desk(talker), prompt="A square")
    ref = record["output"]
    assert ref["type"] == "image"
    assert ref["metadata"]["mime"] == "image/svg+xml"
    assert base64.b64decode(ref["data"]).decode() == (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" /></svg>'
    )


async def test_svg_generator_without_a_drawing_fails() -> None:
    with pytest.raises(NodeError, match="holds no SVG drawing"):
        await fired(SVGGenerator, Desk(Talker("I cannot.")), prompt="x")


async def test_saved_models_may_hold_more_than_is_declared() -> None:
    talker = Talker(call("submit_result", rows=ROWS))
    odd: dict[str, Any] = {"model": {**CHOICE, "path": None, "supported_tasks": []}, "context_window": 4096}
    assert await fired(DataGenerator, Desk(talker), prompt="x", columns=FRUITS, **odd)


async def test_rows_that_are_no_records_are_no_rows() -> None:
    desk = Desk(Talker(submit(rows=[[]])))
    assert (await fired(DataGenerator, desk, prompt="x", columns=FRUITS))[-1]["dataframe"]["rows"] == [
        {"name": None, "grams": None}
    ]


async def test_list_generator_leaves_out_an_item_that_was_cut_off() -> None:
    desk = Desk(Whole(ModelResponse([TextPart("<LIST_ITEM>a</LIST_ITEM><LIST_ITEM>hal")], finish_reason="length")))
    assert await fired(ListGenerator, desk, prompt="x") == [{"item": "a", "index": 0}]
    assert desk.logs == ["warning: the answer was cut off at the token limit; the last item is left out"]


NUMBERS = {"type": "record_type", "columns": [{"name": "n", "data_type": "int"}]}
BROKEN = '{"rows":[{"n":1},{"n":2},{"n":3},{"n":4}}}}'


async def test_rows_of_a_corrected_answer_must_begin_with_those_sent_on() -> None:
    talker = Talker(call("submit_result", BROKEN, pieces=20), submit(pieces=5, rows=[{"n": 1}, {"n": 20}, {"n": 30}]))
    with pytest.raises(NodeError, match="corrected its answer, and row 2 of the 3"):
        await fired(DataGenerator, Desk(talker), prompt="x", columns=NUMBERS)


async def test_corrected_answer_goes_on_after_the_rows_that_were_sent_on() -> None:
    rows = [{"n": number} for number in range(1, 6)]
    talker = Talker(call("submit_result", BROKEN, pieces=20), submit(pieces=5, rows=rows))
    records = await fired(DataGenerator, Desk(talker), prompt="x", columns=NUMBERS)
    assert [record["record"] for record in records if "record" in record] == rows
    assert [record["index"] for record in records if "record" in record] == [0, 1, 2, 3, 4]
    assert records[-1]["dataframe"]["rows"] == rows


async def test_second_answer_in_one_response_adds_no_rows() -> None:
    one, two = {"rows": [{"n": 1}, {"n": 2}]}, {"rows": [{"n": 7}, {"n": 8}, {"n": 9}]}
    talker = Talker([*call("submit_result", one, pieces=9, index=0), *call("submit_result", two, pieces=9, index=1)])
    records = await fired(DataGenerator, Desk(talker), prompt="x", columns=NUMBERS)
    assert records[-1]["dataframe"]["rows"] == one["rows"]
