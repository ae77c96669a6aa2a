"""What a run is given and what an app starts with: cases of app-runtime 9 and 17.3."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from greenrun.document.bindings import merge_variables
from greenrun.document.model import (
    FromConstant,
    FromResource,
    FromVariable,
    InputMapping,
    Operation,
    ToDisplay,
    ToVariable,
    Variable,
)
from greenrun.document.readers import is_missing_required_media
from greenrun.document.surface import Port, Surface
from greenrun.document.values import ABSENT, Value
from greenrun.runtime.events import SetInput, SetVariable
from greenrun.runtime.parameters import (
    initial_variable_values,
    input_seeds,
    missing_media,
    node_property_overlay,
    normalise,
    output_variable_targets,
    persistent_values,
    resolve_params,
    restored_values,
)
from greenrun.runtime.reduce import reduce
from greenrun.runtime.state import InstanceState, empty_state


def port(node: str, name: str, kind: str = "StringInput", **rest: Any) -> Port:
    return Port(node, f"nodetool.input.{kind}", name, name, **rest)


SURFACE = Surface(inputs=(port("in1", "prompt"), port("in2", "context"), port("in3", "doc")))


@pytest.fixture
def state() -> InstanceState:
    state = empty_state()
    for event in (
        SetInput("main:in1", "typed"),
        SetInput("main:in2", "also typed"),
        SetVariable("tone", "formal"),
    ):
        state = reduce(state, event)
    return state


def params(
    state: InstanceState,
    inputs: dict[str, InputMapping],
    surface: Surface = SURFACE,
    resource: Callable[[str], Value] | None = None,
) -> dict[str, Value]:
    return resolve_params(Operation("main", "Run", "wf", inputs, {}), state, surface, resource)


@pytest.mark.case("AR-9.1-1")
def test_inputs_read_their_widgets_by_default(state: InstanceState) -> None:
    assert params(state, {}) == {"prompt": "typed", "context": "also typed"}


@pytest.mark.case("AR-9.1-2")
def test_mappings_take_variables_constants_and_resources(state: InstanceState) -> None:
    ref = {"kind": "storyboard", "id": "sb-1", "revision": 4}
    inputs: dict[str, InputMapping] = {"in1": FromVariable("tone"), "in2": FromConstant(7), "in3": FromResource("r1")}
    assert params(state, inputs, resource={"r1": ref}.get) == {"prompt": "formal", "context": 7, "doc": ref}


@pytest.mark.case("AR-9.1-3")
def test_a_missing_resource_and_a_nameless_node_send_nothing(state: InstanceState) -> None:
    only = Surface(inputs=(port("in3", "doc"),))
    assert params(state, {"in3": FromResource("missing")}, only) == {}
    assert params(state, {}, Surface(inputs=(port("in1", ""),))) == {}


@pytest.mark.case("AR-9.1-4")
def test_a_display_name_of_a_variable_sends_nothing(state: InstanceState) -> None:
    assert "prompt" not in params(state, {"in1": FromVariable("Tone")})


def test_null_is_sent_absent_is_not_and_a_later_name_wins(state: InstanceState) -> None:
    twice = Surface(inputs=(port("in1", "same"), port("in2", "same"), port("in3", "other")))
    inputs: dict[str, InputMapping] = {"in2": FromConstant(None), "in3": FromConstant()}
    assert params(state, inputs, twice) == {"same": None}


def test_mappings_of_unknown_nodes_are_ignored(state: InstanceState) -> None:
    assert params(state, {"gone": FromConstant(1)}, Surface()) == {}


@pytest.mark.case("AR-9.2-1")
def test_outputs_mapped_to_variables_are_listed_in_key_order() -> None:
    outputs = {"b": ToVariable("x"), "2": ToVariable("y"), "out2": ToDisplay(), "10": ToVariable("z")}
    operation = Operation("main", "Run", "wf", {}, outputs)
    assert output_variable_targets(operation) == [("2", "y"), ("10", "z"), ("b", "x")]


def test_declared_defaults_count_null_and_take_the_later_duplicate() -> None:
    variables = [
        Variable("a", "A", default=None),
        Variable("b", "B"),
        Variable("c", "C", default=1),
        Variable("c", "C", default=2),
    ]
    assert initial_variable_values(variables) == {"a": None, "c": 2}


@pytest.mark.case("AR-9.3-2")
def test_channels_join_the_declared_variables() -> None:
    declared = [Variable("v1", "tone", scope="user", persist=True)]
    merged = merge_variables(declared, ["tone", "dark"])
    assert [(item.id, item.scope, item.persist) for item in merged] == [
        ("v1", "user", True),
        ("dark", "instance", False),
    ]


def test_node_properties_overlay_their_own_operation_only() -> None:
    state = empty_state()
    for key, value in (
        ("main:n1#strength", 0.9),
        ("main:n1#seed", None),
        ("main:n1", "input"),
        ("other:n1#strength", 0.2),
        ("main:#x", 1),
    ):
        state = reduce(state, SetInput(key, value))
    assert node_property_overlay("main", state) == {"n1": {"strength": 0.9, "seed": None}}
    assert node_property_overlay("third", state) == {}


INTEGER = port("n", "n", "IntegerInput", minimum=3, maximum=30)
FLOAT = port("n", "n", "FloatInput", minimum=0, maximum=1.5)
TEXT = port("n", "n", max_length=3)
PARAMETER = Port("n", "pyfunction.input.int", "n", "n", type={"type": "int"}, maximum=10.0)


@pytest.mark.parametrize(
    ("where", "typed", "taken"),
    [
        (INTEGER, 4.5, 5),
        (INTEGER, 2, 3),
        (INTEGER, 99.2, 30),
        (INTEGER, 10**400, 30),
        (INTEGER, None, None),
        (INTEGER, "7", "7"),
        (INTEGER, True, True),
        (FLOAT, 0.25, 0.25),
        (FLOAT, 7, 1.5),
        (FLOAT, -1, 0),
        (TEXT, "abcdef", "abc"),
        (TEXT, "ab", "ab"),
        (port("n", "n", max_length=0), "abcdef", "abcdef"),
        (PARAMETER, 11, 10),
        (PARAMETER, -2.5, -2),
        (port("n", "n", "ImageInput"), 2.5, 2.5),
    ],
)
def test_typed_values_are_normalised(where: Port, typed: Any, taken: Any) -> None:
    result = normalise(where, typed)
    assert (type(result), result) == (type(taken), taken)


def test_infinities_are_clamped_and_nan_is_left() -> None:
    assert normalise(INTEGER, math.inf) == 30
    assert math.isnan(normalise(INTEGER, math.nan))


def test_seeds_are_defaults_false_and_first_options() -> None:
    surface = Surface(
        inputs=(
            port("stored", "a", default=None),
            port("flag", "b", "BooleanInput"),
            port("pick", "c", "SelectInput", options=({"value": ""}, {"value": "x"}, "y")),
            port("bare", "d", "SelectInput"),
            port("text", "e"),
            Port("literal", "pyfunction.input.str", "f", "f", type={"type": "str"}, options=("one", "two")),
        )
    )
    assert input_seeds(surface) == {"stored": None, "flag": False, "pick": "x", "literal": "one"}


@pytest.mark.case("AR-16.3-1")
def test_required_media_is_missing_when_there_is_nothing_to_work_on() -> None:
    assert is_missing_required_media("nodetool.input.ImageInput", ABSENT)
    assert is_missing_required_media("nodetool.input.VideoListInput", [])
    assert not is_missing_required_media("nodetool.input.ImageInput", {"asset_id": "asset-1"})
    assert not is_missing_required_media("nodetool.input.StringInput", ABSENT)


PHOTO = Port("photo", "pyfunction.input.image", "photo", "photo", type={"type": "image"})


@pytest.mark.case("AR-16.3-2")
def test_an_empty_ref_is_missing_media_too() -> None:
    assert is_missing_required_media(port("n", "n", "ImageInput"), {"type": "image", "uri": ""})
    assert not is_missing_required_media(port("n", "n", "ImageInput"), {"type": "image", "data": "abc"})
    assert is_missing_required_media(PHOTO, ABSENT)


def test_the_first_input_without_its_media_is_named() -> None:
    surface = Surface(inputs=(port("t", "text"), port("a", "image", "ImageInput"), PHOTO))
    ref = {"type": "image", "uri": "asset://a.png"}
    assert missing_media(surface, {}) == surface.inputs[1]
    assert missing_media(surface, {"image": ref}) is PHOTO
    assert missing_media(surface, {"image": ref, "photo": ref}) is None


def test_media_that_is_not_sent_falls_back_to_the_default_of_its_node() -> None:
    stored = port("a", "image", "ImageInput", default={"type": "image", "uri": "asset://seed.png"})
    assert missing_media(Surface(inputs=(stored,)), {}) is None
    assert missing_media(Surface(inputs=(stored,)), {"image": None}) is stored


VARIABLES = (
    Variable("kept", "K", scope="user", persist=True),
    Variable("empty", "E", scope="user", persist=True),
    Variable("session", "S", scope="user"),
    Variable("inner", "I"),
)


def test_only_persistent_variables_are_stored() -> None:
    state = empty_state()
    for key in ("kept", "session", "inner"):
        state = reduce(state, SetVariable(key, key))
    assert persistent_values(state, VARIABLES) == {"kept": "kept"}


@pytest.mark.parametrize(
    ("stored", "restored"), [({"kept": 1, "session": 2, "gone": 3}, {"kept": 1}), ("junk", {}), (None, {})]
)
def test_only_what_is_still_persistent_is_restored(stored: object, restored: dict[str, Any]) -> None:
    assert restored_values(stored, VARIABLES) == restored
