from __future__ import annotations

import importlib
import types
from collections.abc import AsyncIterator
from importlib.metadata import EntryPoint
from typing import Annotated, Any, ClassVar, Literal

import pytest
from pydantic import Field

from greenrun.workflows.node import InputMode, Node, NodeContext, NodeError, OutputSpec, node_type, sent_record
from greenrun.workflows.ports import NO_ITEMS, Items, PortType, Text, Whole
from greenrun.workflows.registry import MODULES, Registry, builtin_types, default_registry, describe_node_type


class Greet(Node):
    """Says hello.

    More about it.
    """

    node_type: ClassVar[str] = "acme.GreetHTTPUser"

    who: str = Field(min_length=1, title="Who", description="Whom to greet")
    loud: bool = False
    tone: Literal["warm", "dry"] = "warm"
    times: int = Field(default=1, ge=1, lt=10)
    tags: list[str] = Field(default_factory=list)
    copy_to: str = Field(default="", alias="copy")

    async def process(self, context: NodeContext) -> str:
        return f"Hello {self.who}"


@node_type("acme.Double", title="Twice")
def double(value: int, factor: Whole = 2) -> int:
    """Doubles a number."""
    return value * factor


class Broken(Node):
    node_type: ClassVar[str] = "acme.Broken"


class FakeEntry:
    """An installed entry point that gives a fixed object."""

    def __init__(self, name: str, loaded: Any) -> None:
        self.name, self.value, self._loaded = name, f"acme.{name}", loaded

    def load(self) -> Any:
        if isinstance(self._loaded, Exception):
            raise self._loaded
        return self._loaded


def registry_with(*loaded: Any) -> Registry:
    entries: list[Any] = [FakeEntry(f"plugin{place}", item) for place, item in enumerate(loaded)]
    return default_registry(lambda: entries)


def test_a_class_becomes_a_node_type() -> None:
    found = describe_node_type(Greet)
    assert (found.type, found.title, found.description) == ("acme.GreetHTTPUser", "Greet HTTP User", "Says hello.")
    assert [spec.name for spec in found.properties] == ["who", "loud", "tone", "times", "tags", "copy"]
    assert [spec.name for spec in found.required_properties] == ["who"]
    times = found.property("times")
    assert times is not None
    assert (times.minimum, times.maximum, times.default) == (1, 10, 1)
    assert found.property("tags").default == []  # type: ignore[union-attr]
    assert found.namespace == "acme"


def test_a_node_type_has_a_schema() -> None:
    schema = describe_node_type(Greet).json_schema()
    assert schema["properties"]["required"] == ["who"]
    assert schema["properties"]["properties"]["who"] == {
        "type": "string",
        "title": "Who",
        "description": "Whom to greet",
        "x-type": "str",
    }
    assert schema["properties"]["properties"]["tone"] == {
        "type": "string",
        "enum": ["warm", "dry"],
        "default": "warm",
        "x-type": "enum",
    }
    assert schema["outputs"] == [{"name": "output", "type": "any", "kind": "single"}]


async def test_a_function_becomes_a_node_type() -> None:
    found = describe_node_type(double)
    assert (found.title, found.description) == ("Twice", "Doubles a number.")
    assert [spec.name for spec in found.required_properties] == ["value"]
    assert found.outputs[0].type["type"] == "int"
    assert await found.create({"value": 4, "factor": "3"}).process(None) == {"output": 12}  # type: ignore[arg-type]


async def test_an_async_function_is_awaited() -> None:
    @node_type("acme.Later", output="str")
    async def later(text: Text = "") -> Any:
        return text * 2

    assert await describe_node_type(later).create({"text": "a"}).process(None) == {"output": "aa"}  # type: ignore[arg-type]


def test_null_is_not_given_where_the_property_knows_no_null() -> None:
    found = describe_node_type(double)
    assert found.create({"value": 1, "factor": None}).factor == 2  # type: ignore[attr-defined]
    with pytest.raises(NodeError, match='property "value": input should be a valid integer'):
        found.create({"value": None})


def test_a_missing_value_is_named() -> None:
    with pytest.raises(NodeError, match='property "value": field required'):
        describe_node_type(double).create({})


def test_values_of_an_alias_are_taken() -> None:
    assert describe_node_type(Greet).create({"who": "a", "copy": "b"}).copy_to == "b"  # type: ignore[attr-defined]


def test_other_values_become_dynamic_ones_where_there_are_such() -> None:
    types_ = builtin_types()
    template = types_["nodetool.text.Template"].create({"string": "x", "a": 1}, {"out": {"type": "str"}})
    assert template.dynamic == {"a": 1}
    assert template.declared_outputs == {"out": {"type": "str"}}
    assert types_["nodetool.text.ToUppercase"].create({"text": "x", "a": 1}).dynamic == {}


def test_every_node_has_its_own_defaults() -> None:
    found = builtin_types()["nodetool.control.ForEach"]
    found.create({}).input_list.append(1)  # type: ignore[attr-defined]
    assert found.create({}).input_list == NO_ITEMS == []  # type: ignore[attr-defined]


async def test_a_node_without_work_says_so() -> None:
    bare = Node()
    with pytest.raises(NotImplementedError, match="Node has no process"):
        await bare.process(None)  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError, match="Node has no gen_process"):
        bare.gen_process(None)  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError, match="Node has no run_stream"):
        await bare.run_stream(None, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("result", "expected"),
    [(None, {}), ({"a": None}, {"a": None}), ({}, {})],
)
def test_results_are_records(result: Any, expected: dict[str, Any]) -> None:
    assert sent_record({"a": 1, "b": 2}, result) == expected


def test_a_bare_result_is_that_of_the_sole_output() -> None:
    assert sent_record({"output": 1}, {"x": 1}) == {"output": {"x": 1}}
    assert sent_record({"output": 1}, {"x": 1}, open_outputs=True) == {"x": 1}


@pytest.mark.parametrize("outputs", [{"a": 1, "b": 2}, {}])
def test_a_result_for_no_output_is_an_error(outputs: dict[str, Any]) -> None:
    with pytest.raises(NodeError, match="names no outputs"):
        sent_record(outputs, 5)


def test_incomplete_classes_are_refused() -> None:
    class Nameless(Node):
        async def process(self, context: NodeContext) -> None: ...

    class Silent(Node):
        node_type: ClassVar[str] = "acme.Silent"
        input_mode: ClassVar[InputMode] = "stream"

        async def process(self, context: NodeContext) -> None: ...

    with pytest.raises(ValueError, match="has no node_type"):
        describe_node_type(Nameless)
    with pytest.raises(ValueError, match="overrides none of"):
        describe_node_type(Broken)
    with pytest.raises(ValueError, match="exactly when it overrides run_stream"):
        describe_node_type(Silent)


def test_an_unavailable_class_needs_no_work() -> None:
    class Later(Node):
        node_type: ClassVar[str] = "acme.Later"
        unavailable: ClassVar[str | None] = "not installed; run: pip install acme"

    registry = Registry()
    registry.register(Later)
    assert registry.unavailable("acme.Later") == "not installed; run: pip install acme"


def test_generators_and_options_are_described() -> None:
    class Many(Node):
        node_type: ClassVar[str] = "acme.Many"
        outputs: ClassVar[tuple[OutputSpec, ...]] = (OutputSpec("row", "dict", "iteration"),)

        items: Items = NO_ITEMS
        kind: Annotated[Text, PortType("enum", options=("a", "b"))] = "a"

        async def gen_process(self, context: NodeContext) -> AsyncIterator[dict[str, Any]]:
            yield {}

    found = describe_node_type(Many, "acme.Other")
    assert found.type == "acme.Other"
    assert found.generates
    assert found.output("row") is not None
    assert found.output("col") is None
    assert found.property("kind").options == ("a", "b")  # type: ignore[union-attr]
    assert hash(PortType("str")) == hash(PortType("str"))


def test_plugins_are_loaded_when_a_type_is_missing() -> None:
    registry = registry_with(Greet)
    assert registry.get("nodetool.text.Prompt") is not None
    assert not registry._loaded
    assert registry.get("acme.GreetHTTPUser") is not None
    assert registry.problems == ()


def test_a_plugin_may_name_a_class_a_module_a_list_or_a_function() -> None:
    module = types.ModuleType("acme_nodes")
    local = type("Local", (Greet,), {"__module__": "acme_nodes", "node_type": "acme.Local"})
    module.__dict__.update(Local=local, Imported=Greet, Base=Node, number=5)
    registry = registry_with(module, [double], lambda: [Greet])
    assert {"acme.Local", "acme.Double", "acme.GreetHTTPUser"} <= {found.type for found in registry}
    assert registry.problems == ()


def test_a_broken_plugin_is_a_problem_and_nothing_else() -> None:
    registry = registry_with(ImportError("no module acme"), Broken, 5, int, Greet)
    assert "acme.GreetHTTPUser" in registry
    problems = registry.problems
    assert [problem.name for problem in problems] == ["plugin0", "plugin1", "plugin2", "plugin3"]
    assert problems[0].message == 'plugin "plugin0" (acme.plugin0): ImportError: no module acme'
    assert "overrides none of" in problems[1].message
    assert "must name a Node class" in problems[2].message


def test_installed_entry_points_are_asked_for_by_group(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def entry_points(*, group: str) -> list[EntryPoint]:
        asked.append(group)
        return []

    monkeypatch.setattr("greenrun.workflows.registry.entry_points", entry_points)
    assert default_registry().get("acme.None") is None
    assert asked == ["greenrun.nodes"]


def test_no_type_that_ships_is_declared_twice() -> None:
    modules = [importlib.import_module(f"greenrun.workflows.nodes.{name}") for name in MODULES]
    assert sum(len(module.NODES) for module in modules) == len(builtin_types())


def test_registries_do_not_share_what_is_added() -> None:
    registry = default_registry()
    before = registry.revision
    registry.register(describe_node_type(Greet))
    assert registry.revision > before
    assert default_registry().get("acme.GreetHTTPUser") is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nodetool.text.Promt", "nodetool.text.Prompt"),
        ("nodetool.txt.prompt", "nodetool.text.Prompt"),
        ("nodetool.text.Reverse", None),
        ("acme.Ghost", None),
    ],
)
def test_the_nearest_type(name: str, expected: str | None) -> None:
    assert default_registry().nearest(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nodetool.creative.Director", "not available here yet"),
        ("vector.Collection", "not available here yet"),
        ("nodetool.image.SomethingElse", "not available here yet"),
        ("nodetool.input.RealtimeAudioInput", "not available here yet"),
        ("nodetool.text.Promt", None),
        ("nodetool.text.Prompt", None),
        ("nodetool.workflows.base_node.Comment", None),
        ("acme.Ghost", None),
    ],
)
def test_types_that_exist_elsewhere_are_unavailable_rather_than_unknown(name: str, expected: str | None) -> None:
    assert default_registry().unavailable(name) == expected


def test_types_are_listed_by_name_with_a_description_each() -> None:
    found = default_registry(list).types()
    assert [item.type for item in found] == sorted(item.type for item in found)
    assert [item.type for item in found if not item.description] == []
    assert len(found) > 150
