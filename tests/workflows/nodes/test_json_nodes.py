from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenrun.workflows.node import NodeError
from greenrun.workflows.nodes.json_values import parts_at, path_steps
from tests.workflows.nodes.firing import output

ORDER = {"id": 7, "items": [{"name": "a", "n": 1}, {"name": "b", "n": 2}], "a.b": {"c": 1}, "10": "ten"}


async def test_text_is_parsed() -> None:
    assert await output("greenrun.json.Parse", text=' {"a": [1, null, "ä"]} ') == {"a": [1, None, "ä"]}


@pytest.mark.parametrize("text", ["", "{", "[1,]", "NaN", "[" * 300 + "]" * 300])
async def test_text_that_is_no_json_is_an_error(text: str) -> None:
    with pytest.raises(NodeError, match="the text"):
        await output("greenrun.json.Parse", text=text)


async def test_value_is_written() -> None:
    value = {"b": 1.0, "a": ["ä", None, True]}
    assert await output("greenrun.json.Stringify", value=value) == '{"b":1,"a":["ä",null,true]}'
    assert await output("greenrun.json.Stringify", value=value, sort_keys=True) == '{"a":["ä",null,true],"b":1}'
    pretty = await output("greenrun.json.Stringify", value=value, pretty=True, sort_keys=True)
    assert pretty.startswith('{\n  "a"')
    assert not pretty.endswith("\n")
    assert (await output("greenrun.json.Stringify", value=value, pretty=True)).startswith('{\n  "b": 1')


async def test_value_that_is_no_json_is_an_error() -> None:
    deep: list[Any] = []
    for _ in range(300):
        deep = [deep]
    with pytest.raises(NodeError, match="nested too deeply"):
        await output("greenrun.json.Stringify", value=deep)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", ORDER),
        ("$", ORDER),
        ("id", 7),
        ("$.id", 7),
        ("items[0].name", "a"),
        ("items.1.name", "b"),
        ("items[-1].n", 2),
        ('["a.b"].c', 1),
        ('$["items"][0]["n"]', 1),
        ("10", "ten"),
        ("[10]", "ten"),
        ("items[*].n", [1, 2]),
        ("items.*.n", [1, 2]),
        ("*.c", [1]),
        ("items[*].missing", []),
        ("id.*", []),
        ("items[2]", "none"),
        ("items[-3]", "none"),
        ("items.name", "none"),
        ("id.x", "none"),
        ("missing", "none"),
    ],
)
async def test_part_is_found_by_its_path(path: str, expected: Any) -> None:
    assert await output("greenrun.json.Get", value=ORDER, path=path, default="none") == expected


async def test_null_that_stands_there_is_found() -> None:
    assert await output("greenrun.json.Get", value={"a": None}, path="a", default="none") is None


@pytest.mark.parametrize("path", ["a[", "a[x]", "a..b", 'a["b]', "[1.5]", "a]"])
async def test_path_that_is_none_is_an_error(path: str) -> None:
    with pytest.raises(NodeError, match="is no path"):
        await output("greenrun.json.Get", value=ORDER, path=path)


async def test_quoted_key_that_is_no_text_is_an_error() -> None:
    with pytest.raises(NodeError, match="no quoted key"):
        await output("greenrun.json.Get", value=ORDER, path='a["\\q"]')


@pytest.mark.parametrize(
    ("value", "path", "expected"),
    [
        ({"a": 1}, "a", {"a": "new"}),
        ({"a": 1}, "b", {"a": 1, "b": "new"}),
        ({}, "a.b.c", {"a": {"b": {"c": "new"}}}),
        (None, "a", {"a": "new"}),
        (None, "[0]", ["new"]),
        ({"a": [1, 2]}, "a[0]", {"a": ["new", 2]}),
        ({"a": [1, 2]}, "a[-1]", {"a": [1, "new"]}),
        ({"a": [1, 2]}, "a[2]", {"a": [1, 2, "new"]}),
        ({"a": [1, 2]}, "a.2", {"a": [1, 2, "new"]}),
        ({"a": None}, "a[0].b", {"a": [{"b": "new"}]}),
        ({"a": [{"b": 1}]}, 'a[0]["x.y"]', {"a": [{"b": 1, "x.y": "new"}]}),
    ],
)
async def test_part_is_replaced_or_added(value: Any, path: str, expected: Any) -> None:
    assert await output("greenrun.json.Set", value=value, path=path, part="new") == expected


async def test_value_that_came_in_stays_as_it_was() -> None:
    value = {"a": {"b": [1]}}
    await output("greenrun.json.Set", value=value, path="a.b[0]", part=2)
    assert value == {"a": {"b": [1]}}


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("", "names no single part"),
        ("a[*]", "names no single part"),
        ("a.b", "goes into a number"),
        ("l[5]", "list with 1 items"),
        ("l.x", "list with 1 items"),
        ("l[-2]", "list with 1 items"),
    ],
)
async def test_part_that_has_no_place_is_an_error(path: str, part: str) -> None:
    with pytest.raises(NodeError, match=part):
        await output("greenrun.json.Set", value={"a": 1, "l": [1]}, path=path, part=2)


@given(st.lists(st.one_of(st.integers(-3, 3), st.text(alphabet="abc", min_size=1)), max_size=6))
def test_written_path_is_read_back(steps: list[str | int]) -> None:
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    assert path_steps(path) == steps


def test_steps_of_every_member_spread() -> None:
    assert parts_at({"a": [[1, 2], [3]]}, path_steps("a[*][*]")) == [1, 2, 3]


@pytest.mark.parametrize("path", ["items[" + "9" * 5000 + "]", "items[-" + "9" * 5000 + "]"])
async def test_place_of_thousands_of_digits_is_no_path(path: str) -> None:
    for name in ("Get", "Set"):
        with pytest.raises(NodeError, match="is no path at character 6"):
            await output(f"greenrun.json.{name}", value=ORDER, path=path)


async def test_name_of_thousands_of_digits_is_no_place_in_a_list() -> None:
    path = "items." + "9" * 5000
    assert await output("greenrun.json.Get", value=ORDER, path=path, default="none") == "none"
    with pytest.raises(NodeError, match=r'asks for "9{40}" of a list with 2 items'):
        await output("greenrun.json.Set", value=ORDER, path=path, part=1)
    assert await output("greenrun.json.Get", value={"9" * 5000: 1}, path="9" * 5000) == 1
