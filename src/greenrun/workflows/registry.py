"""The node types that exist here: built in, and loaded from entry points of the group ``greenrun.nodes``."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, TypeAlias

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from greenrun.document.nearest import Choice, limit_of, nearest_choice
from greenrun.document.values import ABSENT, Value
from greenrun.workflows.elsewhere import NAMESPACES, NOT_YET, TYPES
from greenrun.workflows.node import Effects, InputMode, Node, NodeError, OutputSpec, PropertySpec, refusal, sent_record
from greenrun.workflows.ports import PortType
from greenrun.workflows.type_meta import TypeMeta, json_schema, type_of, type_text

__all__ = [
    "NodeType",
    "PluginProblem",
    "PortType",
    "Registry",
    "builtin_types",
    "default_registry",
    "describe_node_type",
]

GROUP: Final = "greenrun.nodes"

EDITOR_ONLY: Final = frozenset({"nodetool.workflows.base_node.Comment", "nodetool.workflows.base_node.Group"})
"""Notes and frames of an editor: known, and left out of a run (spec: nodes B1, harness appendix B)."""

MODULES: Final = (
    "agents",
    "audio",
    "code",
    "constants",
    "control",
    "dates",
    "dictionaries",
    "files",
    "functions",
    "generators",
    "http",
    "images",
    "inputs",
    "json_values",
    "list_values",
    "lists",
    "math",
    "model_audio",
    "model_images",
    "model_videos",
    "nested",
    "outputs",
    "pairing",
    "removed_text",
    "removed_values",
    "rss",
    "scripted",
    "streams",
    "tables",
    "text",
    "variables",
    "videos",
)
"""The modules of `greenrun.workflows.nodes`; each lists its types in ``NODES``."""

_VALUE_KEYS: Final = ("ge", "gt", "le", "lt")


@dataclass(frozen=True)
class NodeType:
    """What the rest of the house knows of a node type; read from a `Node` class by `describe_node_type`."""

    type: str
    title: str
    description: str
    cls: type[Node]
    properties: tuple[PropertySpec, ...] = ()
    outputs: tuple[OutputSpec, ...] = ()
    input_mode: InputMode = "buffered"
    generates: bool = False
    dynamic_inputs: bool = False
    dynamic_outputs: bool = False
    effects: Effects = "none"
    retry_safe: bool = True
    always_emit: bool = False
    unavailable: str | None = None

    @cached_property
    def property_table(self) -> dict[str, PropertySpec]:
        return {spec.name: spec for spec in self.properties}

    @cached_property
    def output_table(self) -> dict[str, OutputSpec]:
        return {spec.name: spec for spec in self.outputs}

    @cached_property
    def required_properties(self) -> tuple[PropertySpec, ...]:
        return tuple(spec for spec in self.properties if spec.required)

    @cached_property
    def namespace(self) -> str:
        return self.type.rpartition(".")[0]

    def property(self, name: str) -> PropertySpec | None:
        return self.property_table.get(name)

    def output(self, name: str) -> OutputSpec | None:
        return self.output_table.get(name)

    def create(self, values: Mapping[str, Any], declared_outputs: Mapping[str, Any] | None = None) -> Node:
        """A node with these input values; those that are no properties become dynamic ones where the type has such.

        A null for a property that knows no null counts as not given.

        Raises:
            NodeError: A value does not fit its property; the text names the property.
        """
        known = self.property_table
        given: dict[str, Any] = {}
        dynamic: dict[str, Any] = {}
        for name, value in values.items():
            spec = known.get(name)
            if spec is None:
                dynamic[name] = value
            elif value is not ABSENT and (value is not None or spec.default is ABSENT or _takes_null(spec)):
                given[name] = value
        try:
            node = self.cls.model_validate(given)
        except ValidationError as error:
            raise NodeError(refusal(error)) from None
        if self.dynamic_inputs:
            # Beside the fields: private attributes of a model are set up anew for every node that fires.
            vars(node)["_dynamic"] = dynamic
        if declared_outputs:
            vars(node)["_dynamic_outputs"] = dict(declared_outputs)
        return node

    def record(self, result: Any) -> dict[str, Any]:
        """What `Node.process` returned, as a record of handle to value (see `sent_record`)."""
        return sent_record(self.output_table, result, open_outputs=self.dynamic_outputs)

    def json_schema(self) -> dict[str, Any]:
        """The type for tools and people: its properties as a JSON Schema, its outputs, and how it behaves."""
        properties: dict[str, Any] = {}
        for spec in self.properties:
            schema = json_schema(spec.type)
            facts = {
                "title": spec.title or None,
                "description": spec.description or None,
                "minimum": spec.minimum,
                "maximum": spec.maximum,
                "enum": list(spec.options) if spec.options is not None else None,
            }
            schema |= {key: value for key, value in facts.items() if value is not None}
            if spec.default is not ABSENT:
                schema["default"] = spec.default
            properties[spec.name] = schema | {"x-type": type_text(spec.type)}
        return {
            "type": self.type,
            "title": self.title,
            "description": self.description,
            "properties": {
                "type": "object",
                "properties": properties,
                "required": [spec.name for spec in self.required_properties],
                "additionalProperties": self.dynamic_inputs,
            },
            "outputs": [{"name": spec.name, "type": type_text(spec.type), "kind": spec.kind} for spec in self.outputs],
            "input_mode": self.input_mode,
            "dynamic_inputs": self.dynamic_inputs,
            "dynamic_outputs": self.dynamic_outputs,
            "effects": self.effects,
            "retry_safe": self.retry_safe,
            "unavailable": self.unavailable,
        }


def _takes_null(spec: PropertySpec) -> bool:
    return spec.default is None or spec.type["type"] == "any" or spec.type.get("optional") is True


def describe_node_type(cls: type[Node], type_name: str | None = None) -> NodeType:
    """Read a `Node` class: fields become properties, class variables the behaviour.

    Raises:
        ValueError: The class names no type, or overrides none of the three methods that do the work.
    """
    name = type_name or cls.node_type
    if not name:
        raise ValueError(f"{cls.__module__}.{cls.__qualname__} has no node_type")
    streams = cls.run_stream is not Node.run_stream
    generates = cls.gen_process is not Node.gen_process
    if cls.unavailable is None and not (streams or generates or cls.process is not Node.process):
        raise ValueError(f"{name} overrides none of process, gen_process and run_stream")
    if (cls.input_mode == "stream") != streams:
        raise ValueError(f'{name} must set input_mode = "stream" exactly when it overrides run_stream')
    return NodeType(
        type=name,
        title=cls.title or _spaced(name.rpartition(".")[2]),
        description=inspect.cleandoc(cls.__doc__ or "").partition("\n\n")[0],
        cls=cls,
        properties=tuple(_property(key, info) for key, info in cls.model_fields.items()),
        outputs=cls.outputs,
        input_mode=cls.input_mode,
        generates=generates,
        dynamic_inputs=cls.dynamic_inputs,
        dynamic_outputs=cls.dynamic_outputs,
        effects=cls.effects,
        retry_safe=cls.retry_safe,
        always_emit=cls.always_emit,
        unavailable=cls.unavailable,
    )


def _spaced(name: str) -> str:
    """``IsEmpty`` as "Is Empty"; runs of capitals stay together."""
    letters: list[str] = []
    for position, letter in enumerate(name):
        follows = position > 0 and (
            not name[position - 1].isupper() or (position + 1 < len(name) and name[position + 1].islower())
        )
        letters.append(f" {letter}" if letter.isupper() and follows else letter)
    return "".join(letters)


def _property(name: str, info: FieldInfo) -> PropertySpec:
    # Of nested annotations the outermost stands last.
    marker = next((item for item in reversed(info.metadata) if isinstance(item, PortType)), None)
    meta: TypeMeta = marker.type if marker is not None else type_of(info.annotation)
    bounds = {key: getattr(item, key) for item in info.metadata for key in _VALUE_KEYS if hasattr(item, key)}
    options = marker.options if marker is not None and marker.options is not None else meta.get("values")
    return PropertySpec(
        name=info.alias or name,
        type=meta,
        default=_default(info),
        required=info.is_required() or (marker is not None and marker.required),
        minimum=bounds.get("ge", bounds.get("gt")),
        maximum=bounds.get("le", bounds.get("lt")),
        options=tuple(options) if options is not None else None,
        title=info.title or "",
        description=info.description or "",
    )


def _default(info: FieldInfo) -> Value:
    factory: Callable[[], Any] | None = info.default_factory  # type: ignore[assignment]  # ours take no arguments
    value = factory() if factory is not None else info.default
    return ABSENT if value is PydanticUndefined else value


@dataclass(frozen=True, slots=True)
class PluginProblem:
    """An entry point that could not be used; its node types are missing, everything else works."""

    name: str
    message: str


NodeSource: TypeAlias = Callable[[], Iterable[EntryPoint]]


def _installed() -> Iterable[EntryPoint]:
    return entry_points(group=GROUP)


@dataclass
class Registry:
    """Node types by name. Plugins are loaded when a type is asked for that is not there yet."""

    _types: dict[str, NodeType] = field(default_factory=dict)
    _source: NodeSource | None = None
    _problems: list[PluginProblem] = field(default_factory=list)
    _loaded: bool = False
    revision: int = 0
    """Rises with every change, so that what was computed from a registry can be kept as long as it holds."""

    def get(self, type_name: str) -> NodeType | None:
        """The type of that name, or None."""
        found = self._types.get(type_name)
        if found is None and not self._loaded:
            self._load_plugins()
            found = self._types.get(type_name)
        return found

    def types(self) -> tuple[NodeType, ...]:
        """All types, sorted by name."""
        self._load_plugins()
        return tuple(self._types[name] for name in sorted(self._types))

    def __iter__(self) -> Iterator[NodeType]:
        return iter(self.types())

    def __contains__(self, type_name: str) -> bool:
        return self.get(type_name) is not None

    def nearest(self, type_name: str) -> str | None:
        """The one type whose name is most likely meant (spec: harness 2.2, fixes)."""
        self._load_plugins()
        # The limit is that of the last segment: the long common prefix would make unlike types near.
        limit = limit_of(type_name.rpartition(".")[2])
        return nearest_choice(type_name, [Choice(name, (name,)) for name in self._types], limit)

    def register(self, node: type[Node] | NodeType) -> NodeType:
        """Add a type, or replace the one of that name.

        Raises:
            ValueError: The class is no complete node type.
        """
        described = node if isinstance(node, NodeType) else describe_node_type(node)
        self._types[described.type] = described
        self.revision += 1
        return described

    def unavailable(self, type_name: str) -> str | None:
        """Why a type that exists cannot run here; None for one that can, and for a name that nobody knows."""
        found = self.get(type_name)
        if found is not None:
            return found.unavailable
        if type_name in EDITOR_ONLY or not type_name.startswith(NAMESPACES):
            return None
        if type_name not in TYPES and self.nearest(type_name) is not None:
            return None
        return NOT_YET

    @property
    def problems(self) -> tuple[PluginProblem, ...]:
        """The plugins that could not be loaded."""
        self._load_plugins()
        return tuple(self._problems)

    def _load_plugins(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        for entry in self._source() if self._source is not None else ():
            # Foreign code: whatever it raises is a fact about the plugin, not about this registry.
            try:
                for node in _node_classes(entry.load()):
                    self.register(node)
            except Exception as error:
                text = f"{type(error).__name__}: {error}"
                self._problems.append(PluginProblem(entry.name, f'plugin "{entry.name}" ({entry.value}): {text}'))


def _node_classes(loaded: Any) -> list[type[Node]]:
    """The node classes that an entry point means: a class, a module, a list, or a function that returns one."""
    if inspect.isclass(loaded) and issubclass(loaded, Node):
        return [loaded]
    if inspect.ismodule(loaded):
        members = [item for item in vars(loaded).values() if inspect.isclass(item) and issubclass(item, Node)]
        return [item for item in members if item.node_type and item.__module__ == loaded.__name__]
    if isinstance(loaded, (list, tuple)):
        return [cls for item in loaded for cls in _node_classes(item)]
    if callable(loaded) and not inspect.isclass(loaded):
        return _node_classes(loaded())
    raise TypeError("an entry point must name a Node class, a module, a list of them, or a function that returns one")


@lru_cache(maxsize=1)
def builtin_types() -> Mapping[str, NodeType]:
    """The types that ship, by name."""
    modules = [importlib.import_module(f"greenrun.workflows.nodes.{name}") for name in MODULES]
    described = [describe_node_type(cls) for module in modules for cls in module.NODES]
    return {node.type: node for node in described}


def default_registry(source: NodeSource = _installed) -> Registry:
    """A registry of its own with the types that ship, and the installed plugins on demand."""
    return Registry(dict(builtin_types()), source)
