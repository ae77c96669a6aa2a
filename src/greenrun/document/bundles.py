"""Bundles: an app with the workflows, scripts and functions that it runs, in one JSON value (spec: app-runtime 14)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeVar
from uuid import uuid4

from greenrun.document.bundle_keys import Renames, UnresolvedReference, pin_script_versions, renamed
from greenrun.document.diagnostics import Diagnostic
from greenrun.document.edits.native import settled, stored_operation, to_native
from greenrun.document.edits.paths import without
from greenrun.document.findings import Place
from greenrun.document.js import is_list
from greenrun.document.json_text import pretty_json
from greenrun.document.model import Document, FunctionTarget, Operation, implicit_operation
from greenrun.document.operations import is_function_name
from greenrun.document.parse import parse_document
from greenrun.document.slugs import numbered, unique_key
from greenrun.document.values import ABSENT, is_number, is_record, is_text

__all__ = [
    "BUNDLE_VERSION",
    "Bundle",
    "BundleParse",
    "BundledFunctions",
    "BundledScript",
    "BundledWorkflow",
    "CarriedScript",
    "CarriedWorkflow",
    "Export",
    "Import",
    "ImportedFunctions",
    "UnresolvedReference",
    "apply_bundle",
    "bundle_from_application",
    "bundle_operations",
    "parse_bundle",
    "pin_script_versions",
    "serialize_bundle",
]

BUNDLE_VERSION: Final = 1
DEFAULT_NAME: Final = "Untitled app"


@dataclass(frozen=True, slots=True)
class BundledWorkflow:
    """A carried workflow. Operations name it by `key`; `extras` are keys that this version does not know."""

    key: str
    name: str
    graph: dict[str, Any]
    version: int | float | None = None
    graph_hash: str | None = None
    description: str | None = None
    source_id: str | None = None
    extras: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"key": self.key, "name": self.name, "graph": self.graph}
        data |= {"version": self.version, "graphHash": self.graph_hash}
        return data | _written(description=self.description, sourceId=self.source_id) | dict(self.extras)


@dataclass(frozen=True, slots=True)
class BundledScript:
    """A carried script; its `document` is kept as it is."""

    key: str
    name: str
    document: dict[str, Any]
    version: int | float | None = None
    source_id: str | None = None
    extras: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"key": self.key, "name": self.name, "document": self.document, "version": self.version}
        return data | _written(sourceId=self.source_id) | dict(self.extras)


@dataclass(frozen=True, slots=True)
class BundledFunctions:
    """The source of one Python module whose functions operations run."""

    module: str
    source: str
    extras: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def to_json(self) -> dict[str, Any]:
        return {"module": self.module, "source": self.source} | dict(self.extras)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A parsed bundle."""

    name: str
    description: str
    app: Document
    workflows: tuple[BundledWorkflow, ...] = ()
    scripts: tuple[BundledScript, ...] = ()
    functions: tuple[BundledFunctions, ...] = ()
    extras: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def to_json(self) -> dict[str, Any]:
        """The bundle as it is written, unknown keys included."""
        data: dict[str, Any] = {
            "schemaVersion": BUNDLE_VERSION,
            "name": self.name,
            "description": self.description,
            "app": self.app.stored,
        }
        for key, entries in (("workflows", self.workflows), ("scripts", self.scripts), ("functions", self.functions)):
            data[key] = [entry.to_json() for entry in entries]
        return data | dict(self.extras)


def _written(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def serialize_bundle(bundle: Bundle) -> str:
    """The JSON text of a bundle, ending in one newline (spec: app-runtime 14.6)."""
    return pretty_json(bundle.to_json())


@dataclass(frozen=True, slots=True)
class BundleParse:
    """The bundle, or None when the value is none, and what the parsers of bundle and document have to say."""

    bundle: Bundle | None
    diagnostics: tuple[Diagnostic, ...] = ()


_Entry = TypeVar("_Entry")


def parse_bundle(value: Any) -> BundleParse:
    """Reads a bundle; never raises on content (spec: app-runtime 14.5).

    The app is parsed without a host, so a v1/v2 app has no operations; `bundle_operations` gives the implicit one.
    """
    if not is_record(value):
        return _no_bundle("This is not a bundle: it is not an object.", "not_an_object")
    version = value.get("schemaVersion")
    if is_number(version) and version > BUNDLE_VERSION:
        message = (
            f'The "schemaVersion" of this bundle is {version}, but the highest that can be read is {BUNDLE_VERSION}.'
        )
        return _no_bundle(f"{message} Update Greenrun.", "version")
    app = parse_document(value.get("app"))
    if app.document is None:
        return BundleParse(None, app.diagnostics)
    diagnostics = list(app.diagnostics)
    name, description = value.get("name"), value.get("description")
    known = ("schemaVersion", "name", "description", "app", "workflows", "scripts", "functions")
    bundle = Bundle(
        name=name if isinstance(name, str) else DEFAULT_NAME,
        description=description if isinstance(description, str) else "",
        app=app.document,
        workflows=_entries(value, "workflows", _workflow, diagnostics),
        scripts=_entries(value, "scripts", _script, diagnostics),
        functions=_entries(value, "functions", _functions, diagnostics),
        extras=without(value, *known),
    )
    return BundleParse(bundle, tuple(diagnostics))


def _no_bundle(message: str, step: str) -> BundleParse:
    return BundleParse(None, (Diagnostic("no_document", Place(), message, {"step": step}),))


_Carried = Literal["workflows", "scripts", "functions"]
_LACKS: Final[dict[_Carried, str]] = {
    "workflows": 'a non-empty "key" and a "graph" with lists "nodes" and "edges"',
    "scripts": 'a non-empty "key" and a "document" with text "code" and lists "inputs" and "outputs" of {name, type}',
    "functions": 'a "module" of dotted Python names and a text "source"',
}


def _entries(
    value: dict[str, Any],
    name: _Carried,
    parse: Callable[[dict[str, Any]], _Entry | None],
    diagnostics: list[Diagnostic],
) -> tuple[_Entry, ...]:
    stored = value.get(name)
    kept: list[_Entry] = []
    for index, raw in enumerate(stored if is_list(stored) else []):
        entry = parse(raw) if is_record(raw) else None
        if entry is not None:
            kept.append(entry)
            continue
        message = f'Entry number {index + 1} of "{name}" in the bundle is left out: it needs {_LACKS[name]}.'
        data = {"list": name, "entry": name[:-1], "index": index, "id": None, "missing": "", "stored": raw}
        diagnostics.append(Diagnostic("entry_dropped", Place(), message, data | {"word": None, "choices": []}))
    return tuple(kept)


def _workflow(raw: dict[str, Any]) -> BundledWorkflow | None:
    key, graph, name = raw.get("key"), raw.get("graph"), raw.get("name")
    if not is_text(key) or not is_record(graph) or not is_list(graph.get("nodes")) or not is_list(graph.get("edges")):
        return None
    version, graph_hash, description = raw.get("version"), raw.get("graphHash"), raw.get("description")
    source_id = raw.get("sourceId")
    return BundledWorkflow(
        key=key,
        name=name if isinstance(name, str) else key,
        graph=graph,
        version=version if is_number(version) else None,
        graph_hash=graph_hash if isinstance(graph_hash, str) else None,
        description=description if isinstance(description, str) else None,
        source_id=source_id if is_text(source_id) else None,
        extras=without(raw, "key", "name", "graph", "version", "graphHash", "description", "sourceId"),
    )


def _script(raw: dict[str, Any]) -> BundledScript | None:
    key, document, name = raw.get("key"), raw.get("document"), raw.get("name")
    if not is_text(key) or not is_record(document) or not isinstance(document.get("code"), str):
        return None
    if not _is_ports(document.get("inputs")) or not _is_ports(document.get("outputs")):
        return None
    version, source_id = raw.get("version"), raw.get("sourceId")
    return BundledScript(
        key=key,
        name=name if isinstance(name, str) else key,
        document=document if is_number(document.get("schemaVersion")) else {**document, "schemaVersion": 1},
        version=version if is_number(version) else None,
        source_id=source_id if is_text(source_id) else None,
        extras=without(raw, "key", "name", "document", "version", "sourceId"),
    )


def _is_ports(value: object) -> bool:
    return is_list(value) and all(
        is_record(port) and isinstance(port.get("name"), str) and isinstance(port.get("type"), str) for port in value
    )


def _functions(raw: dict[str, Any]) -> BundledFunctions | None:
    module, source = raw.get("module"), raw.get("source")
    if not isinstance(module, str) or not is_function_name(f"{module}:f") or not isinstance(source, str):
        return None
    return BundledFunctions(module, source, without(raw, "module", "source"))


def bundle_operations(bundle: Bundle) -> tuple[Operation, ...]:
    """The declared operations; with none and exactly one workflow the implicit one on that (spec: app-runtime O-53)."""
    if bundle.app.operations or len(bundle.workflows) != 1:
        return bundle.app.operations
    return (implicit_operation(bundle.workflows[0].key),)


@dataclass(frozen=True, slots=True)
class CarriedWorkflow:
    """A workflow to put into a bundle, by its id here."""

    id: str
    name: str
    graph: dict[str, Any]
    version: int | float | None = None
    graph_hash: str | None = None
    description: str | None = None
    source_id: str | None = None


@dataclass(frozen=True, slots=True)
class CarriedScript:
    """A script to put into a bundle, by its id here."""

    id: str
    name: str
    document: dict[str, Any]
    version: int | float | None = None
    source_id: str | None = None


@dataclass(frozen=True, slots=True)
class Export:
    """A bundle, and what its operations name without the bundle carrying it (spec: app-runtime O-52)."""

    bundle: Bundle
    unresolved: tuple[UnresolvedReference, ...]


def bundle_from_application(
    name: str,
    document: Document,
    workflows: Iterable[CarriedWorkflow] = (),
    scripts: Iterable[CarriedScript] = (),
    *,
    functions: Mapping[str, str] | None = None,
    description: str = "",
) -> Export:
    """A bundle of an app with what it runs; the document stays as it is (spec: app-runtime 14.3).

    Keys are made from names, in order, one per distinct id. `functions` are sources by module; those that an operation
    names are carried.
    """
    carried_workflows = _once(workflows)
    carried_scripts = _once(scripts)
    workflow_keys = _keys(carried_workflows, "workflow")
    script_keys = _keys(carried_scripts, "script")
    sources = functions or {}
    modules = dict.fromkeys(
        item.target.module for item in document.operations if isinstance(item.target, FunctionTarget)
    )
    carried_modules = {module: module for module in modules if module in sources}
    app, unresolved = renamed(document, Renames(workflow_keys, script_keys, carried_modules))
    bundle = Bundle(
        name=name,
        description=description,
        app=app,
        workflows=tuple(
            BundledWorkflow(
                workflow_keys[item.id],
                item.name,
                item.graph,
                item.version,
                item.graph_hash,
                item.description,
                item.source_id,
            )
            for item in carried_workflows
        ),
        scripts=tuple(
            BundledScript(script_keys[item.id], item.name, item.document, item.version, item.source_id)
            for item in carried_scripts
        ),
        functions=tuple(BundledFunctions(module, sources[module]) for module in carried_modules),
    )
    return Export(bundle, unresolved)


_Carry = TypeVar("_Carry", CarriedWorkflow, CarriedScript)


def _once(items: Iterable[_Carry]) -> list[_Carry]:
    """The first entry of each id."""
    first: dict[str, _Carry] = {}
    for item in items:
        first.setdefault(item.id, item)
    return list(first.values())


def _keys(items: Sequence[CarriedWorkflow] | Sequence[CarriedScript], fallback: str) -> dict[str, str]:
    keys: dict[str, str] = {}
    for item in items:
        keys[item.id] = unique_key(item.name, fallback, set(keys.values()))
    return keys


@dataclass(frozen=True, slots=True)
class ImportedFunctions:
    """A module to store. `reused` says that the workspace has it already, under that name and with equal source."""

    module: str
    source: str
    bundled_as: str
    reused: bool


@dataclass(frozen=True, slots=True)
class Import:
    """What an import gives the caller to store; workflows and scripts come with their new ids."""

    name: str
    description: str
    document: Document
    workflows: tuple[tuple[str, BundledWorkflow], ...]
    scripts: tuple[tuple[str, BundledScript], ...]
    functions: tuple[ImportedFunctions, ...]
    unresolved: tuple[UnresolvedReference, ...]


def apply_bundle(
    bundle: Bundle,
    *,
    new_workflow_id: Callable[[BundledWorkflow, int], str] | None = None,
    new_script_id: Callable[[BundledScript, int], str] | None = None,
    modules: Mapping[str, str] | None = None,
) -> Import:
    """The app of a bundle with new ids in place of its keys; nothing is stored here (spec: app-runtime 14.4).

    The minters are called with entry and index; without one an id is a random UUID. `modules` are the sources that the
    workspace has already. Code that comes back in `functions` may run only once the user trusts it.
    """
    workflows = tuple(
        (new_workflow_id(entry, index) if new_workflow_id else str(uuid4()), entry)
        for index, entry in enumerate(bundle.workflows)
    )
    scripts = tuple(
        (new_script_id(entry, index) if new_script_id else str(uuid4()), entry)
        for index, entry in enumerate(bundle.scripts)
    )
    functions = _named_modules(bundle.functions, modules or {})
    names = Renames(
        workflows={entry.key: new_id for new_id, entry in workflows},
        scripts={entry.key: new_id for new_id, entry in scripts},
        modules={entry.bundled_as: entry.module for entry in functions},
    )
    document, unresolved = renamed(_with_implicit_operation(bundle), names)
    return Import(bundle.name, bundle.description, document, workflows, scripts, functions, unresolved)


def _with_implicit_operation(bundle: Bundle) -> Document:
    """The app with its implicit operation written down, because outside of the bundle nothing implies it any more."""
    implied = bundle_operations(bundle)
    if implied == bundle.app.operations:
        return bundle.app
    native = to_native(bundle.app.stored, ABSENT)
    stored = native.get("operations")
    entries = [*(stored if is_list(stored) else []), *map(stored_operation, implied)]
    document = settled({**native, "operations": entries}, ABSENT)
    assert document is not None
    return document


def _named_modules(entries: Sequence[BundledFunctions], existing: Mapping[str, str]) -> tuple[ImportedFunctions, ...]:
    """A name for each module: its own, unless the workspace has another module of that name. A later entry wins."""
    sources = {entry.module: entry.source for entry in entries}
    named: dict[str, ImportedFunctions] = {}
    taken: set[str] = set()
    for module, source in sources.items():
        unequal = {name for name, text in existing.items() if text != source}
        name = numbered(module, unequal | taken | (sources.keys() - {module}), "_")
        taken.add(name)
        named[module] = ImportedFunctions(name, source, module, reused=name in existing)
    return tuple(named.values())
