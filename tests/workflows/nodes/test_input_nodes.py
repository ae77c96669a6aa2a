from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from firing import builtin, fire, output

from greenrun.workflows.node import NodeError
from greenrun.workflows.registry import builtin_types


@pytest.mark.case("NO-B1-2")
@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("StringInput", {"value": "abcd", "max_length": 3}, "abc"),
        ("StringInput", {"value": "abcd"}, "abcd"),
        ("StringInput", {"value": "abcd", "max_length": None}, "abcd"),
        ("StringInput", {"value": 5}, "5"),
        ("StringInput", {"value": "x", "line_mode": "multiline"}, "x"),
        ("FloatInput", {"value": 2, "min": 0, "max": 1}, 1),
        ("FloatInput", {"value": 0.5, "min": 0, "max": 1}, 0.5),
        ("IntegerInput", {"value": 2.7}, 2),
        ("IntegerInput", {"value": "12"}, 12),
    ],
)
async def test_typed_inputs_normalise_their_value(name: str, values: dict[str, Any], expected: Any) -> None:
    assert await output(f"nodetool.input.{name}", **values) == expected


@pytest.mark.case("NO-A2-3")
async def test_integer_input_moves_a_value_into_its_range() -> None:
    assert await output("IntegerInput", value=25, min=0, max=10) == 10


@pytest.mark.case("NO-A2-3")
async def test_select_input_refuses_a_value_outside_its_options() -> None:
    with pytest.raises(NodeError, match='"c" is not one of the options: "a", "b"'):
        await fire("SelectInput", value="c", options=["a", "b"])


@pytest.mark.parametrize("values", [{"value": "", "options": ["a"]}, {"value": "a", "options": ["a"]}, {"value": "z"}])
async def test_select_input_passes_a_blank_a_known_and_an_unchecked_value(values: dict[str, Any]) -> None:
    assert await output("SelectInput", **values) == values["value"]


async def test_a_value_of_the_wrong_kind_is_refused_with_the_property_named() -> None:
    with pytest.raises(NodeError, match='property "value": "many" is not a number'):
        await fire("IntegerInput", value="many")


@pytest.mark.parametrize("value", [None, {}])
async def test_an_empty_media_reference_sends_nothing(value: Any) -> None:
    assert await fire("ImageInput", value=value) == {}


async def test_a_media_reference_is_handed_on() -> None:
    assert await output("ImageInput", value={"type": "image", "uri": "x"}) == {"type": "image", "uri": "x"}


async def test_a_list_input_makes_a_single_value_a_list() -> None:
    assert await output("StringListInput", value="a") == ["a"]


async def test_boolean_input_reads_truth() -> None:
    assert await output("BooleanInput", value=1) is True


async def test_document_file_input_gives_a_reference_and_the_path(tmp_path: Path) -> None:
    path = tmp_path / "a b.pdf"
    record = await fire("DocumentFileInput", value=str(path))
    assert record == {"document": {"type": "document", "uri": path.as_uri()}, "path": str(path)}


async def test_document_file_input_without_a_path_sends_nothing() -> None:
    assert await fire("DocumentFileInput", value="") == {}


async def test_message_deconstructor_takes_a_message_apart() -> None:
    message = {
        "id": "m1",
        "thread_id": "t1",
        "role": "user",
        "provider": "openai",
        "model": "gpt-5-mini",
        "content": [
            {"type": "text", "text": "see "},
            {"type": "image_url", "image": {"type": "image", "uri": "u"}},
            {"type": "text", "text": "this"},
        ],
    }
    record = await fire("MessageDeconstructor", value=message)
    assert record["text"] == "see this"
    assert record["image"] == {"type": "image", "uri": "u"}
    assert record["audio"] is None
    assert (record["id"], record["thread_id"], record["role"]) == ("m1", "t1", "user")
    assert record["model"] == {"type": "language_model", "provider": "openai", "id": "gpt-5-mini"}


async def test_message_deconstructor_of_plain_content_and_of_nothing() -> None:
    assert (await fire("MessageDeconstructor", value={"content": "hi"}))["text"] == "hi"
    assert (await fire("MessageDeconstructor", value=None))["text"] == ""


def test_realtime_audio_is_declared_and_unavailable() -> None:
    assert builtin("RealtimeAudioInput").unavailable == "not available here yet"


def test_every_input_has_name_value_and_description() -> None:
    inputs = [found for name, found in builtin_types().items() if name.startswith("nodetool.input.")]
    assert len(inputs) == 33
    for found in inputs:
        if found.type != "nodetool.input.MessageDeconstructor":
            assert {"name", "value", "description"} <= found.property_table.keys()
