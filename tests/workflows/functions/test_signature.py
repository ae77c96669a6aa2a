from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

import pytest
from pydantic import BaseModel, Field

from greenrun.sdk import Chunk, Image, Progress, workflow
from greenrun.workflows.functions import type_metadata as read
from greenrun.workflows.functions.conversion import ConversionError
from greenrun.workflows.functions.ports import FunctionPorts
from greenrun.workflows.functions.results import ResultError
from greenrun.workflows.functions.signature import ports, read_signature


@dataclass
class Pair:
    left: int
    right: str = ""


class Report(TypedDict):
    title: str
    total: int


class Model(BaseModel):
    name: str


class Opaque:
    pass


def outputs(function: Any) -> dict[str, str]:
    return {name: read.type_name(meta) for name, meta in read_signature(function).outputs.items()}


def one() -> str: ...  # type: ignore[empty-body]


def nothing() -> None: ...


def unsaid(): ...


def pair() -> Pair: ...  # type: ignore[empty-body]


def maybe_pair() -> Pair | None: ...


def report() -> Report: ...  # type: ignore[empty-body]


def model() -> Model: ...  # type: ignore[empty-body]


def opaque() -> Opaque: ...  # type: ignore[empty-body]


def record() -> dict[str, int]: ...  # type: ignore[empty-body]


def picture() -> Image: ...  # type: ignore[empty-body]


async def awaited() -> list[int]: ...  # type: ignore[empty-body]


def texts() -> Iterator[str]:
    yield "a"


def chunks() -> Iterator[Chunk | Progress]:
    name = "hidden"
    yield Chunk("a", output=name)


def typed() -> Generator[Progress | Report, None, Pair]:
    yield Progress(1)
    return Pair(1)


def whole() -> Generator[Chunk, None, str]:
    yield Chunk("a", "draft")
    return "b"


def named():
    if unsaid():
        yield Chunk("a", output="summary")
    yield {"rows": [1], "summary": ""}

    def inner():
        return {"not_ours": 1}

    return {"title": "x", **inner()}


def default_chunk():
    yield Chunk("a")


def bare_yield():
    yield 1


def mapped() -> Generator[Mapping[str, int], None, dict[str, int]]:
    yield {"n": 1}
    return {"n": 2}


async def async_texts() -> AsyncIterator[Chunk]:
    yield Chunk("a")


def makes_stream() -> Iterator[str]:
    return iter(["a"])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (one, {"result": "str"}),
        (nothing, {}),
        (unsaid, {"result": "any"}),
        (pair, {"left": "int", "right": "str"}),
        (maybe_pair, {"left": "int", "right": "str"}),
        (report, {"title": "str", "total": "int"}),
        (model, {"name": "str"}),
        (opaque, {"result": "any"}),
        (record, {"result": "dict[str, int]"}),
        (picture, {"result": "image"}),
        (awaited, {"result": "list[int]"}),
        (texts, {"result": "str"}),
        (chunks, {"result": "str"}),
        (typed, {"left": "int", "right": "str", "title": "str", "total": "int"}),
        (whole, {"result": "str", "draft": "str"}),
        (named, {"summary": "str", "rows": "any", "title": "any"}),
        (default_chunk, {"result": "str"}),
        (bare_yield, {"result": "any"}),
        (mapped, {"n": "any"}),
        (async_texts, {"result": "str"}),
        (makes_stream, {"result": "str"}),
    ],
)
def test_outputs_follow_return_and_yield_types(function: Any, expected: dict[str, str]):
    assert outputs(function) == expected


def test_source_that_cannot_be_read_gives_the_output_result():
    namespace: dict[str, Any] = {"Chunk": Chunk}
    exec("def hidden():\n    yield Chunk('a', output='x')", namespace)
    assert outputs(namespace["hidden"]) == {"result": "any"}


@pytest.mark.parametrize(
    ("function", "returned", "expected"),
    [
        (one, "a", {"result": "a"}),
        (one, None, {"result": None}),
        (nothing, 3, {}),
        (pair, Pair(1, "b"), {"left": 1, "right": "b"}),
        (pair, {"left": 1}, {"left": 1}),
        (maybe_pair, None, {}),
        (report, {"title": "a", "total": 1}, {"title": "a", "total": 1}),
        (model, Model(name="n"), {"name": "n"}),
        (record, {"a": 1}, {"result": {"a": 1}}),
        (whole, "b", {"result": "b"}),
        (whole, None, {}),
        (named, {"title": "x"}, {"title": "x"}),
        (named, None, {}),
        (named, Pair(1), {"left": 1, "right": ""}),
        (bare_yield, 5, {"result": 5}),
        (typed, Pair(2), {"left": 2, "right": ""}),
    ],
)
def test_returned_value_is_split_into_outputs(function: Any, returned: Any, expected: dict[str, Any]):
    assert read_signature(function).results(returned) == expected


def test_returning_something_else_than_promised_is_refused():
    with pytest.raises(ResultError, match='returned an int, its outputs are "left", "right"'):
        read_signature(pair).results(3)


@pytest.mark.parametrize(
    ("value", "expected"),
    [({"a": 1}, {"a": 1}), ("x", {"result": "x"}), (Pair(1), {"left": 1, "right": ""}), (Image(uri="u"), None)],
)
def test_yielded_value_adds_to_outputs(value: Any, expected: dict[str, Any] | None):
    assert read_signature(named).yielded(value) == (expected or {"result": {"type": "image", "uri": "u"}})


def many(
    a: str,
    /,
    b: int | None,
    c: Annotated[int, range(1, 4)] = 2,
    *rest: str,
    d: Literal["x", "y"] = "x",
    e: Any = None,
    photo: Image | None = None,
    **more: str,
) -> None: ...


@pytest.mark.parametrize(
    ("params", "positional", "named_arguments"),
    [
        ({"a": "t"}, ["t"], {"b": None}),
        ({"a": "t", "b": None, "c": "3", "d": "y", "e": [1]}, ["t"], {"b": None, "c": 3, "d": "y", "e": [1]}),
        ({"a": "t", "c": None, "photo": {"type": "image", "uri": ""}}, ["t"], {"b": None, "photo": None}),
        ({"a": "t", "e": None}, ["t"], {"b": None, "e": None}),
        ({"a": "t", "c": ""}, ["t"], {"b": None}),
    ],
)
def test_arguments_are_converted_and_left_out_where_nothing_was_given(
    params: dict[str, Any], positional: list[Any], named_arguments: dict[str, Any]
):
    assert read_signature(many).arguments(params) == (positional, named_arguments)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, 'parameter "a" has no value'),
        ({"a": "t", "c": 9}, 'parameter "c" is 9, expected at most 3'),
        ({"a": "t", "rest": []}, 'there is no parameter "rest"'),
    ],
)
def test_argument_that_does_not_fit_is_named(params: dict[str, Any], message: str):
    with pytest.raises(ConversionError, match=message):
        read_signature(many).arguments(params)


def test_positional_default_is_passed_on():
    def f(a: int = 4, /) -> None: ...

    assert read_signature(f).arguments({}) == ([4], {})


def test_ports_describe_every_parameter():
    read_ports = FunctionPorts.from_json(ports(many))
    assert [(port.name, port.required, port.type and port.type["type"]) for port in read_ports.inputs] == [
        ("a", True, "str"),
        ("b", False, "int"),
        ("c", False, "int"),
        ("d", False, "enum"),
        ("e", False, "any"),
        ("photo", False, "image"),
    ]
    c, d = read_ports.inputs[2:4]
    assert (c.default, c.minimum, c.maximum, d.options) == (2, 1, 3, ("x", "y"))


def test_default_without_json_form_is_no_default_of_the_port():
    sentinel: Any = object()

    def f(a: int = sentinel) -> None: ...

    port = FunctionPorts.from_json(ports(f)).inputs[0]
    assert not port.required
    assert not port.default


def test_decorated_function_is_read_through_its_wrapper():
    def logged(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **named_arguments: Any) -> Any:
            return function(*args, **named_arguments)

        return wrapper

    @workflow(effects="local", title="T")
    @logged
    def inner(a: int) -> str:
        """Does it.

        More.
        """
        return str(a)

    described = ports(inner)
    assert [port["name"] for port in described["inputs"]] == ["a"]
    assert (described["effects"], described["title"], described["description"]) == ("local", "T", "Does it.")


def test_parameter_with_an_unreadable_type_is_named():
    def f(a: Opaque) -> None: ...

    with pytest.raises(read.UnreadableType, match='parameter "a": the type "Opaque"'):
        read_signature(f)


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        (Annotated[int, {"minimun": 1}], 'parameter "a": its metadata has the unknown key "minimun"'),
        (Annotated[int, {"max": "ten"}], 'parameter "a": "max" in its metadata'),
    ],
)
def test_parameter_whose_metadata_means_nothing_is_named(parameter: Any, message: str):
    def f(a: int) -> None: ...

    f.__annotations__["a"] = parameter
    with pytest.raises(read.UnreadableType, match=message):
        read_signature(f)


def test_a_field_as_default_belongs_into_the_annotation():
    def f(a: int = Field(3, ge=1)) -> None: ...

    with pytest.raises(read.UnreadableType, match=r'parameter "a": its default is Field\(\.\.\.\)'):
        read_signature(f)


def test_ports_of_unknown_effects_are_refused():
    with pytest.raises(ValueError, match='"effects" is'):
        FunctionPorts.from_json({**ports(one), "effects": "magic"})


def test_sample_functions_are_callable():
    assert one() is nothing() is unsaid() is None
    assert asyncio.run(awaited()) is None
