"""Apps to put faults into, and how a fault says where it was put and what counts as seeing it."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

from bench.faults.server import Answer
from greenrun.document.bindings import InputRef, OutputRef, Ref, VariableRef, resolve
from greenrun.document.catalog import SLOT_MAP
from greenrun.document.findings import Finding, Place, Reason
from greenrun.document.model import FromVariable, FunctionTarget, ToVariable, operation_target
from greenrun.document.surface import Port
from greenrun.document.templates import tokens
from greenrun.document.tree import Widget
from greenrun.instances.app import App, AppOperation

CODE_FOLDERS = ("workflows",)
SERVER: Final = "http://server.invalid"
"""Stands in an app for the address of the server that it talks to."""
RECORDING: Final = "recording.json"
SETTINGS: Final = "greenrun.toml"
RUN_REASONS = ("GR905", "GR906", "GR908")
MEMBERS = ("widget", "operation", "variable", "resource", "node", "edge", "step")


@dataclass(frozen=True, slots=True)
class World:
    """What an app meets when it runs.

    `models` says who answers for models: what was recorded for the app and nobody else, made-up models by `script`, the server,
    or services that no key is set for. A script is also what a recording is made by where the app brings none. `answers` are
    those of the server by path. A run may cost `cost_cap` US dollars.
    """

    models: Literal["recorded", "scripted", "served", "configured"] = "recorded"
    script: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, Answer] = field(default_factory=dict)
    cost_cap: float | None = None
    allow_external: bool = False


@dataclass(frozen=True, slots=True)
class SeedApp:
    """An app as its files: the document, the script, graphs by workflow id, function sources by module, other files."""

    name: str
    document: dict[str, Any]
    script: dict[str, Any]
    graphs: Mapping[str, Any] = field(default_factory=dict)
    functions: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, bytes] = field(default_factory=dict)
    world: World = World()

    def files(self, server: str = SERVER) -> dict[str, bytes]:
        """The app as the files of its folder by name, with the address of its server in them."""
        texts = {"app.json": json.dumps(self.document), "script.json": json.dumps(self.script)}
        texts |= {f"workflows/{key}.json": json.dumps(graph) for key, graph in self.graphs.items()}
        texts |= {f"workflows/{module}.py": source for module, source in self.functions.items()}
        return {**{name: text.replace(SERVER, server).encode() for name, text in texts.items()}, **self.others}

    def with_file(self, name: str, content: bytes) -> SeedApp:
        """The app with another file in its folder."""
        return replace(self, others={**self.others, name: content})


def read_app(folder: Path) -> SeedApp:
    """An app folder as it lies on disk."""
    graphs: dict[str, Any] = {}
    functions: dict[str, str] = {}
    others: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if not path.is_file() or "__pycache__" in name.parts or name.as_posix() in ("app.json", "script.json"):
            continue
        if name.parts[0] in CODE_FOLDERS and path.suffix == ".json":
            graphs[path.stem] = json.loads(path.read_text(encoding="utf-8"))
        elif name.parts[0] in CODE_FOLDERS and path.suffix == ".py":
            functions[path.stem] = path.read_text(encoding="utf-8")
        else:
            others[name.as_posix()] = path.read_bytes()
    document = json.loads((folder / "app.json").read_text(encoding="utf-8"))
    script = json.loads((folder / "script.json").read_text(encoding="utf-8"))
    return SeedApp(folder.name, document, script, graphs, functions, others)


@dataclass(frozen=True, slots=True)
class Sign:
    """What betrays a fault: one of the codes, at a place that has all the members given here."""

    codes: frozenset[str]
    place: Place

    def fits(self, finding: Finding | Reason) -> bool:
        if finding.code not in self.codes:
            return False
        if isinstance(finding, Reason):
            return self.place.operation is not None and finding.operation == self.place.operation
        wanted = {name: value for name in MEMBERS if (value := getattr(self.place, name)) is not None}
        return bool(wanted) and all(getattr(finding.place, name) == value for name, value in wanted.items())


def sign(codes: str, **place: Any) -> Sign:
    """Codes written with blanks between, and the members of the place."""
    return Sign(frozenset(codes.split()), Place(**place))


def at_widgets(codes: str, widgets: Iterable[str]) -> list[Sign]:
    """The same codes at each of several widgets."""
    return [sign(codes, widget=widget) for widget in widgets]


@dataclass(frozen=True, slots=True)
class Fault:
    """A mutated app with one fault in it. `where` names the place in words; `signs` are what counts as seen.

    Without signs the fault is that something was edited after the app was proved: the old verdict must not count any more.
    """

    kind: str
    app: SeedApp
    where: str
    signs: tuple[Sign, ...]

    @property
    def needs_runs(self) -> bool:
        """Whether only a run can show it: every sign is one of the verdict's later steps, or a limit of a run."""
        return all(code.startswith("GR7") or code in RUN_REASONS for item in self.signs for code in item.codes)

    def seen_in(self, findings: Iterable[Finding | Reason]) -> list[Finding | Reason]:
        return [finding for finding in findings if any(item.fits(finding) for item in self.signs)]


class Draft:
    """A deep copy of an app, to be changed."""

    def __init__(self, app: SeedApp) -> None:
        self._app = app
        # Thousands of drafts are made, and this copies several times as fast as deepcopy.
        self.document, self.script, self.graphs = pickle.loads(
            pickle.dumps((app.document, app.script, dict(app.graphs)))
        )
        self.functions = dict(app.functions)
        self.others = dict(app.others)
        self.world = app.world

    def done(self) -> SeedApp:
        name = self._app.name
        return SeedApp(name, self.document, self.script, self.graphs, self.functions, self.others, self.world)

    def live_in(self, **changes: Any) -> None:
        """The world is another one in these respects."""
        self.world = replace(self.world, **changes)

    def answer(self, path: str, answer: Answer) -> None:
        """The server answers otherwise."""
        self.live_in(answers={**self.world.answers, path: answer})

    def components(self) -> Iterator[tuple[dict[str, Any], list[Any], dict[str, Any] | None, str | None]]:
        """Every component with the list that holds it, its parent and its slot; parents first."""
        yield from _walk(self.document["ui"]["content"], None, None)

    def find(self, widget: str) -> tuple[dict[str, Any], list[Any], dict[str, Any] | None, str | None]:
        return next(found for found in self.components() if found[0]["props"].get("id") == widget)

    def props(self, widget: str) -> dict[str, Any]:
        return self.find(widget)[0]["props"]

    def operation(self, operation: str) -> dict[str, Any]:
        return next(item for item in self.document["operations"] if item["id"] == operation)

    def variable(self, variable: str) -> dict[str, Any]:
        return next(item for item in self.document["variables"] if item["id"] == variable)

    def declare(self, variable: str, type_: str = "str", **more: Any) -> None:
        """A variable that nothing writes."""
        entry = {"id": variable, "name": variable, "type": {"type": type_}, "scope": "instance", "persist": False}
        self.document.setdefault("variables", []).append({**entry, **more})

    def graph(self, key: str) -> dict[str, Any]:
        """The graph of a workflow file, in its wrapper or not."""
        stored = self.graphs[key]
        return stored["graph"] if isinstance(stored.get("graph"), dict) else stored


def _walk(
    content: list[Any], parent: dict[str, Any] | None, slot: str | None
) -> Iterator[tuple[dict[str, Any], list[Any], dict[str, Any] | None, str | None]]:
    for component in content:
        yield component, content, parent, slot
        for name in SLOT_MAP.get(component["type"], ()):
            inner = component["props"].get(name)
            if isinstance(inner, list):
                yield from _walk(inner, component, name)


class Bed:
    """A green app opened, so that kinds can look for places where a fault means something."""

    def __init__(self, app: SeedApp, opened: App) -> None:
        self.app = app
        self.opened = opened

    def fault(
        self, kind: str, where: str, change: Callable[[Draft], object], *signs: Sign | Iterable[Sign]
    ) -> Iterator[Fault]:
        """The fault of one change; nothing when the change leaves the app as it was."""
        draft = Draft(self.app)
        change(draft)
        mutated = draft.done()
        # Equal records may still have their keys in another order.
        if mutated == self.app and mutated.files() == self.app.files():
            return
        flat: list[Sign] = []
        for item in signs:
            flat += [item] if isinstance(item, Sign) else item
        yield Fault(kind, mutated, where, tuple(flat))

    @cached_property
    def widgets(self) -> list[Widget]:
        return list(self.opened.widgets)

    @cached_property
    def operations(self) -> list[AppOperation]:
        return list(self.opened.operations)

    def reading(self) -> list[Widget]:
        """Widgets that show an output or a variable by their binding alone; a format would show it without."""
        return [
            widget
            for widget in self.widgets
            if widget.mode == "read" and isinstance(widget.ref, (OutputRef, VariableRef)) and widget.format is None
        ]

    def writing(self) -> list[Widget]:
        """Widgets that write an input or a variable."""
        return [
            widget
            for widget in self.widgets
            if widget.mode == "write" and widget.binding and isinstance(widget.ref, (InputRef, VariableRef))
        ]

    def starting(self) -> list[Widget]:
        """Widgets with an event that runs something."""
        return [widget for widget in self.widgets if any(event.kind == "run" for event in widget.events)]

    def run_by(self, widget: Widget) -> list[str]:
        default = self.opened.default_operation_id
        return [event.operation_id or default or "" for event in widget.events if event.kind == "run"]

    def triggers_of(self, operation: str) -> list[str]:
        return [widget.id for widget in self.starting() if operation in self.run_by(widget)]

    def function_of(self, item: AppOperation) -> str | None:
        target = operation_target(item.operation)
        return target.function if isinstance(target, FunctionTarget) else None

    def inputs(self, item: AppOperation) -> tuple[Port, ...]:
        return item.surface.inputs if item.surface is not None else ()

    def outputs(self, item: AppOperation) -> tuple[Port, ...]:
        return item.surface.outputs if item.surface is not None else ()

    # What shows what

    def refs_shown(self, widget: Widget) -> set[Ref]:
        """Everything that a widget reads: its binding, other bindings, format and conditions."""
        texts = [extra.binding for extra in widget.extra_bindings]
        texts += [item.name for item in tokens(widget.format)] if widget.format else []
        texts += [stored.binding for stored in (widget.visible_when, widget.disabled_when) if stored is not None]
        refs: set[Ref | None] = {self.resolve(text) for text in texts}
        refs.add(widget.ref)
        return {ref for ref in refs if ref is not None}

    def resolve(self, text: str) -> Ref | None:
        return resolve(text, self.opened.scope)

    def fed_by(self, ref: Ref) -> set[str]:
        """The operations that read an input or a variable."""
        if isinstance(ref, InputRef):
            return {ref.operation_id}
        if not isinstance(ref, VariableRef):
            return set()
        return {
            item.id
            for item in self.operations
            for mapping in item.operation.inputs.values()
            if isinstance(mapping, FromVariable) and mapping.variable_id == ref.variable_id
        }

    def made_by(self, operation: str) -> set[Ref]:
        """Outputs of an operation and the variables that they are kept in."""
        item = next(item for item in self.operations if item.id == operation)
        made: set[Ref] = {OutputRef(operation, port.node_id) for port in self.outputs(item)}
        kept = [mapping for mapping in item.operation.outputs.values() if isinstance(mapping, ToVariable)]
        made |= {VariableRef(mapping.variable_id) for mapping in kept}
        if item.surface is not None:
            made |= {VariableRef(channel) for channel in item.surface.channels}
        return made

    def kept_in(self, ref: Ref) -> set[Ref]:
        """The variables that an output is kept in."""
        if not isinstance(ref, OutputRef):
            return set()
        item = next(item for item in self.operations if item.id == ref.operation_id)
        mapping = item.operation.outputs.get(ref.node_id)
        return {VariableRef(mapping.variable_id)} if isinstance(mapping, ToVariable) else set()

    def steps_on(self, widget: str) -> list[int]:
        """The numbers of the script's steps that name a widget by its id."""
        steps = self.app.script.get("interact") or []
        return [number for number, step in enumerate(steps, 1) if widget in _named(step)]

    def showing(self, refs: Iterable[Ref]) -> list[str]:
        """Widgets on which a wrong value there would be seen, through later operations too, and what stands in them."""
        pending = list(refs)
        found: set[Ref] = set(pending)
        while pending:
            ref = pending.pop()
            made = [self.made_by(operation) for operation in self.fed_by(ref)]
            for further in (self.kept_in(ref), *made):
                new = further - found
                found |= new
                pending += new
        shown = [widget.id for widget in self.widgets if self.refs_shown(widget) & found]
        return list(dict.fromkeys(inner for widget in shown for inner in (widget, *self.inside(widget))))

    def inside(self, widget: str) -> list[str]:
        """The widgets in a widget, at any depth."""
        inner: list[str] = []
        for item in self.widgets:
            if item.parent_id is not None and (item.parent_id == widget or item.parent_id in inner):
                inner.append(item.id)
        return inner

    def seen_after(self, operation: str) -> list[str]:
        """Widgets that show what an operation makes."""
        return self.showing(self.made_by(operation))

    def run_signs(self, operation: str) -> list[Sign]:
        """A run that fails, as the verdict says it, or a request in it."""
        codes = "GR717 GR720 GR721 GR715 GR716"
        return [sign("GR720 GR721 GR722 GR733", operation=operation), *at_widgets(codes, self.triggers_of(operation))]

    def result_signs(self, operation: str) -> list[Sign]:
        """A run that ends with a wrong result, or fails over it."""
        codes = "GR712 GR713 GR718 GR723 GR727 GR728"
        return [*at_widgets(codes, self.seen_after(operation)), *self.run_signs(operation)]

    def value_signs(self, ref: Ref) -> list[Sign]:
        """A wrong or missing value of an input or a variable, as later runs and widgets show it."""
        found = at_widgets("GR703 GR712 GR713 GR718 GR723 GR727 GR728", self.showing([ref]))
        for operation in sorted(self.fed_by(ref)):
            found += self.run_signs(operation)
        return found


def _named(step: Any) -> tuple[Any, ...]:
    return (step.get("click"), step.get("change"), step.get("expect", {}).get("widget"))


Kind = Callable[[Bed], Iterator[Fault]]


def typo(word: str) -> str:
    """The word with one letter lost, doubled or exchanged with its neighbour."""
    middle = len(word) // 2
    if len(word) < 3:
        return word + "x"
    if len(word) % 3 == 0:
        return word[:middle] + word[middle + 1 :]
    if len(word) % 3 == 1 or word[middle] == word[middle - 1]:
        return word[:middle] + word[middle] + word[middle:]
    return word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :]


def sampled(bed: Bed, name: str, kind: Kind, most: int, seed: int = 1) -> list[Fault]:
    """At most `most` faults of a kind in one app, always the same ones."""
    faults = list(kind(bed))
    chance = random.Random(f"{seed}/{name}/{bed.app.name}")
    return faults if len(faults) <= most else [faults[i] for i in sorted(chance.sample(range(len(faults)), most))]
